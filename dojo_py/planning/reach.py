"""Which entries of the states controls change, to first order; what costs and constraints would gain from these and from others.

Where a pusher is away from its box, no derivative of the box's motion by the controls tells of it: the plan may end there, at rest,
wherever it began. Entries of the tangent state [δq, δv, δact] that no control changes at any knot of a path:

    S_0 = ∅,   S_{k+1} = rows of B_k that are not zero, and rows of A_k that are not zero in S_k;   all entries beside ∪ S_k

Zero is what is below NONE of the largest entry of its column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dojo_py.planning.augmented_lagrangian import AugmentedLagrangian
from dojo_py.planning.hard_motion import HardMotion, states_of
from dojo_py.planning.problem import Problem
from dojo_py.planning.quadratic import Quadratic
from dojo_py.simulate.results import State

Array = np.ndarray


NONE = 1e-7
"""Round-off of derivatives by differences of 1e-6, relative (soft mode); exact ones are zero to the last bit."""


def broken_at_once(problem: Problem, states: Sequence[State], controls: Array, tolerance: float) -> str:
    """What says that the initial state violates a constraint, by more than the tolerance, whatever its control; "" if none."""
    for constraint in problem.constraints:
        if not constraint.holds_at(0, len(controls)):
            continue
        violations = constraint.violations(states[0], controls[0], 0)
        if violations.max(initial=0.0) <= tolerance:
            continue
        by_control = constraint.jacobians(problem.model, states[0], controls[0], 0, len(violations))[1]
        worst = violations[~by_control.any(axis=1)].max(initial=0.0)
        if worst > tolerance:
            return f"the initial state violates constraint '{constraint.name}' by {worst:.3g}, which no control changes"
    return ""


def controllable_entries(A: Array, B: Array) -> Array:
    """(n,) which entries of the state some control changes at some knot. A (T, n, n), B (T, n, m)."""
    now = np.zeros(A.shape[1], bool)
    ever = now.copy()
    for a, b in zip(*(np.abs(M) > NONE * np.abs(M).max(axis=1, keepdims=True) for M in (A, B)), strict=True):
        now = b.any(axis=1) | a[:, now].any(axis=1)
        ever |= now
    return ever


def attainable_decrease(entries: Array, expansions: Sequence[Quadratic]) -> float:
    """Decrease of costs that their quadratic models promise if these entries (n,) of every state could be chosen, bar the first.

    Σ ½ l_xᵀ l_xx⁺ l_x, of the entries alone.
    """
    total = 0.0
    for quadratic in expansions[1:]:
        x = quadratic.x[entries]
        if x.any():
            total += 0.5 * float(x @ np.linalg.pinv(quadratic.xx[np.ix_(entries, entries)], hermitian=True) @ x)
    return total


def attainable_decreases(problem: Problem, motion: HardMotion, controllable: Array) -> list[tuple[float, float]]:
    """Of costs, and of constraints (½ violation²), in a motion: by the controllable entries (n,) of its states; by all others."""
    held = motion.trajectory
    assert held is not None
    states, T = states_of(held), len(held)
    costs, squares = problem.expand(states, held.control), AugmentedLagrangian(problem.constraints, T, 1.0)
    broken = [squares.expand(problem.model, s, held.control[k] if k < T else None, k) for k, s in enumerate(states) if squares]
    return [
        (attainable_decrease(entries, costs), attainable_decrease(entries, broken)) for entries in (controllable, ~controllable)
    ]
