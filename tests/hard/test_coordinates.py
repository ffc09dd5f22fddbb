"""Minimal ↔ maximal coordinates: exact for every joint kind, up to the edge of the domain."""

import mujoco
import numpy as np
import pytest

from dojo_py import load_model
from dojo_py.handles import handles
from dojo_py.hard.elements.coordinates import HALF_TURN, maximal_from_minimal, minimal_from_maximal
from dojo_py.hard.elements.layout import build_layout
from dojo_py.hard.world import build_world

GEOM = '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3"/>'
JOINTS = {
    "free": "<freejoint/>",
    "ball": '<joint type="ball" pos=".1 -.2 .3"/>',
    "hinge": '<joint type="hinge" axis="1 2 3" pos=".1 .2 -.1" ref="25"/>',
    "slide": '<joint type="slide" axis="1 -2 1" pos=".3 .1 0" ref=".4"/>',
    "two hinges": '<joint axis="1 0 .2" pos=".1 0 .2"/><joint axis="0 1 0" pos="-.1 0 0" ref="-30"/>',
    "three hinges": '<joint axis="0 0 1" pos=".1 0 0"/><joint axis="0 1 0" ref="10"/><joint axis="1 .3 0" pos="0 .2 0"/>',
    "slide hinge": '<joint type="slide" axis="0 0 1" ref=".2"/><joint axis="1 1 0" pos=".1 .1 .1"/>',
    "planar root": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1" ref="1.2"/><joint axis="0 1 0"/>',
    "slide ball": '<joint type="slide" axis="1 0 .3" ref=".4"/><joint type="ball" pos=".1 -.2 .3"/>',
    "ball slides": '<joint type="ball" pos=".1 0 .3"/><joint type="slide" axis="1 2 0" ref=".2"/><joint type="slide"/>',
    "hinge ball": '<joint axis="0 1 .2" pos=".5 0 .2" ref="-20"/><joint type="ball" pos="-.1 .1 0"/>',
    "three slides": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 1"/><joint type="slide" axis="0 0 1"/>',
}


def scene(joint: str, child: str) -> str:
    """A body in a tilted fixed frame; on it a merged body, and on that a second joint."""
    first = f'<body pos=".3 .2 1" euler="10 -20 70">{joint}{GEOM}'
    second = f'<body pos=".1 .5 .2" euler="5 5 50">{GEOM}<body pos="0 .3 .1" euler="0 40 0">{child}{GEOM}</body></body>'
    tilted = f'<body pos="0 .1 .2" euler="0 15 0">{first}{second}</body></body>'
    if "free" in joint:  # free joints hang from the world only
        tilted = f"{first}{second}</body>"
    return f"<mujoco><worldbody>{tilted}</worldbody></mujoco>"


PAIRS = [("free", "ball"), ("ball", "hinge"), ("hinge", "slide"), ("slide", "two hinges"), ("two hinges", "three hinges")]
PAIRS += [("three hinges", "slide hinge"), ("planar root", "ball"), ("three slides", "hinge"), ("free", "hinge")]
PAIRS += [("slide ball", "ball slides"), ("hinge ball", "slide ball"), ("two hinges", "hinge ball")]


class Frame:
    """A model's layout with the conversions as plain functions."""

    def __init__(self, first: str, second: str, timestep: float):
        self.text = scene(JOINTS[first], JOINTS[second])
        self.model = load_model(self.text)
        self.layout, self.where = build_layout(self.model)
        self.handle = handles(build_world(self.model, "cone", "error", float(self.model.opt.timestep)))[0]
        self.h = timestep

    def maximal(self, qpos, qvel):
        bodies = np.zeros((len(self.layout.mass), 13))
        return bodies, maximal_from_minimal(self.handle, qpos, qvel, self.h, bodies)

    def minimal(self, bodies, reference):
        qpos, qvel = np.zeros(self.model.nq), np.zeros(self.model.nv)
        minimal_from_maximal(self.handle, bodies, self.h, reference, qpos, qvel)
        return qpos, qvel


def random_state(frame, rng, turn):
    """qpos anywhere (away from gimbal lock), and qvel whose coordinates change by up to `turn` over the interval."""
    m = frame.model
    qpos = m.integrate(m.qpos0, rng.uniform(-0.7, 0.7, m.nv))
    return qpos, rng.uniform(-turn, turn, m.nv) / frame.h


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("timestep", [0.1, 1e-3])
def test_round_trips(first, second, timestep):
    """Measured: 8e-16 in coordinates, 1.3e-15 in h times velocities, 1.1e-15 in maximal rows."""
    frame, rng, tried = Frame(first, second, timestep), np.random.default_rng(1), 0
    for turn in (0.0, 0.01, 0.3, 0.9):
        for _ in range(10):
            qpos, qvel = random_state(frame, rng, turn)
            bodies, cosine = frame.maximal(qpos, qvel)
            if cosine <= 0.02:
                continue
            tried += 1
            qpos2, qvel2 = frame.minimal(bodies, qpos)
            assert np.abs(frame.model.difference(qpos2, qpos)).max() < 1e-12
            assert timestep * np.abs(qvel2 - qvel).max() < 1e-12
            bodies2, _ = frame.maximal(qpos2, qvel2)
            sign = np.sign(np.sum(bodies[:, 6:10] * bodies2[:, 6:10], axis=1))
            bodies2[:, 6:10] *= sign[:, None]
            assert np.abs(bodies2 - bodies)[:, [0, 1, 2, 6, 7, 8, 9]].max() < 1e-12
            assert timestep * np.abs(bodies2 - bodies)[:, [3, 4, 5, 10, 11, 12]].max() < 1e-12
    assert tried >= 20


@pytest.mark.parametrize("joint", ["free", "ball", "hinge"])
def test_round_trip_close_to_the_domains_edge(joint):
    """ω = 0.99999 * 2/h. Measured: 2e-14 to 1.5e-13 in h ω (cos of half the turn is 4e-3)."""
    frame = Frame(joint, "slide", 0.01)
    turn = 2.0 * np.arcsin(0.99999)
    qvel = np.zeros(frame.model.nv)
    if joint == "hinge":
        qvel[0] = turn / frame.h
    else:
        axis = np.array([0.36, 0.48, 0.8])
        qvel[frame.model.nv - 4 : frame.model.nv - 1] = turn / frame.h * axis
    bodies, cosine = frame.maximal(frame.model.qpos0, qvel)
    assert cosine > HALF_TURN
    assert 0.5 * frame.h * np.linalg.norm(bodies[0, 10:13]) == pytest.approx(0.99999, abs=1e-12)
    _, qvel2 = frame.minimal(bodies, frame.model.qpos0)
    assert frame.h * np.abs(qvel2 - qvel).max() < 1e-12
    for factor in (1.01, 2.0, 4.0):  # just beyond; about one turn; about two, which looks like none
        _, beyond = frame.maximal(frame.model.qpos0, qvel * factor)
        assert beyond <= HALF_TURN


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_poses_are_those_of_the_wheel(first, second):
    """Centres of mass and orientations by mj_kinematics. Measured: 5e-16."""
    frame, rng = Frame(first, second, 0.01), np.random.default_rng(2)
    reference = mujoco.MjModel.from_xml_string(frame.text)
    data = mujoco.MjData(reference)
    for _ in range(5):
        qpos, qvel = random_state(frame, rng, 0.1)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(reference, data)
        bodies, _ = frame.maximal(qpos, qvel)
        for i, b in enumerate(frame.where.body):
            R = data.xmat[b].reshape(3, 3)
            assert bodies[i, :3] == pytest.approx(data.xpos[b] + R @ frame.layout.com[i], abs=1e-13)
            assert abs(bodies[i, 6:10] @ data.xquat[b]) == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_velocities_are_differences_over_the_interval(first, second):
    """v and ω against the poses at qpos and at qpos stepped back by h qvel. Measured: 1.7e-14 m/s."""
    frame, rng = Frame(first, second, 0.01), np.random.default_rng(3)
    qpos, qvel = random_state(frame, rng, 0.3)
    now, _ = frame.maximal(qpos, qvel)
    back, _ = frame.maximal(frame.model.integrate(qpos, -frame.h * qvel), np.zeros(frame.model.nv))
    assert now[:, 3:6] == pytest.approx((now[:, :3] - back[:, :3]) / frame.h, abs=1e-12)
    for a, b in zip(back, now, strict=True):
        half = 0.5 * frame.h * b[10:13]
        step = np.concatenate([[np.sqrt(1 - half @ half)], half])
        w, v, s, u = a[6], a[7:10], step[0], step[1:]
        moved = np.concatenate([[w * s - v @ u], w * u + s * v + np.cross(v, u)])
        assert abs(moved @ b[6:10]) == pytest.approx(1.0, abs=1e-12)


def test_hinge_angles_wind_with_the_reference():
    frame = Frame("hinge", "two hinges", 0.01)
    qpos = frame.model.qpos0 + np.array([40.0, -30.0, 25.0])
    bodies, _ = frame.maximal(qpos, np.zeros(3))
    assert frame.minimal(bodies, qpos + 0.5)[0] == pytest.approx(qpos, abs=1e-11)


def test_compound_joint_far_from_its_reference_still_finds_the_pose():
    """Another set of angles may come out, never another pose. Measured: 4e-15."""
    frame, rng = Frame("three hinges", "hinge", 0.01), np.random.default_rng(4)
    for _ in range(30):
        qpos = rng.uniform(-3, 3, frame.model.nq)
        bodies, _ = frame.maximal(qpos, np.zeros(frame.model.nv))
        found, _ = frame.minimal(bodies, np.zeros(frame.model.nq))
        again, _ = frame.maximal(found, np.zeros(frame.model.nv))
        assert again[:, :3] == pytest.approx(bodies[:, :3], abs=1e-11)
        assert np.abs(np.sum(again[:, 6:10] * bodies[:, 6:10], axis=1)) == pytest.approx(1.0, abs=1e-12)
