"""The step of every variable from the solved system of the bodies and joints."""

import math

from dojo_py.algebra.vectors import dot_six
from dojo_py.arrays import scratch
from dojo_py.hard.elements.closures import TENDON_ROW, regularisation
from dojo_py.hard.elements.limits import ROUND_OFF, ball_limit_rows, limit_distance
from dojo_py.hard.islands import BODIES, CONTACTS, MOVED_CONTACTS, NODES
from dojo_py.hard.points import copy_point
from dojo_py.hard.solve.assemble import friction_law
from dojo_py.hard.solve.creep import aim_of_dry_friction, aim_of_friction
from dojo_py.hard.solve.residual_norm import worse
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import solve
from dojo_py.solver.cones import orthant
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of, recover_step
from dojo_py.solver.cones.standoff import beyond, missing_product
from dojo_py.solver.octet import WIDTH, combine, load, plus, store

ROUNDS = 6
"""Most solves: the first and its iterative refinements, each of which gains two digits and more."""

EXACT, STIFF_ENOUGH = 1e-12, 1e6
"""Refine iteratively if the tolerance is below the first [m/s], or a contact is stiffer than the second times the smallest inertia
of its body: otherwise the error of the elimination is less than the next iteration corrects (measured: as many iterations)."""


@kernel
def recover(L, W, h, kn, kf, corrected, enough):
    """Steps of all variables from the solved W.step. Writes W.dv, W.dlam, W.drate, W.dlim, W.dfric, W.dcon.

    A contact of stiffness 1e13 turns the round-off of its bodies' velocities (1e-17 m/s) into impulses of 1e-4 N s. So the linear
    system is solved again for its residual (iterative refinement), and contacts only add the small correction, until the residual
    is at most `enough` [m/s] or grows. Returns that residual [m/s], 0 where it is not looked at.
    """
    _clear(W)
    refine = enough < EXACT or (W.stiffest[0] > STIFF_ENOUGH and enough < math.inf)
    before = math.inf
    for refinement in range(ROUNDS):
        _take_step(L, W, h, kn, kf, corrected, refinement > 0)
        if not refine:
            return 0.0
        imbalance = _imbalance(L, W)
        if refinement > 0 and not imbalance < before:  # the matrix is too ill-conditioned to refine with: undo
            copy_point(W, W.saved, W.change)
            break
        before = imbalance
        if not imbalance > enough or refinement == ROUNDS - 1:
            break
        copy_point(W, W.change, W.saved)
        solve(W.pattern, W.blocks, W.step)
    return before


@kernel
def _clear(W):
    """Steps of velocities and multipliers = 0; each round of refinement adds to them."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.dv[W.members[BODIES, k], :] = 0.0
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        W.dlam[W.members[NODES, k], :] = 0.0


@kernel
def _take_step(L, W, h, kn, kf, corrected, again):
    """Add W.step to the steps of velocities and multipliers, and find from it those of the other variables.

    again: W.step is a refinement, which is added to the contacts' steps, too.
    """
    y = scratch(MOST_ROWS)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            W.dv[b, i] += W.step[L.place_body[b], i]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.dlam[n, i] += W.step[L.place_node[n], i]
        if L.node_joint[n] >= 0:
            _recover_joint(L, W, n, h, kn, kf, corrected)
        elif L.eq_kind[-1 - L.node_joint[n]] >= EQ_TENDON:
            _recover_tendon(L, W, n, h, kn, kf, corrected)
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        _motion_change(L, W, c, y)
        aim = aim_of_friction(W, c, kf)
        recover_step(
            W.claw[c], W.cmu[c], W.csoft[c] + abs(h) * W.cproximal[c], W.cproximal[c], W.con[c], aim, corrected, W.affine.con[c],
            W.cdy[c], y, W.cK[c], W.cf[c], again, W.dcon[c],
        )  # fmt: skip


@kernel
def _motion_change(L, W, c, y):
    """y (rows,): change of the gap and the other rows of contact c by W.step, the bodies' change of velocity."""
    a, b = W.cbody[c, 0], W.cbody[c, 1]
    for r in range(ROWS[W.claw[c]]):
        y[r] = 0.0
        if a >= 0:
            x = W.step[L.place_body[a]]
            for m in range(6):
                y[r] += W.cC[c, 0, r, m] * x[m]
        if b >= 0:
            x = W.step[L.place_body[b]]
            for m in range(6):
                y[r] += W.cC[c, 1, r, m] * x[m]


@kernel
def _imbalance(L, W):
    """W.step = residual of the linear system: of the momentum rows of the bodies and the constraint rows of joints and closures.

    Returns the largest entry of the bodies' rows, as a velocity [m/s, rad/s]; rows of constraints are refined, but not counted.
    """
    for p in range(W.pattern.part[0], W.pattern.part[1]):
        W.step[W.pattern.places[p], :] = 0.0
    _missing_of_nodes(L, W)
    _missing_of_bodies(L, W)
    _add_impulses_of_nodes(L, W)
    _add_impulses_of_contacts(L, W)
    return _largest_velocity(L, W)


@kernel
def _missing_of_nodes(L, W):
    """W.step = -r - C δv of the constraint rows of joints and closures; of closures minus their regularisation times δλ."""
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        j, r = L.node_joint[n], W.step[L.place_node[n]]
        e = -1 - j
        if j >= 0:
            k = 6 - L.ndof[j]
            for i in range(k):
                r[i] = -W.rn[n, i]
            _subtract_rows(W.Cb[n], W.dv[L.child[j]], r, k)
            if L.parent[j] >= 0:
                _subtract_rows(W.Ca[n], W.dv[L.parent[j]], r, k)
        elif L.eq_kind[e] < EQ_TENDON:
            for i in range(6):
                diagonal = 1.0 if L.eq_kind[e] == EQ_ORIENTATION else regularisation(L, W, e, i)
                r[i] = -W.rn[n, i] - diagonal * W.dlam[n, i]
            for slot in range(L.eq_bodies.shape[1]):
                b = L.eq_bodies[e, slot]
                if b >= 0:
                    _subtract_rows(W.Ceq[e, slot], W.dv[b], r, 6)


@kernel
def _missing_of_bodies(L, W):
    """W.step = -r - M δv of the momentum rows of bodies."""
    for m in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, m]
        r, M, dv = W.step[L.place_body[b]], W.inertia[b], W.dv[b]
        for i in range(6):
            t = -W.rb[b, i]
            for k in range(6):
                t -= M[i, k] * dv[k]
            r[i] = t


@kernel
def _add_impulses_of_nodes(L, W):
    """W.step += Gᵀ δλ of joints and closures, on their bodies."""
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        j = L.node_joint[n]
        if j < 0:
            for slot in range(L.eq_bodies.shape[1]):
                b = L.eq_bodies[-1 - j, slot]
                if b >= 0:
                    _pull(W, L.place_body[b], W.Geq[-1 - j, slot], W.dlam[n])
            continue
        _pull(W, L.place_body[L.child[j]], W.Gb[n], W.dlam[n])
        if L.parent[j] >= 0:
            _pull(W, L.place_body[L.parent[j]], W.Ga[n], W.dlam[n])


@kernel
def _add_impulses_of_contacts(L, W):
    """W.step += Bᵀ δf + H δv of contacts, on their bodies. H: change of their impulses with the motion of both bodies; at planes of
    one body, with its rotation.
    """
    x, impulse = W.step, scratch(MOST_ROWS)
    for m in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, m]
        impulse_of(W.claw[c], W.dcon[c], impulse)
        for side in range(2):
            b = W.cbody[c, side]
            if b < 0:
                continue
            r, B, H = load(x, L.place_body[b], 0), W.cB[c, side], W.cH[c, side]
            for k in range(ROWS[W.claw[c]]):
                r = plus(r, impulse[k], load(B, k, 0))
            store(r, x, L.place_body[b], 0)
            rest = x[L.place_body[b]]
            if c < W.n_active[1]:
                for i in range(3, 6):
                    rest[i] += H[i, 3] * W.dv[b, 3] + H[i, 4] * W.dv[b, 4] + H[i, 5] * W.dv[b, 5]
                continue
            for other in range(2):
                o = W.cbody[c, other]
                if o >= 0:
                    for i in range(6):
                        rest[i] += dot_six(H[i, WIDTH * other : WIDTH * other + 6], W.dv[o])


@kernel
def _largest_velocity(L, W):
    """The largest entry of the bodies' rows of W.step, over their masses and inertias [m/s, rad/s]."""
    worst = 0.0
    for m in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, m]
        r = W.step[L.place_body[b]]
        top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        for i in range(3):
            worst = worse(worst, worse(abs(r[i]) / L.mass[b], abs(r[3 + i]) / top))
    return worst


@kernel
def _subtract_rows(C, v, r, k):
    """First k of r (8,) -= C v, C (6, 8)."""
    for i in range(k):
        r[i] -= C[i, 0] * v[0] + C[i, 1] * v[1] + C[i, 2] * v[2] + C[i, 3] * v[3] + C[i, 4] * v[4] + C[i, 5] * v[5]


@kernel
def _pull(W, place, G, lam):
    """W.step[place] += Gᵀ lam, G (6, 8)."""
    store(plus(load(W.step, place, 0), 1.0, combine(G, lam)), W.step, place, 0)


@kernel
def _recover_joint(L, W, n, h, kn, kf, corrected):
    """Steps of the coordinates of joint node n, and of their limits and dry friction."""
    j = L.node_joint[n]
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
        W.drate[first + i], W.dtheta[first + i] = rate, h * rate
    for i in range(k):
        demand = _pull_change(L, W, j, 6 - k + i, first + i)
        _recover_dof(L, W, n, 6 - k + i, first + i, demand, h, kn, kf, corrected)


@kernel
def _pull_change(L, W, j, r, dof):
    """Change of the spring impulse of a ball or free joint along coordinate dof, row r of its node, by the steps of the three rates
    of the vector that the coordinate belongs to.
    """
    change, beside = 0.0, L.dof_vector[dof]
    if beside < 0:
        return 0.0
    for m in range(3):
        change += W.pull[j, r, m] * W.drate[beside + m]
    return change


@kernel
def _recover_tendon(L, W, n, h, kn, kf, corrected):
    """Steps of the length of a tendon's node, and of its limits and dry friction."""
    e = -1 - L.node_joint[n]
    dof, rate = L.eq_dof[e], 0.0
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b >= 0:
            for m in range(6):
                rate += W.Ceq[e, slot, TENDON_ROW, m] * W.dv[b, m]
    W.drate[dof], W.dtheta[dof] = rate, h * rate
    _recover_dof(L, W, n, TENDON_ROW, dof, 0.0, h, kn, kf, corrected)


@kernel
def _recover_dof(L, W, n, r, dof, more, h, kn, kf, corrected):
    """Steps of the limits and the dry friction of coordinate dof, row r of node n. more: change of its law by other coordinates.

    The impulse of the stiffest of them is what balances the row (from δτ), and its slack takes the error: with stiffnesses γ/s of
    1e12 an error of the slack by one unit in the last place would otherwise become a force.
    """
    rate, bound = W.drate[dof], W.bound[dof]
    demand = W.dlam[n, r] + W.drive[dof, 1] * rate + more + W.rn[n, r]
    stiffest, who = L.dof_inertia[dof], -1
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m >= 0 and L.limit_sign[W.limit_active[m]] != 0.0 and h * W.lim[m, 0] > stiffest * W.lim[m, 1]:
            stiffest, who = h * W.lim[m, 0] / W.lim[m, 1], side
    if bound > 0.0:
        D, beta0 = friction_law(W, dof, bound, W.rows[n, r], kf, corrected)
        if D > stiffest and not _of_limited_ball(L, W, dof):
            who = 2
        else:
            demand -= _friction_step(W, dof, bound, beta0 - D * rate, kf, corrected)
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m < 0 or side == who:
            continue
        change = _limit_change(L, W, m, n, h)
        target = _limit_target(W, m, kn, corrected)
        W.dlim[m, 1] = change
        W.dlim[m, 0] = orthant.recover(W.lim[m, 1], W.lim[m, 0], target, change)
        demand -= L.limit_sign[W.limit_active[m]] * W.dlim[m, 0]
    if who == 2:
        _friction_step(W, dof, bound, demand, kf, corrected)
    elif who >= 0:
        m = W.dof_limit[dof, who]
        W.dlim[m, 0] = L.limit_sign[W.limit_active[m]] * demand
        W.dlim[m, 1] = orthant.recover(W.lim[m, 0], W.lim[m, 1], _limit_target(W, m, kn, corrected), W.dlim[m, 0])


@kernel
def _of_limited_ball(L, W, dof):
    """Whether the coordinate is one of a ball's with a limit, which acts on all three rows at once."""
    if dof >= L.dof_vector.shape[0] or L.dof_vector[dof] < 0:  # (a tendon's length; a hinge or slide)
        return False
    m = W.dof_limit[L.vadr[L.dof_joint[dof]], 0]
    return m >= 0 and L.limit_sign[W.limit_active[m]] == 0.0


@kernel
def _limit_target(W, m, kn, corrected):
    """Right-hand side of γ δs + s δγ for limit m."""
    r = missing_product(W.lim[m, 0], W.lim[m, 1], W.limit_standoff[W.limit_active[m]], kn)
    return r - W.affine.lim[m, 0] * W.affine.lim[m, 1] if corrected else r


@kernel
def _limit_change(L, W, m, n, h):
    """δs of limit m from the coordinates' step, slack residual included."""
    l = W.limit_active[m]
    dof = L.limit_dof[l]
    distance = W.lgap[m]
    if L.limit_sign[l] != 0.0:
        floor = ROUND_OFF * (abs(W.angle0[dof]) + abs(L.limit_bound[l]))
        return L.limit_sign[l] * h * W.drate[dof] + beyond(distance - W.lim[m, 1], floor)
    axis, T = scratch(3), scratch((3, 3))
    limit_distance(L, W, l, h, axis)
    ball_limit_rows(L, W, l, n, h, axis, T)
    change = distance - W.lim[m, 1]
    for i in range(3):
        for k in range(3):
            change -= axis[i] * T[i, k] * W.drate[dof + k]
    return change


@kernel
def _friction_step(W, dof, bound, db, kf, corrected):
    """Set the steps of the dry friction of a coordinate for δβ = db, which is returned."""
    beta, up, down = W.fric[dof, 0], W.fric[dof, 1], W.fric[dof, 2]
    aim = aim_of_dry_friction(W, dof, kf)
    r1, r2 = aim - (bound + beta) * up, aim - (bound - beta) * down
    if corrected:
        r1 -= W.affine.fric[dof, 0] * W.affine.fric[dof, 1]
        r2 += W.affine.fric[dof, 0] * W.affine.fric[dof, 2]
    W.dfric[dof, 0] = db
    W.dfric[dof, 1] = orthant.recover(bound + beta, up, r1, db)
    W.dfric[dof, 2] = orthant.recover(bound - beta, down, r2, -db)
    return db
