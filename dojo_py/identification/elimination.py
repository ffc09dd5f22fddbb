"""Linear algebra of multiple shooting: the states of the stretches are eliminated, what is left is n × n.

[H_θθ H_θx; H_xθ H_xx] [dθ; dx] = -[g_θ; g_x],     H_xx block tridiagonal: only stretches that follow one another are coupled

S = H_θθ - H_θx X,   b = g_θ - Xᵀ g_x,   X = H_xx⁻¹ H_xθ
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


@dataclass
class Rows:
    """Some residuals and their derivatives by the parameters and by the states of one or two stretches."""

    kind: str
    """"measured", "defect" (between stretches) or "prior"."""
    residual: Array
    """(m,) over their deviations."""
    places: Array
    """(m,) which coordinate each belongs to."""
    by_unknown: Array
    """(m, n)"""
    by_state: dict[int, Array] = field(default_factory=dict)
    """Stretch -> (m, 2 nv)."""
    weight: Array | float = 1.0
    """(m,) of the robust loss."""
    change: float | None = None
    """How the pull, weight times residual, changes with the residual, on average (`set_change`); None: as the weight says."""
    stretch: int = -1
    solved: bool = True
    """Whether all steps of the stretch were."""

    @property
    def pull(self) -> Array:
        """(m,) weight times residual."""
        return self.residual * self.weight

    @property
    def information(self) -> Array:
        """(m,) what each residual counts in the matrix of the normal equations."""
        return np.broadcast_to(self.weight if self.change is None else self.change, self.residual.shape)


@dataclass
class Normal:
    """Normal equations of rows."""

    theta: Array  # (n, n)
    by_theta: Array  # (n,)
    diagonal: Array  # (stretches, b, b)
    below: Array  # (stretches - 1, b, b): rows of stretch i + 1, columns of i
    cross: Array  # (stretches, b, n)
    by_state: Array  # (stretches, b)


def normal_equations(rows: list[Rows], n: int, stretches: int, width: int) -> Normal:
    """JᵀWJ and JᵀWr in blocks, JᵀWJ by the rows' `information`. stretches: 0 where the states are not unknown."""
    out = Normal(
        np.zeros((n, n)), np.zeros(n), np.zeros((stretches, width, width)), np.zeros((max(stretches - 1, 0), width, width)),
        np.zeros((stretches, width, n)), np.zeros((stretches, width)),
    )  # fmt: skip
    for row in rows:
        w, r = row.information, row.pull
        J = row.by_unknown * w[:, None]
        out.theta += J.T @ row.by_unknown
        out.by_theta += row.by_unknown.T @ r
        for i, K in row.by_state.items():
            out.diagonal[i] += K.T @ (K * w[:, None])
            out.cross[i] += K.T @ J
            out.by_state[i] += K.T @ r
            if i + 1 in row.by_state:
                out.below[i] += row.by_state[i + 1].T @ (K * w[:, None])
    return out


def solve_states(diagonal: Array, below: Array, right: Array) -> Array:
    """(stretches, b, k) H_xx⁻¹ right, by elimination of blocks from the first to the last stretch and back."""
    count = len(diagonal)
    if not count:
        return right
    if not np.any(below):
        return np.linalg.solve(diagonal, right)
    left, out = np.zeros_like(below), np.array(right)
    pivots = np.array(diagonal)
    for i in range(count - 1):
        left[i] = np.linalg.solve(pivots[i], below[i].T).T
        pivots[i + 1] -= left[i] @ below[i].T
        out[i + 1] -= left[i] @ out[i]
    out[-1] = np.linalg.solve(pivots[-1], out[-1])
    for i in range(count - 2, -1, -1):
        out[i] = np.linalg.solve(pivots[i], out[i] - below[i].T @ out[i + 1])
    return out


@dataclass
class Reduced:
    """What is left after the states are eliminated, and how these follow."""

    matrix: Array  # (n, n)
    gradient: Array  # (n,)
    follow: Array  # (stretches, b, n) X: dx = -X dθ - rest
    rest: Array  # (stretches, b)

    def by_unknown(self, row: Rows) -> Array:
        """(m, n) derivatives of a row's residuals by the unknowns, the states following."""
        return row.by_unknown - sum(K @ self.follow[i] for i, K in row.by_state.items())


def eliminate(normal: Normal, damping: float = 0.0) -> Reduced:
    """With `damping` parts of the diagonal added (Marquardt)."""
    n = len(normal.by_theta)
    tiny = 1e-300
    theta = normal.theta + damping * np.diag(np.maximum(np.diag(normal.theta), tiny))
    diagonal = np.array(normal.diagonal)
    places = np.arange(diagonal.shape[-1])
    own = diagonal[:, places, places]
    diagonal[:, places, places] = own * (1.0 + damping + 1e-14) + tiny
    solved = solve_states(diagonal, normal.below, np.concatenate([normal.cross, normal.by_state[:, :, None]], axis=2))
    follow, rest = solved[:, :, :n], solved[:, :, n]
    matrix = theta - np.einsum("ibn,ibm->nm", normal.cross, follow)
    gradient = normal.by_theta - np.einsum("ibn,ib->n", normal.cross, rest)
    return Reduced(0.5 * (matrix + matrix.T), gradient, follow, rest)
