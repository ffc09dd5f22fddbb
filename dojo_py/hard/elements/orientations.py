"""Servos of orientations in a hard step: three torques between two bodies, taken implicitly, one node of the graph each.

    0 = λ - h F                     λ: impulse on body two along the axes of frame two [N m s], the opposite on body one
    F = P(kp (a e₋ + b e + c e₊) - kv Δ/h),     e = log(q* ⊗ p),   Δ = log(q* ⊗ q₊)

q: orientation of frame two relative to frame one, where the step starts; q₋, q₊: one interval before, and where it ends; (a, b, c):
weights by the option `springs`, as for springs and other servos (dof_rows.py), so that stiff gains stay stable. P shortens the
torque to its bound. The sense of rotation is the shorter one where the step starts and is kept within it: e₊ may be longer than π.

    ∂e/∂φ = -Jr⁻¹(-e),   ∂Δ/∂φ₊ = Jr⁻¹(Δ),   ∂Δ/∂φ = -Jr⁻¹(-Δ)         q ⊗ exp(φ), Jr⁻¹(v) = I + ½ [v]ₓ + k(|v|) [v]ₓ²
"""

from __future__ import annotations

import math

from dojo_py.algebra.quaternions import inverse_jacobian, product, quaternion, seen_from, short_way, this_way
from dojo_py.algebra.rotations import quat_mul, quat_to_matrix, step_quaternion
from dojo_py.algebra.vectors import along, dot, matrix, plus, times, turned, turned_back
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.elements.dof_rows import spring_shares
from dojo_py.hard.elements.joint_rows import times_tangent
from dojo_py.hard.islands import NODES
from dojo_py.hard.terms import EQ_ORIENTATION
from dojo_py.jit import kernel

KP, KV, BOUND = 0, 1, 2
"""Columns of `Servos.orient_law` [N m/rad, N m s/rad, N m]."""


@kernel
def relative(one, two, frames):
    """Orientation of frame two relative to frame one. one, two: orientations of their bodies; frames (2, 4)."""
    return seen_from(product(one, quaternion(frames[0])), product(two, quaternion(frames[1])))


@kernel
def sum_of(A, B):
    """A + B, nine numbers each."""
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@kernel
def bounded(F, bound):
    """F, shortened to at most `bound`."""
    size = math.sqrt(dot(F, F))
    return F if size <= bound else times(bound / size, F)


@kernel
def bounded_change(F, bound, change):
    """Change of the shortened F by one of F:  bound/|F| (I - u uᵀ) δF where it is shortened."""
    size = math.sqrt(dot(F, F))
    if size <= bound:
        return change
    u = times(1.0 / size, F)
    return times(bound / size, along(change, -dot(u, change), u))


@kernel
def whole_torque(A, k, q_before, q, q_after, h, scheme):
    """F of servo k before it is bounded."""
    a, b, c = spring_shares(scheme)
    p = quaternion(A.orient_target[k])
    e = plus(times(a, this_way(q_before, p)), plus(times(b, this_way(q, p)), times(c, this_way(q_after, p))))
    return along(times(A.orient_law[k, KP], e), -A.orient_law[k, KV] / h, short_way(q, q_after))


@kernel
def torque_slopes(A, k, q_before, q, q_after, h, scheme):
    """∂F/∂φ₋, ∂F/∂φ, ∂F/∂φ₊ of servo k before F is bounded, nine numbers each."""
    a, b, c = spring_shares(scheme)
    kp, kv, p = A.orient_law[k, KP], A.orient_law[k, KV], quaternion(A.orient_target[k])
    turn = short_way(q, q_after)
    back = inverse_jacobian(times(-1.0, this_way(q_before, p)), -kp * a)
    here = sum_of(inverse_jacobian(times(-1.0, this_way(q, p)), -kp * b), inverse_jacobian(times(-1.0, turn), kv / h))
    there = sum_of(inverse_jacobian(times(-1.0, this_way(q_after, p)), -kp * c), inverse_jacobian(turn, -kv / h))
    return back, here, there


@kernel
def body_before(W, b, h):
    """Orientation of body b an interval h before the step starts."""
    if b < 0:
        return 1.0, 0.0, 0.0, 0.0
    turn, q = scratch(4), scratch(4)
    step_quaternion(W.v_prev[b, 3:6], -h, turn)
    quat_mul(W.q[b], turn, q)
    return quaternion(q)


@kernel
def orientations(L, W, e, h):
    """(q₋, q, q₊) of the servo that is closure e. h [s]: the interval that W.v_prev belongs to."""
    one, two, frames = L.eq_bodies[e, 0], L.eq_bodies[e, 1], L.eq_frames[e]
    before = relative(body_before(W, one, h), body_before(W, two, h), frames)
    one, two = body_row(W.q, one), body_row(W.q, two)
    now = relative(quaternion(W.q[one]), quaternion(W.q[two]), frames)
    return before, now, relative(quaternion(W.qn[one]), quaternion(W.qn[two]), frames)


@kernel
def orientation_impulse(L, W, A, k, h, step):
    """(3,) impulse of servo k over an interval h [s] that ends where the solved step of length `step` does; 0 without a closure."""
    e = A.orient_closure[k]
    if e < 0:
        return 0.0, 0.0, 0.0
    before, now, after = orientations(L, W, e, step)
    return times(h, bounded(whole_torque(A, k, before, now, after, h, W.options.springs), A.orient_law[k, BOUND]))


@kernel
def orientation_place(L, A, k):
    """Place of the node of servo k in the elimination order."""
    return L.place_node[L.node_joint.shape[0] - L.eq_kind.shape[0] + A.orient_closure[k]]


@kernel
def turning_axes(L, e):
    """Nine numbers, columns: the axes of frame two of closure e in its body."""
    axes = scratch((3, 3))
    quat_to_matrix(L.eq_frames[e, 1], axes)
    return matrix(axes)


@kernel
def start_orientation(L, W, e, G):
    """Directions G (4, 6, 8) of the torques where the step starts: along the axes of frame two on body two, against them on one."""
    one, two = body_row(W.R, L.eq_bodies[e, 0]), body_row(W.R, L.eq_bodies[e, 1])
    S, R1, R2 = turning_axes(L, e), matrix(W.R[one]), matrix(W.R[two])
    for r in range(3):
        axis = (S[r], S[3 + r], S[6 + r])
        _put_row(G[1], r, axis, 1.0)
        _put_row(G[0], r, turned_back(R1, turned(R2, axis)), -1.0)


@kernel
def _put_row(G, r, v, sign):
    """Angular part of row r of G (6, 8)."""
    G[r, 3], G[r, 4], G[r, 5] = sign * v[0], sign * v[1], sign * v[2]


@kernel
def evaluate_orientations(L, W, A, h):
    """W.rows = -h F of the servos at the next poses, W.Ceq their Jacobians. h < 0: servos do nothing (`dof_law`)."""
    if A.orient_law.shape[0] == 0:
        return
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        e = -1 - L.node_joint[n]
        if e >= 0 and L.eq_kind[e] == EQ_ORIENTATION:
            _evaluate(L, W, A, n, e, L.eq_servo[e], h)


@kernel
def _evaluate(L, W, A, n, e, k, h):
    """`evaluate_orientations` of servo k, closure e, whose node is n."""
    W.rows[n, :] = 0.0
    W.Ceq[e, :, :, :] = 0.0
    A.orient_whole[k, :] = 0.0
    A.orient_by[k, :, :, :] = 0.0
    if h < 0.0:
        return
    before, now, after = orientations(L, W, e, h)
    bound, F = A.orient_law[k, BOUND], whole_torque(A, k, before, now, after, h, W.options.springs)
    _, _, slope = torque_slopes(A, k, before, now, after, h, W.options.springs)
    rows = body_row(W.Rn, L.eq_bodies[e, 0]), body_row(W.Rn, L.eq_bodies[e, 1])
    S, R1, R2 = turning_axes(L, e), matrix(W.Rn[rows[0]]), matrix(W.Rn[rows[1]])
    torque = bounded(F, bound)
    for r in range(3):
        A.orient_force[k, r], A.orient_whole[k, r] = torque[r], F[r]
        W.rows[n, r] = -h * torque[r]
        own = turned(S, (slope[3 * r], slope[3 * r + 1], slope[3 * r + 2]))
        other = times(-1.0, turned_back(R1, turned(R2, own)))
        _put_row(W.Ceq[e, 1], r, own, 1.0)
        _put_row(W.Ceq[e, 0], r, other, 1.0)
    for side in range(2):
        C, by = W.Ceq[e, side], A.orient_by[k, side]
        for r in range(3):
            times_tangent(C[r], W.hG[rows[side]], 1.0)
        for i in range(3):
            change = bounded_change(F, bound, (C[0, 3 + i], C[1, 3 + i], C[2, 3 + i]))
            for r in range(3):
                by[r, i] = C[r, 3 + i]
                C[r, 3 + i] = -h * change[r]


@kernel
def inside_orientation_bounds(L, W, A, h, alpha):
    """alpha, reduced where a torque would go from beyond its bound on one side to beyond it on the other: to where it is least.

    As `inside_servo_ranges` in step_bounds.py: a servo is stiff within its bound and has no stiffness beyond it.
    """
    if h < 0.0:
        return alpha
    for m in range(W.span[NODES, 0] if A.orient_law.shape[0] > 0 else W.span[NODES, 1], W.span[NODES, 1]):
        e = -1 - L.node_joint[W.members[NODES, m]]
        if e < 0 or L.eq_kind[e] != EQ_ORIENTATION:
            continue
        k = L.eq_servo[e]
        bound = A.orient_law[k, BOUND]
        F, change = _whole(A, k), _whole_change(L, W, A, e, k)
        size = dot(change, change)
        if not dot(F, F) > bound * bound or not size > 0.0:
            continue
        nearest = -dot(F, change) / size
        there = along(F, alpha, change)
        if 0.0 < nearest < alpha and dot(F, there) < 0.0 and dot(there, there) > bound * bound:
            alpha = nearest
    return alpha


@kernel
def _whole(A, k):
    return A.orient_whole[k, 0], A.orient_whole[k, 1], A.orient_whole[k, 2]


@kernel
def _whole_change(L, W, A, e, k):
    """Change of F before it is bounded by the step of the velocities."""
    total = (0.0, 0.0, 0.0)
    for side in range(2):
        b = L.eq_bodies[e, side]
        if b >= 0:
            total = plus(total, turned(matrix(A.orient_by[k, side]), (W.dv[b, 3], W.dv[b, 4], W.dv[b, 5])))
    return total
