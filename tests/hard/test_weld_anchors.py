"""Welds with an anchor, relpose, or both: closed where the wheel's are."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

SCENE = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".1 .12 .14"/></body>
  <body name="b" pos=".5 0 1" euler="20 30 40"><freejoint/><geom type="box" size=".1 .12 .14"/></body>
  </worldbody><equality><weld {}/></equality></mujoco>"""
WELDS = {
    "anchor": 'body1="a" body2="b" anchor=".1 .2 .3"',
    "relpose": 'body1="a" body2="b" relpose=".4 .1 -.1 .9 .1 .2 .3"',
    "both": 'body1="a" body2="b" anchor=".1 .2 .3" relpose=".4 .1 -.1 .9 .1 .2 .3"',
    "to the world": 'body1="b" anchor=".1 .2 .3"',
}


def open_by(text, qpos):
    """Largest violation of the weld by the wheel's measure [m, rad]."""
    wheel = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(wheel)
    data.qpos[:] = qpos
    mujoco.mj_forward(wheel, data)
    return np.abs(data.efc_pos).max()


@pytest.mark.parametrize("weld", WELDS)
def test_a_weld_closes_where_the_wheels_does(weld):
    """The point on the first body was rotated by relpose and moved by the anchor once more: closed 0.4 m away, SOLVED."""
    text = SCENE.format(WELDS[weld])
    sim = HardSimulator(load_model(text), timestep=0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((60, 0)))
    assert run.unsolved == 0
    assert open_by(text, run.qpos[-1]) < 1e-9
    if "relpose" not in WELDS[weld]:
        assert np.abs(run.qpos - run.qpos[0]).max() < 1e-12


def test_an_anchor_is_the_parameter_and_goes_back_to_the_model():
    sim = HardSimulator(load_model(SCENE.format(WELDS["anchor"])))
    moved = sim.with_parameters({"equality_anchor": sim.parameter("equality_anchor").value + 0.01})
    other = HardSimulator(moved.to_model())
    assert np.allclose(other.parameter("equality_anchor").value, moved.parameter("equality_anchor").value, atol=1e-15)
    assert np.allclose(sim.parameter("equality_anchor").value[1], [0.1, 0.2, 0.3])
