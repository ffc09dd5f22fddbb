"""Every attribute of the reader's tables with lists of every length: what the wheel accepts is accepted, with equal arrays."""

import mujoco
import pytest
from lxml import etree
from test_mjcf_fuzz import EVERYTHING, accepted_attributes
from wheel_oracle import differences

from dojo_py import ModelError, load_model

VALUES = "0|0.5|1|-1|-0.5 0.5|0.1 0.2 0.3|0.1 0.2 0.3 0.4|0.9 0.95 0.01 0.5 2|1 0 0 0 1 0|.1 .2 .3 .4 .5 .6 .7|true|false|auto".split("|")
VALUES += ["box", "slide", "affine", ""]
STRICTER = ("lower bound must be less", "is less than 0", "not an integer of at least", "the name of the", "has no direction")
"""The wheel accepts reversed ranges, negative friction, negative counts and axes without direction, which are mistakes."""
TAGS = sorted({node.tag for node in etree.fromstring(EVERYTHING).iter()})
TEXT = EVERYTHING.replace("<damper ", "<damper ").replace('<freejoint name="f"/>', '<joint name="f" type="free"/>')


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("tag", TAGS)
def test_attributes_of(tag):
    wrong = []
    for index, node in enumerate(etree.fromstring(TEXT).iter()):
        if node.tag != tag:
            continue
        for attribute in accepted_attributes(node):
            for value in VALUES:
                root = etree.fromstring(TEXT)
                list(root.iter())[index].set(attribute, value)
                found = difference(etree.tostring(root).decode())
                if found:
                    wrong.append(f"{attribute}={value!r}: {found}")
    assert not wrong, "\n".join(wrong)


def difference(text):
    """What the wheel accepts and we do not, or read otherwise; empty where all is well."""
    try:
        reference = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return ""
    try:
        model = load_model(text)
    except ModelError as error:
        stricter = [record.unsupported or any(word in record.message for word in STRICTER) for record in error.errors]
        return "" if all(stricter) else str(error)[:200]
    found = {name: value for name, value in differences(model, reference).items() if not value <= 1e-10}
    return str(found) if found else ""
