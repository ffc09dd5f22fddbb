"""Columns of a joint's anchor or axis, coordinates held: all bodies that it carries move rigidly, and their velocities rotate with
them.

The effect on the bodies' rows is in D.here and D.before (subtree.py). At the joint itself, by differences of its own kernels at the
moved pose of its child, of fourth order, f' = (8 (f(ε) - f(-ε)) - (f(2ε) - f(-2ε))) / 12ε: steps are so large that round-off, which
is divided by the time step twice, stays small; linear terms are exact.

    impulses     Gᵀ Λ on child and parent; less ψ × F of the child, whose momentum row rotates with it
    rows         c/h at the next pose, which moves rigidly as the pose where the step starts does
    law          of the coordinates, by the rates c/h (gradients/own_joint.py); joint couplings, by them likewise
"""

from dojo_py.algebra.rotations import quat_mul, quat_normalise, quat_to_matrix, turn_vector
from dojo_py.arrays import body_row, copy_rows, scratch, zeros
from dojo_py.hard.elements.closures import TENDON_ROW, coupled, polynomial
from dojo_py.hard.elements.coordinates import joint_pose
from dojo_py.hard.elements.joint_rows import joint_frame, rows_of_joint, start_impulses
from dojo_py.hard.gradients.own_joint import law_by_rates, slope_by_rate
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.hard.parameters.moves import move_back, move_by
from dojo_py.hard.terms import EQ_COUPLING, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH


@kernel
def joint_column(L, W, G, D, moved, k, j, qpos, qvel, h, here, before, rates, out):
    """out (nv,) += column of datum k, which moves joint j.

    Output: here, before (6,), the screws by which it moves the child; rates (6,), the change of the joint's rates before the
    unknowns respond.

    Leaves W's data about the start of joint j displaced (`start_joint` restores them), except the basis of a compound joint, to
    which the loads refer.
    """
    n, a, b = L.node[j], L.parent[j], L.child[j]
    saved, poses, basis = scratch((4, 4)), scratch((4, 7)), scratch((6, 6))
    on_child, on_parent = zeros(6), zeros(6)
    copy_rows(W.basis[j], basis)
    _save(W, b, saved)
    here[:] = 0.0
    before[:] = 0.0
    rates[:] = 0.0
    for width in range(1, 3):
        amount = width * moved.step[k]
        weight = (4.0 if width == 1 else -1.0) / 3.0
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            factor = 0.5 * sign * weight / amount
            move_by(moved, k, sign * amount)
            joint_pose(moved.L, j, qpos, qvel, 0.0, poses[side, 0:4], poses[side, 4:7])
            joint_pose(moved.L, j, qpos, qvel, h, poses[2 + side, 0:4], poses[2 + side, 4:7])
            _place_child(W, body_row(W.x, a), b, poses[side], saved)
            copy_rows(basis, W.basis[j])
            start_impulses(moved.L, W, j, True, W.Ga[n], W.Gb[n])
            _add_impulses(G.load[n], W.Gb[n], factor, on_child)
            if a >= 0:
                _add_impulses(G.load[n], W.Ga[n], factor, on_parent)
            _add_rows(moved.L, W, j, factor / h, rates)
        carrier = body_row(W.R, a)
        _add_screw(W.R[carrier], poses[0], poses[1], 0.5 * weight / amount, here)
        _add_screw(G.R_before[carrier], poses[2], poses[3], 0.5 * weight / amount, before)
    move_back(moved, k)
    copy_rows(basis, W.basis[j])
    _put_back(W, b, saved)
    pull(D.here[b], here, out)
    pull(D.before[b], before, out)
    _turn_along(G.load[n], G.impulse[n], here, on_child)
    pull(D.y[L.place_body[b]], on_child, out)
    if a >= 0:
        pull(D.y[L.place_body[a]], on_parent, out)
    _own_rows(L, W, D, j, n, rates, h, out)
    _couplings(L, W, D, j, rates, h, out)


@kernel
def _save(W, b, saved):
    """Both poses of body b into saved (4, 4)."""
    for i in range(3):
        saved[0, i], saved[2, i] = W.x[b, i], W.xn[b, i]
    for i in range(4):
        saved[1, i], saved[3, i] = W.q[b, i], W.qn[b, i]


@kernel
def _put_back(W, b, saved):
    for i in range(3):
        W.x[b, i], W.xn[b, i] = saved[0, i], saved[2, i]
    for i in range(4):
        W.q[b, i], W.qn[b, i] = saved[1, i], saved[3, i]
    quat_to_matrix(W.q[b], W.R[b])
    quat_to_matrix(W.qn[b], W.Rn[b])


@kernel
def _place_child(W, a, b, pose, saved):
    """Body b to its pose (q_rel 4, d 3) relative to body row a where the step starts; its next pose moves rigidly with that."""
    turn, back, r, d = scratch(4), scratch(4), scratch(3), scratch(3)
    quat_mul(W.q[a], pose[0:4], W.q[b])
    quat_normalise(W.q[b])
    turn_vector(W.q[a], pose[4:7], r)
    back[0] = saved[1, 0]
    for i in range(3):
        W.x[b, i] = W.x[a, i] + r[i]
        back[1 + i] = -saved[1, 1 + i]
        d[i] = saved[2, i] - saved[0, i]
    quat_mul(W.q[b], back, turn)
    quat_mul(turn, saved[3, 0:4], W.qn[b])
    quat_normalise(W.qn[b])
    turn_vector(turn, d, r)
    for i in range(3):
        W.xn[b, i] = W.x[b, i] + r[i]
    quat_to_matrix(W.q[b], W.R[b])
    quat_to_matrix(W.qn[b], W.Rn[b])


@kernel
def _add_impulses(load, G, factor, out):
    """out (6,) += factor Gᵀ Λ."""
    for r in range(6):
        f = factor * load[r]
        for i in range(6):
            out[i] += f * G[r, i]


@kernel
def _add_rows(L, W, j, factor, out):
    """out (6,) += factor c at the next poses."""
    E, d, q_rel, c, J = scratch((3, 3)), scratch(3), scratch(4), scratch(6), scratch((6, WIDTH))
    joint_frame(L, j, W.xn, W.Rn, W.qn, E, d, q_rel)
    rows_of_joint(L, W, j, E, d, q_rel, c, J)
    for r in range(6):
        out[r] += factor * c[r]


@kernel
def _add_screw(R, one, two, factor, out):
    """out (6,) += factor times the displacement and rotation, world axes, from pose two to pose one (q 4, d 3) in a frame R."""
    back, turn = scratch(4), scratch(4)
    back[0] = two[0]
    for i in range(3):
        back[1 + i] = -two[1 + i]
    quat_mul(one[0:4], back, turn)
    u0, u1, u2 = factor * (one[4] - two[4]), factor * (one[5] - two[5]), factor * (one[6] - two[6])
    p0, p1, p2 = 2.0 * factor * turn[1], 2.0 * factor * turn[2], 2.0 * factor * turn[3]
    for i in range(3):
        out[i] += R[i, 0] * u0 + R[i, 1] * u1 + R[i, 2] * u2
        out[3 + i] += R[i, 0] * p0 + R[i, 1] * p1 + R[i, 2] * p2


@kernel
def _turn_along(load, G, here, out):
    """out (6,) -= ψ × F on its first three: F the joint's impulse on its child, world axes."""
    f0, f1, f2 = 0.0, 0.0, 0.0
    for r in range(6):
        f0, f1, f2 = f0 + G[r, 0] * load[r], f1 + G[r, 1] * load[r], f2 + G[r, 2] * load[r]
    out[0] -= here[4] * f2 - here[5] * f1
    out[1] -= here[5] * f0 - here[3] * f2
    out[2] -= here[3] * f1 - here[4] * f0


@kernel
def _own_rows(L, W, D, j, n, rates, h, out):
    """Columns through the rows of joint j itself, and the direct change of its rates (6,)."""
    k, first = L.ndof[j], L.vadr[j]
    law, x = zeros(6), scratch(6)
    law_by_rates(L, W, j, h, rates, law)
    for r in range(6):
        x[r] = -rates[r] if r < 6 - k else -W.row_scale[first + r - 6 + k] * law[r]
    pull(D.y[L.place_node[n]], x, out)
    for i in range(k):
        out[first + i] += rates[6 - k + i]


@kernel
def _couplings(L, W, D, j, rates, h, out):
    """Columns through couplings and tendons of the coordinates of joint j: δl̇₁ - poly'(l₂₊) δl̇₂, and a tendon's law by δl̇."""
    closures = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] != EQ_COUPLING and L.eq_kind[e] != EQ_TENDON:
            continue
        place = L.place_node[closures + e]
        for side in range(2):
            change = 0.0
            for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
                if L.dof_joint[L.term_dof[t]] == j:
                    change += L.term_coef[t] * rates[L.dof_row[L.term_dof[t]]]
            if change == 0.0:
                continue
            if L.eq_kind[e] == EQ_TENDON:
                dof = L.eq_dof[e]
                pull_one(D.y[place, TENDON_ROW], -W.row_scale[dof] * slope_by_rate(L, W, dof, h) * change, out)
                continue
            factor = -1.0
            if side == 1:
                length, rate = coupled(L, W, e, 1)
                _, factor, _ = polynomial(L.eq_poly[e], length + h * rate)
            pull_one(D.y[place, 0], factor * change, out)
