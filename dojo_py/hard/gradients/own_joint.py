"""Rows of the joint whose coordinate or rate moves: its constraint rows, its law, and its impulses on both bodies.

impulses      Gᵀ Λ on child and parent, G by the coordinate; Λ: impulses of the rows, joint couplings included
rows          C e, e the velocity that would move the next pose of the child rigidly as the coordinate does;
              minus the reference coordinate
law           of springs, armature, servos, limits and dry friction, by the coordinate, the rate before, and the rates C e
"""

from dojo_py.algebra.rotations import log_jacobian, quat_exp, turn_back
from dojo_py.arrays import scratch, zeros
from dojo_py.hard.elements.ball_servos import vector_laws
from dojo_py.hard.elements.dof_rows import curved_spring, has_vector_spring, spring_weights
from dojo_py.hard.elements.limits import ball_limit_rows, limit_distance
from dojo_py.hard.gradients.impulse_change import impulse_change
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.jit import kernel


@kernel
def own_joint_column(L, W, A, G, j, i, part, column, h):
    """Rows of the joint whose coordinate (part 0) or rate (part 1) i moves."""
    n, dof, k = L.node[j], L.vadr[j] + i, L.ndof[j]
    if n < 0:
        return
    a, b = L.parent[j], L.child[j]
    x = G.columns[L.place_node[n]]
    rates, law = zeros(6), zeros(6)
    if part == 0:
        change, F, p = scratch((3, 6)), zeros(3), G.here[dof]
        impulse_change(L, W, A, G, j, n, dof, h, change)
        for r in range(3):
            for m in range(6):
                F[r] += G.impulse[n, m, r] * G.load[n, m]
        child = G.columns[L.place_body[b]]
        child[0, column] += change[0, 0] - (p[4] * F[2] - p[5] * F[1])
        child[1, column] += change[0, 1] - (p[5] * F[0] - p[3] * F[2])
        child[2, column] += change[0, 2] - (p[3] * F[1] - p[4] * F[0])
        for r in range(3, 6):
            child[r, column] += change[0, r]
        if a >= 0:
            for r in range(6):
                G.columns[L.place_body[a], r, column] += change[1, r]
        for r in range(6):
            law[r] += change[2, r]
        _rate_change(L, W, G, j, n, b, i, p, h, rates)
        if L.rotation[j] >= 0 and L.dof_qadr[dof] < 0:
            _ball_limit_change(L, W, j, i - L.rotation[j], h, law)
    for r in range(6):
        G.own[dof, r] = rates[r] if part == 0 else G.own[dof, r]
    _law_change(L, W, A, G, j, i, part, h, rates, law)
    for r in range(6 - k):
        x[r, column] -= rates[r]
    for m in range(k):
        x[6 - k + m, column] -= W.row_scale[L.vadr[j] + m] * law[6 - k + m]


@kernel
def _rate_change(L, W, G, j, n, b, i, p, h, rates):
    """rates (6,): change of the node's rows / h by the rigid motion p (6,) of its child, and of the reference coordinate."""
    k, e = L.ndof[j], scratch(6)
    as_velocity(W, G, b, p, h, e)
    for r in range(6):
        for m in range(6):
            rates[r] += W.Cb[n, r, m] * e[m]
    if L.dof_qadr[L.vadr[j] + i] < 0:  # of a rotation Δ = log(q* q₊):  -Jr⁻¹(-Δ)
        vector, J, row = scratch(3), scratch((3, 3)), 6 - k + L.rotation[j]
        for r in range(3):
            vector[r] = -h * W.rows[n, row + r]
        log_jacobian(vector, J)
        for r in range(3):
            rates[row + r] -= J[r, i - L.rotation[j]] / h
    else:
        rates[6 - k + i] -= 1.0 / h


@kernel
def _law_change(L, W, A, G, j, i, part, h, rates, law):
    """law (6,): change of the coordinate rows (without impulses): springs, armature, servos, limits, dry friction."""
    k, first = L.ndof[j], L.vadr[j]
    dof = first + i
    time = max(h, 0.0)  # (h < 0: rotors only, see `dof_law`)
    _, w_old = spring_weights(W.options.springs, time)
    spring = L.dof_vector[dof] < 0
    stiffness = L.dof_stiffness[dof] if spring else 0.0
    row = 6 - k + i
    by_coordinate, by_old_rate = 0.0, 0.0
    if spring:
        _, _, by_coordinate, by_old_rate = curved_spring(L, W, dof, W.rows[L.node[j], row], time)
    if part == 0:
        law[row] += time * (stiffness + by_coordinate)
    else:
        law[row] -= L.dof_armature[dof] + time * (stiffness * w_old - by_old_rate)
        if not spring and has_vector_spring(L, j):
            _old_rate_change(L, W, A, j, dof, h, law)
    for a in range(A.servo_dof.shape[0]):
        if A.servo_dof[a] == dof:
            gain = time * A.servo_gear[a] * A.servo_gear[a] * A.servo_b1[a]
            if G.servo_free[a]:
                law[row] -= gain if part == 0 else -gain * w_old
    if part == 0:
        law[row] += limit_stiffness(L, W, dof, True)
    law_by_rates(L, W, j, h, rates, law)


@kernel
def law_by_rates(L, W, j, h, rates, law):
    """law (6,) += change of the coordinate rows of joint j by its rates (6,): its law, limits and dry friction condensed."""
    k, first = L.ndof[j], L.vadr[j]
    for m in range(k):
        rate, r = rates[6 - k + m], 6 - k + m
        law[r] += slope_by_rate(L, W, first + m, h) * rate
        if L.dof_vector[first + m] >= 0:
            for q in range(3):
                law[r] += W.pull[j, r, q] * rates[6 - k + L.dof_vector[first + m] - first + q]
    m = _ball_limit(L, W, j)
    if m >= 0:
        l, n, axis, T = W.limit_active[m], L.node[j], scratch(3), scratch((3, 3))
        limit_distance(L, W, l, h, axis)
        ball_limit_rows(L, W, l, n, h, axis, T)
        row = 6 - k + L.rotation[j]
        _add_ball_limit(L, W, m, axis, T, rates[row : row + 3], law[row : row + 3])


@kernel
def slope_by_rate(L, W, dof, h):
    """Derivative of a coordinate's law by its rate, limits and dry friction condensed."""
    slope, bound = W.drive[dof, 1], h * L.dof_frictionloss[dof]
    if bound > 0.0:
        f = W.fric[dof]
        slope += 1.0 / (f[1] / (bound + f[0]) + f[2] / (bound - f[0]))
    return slope + h * limit_stiffness(L, W, dof, False)


@kernel
def limit_stiffness(L, W, dof, by_coordinate):
    """Sum of γ/s over the active limits of a coordinate. by_coordinate: without those that follow the coordinate at the start.

    A bound that is crossed already is moved to where the coordinate is when the step starts (see start_step).
    """
    total = 0.0
    for side in range(2):
        q = W.dof_limit[dof, side]
        l = W.limit_active[q] if q >= 0 else -1
        if q >= 0 and L.limit_sign[l] != 0.0 and not (by_coordinate and W.limit_allowance[l] != 0.0):
            total += W.lim[q, 0] / W.lim[q, 1]
    return total


@kernel
def _ball_limit(L, W, j):
    """Index of the limit of joint j's ball among the active ones, -1: none."""
    return W.dof_limit[L.vadr[j] + L.rotation[j], 0] if L.rotation[j] >= 0 else -1


@kernel
def _add_ball_limit(L, W, m, axis, T, x, law):
    """law (3,) += change of limit m's impulse γ a along a ball's coordinates by δr = T x, slack eliminated. x (3,), T (3, 3).

    a = r / θ, r: rotation vector of the ball at the next pose, θ: the bound.   δγ = (γ/s) a·δr,  δa = δr / θ
    """
    l, gamma, slack, along = W.limit_active[m], W.lim[m, 0], W.lim[m, 1], 0.0
    for i in range(3):
        along += axis[i] * (T[i, 0] * x[0] + T[i, 1] * x[1] + T[i, 2] * x[2])
    for i in range(3):
        change = T[i, 0] * x[0] + T[i, 1] * x[1] + T[i, 2] * x[2]
        law[i] += gamma / slack * along * axis[i] + gamma / L.limit_bound[l] * change


@kernel
def _ball_limit_change(L, W, j, i, h, law):
    """law (6,) += change of the limit of joint j's ball by a rotation about axis i where the step starts, its rates held.

    q₊ = q exp(Δ), r = log(q₊):   δr = Jr⁻¹(r) exp(-Δ) e_i.   The change through the rates is part of `law_by_rates`.
    """
    m = _ball_limit(L, W, j)
    if m < 0:
        return
    l, row = W.limit_active[m], 6 - L.ndof[j] + L.rotation[j]
    axis, r, unit, turned, J, q = scratch(3), scratch(3), scratch(3), scratch(3), scratch((3, 3)), scratch(4)
    limit_distance(L, W, l, h, axis)
    quat_exp(W.rows[L.node[j], row : row + 3], h, q)
    for k in range(3):
        r[k] = L.limit_bound[l] * axis[k]
        unit[k] = 1.0 if k == i else 0.0
    turn_back(q, unit, turned)
    log_jacobian(r, J)
    _add_ball_limit(L, W, m, axis, J, turned, law[row : row + 3])


@kernel
def find_free_servos(L, W, A, G, h):
    """Set G.servo_free, at the solution."""
    w_new, w_old = spring_weights(W.options.springs, h)
    for a in range(A.servo_dof.shape[0]):
        dof = A.servo_dof[a]
        rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
        G.servo_free[a] = 1 if _servo_free(A, a, w_new, w_old, W.angle0[dof], rate, W.rate_prev[dof]) else 0


@kernel
def _servo_free(A, a, w_new, w_old, angle, rate, rate_prev):
    """Whether the servo's force is inside its range."""
    gear = A.servo_gear[a]
    force = A.servo_force[a] + A.servo_b1[a] * gear * (angle + w_new * rate - w_old * rate_prev) + A.servo_b2[a] * gear * rate
    return A.servo_range[a, 0] <= force and force <= A.servo_range[a, 1]


@kernel
def _old_rate_change(L, W, A, j, dof, h, law):
    """law (6,) += change of the spring of a ball or free joint by an old rate, by central differences."""
    epsilon = 1e-5 / h
    rate = W.rate_prev[dof]
    for side in range(2):
        delta = epsilon if side == 0 else -epsilon
        W.rate_prev[dof] = rate + delta
        vector_laws(L, W, A, j, h)
        for r in range(6):
            law[r] += 0.5 / delta * W.pull[j, r, 3]
    W.rate_prev[dof] = rate
    vector_laws(L, W, A, j, h)
