"""Limits of joints and tendons: distance at the next pose, and for balls the derivative of the rotation vector by the rates.

A ball with the rotation vector r may rotate by θ at most:

    s = (θ² - |r|²) / 2θ  ≥ 0        impulse along its coordinates  γ ∂s/∂r = -γ r/θ

At the bound s is θ - |r| to first order, and r/θ the axis. On the central path γ = κ/s gives what the two bounds ±θ of a hinge
give, -2κ r/(θ² - |r|²), and nothing at r = 0. (θ - |r| itself has a kink there: steps of a ball near its reference pose were not
solved.)
"""

import math

from dojo_py.algebra.rotations import exp_jacobian, log_jacobian, quat_exp, quat_mul, rotation_vector
from dojo_py.arrays import scratch
from dojo_py.jit import kernel

ROUND_OFF = 4.0 * 2.22e-16
"""Relative error of a sum of a few terms: rows of Newton's equations that are smaller count as solved."""

UNSURE = 2e-15
"""Relative error of positions and angles at convergence: of [m] or [rad] for every metre or radian. Larger than ROUND_OFF."""


@kernel
def limit_distance(L, W, l, h, axis):
    """Distance of limit l to its bound at the next pose [rad or m]. axis (3,): of a ball joint, r/θ, see above."""
    dof = L.limit_dof[l]
    sign = L.limit_sign[l]
    if sign != 0.0:
        return W.limit_allowance[l] + sign * (W.angle0[dof] + h * W.rows[L.dof_node[dof], L.dof_row[dof]] - L.limit_bound[l])
    row = L.dof_row[dof]
    turn, q = scratch(4), scratch(4)
    quat_exp(W.rows[L.dof_node[dof], row : row + 3], h, turn)
    quat_mul(W.turn0[L.dof_joint[dof]], turn, q)
    rotation_vector(q, axis)
    distance = W.limit_allowance[l] + room_of_ball(axis, L.limit_bound[l])
    for i in range(3):
        axis[i] /= L.limit_bound[l]
    return distance


@kernel
def room_of_ball(r, most):
    """Distance [rad] of a ball's rotation vector r (3,) to the greatest angle, see above."""
    return 0.5 * (most - (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / most)


@kernel
def start_room(L, W, l):
    """Distance of limit l to its bound where the step starts [rad or m], negative beyond it."""
    dof = L.limit_dof[l]
    if L.limit_sign[l] != 0.0:
        return L.limit_sign[l] * (W.angle0[dof] - L.limit_bound[l])
    r = scratch(3)
    rotation_vector(W.turn0[L.dof_joint[dof]], r)
    return room_of_ball(r, L.limit_bound[l])


@kernel
def undone(L, W, l, way):
    """By how much the distance to the bound of limit l grows [rad or m] if the coordinate, beyond it where the step starts, goes
    back by `way` [rad or m], and no farther than to the bound.
    """
    if L.limit_sign[l] != 0.0:
        return way
    r, most = scratch(3), L.limit_bound[l]
    rotation_vector(W.turn0[L.dof_joint[L.limit_dof[l]]], r)
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    back = max(angle - way, most)
    return max(angle - back, 0.0) * 0.5 * (angle + back) / most


@kernel
def ball_limit_rows(L, W, l, n, h, axis, T):
    """T (3, 3) = d rotation vector of the ball / d rate of its coordinates. axis (3,): of limit_distance."""
    from_start, r, A, B = scratch(3), scratch(3), scratch((3, 3)), scratch((3, 3))
    for i in range(3):
        from_start[i] = h * W.rows[n, L.dof_row[L.limit_dof[l]] + i]
    # δφ = Jr(Δ) δΔ, δr = Jr⁻¹(r) δφ
    exp_jacobian(from_start, B)
    for i in range(3):
        r[i] = axis[i] * L.limit_bound[l]
    log_jacobian(r, A)
    for i in range(3):
        for k in range(3):
            T[i, k] = h * (A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k])
