"""`rollout_vjp` of the soft mode, and by parameters in the hard mode, beside Ridders' differences of roll-outs."""

import numpy as np
import pytest
from differences import ridders

import dojo_py
from dojo_py.simulate.status import Status

CONTACT = """<mujoco><option timestep=".004"/><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 .098"><freejoint/>
  <geom type="sphere" size=".1" mass=".5"/><body pos="0 0 .1"><joint name="ball" type="ball" damping=".05"/>
  <geom type="capsule" size=".03" fromto="0 0 0 .2 0 .1" mass=".2"/></body></body></worldbody><actuator>
  <general joint="ball" gear="0 1 .3" dyntype="filter" dynprm=".03" gainprm="2"/><motor joint="ball" gear="1 0 0"/></actuator>
  </mujoco>"""
SERVO = """<mujoco><option timestep=".01"/><worldbody><body><joint name="a" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass=".8"/><body pos="0 0 -.3"><joint name="b" axis="1 0 0" damping=".1"/>
  <geom type="capsule" size=".02" fromto="0 0 0 0 .1 -.25" mass=".4"/></body></body></worldbody><actuator>
  <pid name="servo" joint="a" kp="6" kv=".3" ki="4" imax="1" input="pos"/>
  <dcmotor name="motor" joint="b" motorconst=".5 .5" resistance="2" inductance=".03 0" gear="3"/>
  <muscle name="muscle" joint="b" lengthrange="-2 2" force="5" timeconst=".05 .08"/></actuator></mujoco>"""
KAPPA, STEPS = 1e-4, 8


def derivative(f, first):
    """Derivative of f at 0 by Ridders' extrapolated central differences."""
    return ridders(lambda e: np.array([(f(e) - f(-e)) / (2 * e)]), first)[0][0]


def moved(sim, state, move):
    """The state moved along [δq, δv, δact]."""
    nv = sim.model.nv
    qpos = sim.model.integrate(state.qpos, move[:nv])
    return sim.initial_state(qpos, state.qvel + move[nv : 2 * nv], act=state.act + move[2 * nv :])


def measured(model, weights, run, old):
    """Σ weights · [δq, δv, δact] of a trajectory beside the old one."""
    total = 0.0
    for t in range(len(weights)):
        dq = model.difference(run.qpos[t], old.qpos[t])
        total += weights[t] @ np.concatenate([dq, run.qvel[t] - old.qvel[t], run.act[t] - old.act[t]])
    return total


def situation(mode, text, seed=0, **options):
    sim = mode(dojo_py.load_model(text), **options)
    model, rng = sim.model, np.random.default_rng(seed)
    n = 2 * model.nv + model.na
    qpos = model.qpos0.copy()
    if text == SERVO:
        qpos = model.integrate(qpos, 0.3 * rng.standard_normal(model.nv))
    qvel = 0.3 * rng.standard_normal(model.nv)
    if text == CONTACT:
        qvel[2] = -0.2
    start = sim.initial_state(qpos, qvel, act=rng.uniform(0.1, 0.5, model.na))
    controls = rng.uniform(0.1, 0.9, (STEPS, model.nu))
    return sim, start, controls, rng.standard_normal((STEPS + 1, n)), rng


# the soft mode


@pytest.mark.parametrize("text", [CONTACT, SERVO], ids=["contact", "servos"])
def test_soft_roll_outs(text):
    """By the first state and the controls, with wrenches and joint forces; by A, B too. Measured: 2.2e-9."""
    tight = {"options": dojo_py.SoftOptions(tolerance=1e-14, iterations=200)}
    sim, start, controls, weights, rng = situation(dojo_py.SoftSimulator, text, **tight)
    model = sim.model
    outside = {"wrenches": 0.1 * rng.standard_normal((STEPS, model.nbody, 6)), "joint_forces": 0.1 * rng.standard_normal(model.nv)}
    plain = sim.rollout(start, controls, **outside)
    found = sim.rollout_vjp(plain, weights, **outside)
    assert found.state.shape == weights[0].shape and found.control.shape == controls.shape and not found.status.any()
    assert text == SERVO or np.all(plain.min_gap < 0.0)
    again = sim.rollout_vjp(sim.rollout(start, controls, linearize=True, **outside), weights)
    assert np.array_equal(found.state, again.state) and np.array_equal(found.control, again.control)
    x, u = rng.standard_normal(weights[0].shape), rng.standard_normal(controls.shape)
    for ours, f in (
        (found.state @ x, lambda e: sim.rollout(moved(sim, start, e * x), controls, **outside)),
        (np.sum(found.control * u), lambda e: sim.rollout(start, controls + e * u, **outside)),
    ):
        theirs = derivative(lambda e, f=f: measured(model, weights, f(e), plain), 1e-4)
        print(f"{abs(ours - theirs) / abs(theirs):.1e} (bound 1e-6)")
        assert ours == pytest.approx(theirs, rel=1e-6)
    last = sim.rollout_vjp(plain, weights[-1], **outside)
    alone = np.zeros_like(weights)
    alone[-1] = weights[-1]
    assert np.array_equal(last.state, sim.rollout_vjp(plain, alone, **outside).state)


def test_both_modes_agree_where_nothing_touches():
    """The same motion to first order in the time step, and its gradient. Measured: 8.1e-2 of its length at 4 ms, 1.2e-2 at 1 ms."""
    off = []
    for h in (4e-3, 1e-3):
        found = []
        for mode in (dojo_py.HardSimulator, dojo_py.SoftSimulator):
            sim, start, _, _, _ = situation(mode, SERVO, timestep=h)
            steps = round(0.04 / h)
            run = sim.rollout(start, np.full((steps, sim.model.nu), 0.5))
            found.append(sim.rollout_vjp(run, np.ones(2 * sim.model.nv + sim.model.na)).state)
        off.append(np.linalg.norm(found[0] - found[1]) / np.linalg.norm(found[1]))
    print(f"{off[0]:.1e}, {off[1]:.1e} (ratio {off[0] / off[1]:.1f})")
    assert off[1] < 2e-2 and off[0] / off[1] > 3.0


def test_late_controls_in_the_soft_mode():
    """By the controls that were sent. Measured: 4e-11."""
    text = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><general joint="hinge" delay=".01" nsample="3" dyntype="filter" dynprm=".05"/></actuator></mujoco>"""
    sim = dojo_py.SoftSimulator(dojo_py.load_model(text), timestep=0.005)
    rng, start = np.random.default_rng(0), sim.initial_state(act=[0.2])
    controls, weight = rng.standard_normal((STEPS, 1)), np.array([1.0, 0.3, -0.5])
    plain = sim.rollout(start, controls)
    found, u = sim.rollout_vjp(plain, weight).control, rng.standard_normal(controls.shape)
    every = np.zeros((STEPS + 1, 3))
    every[-1] = weight
    theirs = derivative(lambda e: measured(sim.model, every, sim.rollout(start, controls + e * u), plain), 1e-3)
    print(f"{abs(np.sum(found * u) - theirs) / abs(theirs):.1e} (bound 1e-7)")
    assert np.sum(found * u) == pytest.approx(theirs, rel=1e-7) and not found[-2:].any()


def test_what_the_soft_mode_refuses():
    sim, start, controls, weights, rng = situation(dojo_py.SoftSimulator, CONTACT)
    push = 0.1 * rng.standard_normal((sim.model.nbody, 6))
    pushed = sim.rollout(start, controls, wrenches=push)
    assert sim.rollout_vjp(pushed, weights, wrenches=push).control.shape == controls.shape
    with pytest.raises(ValueError, match="makes other states"):
        sim.rollout_vjp(pushed, weights)
    with pytest.raises(ValueError, match="its timestep is 0.004 s"):
        dojo_py.SoftSimulator(sim.model, timestep=0.002).rollout_vjp(pushed, weights)
    with pytest.raises(ValueError, match=r"expected \(19,\) on the final state"):
        sim.rollout_vjp(pushed, np.ones(18), wrenches=push)
    with pytest.raises(ValueError, match="parameters: it has no meaning in the soft mode"):
        sim.rollout_vjp(pushed, weights, wrenches=push, parameters=["mass"])
    with pytest.raises(ValueError, match="kappa"):
        sim.rollout_vjp(pushed, weights, kappa=-1.0, wrenches=push)
    with pytest.raises(TypeError, match="expected a Trajectory"):
        sim.rollout_vjp(None, weights)


def test_steps_without_a_derivative():
    """Nothing is carried through them, and their status says so."""
    sim, start, controls, weights, _ = situation(dojo_py.SoftSimulator, SERVO)
    run = sim.rollout(start, controls, linearize=True)
    run.A[3] = np.nan
    found = sim.rollout_vjp(run, weights)
    assert found.status[3] == Status.NOT_FINITE and found.status.sum() == found.status[3]
    assert not found.control[3].any() and np.isfinite(found.state).all() and found.control[2].any()


# parameters in the hard mode


NAMES = ["mass", "damping", "gear", "gainprm", "biasprm", "dynprm", "timestep"]


def test_hard_roll_outs_by_parameters():
    """Of actuators, whose numbers change activations, and others; each number. Measured: 5.2e-9 of the kind's largest entry."""
    sim, start, controls, weights, _ = situation(dojo_py.HardSimulator, SERVO)
    model = sim.model
    plain = sim.rollout(start, controls, kappa=KAPPA)
    found = sim.rollout_vjp(plain, weights, parameters=NAMES)
    assert not found.status.any() and list(found.parameters) == NAMES
    bare = sim.rollout_vjp(plain, weights)
    assert (
        len(bare) == 3 and np.allclose(bare.state, found.state, rtol=1e-9) and np.allclose(bare.control, found.control, rtol=1e-9)
    )
    recorded = sim.rollout(start, controls, kappa=KAPPA, parameters=NAMES)
    again = sim.rollout_vjp(recorded, weights, parameters=["gear", "dynprm"])
    assert all(np.array_equal(again.parameters[name], found.parameters[name]) for name in ("gear", "dynprm"))
    for name in NAMES:
        there = sim.parameter(name)
        values = there.value.ravel()
        scale = np.where(values != 0.0, np.abs(values), 1.0)
        largest = np.abs(found.parameters[name] * scale).max()
        assert found.parameters[name].shape == (there.size,)
        for k in range(there.size):

            def run(e, name=name, values=values, step=np.eye(len(values))[k] * scale[k]):
                other = sim.with_parameters({name: values + e * step})
                first = other.initial_state(start.qpos, start.qvel, act=start.act)
                return measured(model, weights, other.rollout(first, controls, kappa=KAPPA), plain)

            off = abs(found.parameters[name][k] * scale[k] - derivative(run, 1e-3)) / largest
            print(f"{name} {there.labels[k]}: {off:.1e} (bound 1e-7)")
            assert off < 1e-7


def test_what_parameters_in_reverse_refuse():
    sim, start, controls, weights, _ = situation(dojo_py.HardSimulator, SERVO)
    whole = sim.rollout(start, controls, kappa=KAPPA, linearize=True)
    with pytest.raises(ValueError, match=r"it holds A, B but no derivatives by \['mass'\]"):
        sim.rollout_vjp(whole, weights, parameters=["mass"])
    plain = sim.rollout(start, controls, kappa=KAPPA)
    with pytest.raises(ValueError, match="did you mean 'mass'"):
        sim.rollout_vjp(plain, weights, parameters=["mas"])
    with pytest.raises(TypeError, match="expected a list of names"):
        sim.rollout_vjp(plain, weights, parameters="mass")
    with pytest.raises(ValueError, match="makes other states"):
        sim.rollout_vjp(sim.rollout(start, controls, wrenches=np.full((3, 6), 0.1), kappa=KAPPA), weights, parameters=["mass"])
    none = sim.rollout_vjp(plain, weights, parameters=[])
    assert none.parameters == {} and np.allclose(none.state, sim.rollout_vjp(plain, weights).state, rtol=1e-9)


# numbers of actuators


def test_numbers_of_actuators_by_name():
    sim, *_ = situation(dojo_py.HardSimulator, SERVO)
    assert sim.parameter("gainprm:servo").labels == ("servo.0",) and sim.parameter("biasprm:servo").labels == tuple(
        f"servo.{k}" for k in range(3)
    )
    assert sim.parameter("dynprm:motor").labels == ("motor.0",), "the winding's time constant; without a controller no more"
    assert sim.parameter("gainprm:motor").labels == ("motor.0", "motor.1"), "resistance and constant"
    assert sim.parameter("dynprm:muscle").value == pytest.approx([0.05, 0.08])
    assert sim.parameter("gainprm:muscle").labels == tuple(f"muscle.{k}" for k in (0, 1, 2, 4, 5, 6, 7, 8))
    slower = sim.with_parameters({"dynprm:muscle.0": 0.5})
    ends = [s.step(s.initial_state(), [0.0, 0.0, 1.0]).state.act[-1] for s in (sim, slower)]
    assert ends[0] == pytest.approx(0.4) and ends[1] == pytest.approx(0.04)
    for name in ("dynprm:muscle.0", "dynprm:motor.0", "gainprm:servo.0"):
        with pytest.raises(ValueError, match=f"of '{name.partition(':')[2]}' must be positive"):
            sim.with_parameters({name: 0.0})
    with pytest.raises(ValueError, match="gainprm of 'servo.3' is not one of"):
        sim.parameter("gainprm:servo.3")


@pytest.mark.parametrize("vjp", [False, True])
def test_derivatives_of_steps_that_are_too_fast_say_so(vjp):
    """They were SINGULAR, which speaks of redundant joints: at |ω| h of 2 and more the matrix of a step has no square root."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".05" pos="0 0 -.05"/>
      </body></worldbody><actuator><motor joint="j" gear="100"/></actuator></mujoco>"""
    sim = dojo_py.HardSimulator(dojo_py.load_model(text), timestep=0.01, options=dojo_py.HardOptions(subdivisions=4))
    start, controls = sim.initial_state(), np.ones((6, 1))
    run = sim.rollout(start, controls, linearize=not vjp)
    assert Status.TOO_FAST in run.status, "the case"
    status = sim.rollout_vjp(run, np.ones((7, 2))).status if vjp else run.gradient_status
    assert Status.SINGULAR not in status and status[list(run.status).index(Status.TOO_FAST)] == Status.TOO_FAST


def test_another_kappa_than_that_of_recorded_derivatives_is_refused():
    """It was ignored."""
    sim = dojo_py.HardSimulator(dojo_py.load_model(SERVO))
    weights, controls = np.ones(2 * sim.model.nv + sim.model.na), np.zeros((3, sim.model.nu))
    run = sim.rollout(sim.initial_state(), controls, linearize=True, gradient_kappa=1e-3)
    assert np.array_equal(sim.rollout_vjp(run, weights, kappa=1e-3).control, sim.rollout_vjp(run, weights).control)
    with pytest.raises(ValueError, match="kappa=0.01: the trajectory holds A, B at kappa=0.001.*gradient_kappa=0.01"):
        sim.rollout_vjp(run, weights, kappa=1e-2)
