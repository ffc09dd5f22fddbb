"""Residuals of one step at a point, and the pieces of their Jacobian."""

from dojo_py.arrays import scratch
from dojo_py.hard.elements.ball_servos import evaluate_vector_laws
from dojo_py.hard.elements.bodies import momentum_rows, next_pose, pose_by_motion
from dojo_py.hard.elements.closures import TENDON_ROW, evaluate_closures, regularisation
from dojo_py.hard.elements.contact_rows import evaluate_contact
from dojo_py.hard.elements.dof_rows import dof_law
from dojo_py.hard.elements.joint_rows import evaluate_joints
from dojo_py.hard.elements.limits import ROUND_OFF, limit_distance
from dojo_py.hard.elements.medium import in_medium, resist
from dojo_py.hard.elements.orientations import evaluate_orientations
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS, NODES
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of
from dojo_py.solver.cones.standoff import beyond
from dojo_py.solver.octet import combine, load, minus, most, plus, store, times


@kernel
def evaluate(L, P, Q, A, W, h):
    """Residuals and Jacobian pieces at the point (W.v, W.lam, W.lim, W.fric, W.con)."""
    evaluate_motion(L, A, W, h)
    evaluate_rows(L, P, Q, W, h)


@kernel
def evaluate_motion(L, A, W, h):
    """What depends on W.v only: the next poses, joints and loop closures there, the law of the coordinates."""
    for i in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        next_pose(W, W.members[BODIES, i], h)
    evaluate_joints(L, W, h)
    evaluate_closures(L, W, h)
    evaluate_orientations(L, W, A, h)
    dof_law(L, W, A, h)
    evaluate_vector_laws(L, W, A, h)


@kernel
def evaluate_rows(L, P, Q, W, h):
    """Residuals and contacts, from what `evaluate_motion` left and the impulses."""
    impulse = scratch(MOST_ROWS)
    W.extent[0] = 0.0
    for i in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, i]
        W.body_extent[b] = max(abs(W.xn[b, 0]), abs(W.xn[b, 1]), abs(W.xn[b, 2]))
        W.extent[0] = max(W.extent[0], W.body_extent[b])
        W.body_speed[b] = 0.0
        for k in range(6):
            W.body_speed[b] = max(W.body_speed[b], abs(W.v[b, k]))
        momentum_rows(L.mass[b], L.inertia[b], W.v[b], h, W.rb[b], W.inertia[b])
        if h > 0.0 and in_medium(L, b):
            resist(L, W, b, h)
        if W.n_active[0] > W.n_active[1]:
            pose_by_motion(W, b, h)
        for k in range(6):
            W.size[b, k] = abs(W.rb[b, k]) + abs(W.momentum[b, k])
            W.rb[b, k] -= W.momentum[b, k]
        W.rb[b, 6] = W.rb[b, 7] = 0.0
    for i in range(W.span[NODES, 0], W.span[NODES, 1]):
        _node_residual(L, W, W.members[NODES, i], h)
    _limit_residual(L, W, h)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        impulse_of(W.claw[c], W.con[c], impulse)
        evaluate_contact(L, P, Q, W, c, impulse, h)
        for side in range(2):
            b = W.cbody[c, side]
            if b < 0:
                continue
            f = times(load(W.cB[c, side], 0, 0), impulse[0])
            for r in range(1, ROWS[W.claw[c]]):
                f = plus(f, impulse[r], load(W.cB[c, side], r, 0))
            store(minus(load(W.rb, b, 0), 1.0, f), W.rb, b, 0)
            store(most(load(W.size, b, 0), f), W.size, b, 0)


@kernel
def _node_residual(L, W, n, h):
    """Residual of node n into W.rn; its impulses are subtracted from the bodies' momentum rows."""
    lam = W.lam[n]
    j = L.node_joint[n]
    k = L.ndof[j] if j >= 0 else 0
    floor = ROUND_OFF * (1.0 + W.extent[0]) / abs(h)
    for r in range(6):
        W.rn[n, r] = beyond(W.rows[n, r], floor) if r < 6 - k else W.rows[n, r]
    if j < 0:
        e = -1 - j
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            if b >= 0:
                _push(W, b, W.Geq[e, slot], lam)
        if L.eq_kind[e] >= EQ_TENDON:
            W.rn[n, TENDON_ROW] = _law_residual(L, W, n, TENDON_ROW, L.eq_dof[e])
        elif L.eq_kind[e] == EQ_ORIENTATION:
            for r in range(3):
                W.rn[n, r] = W.rows[n, r] + lam[r]
        elif W.gives_way[0] > 0.0:
            for r in range(6):
                W.rn[n, r] = W.rows[n, r] - W.left_open[n, r] + regularisation(L, W, e, r) * lam[r]
        return
    first = L.vadr[j]
    for i in range(k):
        r, dof = 6 - k + i, first + i
        W.rn[n, r] = _law_residual(L, W, n, r, dof)
        if L.rotation[j] >= 0:
            W.rn[n, r] += W.pull[j, r, 3]
    _push(W, L.child[j], W.Gb[n], lam)
    if L.parent[j] >= 0:
        _push(W, L.parent[j], W.Ga[n], lam)


@kernel
def _law_residual(L, W, n, r, dof):
    """Impulse along a coordinate minus that of its constitutive law at the present rate, limits left out."""
    value = W.lam[n, r] + W.drive[dof, 1] * W.rows[n, r] - W.drive[dof, 0]
    return value - W.fric[dof, 0] if L.dof_frictionloss[dof] > 0.0 else value


@kernel
def _push(W, b, G, lam):
    """Subtract the impulses lam (6,) along the rows of G (6, 8) from the momentum rows of body b."""
    f = combine(G, lam)
    store(minus(load(W.rb, b, 0), 1.0, f), W.rb, b, 0)
    store(most(load(W.size, b, 0), f), W.size, b, 0)


@kernel
def _limit_residual(L, W, h):
    """Subtract the impulses of active limits from the joints' rows; distances into W.lgap."""
    axis = scratch(3)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        W.lgap[m] = limit_distance(L, W, l, h, axis)
        dof = L.limit_dof[l]
        n, sign = L.dof_node[dof], L.limit_sign[l]
        if sign != 0.0:
            W.rn[n, L.dof_row[dof]] -= sign * W.lim[m, 0]
        else:
            for i in range(3):
                W.rn[n, L.dof_row[dof] + i] += W.lim[m, 0] * axis[i]
