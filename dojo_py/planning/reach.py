"""Whether controls have an effect, to first order, on what costs and constraints ask of the states.

Where a pusher is away from its box, no derivative of the box's motion by the controls tells of it: the plan may end there, at rest,
wherever it began. Entries of the tangent state [δq, δv, δact] that no control changes at any knot of a path:

    S_0 = ∅,   S_{k+1} = rows of B_k that are not zero, and rows of A_k that are not zero in S_k;   all entries beside ∪ S_k
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dojo_py.planning.quadratic import Quadratic

Array = np.ndarray


def moved_entries(A: Array, B: Array) -> Array:
    """(n,) which entries of the state some control changes at some knot. A (T, n, n), B (T, n, m)."""
    now = np.zeros(A.shape[1], bool)
    ever = now.copy()
    for a, b in zip(A != 0.0, B != 0.0, strict=True):
        now = b.any(axis=1) | a[:, now].any(axis=1)
        ever |= now
    return ever


def asked_of(entries: Array, expansions: Sequence[Quadratic]) -> float:
    """Decrease of costs that their quadratic models promise if these entries (n,) of every state could be chosen, bar the first.

    Σ ½ l_xᵀ l_xx⁺ l_x, of the entries alone.
    """
    total = 0.0
    for quadratic in expansions[1:]:
        x = quadratic.x[entries]
        if x.any():
            total += 0.5 * float(x @ np.linalg.pinv(quadratic.xx[np.ix_(entries, entries)], hermitian=True) @ x)
    return total
