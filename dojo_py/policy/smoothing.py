"""Randomised gradients: A, B of a step as the best linear fit to its outcome at random states and actions nearby.

Source: first-order randomised smoothing with antithetic pairs (Suh et al. 2022; Dojo, figure 4). The fit is least squares of least
norm, so fewer pairs than directions give the projection of the gradient on what was tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.policy.derivatives import moved_states, tangent_size
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray


@dataclass(frozen=True)
class Smoothing:
    """How the neighbourhood is sampled."""

    pairs: int = 12
    """Antithetic pairs a step."""
    state_noise: float = 1e-3
    """Standard deviation of the moves in [dq, dv, dact] [m, rad; per s; of activations]."""
    action_noise: float = 1e-2
    """Standard deviation of the moves in the action."""

    def __post_init__(self) -> None:
        check_fields(self)
        limit_fields(self, "state_noise", "action_noise", least=1e-12)
        if self.pairs < 1 or not (self.state_noise > 0 and self.action_noise > 0):
            raise ValueError(
                f"pairs={self.pairs!r} must be at least 1, state_noise={self.state_noise!r} and action_noise={self.action_noise!r} "
                "positive"
            )

    @property
    def steps(self) -> int:
        """Simulated steps for one gradient."""
        return 2 * self.pairs


def randomised_linearisation(
    task: Any, state: Any, action: Array, options: Smoothing, rng: np.random.Generator, kappa: float | None = None
) -> tuple[Array, Array]:
    """A (size, size), B (size, actions), size = 2nv + na."""
    model = task.sim.model
    size, n = tangent_size(task), options.pairs
    scale = np.concatenate([np.full(size, options.state_noise), np.full(len(action), options.action_noise)])
    moves = rng.standard_normal((n, len(scale))) * scale
    both = np.concatenate([moves, -moves])
    states = moved_states(task, state, both[:, :size])
    after = [m.state for m in task.move(states, action + both[:, size:], kappa=kappa)]
    change = np.array(
        [
            np.concatenate([model.difference(p.qpos, m.qpos), p.qvel - m.qvel, p.act - m.act])
            for p, m in zip(after[:n], after[n:], strict=True)
        ]
    )
    fit = (np.linalg.lstsq(moves / scale, change / 2.0, rcond=None)[0] / scale[:, None]).T
    return fit[:, :size], fit[:, size:]
