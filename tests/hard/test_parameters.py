"""Parameters by name: written consistently, and the derivatives of a step by them against differences of whole steps.

Bound 1e-6, relative to the largest entry of a kind's Jacobian in scales of the parameters (or 1e-3 if that is larger).
"""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.hard.parameters.registry import PARAMETER_NAMES, directions

SCENES = {
    "box": (0.02, 0),
    "hopper": (0.02, 20),
    "quadruped": (0.02, 15),
    "panda": (0.01, 5),
    "quadrotor": (0.02, 3),
    "fourbar": (0.01, 10),
}
"""Model -> time step [s], steps of random control before the one that is differentiated."""
NEEDS_ROOM = ("contact_radius", "damping", "armature", "stiffness")
"""Kinds that must not be negative: moved off 0 before differences are taken."""


def scene(name):
    """A simulator with every parameter off its bounds, and a state and control in the middle of things."""
    h, steps = SCENES[name]
    model = load_model(name)
    sim = HardSimulator(model, h)
    rng = np.random.default_rng(0)
    state = sim.initial_state(keyframe="home") if "home" in model.key_names else sim.initial_state()
    controls = 0.3 * rng.normal(size=(max(steps, 1), model.nu))
    if steps:
        state = sim.rollout(state, controls).final_state
    for kind in NEEDS_ROOM:
        there = sim.parameter(kind)
        if there.size:
            sim = sim.with_parameters({kind: there.value + (1e-3 if kind == "contact_radius" else 1e-2)})
    qpos, qvel = state.qpos.copy(), state.qvel + 0.05 * rng.normal(size=model.nv)
    if name == "box":
        qpos[2], qpos[3:7] = 0.26, np.array([0.99, 0.1, 0.05, 0.02]) / np.linalg.norm([0.99, 0.1, 0.05, 0.02])
        qvel = np.array([1, 0.3, -1, 0.5, 1, 2.0])
    return sim, qpos, qvel, controls[0]


def differences(sim, qpos, qvel, control, name, k, step, kappa):
    """Central differences of the relaxed step by number k of a parameter, errors of second order removed: (2 nv,)."""
    values, results = sim.parameter(name).value, []
    for size in (step, step / 2):
        ends = []
        for sign in (1, -1):
            moved = values.ravel().copy()
            moved[k] += sign * size
            other = sim.with_parameters({name: moved})
            outcome = other.step(other.initial_state(qpos, qvel), control, kappa=kappa)
            assert outcome.solved, f"{name}[{k}]: {outcome.status.name}"
            ends.append(outcome.state)
        dq = sim.model.difference(ends[0].qpos, ends[1].qpos)
        results.append(np.concatenate([dq, ends[0].qvel - ends[1].qvel]) / (2 * size))
    return (4 * results[1] - results[0]) / 3


@pytest.mark.parametrize("kappa, step", [(1e-2, 1e-4), (3e-4, 3e-5), (1e-6, 3e-7)])
@pytest.mark.parametrize("name", SCENES)
def test_columns_are_the_differences_of_steps(name, kappa, step):
    sim, qpos, qvel, control = scene(name)
    rng = np.random.default_rng(1)
    kinds = [k for k in PARAMETER_NAMES if sim.parameter(k).size]
    if name == "fourbar":
        kinds.remove("joint_axis")  # one axis turned alone leaves a planar loop no motion
    lin = sim.linearize(sim.initial_state(qpos, qvel), control, kappa, parameters=kinds)
    for kind in kinds:
        scale = directions(sim.world, sim.model, sim.timestep, (kind,)).scale
        columns = lin.parameters[kind] * scale
        assert columns.shape == (2 * sim.model.nv, len(scale))
        chosen = rng.permutation(len(scale))[:6]
        exact = np.stack([differences(sim, qpos, qvel, control, kind, k, step * scale[k], kappa) for k in chosen], 1)
        exact *= scale[chosen]
        worst = np.abs(columns[:, chosen] - exact).max() / max(np.abs(exact).max(), 1e-3)
        print(f"{name} {kind} {kappa:g}: {worst:.1e}")
        assert worst <= 1e-6 * max(1.0, 3e-7 / step * 30), f"{kind}: {worst:.1e}"
