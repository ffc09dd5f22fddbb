"""Backward pass: quadratic model of the value function from the last knot to the first, and the affine policy that minimises Q.

    Q_u = l_u + Bᵀ V_x⁺    Q_ux = l_ux + Bᵀ V_xx A    Q_uu = l_uu + Bᵀ V_xx B    V_x⁺ = V_x − V_xx gap
                                                                         (Tassa 2012, eq. 5; gaps: Mastalli 2020)
    du  = k + K dx,  k = argmin ½ duᵀ Q_uu du + Q_uᵀ du within the limits,  K = −Q_uu⁻¹ Q_ux over the free controls
                                                                         (Tassa 2014, section IV)
    V_xx ← l_xx + Kᵀ l_ux + l_uxᵀ K + Kᵀ l_uu K + (A + B K)ᵀ V_xx (A + B K)
The last line is the Joseph form: a sum of positive semidefinite terms for any K if the costs are convex, whereas
Q_xx − Q_uxᵀ Q_uu⁻¹ Q_ux loses digits along stiff contacts. The regularisation μ I is added to Q_uu, or to V_xx in Q_uu and Q_ux;
the update of the value function does not contain it (Tassa 2012, eq. 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dojo_py.planning.backward_kernels import Found, LinearQuadratic, backward, scratch_of
from dojo_py.planning.quadratic import Quadratic

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class AffinePolicy:
    """du_k = α k_k + K_k dx_k, and the change of the cost that the quadratic model predicts: slope α + ½ curvature α²."""

    feedforward: Array
    """k (T, nu)"""
    gains: Array
    """K (T, nu, 2 nv + na); zero rows for controls at a limit."""
    slope: float
    """First derivative of the model's cost by α at 0."""
    curvature: float
    """Second derivative of the model's cost by α."""
    control_curvature: float = 0.0
    """Mean over knots and controls of the diagonal of Q_uu without regularisation."""


def backward_pass(
    A: Array, B: Array, gaps: Array, expansions: Sequence[Quadratic], low: Array, high: Array, mu: float, on_state: bool = False
) -> AffinePolicy | None:
    """The policy; None when a Q_uu is not positive definite. low, high (T, nu): control limits minus the present controls."""
    T, n, m = B.shape
    ends, stages = [(e.x, e.xx) for e in expansions], [(e.u, e.ux, e.uu) for e in expansions[:T]]
    costs = [*zip(*ends, strict=True)], [*zip(*stages, strict=True)]
    x, xx, u, ux, uu = (np.array(part) for found in costs for part in found)
    given = (A, B, gaps, x, u, xx, ux, uu, low, high)
    found = Found(np.zeros((T, m)), np.zeros((T, m, n)), np.zeros(3))
    model = LinearQuadratic(*(np.require(part, float, ["C", "W"]) for part in given))
    if not backward(model, float(mu), on_state, found, scratch_of(n, m)):
        return None
    return AffinePolicy(found.feedforward, found.gains, *found.figures.tolist())
