"""Whether a plan is a minimum: random changes of its controls, rolled out in the hard motion.

A descent converges where the gradient nearly vanishes, or where a step finds little. Beside a maximum or a saddle both are so, and
the Gauss–Newton model, never indefinite, cannot tell these from a minimum. Changes are smooth: splines over KNOTS knots. Saddles
whose way down is narrow beside steep penalties (a mass held by a constraint exactly behind a post) are not found so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dojo_py.planning.hard_motion import HardMotion, measured, states_of, usable
from dojo_py.planning.problem import Problem
from dojo_py.planning.sampling import roll_all
from dojo_py.planning.sampling_options import SamplingOptions
from dojo_py.planning.shooting import Path
from dojo_py.planning.splines import spline_matrix
from dojo_py.simulate.trajectory import Trajectory

Array = np.ndarray

KNOTS = 5
SIZES = (1.0, 0.01)
"""Largest and smallest standard deviation of the changes, over those of the planners that sample (¼ of the range)."""
WORTH = 0.01
"""Relative decrease of the merit that says that a plan is no minimum."""


def changed(problem: Problem, controls: Array, samples: int, seed: int) -> Array:
    """(N, T, nu) the controls (T, nu) with random smooth changes of several sizes, within the limits."""
    matrix = spline_matrix(len(controls), KNOTS, "cubic")
    spread = SamplingOptions().spreads(problem.model, problem.low, problem.high, controls)
    noise = np.random.default_rng(seed).standard_normal((samples, matrix.shape[1], controls.shape[1]))
    changes = np.geomspace(*SIZES, samples)[:, None, None] * spread * np.einsum("tk,nkm->ntm", matrix, noise)
    return np.clip(controls + changes, problem.low, problem.high)


def better_nearby(
    problem: Problem, hard: HardMotion, merit: Callable[[Path], float], least: float, samples: int, seed: int, threads: int
) -> HardMotion | None:  # fmt: skip
    """The best of the changed plans, if its merit is lower by more than `least` and by WORTH of it; None if none is."""

    def rated(motion: Trajectory | None) -> float:
        if motion is None or not usable(motion):
            return np.inf
        found = merit(Path(states_of(motion), motion.control, np.zeros((len(motion), problem.n))))
        return found if np.isfinite(found) else np.inf

    held = hard.trajectory
    assert held is not None
    motions = roll_all(problem.sim, held.state(0), changed(problem, held.control, samples, seed), threads)
    now, merits = rated(held), [rated(motion) for motion in motions]
    best = int(np.argmin(merits))
    return measured(problem, motions[best]) if merits[best] < now - max(least, WORTH * abs(now)) else None
