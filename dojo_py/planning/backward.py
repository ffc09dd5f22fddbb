"""Backward pass: the value function's quadratic model from the last knot to the first, and the affine policy that minimises it.

    Q_u = l_u + Bᵀ V_x⁺    Q_ux = l_ux + Bᵀ V_xx A    Q_uu = l_uu + Bᵀ V_xx B    V_x⁺ = V_x − V_xx gap
                                                                         (Tassa 2012, eq. 5; gaps: Mastalli 2020)
    du  = k + K dx,  k = argmin ½ duᵀ Q_uu du + Q_uᵀ du within the limits,  K = −Q_uu⁻¹ Q_ux over the free controls
                                                                         (Tassa 2014, section IV)
    V_xx ← l_xx + Kᵀ l_ux + l_uxᵀ K + Kᵀ l_uu K + (A + B K)ᵀ V_xx (A + B K)
The last line is Joseph's form: a sum of positive terms for any K, where Q_xx − … loses digits along stiff contacts. μ is added to
Q_uu, or to V_xx within Q_uu and Q_ux; the value function is updated without it (Tassa 2012, eq. 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dojo_py.planning.box_qp import solve_box_qp
from dojo_py.planning.quadratic import Quadratic

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Policy:
    """du_k = α k_k + K_k dx_k, and what the quadratic model promises of it."""

    feedforward: Array
    """k (T, nu)"""
    gains: Array
    """K (T, nu, 2 nv); zero rows for controls at a limit."""
    slope: float
    """Derivative of the model's cost by α at 0."""
    curvature: float
    """Its second derivative."""
    control_curvature: float = 0.0
    """Mean over knots and controls of the diagonal of Q_uu, unregularised."""


def backward_pass(
    A: Array, B: Array, gaps: Array, expansions: Sequence[Quadratic], low: Array, high: Array, mu: float, on_state: bool = False
) -> Policy | None:
    """The policy within low, high (T, nu), the room around the present controls; None when a Q_uu is not positive definite."""
    T, n, m = B.shape
    feedforward, gains = np.zeros((T, m)), np.zeros((T, m, n))
    Vx, Vxx = expansions[T].x, expansions[T].xx
    control_curvature = 0.0
    for k in range(T - 1, -1, -1):
        l, Ak, Bk = expansions[k], A[k], B[k]
        Vx = Vx - Vxx @ gaps[k]
        VA, VB = Vxx @ Ak, Vxx @ Bk
        Qu, Qux, Quu = l.u + Bk.T @ Vx, l.ux + Bk.T @ VA, l.uu + Bk.T @ VB
        control_curvature += float(np.trace(Quu)) / (T * m)
        if on_state:
            Quu_reg, Qux_reg = Quu + mu * Bk.T @ Bk, Qux + mu * Bk.T @ Ak
        else:
            Quu_reg, Qux_reg = Quu + mu * np.eye(m), Qux
        found = solve_box_qp(0.5 * (Quu_reg + Quu_reg.T), Qu, low[k], high[k])
        if found is None:
            return None
        kk, K = found.x, found.solve_free(Qux_reg)
        feedforward[k], gains[k] = kk, K
        closed, lux_K = Ak + Bk @ K, l.ux.T @ K
        Vx = l.x + K.T @ l.u + (l.ux.T + K.T @ l.uu) @ kk + closed.T @ (Vx + VB @ kk)
        Vxx = l.xx + lux_K + lux_K.T + K.T @ l.uu @ K + closed.T @ Vxx @ closed
        Vxx = 0.5 * (Vxx + Vxx.T)
    slope, curvature = model_change(A, B, gaps, expansions, feedforward, gains)
    return Policy(feedforward, gains, slope, curvature, control_curvature)


def model_change(
    A: Array, B: Array, gaps: Array, expansions: Sequence[Quadratic], feedforward: Array, gains: Array
) -> tuple[float, float]:
    """First and second derivative by α of the linear-quadratic model's cost: one linear rollout, exact with gaps too."""
    T = len(feedforward)
    dx, slope, curvature = np.zeros(A.shape[1]), 0.0, 0.0
    for k in range(T):
        l, du = expansions[k], feedforward[k] + gains[k] @ dx
        slope += float(l.x @ dx + l.u @ du)
        curvature += float(dx @ l.xx @ dx + 2 * du @ l.ux @ dx + du @ l.uu @ du)
        dx = A[k] @ dx + B[k] @ du - gaps[k]
    slope += float(expansions[T].x @ dx)
    curvature += float(dx @ expansions[T].xx @ dx)
    return slope, curvature
