"""Newton's system of one step: the block matrix and the right-hand side.

Cone pairs (contacts, limits, dry friction) are condensed: contacts onto the 6x6 blocks of their bodies, limits and dry friction
onto the rows of their joints. The remaining matrix has the sparsity pattern of the graph of bodies and joints.

Everywhere below kn is the target complementarity of normal impulses and limits [N s m], kf that of friction [N s m/s].
"""

import math

from dojo_py.arrays import scratch
from dojo_py.hard.elements.closures import TENDON_ROW, regularisation
from dojo_py.hard.elements.limits import ROUND_OFF, ball_limit_rows, limit_distance
from dojo_py.hard.islands import BODIES, CONTACTS, MOVED_CONTACTS, NODES
from dojo_py.hard.solve.creep import aim_of_dry_friction, aim_of_friction
from dojo_py.hard.solve.proximal import inverse_mass, proximal_compliance
from dojo_py.hard.solve.stiff_contacts import give_way_where_stiff, inverse_mass_of_motion
from dojo_py.hard.terms import EQ_TENDON
from dojo_py.jit import kernel, pasted
from dojo_py.solver.block_ldu import clear
from dojo_py.solver.cones import orthant
from dojo_py.solver.cones.contact import ROWS, condense, motion_residual
from dojo_py.solver.cones.standoff import beyond, has_arrived, left_of_gap, missing_product, stays
from dojo_py.solver.double_double import add_triple_product
from dojo_py.solver.octet import WIDTH, load, minus, plus, store, times

STIFF = 1e7
"""A contact stiffer than this times the smallest inertia of its bodies is added to separate blocks, in double-double arithmetic."""


@kernel
def assemble(L, W, h, kn, kf, typical, corrected, yields=0.0):
    """Block matrix and right-hand side of Newton's step towards the complementarities kn, kf, from the rows that `evaluate` wrote.

    typical: mean product of contacts and limits, see `_aim`; 0: the target of all products is kn.
    corrected: right-hand side with the second-order terms of the affine step (the matrix is not rebuilt then).
    yields: compliance of contacts that are too stiff for derivatives, over the inverse mass of their bodies (stiff_contacts.py).
    """
    x = W.step
    if not corrected:
        clear(W.pattern, W.blocks)
        W.stiffest[0] = 0.0
    for m in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, m]
        place = L.place_body[b]
        D, inertia = W.blocks.D[place], W.inertia[b]
        store(times(load(W.rb, b, 0), -1.0), x, place, 0)
        if not corrected:
            for i in range(6):
                store(load(inertia, i, 0), D, i, 0)
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        if L.node_joint[n] >= 0:
            _assemble_joint(L, W, n, h, kn, kf, corrected)
        elif L.eq_kind[-1 - L.node_joint[n]] >= EQ_TENDON:
            _assemble_tendon(L, W, n, h, kn, kf, corrected)
        else:
            _assemble_closure(L, W, n, corrected)
    for m in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, m]
        _assemble_contact(L, W, c, h, _aim(W, c, kn, typical), kf, corrected, yields)


@kernel
def _aim(W, c, kn, typical):
    """Target of γ s of contact c: kn times the ratio of its product to the mean, a ratio limited to [1/uneven, uneven].

    So products are corrected only outside of [mean/uneven, uneven mean] (Gondzio 1996). typical: that mean; 0: all targets are kn.

    Near the end of the path gaps that have arrived at their standoff keep their product (`stays`). Where W.keeps_rest is set,
    contacts that rested at the start of the step aim at their gap there: gaps that change by 1e-10 m in a step of 0.01 s rotate
    bodies at 1e-8 m/s and more, which contacts that stick at both ends do not allow.
    """
    gamma, s, rest = W.con[c, 0], W.con[c, 1], W.keeps_rest[0] * W.rest_gap[c]
    if rest > 0.0 and has_arrived(s, rest):
        return gamma * rest
    standoff = rest if rest > 0.0 else W.standoff[c]
    if stays(gamma, s, standoff, kn):
        return gamma * s
    left, uneven = left_of_gap(s, standoff), W.solver.uneven
    even = 1.0 if not typical > 0.0 else min(max(gamma * left / typical, 1.0 / uneven), uneven)
    return kn * even + gamma * (s - left)


@pasted
def block_at(W, row, col):
    """Off-diagonal block (6, 8)."""
    t = W.pattern.block_of[row, col]
    return W.blocks.U[t] if W.pattern.rank[row] < W.pattern.rank[col] else W.blocks.L[t]


@kernel
def _add_block(W, row, col, A, sign, transpose):
    """Add sign * A (or its transpose), A (6, 8), to the off-diagonal block (row, col)."""
    out = block_at(W, row, col)
    for i in range(6):
        for k in range(6):
            out[i, k] += sign * (A[k, i] if transpose else A[i, k])


@kernel
def _put_impulses(W, row, col, P):
    """Block (row, col) of a tree joint's impulses on a body = P (6, 8)."""
    out = block_at(W, row, col)
    for i in range(6):
        store(load(P, i, 0), out, i, 0)


@kernel
def _assemble_closure(L, W, n, corrected):
    e = -1 - L.node_joint[n]
    place = L.place_node[n]
    for r in range(6):
        W.step[place, r] = -W.rn[n, r]
    if corrected:
        return
    for r in range(6):
        epsilon = regularisation(L, W, e, r)
        W.blocks.D[place, r, r] = epsilon if epsilon > 0.0 else 1.0
    _put_closure(L, W, e, place, 1.0)


@kernel
def _put_closure(L, W, e, place, factor):
    """Blocks between the node of closure or tendon e and its bodies: factor times its rows, and its impulses."""
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b >= 0:
            _add_block(W, place, L.place_body[b], W.Ceq[e, slot], factor, False)
            _add_block(W, L.place_body[b], place, W.Geq[e, slot], -1.0, True)


@kernel
def _assemble_tendon(L, W, n, h, kn, kf, corrected):
    """The node of a tendon: like that of a joint with one coordinate and no constraint, but on the bodies of all its terms."""
    e = -1 - L.node_joint[n]
    place, dof = L.place_node[n], L.eq_dof[e]
    M, f = scratch((1, 1)), scratch(1)
    M[0, 0], f[0] = W.drive[dof, 1], -W.rn[n, TENDON_ROW]
    _condense_friction(W, dof, W.rows[n, TENDON_ROW], kf, corrected, 0, M, f)
    _condense_limits(L, W, dof, dof, n, h, kn, corrected, M, f)
    scale = 1.0 / (1.0 + abs(M[0, 0]) / L.dof_inertia[dof])
    W.row_scale[dof] = scale
    for r in range(6):
        W.step[place, r] = 0.0
        if not corrected:
            W.blocks.D[place, r, r] = 1.0
    W.step[place, TENDON_ROW] = scale * f[0]
    if not corrected:
        W.blocks.D[place, TENDON_ROW, TENDON_ROW] = scale
        _put_closure(L, W, e, place, scale * M[0, 0])


@kernel
def _dof_matrix(L, W, n, kf, corrected, M, f):
    """Linearised law of a joint's coordinates with dry friction condensed: δτ + M δθ̇ = f. M (6, 6), f (6,), overwritten."""
    j = L.node_joint[n]
    k, first = L.ndof[j], L.vadr[j]
    for i in range(k):
        dof = first + i
        f[i] = -W.rn[n, 6 - k + i]
        for m in range(k):
            M[i, m] = 0.0
        M[i, i] = W.drive[dof, 1]
        if L.dof_vector[dof] >= 0:
            for m in range(3):
                M[i, L.dof_vector[dof] - first + m] += W.pull[j, 6 - k + i, m]
        _condense_friction(W, dof, W.rows[n, 6 - k + i], kf, corrected, i, M, f)


@kernel
def _condense_friction(W, dof, rate, kf, corrected, i, M, f):
    """Fold the dry friction of a coordinate onto its row i."""
    if W.bound[dof] > 0.0:
        D, beta = friction_law(W, dof, W.bound[dof], rate, kf, corrected)
        M[i, i] += D
        f[i] += beta


@kernel
def _condense_limits(L, W, dof, first, n, h, kn, corrected, M, f):
    """Fold the limits of coordinate dof onto the rows of its node's coordinates, which begin with `first`."""
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m >= 0:
            _condense_limit(L, W, m, W.limit_active[m], first, n, h, kn, corrected, M, f)


@kernel
def friction_law(W, dof, bound, rate, kf, corrected):
    """(D, β₀) of dry friction: δβ = β₀ - D δθ̇. bound: h F [N m s]."""
    beta, up, down = W.fric[dof, 0], W.fric[dof, 1], W.fric[dof, 2]
    a, b = bound + beta, bound - beta
    aim = aim_of_dry_friction(W, dof, kf)
    r1, r2 = aim - a * up, aim - b * down
    if corrected:
        r1 -= W.affine.fric[dof, 0] * W.affine.fric[dof, 1]
        r2 += W.affine.fric[dof, 0] * W.affine.fric[dof, 2]
    f1, k1 = orthant.condense(up, a, r1, 0.0)  # δν₊ = f1 - k1 δβ,  δν₋ = f2 + k2 δβ
    f2, k2 = orthant.condense(down, b, r2, 0.0)
    D = 1.0 / (k1 + k2)
    return D, D * (f1 - f2 - (rate - up + down))


@kernel
def _assemble_joint(L, W, n, h, kn, kf, corrected):
    j = L.node_joint[n]
    place, k = L.place_node[n], L.ndof[j]
    nc = 6 - k
    x = W.step[place]
    for r in range(nc):
        x[r] = -W.rn[n, r]
    M, f = scratch((6, 6)), scratch(6)
    _dof_matrix(L, W, n, kf, corrected, M, f)
    for i in range(k):
        _condense_limits(L, W, L.vadr[j] + i, L.vadr[j], n, h, kn, corrected, M, f)
    for i in range(k):
        dof = L.vadr[j] + i
        scale = 1.0 / (1.0 + abs(M[i, i]) / L.dof_inertia[dof])
        x[nc + i] = scale * f[i]
        W.row_scale[dof] = scale
        if not corrected:
            W.blocks.D[place, nc + i, nc + i] = scale
            for m in range(k):
                M[i, m] *= scale
    if corrected:
        return
    a, b = L.parent[j], L.child[j]
    _put_rows(W, place, L.place_body[b], W.Cb[n], M, nc, k)
    _put_impulses(W, L.place_body[b], place, W.Pb[n])
    if a >= 0:
        _put_rows(W, place, L.place_body[a], W.Ca[n], M, nc, k)
        _put_impulses(W, L.place_body[a], place, W.Pa[n])


@kernel
def _put_rows(W, row, col, C, M, nc, k):
    """Rows of a tree joint's node by the velocity of one body: constraint rows as they are, coordinate rows times M."""
    out = block_at(W, row, col)
    for r in range(nc):
        store(load(C, r, 0), out, r, 0)
    for r in range(k):
        mixed = times(load(C, nc, 0), M[r, 0])
        for m in range(1, k):
            mixed = plus(mixed, M[r, m], load(C, nc + m, 0))
        store(mixed, out, nc + r, 0)


@kernel
def _condense_limit(L, W, m, l, first, n, h, kn, corrected, M, f):
    """Fold limit m onto the coordinate rows of its node, of coordinates first, first + 1, …."""
    gamma, slack = W.lim[m, 0], W.lim[m, 1]
    r = missing_product(gamma, slack, W.limit_standoff[l], kn)
    if corrected:
        r -= W.affine.lim[m, 0] * W.affine.lim[m, 1]
    sign = L.limit_sign[l]
    distance = W.lgap[m]
    dof = L.limit_dof[l]
    i = dof - first
    floor = ROUND_OFF * (abs(W.angle0[dof]) + abs(L.limit_bound[l])) if sign != 0.0 else 0.0
    push, stiffness = orthant.condense(gamma, slack, r, beyond(distance - slack, floor))
    if sign != 0.0:
        M[i, i] += h * stiffness
        f[i] += sign * push
        return
    axis, T = scratch(3), scratch((3, 3))
    limit_distance(L, W, l, h, axis)
    # ball: δdistance = -axis · δr, impulse -γ axis, axis = r/θ, δr = T δrates
    ball_limit_rows(L, W, l, n, h, axis, T)
    for u in range(3):
        f[i + u] -= push * axis[u]
        for w in range(3):
            along = axis[0] * T[0, w] + axis[1] * T[1, w] + axis[2] * T[2, w]
            M[i + u, i + w] += stiffness * axis[u] * along
            M[i + u, i + w] += gamma * T[u, w] / L.limit_bound[l]


@kernel
def _assemble_contact(L, W, c, h, kn, kf, corrected, yields):
    """Fold contact c onto its bodies: D_a += B_aᵀ K C_a - H_aa, and the mutual blocks of a pair."""
    law, mu, K, f = W.claw[c], W.cmu[c], W.cK[c], W.cf[c]
    if not corrected:
        _slack_residual(W, c)
        W.cproximal[c] = proximal_compliance(L, W, c)
    aim = aim_of_friction(W, c, kf)
    soft, slips = W.csoft[c] + abs(h) * W.cproximal[c], W.cproximal[c]
    condense(law, mu, soft, slips, W.con[c], kn, aim, corrected, W.affine.con[c], W.cdy[c], K, f)
    for side in range(2):
        b = W.cbody[c, side]
        if b < 0:
            continue
        place = L.place_body[b]
        push = load(W.step, place, 0)
        for r in range(ROWS[law]):
            push = plus(push, f[r], load(W.cB[c, side], r, 0))
        store(push, W.step, place, 0)
    if not corrected:
        if yields > 0.0:
            inverse = inverse_mass(L, W, c)
            if W.cbody[c, 0] < 0 or W.cbody[c, 1] < 0:
                inverse = inverse_mass_of_motion(L, W, c, inverse)
            give_way_where_stiff(ROWS[law], K, yields, inverse, abs(h))
        _fold_contact(L, W, c)


@kernel
def _slack_residual(W, c):
    """W.cdy = residual of the slacks of contact c, less the round-off of its motion."""
    place, speed = 0.0, 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            place, speed = max(place, W.body_extent[b]), max(speed, W.body_speed[b])
    motion_residual(W.claw[c], W.con[c], W.cval[c], ROUND_OFF * (place + 0.1), ROUND_OFF * speed, W.cdy[c])


@kernel
def _fold_contact(L, W, c):
    """Add Bᵀ K C - H of contact c to the blocks of its bodies."""
    K, rows, stiff, soft = W.cK[c], ROWS[W.claw[c]], 0.0, math.inf
    for r in range(rows):
        for k in range(rows):
            stiff = max(stiff, abs(K[r, k]))
    for side in range(2):
        if W.cbody[c, side] >= 0:
            soft = min(soft, L.softest[W.cbody[c, side]])
    W.stiffest[0] = max(W.stiffest[0], stiff / soft)
    pairs = stiff > STIFF * soft
    for other in range(2):
        if W.cbody[c, other] < 0:
            continue
        if not pairs:
            _mix_rows(rows, K, W.cC[c, other], W.mixed)
        for side in range(2):
            if W.cbody[c, side] >= 0:
                _fold_block(L, W, c, side, other, rows, pairs)


@kernel
def _fold_block(L, W, c, side, other, rows, pairs):
    """Contact c's block for the impulse on body `side` by the motion of body `other` of it; pairs: in double-double arithmetic."""
    B, H, blocks = W.cB[c, side], W.cH[c, side], W.blocks
    place, far = L.place_body[W.cbody[c, side]], L.place_body[W.cbody[c, other]]
    t, upper = 0, W.pattern.rank[place] < W.pattern.rank[far]
    if place == far:
        out = blocks.D[place]
    else:
        t = W.pattern.block_of[place, far]
        if upper:
            out = blocks.U[t]
        else:
            out = blocks.L[t]
    if pairs:
        if place == far:
            blocks.stiff_node[place] = 1
            extra = blocks.S[place]
        else:
            blocks.stiff_block[t] = 1
            extra = blocks.U_extra[t] if upper else blocks.L_extra[t]
        add_triple_product(rows, B, W.cK[c], W.cC[c, other], extra[0], extra[1])
    else:
        _add_product(rows, B, W.mixed, out)
    if c < W.n_active[1]:
        for i in range(3, 6):
            for k in range(3, 6):
                out[i, k] -= H[i, k]
    else:
        for i in range(6):
            store(minus(load(out, i, 0), 1.0, load(H, i, WIDTH * other)), out, i, 0)


@kernel
def _mix_rows(rows, K, C, out):
    """out (rows, 8) = K C. C (rows, 8), K (rows, rows), whose first row is zero but for K₀₀."""
    store(times(load(C, 0, 0), K[0, 0]), out, 0, 0)
    for r in range(1, rows):
        row = times(load(C, 0, 0), K[r, 0])
        for k in range(1, rows):
            row = plus(row, K[r, k], load(C, k, 0))
        store(row, out, r, 0)


@kernel
def _add_product(rows, B, C, out):
    """out (6, 8) += Bᵀ C. B, C (rows, 8)."""
    for i in range(6):
        row = load(out, i, 0)
        for r in range(rows):
            row = plus(row, B[r, i], load(C, r, 0))
        store(row, out, i, 0)
