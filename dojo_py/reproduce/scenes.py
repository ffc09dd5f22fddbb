"""Starting points that several experiments share: models changed in one respect, random controls, states of a trajectory."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.mechanism.actuator_sizes import bounded

if TYPE_CHECKING:
    from dojo_py.mechanism.model import Model

FREE = 0
"""Code of a free joint."""


def keyframe(model: Model, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(qpos, qvel) of a keyframe."""
    k = model.key_id(name)
    return np.array(model.key_qpos[k]), np.array(model.key_qvel[k])


def with_gravity(model: Model, gravity: tuple[float, float, float]) -> Model:
    """The model under another gravity [m/s^2]."""
    return model.replace(opt=dataclasses.replace(model.opt, gravity=np.array(gravity)))


def with_friction(model: Model, friction: float) -> Model:
    """The model with one sliding friction coefficient for all geoms."""
    table = np.array(model.geom_friction)
    table[:, 0] = friction
    return model.replace(geom_friction=table)


def without_contact(model: Model) -> Model:
    """The model whose geoms touch nothing."""
    none = np.zeros(model.ngeom, dtype=int)
    return model.replace(geom_contype=none, geom_conaffinity=none)


def random_controls(model: Model, steps: int, seed: int = 0) -> np.ndarray:
    """(steps, nu): each control uniform in its range, standard normal where it has none."""
    generator = np.random.default_rng(seed)
    controls = generator.standard_normal((steps, model.nu))
    unit = generator.random((steps, model.nu))
    for i in np.flatnonzero(model.actuator_ctrllimited):
        low, high = model.actuator_ctrlrange[i]
        if bounded(low, high):
            controls[:, i] = low + (high - low) * unit[:, i]
    return controls


def measured_motion(name: str, timestep: float, steps: int, seed: int = 0, kappa: float | None = None) -> Any:
    """The Trajectory of a shipped model from its customary start under random controls: what several experiments count and time.

    timestep [s]; kappa [N m s], None: the hard limit.
    """
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=timestep)
    return sim.rollout(sim.initial_state(*start_of(model)), random_controls(model, steps, seed), kappa=kappa)


def start_of(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(qpos, qvel) of the keyframe `home`, else of the first, else the initial pose."""
    if not model.nkey:
        return np.array(model.qpos0), np.zeros(model.nv)
    k = model.key_names.index("home") if "home" in model.key_names else 0
    return np.array(model.key_qpos[k]), np.array(model.key_qvel[k])


def steps_of(duration: float, timestep: float) -> int:
    """Whole steps in a duration, at least one."""
    return max(1, round(duration / timestep))


def idle(model: Model, duration: float, timestep: float) -> np.ndarray:
    """(steps, nu) zero controls."""
    return np.zeros((steps_of(duration, timestep), model.nu))


def median_and_worst(values: Any) -> str:
    """`7 / 12`."""
    return f"{np.median(values):g} / {np.max(values):g}"


def states(trajectory: Any) -> list[Any]:
    """The states of a trajectory, T+1 of them."""
    return [trajectory.state(k) for k in range(len(trajectory.time))]
