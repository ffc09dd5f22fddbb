"""Which combinations of parameters the data determine: base parameters, by rank-revealing QR.

    J Π = Q [R₁ R₂; 0 0],   β = π_b + R₁⁻¹ R₂ π_d :  J π depends on π only through β, one number for each independent column

Source: Gautier (1991), "Numerical calculation of the base inertial parameters of robots". For bodies, π are the linear
parameters m, m c, I about the body's origin, in which the equations of motion (and this integrator's) are linear.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular

from dojo_py.simulate.values import real_array, real_number, shown

Array = np.ndarray


class BaseParameters(NamedTuple):
    """β = combine @ π."""

    combine: Array
    """(r, n)"""
    independent: Array
    """(r,) places of the parameters that lead a combination."""
    strength: Array
    """(n,), or (m,) of fewer rows: |diagonal of R|, largest first, over the largest: the gap shows the rank."""

    def describe(self, labels: list[str]) -> list[str]:
        """Text of each combination; coefficients below 1e-6 are left out."""
        out = []
        for row in self.combine:
            terms = [f"{c:+.4g} {label}" for c, label in zip(row, labels, strict=True) if abs(c) > 1e-6]
            out.append(" ".join(terms).removeprefix("+1 "))
        return out


def base_parameters(jacobian: Array, tolerance: float = 1e-5) -> BaseParameters:
    """Of a Jacobian (m, n) by the linear parameters; columns are scaled to unit length (those that are 0 count as dependent).

    jacobian: what predictions change by, e.g. rows of `sim.linearize(..., parameters=[...]).parameters`, one below the other.
    tolerance: of `strength`; a Jacobian by differences has noise near 1e-6. ValueError for what is no matrix of numbers.
    """
    J = real_array("jacobian", jacobian)
    if J.ndim != 2 or 0 in J.shape or not np.all(np.isfinite(J)):
        raise ValueError(f"jacobian={shown(jacobian)}, expected (m, n) finite numbers")
    real_number("tolerance", tolerance, above=0.0, most=1.0)
    size = np.linalg.norm(J, axis=0)
    unit = np.where(size > tolerance * max(size.max(), 1e-300), size, 1.0)
    scaled = np.where(size > tolerance * max(size.max(), 1e-300), J / unit, 0.0)
    R, order = qr(scaled, mode="r", pivoting=True)
    strength = np.abs(np.diag(R[: len(order)])) / max(abs(R[0, 0]), 1e-300)
    rank = int(np.count_nonzero(strength > tolerance))
    combine = np.zeros((rank, len(order)))
    combine[:, order[:rank]] = np.eye(rank)
    combine[:, order[rank:]] = solve_triangular(R[:rank, :rank], R[:rank, rank:])
    combine *= unit / unit[order[:rank], None]
    return BaseParameters(combine, order[:rank], strength)
