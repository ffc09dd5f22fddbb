"""Parameters of tendons, gravity compensation, ranges and poses of bodies, on drawn mechanisms; and what they refuse."""

import re
from pathlib import Path

import numpy as np
import pytest
from default_run import in_turn, some
from differences import tight
from drawn_mechanisms import drawn
from test_parameters import differences, with_room

from dojo_py import HardSimulator, load_model
from dojo_py.hard.parameters.registry import PARAMETER_NAMES, directions
from dojo_py.identification import Recording, Tied, Unknown, identify

OF_TENDONS = (
    "tendon_damping", "tendon_armature", "tendon_frictionloss", "tendon_stiffness", "tendon_springlength", "tendon_slack",
)  # fmt: skip
OF_RANGES = ("joint_range", "tendon_range", "ctrlrange", "forcerange", "actuatorfrcrange")
OF_BODIES = ("gravcomp", "wrench", "body_pos", "body_quat", "site_pos", "site_quat")
KINDS = (*OF_TENDONS, *OF_BODIES, *OF_RANGES)
SEEDS, NUMBERS = (0, 2, 3, 4, 5, 7), {0: slice(1), 1: slice(1, 3)}
"""Mechanisms, whose steps at κ = 0.1 are solved; numbers of a kind that are compared at each: by default the first of three."""


@pytest.mark.parametrize("part", some(NUMBERS, [0]))
@pytest.mark.parametrize(("seed", "kappa"), in_turn(SEEDS, (1e-1, 1e-3, 1e-6)))
def test_columns_are_the_differences_of_steps(seed, kappa, part):
    """Two steps after a drawn state. Relative to the largest entry of a kind, or 1e-3. Measured, six numbers each of twelve
    mechanisms: 1.2e-7 (ranges of joints and tendons at κ = 1e-6), 3e-8 elsewhere."""
    model, qpos, qvel, control = drawn(seed)
    sim = with_room(tight(model, 0.01))
    state = sim.initial_state(qpos, qvel)
    for _ in range(2):
        state = sim.step(state, control, kappa=kappa).state
    state = sim.initial_state(state.qpos, state.qvel)
    kinds = [kind for kind in KINDS if sim.parameter(kind).size]
    found = sim.linearize(state, control, kappa=kappa, parameters=kinds)
    assert found.status == 0
    rng, acting, worst = np.random.default_rng(seed), 0, {}
    for kind in kinds:
        scale = directions(sim.world, model, sim.timestep, (kind,)).scale
        columns = found.parameters[kind] * scale
        acting += np.count_nonzero(np.abs(columns).max(axis=0) > 1e-9)
        for k in rng.permutation(len(scale))[NUMBERS[part]]:
            exact = differences(sim, state.qpos, state.qvel, control, kind, k, scale[k], kappa)
            off = np.abs(columns[:, k] - exact).max() / max(np.abs(columns).max(), 1e-3)
            worst[kind] = max(worst.get(kind, 0.0), off)
            assert off <= 1e-6, f"{kind} {k}: {off:.1e}"
    print(seed, kappa, acting, {kind: f"{off:.0e}" for kind, off in worst.items()})
    assert acting > 30


def test_every_kind_is_drawn():
    """Else the test above would not see it; so is every kind of joint below another."""
    simulators = [HardSimulator(drawn(seed)[0]) for seed in SEEDS]
    for kind in KINDS:
        assert sum(sim.parameter(kind).size > 0 for sim in simulators) >= 3, kind


def test_every_kind_is_in_the_documentation():
    page = Path(__file__).parents[2] / "docs" / "parameters.md"
    rows = [line.split("|")[1] for line in page.read_text().splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == sorted(PARAMETER_NAMES)


@pytest.mark.parametrize("seed", [0, 3])
def test_reverse_mode_is_the_product_of_the_steps(seed):
    """Gradient of a weighted sum of all states of five steps. Measured: 4e-15."""
    model, qpos, qvel, control = drawn(seed)
    sim, rng, kappa = HardSimulator(model, 0.01), np.random.default_rng(seed), 1e-3
    kinds = tuple(kind for kind in KINDS if sim.parameter(kind).size)
    run = sim.rollout(sim.initial_state(qpos, qvel), np.tile(control, (5, 1)), kappa=kappa, parameters=kinds)
    weights = rng.normal(size=(6, 2 * model.nv))
    found = sim.rollout_vjp(run, weights, parameters=kinds)
    for kind in kinds:
        moved, total = np.zeros((2 * model.nv, sim.parameter(kind).size)), 0.0
        for t in range(5):
            one = sim.linearize(run.state(t), control, kappa=kappa, parameters=[kind])
            moved = one.A @ moved + one.parameters[kind]
            total = total + weights[t + 1] @ moved
        print(f"{kind}: {np.abs(found.parameters[kind] - total).max() / max(1.0, np.abs(total).max()):.0e}")
        assert np.abs(found.parameters[kind] - total).max() <= 1e-9 * max(1.0, np.abs(total).max()), kind


CHAIN = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/>
  <default><geom contype="0" conaffinity="0"/></default><worldbody><site name="o" pos="-.3 0 0"/>
  <body name="upper" pos="{pos}" quat="{quat}" gravcomp="{lifted}"><joint name="a" axis="0 1 0" range="{low} {high}"/>
    <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0" mass=".5"/><site name="i" pos=".3 0 0"/>
    <body name="lower" pos=".4 0 0" gravcomp=".1"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .4 0 0" mass=".4"/><site name="k" pos=".1 0 .03"/>
      <body name="tip" pos=".4 0 0" euler="0 .5 0"><geom size=".05" mass=".1"/>
        <body name="hand" pos="{hand}" euler="0 .3 0"><joint name="c" axis="0 1 0"/><geom size=".05" pos="0 0 .1" mass=".1"/></body>
      </body></body></body></worldbody>
  <tendon><spatial name="t" stiffness="{k}" springlength="{rest}" damping="{c}"{loss}>
    <site site="o"/><site site="i"/><pulley divisor="2"/><site site="i"/><site site="k"/></spatial>
    <fixed name="f" damping="{cf}" range="{tl} 9"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed></tendon>
  <actuator><motor name="m" joint="a" ctrlrange="{u} 5"/>
    <position name="p" joint="b" kp="20" forcerange="-1 {f}"/></actuator></mujoco>"""
ONE = dict(
    pos="0 0 1", quat="1 0 0 0", lifted=".2", low="-.5", high=".5", hand=".1 0 0", k="20", rest=".3 .35", c="1",
    loss=' frictionloss=".2"', cf=".1", tl="-.4", u="-1", f="1",
)  # fmt: skip
OTHER = dict(
    pos=".1 .2 .9", quat=".9 .1 .2 .3", lifted=".7", low="-.4", high=".3", hand=".05 .02 .1", k="35", rest=".25 .4", c="2",
    loss=' frictionloss=".5"', cf=".3", tl="-.2", u="-.3", f="2",
)  # fmt: skip
VALUES = {
    "body_pos:upper": [0.1, 0.2, 0.9],
    "body_quat:upper": [1.8, 0.2, 0.4, 0.6],
    "body_pos:hand": [0.05, 0.02, 0.1],
    "gravcomp:upper": 0.7,
    "joint_range:a": [-0.4, 0.3],
    "tendon_range:f.0": -0.2,
    "tendon_stiffness:t": 35.0,
    "tendon_springlength:t": 0.25,
    "tendon_slack:t": 0.15,
    "tendon_damping": [2.0, 0.3],
    "tendon_frictionloss": 0.5,
    "ctrlrange:m.0": -0.3,
    "forcerange:p.1": 2.0,
}


def test_a_simulator_with_other_values_is_that_of_the_other_file():
    """Over 60 steps. Measured: 1.2e-9; the motion with the first file's values is 1.9 away."""
    one, other = HardSimulator(load_model(CHAIN.format(**ONE)), 0.005), HardSimulator(load_model(CHAIN.format(**OTHER)), 0.005)
    changed, controls = one.with_parameters(VALUES), np.tile([-1.0, 0.4], (60, 1))
    ends = [s.rollout(s.initial_state([0.1, -0.3, 0.2], [0.5, 1.0, 0.0]), controls) for s in (changed, other, one)]
    assert ends[0].unsolved == ends[1].unsolved == 0
    print(f"{np.abs(ends[0].qpos - ends[1].qpos).max():.1e} of {np.abs(ends[0].qpos - ends[2].qpos).max():.1e}")
    assert np.abs(ends[0].qpos - ends[1].qpos).max() < 1e-8
    assert np.abs(ends[0].qpos - ends[2].qpos).max() > 1e-2
    for name in VALUES:
        there, wanted = changed.parameter(name).value.ravel(), other.parameter(name).value.ravel()
        assert np.allclose(there, wanted, atol=1e-12), name


HELD = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" pos="{p}" zaxis="{z}"/>
  <body name="a" pos="0 0 .15"><freejoint/><geom type="box" size=".1 .08 .05" mass="1"/><site name="s" pos="{s}"/></body>
  <body name="b" pos=".4 0 .2"><freejoint/><geom size=".1" mass=".5"/><site name="q" pos="{q}"/></body></worldbody>
  <equality><connect site1="s" site2="q"/></equality></mujoco>"""


def test_planes_and_held_points_of_another_file():
    """Over 100 steps in contact; a connect of bodies has the same points as one of sites. Measured: 1.0e-11."""
    one, other = (
        dict(p="0 0 0", z="0 0 1", s=".2 0 0", q="-.2 0 0"),
        dict(p="0 0 -.02", z=".1 -.05 1", s=".25 .02 0", q="-.2 .05 .03"),
    )
    between = HELD.format(**one).replace('site1="s" site2="q"', 'name="c" body1="a" body2="b" anchor=".2 0 0"')
    normal = np.array([0.1, -0.05, 1.0])
    plane = {"plane_normal:floor": normal, "plane_offset": float(normal @ [0, 0, -0.02] / np.linalg.norm(normal))}
    points = [[0.25, 0.02, 0], [-0.2, 0.05, 0.03]]
    wanted = HardSimulator(load_model(HELD.format(**other)), 0.005)
    end = wanted.rollout(wanted.initial_state(), np.zeros((100, 0)))
    assert end.unsolved == 0
    for text, held in ((HELD.format(**one), {"site_pos": points}), (between, {"equality_anchor:c": points})):
        sim = HardSimulator(load_model(text), 0.005)
        changed = sim.with_parameters(plane | held)
        run = changed.rollout(changed.initial_state(), np.zeros((100, 0)))
        off = np.abs(run.qpos - end.qpos).max()
        print(f"{off:.1e}")
        assert off < 1e-8
        assert np.abs(sim.rollout(sim.initial_state(), np.zeros((100, 0))).qpos - end.qpos).max() > 1e-2


def test_mistakes_are_named():
    sim = HardSimulator(load_model(CHAIN.format(**ONE)))
    assert sim.parameter("joint_range").labels == ("a.0", "a.1")
    assert sim.parameter("gravcomp:upper").value.tolist() == [0.2]
    assert np.allclose(sim.parameter("body_pos:hand").value, [[0.1, 0, 0]], atol=1e-15)
    for name, value, text in (
        ("tendon_stifness", 1, "did you mean 'tendon_stiffness'"), ("tendon_damping:g", 1, "is not one of"),
        ("tendon_stiffness", -1, "must not be negative"), ("tendon_slack:t", -0.1, "must not be negative"),
        ("tendon_frictionloss", 0, "must be positive"), ("joint_range:a", [1, -1], "must be below the upper one"),
        ("ctrlrange:m", [6, 5], "must not be above the upper one"), ("body_quat:upper", [0, 0, 0, 0], "must not be zero"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            sim.with_parameters({name: value})


def test_a_fit_finds_a_tendon_and_a_compensation():
    """From 1.5 s of noisy poses, both started a third off; two dampers tied to one factor. Measured: to 2e-4."""
    sim, rng = HardSimulator(load_model(CHAIN.format(**ONE)), 0.01), np.random.default_rng(0)
    true = sim.with_parameters({"tendon_stiffness:t": 30.0, "tendon_damping": [1.5, 0.15], "gravcomp:lower": 0.5})

    def record(name, angles):
        run = true.rollout(true.initial_state(np.array(angles)), rng.uniform(-1, 1, (150, 2)))
        return Recording(name, run.qpos + rng.normal(0, 1e-4, run.qpos.shape), run.control)

    unknowns = [
        Unknown("tendon_stiffness:t", 20.0, 0.0, 100.0),
        Unknown("gravcomp:lower", 0.1, -1.0, 2.0),
        Tied(("tendon_damping:t", "tendon_damping:f"), lower=0.1, upper=10.0),
    ]
    found = identify(sim, [record("first", [0.3, 0.2, 0.1]), record("second", [-0.3, -0.4, 0.5])], unknowns)
    print(found)
    assert np.allclose(found.estimates, [30.0, 0.5, 1.5], rtol=0.02)
