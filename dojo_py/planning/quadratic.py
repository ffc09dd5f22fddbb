"""Quadratic: the second-order model of a cost about one knot, in the tangent state dx = [δq, δv, δact] (n = 2 nv + na) and
du (m = nu).

l(x ⊕ dx, u + du) ≈ value + x·dx + u·du + ½ dxᵀ xx dx + duᵀ ux dx + ½ duᵀ uu du
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(eq=False)
class Quadratic:
    """Coefficients at one knot; at the terminal knot there is no control and m is 0."""

    value: float
    x: Array
    """(n,)"""
    u: Array
    """(m,)"""
    xx: Array
    """(n, n) symmetric."""
    ux: Array
    """(m, n)"""
    uu: Array
    """(m, m) symmetric."""

    @classmethod
    def zero(cls, n: int, m: int) -> Quadratic:
        """All coefficients 0."""
        return cls(0.0, np.zeros(n), np.zeros(m), np.zeros((n, n)), np.zeros((m, n)), np.zeros((m, m)))

    def widened(self, n: int) -> Quadratic:
        """Padded with zeros to a tangent state of n entries, on the last of which the cost does not depend."""
        out, given = Quadratic.zero(n, len(self.u)), len(self.x)
        out.value, out.u, out.uu = self.value, self.u, self.uu
        out.x[:given], out.xx[:given, :given], out.ux[:, :given] = self.x, self.xx, self.ux
        return out

    def add(self, other: Quadratic) -> None:
        """Add another one to this one, in place."""
        self.value += other.value
        self.x += other.x
        self.u += other.u
        self.xx += other.xx
        self.ux += other.ux
        self.uu += other.uu


def weighted_squares(r: Array, rx: Array, ru: Array, weight: Array, value: float, slope: Array) -> Quadratic:
    """Gauss–Newton model of f(r): gradient `slope` (p,) by r, curvature diag(`weight`) (p,), Jacobians (p, n), (p, m)."""
    weighted_x, weighted_u = weight[:, None] * rx, weight[:, None] * ru
    return Quadratic(value, rx.T @ slope, ru.T @ slope, rx.T @ weighted_x, ru.T @ weighted_x, ru.T @ weighted_u)
