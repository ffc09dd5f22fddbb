"""Rows of all joint nodes at a pose, and their Jacobians by the velocities of the two bodies.

    rows / h:   J_d R_aᵀ (δv_b - δv_a) + (J_d [d]ₓ - J_φ Eᵀ) Γ_a δω_a + J_φ Γ_b δω_b

The same rows at the pose where the step starts, with Γ = I, are the directions of the impulses.
"""

from dojo_py.algebra.rotations import quat_conj_mul
from dojo_py.arrays import body_row, copy, scratch
from dojo_py.hard.elements.bodies import relative_pose
from dojo_py.hard.elements.chain_coordinates import ball_orientation, chain_start
from dojo_py.hard.elements.joints.ball import ball_rows, relative_turn
from dojo_py.hard.elements.joints.compound import chain_pose, compound_basis, compound_rows
from dojo_py.hard.elements.joints.free import free_rows
from dojo_py.hard.elements.joints.hinge import hinge_rows
from dojo_py.hard.elements.joints.slide import slide_rows
from dojo_py.hard.islands import NODES
from dojo_py.hard.terms import BALL, COMPOUND, FREE, HINGE, SLIDE
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH


@kernel
def joint_frame(L, j, x, R, q, E, d, q_rel):
    """Pose of the child of joint j in its parent: E (3, 3), d (3,), and for joints that need it q_rel (4,).

    x (nb + 1, 3), R (nb + 1, 3, 3), q (nb + 1, 4): poses of all bodies.
    """
    a, b = body_row(x, L.parent[j]), L.child[j]
    relative_pose(x[a], R[a], x[b], R[b], E, d)
    if L.kind[j] >= BALL:
        quat_conj_mul(q[a], q[b], q_rel)


@kernel
def rows_of_joint(L, W, j, E, d, q_rel, c, J):
    """Rows c (6,) and J (6, 8), of which six columns count, of joint j at the relative pose E, d, q_rel."""
    kind = L.kind[j]
    dof = L.vadr[j]
    if kind == HINGE:
        start = W.angle0[dof] - L.qpos0[L.qadr[j]]
        hinge_rows(E, d, L.frame_pos[j], L.anchor[j], L.frame_axes[j], L.child_axes[j], start, c, J)
    elif kind == SLIDE:
        start = W.angle0[dof] - L.qpos0[L.qadr[j]]
        slide_rows(E, d, L.frame_pos[j], L.anchor[j], L.frame_axes[j], L.child_axes[j], start, c, J)
    elif kind == BALL:
        turn, own = scratch(4), scratch(4)
        quat_conj_mul(L.base_quat[j], q_rel, own)
        relative_turn(W.turn0[j], own, turn)
        ball_rows(E, d, turn, L.frame_pos[j], L.anchor[j], c, J)
    elif kind == FREE:
        turn = scratch(4)
        relative_turn(W.turn0[j], q_rel, turn)
        free_rows(E, d, turn, W.origin0[j], L.com[L.child[j]], c, J)
    else:
        k = L.ndof[j]
        start = scratch(6)[0:k]
        chain_start(L, W, j, start)
        compound_rows(L, j, q_rel, d, W.theta[dof : dof + k], start, W.turn0[j], W.basis[j], c, J)


@kernel
def start_joints(L, W):
    """At the start of a step: what joints keep of their poses there (W.turn0, origin0, basis), and impulse directions Ga, Gb."""
    for i in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, i]]
        if j >= 0:
            start_joint(L, W, j)


@kernel
def start_joint(L, W, j):
    """`start_joints` for joint j, which has a node."""
    n = L.node[j]
    start_impulses(L, W, j, False, W.Ga[n], W.Gb[n])
    for r in range(6):
        for i in range(6):
            W.Pa[n, i, r], W.Pb[n, i, r] = -W.Ga[n, r, i], -W.Gb[n, r, i]


@kernel
def start_impulses(L, W, j, follow, on_parent, on_child):
    """What joint j keeps of its pose at the start of a step; its impulse directions into on_parent, on_child (6, 8).

    follow: those of a compound joint continue smoothly from those of the last call.
    """
    E, d, q_rel, c, J = scratch((3, 3)), scratch(3), scratch(4), scratch(6), scratch((6, WIDTH))
    joint_frame(L, j, W.x, W.R, W.q, E, d, q_rel)
    dof, kind = L.vadr[j], L.kind[j]
    if kind == BALL:
        quat_conj_mul(L.base_quat[j], q_rel, W.turn0[j])
    elif kind == FREE:
        copy(q_rel, W.turn0[j])
        for i in range(3):
            W.origin0[j, i] = d[i]
            for k in range(3):
                W.origin0[j, i] -= E[i, k] * L.com[L.child[j], k]
    elif kind == COMPOUND:
        k = L.ndof[j]
        S, p, qf, theta = scratch((6, 6))[:, 0:k], scratch(3), scratch(4), W.theta[dof : dof + k]
        chain_start(L, W, j, theta)
        if L.rotation[j] >= 0:
            ball_orientation(L, j, theta, q_rel, W.turn0[j])
        chain_pose(L, j, theta, W.turn0[j], p, qf, S)
        compound_basis(S, k, L.lever[j], W.basis[j], follow)
    rows_of_joint(L, W, j, E, d, q_rel, c, J)
    Ra = W.R[body_row(W.R, L.parent[j])]
    for r in range(6):
        spread(J[r], E, d, Ra, on_parent[r], on_child[r])


@kernel
def spread(row, E, d, Ra, out_a, out_b):
    """Convert one row (6,) in (δd, δφ) to rows out_a, out_b (6,) in (δx, δφ) of the two bodies.

    E (3, 3), d (3,): the child in the parent, whose orientation is Ra (3, 3).
    """
    j0, j1, j2, p0, p1, p2 = row[0], row[1], row[2], row[3], row[4], row[5]
    out_b[3], out_b[4], out_b[5] = p0, p1, p2
    for i in range(3):
        f = Ra[i, 0] * j0 + Ra[i, 1] * j1 + Ra[i, 2] * j2
        out_b[i] = f
        out_a[i] = -f
        out_a[3 + i] = -(E[i, 0] * p0 + E[i, 1] * p1 + E[i, 2] * p2)
    # J_d [d]x
    out_a[3] += j1 * d[2] - j2 * d[1]
    out_a[4] += j2 * d[0] - j0 * d[2]
    out_a[5] += j0 * d[1] - j1 * d[0]


@kernel
def evaluate_joints(L, W, h):
    """Rows of all joint nodes at the next poses (Dojo, eq. 13-15) into W.rows (over h), Jacobians into W.Ca, W.Cb."""
    E, d, q_rel, c, J = scratch((3, 3)), scratch(3), scratch(4), scratch(6), scratch((6, WIDTH))
    inv_h = 1.0 / h
    for i in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, i]
        j = L.node_joint[n]
        if j < 0:
            continue
        joint_frame(L, j, W.xn, W.Rn, W.qn, E, d, q_rel)
        rows_of_joint(L, W, j, E, d, q_rel, c, J)
        a, b = L.parent[j], L.child[j]
        Ra, hGb = W.Rn[body_row(W.Rn, a)], W.hG[b]
        for r in range(6):
            W.rows[n, r] = c[r] * inv_h
            spread(J[r], E, d, Ra, W.Ca[n, r], W.Cb[n, r])
            times_tangent(W.Cb[n, r], hGb, inv_h)
            if a >= 0:
                times_tangent(W.Ca[n, r], W.hG[a], inv_h)


@kernel
def times_tangent(row, hG, inv_h):
    """Angular part of a row (6,), in place: δφ/h to δω. hG (3, 3): h Γ; inv_h: 1/h."""
    p0, p1, p2 = inv_h * row[3], inv_h * row[4], inv_h * row[5]
    for i in range(3):
        row[3 + i] = p0 * hG[0, i] + p1 * hG[1, i] + p2 * hG[2, i]
