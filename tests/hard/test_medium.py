"""Forces of a medium in the hard mode: closed forms, the wheel as the time step shrinks, and derivatives against differences."""

import mujoco
import numpy as np
import pytest
from differences import compare, ridders, tight

from dojo_py import HardSimulator, load_model
from dojo_py.hard.parameters.registry import directions

TREE = """<mujoco><option timestep=".01" density="{density}" viscosity="{viscosity}" wind="{wind}"/>
  <default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="capsule" size=".04 .1" pos=".1 0 .02" euler="20 30 0" fluidshape="ellipsoid"/>
    <geom type="ellipsoid" size=".1 .02 .05" pos="-.1 0 .02" euler="20 0 10" fluidshape="ellipsoid" fluidcoef="1 .5 2 3 .7"/>
    <body pos=".3 0 0"><joint axis="1 2 0" damping=".01"/><geom type="box" size=".05 .04 .1" pos="0 .1 0"/>
      <body pos="0 0 .2" euler="0 40 10"><geom size=".05" pos="0 .1 .1"/></body>
      <body pos=".2 0 0"><joint type="ball"/><geom type="cylinder" size=".03 .1" fluidshape="ellipsoid"/></body></body></body>
  </worldbody></mujoco>"""
MEDIA = {"box and ellipsoid": (300.0, 0.5, "0 0 0"), "wind": (300.0, 0.5, "1 -2 .5"), "viscous": (0.0, 2.0, "1 2 3")}


def tree(medium):
    density, viscosity, wind = MEDIA[medium]
    return load_model(TREE.format(density=density, viscosity=viscosity, wind=wind))


def start(sim):
    rng = np.random.default_rng(0)
    m = sim.model
    return sim.initial_state(m.integrate(m.qpos0, 0.5 * rng.normal(size=m.nv)), rng.normal(size=m.nv))


def test_a_falling_sphere_ends_at_its_terminal_speed():
    """Drag of the box about a sphere: 2 ρ r² v² = m g, r the half side of the box with the sphere's inertia."""
    ball = '<worldbody><body><freejoint/><geom size=".1" mass=".05"/></body></worldbody>'
    model = load_model(f'<mujoco><option density="1.2" timestep=".02"/>{ball}</mujoco>')
    sim = HardSimulator(model)
    traj = sim.rollout(sim.initial_state(), np.zeros((2000, 0)))
    half = np.sqrt(1.5 / 0.05 * model.body_inertia[1, 0])
    assert abs(-traj.qvel[-1, 2] / np.sqrt(0.05 * 9.81 / (2 * 1.2 * half**2)) - 1.0) < 1e-9  # 2e-16
    assert traj.unsolved == 0


def test_the_motion_tends_to_the_wheels():
    """In half the time step about half the difference: both integrators are of first order."""
    text = TREE.format(density=300.0, viscosity=0.5, wind="1 -2 .5")
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.timestep, data = 1e-5, mujoco.MjData(theirs)
    rng = np.random.default_rng(0)
    data.qpos[:] = qpos = load_model(text).integrate(data.qpos, 0.5 * rng.normal(size=theirs.nv))
    data.qvel[:] = qvel = rng.normal(size=theirs.nv)
    mujoco.mj_step(theirs, data, 20000)
    off = []
    for h in (2e-3, 1e-3):
        sim = HardSimulator(load_model(text), timestep=h)
        # the hard mode's velocity is that of the interval before the state: the pose is taken half a step on
        traj = sim.rollout(sim.initial_state(sim.model.integrate(qpos, 0.5 * h * qvel), qvel), np.zeros((round(0.2 / h), 0)))
        end = sim.model.integrate(traj.qpos[-1], -0.5 * h * traj.qvel[-1])
        off.append(np.abs(sim.model.difference(end, data.qpos)).max())
    assert off[1] < 1e-2 and off[1] < 0.6 * off[0]  # 3.4e-3, 0.5002


@pytest.mark.parametrize("medium", MEDIA)
def test_derivatives(medium):
    sim = tight(tree(medium), 0.01)
    found = compare(sim, start(sim), np.zeros(0), 1e-4)
    assert max(found.A, found.B) < 1e-7, found  # 2e-9


@pytest.mark.parametrize("medium", MEDIA)
def test_parameters(medium):
    sim = tight(tree(medium), 0.01)
    state = start(sim)
    worst: dict[str, float] = {}
    kinds = ["mass", "inertia", "gravity", "joint_anchor", "damping", "timestep"]
    if "wind" in medium or medium == "viscous":
        with pytest.raises(ValueError, match="joint_axis"):
            sim.parameter("joint_axis")
    else:
        kinds.append("joint_axis")
    with pytest.raises(ValueError, match="'com' is not available in a medium"):
        sim.linearize(state, parameters=["com"])
    lin = sim.linearize(state, np.zeros(0), kappa=1e-4, parameters=kinds)
    for kind in kinds:
        scale = directions(sim.world, sim._acting, sim.timestep, (kind,)).scale
        values = sim.parameter(kind).value

        def central(step, kind=kind, values=values, scale=scale):
            ends = []
            for sign in (1, -1):
                change = np.zeros(values.size)
                change[k] = sign * step * scale[k]
                other = sim.with_parameters({kind: values.ravel() + change})
                end = other.step(other.initial_state(state.qpos, state.qvel), np.zeros(0), kappa=1e-4)
                assert end.solved
                ends.append(end.state)
            moved = sim.model.difference(ends[0].qpos, ends[1].qpos)
            return np.concatenate([moved, ends[0].qvel - ends[1].qvel]) / (2 * step)

        columns = lin.parameters[kind] * scale
        for k in range(0, len(scale), 4):
            off = np.abs(columns[:, k] - ridders(central, 1e-2)[0]).max() / max(np.abs(columns).max(), 1e-3)
            worst[kind] = max(worst.get(kind, 0.0), off)
    assert max(worst.values()) < 1e-6, worst  # 3e-8
