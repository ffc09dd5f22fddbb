"""`compiler fusestatic` in MJCF: which bodies stay, and what becomes of the others, is the wheel's."""

import mujoco
import pytest
from wheel_oracle import assert_equal

from dojo_py import load_mechanism, load_model
from dojo_py.formats.save import mjcf

TEXT = """<mujoco><compiler fusestatic="true" {settings}/><worldbody>
<body name="w1" pos="0 0 1"><geom size=".1"/><site name="ws"/></body><body name="mo" mocap="true"><geom size=".1"/></body>
<body name="a" pos="0 0 1"><joint/><geom size=".1"/>
 <body name="plain" pos="1 0 0"><geom name="pg" size=".1"/></body>
 <body name="excluded" pos="1 0 0"><geom size=".1"/></body>
 <body name="tied" pos="1 0 0"><geom size=".1"/></body>
 <body name="sensed" pos="1 0 0"><geom size=".1"/></body>
 <body name="loaded" pos="1 0 0"><geom size=".1"/><site name="fs"/></body>
 <body name="watched" pos="1 0 0" euler="10 20 30"><geom size=".1"/><site name="as" pos=".1 0 0"/></body>
 <body name="listed" pos="1 0 0"><geom size=".1"/></body>
 <body name="camera" pos="1 0 0"><geom size=".1"/><camera mode="targetbody" target="target"/></body>
 <body name="target" pos="1 0 0"><geom size=".1"/></body>
 <body name="sticky" pos="1 0 0"><geom size=".1"/></body>
 <body name="light" pos="1 0 0" gravcomp="1"><geom size=".1"/></body>
 <body name="apart" fuse="false" pos="1 0 0"><geom size=".1"/></body>
 <body name="fluid" pos="1 0 0" fuse="auto"><geom size=".1" fluidshape="ellipsoid"/></body>
 <body name="user" pos="1 0 0" user="3"><geom size=".1"/></body>
 <body name="deep" pos="1 0 0"><geom size=".1"/><body name="deep2" pos="1 0 0" euler="0 40 0"><geom type="box" size=".1 .2 .3"/>
  <body name="j"><joint/><geom size=".2"/></body></body></body>
 <body name="sub" pos="1 0 0"><geom size=".1"/><body name="sub2"><geom size=".1"/></body></body>
</body></worldbody>
<contact><exclude body1="a" body2="excluded"/></contact>
<equality><connect body1="tied" anchor="0 0 0"/></equality>
<custom><tuple name="t"><element objtype="body" objname="listed"/></tuple></custom>
<actuator><adhesion body="sticky" ctrlrange="0 1"/><motor site="as"/></actuator>
<sensor><framepos objtype="body" objname="sensed"/><force site="fs"/><accelerometer site="as"/><subtreecom body="sub"/></sensor>
  </mujoco>"""
STAY = "world mo a excluded tied sensed loaded listed target sticky light apart j sub".split()


@pytest.mark.parametrize("settings", ["", 'inertiafromgeom="true"', 'balanceinertia="true" boundmass="3"'])
def test_the_wheels_bodies_stay(settings):
    text = TEXT.format(settings=settings)
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    assert list(model.body_names) == [wheel.body(i).name for i in range(wheel.nbody)] == STAY
    assert_equal(model, wheel)
    written = mjcf(load_mechanism(text))
    assert_equal(load_model(written), mujoco.MjModel.from_xml_string(written))
    assert list(load_model(written).body_names) == STAY


def test_what_stands_in_frames_and_replicas_is_fused():
    text = """<mujoco><compiler fusestatic="true"/><worldbody><frame name="f" pos="0 0 1"><body name="p" pos="1 0 0">
      <geom size=".1"/><body name="q" pos="1 0 0"><freejoint/><geom size="1"/></body></body></frame>
  <replicate count="3" offset="1 0 0">
      <body><geom size="1" pos="0 0 1"/><body><joint/><geom size=".2"/></body></body></replicate></worldbody></mujoco>"""
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))
    (frame,) = load_mechanism(text).frames
    assert [element.name for element in frame.elements] == ["", "q"]


def test_models_that_are_attached_are_fused_with_the_whole(tmp_path):
    (tmp_path / "hand.xml").write_text(
        """<mujoco><compiler fusestatic="true"/><worldbody><body name="palm"><geom size=".1"/><body name="tip" pos="0 0 .1">
  <geom size=".1"/>
        </body></body></worldbody></mujoco>"""
    )
    for setting in ("true", "false"):
        file = tmp_path / "arm.xml"
        file.write_text(
            f"""<mujoco><compiler fusestatic="{setting}"/><asset><model name="h" file="hand.xml"/></asset><worldbody>
  <body name="arm">
            <joint/><geom size=".2"/><attach model="h" body="palm" prefix="h_"/></body></worldbody></mujoco>"""
        )
        assert_equal(load_model(file), mujoco.MjModel.from_xml_path(str(file)))


BALL, STATIC = '<joint/><geom size=".1"/>', '<geom size=".1"/>'
KEPT = {
    "unnamed bodies, one of which holds a loaded site": f"""<body>{BALL}<body pos="1 0 0">{STATIC}<site name="s"/></body>
      <body>{STATIC}</body></body>""",
    "a compensated body of the world": f'<body gravcomp="1">{STATIC}<body gravcomp=".5">{STATIC}</body></body>',
    "a compensated body below a moving one": f"""<body>{BALL}<body><body gravcomp="1">{STATIC}<body>{STATIC}</body>
      </body></body></body>""",
    "compensated as its parent": f'<body gravcomp="1">{BALL}<body gravcomp="1">{STATIC}</body><body>{STATIC}</body></body>',
    "compensated without mass": f'<body>{BALL}<body gravcomp="1"/></body>',
    "compensated below one that stays": f'<body fuse="false">{STATIC}<body gravcomp="1">{STATIC}</body></body>',
}


@pytest.mark.parametrize("settings", ["", 'inertiafromgeom="true"', 'inertiafromgeom="true" boundmass="9"'])
@pytest.mark.parametrize("case", KEPT)
def test_which_bodies_stay(case, settings):
    loads = '<sensor><force site="s"/></sensor>' if "site" in case else ""
    text = f'<mujoco><compiler fusestatic="true" {settings}/><worldbody>{KEPT[case]}</worldbody>{loads}</mujoco>'
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("option", ['density="1"', 'viscosity="1"', 'wind="1 0 0"'])
def test_nothing_is_fused_in_a_medium(option):
    """Its drag depends on how mass is divided into bodies. The wind alone is no medium."""
    text = f"""<mujoco><compiler fusestatic="true"/><option {option}/><worldbody><body><joint/><geom size=".1"/>
      <body pos="0 0 1"><geom size=".05 .1 .1" type="box"/></body></body></worldbody></mujoco>"""
    assert load_model(text).nbody == mujoco.MjModel.from_xml_string(text).nbody == (2 if "wind" in option else 3)
