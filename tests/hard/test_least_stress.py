"""Redundant closures: impulses that balance each other and move nothing stay as small as those that carry the load."""

import numpy as np
import pytest

import dojo_py

# a ball and a connect make a hinge between the two links: the distance of their points is held twice
HINGE = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint type="ball"/>
  <geom type="box" size=".1 .05 .03" pos=".1 0 0" mass="1"/>
  <body name="b" pos=".2 0 0"><joint type="ball"/><geom type="capsule" size=".02 .1" pos="0 .05 .05" mass=".5"/><site name="s"/>
  </body></body></worldbody>
  <equality><connect body1="a" body2="b" anchor=".2 .13 -.07"/></equality><sensor><force site="s"/></sensor></mujoco>"""
WELD = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint axis=".3 1 .2"/>
  <geom type="box" size=".1 .05 .03" mass="1" pos=".1 0 0"/>
  <body name="b" pos=".2 0 0"><joint axis="1 .3 .5"/><geom type="capsule" size=".02 .1" pos="0 .05 .05" mass=".5"/><site name="s"/>
  </body></body></worldbody>
  <equality><weld body1="a" body2="b"/></equality><sensor><force site="s"/></sensor></mujoco>"""


@pytest.mark.parametrize("xml", [HINGE, WELD])
@pytest.mark.parametrize("timestep", [0.01, 0.001])
@pytest.mark.parametrize("opening", [0.0, 0.1])
def test_readings_of_redundant_loops(xml, timestep, opening):
    """The joint carries 5 N and swings. It read 1e3 to 1e9 N, and momenta were as inexact. A loop that starts open closes first."""
    sim = dojo_py.HardSimulator(xml, timestep=timestep)
    nv = sim.model.nv
    start = sim.model.integrate(sim.model.qpos0, opening * np.linspace(-1.0, 1.0, nv))
    state = sim.initial_state(start)
    for _ in range(4):
        state = sim.step(state).state
    for _ in range(20):
        step = sim.step(state)
        state = step.state
        assert step.solved
        assert step.residual < 1e-11
        assert np.abs(step.sensordata).max() < 40.0


@pytest.mark.parametrize("timestep", [0.01, 0.001])
def test_two_connects_make_a_hinge(timestep):
    """Two free bodies spin about each other: the closures' forces are those of the spin, 1 N; they were 1e6 N."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".1 .05 .03" mass="1"/></body>
      <body name="b" pos=".2 0 1"><freejoint/><geom type="capsule" size=".02 .1" pos="0 .05 .05" mass=".5"/></body></worldbody>
      <equality><connect body1="a" body2="b" anchor=".1 .05 .03"/>
      <connect body1="a" body2="b" anchor=".1 -.05 0"/></equality></mujoco>"""
    sim = dojo_py.HardSimulator(xml, timestep=timestep)
    state = sim.initial_state(qvel=[0, 0, 0, 1, 2, 3, *[0] * 6])
    for _ in range(50):
        step = sim.step(state)
        state = step.state
        assert step.solved
        assert step.residual < 1e-11
