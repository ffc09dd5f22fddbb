"""Inertias and damping of a simulated arm from its joint trajectories, judged by the combinations that these determine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.base_parameters import BaseParameters, base_parameters
from dojo_py.identification.data import Recording, measured_state
from dojo_py.identification.pseudo_inertia import slope, to_com, to_linear

Array = np.ndarray


def swing(sim: HardSimulator, steps: int, seed: int, strength: float = 0.15, rate: float = 0.1) -> Recording:
    """A recording of smooth random torques, at most `strength` of each actuator's range, from the home pose."""
    model, rng = sim.model, np.random.default_rng(seed)
    time = sim.timestep * np.arange(steps)[:, None]
    top = strength * model.actuator_ctrlrange[:, 1]
    control = np.zeros((steps, model.nu))
    for _ in range(4):
        control += 0.25 * top * np.sin(2 * np.pi * rng.uniform(rate, 10 * rate, model.nu) * time + rng.uniform(0, 6.28, model.nu))
    state = sim.initial_state(keyframe=0) if model.nkey else sim.initial_state()
    trajectory = sim.rollout(state, control, maximal=False)
    return Recording(f"swing {seed}", trajectory.qpos, control)


def linear_values(sim: HardSimulator, bodies: list[str]) -> Array:
    """(10 n + nj,) linear parameters of the bodies, then damping of all joints."""
    parts = [to_linear(body_values(sim, name)) for name in bodies]
    return np.concatenate([*parts, sim.parameter("damping").value])


def body_values(sim: HardSimulator, name: str) -> Array:
    """(10,) mass, com, inertia about it."""
    return np.concatenate([sim.parameter(f"{kind}:{name}").value.ravel() for kind in ("mass", "com", "inertia")])


class Sensitivity(NamedTuple):
    """Change of the predicted rates of all one-step predictions by the linear parameters."""

    jacobian: Array  # (m, 10 n + nj)
    base: BaseParameters


def sensitivity(sim: HardSimulator, recordings: list[Recording], bodies: list[str], kappa: float, every: int = 1) -> Sensitivity:
    """At the simulator's values."""
    names = [f"{kind}:{name}" for name in bodies for kind in ("mass", "com", "inertia")] + ["damping"]
    turns = [slope(to_com, to_linear(body_values(sim, name))) for name in bodies]
    rows = []
    for recording in recordings:
        for k in range(recording.first, len(recording.qpos) - 1, every):
            state = sim.initial_state(*measured_state(recording, sim, k))
            lin = sim.linearize(state, recording.controls(sim.model.nu)[k], kappa=kappa, parameters=names)
            bodies_part = [
                np.hstack([lin.parameters[name] for name in names[3 * i : 3 * i + 3]]) @ turn for i, turn in enumerate(turns)
            ]
            rows.append(np.hstack([*bodies_part, lin.parameters["damping"]])[sim.model.nv :])
    jacobian = np.concatenate(rows)
    return Sensitivity(jacobian, base_parameters(jacobian))
