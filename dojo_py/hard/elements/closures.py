"""Loop closures: connect (3 rows), weld (6 rows), couplings (1 row), at the next pose; impulses at the start of the step.

    connect   0 = d + E p₂ - p₁                        body 2 seen from body 1
    weld      and 0 = 2 vec(q_eq* ⊗ q₁* ⊗ q₂)
    coupling  0 = l₁ - l₁⁰ - poly(l₂ - l₂⁰)            impulse λ on l₁, -poly'(l₂) λ on l₂;   l = Σ c θ: a joint's or a tendon's
    lengths   the same of two tendons, of which one is spatial
    servo     of an orientation: three torques, whose law is in orientations.py
    tendon    rate l̇ of its length l in the last row, whose law is in dof_rows.py; impulse λ on l

An impulse λ on l is c λ on each θ, in the directions of the joints' rows.
"""

from dojo_py.algebra.rotations import quat_conj_mul
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.elements.bodies import relative_pose
from dojo_py.hard.elements.joint_rows import spread, times_tangent
from dojo_py.hard.elements.joints.anchors import anchor_rows
from dojo_py.hard.elements.orientations import start_orientation
from dojo_py.hard.elements.tendon_paths import path_length
from dojo_py.hard.islands import NODES
from dojo_py.hard.terms import CONSTRAINT_ROWS, EQ_CONNECT, EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_PATH, EQ_TENDON, EQ_WELD
from dojo_py.jit import kernel

TENDON_ROW = 5
"""The one row of a tendon's node that is used, where a joint with one coordinate has its law."""


@kernel
def pose_rows(L, e, x, R, q, c, G):
    """Rows c (6,) of connect or weld e and their Jacobians G (4, 6, 8) in (δx, δφ). Returns the row count."""
    one, two = body_row(x, L.eq_bodies[e, 0]), body_row(x, L.eq_bodies[e, 1])
    E, d, J, err = scratch((3, 3)), scratch(3), scratch((6, 6)), scratch(4)
    relative_pose(x[one], R[one], x[two], R[two], E, d)
    anchor_rows(E, d, L.eq_pos[e, 0], L.eq_pos[e, 1], c, J)
    count = 3
    if L.eq_kind[e] == EQ_WELD:
        weld_error(L.eq_quat[e], q[one], q[two], err)
        w, v0, v1, v2 = err[0], err[1], err[2], err[3]
        c[3], c[4], c[5] = 2.0 * v0, 2.0 * v1, 2.0 * v2
        J[3, 3] = J[4, 4] = J[5, 5] = w
        J[3, 4], J[3, 5], J[4, 3] = -v2, v1, v2
        J[4, 5], J[5, 3], J[5, 4] = -v0, -v1, v0
        count = 6
    for r in range(count):
        spread(J[r], E, d, R[one], G[0, r], G[1, r])
    return count


@kernel
def weld_error(closed, q_one, q_two, err):
    """err (4,) = ±closed* ⊗ q₁* ⊗ q₂ with a real part that is not negative."""
    q_rel = scratch(4)
    quat_conj_mul(q_one, q_two, q_rel)
    quat_conj_mul(closed, q_rel, err)
    if err[0] < 0.0:
        for i in range(4):
            err[i] = -err[i]


@kernel
def polynomial(a, x):
    """(value, first, second derivative) of a₀ + a₁x + … + a₄x⁴, a (5 or more,)."""
    value = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])))
    slope = a[1] + x * (2.0 * a[2] + x * (3.0 * a[3] + x * 4.0 * a[4]))
    return value, slope, 2.0 * a[2] + x * (6.0 * a[3] + x * 12.0 * a[4])


@kernel
def rate_of(L, W, dof):
    """Rate of a coordinate over the step, of a joint or a tendon."""
    return W.rows[L.dof_node[dof], L.dof_row[dof]]


@kernel
def coupled(L, W, e, side):
    """(length at the start minus its reference, its rate) of one side of a coupling or tendon."""
    length, rate = -L.eq_poly[e, 5 + side], 0.0
    for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
        length += L.term_coef[t] * W.angle0[L.term_dof[t]]
        rate += L.term_coef[t] * rate_of(L, W, L.term_dof[t])
    return length, rate


@kernel
def _term_rows(L, e, side, factor, row, on_child, on_parent, out):
    """Row of coupling or tendon e: factor times the rows of the coordinates of one side. on_…: (nn, 6, 8), by a node's bodies."""
    for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
        n, r, k = L.dof_node[L.term_dof[t]], L.dof_row[L.term_dof[t]], t - L.eq_terms[e, 0]
        for i in range(6):
            out[2 * k, row, i] = factor * L.term_coef[t] * on_child[n, r, i]
            out[2 * k + 1, row, i] = factor * L.term_coef[t] * on_parent[n, r, i]


@kernel
def tendon_length(L, W, t, h):
    """(length of tendon t, a closure, at the start of the step, change until its end); 0 for none (-1)."""
    if t < 0:
        return 0.0, 0.0
    dof = L.eq_dof[t]
    return W.angle0[dof], h * rate_of(L, W, dof)


@kernel
def _length_rows(L, e, side, factor, of_tendons, out):
    """Row of EQ_LENGTHS e: factor times the row of its tendon on one side. of_tendons: (ne, s, 6, 8)."""
    t, first = L.eq_tendons[e, side], L.eq_tendons[e, 2] if side == 1 else 0
    for slot in range(L.eq_bodies.shape[1]):
        if t >= 0 and L.eq_bodies[t, slot] >= 0:
            for i in range(6):
                out[first + slot, 0, i] = factor * of_tendons[t, slot, TENDON_ROW, i]


@kernel
def lengths_slope(L, W, e, h):
    """(residual of EQ_LENGTHS e [m], slope and curvature of its polynomial) where the step ends; h 0: where it starts."""
    one, its = tendon_length(L, W, L.eq_tendons[e, 0], h)
    two, others = tendon_length(L, W, L.eq_tendons[e, 1], h)
    target, slope, curvature = polynomial(L.eq_poly[e], two + others - L.eq_poly[e, 6])
    return one + its - L.eq_poly[e, 5] - target, slope, curvature


@kernel
def start_closures(L, W):
    """Impulse directions W.Geq of all loop closures at the start of the step."""
    c = scratch(6)
    for i in range(W.span[NODES, 0], W.span[NODES, 1]):
        e = -1 - L.node_joint[W.members[NODES, i]]
        if e < 0:
            continue
        W.Geq[e, :, :, :] = 0.0
        if L.eq_kind[e] == EQ_PATH:
            path_length(L, e, W.x, W.R, W.Geq[e])
        elif L.eq_kind[e] == EQ_TENDON:
            _term_rows(L, e, 0, 1.0, TENDON_ROW, W.Gb, W.Ga, W.Geq[e])
        elif L.eq_kind[e] == EQ_COUPLING:
            _term_rows(L, e, 0, 1.0, 0, W.Gb, W.Ga, W.Geq[e])
            if L.eq_terms[e, 2] > L.eq_terms[e, 1]:
                length, _ = coupled(L, W, e, 1)
                _, slope, _ = polynomial(L.eq_poly[e], length)
                _term_rows(L, e, 1, -slope, 0, W.Gb, W.Ga, W.Geq[e])
        elif L.eq_kind[e] == EQ_ORIENTATION:
            start_orientation(L, W, e, W.Geq[e])
        elif L.eq_kind[e] != EQ_LENGTHS:
            pose_rows(L, e, W.x, W.R, W.q, c, W.Geq[e])
    for i in range(W.span[NODES, 0], W.span[NODES, 1]):
        e = -1 - L.node_joint[W.members[NODES, i]]
        if e >= 0 and L.eq_kind[e] == EQ_LENGTHS:
            _, slope, _ = lengths_slope(L, W, e, 0.0)
            _length_rows(L, e, 0, 1.0, W.Geq, W.Geq[e])
            _length_rows(L, e, 1, -slope, W.Geq, W.Geq[e])


@kernel
def _path_row(L, W, e, C, inv_h):
    """Rate of the length of spatial tendon e over the step; C (s, 6, 8): its row, the derivative by velocities."""
    rate = (path_length(L, e, W.xn, W.Rn, C) - W.angle0[L.eq_dof[e]]) * inv_h
    for slot in range(L.eq_bodies.shape[1]):
        if L.eq_bodies[e, slot] >= 0:
            times_tangent(C[slot, TENDON_ROW], W.hG[L.eq_bodies[e, slot]], inv_h)
    return rate


@kernel
def _coupling_row(L, W, e, C, h):
    """Residual of coupling e at the next poses, its first side less the polynomial of the second; row 0 of C (s, 6, 8)."""
    length, rate = coupled(L, W, e, 0)
    _term_rows(L, e, 0, 1.0, 0, W.Cb, W.Ca, C)
    target = L.eq_poly[e, 0]
    if L.eq_terms[e, 2] > L.eq_terms[e, 1]:
        other, its_rate = coupled(L, W, e, 1)
        target, slope, _ = polynomial(L.eq_poly[e], other + h * its_rate)
        _term_rows(L, e, 1, -slope, 0, W.Cb, W.Ca, C)
    return length + h * rate - target


@kernel
def _held_rows(L, W, n, e, C, inv_h):
    """Rows of a connect or weld e, node n, into W.rows and C (s, 6, 8)."""
    c = scratch(6)
    count = pose_rows(L, e, W.xn, W.Rn, W.qn, c, C)
    for r in range(count):
        W.rows[n, r] = c[r] * inv_h
        for side in range(2):
            times_tangent(C[side, r], W.hG[body_row(W.hG, L.eq_bodies[e, side])], inv_h)


@kernel
def evaluate_closures(L, W, h):
    """Rows / h of all loop closures at the next poses into W.rows, Jacobians into W.Ceq."""
    inv_h = 1.0 / h
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        e = -1 - L.node_joint[n]
        if e < 0 or L.eq_kind[e] == EQ_ORIENTATION:  # (orientations.py)
            continue
        W.Ceq[e, :, :, :] = 0.0
        W.rows[n, :] = 0.0
        if L.eq_kind[e] == EQ_TENDON:
            _term_rows(L, e, 0, 1.0, TENDON_ROW, W.Cb, W.Ca, W.Ceq[e])
            _, W.rows[n, TENDON_ROW] = coupled(L, W, e, 0)
        elif L.eq_kind[e] == EQ_PATH:
            W.rows[n, TENDON_ROW] = _path_row(L, W, e, W.Ceq[e], inv_h)
        elif L.eq_kind[e] == EQ_COUPLING:
            W.rows[n, 0] = _coupling_row(L, W, e, W.Ceq[e], h) * inv_h
        elif L.eq_kind[e] != EQ_LENGTHS:
            _held_rows(L, W, n, e, W.Ceq[e], inv_h)
    # of coupled lengths: from the rows of the tendons
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        e = -1 - L.node_joint[n]
        if e >= 0 and L.eq_kind[e] == EQ_LENGTHS:
            residual, slope, _ = lengths_slope(L, W, e, h)
            W.rows[n, 0] = residual * inv_h
            _length_rows(L, e, 0, 1.0, W.Ceq, W.Ceq[e])
            _length_rows(L, e, 1, -slope, W.Ceq, W.Ceq[e])


SHARE = 1e-9
"""Regularisation on the diagonal of Newton's matrix, over a closure row's inverse inertia: redundant rows (planar loops) share
their impulse instead of dividing by zero, and round-off in them moves it SHARE times less. A Newton step leaves the fraction SHARE
of the residual of an independent row."""


@kernel
def regularisation(L, W, e, r):
    """SHARE times C M⁻¹ Cᵀ, the inverse inertia of row r of closure e on its bodies alone; 0 where it has no such row.

    Where closures give way (giving_way.py) it is their compliance ε, see `_compliance`.
    """
    if r >= CONSTRAINT_ROWS[L.eq_kind[e]]:
        return 0.0
    if W.gives_way[0] > 0.0:
        return W.gives_way[0] * _compliance(L, W, e, r)
    return max(SHARE * _inverse_inertia(L, e, r, W.Ceq), 1e-100)


@kernel
def _inverse_inertia(L, e, r, rows):
    """C M⁻¹ Cᵀ of row r of closure e on its bodies alone. rows (ne, s, 6, 8): C of all closures."""
    inverse = 0.0
    for slot in range(L.eq_bodies.shape[1]):
        inverse += _of_body(L, e, slot, r, rows)
    return inverse


@kernel
def _of_body(L, e, slot, r, rows):
    """The share of one body in `_inverse_inertia`."""
    b, inverse = L.eq_bodies[e, slot], 0.0
    if b >= 0:
        for i in range(3):
            inverse += rows[e, slot, r, i] ** 2 / L.mass[b] + rows[e, slot, r, 3 + i] ** 2 / L.inertia[b, i, i]
    return inverse


@kernel
def _inverse_inertia_of_coupling(L, W, e):
    """Inverse inertia of coupling e at the start of the step: that of its bodies, behind the rotors of its coordinates.

    Of a coordinate's row, f times its own, with inverse inertia a of the bodies and rotor A: f² / (f²/a + A). Light links on geared
    motors have next to no inertia but the rotors'.
    """
    inverse, factor = 0.0, 1.0
    for side in range(2):
        if side == 1:
            length, _ = coupled(L, W, e, 1)
            _, factor, _ = polynomial(L.eq_poly[e], length)
        for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
            first = 2 * (t - L.eq_terms[e, 0])
            bodies = _of_body(L, e, first, 0, W.Geq) + _of_body(L, e, first + 1, 0, W.Geq)
            square = (factor * L.term_coef[t]) ** 2
            if square > 0.0 and bodies > 0.0:
                inverse += square / (square / bodies + L.dof_armature[L.term_dof[t]])
    return inverse


@kernel
def _compliance(L, W, e, r):
    """Compliance of row r of closure e that gives way, in units of inverse inertia: the sum over its two bodies of 1/m for
    positions, the same in all directions, so that they come as near as they can, and of 1/J for rotations; for other kinds the
    row's inverse inertia at the start of the step. A body counts with the mass of all bodies jointed to it
    (`contact_mass.share_masses`), but alone where the closure's other body is among these.
    """
    if L.eq_kind[e] == EQ_COUPLING:
        return max(_inverse_inertia_of_coupling(L, W, e), 1e-100)
    if L.eq_kind[e] > EQ_WELD:
        return max(_inverse_inertia(L, e, r, W.Geq), 1e-100)
    inverse, one, two = 0.0, L.eq_bodies[e, 0], L.eq_bodies[e, 1]
    loop = one >= 0 and two >= 0 and W.group[one] == W.group[two]
    for b in (one, two):
        if b >= 0:
            share = 1.0 if loop else L.mass[b] / W.group_mass[W.group[b]]
            inverse += share / (L.mass[b] if r < 3 else max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2]))
    return inverse


LEFT_OPEN = 1e-6
"""Largest residual of a closure's row [m, rad] that may remain where no impulse of the step changes it."""


@kernel
def keep_unmet(L, W, h):
    """W.unmet = what Newton's step in W.dlam leaves of the closures' residuals: c + C δv = -ε δλ, ε: `regularisation`.

    At a dead centre, a straight arm whose hand is held, the impulses' directions Gᵀ, those at the start of the step, do not act on
    the motion of the bodies that opens the row, and no λ closes it: ε δλ is the whole residual there, and round-off in every other
    loop. The residual stays as small as it gets, C M⁻¹ Gᵀ c = 0; the next step starts beside the dead centre and closes the row.
    """
    if L.eq_kind.shape[0] == 0 or W.gives_way[0] > 0.0:
        return
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        e = -1 - L.node_joint[n]
        if e >= 0 and L.eq_kind[e] < EQ_TENDON:
            for r in range(6):
                W.unmet[n, r] = min(regularisation(L, W, e, r) * abs(W.dlam[n, r]), LEFT_OPEN / abs(h))


@kernel
def forget_unmet(L, W):
    """W.unmet = 0: before the first step of Newton's method it is not known which rows cannot be closed."""
    if L.eq_kind.shape[0] == 0:
        return
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        W.unmet[W.members[NODES, k], :] = 0.0


@kernel
def add_loop(L, W, n, scale, out):
    """out (ne, 6) += scale times the impulse of node n: of a connect or weld on the first of its bodies that moves, along the
    world's axes, and of torque about the body's axes and centre of mass; of a spatial tendon and its equalities along it, the first
    entry.
    """
    e = -1 - L.node_joint[n]
    if e < 0:
        return
    kind = L.eq_kind[e]
    if kind == EQ_CONNECT or kind == EQ_WELD:
        slot = 0 if L.eq_bodies[e, 0] >= 0 else 1
        for r in range(6):
            for k in range(6):
                out[e, k] += scale * W.lam[n, r] * W.Geq[e, slot, r, k]
    elif kind == EQ_PATH:
        out[e, 0] += scale * W.lam[n, TENDON_ROW]
    elif kind == EQ_LENGTHS:
        _, slope, _ = lengths_slope(L, W, e, 0.0)
        for side in range(2):
            t = L.eq_tendons[e, side]
            if t >= 0 and L.eq_kind[t] == EQ_PATH:
                out[t, 0] += scale * W.lam[n, 0] * (1.0 if side == 0 else -slope)
