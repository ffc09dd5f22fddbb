"""Damaged files of macros, attached models and kept elements: nothing but `ModelError`, in bounded time; what loads can be written.

By hand: 3599 of them, the slowest 0.23 s.
"""

import random
import time

import pytest
import test_kept
import test_macros
from lxml import etree
from test_mjcf_fuzz import ATTRIBUTES, NASTY

from dojo_py import ModelError, load_model
from dojo_py.formats.save import mjcf

TEXTS = [test_kept.TEXT, *(test_macros.WORLD.format(before="", macro=m, after=a) for m, a in test_macros.REPLICAS.values())]
PARENT = test_macros.PARENT.format(free=test_macros.ATTACHED["all"], held=test_macros.ATTACHED["twice"]).replace("parts/", "")
TAGS = "body joint geom frame replicate attach camera light custom numeric tuple material model include".split()
EXTRA = ["count", "prefix", "frame", "offset", "user", "data", "file"]
SECONDS = 5.0


def damaged(text, rng):
    root = etree.fromstring(text)
    for _ in range(rng.randint(1, 3)):
        nodes = list(root.iter())
        node, action = rng.choice(nodes), rng.choice(["value", "value", "add", "tag", "delete", "copy"])
        if action == "value" and node.attrib:
            node.set(rng.choice(sorted(node.attrib)), rng.choice(NASTY))
        elif action == "add":
            node.set(rng.choice([*ATTRIBUTES, *EXTRA]), rng.choice(NASTY))
        elif action == "tag":
            node.tag = rng.choice(TAGS)
        elif action == "delete" and node is not root:
            node.getparent().remove(node)
        elif action == "copy" and node is not root:
            rng.choice(nodes).append(etree.fromstring(etree.tostring(node)))
    return etree.tostring(root).decode()


def outcome(source, write):
    start = time.process_time()
    try:
        model = load_model(source, unsupported="skip")
        if write:
            mjcf(model)
    except ModelError as error:
        assert error.errors and "cannot be written" not in str(error)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("seed", range(3))
def test_damaged_texts(seed):
    rng = random.Random(seed)
    for _ in range(60):
        outcome(damaged(rng.choice(TEXTS), rng), rng.random() < 0.3)


@pytest.mark.parametrize("part", ["main.xml", "child.xml"])
def test_damaged_attachments(part, tmp_path):
    rng = random.Random(7)
    for _ in range(60):
        for name, text in (("main.xml", PARENT), ("child.xml", test_macros.CHILD)):
            (tmp_path / name).write_text(damaged(text, rng) if name == part else text)
        outcome(tmp_path / "main.xml", rng.random() < 0.3)
