"""Open-loop roll-outs of held-out recordings: how far a simulator strays from what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dojo_py.identification.data import Recording
from dojo_py.identification.segments import measured_state

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


def rollout_errors(sim: Any, recordings: Sequence[Recording], kappa: float | None = None) -> RolloutErrors:
    """Simulate each recording from its first sample that has a velocity, under its controls, and compare all later samples."""
    model = sim.model
    free = [int(model.jnt_dofadr[i]) for i in range(model.njnt) if int(model.jnt_type[i]) == 0]
    position, rotation, unsolved = [], [], 0
    for recording in recordings:
        k = recording.first
        state = sim.initial_state(*measured_state(recording, sim, k))
        trajectory = sim.rollout(state, recording.controls(model.nu)[k:], kappa=kappa, maximal=False)
        unsolved += trajectory.unsolved
        error = np.array([model.difference(a, b) for a, b in zip(trajectory.qpos[1:], recording.qpos[k + 1 :], strict=True)])
        part = error[:, free[0] : free[0] + 3] if free else error
        position.append(np.linalg.norm(part, axis=1).mean())
        turn = error[:, free[0] + 3 : free[0] + 6] if free else np.zeros((len(error), 3))
        rotation.append(np.degrees(np.linalg.norm(turn, axis=1)).mean())
    return RolloutErrors(np.array(position), np.array(rotation), unsolved)
