"""A and B in maximal coordinates against differences of steps between maximal states."""

import numpy as np
import pytest
from differences import FIRST_STEP, ridders
from test_coordinates import JOINTS, PAIRS, Frame, scene

from dojo_py import HardSimulator, Status, load_model
from dojo_py.mechanism.quaternion import exponential, multiply
from dojo_py.simulate.results import State

KAPPA, H = 1e-3, 0.02
BOUND = 1e-6


def turned(q, turn):
    return multiply(q, exponential(np.asarray(turn, float)))


def shifted(maximal, direction):
    """Maximal states (n, 13) moved along tangents (n, 12)."""
    out = maximal.copy()
    out[:, :6] += direction[:, :6]
    out[:, 10:] += direction[:, 9:]
    for row, d in zip(out, direction, strict=True):
        row[6:10] = turned(row[6:10], d[6:9])
    return out


def apart(a, b):
    """(n, 12) tangents from maximal states b to a, (n, 13) each."""
    out = np.zeros((len(a), 12))
    out[:, :6], out[:, 9:] = a[:, :6] - b[:, :6], a[:, 10:] - b[:, 10:]
    for row, p, q in zip(out, a[:, 6:10], b[:, 6:10], strict=True):
        relative = multiply(q * [1, -1, -1, -1], p)
        row[6:9] = 2 * np.sign(relative[0]) * relative[1:]
    return out


def slope(f):
    """Derivative at 0 of f(amount)."""
    return ridders(lambda step: (f(step) - f(-step)) / (2 * step), FIRST_STEP)[0]


def scales(nbody):
    """Velocities count times the time step."""
    return np.tile(np.r_[np.ones(3), np.full(3, H), np.ones(3), np.full(3, H)], nbody)


def worst(ours, theirs, rows):
    """Largest difference relative to the column's largest entry, at least to 1."""
    a, b = rows[:, None] * ours, rows[:, None] * theirs
    return (np.abs(a - b) / np.maximum(1.0, np.abs(b).max(axis=0))).max()


def lively(name, seed=0):
    """A simulator and a state of its after some random steps, in contact where it has any."""
    sim = HardSimulator(load_model(name), timestep=H)
    rng = np.random.default_rng(seed)
    keyed = len(sim.model.key_names) > 0
    state = sim.initial_state(keyframe=0) if keyed else sim.initial_state()
    state = sim.rollout(state, 0.3 * rng.uniform(-1, 1, (12, sim.model.nu)), kappa=KAPPA).final_state
    return sim, sim.initial_state(state.qpos, state.qvel), rng.uniform(-1, 1, sim.model.nu)


@pytest.mark.parametrize("name", ["box", "hopper", "quadruped", "panda", "fourbar", "humanoid", "quadrotor"])
def test_maximal_derivatives_of_motions_that_keep_the_joints(name):
    """A_max ∂z/∂(q, v) = ∂z₊/∂(q, v), and B. Bound 1e-6; measured 2.4e-10."""
    sim, state, u = lively(name)
    m, nv = sim.model, sim.model.nv
    lin = sim.linearize(state, u, kappa=KAPPA, coordinates="maximal")
    assert lin.A.shape == (12 * m.nbody,) * 2 and lin.B.shape == (12 * m.nbody, m.nu)

    def start(dof, amount):
        dq, dv = np.zeros(nv), np.zeros(nv)
        (dq if dof < nv else dv)[dof % nv] = amount if dof < nv else amount / H
        return sim.initial_state(m.integrate(state.qpos, dq), state.qvel + dv)

    def after(s, control=u):
        return apart(sim.step(s, control, kappa=KAPPA).state.maximal, lin.next_state.maximal).ravel()

    into = np.array([slope(lambda t: apart(start(k, t).maximal, state.maximal).ravel()) for k in range(2 * nv)]).T
    out = np.array([slope(lambda t: after(start(k, t))) for k in range(2 * nv)]).T
    by_control = np.array([slope(lambda t: after(state, u + t * e)) for e in np.eye(m.nu)]).T.reshape(-1, m.nu)
    rows = scales(m.nbody)
    a, b = worst(lin.A @ into, out, rows), worst(lin.B, by_control, rows)
    print(f"{name}: A {a:.1e}, B {b:.1e}")
    assert max(a, b) <= BOUND
    # the same numbers in both coordinates
    plain = sim.linearize(state, u, kappa=KAPPA)
    assert np.array_equal(plain.next_state.qpos, lin.next_state.qpos)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_maximal_derivatives_of_any_motion(first, second):
    """Also of those that violate joints: the step reads the bodies' coordinates. Bound 1e-6; measured 3.4e-8."""
    sim, frame = HardSimulator(load_model(scene(JOINTS[first], JOINTS[second])), timestep=H), Frame(first, second, H)
    m, rng = sim.model, np.random.default_rng(3)
    qpos, qvel = m.integrate(m.qpos0, rng.uniform(-0.7, 0.7, m.nv)), rng.uniform(-0.2, 0.2, m.nv) / H
    state = sim.initial_state(qpos, qvel)
    lin = sim.linearize(state, kappa=KAPPA, coordinates="maximal")
    moving = [1, 3] if "free" in first else [2, 4]  # bodies with joints; the second carries a merged one
    bodies = state.exact.bodies

    def after(body, direction):
        q, v = frame.minimal(shifted(bodies, direction), state.qpos)
        return apart(sim.step(State(q, v, state.act), kappa=KAPPA).state.maximal, lin.next_state.maximal).ravel()

    found, wanted = [], []
    for b in range(2):
        m_b = [k for k in range(m.nbody) if sim.world.bodies.node[k] == b][0]
        assert m_b in moving
        if np.any(sim.world.bodies.arm[m_b] != 0):  # (its own centre is not that of the merged body)
            continue
        for k in range(12):
            unit = np.zeros((2, 12))
            unit[b, k] = 1.0 if k % 6 < 3 else 1.0 / H
            found.append(lin.A[:, 12 * m_b + k] * (1.0 if k % 6 < 3 else 1.0 / H))
            wanted.append(slope(lambda t: after(b, t * unit)))
    error = worst(np.array(found).T, np.array(wanted).T, scales(m.nbody))
    print(f"{first}, {second}: {error:.1e}")
    assert error <= BOUND


def test_what_maximal_derivatives_refuse():
    sim = HardSimulator(load_model("box"))
    with pytest.raises(ValueError, match="coordinates='polar', accepted"):
        sim.linearize(sim.initial_state(), coordinates="polar")
    with pytest.raises(ValueError, match="minimal coordinates"):
        sim.linearize(sim.initial_state(), parameters=["mass"], coordinates="maximal")


def test_derivatives_of_a_step_that_overflows_are_zero():
    """In both coordinates and by parameters, whatever the work arrays held before."""
    sim = HardSimulator(load_model("quadruped"))
    push = np.zeros((sim.model.nbody, 6))
    push[-1] = 1e307
    state = sim.initial_state()
    for keywords in ({"coordinates": "maximal"}, {"parameters": ["mass"]}):
        for _ in range(2):
            lin = sim.linearize(state, wrenches=push, **keywords)
            assert lin.status is not Status.SOLVED
            assert not lin.A.any() and not lin.B.any() and not any(table.any() for table in lin.parameters.values())
            sim.linearize(state)
