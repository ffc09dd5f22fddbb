"""What a joint's coordinate does to the impulses Gᵀ Λ that the joint passes on, Λ held.

Hinges and slides in closed form. The child moves by (u, ψ), world axes; E = R_aᵀ R_b, d = R_aᵀ (x_b - x_a) as in joint_rows.py. The
force F is fixed in the parent, and the two bodies get opposite wrenches, τ in the child's frame:

    slide       δF = 0,  δτ = 0
    hinge       δF = 0,  δτ = p_b × δf + a × δg + Λ₅ δJ₅       f = R_bᵀ F,  g = Λ₃ n + Λ₄ m,  each y of the parent: δy = -ψ_b × y
    parent      δ(-E τ - d × R_aᵀ F) = -E (ψ_b × τ + δτ) - R_aᵀ (u × F)

    J₅ = (c e × m - s e × n) / (s² + c²),   c = n · e,  s = m · e

n, m: the parent's normals, a, e: the child's axis and normal, all in the child's frame (joints/hinge.py).
"""

from dojo_py.arrays import copy_rows
from dojo_py.collision.vectors import along, cross, dot, matrix, minus, plus, row, times, turned, turned_back
from dojo_py.hard.dof_rows import has_vector_spring, vector_springs
from dojo_py.hard.joint_rows import start_impulses
from dojo_py.hard.terms import COMPOUND, HINGE, SLIDE
from dojo_py.jit import kernel
from dojo_py.rotation import quat_normalise, quat_to_matrix


@kernel
def impulse_change(L, W, G, j, n, dof, epsilon, scheme, h, out, saved, basis, s):
    """out (4, 6): derivative of the impulses of joint j on child and parent by its coordinate i; row 2: of its vector springs."""
    out[:, :] = 0.0
    if L.kind[j] == HINGE or L.kind[j] == SLIDE:
        _along_axis(L, W, G, j, n, dof, out)
    else:
        _by_differences(L, W, G, j, n, dof, epsilon, scheme, h, out, saved, basis, s)


@kernel
def _along_axis(L, W, G, j, n, dof, out):
    """`impulse_change` of a hinge or slide."""
    a, b, here, load = L.parent[j], L.child[j], G.here[dof], G.load[n]
    Ra, Rb = matrix(W.R[a]), matrix(W.R[b])
    u, turn = (here[0], here[1], here[2]), turned_back(Rb, (here[3], here[4], here[5]))
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for r in range(6):
        G_r = W.Gb[n, r]
        force = along(force, load[r], (G_r[0], G_r[1], G_r[2]))
        torque = along(torque, load[r], (G_r[3], G_r[4], G_r[5]))
    change = (0.0, 0.0, 0.0)
    if L.kind[j] == HINGE:
        change = _hinge_torque(L, j, load, Ra, Rb, force, turn)
        out[0, 3], out[0, 4], out[0, 5] = change
    on_parent = plus(turned(Rb, plus(cross(turn, torque), change)), cross(u, force))
    out[1, 3], out[1, 4], out[1, 5] = times(-1.0, turned_back(Ra, on_parent))


@kernel
def _hinge_torque(L, j, load, Ra, Rb, force, turn):
    """δτ of hinge j. turn: ψ_b."""
    anchor, frame, child = L.anchor[j], L.frame_axes[j], L.child_axes[j]
    n, m = turned_back(Rb, turned(Ra, row(frame, 1))), turned_back(Rb, turned(Ra, row(frame, 2)))
    axis, e = row(child, 0), row(child, 1)
    dn, dm, df = cross(n, turn), cross(m, turn), cross(turned_back(Rb, force), turn)
    by_anchor = cross((anchor[0], anchor[1], anchor[2]), df)
    by_axis = cross(axis, plus(times(load[3], dn), times(load[4], dm)))
    c, s, dc, ds = dot(n, e), dot(m, e), dot(dn, e), dot(dm, e)
    size = s * s + c * c
    above = cross(e, minus(times(c, m), times(s, n)))
    its_change = cross(e, minus(plus(times(dc, m), times(c, dm)), plus(times(ds, n), times(s, dn))))
    by_angle = along(its_change, -2.0 * (s * ds + c * dc) / size, above)
    return along(plus(by_anchor, by_axis), load[5] / size, by_angle)


@kernel
def _by_differences(L, W, G, j, n, dof, epsilon, scheme, h, out, saved, basis, s):
    """`impulse_change` of balls, free and compound joints.

    The rows of a compound joint complete its screws; which ones do is open, and must be a smooth function of the coordinate: the
    ones next to those of the start (basis, 6 × 6), on both sides. Followed from one side to the other they turn by the step's
    square, which the step divides once.
    """
    b, springs, here = L.child[j], has_vector_spring(L, j), G.here[dof]
    for k in range(3):
        saved[0, k] = W.x[b, k]
    for k in range(4):
        saved[1, k] = W.q[b, k]
    saved[2, 0] = W.angle0[dof]
    if L.kind[j] == COMPOUND:
        copy_rows(W.basis[j], basis)
    for side in range(2):
        delta = epsilon if side == 0 else -epsilon
        for k in range(3):
            W.x[b, k] = saved[0, k] + delta * here[k]
        _turn_by(saved[1], here, delta, W.q[b])
        quat_to_matrix(W.q[b], W.R[b])
        W.angle0[dof] = saved[2, 0] + delta
        if L.kind[j] == COMPOUND:
            copy_rows(basis, W.basis[j])
        on_parent, on_child = G.impulses_aside[0], G.impulses_aside[1]
        start_impulses(L, W, j, True, on_parent, on_child, s)
        scale = 0.5 / delta
        lam = G.load[n]
        for r in range(6):
            for k in range(6):
                out[0, k] += scale * on_child[r, k] * lam[r]
                out[1, k] += scale * on_parent[r, k] * lam[r]
        if springs:
            vector_springs(L, W, j, h, scheme, s)
            for k in range(6):
                out[2, k] += scale * W.pull[j, k, 3]
    for k in range(3):
        W.x[b, k] = saved[0, k]
    for k in range(4):
        W.q[b, k] = saved[1, k]
    quat_to_matrix(W.q[b], W.R[b])
    W.angle0[dof] = saved[2, 0]
    start_impulses(L, W, j, False, G.impulses_aside[0], G.impulses_aside[1], s)
    if springs:
        vector_springs(L, W, j, h, scheme, s)


@kernel
def _turn_by(q, screw, delta, out):
    """out (4,) = q (4,) turned by delta times the screw's turn, world axes."""
    x, y, z = 0.5 * delta * screw[3], 0.5 * delta * screw[4], 0.5 * delta * screw[5]
    out[0] = q[0] - x * q[1] - y * q[2] - z * q[3]
    out[1] = q[1] + x * q[0] + y * q[3] - z * q[2]
    out[2] = q[2] + y * q[0] + z * q[1] - x * q[3]
    out[3] = q[3] + z * q[0] + x * q[2] - y * q[1]
    quat_normalise(out)
