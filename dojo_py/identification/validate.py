"""Open-loop roll-outs of held-out recordings: how far a simulator strays from what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dojo_py.identification.activations import activations_at
from dojo_py.identification.data import Recording, check_recordings, measured_state
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.values import having

Array = np.ndarray


class RolloutErrors(NamedTuple):
    """Mean over each recording, one entry a recording; rotation and position of the first free joint, else of the coordinates."""

    position: Array
    """(n,) mean distance [m], or norm of the coordinates' error."""
    rotation: Array
    """(n,) mean angle [deg]; 0 without a free joint."""
    unsolved: int
    """Steps that were not solved."""

    def __str__(self) -> str:
        return f"position {self.position.mean():.4g} m, rotation {self.rotation.mean():.4g} deg"


class CoordinateErrors(RolloutErrors):
    """Of a model without a free joint, whose coordinates have units of their own."""

    def __str__(self) -> str:
        return f"coordinates {self.position.mean():.4g} (rad of hinges, m of slides)"


def rollout_errors(sim: Simulator, recordings: Sequence[Recording], kappa: float | None = None) -> RolloutErrors:
    """Simulate each recording from its first sample that has a velocity, under its controls, and compare all later samples."""
    having("sim", sim, ("model", "rollout"), "a HardSimulator or a SoftSimulator")
    check_recordings(sim, recordings, later=True)
    if not recordings:
        raise ValueError("recordings: none, there is nothing to compare")
    model = sim.model
    free = [int(model.jnt_qposadr[i]) for i in range(model.njnt) if int(model.jnt_type[i]) == 0]
    position, rotation, unsolved = [], [], 0
    for recording in recordings:
        k = recording.first
        state = sim.initial_state(*measured_state(recording, sim, k), act=activations_at(sim, recording, k))
        controls = np.repeat(recording.controls(model.nu)[k:], recording.stride, axis=0)
        trajectory = sim.rollout(state, controls, kappa=kappa, maximal=False)
        unsolved += trajectory.unsolved
        mine, seen = trajectory.qpos[recording.stride :: recording.stride], recording.qpos[k + 1 :]
        if free:
            a = free[0]
            part, turn = (mine - seen)[:, a : a + 3], np.degrees(angles(mine[:, a + 3 : a + 7], seen[:, a + 3 : a + 7])).mean()
        else:
            part, turn = np.array([model.difference(p, q) for p, q in zip(mine, seen, strict=True)]), 0.0
        position.append(np.linalg.norm(part, axis=1).mean())
        rotation.append(turn)
    return (RolloutErrors if free else CoordinateErrors)(np.array(position), np.array(rotation), unsolved)


def angles(p: Array, q: Array) -> Array:
    """(n,) [rad] between the rotations of quaternions (n, 4), by their chord 2 sin(θ / 4): accurate also where it is small."""
    p, q = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (p, q))
    chord = np.minimum(np.linalg.norm(p - q, axis=1), np.linalg.norm(p + q, axis=1))
    return 4.0 * np.arcsin(0.5 * chord)
