"""Every attribute of the reader's tables with lists of every length: what the wheel accepts is accepted, with equal arrays."""

import mujoco
import pytest
from default_run import some
from lxml import etree
from test_mjcf_fuzz import EVERYTHING, accepted_attributes
from wheel_oracle import differences

from dojo_py import ModelError, load_model

VALUES = ("", "1", "-0.5 0.5", "0.1 0.2 0.3", "0.9 0.95 0.01 0.5 2", "1 0 0 0 1 0", "true", "box", "affine")
STRICTER = ("lower bound must be less", "is less than 0", "not an integer of at least", "three letters", "has no direction")
STRICTER += ("is negative", "exactly one target", "needs a joint or a tendon as target")
"""The wheel accepts reversed ranges, negative friction, damping and counts, words for eulerseq, axes without direction, two
targets: mistakes all of them."""
WHEEL_DIES = {("connect", "anchor")}
"""Short lists here: an unknown exception, after which the wheel hangs."""
TAGS = sorted({node.tag for node in etree.fromstring(EVERYTHING).iter()})


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


PARTS = range(4)
"""Of the values: each attribute has, by default, every fourth one, neighbours have others."""


@pytest.mark.parametrize("part", some(PARTS, [0]))
@pytest.mark.parametrize("tag", TAGS)
def test_attributes_of(tag, part):
    wrong = []
    nodes = list(etree.fromstring(EVERYTHING).iter())
    index = max(i for i, node in enumerate(nodes) if node.tag == tag)
    for number, attribute in enumerate(accepted_attributes(nodes[index])):
        for value in () if (tag, attribute) in WHEEL_DIES else VALUES[(number + part) % len(PARTS) :: len(PARTS)]:
            root = etree.fromstring(EVERYTHING)
            list(root.iter())[index].set(attribute, value)
            found = difference(etree.tostring(root).decode())
            if found:
                wrong.append(f"{attribute}={value!r}: {found}")
    assert not wrong, "\n".join(wrong)


def difference(text):
    """What the wheel accepts and we do not, or read otherwise; empty where all is well."""
    try:
        reference = mujoco.MjModel.from_xml_string(text)
    except (ValueError, RuntimeError):
        return ""
    try:
        model = load_model(text)
    except ModelError as error:
        stricter = [record.unsupported or any(word in record.message for word in STRICTER) for record in error.errors]
        return "" if all(stricter) else str(error)[:200]
    found = {name: value for name, value in differences(model, reference).items() if not value <= 1e-10}
    return str(found) if found else ""
