"""Activations in A, B and `rollout_vjp`: beside differences of the hard step at the same κ, and beside MuJoCo in the soft mode."""

import mujoco
import numpy as np
import pytest
import test_actuator_derivatives
from default_run import some
from differences import ridders, tight

import dojo_py
from dojo_py.hard.parameters.registry import directions
from dojo_py.identification.data import Recording
from dojo_py.identification.segments import Kappas, Segment, predict
from dojo_py.identification.unknowns import Unknown, Unknowns

KAPPA = 1e-4
EPSILON = 2e-4
ARM = test_actuator_derivatives.ARM.replace("<mujoco>", '<mujoco><option timestep=".01" integrator="implicitfast"/>')
MOTOR = 'motorconst=".5 .5" resistance="2"'
CASES = {
    "integrator": '<general joint="a" dyntype="integrator" gainprm="3"/><general joint="b" dyntype="integrator" gear="-2"/>',
    "filters": (
        '<general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/><motor joint="b"/>'
        '<general joint="b" dyntype="filterexact" dynprm=".02" gear="2"/>'
    ),
    "next activation acts": (
        '<general joint="a" dyntype="filter" dynprm=".05" actearly="true" gainprm="3"/>'
        '<general joint="b" dyntype="filterexact" dynprm=".02" actearly="true"/>'
        '<general joint="b" dyntype="integrator" actearly="true"/>'
    ),
    "affine gain": (
        '<general joint="a" dyntype="filter" dynprm=".05" gaintype="affine" gainprm="2 3 -4"'
        ' biastype="affine" biasprm=".5 -3 -.7"/>'
    ),
    "integrated velocity": (
        '<intvelocity joint="a" kp="20" kv="1" actrange="-2 2"/><intvelocity joint="b" kp="5" actrange="-.1 .1" ctrlrange="-1 1"/>'
    ),
    "muscles": '<muscle joint="a" lengthrange="-1.5 1.5" force="30"/><muscle joint="b" gear="-2" lengthrange="-3 3" force="8"/>',
    "smooth muscle": '<muscle joint="a" lengthrange="-1.5 1.5" force="30" tausmooth=".3"/>',
    "site": '<general site="pin" gear="0 6 20 0 -1 0" dyntype="filter" dynprm=".05" actearly="true"/><motor joint="b"/>',
    "site beside another": '<general site="tip" refsite="rail" gear="1 2 0 0 0 1" dyntype="filter" dynprm=".05" gainprm="9"/>',
    "ball": '<general joint="c" gear=".3 .2 .4" dyntype="integrator" gainprm="2"/>',
    "servo of a ball": '<position joint="c" kp="2" kv=".1" gear=".3 0 .2" timeconst=".04"/>',
    "bounded force": '<general joint="a" dyntype="filter" dynprm=".05" gainprm="100" forcerange="-.1 .1"/>',
    "pid": '<pid joint="a" kp="20" kv="1" ki="9" imax="1" slewmax="90" input="pos vel ff"/>',
    "pid, slow": '<pid joint="a" kp="20" kv="1" ki="9" imax="1" slewmax=".2" input="pos"/>',
    "pid on a site": '<pid site="tip" refsite="rail" gear="1 2 0 0 0 0" kp="20" kv="1" ki="9" imax="1"/>',
    "motor": f'<dcmotor joint="a" {MOTOR} inductance=".01 0" gear="3"/>',
    "motor with all": f"""<dcmotor joint="a" {MOTOR} gear="5" input="pos vel ff voltage" controller="3 2 .2 50 .1 12"
        inductance=".005 0" thermal="2 3 0 .004 25 20" lugre="1 .01 .05 .1 2"/>""",
    "orientation": (
        '<general joint="c" gaintype="so3" biastype="so3" gainprm="5" biasprm="0 -5 -1" dyntype="integrator" actdim="3"/>'
    ),
    "orientation, next activation acts": (
        '<general joint="c" gaintype="so3" biastype="so3" gainprm="5" biasprm="0 -5 -1" dyntype="integrator" actdim="3"'
        ' actearly="true"/>'
    ),
    "switched off": '<general joint="a" dyntype="filter" dynprm=".05" group="2"/><general joint="b" dyntype="integrator"/>',
    "bounded joint": '<general joint="a" dyntype="filter" dynprm=".05" gainprm="9"/><position joint="a" kp="5"/>',
}


def text_of(name):
    """The model of a case."""
    text = ARM.format(actuators=CASES[name], limit='actuatorfrcrange="-4 6"' if name == "bounded joint" else "")
    return text.replace("<option", '<option actuatorgroupdisable="2"') if name == "switched off" else text


def somewhere(simulator, seed):
    """A state with activations and a control."""
    model, rng = simulator.model, np.random.default_rng(seed)
    qpos = model.integrate(model.qpos0, rng.uniform(-1, 1, model.nv))
    state = simulator.initial_state(qpos, rng.uniform(-2, 2, model.nv), act=rng.uniform(0.05, 0.95, model.na))
    return state, rng.uniform(0.1, 0.9, model.nu)


def largest_error(found, expected):
    """Beside the largest entry."""
    return np.abs(found - expected).max(initial=0.0) / max(1e-3, np.abs(expected).max(initial=0.0))


def moved(simulator, state, move):
    """The state moved along [δq, δv, δact]."""
    model = simulator.model
    nv, act = model.nv, state.act + move[2 * model.nv :]
    return simulator.initial_state(model.integrate(state.qpos, move[:nv]), state.qvel + move[nv : 2 * nv], act=act)


def apart(model, one, two):
    """[δq, δv, δact] from the second state to the first."""
    return np.concatenate([model.difference(one.qpos, two.qpos), one.qvel - two.qvel, one.act - two.act])


def differences(simulator, state, control, epsilon=EPSILON):
    """A, B by central differences of `step(kappa=KAPPA)`, extrapolated once (Richardson)."""
    model = simulator.model
    n = 2 * model.nv + model.na
    size = n + model.nu

    def column(i, width):
        ends = []
        for sign in (1, -1):
            move = np.zeros(size)
            move[i] = sign * width
            ends.append(simulator.step(moved(simulator, state, move[:n]), control + move[n:], kappa=KAPPA).state)
        return apart(model, *ends) / (2 * width)

    table = np.array([(4.0 * column(i, 0.5 * epsilon) - column(i, epsilon)) / 3.0 for i in range(size)]).T
    return table[:, :n], table[:, n:]


@pytest.mark.parametrize("name", CASES)
def test_hard_mode_against_differences(name):
    """Measured: 4e-8 of the largest entry of a block, from the differences."""
    model = dojo_py.load_model(text_of(name))
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    n = 2 * model.nv
    for seed in range(2):
        state, control = somewhere(simulator, seed)
        lin = simulator.linearize(state, control, kappa=KAPPA)
        assert lin.A.shape == (n + model.na, n + model.na) and lin.B.shape == (n + model.na, model.nu)
        A, B = differences(simulator, state, control)
        for ours, expected in ((lin.A[:n, :n], A[:n, :n]), (lin.A[:n, n:], A[:n, n:]), (lin.A[n:], A[n:]), (lin.B[:n], B[:n]),
                               (lin.B[n:], B[n:])):  # fmt: skip
            error = largest_error(ours, expected)
            print(f"{name}, state {seed}: {error:.1e} (bound 1e-6)")
            assert error < 1e-6


@pytest.mark.parametrize("name", CASES)
def test_reverse_mode(name):
    """By A and B, and without them by transposed solves; both beside differences of the roll-out. Measured: 5e-10."""
    model = dojo_py.load_model(text_of(name))
    simulator, rng = dojo_py.HardSimulator(model, timestep=0.01), np.random.default_rng(3)
    state, control = somewhere(simulator, 4)
    controls = control + rng.uniform(-0.05, 0.05, (5, model.nu))
    n = 2 * model.nv + model.na
    weights = rng.normal(size=(6, n))
    plain = simulator.rollout(state, controls, kappa=KAPPA)
    whole = simulator.rollout(state, controls, kappa=KAPPA, linearize=True)
    assert whole.A.shape == (5, n, n) and whole.B.shape == (5, n, model.nu)
    found, again = simulator.rollout_vjp(plain, weights), simulator.rollout_vjp(whole, weights)
    assert found.state.shape == (n,) and not found.status.any()
    assert largest_error(found.state, again.state) < 1e-10 and largest_error(found.control, again.control) < 1e-10
    direction, push = rng.normal(size=n), rng.normal(size=controls.shape)

    def change(width):
        ends = [
            simulator.rollout(moved(simulator, state, sign * width * direction), controls + sign * width * push, kappa=KAPPA)
            for sign in (1, -1)
        ]
        total = 0.0
        for t in range(6):
            total += weights[t] @ apart(model, *(end.state(t) for end in ends))
        return total / (2 * width)

    by_difference = (4.0 * change(1e-4) - change(2e-4)) / 3.0
    ours = found.state @ direction + (found.control * push).sum()
    size = np.abs(found.state * direction).sum() + np.abs(found.control * push).sum()
    print(f"{name}: {abs(ours - by_difference) / size:.1e} (bound 1e-7)")
    assert abs(ours - by_difference) < 1e-7 * size


OF_ACTUATORS = ("gear", "gainprm", "biasprm", "dynprm")
OTHERS = ("timestep", "joint_axis", "com")


@pytest.mark.parametrize("part", some(range(4), [0]))
@pytest.mark.parametrize("name", CASES)
def test_by_parameters(name, part):
    """Rows of [δq, δv] and of δact by every number of the actuators, and by others, beside Ridders' differences of the step.

    A part has every fourth number of a kind.

    Measured: 4.5e-8 of the largest entry of a kind's rows (a servo on a site by a joint's axis), by numbers of actuators 2e-9.
    """
    model = dojo_py.load_model(text_of(name))
    simulator, n = tight(model, 0.01), 2 * model.nv
    state, control = somewhere(simulator, 0)
    kinds = [kind for kind in (*OF_ACTUATORS, *OTHERS) if simulator.parameter(kind).size]
    lin = simulator.linearize(state, control, kappa=KAPPA, parameters=kinds)
    for kind in kinds:
        there = simulator.parameter(kind)
        scale = directions(simulator.world, simulator._acting, simulator.timestep, (kind,)).scale
        columns = lin.parameters[kind] * scale
        assert columns.shape == (n + model.na, there.size)
        for k in range(part, there.size if kind in OF_ACTUATORS else min(there.size, 3), 4):
            move = scale[k] * np.eye(there.size)[k]

            def central(width, kind=kind, there=there, move=move):
                ends = []
                for sign in (1, -1):
                    other = simulator.with_parameters({kind: there.value.ravel() + sign * width * move})
                    start = other.initial_state(state.qpos, state.qvel, act=state.act)
                    ends.append(other.step(start, control, kappa=KAPPA).state)
                return apart(model, *ends) / (2 * width)

            exact = ridders(central, 1e-2)[0]
            for rows in (slice(n), slice(n, None)):
                error = largest_error_of(columns[rows], columns[rows, k], exact[rows])
                print(f"{name}, {kind}[{k}]: {error:.1e} (bound 1e-6)")
                assert error < 1e-6


def largest_error_of(table, found, expected):
    """Of one column beside the largest entry of all."""
    return np.abs(found - expected).max(initial=0.0) / max(1e-3, np.abs(table).max(initial=0.0))


def test_with_contacts():
    """A hopper that pushes itself off the ground through a filter. Measured: 1.3e-7."""
    text = """<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 .5"><joint type="slide" axis="0 0 1"/>
      <joint type="slide" axis="1 0 0"/><geom size=".1"/><body><joint name="leg" type="slide" axis="0 0 -1" damping="1"/>
      <geom type="capsule" size=".05" fromto="0 0 -.2 0 0 -.45"/></body></body></worldbody><actuator>
      <general joint="leg" gear="60" dyntype="filterexact" dynprm=".03" actearly="true" ctrlrange="-1 1"/></actuator></mujoco>"""
    model = dojo_py.load_model(text)
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    state = simulator.initial_state(qvel=[0.1, 0.3, 0.0], act=[0.4])
    lin = simulator.linearize(state, [0.6], kappa=KAPPA)
    A, B = differences(simulator, state, np.array([0.6]))
    assert abs(lin.A[3, 6]) > 1e-2
    print(f"{largest_error(lin.A, A):.1e}, {largest_error(lin.B, B):.1e} (bound 1e-6)")
    assert largest_error(lin.A, A) < 1e-6 and largest_error(lin.B, B) < 1e-6


@pytest.mark.parametrize("name", [name for name in CASES])
def test_soft_mode_beside_mujoco(name):
    """A and B of mjd_transitionFD, centred, with the same displacement. Measured: 5e-9; an integrated orientation 5e-8."""
    text = text_of(name)
    simulator, wheel = dojo_py.SoftSimulator(dojo_py.load_model(text)), mujoco.MjModel.from_xml_string(text)
    state, control = somewhere(simulator, 5)
    lin = simulator.linearize(state, control)
    data, n = mujoco.MjData(wheel), 2 * wheel.nv + wheel.na
    data.qpos[:], data.qvel[:], data.act[:], data.ctrl[:] = state.qpos, state.qvel, state.act, control
    A, B = np.zeros((n, n)), np.zeros((n, wheel.nu))
    mujoco.mjd_transitionFD(wheel, data, 1e-6, 1, A, B, None, None)
    print(f"{name}: A {largest_error(lin.A, A):.1e}, B {largest_error(lin.B, B):.1e} (bound 1e-6)")
    assert lin.A.shape == A.shape and largest_error(lin.A, A) < 1e-6 and largest_error(lin.B, B) < 1e-6
    run = simulator.rollout(state, control[None], linearize=True)
    assert np.array_equal(run.A[0], lin.A) and np.array_equal(run.B[0], lin.B)


@pytest.mark.parametrize("mode", [dojo_py.HardSimulator, dojo_py.SoftSimulator])
def test_late_controls_of_stateful_actuators(mode):
    """A and B with the samples on their way behind [δq, δv, δact] multiply along a motion."""
    text = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><general joint="hinge" delay=".01" nsample="3" dyntype="filter" dynprm=".05"/></actuator></mujoco>"""
    model = dojo_py.load_model(text)
    simulator = mode(model, timestep=0.005)
    kappa = KAPPA if mode is dojo_py.HardSimulator else None  # (the soft mode refuses one)
    state, by_first = simulator.initial_state(act=[0.2]), None
    for control in (0.3, -0.1, 0.5, 0.2):
        lin = simulator.linearize(state, [control], kappa=kappa)
        A, B = lin.widened()
        assert A.shape == (6, 6) and B.shape == (6, 1)
        by_first, state = B[:, 0] if by_first is None else A @ by_first, lin.next_state
    assert abs(by_first[2]) > 1e-3
    ends = []
    for sign in (1, -1):
        here = simulator.initial_state(act=[0.2])
        for control in (0.3 + sign * 1e-3, -0.1, 0.5, 0.2):
            here = simulator.step(here, [control], kappa=kappa).state
        ends.append(here)
    by_difference = apart(model, *ends) / 2e-3
    assert largest_error(by_first[:3], by_difference) < 1e-6


def test_maximal_coordinates_leave_activations_out():
    model = dojo_py.load_model(text_of("filters"))
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    state, control = somewhere(simulator, 1)
    lin = simulator.linearize(state, control, kappa=KAPPA, coordinates="maximal")
    assert lin.A.shape == (12 * model.nbody, 12 * model.nbody) and lin.B.shape == (12 * model.nbody, model.nu)
    assert not lin.B[:, 0].any() and lin.B[:, 1].any(), "a filter's control does nothing in its own step, the motor's does"


def test_cotangents_have_room_for_activations():
    model = dojo_py.load_model(text_of("filters"))
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    plain = simulator.rollout(simulator.initial_state(), np.zeros((2, model.nu)))
    with pytest.raises(ValueError, match=rf"expected \({2 * model.nv + model.na},\)"):
        simulator.rollout_vjp(plain, np.ones(2 * model.nv))


def test_identification_carries_activations_along():
    """Derivatives of a predicted stretch by the state it starts from, through the controller's integral and a filter."""
    text = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" damping=".1"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><pid joint="j" kp="5" kv=".3" ki="4"/><general joint="j" dyntype="filter" dynprm=".03"/></actuator></mujoco>"""
    simulator = dojo_py.HardSimulator(dojo_py.load_model(text), timestep=0.01)
    controls = np.random.default_rng(0).normal(size=(12, simulator.model.nu))
    recording = Recording("motion", simulator.rollout(simulator.initial_state([0.2], [0.4]), controls).qpos, controls)
    unknowns = Unknowns(simulator, [Unknown("damping:j")])

    def predicted(qpos, qvel):
        start = np.array([qpos]), np.array([qvel])
        return predict(simulator, recording, Segment(0, 0, 12), start, Kappas(None, 1e-6), unknowns, unknowns.start)

    here, e = predicted(0.21, 0.3), 1e-5
    assert here.end_by_state.shape == (2, 2) and here.end_by_unknown.shape == (2, 1)
    for k, (dq, dv) in enumerate(((e, 0.0), (0.0, e))):
        ends = [predicted(0.21 + sign * dq, 0.3 + sign * dv).misfit for sign in (1, -1)]
        assert (ends[0] - ends[1])[:, 0] / (2 * e) == pytest.approx(here.by_state[:, 0, k], abs=1e-8)


ENDS = """<mujoco><option timestep=".01"/><worldbody><body><joint name="j" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass=".8"/></body></worldbody><actuator>
  <muscle joint="j" lengthrange="-2 2" force="9"/><muscle joint="j" gear="-1" lengthrange="-2 2" force="9" ctrlrange="0 1"/>
  <general joint="j" dyntype="muscle" dynprm=".02 .05" gainprm="3" actrange="0 1" actearly="true"/>
  <general joint="j" dyntype="integrator" actrange="0 1"/>
  <general joint="j" dyntype="filter" dynprm=".05" actrange="0 1"/></actuator></mujoco>"""


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("mode", ["hard", "soft"])
@pytest.mark.parametrize("end", [0.0, 1.0])
def test_ends_of_activations_and_of_muscles_are_seen_from_within(mode, end, centred):
    """Half of an effect was found at both ends, or none where differences went outward alone (soft mode, one-sided)."""
    model = dojo_py.load_model(ENDS)
    sim = dojo_py.HardSimulator(model) if mode == "hard" else dojo_py.SoftSimulator(model)
    more = {} if mode == "hard" else {"centred": centred}
    inward, act, control = 1e-4 * (1.0 - 2.0 * end), np.full(5, end), np.full(5, end)
    control[3] = 0.0  # the rate of the integrator's activation
    lin = sim.linearize(sim.initial_state([0.3], [0.2], act=act), control, **more)
    last = sim.step(sim.initial_state([0.3], [0.2], act=act), control).state
    for k in range(5):
        moved = sim.step(sim.initial_state([0.3], [0.2], act=act), control + inward * np.eye(5)[k]).state
        assert lin.B[:, k] == pytest.approx(apart(model, moved, last) / inward, rel=2e-3, abs=1e-6)
        moved = sim.step(sim.initial_state([0.3], [0.2], act=act + inward * np.eye(5)[k]), control).state
        assert lin.A[:, 2 + k] == pytest.approx(apart(model, moved, last) / inward, rel=2e-3, abs=1e-6)
    assert (lin.B[2:].diagonal() > 0.0).all()
