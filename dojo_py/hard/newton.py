"""Newton's system of one step: residuals at a point, the block matrix, right-hand sides, and the step of every variable.

Cone pairs (contacts, limits, dry friction) are condensed: contacts onto the 6x6 blocks of their bodies, limits and dry friction
onto the rows of their joints. What is left has the graph of bodies and joints.
"""

import math

from dojo_py.hard.bodies import momentum_rows, next_poses
from dojo_py.hard.closures import evaluate_closures
from dojo_py.hard.contact_rows import evaluate_contact
from dojo_py.hard.dof_rows import ball_law, dof_law
from dojo_py.hard.joint_rows import evaluate_joints
from dojo_py.hard.terms import BALL
from dojo_py.jit import kernel, stage
from dojo_py.rotation import log_jacobian, quat_conj_mul, rotation_vector
from dojo_py.solver.block_ldu import clear
from dojo_py.solver.cones import (
    FAR,
    complementarity,
    condense,
    friction_residual,
    impulse_of,
    least_product,
    motion_residual,
    recover_step,
    step_length,
)
from dojo_py.solver.double_double import add_triple_product

STIFF = 1e7
"""A contact stiffer than this times the smallest inertia of its body is kept apart, in pairs of doubles."""


@kernel
def evaluate(L, P, Q, A, W, h, scheme):
    """Residuals and Jacobian pieces at the point (W.v, W.lam, W.lim, W.fric, W.con)."""
    s = W.scratch
    nb, nt = L.mass.shape[0], L.node_joint.shape[0]
    next_poses(W.x, W.q, W.v, h, W.xn, W.qn, W.Rn, W.p, W.hG, W.turn)
    evaluate_joints(L, W, h, s)
    evaluate_closures(L, W, h, s)
    dof_law(L, W, A, h, scheme)
    clear(W.pattern, W.blocks)
    D = W.blocks.D
    for b in range(nb):
        momentum_rows(L.mass[b], L.inertia[b], W.v[b], h, W.rb[b], D[L.place_body[b]])
        for i in range(6):
            W.size[b, i] = abs(W.rb[b, i]) + abs(W.momentum[b, i])
            W.rb[b, i] -= W.momentum[b, i]
    for n in range(nt):
        _node_residual(L, W, n, h, scheme, s)
    _limit_residual(L, W, h, s)
    impulse = s[100, 0:3]
    for c in range(W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], impulse)
        evaluate_contact(P, Q, W, c, impulse, h, s)
        for side in range(2):
            b = W.cbody[c, side]
            if b < 0:
                continue
            for i in range(6):
                f = (
                    W.cB[c, side, 0, i] * impulse[0]
                    + W.cB[c, side, 1, i] * impulse[1]
                    + W.cB[c, side, 2, i] * impulse[2]
                )
                W.rb[b, i] -= f
                W.size[b, i] = max(W.size[b, i], abs(f))


@kernel
def _node_residual(L, W, n, h, scheme, s):
    """Residual of node n into W.rn and its impulses off the bodies' rows."""
    lam = W.lam[n]
    j = L.node_joint[n]
    for r in range(6):
        W.rn[n, r] = W.rows[n, r]
    if j < 0:
        e = -1 - j
        for slot in range(4):
            b = L.eq_bodies[e, slot]
            if b >= 0:
                for i in range(6):
                    f = 0.0
                    for r in range(6):
                        f += W.Geq[e, slot, r, i] * lam[r]
                    W.rb[b, i] -= f
                    W.size[b, i] = max(W.size[b, i], abs(f))
        return
    k, first = L.ndof[j], L.vadr[j]
    if L.kind[j] == BALL:
        ball_law(L, W, j, h, scheme, s)
    for i in range(k):
        r, dof = 6 - k + i, first + i
        W.rn[n, r] = lam[r] + W.drive[dof, 1] * W.rows[n, r] - W.drive[dof, 0]
        if L.dof_frictionloss[dof] > 0.0:
            W.rn[n, r] -= W.fric[dof, 0]
        if L.kind[j] == BALL:
            W.rn[n, r] += W.ball[j, i, 3]
    a, b = L.parent[j], L.child[j]
    G = W.Gb[n]
    for i in range(6):
        f = G[0, i] * lam[0] + G[1, i] * lam[1] + G[2, i] * lam[2] + G[3, i] * lam[3] + G[4, i] * lam[4] + G[5, i] * lam[5]
        W.rb[b, i] -= f
        W.size[b, i] = max(W.size[b, i], abs(f))
    if a >= 0:
        G = W.Ga[n]
        for i in range(6):
            f = (
                G[0, i] * lam[0] + G[1, i] * lam[1] + G[2, i] * lam[2] + G[3, i] * lam[3] + G[4, i] * lam[4] + G[5, i] * lam[5]
            )
            W.rb[a, i] -= f
            W.size[a, i] = max(W.size[a, i], abs(f))


@kernel
def limit_distance(L, W, l, h, axis, s):
    """Distance of limit l to its bound at the next pose [rad or m]. axis (3,): ball joints, the axis of its rotation."""
    dof = L.limit_dof[l]
    j = L.dof_joint[dof]
    n = L.node[j]
    sign = L.limit_sign[l]
    if sign != 0.0:
        return W.lgrace[l] + sign * (W.angle0[dof] + h * W.rows[n, 6 - L.ndof[j] + dof - L.vadr[j]] - L.limit_bound[l])
    q_rel, q = s[110, 0:4], s[111, 0:4]
    quat_conj_mul(W.qn[L.parent[j]], W.qn[L.child[j]], q_rel)
    quat_conj_mul(L.base_quat[j], q_rel, q)
    rotation_vector(q, axis)
    angle = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    scale = 1.0 / max(angle, 1e-12)
    for i in range(3):
        axis[i] *= scale
    return W.lgrace[l] + L.limit_bound[l] - angle


@kernel
def _limit_residual(L, W, h, s):
    """Impulses of active limits off the joints' rows; distances into W.dlim[:, 1] (overwritten later by the step)."""
    axis = s[112, 0:3]
    for m in range(W.n_limits[0]):
        l = W.limit_active[m]
        W.dlim[m, 1] = limit_distance(L, W, l, h, axis, s)
        dof = L.limit_dof[l]
        j = L.dof_joint[dof]
        n, sign = L.node[j], L.limit_sign[l]
        if sign != 0.0:
            W.rn[n, 6 - L.ndof[j] + dof - L.vadr[j]] -= sign * W.lim[m, 0]
        else:
            for i in range(3):
                W.rn[n, 3 + i] += W.lim[m, 0] * axis[i]


@stage
def assemble(L, W, h, kappa, corrected, scaled, loop_regularisation):
    """Block matrix and right-hand side of Newton's step towards complementarity kappa. Reads what `evaluate` left.

    corrected: right-hand side with the second-order terms of the affine step (the matrix is not rebuilt then).
    """
    nb, nt = L.mass.shape[0], L.node_joint.shape[0]
    x = W.step
    for b in range(nb):
        place = L.place_body[b]
        for i in range(6):
            x[place, i] = -W.rb[b, i]
    for n in range(nt):
        if L.node_joint[n] >= 0:
            _assemble_joint(L, W, n, h, kappa, corrected)
        else:
            _assemble_closure(L, W, n, corrected, loop_regularisation)
    for c in range(W.n_active[0]):
        _assemble_contact(L, W, c, kappa, corrected, scaled)


@kernel
def refill(L, W, h):
    """The momentum rows' own blocks again, after a factorisation has overwritten them."""
    clear(W.pattern, W.blocks)
    row = W.scratch[100, 0:6]
    for b in range(L.mass.shape[0]):
        momentum_rows(L.mass[b], L.inertia[b], W.v[b], h, row, W.blocks.D[L.place_body[b]])


@kernel
def _put_block(W, row, col, A, sign, transpose):
    """Add sign * A (or its transpose), A (6, 6), to the off-diagonal block (row, col)."""
    if row < col:
        out = W.blocks.U[W.pattern.block_of[row, col]]
    else:
        out = W.blocks.L[W.pattern.block_of[col, row]]
    if transpose:
        for i in range(6):
            for k in range(6):
                out[i, k] += sign * A[k, i]
    else:
        for i in range(6):
            for k in range(6):
                out[i, k] += sign * A[i, k]


@kernel
def _assemble_closure(L, W, n, corrected, regularisation):
    e = -1 - L.node_joint[n]
    place = L.place_node[n]
    for r in range(6):
        W.step[place, r] = -W.rn[n, r]
    if corrected:
        return
    used = 1 if L.eq_kind[e] == 2 else (6 if L.eq_kind[e] == 1 else 3)
    for r in range(6):
        W.blocks.D[place, r, r] = regularisation if r < used else 1.0
    for slot in range(4):
        b = L.eq_bodies[e, slot]
        if b >= 0:
            _put_block(W, place, L.place_body[b], W.Ceq[e, slot], 1.0, False)
            _put_block(W, L.place_body[b], place, W.Geq[e, slot], -1.0, True)


@kernel
def _dof_matrix(L, W, n, h, kappa, corrected, M, f):
    """Law of a joint's coordinates after condensing limits and dry friction: δτ + M δθ̇ = f. M (6, 6), f (6,), overwritten."""
    j = L.node_joint[n]
    k, first = L.ndof[j], L.vadr[j]
    for i in range(k):
        dof = first + i
        f[i] = -W.rn[n, 6 - k + i]
        for m in range(k):
            M[i, m] = 0.0
        M[i, i] = W.drive[dof, 1]
        if L.kind[j] == BALL:
            for m in range(3):
                M[i, m] += W.ball[j, i, m]
        if L.dof_frictionloss[dof] > 0.0:
            D, beta = friction_law(W, dof, h * L.dof_frictionloss[dof], W.rows[n, 6 - k + i], kappa, corrected)
            M[i, i] += D
            f[i] += beta


@kernel
def friction_law(W, dof, bound, rate, kappa, corrected):
    """(D, β₀) of dry friction: δβ = β₀ - D δθ̇. bound: h F [N m s]."""
    beta, up, down = W.fric[dof, 0], W.fric[dof, 1], W.fric[dof, 2]
    a, b = bound + beta, bound - beta
    r1, r2 = kappa - a * up, kappa - b * down
    if corrected:
        r1 -= W.africt[dof, 0] * W.africt[dof, 1]
        r2 += W.africt[dof, 0] * W.africt[dof, 2]
    D = 1.0 / (up / a + down / b)
    return D, D * (r1 / a - r2 / b - (rate - up + down))


@kernel
def _assemble_joint(L, W, n, h, kappa, corrected):
    j = L.node_joint[n]
    place, k = L.place_node[n], L.ndof[j]
    nc = 6 - k
    x = W.step[place]
    for r in range(nc):
        x[r] = -W.rn[n, r]
    M, f, s = W.scratch[0:6, 0:6], W.scratch[6, 0:6], W.scratch
    _dof_matrix(L, W, n, h, kappa, corrected, M, f)
    for i in range(k):
        for side in range(2):
            m = W.dof_limit[L.vadr[j] + i, side]
            if m >= 0:
                _condense_limit(L, W, m, W.limit_active[m], j, n, h, kappa, corrected, M, f, s)
    for i in range(k):
        dof = L.vadr[j] + i
        scale = 1.0 / (1.0 + abs(M[i, i]) / L.dof_inertia[dof])
        x[nc + i] = scale * f[i]
        if not corrected:
            W.blocks.D[place, nc + i, nc + i] = scale
            for m in range(k):
                M[i, m] *= scale
    if corrected:
        return
    a, b = L.parent[j], L.child[j]
    _put_rows(W, place, L.place_body[b], W.Cb[n], M, nc, k)
    _put_block(W, L.place_body[b], place, W.Gb[n], -1.0, True)
    if a >= 0:
        _put_rows(W, place, L.place_body[a], W.Ca[n], M, nc, k)
        _put_block(W, L.place_body[a], place, W.Ga[n], -1.0, True)


@kernel
def _put_rows(W, row, col, C, M, nc, k):
    """Add the rows of a joint node by the velocity of one body: constraint rows as they are, coordinate rows times M."""
    if row < col:
        out = W.blocks.U[W.pattern.block_of[row, col]]
    else:
        out = W.blocks.L[W.pattern.block_of[col, row]]
    for r in range(nc):
        for i in range(6):
            out[r, i] += C[r, i]
    for r in range(k):
        for m in range(k):
            f = M[r, m]
            if f != 0.0:
                for i in range(6):
                    out[nc + r, i] += f * C[nc + m, i]


@kernel
def _condense_limit(L, W, m, l, j, n, h, kappa, corrected, M, f, s):
    """Fold limit m onto the coordinate rows of its joint."""
    gamma, slack = W.lim[m, 0], W.lim[m, 1]
    r = kappa - gamma * slack
    if corrected:
        r -= W.alim[m, 0] * W.alim[m, 1]
    sign = L.limit_sign[l]
    axis = s[112, 0:3]
    distance = limit_distance(L, W, l, h, axis, s)
    stiffness = gamma / slack
    push = (r - gamma * (distance - slack)) / slack
    i = L.limit_dof[l] - L.vadr[j]
    if sign != 0.0:
        M[i, i] += h * stiffness
        f[i] += sign * push
        return
    # ball: δdistance = -axis · Jr δΔ,  impulse -γ axis, and the axis turns: δaxis = (I - axis axisᵀ) δr / |r|
    T = s[113:116, 0:3]
    ball_limit_rows(L, W, l, n, h, axis, distance, T, s)
    for u in range(3):
        f[u] -= push * axis[u]
        for w in range(3):
            along = axis[0] * T[0, w] + axis[1] * T[1, w] + axis[2] * T[2, w]
            M[u, w] += stiffness * axis[u] * along
            angle = max(L.limit_bound[l] + W.lgrace[l] - distance, 1e-9)
            M[u, w] += gamma * (T[u, w] - axis[u] * along) / angle


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
        r[i] = axis[i] * (L.limit_bound[l] + W.lgrace[l] - distance)
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


@kernel
def _assemble_contact(L, W, c, kappa, corrected, scaled):
    """Fold contact c onto its bodies: D_a += B_aᵀ K C_a - H_aa, and the mutual blocks of a pair."""
    law, mu, K, f = W.claw[c], W.cmu[c], W.cK[c], W.cf[c]
    motion_residual(law, W.con[c], W.cval[c, 0], W.cval[c, 1], W.cval[c, 2], W.cdy[c])
    condense(law, mu, W.con[c], kappa, corrected, scaled, W.acon[c], W.cdy[c], K, f)
    for side in range(2):
        b = W.cbody[c, side]
        if b < 0:
            continue
        place = L.place_body[b]
        B = W.cB[c, side]
        for i in range(6):
            W.step[place, i] += B[0, i] * f[0] + B[1, i] * f[1] + B[2, i] * f[2]
        if not corrected:
            _fold_contact(L, W, c, side, b, place)


@kernel
def _fold_contact(L, W, c, side, b, place):
    """Contact c onto the rows of its body b, whose place in the elimination order is place."""
    K, B, blocks = W.cK[c], W.cB[c, side], W.blocks
    stiff = max(K[0, 0], K[1, 1], K[2, 2], abs(K[1, 0]), abs(K[2, 0]), abs(K[1, 2]), abs(K[2, 1]))
    pairs = stiff > STIFF * L.softest[b] or (W.cbody[c, 1 - side] >= 0 and stiff > STIFF * L.softest[W.cbody[c, 1 - side]])
    for other in range(2):
        o = W.cbody[c, other]
        if o < 0:
            continue
        C, far = W.cC[c, other], L.place_body[o]
        t = W.pattern.block_of[min(place, far), max(place, far)] if o != b else 0
        if o == b:
            out = blocks.D[place]
        elif place < far:
            out = blocks.U[t]
        else:
            out = blocks.L[t]
        if pairs:
            if o == b:
                blocks.stiff_node[place] = 1
                extra = blocks.S[place]
            else:
                blocks.stiff_block[t] = 1
                extra = blocks.U_extra[t] if place < far else blocks.L_extra[t]
            add_triple_product(B, K, C, W.scratch[0, 0:6], W.scratch[1, 0:6], extra[0], extra[1])
        else:
            for k in range(6):
                k0 = K[0, 0] * C[0, k]
                k1 = K[1, 0] * C[0, k] + K[1, 1] * C[1, k] + K[1, 2] * C[2, k]
                k2 = K[2, 0] * C[0, k] + K[2, 1] * C[1, k] + K[2, 2] * C[2, k]
                for i in range(6):
                    out[i, k] += B[0, i] * k0 + B[1, i] * k1 + B[2, i] * k2
        if c < W.n_active[1]:
            for i in range(3, 6):
                for k in range(3, 6):
                    out[i, k] -= W.cH[c, 0, i, k]
        else:
            for i in range(6):
                for k in range(6):
                    out[i, k] -= W.cH[c, side, i, 6 * other + k]


@stage
def recover(L, W, h, kappa, corrected, scaled):
    """Steps of all variables from the solved W.step. Writes W.dv, W.dlam, W.drate, W.dlim, W.dfric, W.dcon."""
    nb, nt = L.mass.shape[0], L.node_joint.shape[0]
    for b in range(nb):
        for i in range(6):
            W.dv[b, i] = W.step[L.place_body[b], i]
    for n in range(nt):
        for i in range(6):
            W.dlam[n, i] = W.step[L.place_node[n], i]
        j = L.node_joint[n]
        if j < 0:
            continue
        k, first = L.ndof[j], L.vadr[j]
        a, b = L.parent[j], L.child[j]
        for i in range(k):
            r = 6 - k + i
            rate = 0.0
            for m in range(6):
                rate += W.Cb[n, r, m] * W.dv[b, m]
            if a >= 0:
                for m in range(6):
                    rate += W.Ca[n, r, m] * W.dv[a, m]
            W.drate[first + i] = rate
        for i in range(k):
            _recover_dof(L, W, n, j, i, h, kappa, corrected)
    y = W.scratch[100, 0:3]
    for c in range(W.n_active[0]):
        a, b = W.cbody[c, 0], W.cbody[c, 1]
        for r in range(3):
            y[r] = 0.0
            if a >= 0:
                for m in range(6):
                    y[r] += W.cC[c, 0, r, m] * W.dv[a, m]
            if b >= 0:
                for m in range(6):
                    y[r] += W.cC[c, 1, r, m] * W.dv[b, m]
        recover_step(
            W.claw[c], W.cmu[c], W.con[c], kappa, corrected, scaled, W.acon[c], W.cdy[c], y, W.cK[c], W.cf[c], W.dcon[c]
        )


@kernel
def _recover_dof(L, W, n, j, i, h, kappa, corrected):
    """Steps of the limits and the dry friction of coordinate i of joint j.

    The stiffest of them takes what its row demands (from δτ) and leaves the error to its slack: with stiffnesses γ/s of 1e12 a
    slack error of one unit in the last place would otherwise come back as a force.
    """
    dof = L.vadr[j] + i
    r = 6 - L.ndof[j] + i
    rate, bound = W.drate[dof], h * L.dof_frictionloss[dof]
    demand = W.dlam[n, r] + W.drive[dof, 1] * rate + W.rn[n, r]
    stiffest, who = L.dof_inertia[dof], -1
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m >= 0 and L.limit_sign[W.limit_active[m]] != 0.0 and h * W.lim[m, 0] > stiffest * W.lim[m, 1]:
            stiffest, who = h * W.lim[m, 0] / W.lim[m, 1], side
    if bound > 0.0:
        D, beta0 = friction_law(W, dof, bound, W.rows[n, r], kappa, corrected)
        if D > stiffest:
            who = 2
        else:
            demand -= _friction_step(W, dof, bound, beta0 - D * rate, kappa, corrected)
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m < 0 or side == who:
            continue
        change = _limit_change(L, W, m, n, h)
        target = _limit_target(W, m, kappa, corrected)
        W.dlim[m, 1] = change
        W.dlim[m, 0] = (target - W.lim[m, 0] * change) / W.lim[m, 1]
        demand -= L.limit_sign[W.limit_active[m]] * W.dlim[m, 0]
    if who == 2:
        _friction_step(W, dof, bound, demand, kappa, corrected)
    elif who >= 0:
        m = W.dof_limit[dof, who]
        W.dlim[m, 0] = L.limit_sign[W.limit_active[m]] * demand
        W.dlim[m, 1] = (_limit_target(W, m, kappa, corrected) - W.lim[m, 1] * W.dlim[m, 0]) / W.lim[m, 0]


@kernel
def _limit_target(W, m, kappa, corrected):
    """Right-hand side of γ δs + s δγ for limit m."""
    r = kappa - W.lim[m, 0] * W.lim[m, 1]
    return r - W.alim[m, 0] * W.alim[m, 1] if corrected else r


@kernel
def _limit_change(L, W, m, n, h):
    """δs of limit m from the coordinates' step, slack residual included."""
    l = W.limit_active[m]
    dof = L.limit_dof[l]
    axis, T = W.scratch[112, 0:3], W.scratch[113:116, 0:3]
    distance = limit_distance(L, W, l, h, axis, W.scratch)
    if L.limit_sign[l] != 0.0:
        return L.limit_sign[l] * h * W.drate[dof] + distance - W.lim[m, 1]
    ball_limit_rows(L, W, l, n, h, axis, distance, T, W.scratch)
    change = distance - W.lim[m, 1]
    for i in range(3):
        for k in range(3):
            change -= axis[i] * T[i, k] * W.drate[dof + k]
    return change


@kernel
def _friction_step(W, dof, bound, db, kappa, corrected):
    """Set the steps of the dry friction of a coordinate for δβ = db, which is returned."""
    beta, up, down = W.fric[dof, 0], W.fric[dof, 1], W.fric[dof, 2]
    r1, r2 = kappa - (bound + beta) * up, kappa - (bound - beta) * down
    if corrected:
        r1 -= W.africt[dof, 0] * W.africt[dof, 1]
        r2 += W.africt[dof, 0] * W.africt[dof, 2]
    W.dfric[dof, 0] = db
    W.dfric[dof, 1] = (r1 - up * db) / (bound + beta)
    W.dfric[dof, 2] = (r2 + down * db) / (bound - beta)
    return db


@kernel
def largest_step(L, W, h):
    """Largest α ≤ FAR that keeps all cone variables in their cones."""
    alpha = FAR
    for m in range(W.n_limits[0]):
        for i in range(2):
            if W.dlim[m, i] < 0.0:
                alpha = min(alpha, -W.lim[m, i] / W.dlim[m, i])
    for dof in range(L.dof_frictionloss.shape[0]):
        bound = h * L.dof_frictionloss[dof]
        if bound > 0.0 and L.node[L.dof_joint[dof]] >= 0:
            db = W.dfric[dof, 0]
            if db < 0.0:
                alpha = min(alpha, -(bound + W.fric[dof, 0]) / db)
            elif db > 0.0:
                alpha = min(alpha, (bound - W.fric[dof, 0]) / db)
            for i in range(1, 3):
                if W.dfric[dof, i] < 0.0:
                    alpha = min(alpha, -W.fric[dof, i] / W.dfric[dof, i])
    for c in range(W.n_active[0]):
        alpha = min(alpha, step_length(W.claw[c], W.cmu[c], W.con[c], W.dcon[c]))
    return alpha


@kernel
def measure(L, W, h, target):
    """(residual, centring, mean complementarity): violations of a point.

    residual: largest row in velocities [m/s, rad/s], momentum rows divided by mass or inertia (with a floor for round-off).
    centring: largest |b∘c - target e| [SI]. mean: Σ b·c over the degree of the cones.
    """
    residual = 0.0
    for b in range(L.mass.shape[0]):
        top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        for i in range(6):
            weight = L.mass[b] if i < 3 else top
            residual = max(residual, max(abs(W.rb[b, i]) - 1e-14 * W.size[b, i], 0.0) / weight)
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        nc = 6 - L.ndof[j] if j >= 0 else 6
        for r in range(nc):
            residual = max(residual, abs(W.rn[n, r]))
        for r in range(nc, 6):
            residual = max(residual, abs(W.rn[n, r]) / (L.dof_inertia[L.vadr[j] + r - nc] + abs(W.lam[n, r])))
    axis = W.scratch[112, 0:3]
    for m in range(W.n_limits[0]):
        distance = limit_distance(L, W, W.limit_active[m], h, axis, W.scratch)
        residual = max(residual, abs(distance - W.lim[m, 1]) / h)
    for dof in range(L.dof_frictionloss.shape[0]):
        j = L.dof_joint[dof]
        if L.dof_frictionloss[dof] > 0.0 and L.node[j] >= 0:
            rate = W.rows[L.node[j], 6 - L.ndof[j] + dof - L.vadr[j]]
            residual = max(residual, abs(rate - W.fric[dof, 1] + W.fric[dof, 2]))
    for c in range(W.n_active[0]):
        residual = max(residual, abs(W.cval[c, 0] - W.con[c, 1]) / h)
        residual = max(residual, friction_residual(W.claw[c], W.cmu[c], W.con[c], W.cval[c, 1], W.cval[c, 2]))
    worst, _, mean = centring(L, W, h, target)
    return residual, worst, mean


@kernel
def centring(L, W, h, target):
    """(largest |b∘c - target e|, smallest eigenvalue product, mean b·c) of all cone pairs [SI]."""
    worst, total, degree, least = 0.0, 0.0, 0, math.inf
    for m in range(W.n_limits[0]):
        p = W.lim[m, 0] * W.lim[m, 1]
        worst, least = max(worst, abs(p - target)), min(least, p)
        total += p
        degree += 1
    for dof in range(L.dof_frictionloss.shape[0]):
        bound = h * L.dof_frictionloss[dof]
        if bound > 0.0 and L.node[L.dof_joint[dof]] >= 0:
            p = (bound + W.fric[dof, 0]) * W.fric[dof, 1]
            q = (bound - W.fric[dof, 0]) * W.fric[dof, 2]
            worst, least = max(worst, abs(p - target), abs(q - target)), min(least, p, q)
            total += p + q
            degree += 2
    for c in range(W.n_active[0]):
        w, t, d = complementarity(W.claw[c], W.cmu[c], W.con[c], target)
        worst, least = max(worst, w), min(least, least_product(W.claw[c], W.cmu[c], W.con[c]))
        total += t
        degree += d
    return worst, least, total / max(degree, 1)
