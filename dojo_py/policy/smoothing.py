"""Randomised smoothing: A, B of a step by a linear fit to its results at random perturbations of the state and the action.

Source: randomised smoothing with antithetic pairs (Suh et al. 2022; Dojo, figure 4). The fit is the least-squares solution of
minimum norm: with fewer pairs than dimensions, A and B are projected on the span of the perturbations.
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
    """Settings of the perturbations."""

    pairs: int = 12
    """Number of antithetic pairs per step."""
    state_noise: float = 1e-3
    """Standard deviation of the perturbations of [dq, dv, dact] [m, rad; m/s, rad/s; unit of the activations]."""
    action_noise: float = 1e-2
    """Standard deviation of the perturbations of the action."""

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
        """Number of simulated steps for one linearisation."""
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
