"""Forces along coordinates of joints and tendons: the last rows of their nodes.

    τ + h c θ̇ + I_a (θ̇ - θ̇₋) + h k (θ̄ - θ₀) - h f - Σ servos ∓ γ - β = 0       τ: generalised impulse on the bodies [N m s]

θ̇ = (θ₊ - θ)/h over the step, θ̇₋ over the last one. Dampers and armature are implicit. Springs (and the position terms of
servos) act at θ̄ = (θ₋ + 2θ + θ₊)/4 ("midpoint": stable at any stiffness, no artificial damping), θ₊ ("implicit", damps) or θ
("explicit", the paper's). Limits: γ s = κ, s = ±(θ₊ - bound). Dry friction: β ∈ [-h F, h F], (hF + β) ν₊ = (hF - β) ν₋ = κ,
θ̇ = ν₊ - ν₋, so that a joint loaded by less than its friction does not move.

Nonlinear springs act with the mean of their forces, (F(θ₋) + 2 F(θ) + F(θ₊))/4 for "midpoint", which for linear ones is the same as
above (Newmark's method with β = 1/4: the trapezoidal rule, which conserves a nearby energy):

    spring    F(x) = k x + k₁ x² + k₂ x³        of balls and free joints  (k + k₁ |x| + k₂ |x|²) x,  rotation and origin apart
    damper    c θ̇ + c₁ |θ̇| θ̇ + c₂ θ̇³
"""

import math

from dojo_py.algebra.rotations import exp_jacobian, log_jacobian, quat_conj_mul, quat_exp, quat_mul, rotation_vector
from dojo_py.arrays import scratch
from dojo_py.hard.islands import NODES, in_span
from dojo_py.hard.terms import EQ_TENDON, FREE
from dojo_py.jit import kernel

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
def spring_shares(scheme):
    """(a, b, c): a spring's impulse is h (a F(θ₋) + b F(θ) + c F(θ₊))."""
    if scheme == MIDPOINT:
        return 0.25, 0.5, 0.25
    if scheme == IMPLICIT:
        return 0.0, 0.0, 1.0
    return 0.0, 1.0, 0.0


@kernel
def curved_spring(L, W, dof, rate, h):
    """(mean force of the terms k₁ x² + k₂ x³, its derivatives by rate, coordinate and old rate) of a hinge's or slide's spring."""
    k1, k2 = L.dof_stiffness_poly[dof, 0], L.dof_stiffness_poly[dof, 1]
    if k1 == 0.0 and k2 == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    a, b, c = spring_shares(W.options.springs)
    now = W.angle0[dof] - L.dof_springref[dof]
    before, after = now - h * W.rate_prev[dof], now + h * rate
    force = a * before * before * (k1 + k2 * before) + b * now * now * (k1 + k2 * now) + c * after * after * (k1 + k2 * after)
    old, new = a * before * (2.0 * k1 + 3.0 * k2 * before), c * after * (2.0 * k1 + 3.0 * k2 * after)
    return force, h * new, old + b * now * (2.0 * k1 + 3.0 * k2 * now) + new, -h * old


@kernel
def curved_damper(L, dof, rate):
    """(force c₁ |θ̇| θ̇ + c₂ θ̇³ of a coordinate's damper, its derivative by the rate)."""
    s = abs(rate)
    c1, c2 = L.dof_damping_poly[dof, 0] * s, L.dof_damping_poly[dof, 1] * s * s
    return (c1 + c2) * rate, 2.0 * c1 + 3.0 * c2


@kernel
def servo_force(A, i, w_new, w_old, angle, rate, rate_prev):
    """(force of servo i before it is clamped, its derivative by the rate)."""
    gear = A.servo_gear[i]
    length = gear * (angle + w_new * rate - w_old * rate_prev)
    force = A.servo_force[i] + A.servo_b1[i] * length + A.servo_b2[i] * gear * rate
    return force, gear * (A.servo_b1[i] * w_new + A.servo_b2[i])


@kernel
def not_across(alpha, force, change, lower, upper):
    """alpha, reduced to where the force is in the middle of its range if alpha times its change takes it from beyond one end of
    the range to beyond the other.
    """
    there = force + alpha * change
    if (force > upper and there < lower) or (force < lower and there > upper):
        return (0.5 * (lower + upper) - force) / change
    return alpha


@kernel
def servo_impulse(A, i, h, w_new, w_old, angle, rate, rate_prev):
    """(impulse along the coordinate, its derivative by the rate) of servo i; the force is clamped to its range."""
    gear = A.servo_gear[i]
    force, slope = servo_force(A, i, w_new, w_old, angle, rate, rate_prev)
    if force < A.servo_range[i, 0]:
        force, slope = A.servo_range[i, 0], 0.0
    elif force > A.servo_range[i, 1]:
        force, slope = A.servo_range[i, 1], 0.0
    return h * gear * force, h * gear * slope


@kernel
def solved_impulse(L, W, A, i, h, step):
    """Impulse of servo i over h [s] in which its coordinate changes by as much as in the solved step of length `step`."""
    w_new, w_old = spring_weights(W.options.springs, h)
    dof = A.servo_dof[i]
    rate = W.rows[L.dof_node[dof], L.dof_row[dof]] * step / h
    impulse, _ = servo_impulse(A, i, h, w_new, w_old, W.angle0[dof], rate, W.rate_prev[dof])
    return impulse


@kernel
def dof_law(L, W, A, h):
    """W.drive[i] = (b, D) of all coordinates at the present rates: smooth impulse τ = b - D θ̇ in linear form, servos included.

    h < 0 (see momentum_matching.py): rotor inertias only, as no time passes.
    """
    rotors_only = h < 0.0
    h = max(h, 0.0)
    w_new, w_old = spring_weights(W.options.springs, h)
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, m]]
        if j < 0:
            if L.eq_kind[-1 - j] >= EQ_TENDON:
                _tendon_law(L, W, L.eq_dof[-1 - j], h)
            continue
        k, first = L.ndof[j], L.vadr[j]
        for i in range(first, first + k):
            spring = L.dof_vector[i] < 0
            stiffness = L.dof_stiffness[i] if spring else 0.0
            offset = W.angle0[i] - L.dof_springref[i] - w_old * W.rate_prev[i] if spring else 0.0
            W.drive[i, 1] = h * L.dof_damping[i] + L.dof_armature[i] + h * stiffness * w_new
            W.drive[i, 0] = h * W.force[i] + L.dof_armature[i] * W.rate_prev[i] - h * stiffness * offset
            _add_curved(L, W, i, h, spring)
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
def _add_curved(L, W, dof, h, spring):
    """Part of `dof_law`: the nonlinear terms of damper and spring, linearised at the present rate."""
    rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
    force, slope = curved_damper(L, dof, rate)
    if spring:
        pull, by_rate, _, _ = curved_spring(L, W, dof, rate, h)
        force, slope = force + pull, slope + by_rate
    W.drive[dof, 1] += h * slope
    W.drive[dof, 0] += h * (slope * rate - force)


@kernel
def tendon_spring(L, W, dof, rate, h):
    """(mean force, its derivatives by rate, length, old rate) of the spring of tendon coordinate dof."""
    a, b, c = spring_shares(W.options.springs)
    length = W.angle0[dof]
    old_force, old = tendon_force(L, dof, length - h * W.rate_prev[dof])
    force, slope = tendon_force(L, dof, length)
    new_force, new = tendon_force(L, dof, length + h * rate)
    return a * old_force + b * force + c * new_force, c * h * new, a * old + b * slope + c * new, -a * h * old


@kernel
def tendon_stretch(L, dof, length):
    """By how much a length of tendon coordinate dof is above (positive) or below (negative) its interval of rest."""
    t = dof - L.dof_joint.shape[0]
    return max(length - L.tendon_rest[t, 1], 0.0) + min(length - L.tendon_rest[t, 0], 0.0)


@kernel
def tendon_force(L, dof, length):
    """(force, stiffness) of the spring of tendon coordinate dof at a length; none within its interval of rest."""
    x = tendon_stretch(L, dof, length)
    if x == 0.0:
        return 0.0, 0.0
    k, k1, k2 = L.dof_stiffness[dof], L.dof_stiffness_poly[dof, 0], L.dof_stiffness_poly[dof, 1]
    return x * (k + x * (k1 + x * k2)), k + x * (2.0 * k1 + 3.0 * x * k2)


@kernel
def _tendon_law(L, W, dof, h):
    """`dof_law` of a tendon, linearised at the present rate."""
    rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
    force, slope, _, _ = tendon_spring(L, W, dof, rate, h)
    curved, its_slope = curved_damper(L, dof, rate)
    W.drive[dof, 1] = h * L.dof_damping[dof] + L.dof_armature[dof] + h * (slope + its_slope)
    W.drive[dof, 0] = h * W.force[dof] + L.dof_armature[dof] * W.rate_prev[dof]
    W.drive[dof, 0] += h * ((slope + its_slope) * rate - force - curved)


@kernel
def has_vector_spring(L, j):
    """Whether joint j has a ball, or is a free joint, with a spring."""
    if L.rotation[j] < 0:
        return False
    first = L.vadr[j] + L.rotation[j]
    return L.dof_stiffness[first] != 0.0 or L.dof_stiffness_poly[first, 0] != 0.0 or L.dof_stiffness_poly[first, 1] != 0.0


@kernel
def vector_springs(L, W, j, h):
    """Spring of a ball or of free joint j: impulses -W.pull[j] (6, 4) = [matrix by its three rates | value] along the node's rows.

    Rows of the rotation: by the rotation vector from the orientation at rest; 0-2 of free joints: by the origin's displacement.
    """
    n, first, spin = L.node[j], L.vadr[j], L.vadr[j] + L.rotation[j]
    B = W.pull[j]
    for i in range(6):
        for k in range(4):
            B[i, k] = 0.0
    if h < 0.0 or not has_vector_spring(L, j):
        return
    _, _, c = spring_shares(W.options.springs)
    q, e, g = scratch(4), scratch(4), scratch(4)
    now, before, after, T = scratch(3), scratch(3), scratch(3), scratch((3, 3))
    if L.kind[j] == FREE:
        for i in range(3):
            now[i] = W.origin0[j, i] - L.dof_springref[first + i]
            before[i] = now[i] - h * W.rate_prev[first + i]
            after[i] = now[i] + h * W.rows[n, i]
            for k in range(3):
                T[i, k] = h * (i == k)
        _add_pull(L, spin, h, W.options.springs, before, now, after, T, B[0:3])
    row = L.dof_row[spin]
    rates = W.rows[n, row : row + 3]
    quat_conj_mul(L.spring_quat[j], W.turn0[j], q)
    rotation_vector(q, now)
    quat_exp(W.rate_prev[spin : spin + 3], -h, e)
    quat_mul(q, e, g)
    rotation_vector(g, before)
    quat_exp(rates, h, e)
    quat_mul(q, e, g)
    rotation_vector(g, after)
    if c > 0.0:
        _by_rate(after, rates, h, T)
    _add_pull(L, spin, h, W.options.springs, before, now, after, T, B[row : row + 3])


@kernel
def _add_pull(L, first, h, scheme, before, now, after, T, B):
    """B (3, 4) += impulse of the spring with the coefficients of coordinate `first`.

    before, now, after (3,): displacements; T (3, 3): derivative of `after` by the rates.
    """
    a, b, c = spring_shares(scheme)
    old, _ = _vector_stiffness(L, first, before)
    present, _ = _vector_stiffness(L, first, now)
    new, bend = _vector_stiffness(L, first, after)
    for i in range(3):
        B[i, 3] += h * (a * old * before[i] + b * present * now[i] + c * new * after[i])
        if c > 0.0:
            for k in range(3):
                along = after[0] * T[0, k] + after[1] * T[1, k] + after[2] * T[2, k]
                B[i, k] += h * c * (new * T[i, k] + bend * after[i] * along)


@kernel
def _vector_stiffness(L, first, x):
    """(κ, β) at a displacement x (3,):  F = κ x,  ∂F/∂x = κ I + β x xᵀ,  κ = k + k₁ |x| + k₂ |x|²,  β = k₁/|x| + 2 k₂."""
    k1, k2 = L.dof_stiffness_poly[first, 0], L.dof_stiffness_poly[first, 1]
    if k1 == 0.0 and k2 == 0.0:
        return L.dof_stiffness[first], 0.0
    size = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    return L.dof_stiffness[first] + size * (k1 + size * k2), (k1 / size if size > 0.0 else 0.0) + 2.0 * k2


@kernel
def _by_rate(vector, rate, h, out):
    """out (3, 3) = d vector / d rate, for vector = log(q ⊗ exp(h rate)): h Jr⁻¹(vector) Jr(h rate)."""
    moved, A, B = scratch(3), scratch((3, 3)), scratch((3, 3))
    for i in range(3):
        moved[i] = h * rate[i]
    exp_jacobian(moved, B)
    log_jacobian(vector, A)
    for i in range(3):
        for k in range(3):
            out[i, k] = h * (A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k])
