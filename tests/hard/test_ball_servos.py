"""Servos of ball joints in hard steps: beside the wheel as h → 0 and the soft mode; stiff gains; derivatives beside differences."""

import dataclasses

import mujoco
import numpy as np
import pytest
from as_h_vanishes import STEPS, convergence
from default_run import pairs, some
from differences import compare, tight
from random_ball_servos import KINDS, model_text, start_of
from test_parameters import differences, with_room

from dojo_py import HardOptions, HardSimulator, SoftSimulator, load_model
from dojo_py.hard.parameters.registry import PARAMETER_NAMES, directions

SEEDS = range(8)
SMOOTH = tuple(kind for kind in KINDS if kind != "muscle")
DURATION = 0.1


def wheel_after(text, qpos, qvel, act, control):
    """qpos, act of the wheel's RK4 with a step of 0.1 ms after DURATION."""
    wheel = mujoco.MjModel.from_xml_string(text)
    wheel.opt.timestep, wheel.opt.tolerance = 1e-4, 0.0
    data = mujoco.MjData(wheel)
    data.qpos[:], data.qvel[:], data.act[:], data.ctrl[:] = qpos, qvel, act, control
    for _ in range(round(DURATION / wheel.opt.timestep)):
        mujoco.mj_step(wheel, data)
    return data.qpos.copy()


@pytest.mark.parametrize("seed", SEEDS)
def test_motion_is_the_wheels_to_first_order(seed):
    """Measured over the seeds: order 0.95 … 1.01, twice extrapolated 4.6e-5 rad (m), where a force reaches its bound; else 5e-7."""
    text = model_text(seed, early=False)
    model = load_model(text)
    qpos, qvel, act, control = start_of(model, seed)
    exact = wheel_after(text, qpos, qvel, act, control)
    ends = []
    for h in STEPS:
        sim = HardSimulator(model, timestep=h)
        traj = sim.rollout(sim.initial_state(qpos, qvel, act=act), np.tile(control, (round(DURATION / h), 1)))
        assert np.all(traj.status == 0) and np.all(traj.substeps == 1)
        ends.append(traj.qpos[-1])
    found = convergence(model, qpos, exact, ends)
    print(f"{seed}: {found}")
    assert abs(found.order - 1.0) < 0.15 and found.extrapolated < 1e-4 * max(1.0, found.moved)


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_are_the_soft_modes(seed):
    """Forces, lengths and rates of the first step, extrapolated to h = 0. Measured: 1.5e-8."""
    model = load_model(model_text(seed))
    qpos, qvel, act, control = start_of(model, seed)

    def sensed(kind, h):
        sim = kind(model.replace(opt=dataclasses.replace(model.opt, timestep=h)))
        return sim.step(sim.initial_state(qpos, qvel, act=act), control).sensordata

    ours, theirs = (2.0 * sensed(kind, 5e-8) - sensed(kind, 1e-7) for kind in (HardSimulator, SoftSimulator))
    off = np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())
    print(f"{seed}: {off:.1e} of {np.abs(theirs).max():.1f}")
    assert off < 1e-5


@pytest.mark.parametrize(("seed", "kappa"), pairs(SEEDS, (1e-2, 3e-4), row=0, column=3e-4))
def test_derivatives_are_the_differences_of_steps(seed, kappa):
    """With limits, and contacts of every other model. Measured: A 1.2e-8 (a muscle), B 7e-10."""
    model = load_model(model_text(seed, contact=seed % 2 == 0, limits=True))
    sim = tight(model, 0.01)
    qpos, qvel, act, control = start_of(model, seed)
    found = compare(sim, sim.initial_state(qpos, qvel, act=act), control, kappa)
    print(f"{seed} {kappa:g}: A {found.A:.1e}, B {found.B:.1e}, differences {found.estimate:.1e}")
    assert found.A < 1e-6 and found.B < 1e-6


@pytest.mark.parametrize("springs", ["midpoint", "implicit", "explicit"])
def test_derivatives_at_all_places_of_springs(springs):
    """Measured: A 2.2e-10, B 2.0e-10."""
    model = load_model(model_text(2))
    sim = tight(model, 0.01)
    sim = HardSimulator(model, timestep=0.01, options=dataclasses.replace(sim.options, springs=springs))
    qpos, qvel, act, control = start_of(model, 2)
    found = compare(sim, sim.initial_state(qpos, qvel, act=act), control, 1e-3)
    print(f"{springs}: A {found.A:.1e}, B {found.B:.1e}")
    assert found.A < 1e-6 and found.B < 1e-6


SHARE = 0.3
"""Of the columns of a kind of parameters that are compared."""


@pytest.mark.parametrize("part", some(["first", "others"], ["first"]))
@pytest.mark.parametrize("seed", some(SEEDS, range(4)))
def test_parameters_are_the_differences_of_steps(seed, part):
    """By default one number of a kind, in half of the models. Measured: 5.7e-8."""
    kappa, model = 1e-3, load_model(model_text(seed, contact=seed % 2 == 0, limits=True))
    sim = with_room(tight(model, 0.01))
    qpos, qvel, act, control = start_of(model, seed)
    kinds = [k for k in PARAMETER_NAMES if sim.parameter(k).size]
    assert {"gear", "biasprm", "mass", "timestep"} <= set(kinds)
    lin = sim.linearize(sim.initial_state(qpos, qvel, act=act), control, kappa=kappa, parameters=kinds)
    rng, worst = np.random.default_rng(seed), 0.0
    for kind in kinds:
        scale = directions(sim.world, sim.model, sim.timestep, (kind,)).scale
        columns = lin.parameters[kind] * scale
        for k in rng.permutation(len(scale))[: int(np.ceil(SHARE * len(scale)))][slice(1) if part == "first" else slice(1, None)]:
            exact = differences(sim, qpos, qvel, control, kind, k, scale[k], kappa, act=act)
            off = np.abs(columns[:, k] - exact).max() / max(np.abs(columns).max(), 1e-3)
            assert off < 1e-6, f"{kind} {k}: {off:.1e}"
            worst = max(worst, off)
    print(f"{seed}: {worst:.1e}")


TWO = """<mujoco><option gravity="0 0 0"/>
<default><geom type="box" size=".1 .05 .02" pos=".1 0 0" contype="0" conaffinity="0"/></default><worldbody>
<body name="a"><freejoint/><geom/><body name="b" pos="0 .1 0"><joint name="j" type="ball"/><geom/></body></body></worldbody>
<actuator>{}</actuator></mujoco>"""
THREE = "".join(f'<{{0}} joint="j" gear="{gear}" {{1}}/>' for gear in ("1 0 0", "0 1 0", "0 0 1"))


@pytest.mark.parametrize("bound", ["", 'forcerange="-.1 .1"'])
def test_momentum_is_kept_between_two_free_bodies(bound):
    """Measured: 1.6e-14 N m s, while the servos turn the bodies at 60 and 28 rad/s."""
    sim = HardSimulator(load_model(TWO.format(THREE.format("position", f'kp="3" kv=".05" {bound}'))), timestep=0.005)
    rng = np.random.default_rng(1)
    state = sim.initial_state(qvel=rng.standard_normal(9))
    controls = np.repeat(0.7 * rng.standard_normal((10, 3)), 30, axis=0)
    traj = sim.rollout(state, controls)
    assert np.all(traj.status == 0) and traj.substeps.max() == 1
    lost = np.abs(np.asarray(sim.momentum(traj.final_state)) - np.asarray(sim.momentum(state))).max()
    print(f"{bound}: {lost:.1e}, {np.abs(traj.qvel).max():.1f}")
    assert lost < 1e-11


STIFF = ('kp="1e3" kv="1"', 'kp="1e6" kv="1e3"', 'kp="1e6" kv="1e3" forcerange="-2 2"')


@pytest.mark.parametrize("timestep", [0.001, 0.01, 0.02])
@pytest.mark.parametrize("gains", STIFF)
def test_stiff_gains_stay_stable(gains, timestep):
    """The servos hold the ball at 1 rad. With the mean of three lengths it oscillated ever more (see ball_servos.py).

    Measured: 4 iterations, 26 where forces are bounded; off by the torque of the free bodies' tumbling over kp, 1e-5 and 1e-8 rad.
    """
    sim = HardSimulator(load_model(TWO.format(THREE.format("position", gains))), timestep=timestep)
    rng = np.random.default_rng(3)
    wanted = 0.3 * rng.standard_normal(3)
    ramp = np.minimum(np.arange(400) * timestep / 0.3, 1.0)[:, None] * wanted
    traj = sim.rollout(sim.initial_state(qvel=rng.standard_normal(9)), ramp)
    q = traj.qpos[-1, 7:]
    length = 2.0 * np.arctan2(np.linalg.norm(q[1:]), q[0]) * q[1:] / np.linalg.norm(q[1:])
    print(gains, timestep, traj.iterations.max(), np.abs(length - wanted).max(), np.abs(traj.qvel[-1, 6:]).max())
    assert np.all(traj.status == 0) and traj.iterations.max() <= 60
    assert np.abs(length - wanted).max() < 1e-4


@pytest.mark.parametrize("element", ["velocity", "damper"])
@pytest.mark.parametrize("timestep", [0.0005, 0.01])
def test_stiff_dampers_stay_stable(element, timestep):
    """Explicit steps need kv h / I < 2; it is 3e6 here. Measured: 2.4e-9 rad/s, the torque of the tumbling over kv."""
    sim = HardSimulator(load_model(TWO.format(THREE.format(element, 'kv="1e6" ctrlrange="0 1"'))), timestep=timestep)
    state = sim.initial_state(qvel=np.random.default_rng(5).standard_normal(9))
    traj = sim.rollout(state, np.full((50, 3), 1.0 if element == "damper" else 0.0))
    print(element, timestep, traj.iterations.max(), np.abs(traj.qvel[-1, 6:]).max())
    assert np.all(traj.status == 0) and np.abs(traj.qvel[-1, 6:]).max() < 1e-7


@pytest.mark.parametrize("frame", ["joint", "jointinparent"])
def test_one_axis_moves_like_a_hinge(frame):
    """A ball that a servo turns about a principal axis moves as a hinge with the same servo, where `springs` is implicit.

    Measured: 9e-14 of 40 rad/s.
    """
    body = '<body><joint name="j" {}/><geom type="box" size=".1 .05 .02" contype="0" conaffinity="0"/></body>'
    file = '<mujoco><option gravity="0 0 0"/><worldbody>{}</worldbody><actuator>{}</actuator></mujoco>'
    servo = '<position {}="j" gear="{}" kp="40" kv=".3" forcerange="-3 3"/>'
    options = HardOptions(springs="implicit")
    on_ball, on_hinge = body.format('type="ball"'), body.format('axis="0 0 1"')
    ball = HardSimulator(load_model(file.format(on_ball, servo.format(frame, "0 0 2"))), timestep=0.02, options=options)
    hinge = HardSimulator(load_model(file.format(on_hinge, servo.format("joint", "2"))), timestep=0.02, options=options)
    controls = np.concatenate([np.full((60, 1), 2.0), np.full((60, 1), -1.5)])
    one = ball.rollout(ball.initial_state(qvel=np.array([0.0, 0.0, 5.0])), controls)
    two = hinge.rollout(hinge.initial_state(qvel=np.array([5.0])), controls)
    off = np.abs(one.qvel[:, 2] - two.qvel[:, 0]).max()
    print(f"{frame}: {off:.1e} of {np.abs(two.qvel).max():.1f}")
    assert off < 1e-9 and np.all(one.status == 0)


def test_reverse_mode_and_divided_steps():
    """At 60 rad/s steps of 0.05 s are divided; a roll-out's reverse mode is the product of its steps' derivatives.

    Measured: A and B 1.7e-11; 5e-15 of the largest entry.
    """
    sim = tight(load_model(TWO.format(THREE.format("position", 'kp="3" kv=".02" forcerange="-2 2"'))), 0.05)
    rng = np.random.default_rng(2)
    state, control = sim.initial_state(qvel=rng.standard_normal(9) + [0, 0, 0, 0, 0, 0, 60.0, 0, 0]), np.array([0.5, -0.2, 0.3])
    assert sim.step(state, control, kappa=1e-3).substeps > 1
    found = compare(sim, state, control, 1e-3)
    print(f"A {found.A:.1e}, B {found.B:.1e}, differences {found.estimate:.1e}")
    assert found.A < 1e-6 and found.B < 1e-6
    traj = sim.rollout(state, np.tile(control, (6, 1)), kappa=1e-3)
    weights = rng.standard_normal(2 * sim.model.nv)
    back, after, off = sim.rollout_vjp(traj, weights), weights, []
    for t in range(5, -1, -1):
        lin = sim.linearize(traj.state(t), control, kappa=1e-3)
        off.append(np.abs(back.control[t] - lin.B.T @ after).max() / np.abs(back.control).max())
        after = lin.A.T @ after
    off.append(np.abs(back.state - after).max() / np.abs(after).max())
    print(f"{max(off):.1e}")
    assert max(off) < 1e-8
