"""Forces along coordinates of joints and tendons: the last rows of their nodes.

    τ + h c θ̇ + I_a (θ̇ - θ̇₋) + h k (θ̄ - θ₀) - h f - Σ servos ∓ γ - β = 0       τ: generalised impulse on the bodies [N m s]

θ̇ = (θ₊ - θ)/h over the step, θ̇₋ over the last one. Dampers and armature are implicit. Springs (and the position terms of
servos) act at θ̄ = (θ₋ + 2θ + θ₊)/4 ("midpoint": stable at any stiffness, no artificial damping), θ₊ ("implicit", damps) or θ
("explicit", the paper's). Limits: γ s = κ, s = ±(θ₊ - bound). Dry friction: β ∈ [-h F, h F], (hF + β) ν₊ = (hF - β) ν₋ = κ,
θ̇ = ν₊ - ν₋, so that a joint below its friction holds still.
"""

from dojo_py.hard.islands import NODES, in_span
from dojo_py.hard.joints.compound import solve_small
from dojo_py.hard.terms import BALL, EQ_TENDON, FREE
from dojo_py.jit import kernel
from dojo_py.rotation import log_jacobian, quat_conj_mul, quat_exp, quat_mul, rotation_vector

MIDPOINT, IMPLICIT, EXPLICIT = 0, 1, 2


@kernel
def spring_weights(scheme, h):
    """(w₊, w₋): θ̄ - θ = w₊ θ̇ - w₋ θ̇₋ [s]."""
    if scheme == MIDPOINT:
        return 0.25 * h, 0.25 * h
    if scheme == IMPLICIT:
        return h, 0.0
    return 0.0, 0.0


@kernel
def servo_impulse(A, i, h, w_new, w_old, angle, rate, rate_prev):
    """(impulse along the coordinate, its derivative by the rate) of servo i; the force is clamped to its range."""
    gear = A.servo_gear[i]
    length = gear * (angle + w_new * rate - w_old * rate_prev)
    force = A.servo_force[i] + A.servo_b1[i] * length + A.servo_b2[i] * gear * rate
    slope = gear * (A.servo_b1[i] * w_new + A.servo_b2[i])
    if force < A.servo_range[i, 0]:
        force, slope = A.servo_range[i, 0], 0.0
    elif force > A.servo_range[i, 1]:
        force, slope = A.servo_range[i, 1], 0.0
    return h * gear * force, h * gear * slope


@kernel
def solved_impulse(L, W, A, i, h, step, scheme):
    """Impulse of servo i over h [s] that lead where the solved step of length `step` does."""
    w_new, w_old = spring_weights(scheme, h)
    dof = A.servo_dof[i]
    rate = W.rows[L.dof_node[dof], L.dof_row[dof]] * step / h
    impulse, _ = servo_impulse(A, i, h, w_new, w_old, W.angle0[dof], rate, W.rate_prev[dof])
    return impulse


@kernel
def dof_law(L, W, A, h, scheme):
    """W.drive[i] = (b, D) of all coordinates at the present rates: smooth impulse τ = b - D θ̇ in linear form, servos included.

    h < 0 (see `_match_momentum` in parts.py): rotors only, for which no time passes.
    """
    rotors_only = h < 0.0
    h = max(h, 0.0)
    w_new, w_old = spring_weights(scheme, h)
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, m]]
        if j < 0:
            if L.eq_kind[-1 - j] >= EQ_TENDON:
                _tendon_law(L, W, L.eq_dof[-1 - j], h, w_new, w_old)
            continue
        k, first = L.ndof[j], L.vadr[j]
        spring = L.kind[j] != BALL and L.kind[j] != FREE
        for i in range(first, first + k):
            stiffness = L.dof_stiffness[i] if spring else 0.0
            offset = W.angle0[i] - L.dof_springref[i] - w_old * W.rate_prev[i] if spring else 0.0
            W.drive[i, 1] = h * L.dof_damping[i] + L.dof_armature[i] + h * stiffness * w_new
            W.drive[i, 0] = h * W.force[i] + L.dof_armature[i] * W.rate_prev[i] - h * stiffness * offset
    if rotors_only:
        return
    for a in range(A.servo_dof.shape[0]):
        i = A.servo_dof[a]
        if not in_span(W, L.dof_body[i]):
            continue
        rate = W.rows[L.dof_node[i], L.dof_row[i]]
        impulse, slope = servo_impulse(A, a, h, w_new, w_old, W.angle0[i], rate, W.rate_prev[i])
        W.drive[i, 1] -= slope
        W.drive[i, 0] += impulse - slope * rate


@kernel
def tendon_spring(L, W, dof, rate, w_new, w_old):
    """(stiffness, stretch at θ̄ for this rate) of the spring of tendon coordinate dof; none within its interval of rest."""
    t = dof - L.dof_joint.shape[0]
    length = W.angle0[dof] + w_new * rate - w_old * W.rate_prev[dof]
    if length > L.tendon_rest[t, 1]:
        return L.dof_stiffness[dof], length - L.tendon_rest[t, 1]
    if length < L.tendon_rest[t, 0]:
        return L.dof_stiffness[dof], length - L.tendon_rest[t, 0]
    return 0.0, 0.0


@kernel
def _tendon_law(L, W, dof, h, w_new, w_old):
    """`dof_law` of a tendon: linear on either side of its spring's interval of rest."""
    rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
    stiffness, stretch = tendon_spring(L, W, dof, rate, w_new, w_old)
    W.drive[dof, 1] = h * L.dof_damping[dof] + L.dof_armature[dof] + h * stiffness * w_new
    offset = stretch - w_new * rate if stretch != 0.0 else 0.0
    W.drive[dof, 0] = h * W.force[dof] + L.dof_armature[dof] * W.rate_prev[dof] - h * stiffness * offset


@kernel
def ball_law(L, W, j, h, scheme, s):
    """Spring of a ball joint: impulse -h k (rotation vector at θ̄) as W.ball[j] = [matrix by rate | value]. s: work (12, 12)."""
    n, first = L.node[j], L.vadr[j]
    stiffness = L.dof_stiffness[first]
    B = W.ball[j]
    for i in range(3):
        for k in range(4):
            B[i, k] = 0.0
    if stiffness == 0.0 or h < 0.0:
        return
    q, e, g, now, before, after = s[0, 0:4], s[1, 0:4], s[2, 0:4], s[3, 0:3], s[4, 0:3], s[5, 0:3]
    quat_conj_mul(L.base_quat[j], W.turn0[j], e)
    quat_conj_mul(L.spring_quat[j], e, q)
    rotation_vector(q, now)
    quat_exp(W.rate_prev[first : first + 3], -h, e)
    quat_mul(q, e, g)
    rotation_vector(g, before)
    quat_exp(W.rows[n, 3:6], h, e)
    quat_mul(q, e, g)
    rotation_vector(g, after)
    if scheme == MIDPOINT:
        a, b, c = 0.25, 0.5, 0.25
    elif scheme == IMPLICIT:
        a, b, c = 0.0, 0.0, 1.0
    else:
        a, b, c = 0.0, 1.0, 0.0
    for i in range(3):
        B[i, 3] = h * stiffness * (a * before[i] + b * now[i] + c * after[i])
    if c > 0.0:
        _by_rate(after, W.rows[n, 3:6], h, s[6:9, 0:3], s[9:12, 0:6])
        for i in range(3):
            for k in range(3):
                B[i, k] = h * stiffness * c * s[6 + i, k]


@kernel
def _by_rate(vector, rate, h, out, A):
    """out (3, 3) = d vector / d rate, for vector = log(q ⊗ exp(h rate)): h Jr⁻¹(vector) Jr(h rate). A: work (3, 6)."""
    for i in range(3):
        A[0, i] = h * rate[i]
    log_jacobian(A[0, 0:3], out)
    # Jr(h rate) = inverse of out
    B = A[0:3, 3:6]
    for i in range(3):
        for k in range(3):
            A[i, k] = out[i, k]
            B[i, k] = h * (i == k)
    solve_small(A[:, 0:3], B, 3, 3)
    log_jacobian(vector, A[:, 0:3])
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k]
