"""URDF: damaged files give a `ModelError` or a model that makes sense, and nothing else."""

import random
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from public import URDF
from urdf_texts import EVERYTHING, random_robot

from dojo_py import ModelError
from dojo_py.formats import load_model

TOKENS = (
    *(
        "0",
        "-1",
        "1e400",
        "nan",
        "inf",
        "",
        " ",
        "1 2",
        "0 0 0",
        "x",
        "1_0",
        "٣",
        "world",
        "a",
        "base",
        "j1",
        "1e-320",
        "1e10",
    ),
    *("fixed", "floating", "spherical", "orbital", "planar", "true", "auto", "&amp;", "\u0000", "<", '"', "é"),
)
POLICIES = ("error", "skip")


def mutate(text: str, rng: random.Random) -> str:
    """One to four edits: characters, attribute values, whole lines, names."""
    for _ in range(rng.randint(1, 4)):
        kind = rng.randrange(6)
        if kind == 0:  # replace a value
            starts = [i for i in range(len(text) - 1) if text[i] == "=" and text[i + 1] == '"']
            if starts:
                start = rng.choice(starts) + 2
                end = text.find('"', start)
                text = text[:start] + rng.choice(TOKENS) + text[end if end >= 0 else start :]
        elif kind == 1:  # drop, double or swap lines
            rows = text.split("\n")
            i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
            rng.choice((lambda: rows.pop(i), lambda: rows.insert(j, rows[i]), lambda: rows.reverse()))()
            text = "\n".join(rows)
        elif kind == 2:  # drop an element
            start = text.find("<", rng.randrange(max(1, len(text))))
            end = text.find(">", start)
            text = text[:start] + text[end + 1 :] if 0 <= start < end else text
        elif kind == 3:  # exchange two words
            words = (
                "link",
                "joint",
                "parent",
                "child",
                "inertial",
                "collision",
                "revolute",
                "fixed",
                "type",
                "name",
                "mass",
            )
            text = text.replace(rng.choice(words), rng.choice(words), rng.randint(1, 3))
        elif kind == 4:  # one character
            i = rng.randrange(max(1, len(text)))
            text = text[:i] + rng.choice("<>\"'/= 0a\t-.") + text[i + 1 :]
        else:  # cut
            text = text[: rng.randrange(max(1, len(text)))] if rng.random() < 0.2 else text
    return text


def assert_model_or_error(source: str | bytes, policy: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model = load_model(source, policy)
        except ModelError as error:
            assert error.errors and str(error)
            return False
    for name in ("body_mass", "body_inertia", "body_pos", "body_quat", "qpos0", "jnt_axis", "dof_invweight0"):
        assert np.isfinite(getattr(model, name)).all(), name
    return True


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.integers(0, 40), st.sampled_from(POLICIES))
def test_mutated_robots(seed, robot_seed, policy):
    text = EVERYTHING if robot_seed > 30 else random_robot(robot_seed)
    text = mutate(text, random.Random(seed))
    if "<" in text:
        assert_model_or_error(text, policy)


def test_some_mutants_survive():
    """Else the test above would test the XML parser only. Measured: 16 of 200."""
    good = sum(assert_model_or_error(mutate(EVERYTHING, random.Random(seed)), "skip") for seed in range(200))
    assert 8 < good < 100


def test_mutated_real_files():
    for path in URDF.values():
        text = path.read_text()
        for seed in range(8):
            assert_model_or_error(mutate(text, random.Random(seed)), POLICIES[seed % 2])


@pytest.mark.parametrize(
    "text",
    [
        "<robot/>",
        "<robot name='r'><link name='a'/><joint/></robot>",
        "<robot><loop_joint/></robot>",
        "<robot><mujoco/><mujoco/></robot>",
        "<robot><link name='a'><inertial/><collision/><visual/></link></robot>",
        "<robot><link name='world'><inertial/></link></robot>",
        "<robot>" + "<link>" * 300 + "</link>" * 300 + "</robot>",
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
    ],
)
def test_empty_and_hostile_files(text):
    assert_model_or_error(text, "error")


def test_a_long_chain_of_fixed_links():
    """Deeper than Python's recursion limit."""
    links = "".join(f'<link name="l{i}"/>' for i in range(1500))
    joints = "".join(f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(1499))
    assert assert_model_or_error(f"<robot>{links}{joints}</robot>", "error")
