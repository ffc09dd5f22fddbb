"""A medium with ellipsoids and boxes: coefficients, forces and steps of every integrator beside the wheel's."""

import mujoco
import numpy as np
import pytest

from dojo_py import SoftSimulator, load_model

TREE = """<mujoco><option timestep=".004" density="{density}" viscosity="{viscosity}" wind="{wind}" integrator="{integrator}"/>
  <default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="capsule" size=".04 .1" pos=".1 0 .02" euler="20 30 0" fluidshape="ellipsoid"/>
    <geom type="ellipsoid" size=".1 .02 .05" pos="-.1 0 .02" euler="20 0 10" fluidshape="ellipsoid" fluidcoef="1 .5 2 3 .7"/>
    <geom size=".02"/>
    <body pos=".3 0 0"><joint axis="1 2 0"/><joint type="slide" axis="0 1 1"/><geom type="box" size=".05 .04 .1" pos="0 .1 0"/>
      <body pos=".2 0 0"><joint type="ball"/><geom type="cylinder" size=".03 .1" fluidshape="ellipsoid"/></body></body></body>
  <body pos="0 1 1"><joint axis="0 1 0"/><geom type="box" size=".1 .002 .2" pos=".1 0 0" fluidshape="ellipsoid"/></body>
  </worldbody></mujoco>"""
MEDIA = [(1000.0, 0.0, "0 0 0"), (0.0, 2.0, "1 2 3"), (300.0, 0.5, "1 -2 .5")]


def pair(medium, integrator):
    density, viscosity, wind = medium
    text = TREE.format(density=density, viscosity=viscosity, wind=wind, integrator=integrator)
    return load_model(text), mujoco.MjModel.from_xml_string(text)


def test_numbers_of_every_shape():
    ours, theirs = pair(MEDIA[0], "Euler")
    assert np.abs(ours.geom_fluid - theirs.geom_fluid).max() < 1e-15  # 7e-18
    assert np.count_nonzero(theirs.geom_fluid[:, 0]) == 4


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
@pytest.mark.parametrize("medium", MEDIA)
def test_steps(medium, integrator):
    ours, theirs = pair(medium, integrator)
    data, sim = mujoco.MjData(theirs), SoftSimulator(ours)
    rng = np.random.default_rng(1)
    for still in (False, False, True):
        mujoco.mj_resetData(theirs, data)
        data.qvel[:] = 0.0 if still else rng.normal(size=theirs.nv)
        state = sim.initial_state(qvel=data.qvel)
        mujoco.mj_step(theirs, data)
        after = sim.step(state).state
        assert np.abs(after.qvel - data.qvel).max() < 1e-12 * max(1.0, np.abs(data.qvel).max())  # 4e-15
    mujoco.mj_resetData(theirs, data)
    data.qvel[:] = start = rng.normal(size=theirs.nv)
    traj = sim.rollout(sim.initial_state(qvel=start), np.zeros((200, 0)))
    for _ in range(200):
        mujoco.mj_step(theirs, data)
    assert np.abs(traj.qpos[-1] - data.qpos).max() < 1e-9  # 4e-13
