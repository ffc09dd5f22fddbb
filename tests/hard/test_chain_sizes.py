"""Several joints in one body: without gravity the motion does not depend on the unit of length."""

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model
from dojo_py.mechanism.enums import JointType

KINDS = (("hinge", "hinge", "hinge"), ("hinge", "hinge"), ("hinge", "slide", "hinge"))


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def drawn_step(seed, size):
    """A step of a drawn body on two or three joints, by up to half a radian. Returns (status, coordinates in units of `size`)."""
    rng = np.random.default_rng(seed)
    joints = ""
    for kind in KINDS[seed % len(KINDS)]:
        axis, pos = rng.normal(size=3), size * rng.normal(size=3)
        joints += f'<joint type="{kind}" axis="{numbers(axis)}" pos="{numbers(pos)}"/>'
    geom = (
        f'<geom type="box" size="{numbers(size * np.array([0.1, 0.2, 0.3]))}" pos="{numbers(size * rng.normal(size=3))}" mass="1"/>'
    )
    text = f'<mujoco><option gravity="0 0 0"/><worldbody><body>{joints}{geom}</body></worldbody></mujoco>'
    sim = HardSimulator(load_model(text), timestep=0.1)
    unit = np.where(np.asarray(sim.model.jnt_type) == JointType.SLIDE, size, 1.0)
    qpos, qvel = 0.5 * rng.normal(size=len(unit)), 4.0 * rng.normal(size=len(unit))
    step = sim.step(sim.initial_state(qpos=unit * qpos, qvel=unit * qvel))
    return step.status, step.state.qpos / unit


@pytest.mark.parametrize("size", [0.01, 1.0, 20.0, 100.0])
def test_a_chain_moves_alike_at_every_size(size):
    """At 100 m 13 of 30 ended elsewhere, SOLVED, by up to 500 rad; of 1 m 2 of 30. Measured: 3e-10 rad."""
    off = 0.0
    for seed in range(30):
        (first, here), (second, there) = drawn_step(seed, 0.3), drawn_step(seed, size)
        assert first is second is Status.SOLVED
        off = max(off, float(np.abs(here - there).max()))
    print(f"size {size}: {off:.1e}")
    assert off < 1e-8


def test_angles_do_not_end_revolutions_away():
    """Near poses at which hinges depend on each other Newton's steps to their angles have any length. Of the seeds 2000 to 3499
    thirty ended up to 82,000 rad away, SOLVED, among them these; none does now.
    """
    for seed in (2006, 2017, 2115, 2127, 2175, 2184, 2271, 2784, 3201, 3477):
        status, angles = drawn_step(seed, 1.0)
        assert status is Status.SOLVED and np.abs(angles).max() < 6 * np.pi, (seed, angles)
