"""Parameters by name: written consistently, and the derivatives of a step by them against differences of whole steps.

Bound 1e-6, relative to the largest entry of a kind's Jacobian in scales of the parameters (or 1e-3 if that is larger).
"""

import numpy as np
import pytest
from default_run import in_turn, some
from differences import ridders, tight
from gradient_scenes import SCENES as SMALL
from gradient_scenes import start

from dojo_py import HardSimulator, load_model, load_trajectory
from dojo_py.hard.parameters.registry import PARAMETER_NAMES, directions
from dojo_py.hard.rollout import roll_out
from dojo_py.jit import compiling

SCENES = {
    "box": (0.02, 0),
    "hopper": (0.02, 20),
    "quadruped": (0.02, 15),
    "panda": (0.01, 5),
    "quadrotor": (0.02, 3),
    "fourbar": (0.01, 10),
}
"""Model -> time step [s], steps of random control before the one that is differentiated."""
NEEDS_ROOM = (
    "contact_radius", "damping", "armature", "stiffness", "restitution", "tendon_damping", "tendon_armature", "tendon_stiffness",
    "tendon_slack",
)  # fmt: skip
"""Kinds that must not be negative: moved off 0 before differences are taken."""
OUT_OF_PLANE = ("joint_axis", "body_quat", "body_pos", "equality_anchor")
"""Kinds that move one part of a planar loop out of its plane, which leaves the loop no motion."""


def scene(name):
    """A simulator with every parameter off its bounds, and a state and control in the middle of things."""
    h, steps = SCENES[name]
    model = load_model(name)
    sim = tight(model, h)
    rng = np.random.default_rng(0)
    state = sim.initial_state(keyframe="home") if "home" in model.key_names else sim.initial_state()
    controls = 0.3 * rng.normal(size=(max(steps, 1), model.nu))
    if steps:
        state = sim.rollout(state, controls).final_state
    sim = with_room(sim)
    qpos, qvel = state.qpos.copy(), state.qvel + 0.05 * rng.normal(size=model.nv)
    if name == "box":
        qpos[2], qpos[3:7] = 0.26, np.array([0.99, 0.1, 0.05, 0.02]) / np.linalg.norm([0.99, 0.1, 0.05, 0.02])
        qvel = np.array([1, 0.3, -1, 0.5, 1, 2.0])
    return sim, qpos, qvel, controls[0]


def with_room(sim):
    """The simulator with what must not be negative moved off 0."""
    for kind in NEEDS_ROOM:
        there = sim.parameter(kind)
        if there.size:
            sim = sim.with_parameters({kind: there.value + (1e-3 if kind == "contact_radius" else 1e-2)})
    return sim


NUMBERS = {0: slice(1), 1: slice(1, 3)}
"""Of the drawn numbers of a kind: the first, the next two."""


def drawn_numbers(kind, size):
    """The numbers 0 to size - 1 in an order of the kind's own."""
    return np.random.default_rng([*kind.encode()]).permutation(size)


LONGEST = 1e-2
"""First step of the differences, in scales: columns that are nearly 0 drown in round-off with shorter ones."""


def differences(sim, qpos, qvel, control, name, k, scale, kappa, wrenches=None, act=None):
    """Ridders' derivative of the relaxed step by number k of a parameter, per scale. (2 nv + na,)"""
    values, moved = sim.parameter(name).value, np.zeros(sim.parameter(name).size)
    moved[k] = scale

    def end(amount):
        other = sim.with_parameters({name: values.ravel() + amount * moved})
        outcome = other.step(other.initial_state(qpos, qvel, act=act), control, kappa=kappa, wrenches=wrenches)
        assert outcome.solved, f"{name}[{k}]: {outcome.status.name}"
        return outcome.state

    def central(step):
        above, below = end(step), end(-step)
        dq = sim.model.difference(above.qpos, below.qpos)
        return np.concatenate([dq, above.qvel - below.qvel, above.act - below.act]) / (2 * step)

    return ridders(central, LONGEST)[0]


@pytest.mark.parametrize("part", some(NUMBERS, [0]))
@pytest.mark.parametrize(("name", "kappa"), in_turn(SCENES, (1e-2, 3e-4, 1e-6)))
def test_columns_are_the_differences_of_steps(name, kappa, part):
    """Three numbers of a kind, by default the first. Measured: 1.4e-7 (joint_axis), 90 % below 3e-8."""
    sim, qpos, qvel, control = scene(name)
    kinds = [k for k in PARAMETER_NAMES if sim.parameter(k).size]
    if name == "fourbar":
        kinds = [k for k in kinds if k not in OUT_OF_PLANE]
    lin = sim.linearize(sim.initial_state(qpos, qvel), control, kappa=kappa, parameters=kinds)
    for kind in kinds:
        scale = directions(sim.world, sim.model, sim.timestep, (kind,)).scale
        columns = lin.parameters[kind] * scale
        assert columns.shape == (2 * sim.model.nv, len(scale))
        chosen = drawn_numbers(kind, len(scale))[NUMBERS[part]]
        if not len(chosen):
            continue
        exact = np.stack([differences(sim, qpos, qvel, control, kind, k, scale[k], kappa) for k in chosen], 1)
        worst = np.abs(columns[:, chosen] - exact).max() / max(np.abs(columns).max(), 1e-3)
        print(f"{name} {kind} {kappa:g}: {worst:.1e}")
        assert worst <= 1e-6, f"{kind}: {worst:.1e}"


TEN = 0.1
"""Share of the columns that are compared in the small scenes."""
QUARTERS = range(4)
"""Of the kinds: by default the k-th scene has every fourth of its kinds from the k-th on, other scenes have the others."""
FEW_HAVE = {"joint_range", "actuatorfrcrange", "site_pos", "equality_quat"}
"""Kinds that no scene has in its turn: by default all that have them."""


@pytest.mark.parametrize("quarter", some(QUARTERS, [0]))
@pytest.mark.parametrize("name", SMALL)
def test_columns_in_small_scenes(name, quarter):
    """One feature each: every kind of joint, actuator, contact and closure.

    Measured: 1.2e-7 (joint_axis under gravity compensation), 90 % below 3e-8.
    """
    kappa, small = 3e-4, SMALL[name]
    sim = with_room(tight(load_model(small.text), small.timestep, friction=small.friction))
    state, control, wrenches = start(sim, small, 0)
    kinds = [k for k in PARAMETER_NAMES if sim.parameter(k).size]
    kinds = [k for i, k in enumerate(kinds) if i % 4 == (list(SMALL).index(name) + quarter) % 4 or quarter == 0 and k in FEW_HAVE]
    lin = sim.linearize(state, control, kappa=kappa, parameters=kinds, wrenches=wrenches)
    for kind in kinds:
        scale = directions(sim.world, sim.model, sim.timestep, (kind,)).scale
        columns = lin.parameters[kind] * scale
        for k in drawn_numbers(kind, len(scale))[: int(np.ceil(TEN * len(scale)))]:
            exact = differences(sim, state.qpos, state.qvel, control, kind, k, scale[k], kappa, wrenches, state.act)
            worst = np.abs(columns[:, k] - exact).max() / max(np.abs(columns).max(), 1e-3)
            print(f"{name} {kind} {k}: {worst:.1e}")
            assert worst <= 1e-6, f"{kind} {k}: {worst:.1e}"


PARTS = """<mujoco><worldbody><body pos="0 0 1"><joint type="ball" damping=".1"/>
  <geom type="sphere" size=".1" pos=".1 .2 0" mass="1"/>
  <body pos=".2 0 0.1" euler="20 0 30"><geom type="box" size=".1 .2 .1" mass=".7"/></body>
  <body pos="0 0 -.3"><joint axis="1 2 0" pos=".1 0 .1"/><joint axis="0 1 0"/>
    <geom type="sphere" size=".1" pos=".1 0 .2" mass="1"/><site name="tip" pos=".1 .1 .2" euler="10 20 30"/>
    <body pos="0 .1 .1" euler="0 40 0"><geom type="box" size=".1 .1 .2" mass=".4"/></body></body></body></worldbody>
  <actuator><velocity site="tip" gear="1 2 .5 .3 0 1" kv=".8"/><position site="tip" refsite="tip" kp="3"/></actuator></mujoco>"""
"""Bodies merged into others, under wrenches of their own; an actuator whose force depends on how fast its site moves."""


def test_wrenches_on_parts_and_actuators_at_sites():
    """Measured: 1.5e-7 (joint_anchor)."""
    sim = with_room(tight(load_model(PARTS), 0.01))
    m, rng = sim.model, np.random.default_rng(0)
    qpos, qvel = m.integrate(m.qpos0, 0.3 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    wrenches = np.vstack([np.zeros(6), 3.0 * rng.normal(size=(m.nbody - 1, 6))])
    control = np.ones(m.nu)
    for kind in ("mass", "com", "joint_anchor", "joint_axis", "gear", "timestep"):
        scale = directions(sim.world, m, sim.timestep, (kind,)).scale
        lin = sim.linearize(sim.initial_state(qpos, qvel), control, kappa=3e-4, parameters=[kind], wrenches=wrenches)
        columns = lin.parameters[kind] * scale
        exact = [differences(sim, qpos, qvel, control, kind, k, scale[k], 3e-4, wrenches) for k in range(len(scale))]
        worst = np.abs(columns - np.stack(exact, 1)).max() / max(np.abs(columns).max(), 1e-3)
        print(f"{kind}: {worst:.1e}")
        assert worst <= 1e-6, f"{kind}: {worst:.1e}"


HELD_TWICE = """<mujoco><worldbody>
  <body name="a"><joint type="slide" axis="1 0 0"/><geom size=".1"/><site name="on_a" pos=".1 .2 .3"/></body>
  <body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size=".1"/><body name="c" pos=".3 .1 .2"><joint type="ball"/>
  <geom size=".1"/></body></body></worldbody>
  <actuator><motor site="on_a" gear="1 2 3 4 5 6"/></actuator><equality><weld body1="c" body2="b"/></equality></mujoco>"""
"""A site on one body; a weld that holds a ball joint's anchor once more, elsewhere."""


def test_what_a_parameter_does_not_move_has_an_entry_of_exactly_0():
    """Round-off of the weld's rows, equal on both sides of a difference, was 1e-3 of the column of the site that moves."""
    sim = HardSimulator(load_model(HELD_TWICE), timestep=0.01)
    state, nv = sim.initial_state(qvel=[0.3, 1.0, 0.5, -1.0, 2.0]), sim.model.nv
    for kind, other in sim.linearize(state, [0.7], kappa=1e-4, parameters=["site_pos", "site_quat"]).parameters.items():
        columns = other.reshape(2, nv, -1)
        assert np.all(columns[:, 1:] == 0.0), kind
        assert kind == "site_pos" or np.abs(columns[:, 0]).max() > 1e-3


BOX = """<mujoco><option timestep="0.01" gravity="0 0 {g}"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="0.1"/>
<body name="base" pos="0 0 0.3"><freejoint/><inertial pos="{c}" mass="{m}" diaginertia="0.02 0.03 0.04"/>
<geom name="box" type="box" size="0.1 0.2 0.15" friction="{mu}"/>
<body name="arm" pos="0.1 0 0.2"><joint name="elbow" pos="{p}" axis="{a}" damping="{d}" stiffness="2"/>
<inertial pos="0 0 0.1" mass="0.3" diaginertia="0.002 0.003 0.004"/></body></body></worldbody>
<actuator><motor joint="elbow" gear="{gear}"/></actuator></mujoco>"""
ONE = dict(g="-9.81", c="0 0 0", m="1.5", mu="0.5", p="0 0 0", a="0 1 0", d="0.1", gear="1")
OTHER = dict(g="-3.7", c="0.02 -0.03 0.04", m="2.5", mu="0.8", p="0.01 0.02 -0.05", a="0 0.6 0.8", d="0.3", gear="3")
VALUES = {
    "gravity": [0, 0, -3.7],
    "com:base": [0.02, -0.03, 0.04],
    "mass:base": 2.5,
    "friction": 0.8,
    "damping:elbow": 0.3,
    "gear": 3.0,
    "joint_anchor:elbow": [0.01, 0.02, -0.05],
    "joint_axis:elbow": [0, 3, 4],
}


def test_a_simulator_with_other_values_is_that_of_the_other_file():
    """Measured 1e-12. The corners stay where they are in the body although the centre of mass moves."""
    one, other = HardSimulator(load_model(BOX.format(**ONE))), HardSimulator(load_model(BOX.format(**OTHER)))
    changed = one.with_parameters(VALUES)
    qpos = np.array([0, 0, 0.2, 0.98, 0.15, 0.1, 0, 0.4])
    qpos[3:7] /= np.linalg.norm(qpos[3:7])
    qvel = np.array([0.5, 0.2, -1, 1, 2, 3, 1.0])
    ends = [s.rollout(s.initial_state(qpos, qvel), np.full((40, 1), 0.2)) for s in (changed, other, one)]
    assert ends[0].unsolved == 0
    assert np.abs(ends[0].qpos - ends[1].qpos).max() < 1e-9
    assert np.abs(ends[0].qpos - ends[2].qpos).max() > 1e-2


def test_states_of_another_geometry_are_taken_by_their_coordinates():
    one = HardSimulator(load_model(BOX.format(**ONE)))
    moved = one.with_parameters({"com:base": [0.05, 0, 0]})
    state = one.step(one.initial_state(qvel=np.array([0, 0, 0, 1, 2, 3, 0.5]))).state
    fresh = moved.initial_state(state.qpos, state.qvel)
    assert np.array_equal(moved.step(state).state.qpos, moved.step(fresh).state.qpos)
    trajectory = moved.rollout(fresh, np.zeros((3, 1)))
    again = moved.rollout(trajectory.state(1), np.zeros((2, 1)))
    assert np.array_equal(again.qpos[-1], trajectory.qpos[-1])


def test_names_objects_and_mistakes():
    sim = HardSimulator(load_model(BOX.format(**ONE)))
    assert sim.parameter("mass:arm").value.tolist() == [0.3]
    assert sim.parameter("friction").labels == ("floor/box",)
    assert sim.parameter("friction:floor").value.tolist() == [0.5]
    assert sim.parameter("contact_point:box").value.shape == (8, 3)
    assert sim.parameter("contact_point:box.7").value.tolist() == [[0.1, 0.2, 0.15]]
    for name, value, text in (
        ("mas", 1, "did you mean 'mass'"), ("mass:arn", 1, "did you mean 'arm'"), ("mass", -1, "must be positive"),
        ("mass", [1, 2, 3], "shape"), ("com", np.nan, "finite"), ("inertia:arm", [1, 1, 1, 3, 0, 0], "positive definite"),
        ("timestep", 0, "must be positive"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            sim.with_parameters({name: value})
    assert sim.parameter("mass").value.tolist() == [1.5, 0.3]


@pytest.mark.skipif(not compiling(), reason="kernels run as plain Python")
def test_roll_outs_with_parameters_and_without_are_one_compiled_function():
    """What a run without parameters is given in place of theirs has the same type: else the hard mode would be compiled twice."""
    sim = HardSimulator(load_model("box"))
    for names in (None, ["mass"]):
        sim.rollout(sim.initial_state(), np.zeros((1, sim.model.nu)), parameters=names)
    assert len(roll_out.signatures) == 1


def test_rollouts_record_what_single_steps_say_of_parameters(tmp_path):
    """parameters[name] of a rollout are those of `linearize` at each of its states; they survive a file."""
    sim = HardSimulator(load_model("quadruped"), timestep=0.01)
    names, rng = ("mass", "friction", "timestep", "gear"), np.random.default_rng(0)
    controls = rng.uniform(-1, 1, (6, sim.model.nu))
    for kappa, at in ((1e-3, 1e-3), (None, 3e-4)):
        plain = sim.rollout(sim.initial_state(keyframe=0), controls, kappa=kappa, linearize=True)
        run = sim.rollout(sim.initial_state(keyframe=0), controls, kappa=kappa, parameters=names)
        assert np.array_equal(run.qpos, plain.qpos) and np.array_equal(run.A, plain.A)
        for t in range(6):
            one = sim.linearize(run.state(t), controls[t], kappa=at, parameters=names)
            for name in names:
                assert np.array_equal(run.parameters[name][t], one.parameters[name])
    run.save(tmp_path / "run.npz")
    again = load_trajectory(tmp_path / "run.npz")
    assert set(again.parameters) == set(names)
    assert all(np.array_equal(again.parameters[name], run.parameters[name]) for name in names)
