"""Limits of joints and tendons: their distance at the next pose, and for balls how it turns with the joint."""

import math

from dojo_py.jit import kernel
from dojo_py.rotation import log_jacobian, quat_conj_mul, rotation_vector

ROUND_OFF = 4.0 * 2.22e-16
"""Relative error of a sum of a few terms: rows of Newton's equations that are smaller count as solved."""

UNSURE = 2e-15
"""Relative error of positions and angles at convergence: of [m] or [rad] for every metre or radian. Larger than ROUND_OFF."""


@kernel
def limit_distance(L, W, l, h, axis, s):
    """Distance of limit l to its bound at the next pose [rad or m]. axis (3,): ball joints, the axis of its rotation."""
    dof = L.limit_dof[l]
    sign = L.limit_sign[l]
    if sign != 0.0:
        return W.limit_allowance[l] + sign * (W.angle0[dof] + h * W.rows[L.dof_node[dof], L.dof_row[dof]] - L.limit_bound[l])
    j = L.dof_joint[dof]
    q_rel, q = s[110, 0:4], s[111, 0:4]
    quat_conj_mul(W.qn[L.parent[j]], W.qn[L.child[j]], q_rel)
    quat_conj_mul(L.base_quat[j], q_rel, q)
    rotation_vector(q, axis)
    angle = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    scale = 1.0 / max(angle, 1e-12)
    for i in range(3):
        axis[i] *= scale
    return W.limit_allowance[l] + L.limit_bound[l] - angle


@kernel
def ball_limit_rows(L, W, l, n, h, axis, distance, T, s):
    """T (3, 3) = d rotation vector of the joint / d rate of its coordinates."""
    from_start, A, B = s[116, 0:3], s[117:120, 0:3], s[117:120, 3:6]
    for i in range(3):
        from_start[i] = h * W.rows[n, 3 + i]
    # δΔ = Jr⁻¹(Δ) δφ, δr = Jr⁻¹(r) δφ
    log_jacobian(from_start, A)
    for i in range(3):
        for k in range(3):
            B[i, k] = h * (i == k)
    _solve3(A, B)
    r = s[116, 3:6]
    for i in range(3):
        r[i] = axis[i] * (L.limit_bound[l] + W.limit_allowance[l] - distance)
    log_jacobian(r, A)
    for i in range(3):
        for k in range(3):
            T[i, k] = A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k]


@kernel
def _solve3(A, B):
    """B = A⁻¹ B for (3, 3), by cofactors; A is overwritten."""
    a, b, c = A[0, 0], A[0, 1], A[0, 2]
    d, e, f = A[1, 0], A[1, 1], A[1, 2]
    g, k, i = A[2, 0], A[2, 1], A[2, 2]
    inv = 1.0 / (a * (e * i - f * k) - b * (d * i - f * g) + c * (d * k - e * g))
    A[0, 0], A[0, 1], A[0, 2] = (e * i - f * k) * inv, (c * k - b * i) * inv, (b * f - c * e) * inv
    A[1, 0], A[1, 1], A[1, 2] = (f * g - d * i) * inv, (a * i - c * g) * inv, (c * d - a * f) * inv
    A[2, 0], A[2, 1], A[2, 2] = (d * k - e * g) * inv, (b * g - a * k) * inv, (a * e - b * d) * inv
    for col in range(3):
        p, q, r = B[0, col], B[1, col], B[2, col]
        for row in range(3):
            B[row, col] = A[row, 0] * p + A[row, 1] * q + A[row, 2] * r
