"""XML that is not well-formed: read where the wheel reads it, with its lines; refused where the wheel refuses it."""

import time

import mujoco
import pytest
from wheel_oracle import assert_equal

from dojo_py import ModelError, load_model
from dojo_py.formats.lenient_xml import mended

MODEL = """<mujoco><worldbody>{}
<body name="{}" pos="1 2 3"{}><joint/><geom type="box"{}size=".1 .2 .3"/></body></worldbody></mujoco>"""
READ = {
    "no white space": MODEL.format("", "b", "", ""),
    "quotes of the other kind": MODEL.format("", "b'", "quat='1 0 0 0'", ""),
    "hyphens in a comment": MODEL.format("<!---- a -- <b c='1'd='2'> ---->", "b", "", " "),
    "quotes in a comment": MODEL.format("<!-- it's -- \"a -->", "b", "", ""),
    "ampersand": MODEL.format("", "a & b", "", " "),
    "unknown entity": MODEL.format("", "a&nbsp;b", "", " "),
    "known entities": MODEL.format("", "a&lt;&#65;&amp;b", "", ""),
    "less than": MODEL.format("", "a<b", "", " "),
    "text": MODEL.format("a & b", "b", "", " "),
    "character data": MODEL.format("<![CDATA[ a & <b c='1'd='2'> ]]>", "b", "", ""),
}


@pytest.mark.parametrize("case", READ)
def test_read_as_the_wheel_does(tmp_path, case):
    path = tmp_path / "robot.xml"
    path.write_text(READ[case])
    model = load_model(path)
    assert model.njnt == 1 and model.left_out == ()
    assert_equal(model, mujoco.MjModel.from_xml_path(str(path)))


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_bytes(MODEL.format("<!-- 90° -->", "b", "", " ").encode("latin-1"))
    assert_equal(load_model(path), mujoco.MjModel.from_xml_path(str(path)))


@pytest.mark.parametrize(
    "text",
    [
        MODEL.format("", "b", ' pos="1 2 3"', ""),  # an attribute twice
        MODEL.format("", "b", "<!-- -- -->", ""),
        MODEL.format("", "b", " a=1", ""),
        MODEL.format("<body>", "b", "", ""),
        MODEL.format("", "b", "", "") + "text",
        MODEL.format("<!-- ", "b", "", ""),
        MODEL.format("", "b", "", "") + "<!-->",
    ],
)
def test_what_the_wheel_refuses_is_refused(tmp_path, text):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.raises(ModelError, match="not well-formed XML"):
        load_model(path)


def test_messages_name_the_lines_of_the_file():
    text = MODEL.format("<!-- a -- b\n\n\n -->\n", "b", "", "").replace("size=", "sise=")
    with pytest.raises(ModelError, match="^<text>:6: geom, sise"):
        load_model(text)


def test_a_document_type_is_still_refused():
    with pytest.raises(ModelError, match="not well-formed XML"):
        load_model('<!DOCTYPE mujoco [<!ENTITY a "b">]>' + MODEL.format("", "&a;", "", ""))


@pytest.mark.parametrize(
    "part", ["<!--", "<?", "<![CDATA[", "<a x='b'", "<a x='", "&", "<a x='' y", "<a " + 500 * " ", "<" + 200_000 * "a"]
)
def test_takes_time_in_proportion(part):
    """Where parts do not end. Measured: 0.3 s a MB at most; where names could end earlier, too, a name of 1 MB took minutes."""
    data, clock = b"<mujoco>" + part.encode() * (1_000_000 // len(part)), time.process_time()
    assert len(mended(data)) > 100_000
    assert time.process_time() - clock < 20.0
