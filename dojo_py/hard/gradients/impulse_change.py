"""Derivatives of a joint's impulses Gᵀ Λ on its two bodies by its coordinate, Λ held.

The child moves by (u, ψ), world axes; E = R_aᵀ R_b, d = R_aᵀ (x_b - x_a) as in joint_rows.py. The two bodies get opposite wrenches:
the force F and the torque τ in the child's frame.

    slide       δF = 0,  δτ = 0
    hinge       δF = 0,  δτ = p_b × δf + a × δg + Λ₅ δJ₅       f = R_bᵀ F,  g = Λ₃ n + Λ₄ m,  each y of the parent: δy = -ψ_b × y
    ball, free  δF = 0,  δτ = p_b × δf                         free: p_b is minus the centre of mass, seen from the body's origin
    parent      δ(-E τ - d × R_aᵀ F) = -E (ψ_b × τ + δτ) - R_aᵀ (u × F) - d × R_aᵀ δF

    J₅ = (c e × m - s e × n) / (s² + c²),   c = n · e,  s = m · e

n, m: the parent's normals, a, e: the child's axis and normal, all in the child's frame (joints/hinge.py).

Several joints in one body transmit y = (R_aᵀ F, τ) = N Λ_N + S z,  z = (Sᵀ S)⁻¹ Λ_θ:  S their screws, N orthonormal and
Sᵀ N = 0 (joints/compound.py). With the N that rotates least, δN = -S (Sᵀ S)⁻¹ δSᵀ N,

    chain       δy = δS z - S (Sᵀ S)⁻¹ (δSᵀ y + Sᵀ δS z)

Coordinate m moves the joints after it and rotates the child. Screws (v, ω), v in the parent's frame and ω in the child's:

    i ≤ m       δv_i = E ω_i × v_m,   δω_i = ω_i × ω_m
    i > m       δv_i = E ω_m × v_i,   δω_i = 0               and where both are of one ball, whose axes are the child's
"""

from dojo_py.algebra.rotations import quat_exp, quat_mul
from dojo_py.algebra.vectors import ZERO, along, cross, dot, matrix, minus, plus, row, times, turned, turned_back
from dojo_py.arrays import body_row, copy, scratch
from dojo_py.hard.elements.ball_servos import has_vector_law, vector_laws
from dojo_py.hard.elements.chain_coordinates import chain_start
from dojo_py.hard.elements.joints.compound import chain_pose, solve_small
from dojo_py.hard.gradients.workspace import EPSILON
from dojo_py.hard.terms import BALL, COMPOUND, FREE, HINGE
from dojo_py.jit import kernel


@kernel
def impulse_change(L, W, A, G, j, n, dof, h, out):
    """out (3, 6): derivative by its coordinate dof of the impulses of joint j on child and parent; row 2: of its vector laws."""
    a, b, here, load = body_row(W.R, L.parent[j]), L.child[j], G.here[dof], G.load[n]
    Ra, Rb = matrix(W.R[a]), matrix(W.R[b])
    u, turn = (here[0], here[1], here[2]), turned_back(Rb, (here[3], here[4], here[5]))
    force, torque = ZERO, ZERO
    for r in range(6):
        G_r = W.Gb[n, r]
        force = along(force, load[r], (G_r[0], G_r[1], G_r[2]))
        torque = along(torque, load[r], (G_r[3], G_r[4], G_r[5]))
    by_force, change = ZERO, ZERO
    if L.kind[j] == HINGE:
        change = _hinge_torque(L, j, load, Ra, Rb, force, turn)
    elif L.kind[j] == BALL:
        p = L.anchor[j]
        change = cross((p[0], p[1], p[2]), cross(turned_back(Rb, force), turn))
    elif L.kind[j] == FREE:
        p = L.com[b]
        change = cross((-p[0], -p[1], -p[2]), cross(turned_back(Rb, force), turn))
    elif L.kind[j] == COMPOUND:
        by_force, change = _chain_wrench(L, W, j, dof, load, Ra, Rb, force, torque)
    arm = (W.x[b, 0] - W.x[a, 0], W.x[b, 1] - W.x[a, 1], W.x[b, 2] - W.x[a, 2])
    on_parent = plus(turned(Rb, plus(cross(turn, torque), change)), plus(cross(u, force), cross(arm, by_force)))
    on_parent = turned_back(Ra, on_parent)
    for i in range(3):
        out[0, i], out[0, 3 + i] = by_force[i], change[i]
        out[1, i], out[1, 3 + i] = -by_force[i], -on_parent[i]
        out[2, i] = out[2, 3 + i] = 0.0
    if has_vector_law(L, A, j) and L.dof_vector[dof] >= 0:
        _spring_change(L, W, A, j, dof, h, out[2])


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
def _chain_wrench(L, W, j, dof, load, Ra, Rb, force, torque):
    """(δF, world; δτ) of several joints in one body by one of their coordinates."""
    k, first = L.ndof[j], L.vadr[j]
    S, dS, M = scratch((6, 6))[:, 0:k], scratch((6, 6)), scratch((6, 6))
    z, y, dy, by_screws = scratch((6, 1)), scratch(6), scratch(6), scratch((6, 1))
    theta, p, q = scratch(6)[0:k], scratch(3), scratch(4)
    chain_start(L, W, j, theta)
    chain_pose(L, j, theta, W.turn0[j], p, q, S)
    _screw_changes(S, dof - first, L.dof_vector[first : first + k], Ra, Rb, dS)
    for i in range(k):
        z[i, 0] = load[6 - k + i]
    _gram(S, M)
    solve_small(M, z, k, 1)
    pulled = turned_back(Ra, force)
    for r in range(3):
        y[r], y[3 + r] = pulled[r], torque[r]
    for r in range(6):
        dy[r] = 0.0
        for i in range(k):
            dy[r] += dS[r, i] * z[i, 0]
    for i in range(k):
        by_screws[i, 0] = 0.0
        for r in range(6):
            by_screws[i, 0] += dS[r, i] * y[r] + S[r, i] * dy[r]
    _gram(S, M)
    solve_small(M, by_screws, k, 1)
    for r in range(6):
        for i in range(k):
            dy[r] -= S[r, i] * by_screws[i, 0]
    return turned(Ra, (dy[0], dy[1], dy[2])), (dy[3], dy[4], dy[5])


@kernel
def _screw_changes(S, m, vector, Ra, Rb, out):
    """out (6, k): derivative of the screws S (6, k) by coordinate m. vector (k,): L.dof_vector of them."""
    v, w = (S[0, m], S[1, m], S[2, m]), (S[3, m], S[4, m], S[5, m])
    for i in range(S.shape[1]):
        v_i, w_i = (S[0, i], S[1, i], S[2, i]), (S[3, i], S[4, i], S[5, i])
        if i <= m and not (vector[i] >= 0 and vector[i] == vector[m]):
            dv, dw = cross(turned_back(Ra, turned(Rb, w_i)), v), cross(w_i, w)
        else:
            dv, dw = cross(turned_back(Ra, turned(Rb, w)), v_i), ZERO
        for r in range(3):
            out[r, i], out[3 + r, i] = dv[r], dw[r]


@kernel
def _gram(S, M):
    """M, its first k rows and columns, = Sᵀ S."""
    for i in range(S.shape[1]):
        for j in range(S.shape[1]):
            M[i, j] = 0.0
            for r in range(6):
                M[i, j] += S[r, i] * S[r, j]


@kernel
def _spring_change(L, W, A, j, dof, h, out):
    """out (6,): derivative of the spring of a ball or free joint, and of a ball's servos, by a coordinate: central differences.

    Its coordinates enter only through the orientation and the origin at the start, W.turn0 and W.origin0.
    """
    axis, turned = dof - L.vadr[j], dof - L.vadr[j] - L.rotation[j]
    turn, origin, q, by = scratch(4), scratch(3), scratch(4), scratch(3)
    copy(W.turn0[j], turn)
    copy(W.origin0[j], origin)
    for side in range(2):
        delta = EPSILON if side == 0 else -EPSILON
        for i in range(3):
            by[i] = 1.0 if i == turned else 0.0
            W.origin0[j, i] = origin[i] + (delta if turned < 0 and i == axis else 0.0)
        quat_exp(by, delta, q)
        quat_mul(turn, q, W.turn0[j])
        vector_laws(L, W, A, j, h)
        for r in range(6):
            out[r] += 0.5 / delta * W.pull[j, r, 3]
    copy(turn, W.turn0[j])
    copy(origin, W.origin0[j])
    vector_laws(L, W, A, j, h)
