"""Whether controls have an effect, to first order, on what costs and constraints ask of the states.

Where a pusher is away from its box, no derivative of the box's motion by the controls tells of it: every start is stationary.

    λ_T = l_x,   λ_k = l_x + Aᵀ λ_{k+1}      derivative of the costs that follow by the state at knot k
    l_u + Bᵀ λ_{k+1}                         by the control at knot k
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dojo_py.planning.quadratic import Quadratic

Array = np.ndarray

NONE = 1e-9
"""A product Bᵀ λ counts as zero below this fraction of the sum of its terms' magnitudes: its round-off."""


def asked_of_states(expansions: Sequence[Quadratic]) -> float:
    """Decrease of the costs that their quadratic models promise if every state could be chosen: Σ ½ l_xᵀ l_xx⁺ l_x."""
    return sum(0.5 * float(q.x @ np.linalg.pinv(q.xx, hermitian=True) @ q.x) for q in expansions if q.x.any())


def no_control_counts(A: Array, B: Array, expansions: Sequence[Quadratic]) -> bool:
    """Whether Bᵀ λ is zero for every control at every knot. A (T, n, n), B (T, n, m), expansions at T + 1 knots."""
    along = expansions[-1].x
    for a, b, q in zip(A[::-1], B[::-1], expansions[-2::-1], strict=True):
        if np.any(np.abs(b.T @ along) > NONE * (np.abs(b).T @ np.abs(along))):
            return False
        along = q.x + a.T @ along
    return True
