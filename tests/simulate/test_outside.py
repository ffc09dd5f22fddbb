"""Wrenches and joint forces from outside in both modes: the wheel's, an actuator's of the same force, derivatives, every call."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_model

TREE = """<mujoco><option timestep=".004" integrator="{}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <geom type="plane" size="5 5 1" contype="1"/>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 .05" euler="10 20 0" conaffinity="1"/>
    <body pos=".3 0 0"><joint axis="1 2 0" damping=".1"/><joint type="slide" axis="0 1 1"/>
      <geom type="capsule" size=".05 .1" pos="0 .1 0"/>
      <body pos=".2 0 0" euler="0 30 0"><joint type="ball"/><geom type="capsule" size=".03 .1" pos="0 0 .1"/></body></body></body>
  <body pos="0 1 1"><joint name="j" axis="0 1 0"/><geom type="box" size=".1 .02 .2" pos=".1 0 0"/>
    <body pos=".3 0 0"><geom size=".1"/></body></body>
  </worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
STEPS = 60


def loads(model, seed=0):
    rng = np.random.default_rng(seed)
    wrenches = 0.5 * rng.normal(size=(STEPS, model.nbody, 6))
    return wrenches, 0.1 * rng.normal(size=(STEPS, model.nv))


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_soft_motion_is_the_wheels(integrator):
    text = TREE.format(integrator)
    theirs = mujoco.MjModel.from_xml_string(text)
    data, sim = mujoco.MjData(theirs), SoftSimulator(load_model(text))
    wrenches, joint_forces = loads(theirs)
    traj = sim.rollout(sim.initial_state(), np.zeros((STEPS, 1)), wrenches=wrenches, joint_forces=joint_forces)
    for t in range(STEPS):
        data.xfrc_applied[:], data.qfrc_applied[:] = wrenches[t], joint_forces[t]
        mujoco.mj_step(theirs, data)
        assert np.abs(traj.qpos[t + 1] - data.qpos).max() < 1e-10  # 5e-14
    assert np.abs(traj.qvel[-1] - data.qvel).max() < 1e-10


@pytest.mark.parametrize("kind", [HardSimulator, SoftSimulator])
def test_every_call_takes_them(kind):
    model = load_model(TREE.format("Euler"))
    sim = kind(model)
    wrenches, joint_forces = loads(model)
    start, u = sim.initial_state(), np.zeros((5, 1))
    both = {"wrenches": wrenches[:5], "joint_forces": joint_forces[:5]}
    traj = sim.rollout(start, u, **both, linearize=True)
    pair = sim.rollout_batch(start, np.stack([u, u]), threads=2, **both)
    assert all(np.array_equal(one.qpos, traj.qpos) for one in pair)
    state = start
    for t in range(5):
        lin = sim.linearize(state, u[t], wrenches=wrenches[t], joint_forces=joint_forces[t])
        assert np.allclose(lin.A, traj.A[t], atol=1e-6)
        state = sim.step(state, u[t], wrenches=wrenches[t], joint_forces=joint_forces[t]).state
        assert np.abs(state.qpos - traj.qpos[t + 1]).max() < 1e-9
    held = sim.rollout(start, u, wrenches=wrenches[0], joint_forces=joint_forces[0])
    rows = sim.rollout(start, u, wrenches=np.tile(wrenches[0], (5, 1, 1)), joint_forces=np.tile(joint_forces[0], (5, 1)))
    assert np.array_equal(held.qpos, rows.qpos)
    for wrong in (np.zeros(model.nv + 1), np.zeros((4, model.nv)), "1", np.full(model.nv, np.nan)):
        with pytest.raises(ValueError, match="joint_forces"):
            sim.rollout(start, u, joint_forces=wrong)
    with pytest.raises(ValueError, match="wrenches"):
        sim.step(start, wrenches=np.zeros((2, 6)))


def test_a_joint_force_is_a_motors():
    model = load_model(TREE.format("Euler"))
    sim = HardSimulator(model)
    force = np.zeros((STEPS, model.nv))
    force[:, -1] = 0.3 * np.sin(np.arange(STEPS))
    by_motor = sim.rollout(sim.initial_state(), force[:, -1:])
    by_force = sim.rollout(sim.initial_state(), np.zeros((STEPS, 1)), joint_forces=force)
    assert np.array_equal(by_motor.qpos, by_force.qpos)


def test_a_free_joints_force_acts_at_its_origin():
    """As the wrench about the centre of mass that the wheel makes of the same six numbers."""
    text = TREE.format("Euler")
    model, theirs = load_model(text), mujoco.MjModel.from_xml_string(text)
    sim, data = HardSimulator(model), mujoco.MjData(theirs)
    state = sim.initial_state(model.integrate(model.qpos0, 0.3 * np.arange(model.nv)))
    data.qpos[:] = state.qpos
    mujoco.mj_forward(theirs, data)
    six = np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.4])
    R, arm = data.xmat[1].reshape(3, 3), data.xpos[1] - data.xipos[1]
    wrench = np.zeros((model.nbody, 6))
    wrench[1] = np.concatenate([six[:3], np.cross(arm, six[:3]) + R @ six[3:]])
    force = np.concatenate([six, np.zeros(model.nv - 6)])
    a, b = sim.step(state, wrenches=wrench).state, sim.step(state, joint_forces=force).state
    assert np.abs(a.qvel - b.qvel).max() < 1e-12  # 3e-16


def test_hard_derivatives_under_joint_forces():
    from dojo_py import HardOptions

    model = load_model(TREE.format("Euler"))
    sim = HardSimulator(model, options=HardOptions(residual_tolerance=1e-11, complementarity_tolerance=1e-14))
    rng = np.random.default_rng(3)
    state = sim.initial_state(model.integrate(model.qpos0, 0.3 * rng.normal(size=model.nv)), rng.normal(size=model.nv))
    loaded = {"joint_forces": rng.normal(size=model.nv), "wrenches": rng.normal(size=(model.nbody, 6))}
    kinds = ["timestep", "com", "joint_anchor"]
    lin = sim.linearize(state, kappa=1e-3, parameters=kinds, **loaded)
    nv, step = model.nv, 1e-5

    def end(simulator, qpos, qvel):
        return simulator.step(simulator.initial_state(qpos, qvel), kappa=1e-3, **loaded).state

    def slope(one, two):
        return np.concatenate([model.difference(one.qpos, two.qpos), one.qvel - two.qvel]) / (2 * step)

    for i in range(nv):
        e = step * np.eye(nv)[i]
        by_q = slope(end(sim, model.integrate(state.qpos, e), state.qvel), end(sim, model.integrate(state.qpos, -e), state.qvel))
        assert np.abs(by_q - lin.A[:, i]).max() < 2e-6 * max(1.0, np.abs(by_q).max())  # 5e-8: of differences
    for kind in kinds:
        value = sim.parameter(kind).value
        scale = 0.01 if kind == "timestep" else 1.0
        for k in range(0, value.size, 4):
            e = scale * step * np.eye(value.size)[k]
            sims = [sim.with_parameters({kind: value.ravel() + s * e}) for s in (1, -1)]
            exact = slope(*(end(s, state.qpos, state.qvel) for s in sims)) / scale
            assert np.abs(exact - lin.parameters[kind][:, k]).max() < 2e-6 * max(1.0, np.abs(exact).max()), (kind, k)  # 2e-7


def test_reverse_mode_under_joint_forces():
    model = load_model(TREE.format("Euler"))
    sim = HardSimulator(model)
    wrenches, joint_forces = loads(model)
    both = {"wrenches": wrenches[:6], "joint_forces": joint_forces[:6]}
    plain = sim.rollout(sim.initial_state(), np.zeros((6, 1)), kappa=1e-3, **both)
    whole = sim.rollout(sim.initial_state(), np.zeros((6, 1)), kappa=1e-3, linearize=True, **both)
    c = np.random.default_rng(0).normal(size=2 * model.nv)
    one, two = sim.rollout_vjp(plain, c, **both), sim.rollout_vjp(whole, c)
    assert np.abs(one.state - two.state).max() < 1e-9 * np.abs(two.state).max()  # 3e-13
    with pytest.raises(ValueError, match="joint forces"):
        sim.rollout_vjp(plain, c, wrenches=wrenches[:6])
