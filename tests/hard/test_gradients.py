"""A and B of the hard step, at a chosen κ, against central differences of `step(kappa=κ)`.

Bound 1e-6; how errors are scaled and what the differences themselves are good for: differences.py. A case counts where the
differences' own estimated error is below 1e-7, which is asserted. The worst measured stand beside the bounds; -s prints all.
"""

from functools import cache

import numpy as np
import pytest
from default_run import in_turn
from differences import FIRST_STEP, compare, moved, ridders, tangent, tight
from gradient_scenes import SCENES, start
from gradient_situations import CASES, situation

from dojo_py import HardSimulator, Status, load_model

KAPPAS = (1e-2, 3e-4, 1e-6)
BOUND, ORACLE = 1e-6, 1e-7
TIMESTEP = 0.01


def simulator(name):
    return tight(load_model(name), TIMESTEP)


def check(label, result):
    print(
        f"{label}: A {result.A:.1e} B {result.B:.1e} (bound {BOUND:.0e}, worst column {result.column}); "
        f"differences {result.estimate:.0e}"
    )
    assert result.estimate <= ORACLE, "the differences are not good enough to judge by"
    assert max(result.A, result.B) <= BOUND


def compare_scene(scene, kappa, seed):
    sim = tight(load_model(scene.text), scene.timestep, friction=scene.friction)
    state, control, wrenches = start(sim, scene, seed)
    return compare(sim, state, control, kappa, wrenches)


@pytest.mark.parametrize(("scene", "kappa"), in_turn(SCENES, KAPPAS))
def test_scenes(scene, kappa):
    """Measured: 8e-7 (capsules of which one is fixed, κ 1e-2), 90 % below 5e-9."""
    for seed in range(2):
        check(f"{scene} κ {kappa:g} seed {seed}", compare_scene(SCENES[scene], kappa, seed))


def model_cases():
    """Every model, situation and κ; by default one κ of each, of what takes seconds two situations."""
    for at, (name, kind) in enumerate(CASES):
        for k, kappa in enumerate(KAPPAS):
            kept = kappa == 3e-4 if name in ("humanoid", "atlas") else k == at % len(KAPPAS)
            long = not kept or name == "atlas" and kind not in ("impact", "limit")
            yield pytest.param(name, kind, kappa, marks=[pytest.mark.slow] if long else [])


@pytest.mark.parametrize("name, kind, kappa", list(model_cases()))
def test_models(name, kind, kappa):
    """Measured: 5e-7 (quadrotor on its feet, κ 3e-4), 90 % below 5e-9."""
    sim = simulator(name)
    state, control = situation(sim, kind)
    check(f"{name} {kind} κ {kappa:g}", compare(sim, state, control, kappa))


HIP = """<mujoco><worldbody><body pos="0 0 1"><joint axis="1 0 0"/><geom type="box" size=".1 .1 .1" mass="1"/><body pos=".3 0 0">
  <joint axis="1 0 0"/><joint axis="0 1 0"/>{}<geom type="box" size=".1 .2 .15" pos="{}" mass="1"/></body></body></worldbody>
  </mujoco>"""
ALIGNED = {
    "two hinges, lever": HIP.format("", ".2 0 .2"),
    "two hinges": HIP.format("", ".1 .1 .1"),
    "three hinges": HIP.format('<joint axis="0 0 1"/>', ".1 .1 .1"),
    "humanoid": "humanoid",
}


@pytest.mark.parametrize("name", ALIGNED)
def test_joints_along_the_axes(name):
    """Several hinges in a body where equally good directions complete their screws: the choice must not switch within a difference.

    Measured: 3.3e-10 (1.4e-3 when it does).
    """
    sim = tight(load_model(ALIGNED[name]), TIMESTEP)
    check(name, compare(sim, sim.initial_state(), np.zeros(sim.model.nu), 3e-4))


# whole roll-outs

ROLLOUTS = ("box", "raibert_hopper", "hopper", "quadruped", "half_cheetah", "ant")
STEPS, CHAIN_BOUND = 50, 1e-5


def rolled(name, kappa, steps=STEPS, seed=0):
    """A simulator, and a linearised roll-out from the ground with small controls."""
    sim = simulator(name)
    start_state, _ = situation(sim, "sticking", seed)
    low, high = np.array(sim.model.actuator_ctrlrange).T
    controls = 0.05 * (high - low) * np.random.default_rng(seed).uniform(-0.5, 0.5, (steps, sim.model.nu))
    traj = sim.rollout(start_state, controls, kappa=kappa, linearize=True)
    assert traj.unsolved == 0 and not traj.gradient_status.any()
    return sim, traj


def push_forward(traj, dz, du):
    """Tangent of the last state [δq, δv] from that of the first and of the controls."""
    for A, B, u in zip(traj.A, traj.B, du, strict=True):
        dz = A @ dz + B @ u
    return dz


@pytest.mark.parametrize(("name", "kappa"), in_turn(ROLLOUTS, (3e-4, 1e-6)))
def test_fifty_linearised_steps_are_the_derivative_of_the_rollout(name, kappa):
    """Random directions of the first state and of all controls, relative to the size of the result."""
    sim, traj = rolled(name, kappa)
    m, h, rng = sim.model, sim.timestep, np.random.default_rng(1)
    weights = np.concatenate([np.ones(m.nv), np.full(m.nv, h)])
    assert np.mean(traj.min_gap < 0.02) > 0.5
    worst = oracle = 0.0
    for which in ("state", "control"):
        dz, du = np.zeros(2 * m.nv), np.zeros_like(traj.control)
        if which == "state":
            dz = rng.normal(size=2 * m.nv) / weights
        else:
            du = rng.normal(size=du.shape) * np.ptp(traj.control, axis=0)
        ours = weights * push_forward(traj, dz, du)
        size = np.abs(ours).max()

        def central(step, dz=dz / size, du=du / size):
            ends = [
                sim.rollout(moved(m, traj.state(0), dz, amount), traj.control + amount * du, kappa=kappa).final_state
                for amount in (step, -step)
            ]
            return (tangent(m, ends[0], traj.final_state, h) - tangent(m, ends[1], traj.final_state, h)) / (2 * step)

        found, error = ridders(central, FIRST_STEP)
        worst, oracle = max(worst, np.abs(found - ours / size).max()), max(oracle, error)
    print(f"{name} κ {kappa:g}: chain of {STEPS} {worst:.1e} (bound {CHAIN_BOUND:.0e}), differences {oracle:.0e}")
    assert oracle <= 0.1 * CHAIN_BOUND
    assert worst <= CHAIN_BOUND


@pytest.mark.parametrize("name", ["box", "quadruped", "fourbar"])
def test_reverse_mode_is_forward_mode(name):
    """Cotangents on the final state and on all states; forward: unit tangents pushed through A, B."""
    sim = HardSimulator(load_model(name), timestep=TIMESTEP)
    m, rng = sim.model, np.random.default_rng(0)
    controls = rng.uniform(-1, 1, (20, m.nu))
    traj = sim.rollout(sim.initial_state(keyframe=0), controls, linearize=True)
    every = rng.normal(size=(21, 2 * m.nv))
    final = np.zeros_like(every)
    final[-1] = every[-1]
    for given, full in ((every[-1], final), (every, every)):
        reverse = sim.rollout_vjp(traj, given)
        for k in range(-1, len(controls)):
            count = 2 * m.nv if k < 0 else m.nu
            forward = np.zeros(count)
            for i in range(count):
                unit = np.eye(count)[i]
                dz = unit if k < 0 else traj.B[k] @ unit
                total = full[max(k + 1, 0)] @ dz
                for j in range(max(k + 1, 0), len(controls)):
                    dz = traj.A[j] @ dz
                    total += full[j + 1] @ dz
                forward[i] = total
            ours = reverse.state if k < 0 else reverse.control[k]
            assert np.abs(ours - forward).max() <= 1e-10 * max(1.0, np.abs(forward).max())


DEEP = "deep overlap at the start"
AMPLIFIED = pytest.mark.xfail(
    strict=False, reason="bound 1e-10: 2e-12 to 1.02e-10 with the controls and the solver's way; at the edge by round-off"
)


@pytest.mark.parametrize("scene", [pytest.param(name, marks=AMPLIFIED if name == DEEP else ()) for name in SCENES])
def test_reverse_mode_needs_no_jacobians(scene):
    """One transposed solve a step against A and B, cotangents on all states, in the hard limit and at κ. Measured 1e-12."""
    scene = SCENES[scene]
    sim = HardSimulator(load_model(scene.text), scene.timestep, friction=scene.friction)
    state, control, wrenches = start(sim, scene, 0)
    controls = np.tile(control, (4, 1)) * np.linspace(1, 0.5, 4)[:, None]
    c = np.random.default_rng(0).normal(size=(5, 2 * sim.model.nv))
    for kappa in (None, 1e-3):
        plain = sim.rollout(state, controls, wrenches=wrenches, kappa=kappa)
        whole = sim.rollout(state, controls, wrenches=wrenches, kappa=kappa, linearize=True)
        assert np.array_equal(plain.qpos, whole.qpos)
        ours, theirs = sim.rollout_vjp(plain, c, wrenches=wrenches), sim.rollout_vjp(whole, c)
        assert np.array_equal(ours.status, theirs.status)
        for a, b in zip(ours[:2], theirs[:2], strict=True):
            error = np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0))
            print(f"κ {kappa}: {error:.1e}")
            assert error <= 1e-10


def test_reverse_mode_of_a_model_in_contact():
    sim = HardSimulator(load_model("quadruped"), timestep=TIMESTEP)
    m, rng = sim.model, np.random.default_rng(0)
    state, controls, c = sim.initial_state(keyframe=0), rng.uniform(-1, 1, (10, m.nu)), rng.normal(size=2 * m.nv)
    for more in ({}, {"kappa": 1e-3}):
        with_gradients = sim.rollout_vjp(sim.rollout(state, controls, linearize=True, **more), c)
        without = sim.rollout_vjp(sim.rollout(state, controls, **more), c)
        for a, b in zip(with_gradients, without, strict=True):
            assert np.abs(a - b).max() <= 1e-10 * max(1.0, np.abs(a).max())
    other = sim.rollout_vjp(sim.rollout(state, controls), c, kappa=1e-2)
    assert not np.allclose(other.state, sim.rollout_vjp(sim.rollout(state, controls), c).state)


def test_reverse_mode_refuses_what_it_cannot_differentiate():
    sim = HardSimulator(load_model("box"), timestep=TIMESTEP)
    state, controls = sim.initial_state(keyframe=0), np.zeros((4, 3))
    push = np.zeros((2, 6))
    push[1, 2] = 20.0
    pushed = sim.rollout(state, controls, wrenches=push)
    with pytest.raises(ValueError, match="wrenches"):
        sim.rollout_vjp(pushed, np.ones(12))
    with pytest.raises(ValueError, match="timestep"):
        HardSimulator(sim.model, timestep=0.5 * TIMESTEP).rollout_vjp(pushed, np.ones(12), wrenches=push)
    assert sim.rollout_vjp(pushed, np.ones(12), wrenches=push).control.shape == (4, 3)
    with pytest.raises(ValueError, match=r"cotangents has shape \(11,\)"):
        sim.rollout_vjp(pushed, np.ones(11), wrenches=push)
    with pytest.raises(ValueError, match="finite"):
        sim.rollout_vjp(pushed, np.full(12, np.nan), wrenches=push)


def test_batches_with_gradients_are_loops_whatever_the_threads():
    sim = HardSimulator(load_model("quadruped"), timestep=TIMESTEP)
    state = sim.initial_state(keyframe=0)
    controls = np.random.default_rng(0).uniform(-1, 1, (3, 10, sim.model.nu))
    loop = [sim.rollout(state, u, linearize=True) for u in controls]
    for threads in (1, 2):
        for a, b in zip(loop, sim.rollout_batch(state, controls, threads=threads, linearize=True), strict=True):
            assert np.array_equal(a.A, b.A) and np.array_equal(a.B, b.B)
            assert np.array_equal(a.gradient_status, b.gradient_status)


# what must show in A


@pytest.mark.parametrize("name", ["raibert_hopper", "quadrotor"])
def test_forces_that_turn_with_the_body_are_in_A(name):
    """In flight A depends on the control only through them: this part is far above the bound that `test_models` holds."""
    sim = simulator(name)
    state, control = situation(sim, "flight")
    m = sim.model
    control = 0.5 * np.array(m.actuator_ctrlrange)[:, 1]
    scale = np.concatenate([np.ones(m.nv), np.full(m.nv, TIMESTEP)])
    with_force, without = (sim.linearize(state, u, kappa=1e-6).A for u in (control, 0 * control))
    part = np.abs(scale[:, None] * (with_force - without) / scale).max()
    result = compare(sim, state, control, 1e-6)
    print(f"{name}: A by forces that turn {part:.1e}; ", end="")
    check("all of A", result)
    assert part > 1e3 * BOUND


@pytest.mark.parametrize("name, kind", [("quadruped", "impact"), ("humanoid", "sticking"), ("box", "sliding"), ("panda", "limit")])
def test_linearize_reports_what_it_reached(name, kind):
    """κ from 1e-1 to 1e-8: solved, centred to κ/100 (measured: 1e-6 κ) and finite."""
    sim = HardSimulator(load_model(name), timestep=TIMESTEP)
    state, control = situation(sim, kind)
    for kappa in 10.0 ** np.arange(-1, -9, -1):
        lin = sim.linearize(state, control, kappa=kappa)
        assert lin.status is Status.SOLVED and lin.kappa == kappa
        assert lin.centring <= 1e-2 * kappa and lin.residual <= sim.options.residual_tolerance
        assert np.isfinite(lin.A).all() and np.isfinite(lin.B).all()


# what κ does

BALL = """<mujoco><worldbody><geom type="plane" size="0 0 1" friction=".5"/>
  <body><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <geom type="sphere" size=".1" mass="1" friction=".5"/></body></worldbody></mujoco>"""
"""A ball that cannot turn: v₊ = max(v - g h, -gap/h), in closed form."""


@cache
def ball_simulator():
    return tight(load_model(BALL), TIMESTEP)


def ball(kappa, gap, speed=(0.0, 0.0)):
    """A of one step of the ball at a gap, in scaled units: rates times h."""
    sim = ball_simulator()
    lin = sim.linearize(sim.initial_state(np.array([0.0, 0.1 + gap]), np.array(speed)), None, kappa=kappa)
    scale = np.array([1.0, 1.0, TIMESTEP, TIMESTEP])
    return scale[:, None] * lin.A / scale


def test_gradients_reach_through_the_air_and_are_smooth_at_touch_down():
    """κ 3e-4: the ball's next speed depends on its height before it touches, monotonically and without a jump (figure 4)."""
    fall = -1.0  # closes 0.011 m in this step
    gaps = np.linspace(0.0, 0.06, 601)
    slope = np.array([ball(3e-4, gap, (0.0, fall))[3, 1] for gap in gaps])
    first_clear = np.argmax(gaps > 0.011)  # from here on it does not reach the ground in this step
    before = slope[first_clear + 10]
    print(f"slope in contact {slope[0]:.3f}, 1 mm short of touching {before:.3f}, 49 mm {slope[-1]:.1e}; ", end="")
    print(f"largest jump in 0.1 mm {np.abs(np.diff(slope)).max():.4f}, second {np.abs(np.diff(slope, 2)).max():.0e}")
    assert np.all(slope < 0) and np.all(np.diff(slope) > 0)
    assert before < -0.1
    # hard contact jumps by 1; here the change is spread over sqrt(κ h / m) = 1.7 mm: 0.25 * 0.1 / 1.7 a sample
    assert np.abs(np.diff(slope)).max() < 2e-2
    assert np.abs(np.diff(slope, 2)).max() < 1e-3


@pytest.mark.parametrize(
    "gap, speed, row, column, pointwise",
    [
        (0.005, (0.0, -1.0), 3, 1, -1.0),  # touches: v₊ = -gap/h
        (0.005, (0.0, -1.0), 3, 3, 0.0),
        (0.03, (0.0, -1.0), 3, 1, 0.0),  # does not
        (0.03, (0.0, -1.0), 3, 3, 1.0),
        (0.0, (1.0, 0.0), 2, 2, 1.0),  # slides: friction is constant
        (0.0, (1e-3, 0.0), 2, 2, 0.0),  # sticks
        (0.0, (1.0, -1.0), 2, 3, 0.5),  # slides harder where it falls faster: μ
    ],
)
def test_gradients_tend_to_the_pointwise_ones(gap, speed, row, column, pointwise):
    kappas = 10.0 ** np.arange(-3, -11, -1)
    off = np.array([abs(ball(kappa, gap, speed)[row, column] - pointwise) for kappa in kappas])
    print(f"A[{row}, {column}] - {pointwise}: " + " ".join(f"{value:.0e}" for value in off))
    assert off[-1] < 1e-4
    assert np.all(np.diff(off[2:]) <= 1e-6)  # measured: 7e-7, where gaps of κ = 1e-10 meet their round-off


def test_outside_forces_on_a_merged_body_turn_with_their_arm():
    """A rod and a tip without joint, pulled and twisted at the tip: measured 9e-10; without the arm's turn 1e-2."""
    model = load_model(
        """<mujoco><worldbody><body pos="0 0 1"><joint type="hinge" axis="0 1 0"/><geom type="box" size=".1 .1 .1"/>
        <body pos=".5 0 .2"><geom type="sphere" size=".05"/></body></body></worldbody></mujoco>"""
    )
    sim, outside, h = HardSimulator(model, timestep=0.01), np.zeros((3, 6)), 1e-5
    outside[2] = 3.0, 1.0, -40.0, 0.0, 2.0, 0.0

    def end(angle, rate):
        state = sim.step(sim.initial_state([angle], [rate]), [], kappa=1e-3, wrenches=outside).state
        return np.concatenate([state.qpos, state.qvel])

    A = sim.linearize(sim.initial_state([0.3], [0.7]), [], kappa=1e-3, wrenches=outside).A
    expected = np.stack([end(0.3 + h, 0.7) - end(0.3 - h, 0.7), end(0.3, 0.7 + h) - end(0.3, 0.7 - h)], 1) / (2 * h)
    assert np.abs(A - expected).max() <= 1e-8
