"""Kernels of the backward pass: its recursion, and the linear roll-out that predicts the cost. Formulas: backward.py."""

from typing import NamedTuple

import numpy as np

from dojo_py.arrays import clear_rows, copy, copy_rows
from dojo_py.jit import entry, kernel
from dojo_py.planning.box_qp_kernels import Box, answer, box_of, minimise


class LinearQuadratic(NamedTuple):
    """Derivatives of the dynamics and of the costs along the trajectory: T steps, n = 2 nv + na, m = nu."""

    A: np.ndarray  # (T, n, n)
    B: np.ndarray  # (T, n, m)
    gaps: np.ndarray  # (T, n)
    x: np.ndarray  # (T + 1, n) l_x, and so on
    u: np.ndarray  # (T, m)
    xx: np.ndarray  # (T + 1, n, n)
    ux: np.ndarray  # (T, m, n)
    uu: np.ndarray  # (T, m, m)
    low: np.ndarray  # (T, m) lower limits of du
    high: np.ndarray  # (T, m)


class Found(NamedTuple):
    """The policy and the predicted change of the cost (backward.AffinePolicy)."""

    feedforward: np.ndarray  # (T, m)
    gains: np.ndarray  # (T, m, n)
    figures: np.ndarray  # (3,) slope, curvature, mean of the diagonals of Q_uu


class Scratch(NamedTuple):
    """Work arrays. Vx, Vxx: value function at the next knot, then at the present one."""

    Vx: np.ndarray  # (n,)
    Vxx: np.ndarray  # (n, n)
    VA: np.ndarray  # (n, n)
    VB: np.ndarray  # (n, m)
    Qu: np.ndarray  # (m,)
    Qux: np.ndarray  # (m, n)
    Quu: np.ndarray  # (m, m)
    closed: np.ndarray  # (n, n) A + B K
    row: np.ndarray  # (n,)
    small: np.ndarray  # (m, n)
    box: Box
    report: np.ndarray  # (1,) iterations of the box-constrained quadratic programme


def scratch_of(n: int, m: int) -> Scratch:
    """Work arrays for these sizes."""
    z = np.zeros
    return Scratch(
        z(n), z((n, n)), z((n, n)), z((n, m)), z(m), z((m, n)), z((m, m)), z((n, n)), z(n), z((m, n)), box_of(m), z(1, np.int64)
    )


@kernel
def add_product(a, b, out):
    """out (i, j) += a (i, k) b (k, j)"""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@kernel
def add_transposed_product(scale, a, b, out):
    """out (i, j) += scale a (k, i) b (k, j)"""
    for k in range(a.shape[0]):
        for i in range(a.shape[1]):
            factor = scale * a[k, i]
            for j in range(b.shape[1]):
                out[i, j] += factor * b[k, j]


@kernel
def add_transposed_vector(a, x, out):
    """out (i,) += a (k, i) x (k,)"""
    for k in range(a.shape[0]):
        for i in range(a.shape[1]):
            out[i] += a[k, i] * x[k]


@kernel
def add_vector(a, x, out):
    """out (i,) += a (i, k) x (k,)"""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out[i] += a[i, k] * x[k]


@kernel
def action_values(M, k, S):
    """Q_u, Q_ux, Q_uu of knot k, V_xx A and V_xx B from the value function at the next knot; V_x ← V_x − V_xx gap."""
    A, B = M.A[k], M.B[k]
    for i in range(S.Vx.shape[0]):
        for j in range(S.Vx.shape[0]):
            S.Vx[i] -= S.Vxx[i, j] * M.gaps[k, j]
    clear_rows(S.VA)
    clear_rows(S.VB)
    add_product(S.Vxx, A, S.VA)
    add_product(S.Vxx, B, S.VB)
    copy(M.u[k], S.Qu)
    copy_rows(M.ux[k], S.Qux)
    copy_rows(M.uu[k], S.Quu)
    add_transposed_vector(B, S.Vx, S.Qu)
    add_transposed_product(1.0, B, S.VA, S.Qux)
    add_transposed_product(1.0, B, S.VB, S.Quu)


@kernel
def regularise(M, k, mu, on_state, S):
    """Q_uu += μ I, or, if on_state, Q_uu += μ Bᵀ B and Q_ux += μ Bᵀ A; then Q_uu is made symmetric."""
    m = S.Quu.shape[0]
    if on_state:
        add_transposed_product(mu, M.B[k], M.B[k], S.Quu)
        add_transposed_product(mu, M.B[k], M.A[k], S.Qux)
    else:
        for i in range(m):
            S.Quu[i, i] += mu
    for i in range(m):
        for j in range(i):
            S.Quu[i, j] = 0.5 * (S.Quu[i, j] + S.Quu[j, i])
            S.Quu[j, i] = S.Quu[i, j]


@kernel
def value_at(M, k, du, K, S):
    """The value function at knot k under the policy du + K dx, in the Joseph form. du (nu,), K (nu, n)."""
    n, m = S.Vx.shape[0], du.shape[0]
    copy_rows(M.A[k], S.closed)
    add_product(M.B[k], K, S.closed)
    # V_x = l_x + Kᵀ l_u + (l_uxᵀ + Kᵀ l_uu) du + closedᵀ (V_x + V_xx B du)
    copy(S.Vx, S.row)
    add_vector(S.VB, du, S.row)
    copy(M.x[k], S.Vx)
    add_transposed_vector(S.closed, S.row, S.Vx)
    add_transposed_vector(M.ux[k], du, S.Vx)
    for i in range(m):
        S.Qu[i] = M.u[k, i]
    add_vector(M.uu[k], du, S.Qu)
    add_transposed_vector(K, S.Qu, S.Vx)
    # V_xx = l_xx + Kᵀ (l_ux + l_uu K) + l_uxᵀ K + closedᵀ V_xx closed
    clear_rows(S.VA)
    add_product(S.Vxx, S.closed, S.VA)
    copy_rows(M.xx[k], S.Vxx)
    add_transposed_product(1.0, S.closed, S.VA, S.Vxx)
    copy_rows(M.ux[k], S.small)
    add_product(M.uu[k], K, S.small)
    add_transposed_product(1.0, K, S.small, S.Vxx)
    add_transposed_product(1.0, M.ux[k], K, S.Vxx)
    for i in range(n):
        for j in range(i):
            S.Vxx[i, j] = 0.5 * (S.Vxx[i, j] + S.Vxx[j, i])
            S.Vxx[j, i] = S.Vxx[i, j]


@kernel
def promise(M, F, S):
    """First and second derivative of the model's cost by α, by a linear roll-out, which is exact also with gaps."""
    T, n, m = M.B.shape
    dx, after, du = S.Vx, S.row, S.Qu
    slope, curvature = 0.0, 0.0
    for i in range(n):
        dx[i] = 0.0
    for k in range(T + 1):
        for i in range(n):
            slope += M.x[k, i] * dx[i]
            for j in range(n):
                curvature += dx[i] * M.xx[k, i, j] * dx[j]
        if k == T:
            break
        copy(F.feedforward[k], du)
        add_vector(F.gains[k], dx, du)
        for i in range(m):
            slope += M.u[k, i] * du[i]
            for j in range(n):
                curvature += 2.0 * du[i] * M.ux[k, i, j] * dx[j]
            for j in range(m):
                curvature += du[i] * M.uu[k, i, j] * du[j]
        for i in range(n):
            after[i] = -M.gaps[k, i]
        add_vector(M.A[k], dx, after)
        add_vector(M.B[k], du, after)
        copy(after, dx)
    F.figures[0], F.figures[1] = slope, curvature


@entry
def backward(M, mu, on_state, F, S):
    """Backward pass: fills F. Returns whether every Q_uu was positive definite."""
    T, _, m = M.B.shape
    F.figures[2] = 0.0
    copy(M.x[T], S.Vx)
    copy_rows(M.xx[T], S.Vxx)
    for k in range(T - 1, -1, -1):
        action_values(M, k, S)
        for i in range(m):
            F.figures[2] += S.Quu[i, i] / (T * m)
        regularise(M, k, mu, on_state, S)
        count = minimise(S.Quu, S.Qu, M.low[k], M.high[k], S.box, S.report)
        if count < 0:
            return False
        copy(S.box.x, F.feedforward[k])
        answer(S.box, count, S.Qux, F.gains[k])
        value_at(M, k, F.feedforward[k], F.gains[k], S)
    promise(M, F, S)
    return True
