"""What round-off decides is no reason to fail, or to move: light balls under heavy plates, axes that meet, bodies that touch."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

CAPSULE = '<geom type="capsule" size="0.007" fromto="0 0 0 0.07 0 0" mass="{}"/>'
LINK = '<body pos="0.07 0 0" euler="0 -72 0"><joint axis="0 1 0"/>' + CAPSULE


def tower(light: float, heavy: float) -> str:
    """Two plates of mass `heavy` on three balls of mass `light` each, millimetres large."""
    ball = '<body pos="{} {} {}"><freejoint/><geom type="sphere" size="0.00114" mass="{}"/></body>'
    plate = '<body pos="0 0 {}"><freejoint/><geom type="box" size="0.00715 0.00572 0.00143" mass="{}"/></body>'
    bodies = ""
    for low in (0.0, 0.00514):
        bodies += "".join(ball.format(x, y, low + 0.00114, light) for x, y in ((-0.005, -0.004), (0.005, -0.004), (0.0, 0.004)))
        bodies += plate.format(low + 0.00371, heavy)
    return f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>'


@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e5])
def test_light_balls_carry_heavy_plates(ratio):
    """Every step SOLVED; in 30 balls roll by 1e-5 rad at most.

    Before, at 1e4 and more, every step was INEXACT: the round-off of a ball's torque was taken for a residual.
    """
    sim = HardSimulator(load_model(tower(0.02 / ratio, 0.02)), timestep=0.09)
    run = sim.rollout(sim.initial_state(), np.zeros((30, 0)))
    assert run.unsolved == 0
    assert np.abs(run.qpos[-1] - run.qpos[0]).max() < 3e-5


def test_a_loop_of_capsules_whose_axes_meet_where_it_closes():
    """Five links fall on the floor, the last one's end on the first one's: the overlap is 14 mm for good, and has no normal.

    At most 20 iterations a step, median 5. Before: 50 in flight, and STALLED for good from where it touches the floor.
    """
    first = '<body name="l0" pos="0 0 0.2"><freejoint/>' + CAPSULE.format(1.8)
    links = LINK.format(1.5) + LINK.format(2.0) + LINK.format(0.5) + LINK.format(0.7).replace("<body", '<body name="l4"')
    xml = (
        f'<mujoco><default><geom friction="0.5 0 0"/></default><worldbody><geom type="plane" size="0 0 1"/>{first}{links}'
        f'{"</body>" * 5}</worldbody><equality><connect body1="l4" body2="l0" anchor="0.07 0 0"/></equality></mujoco>'
    )
    sim = HardSimulator(load_model(xml), timestep=0.0093)
    run = sim.rollout(sim.initial_state(), np.zeros((60, 0)))
    assert run.unsolved == 0
    assert np.median(run.iterations) <= 8 and run.iterations.max() <= 60


@pytest.mark.parametrize("size", [1e-3, 1e-2, 1e-1])
def test_bodies_that_touch_without_load_stay(size):
    """Two boxes, face on face, nothing pulls: faster apart than by a thousandth of their size a second they do not get.

    Measured, in sizes a second: 1.2e-4, 1.2e-4, 1e-5. Before: 2.9e-3 of a millimetre.
    """
    box = '<body pos="0 0 {}"><freejoint/><geom type="box" size="{s} {s} {s}"/></body>'
    bodies = box.format(0.0, s=size) + box.format(2.0 * size, s=size)
    sim = HardSimulator(load_model(f"<mujoco><option gravity='0 0 0'/><worldbody>{bodies}</worldbody></mujoco>"), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((20, 0)))
    assert run.unsolved == 0
    assert np.abs(run.qvel[:, [0, 1, 2, 6, 7, 8]]).max() < 1e-3 * size
