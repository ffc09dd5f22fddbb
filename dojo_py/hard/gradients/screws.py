"""How the bodies move with the coordinates: the screw of every coordinate where the step starts, and one interval before.

A screw (u, ψ) is the displacement u of the centre of the joint's child and its rotation ψ, world axes, per unit of the coordinate;
a body s below moves by u + ψ × (x_s - x_child). The old velocities are differences of the two poses, so they follow from both.

    ball, free:  q₋ = q exp(-r), r = h q̇:    rotation of q₋ by δq: as that of q in the parent, R₋ₐ E;  by δq̇: -h R₋ₐ E Jr(r)
    ball beside other joints:                in its own axes one interval before exp(r) and -h Jl(r), Jl(r) = Jr(-r)
"""

from dojo_py.algebra.rotations import (
    exp_jacobian,
    quat_exp,
    quat_mul,
    quat_normalise,
    quat_to_matrix,
    step_quaternion,
    step_tangent,
)
from dojo_py.algebra.vectors import cross, dot, row
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.elements.bodies import momentum_rows
from dojo_py.hard.elements.chain_coordinates import chain_back, entries, read_chain
from dojo_py.hard.elements.joints.compound import chain_pose
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH


@kernel
def invert(A, out):
    """out (3, 3) = A⁻¹ of a tangent of rotations, whose condition is good: adjugate over determinant. May be A itself."""
    a, b, c = row(A, 0), row(A, 1), row(A, 2)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    scale = 1.0 / dot(a, bc)
    for i in range(3):
        out[i, 0], out[i, 1], out[i, 2] = scale * bc[i], scale * ca[i], scale * ab[i]


@kernel
def poses_before(L, W, G, v, h):
    """G.x_before, G.R_before and the tangents of both intervals. v (nb, 6): velocities over the interval before, of length h."""
    p, q, T, U = scratch(4), scratch(4), scratch((3, 3)), scratch((3, 3))
    momentum, D = scratch(6), scratch((6, WIDTH))
    nb = L.mass.shape[0]
    for i in range(3):
        G.x_before[nb, i] = 0.0
        for k in range(3):
            G.R_before[nb, i, k] = 1.0 if i == k else 0.0
    for b in range(nb):
        invert(W.hG[b], G.tangent[b])
        step_quaternion(v[b, 3:6], h, p)
        step_tangent(p, T)
        for i in range(3):
            for k in range(3):
                T[i, k] *= h
        invert(T, U)
        _times_transposed(U, W.R[b], G.tangent_before[b])
        for i in range(1, 4):
            p[i] = -p[i]
        quat_mul(W.q[b], p, q)
        quat_normalise(q)
        quat_to_matrix(q, G.R_before[b])
        for i in range(3):
            G.x_before[b, i] = W.x[b, i] - h * v[b, i]
        # s Jω - (h/2) ω × Jω is the new momentum's formula at -h
        momentum_rows(L.mass[b], L.inertia[b], v[b], -h, momentum, D)
        for i in range(3):
            for k in range(3):
                t = 0.0
                for m in range(3):
                    t += D[3 + i, 3 + m] * G.tangent_before[b, m, k]
                G.inertia_before[b, i, k] = t


@kernel
def _times_transposed(A, R, out):
    """out = A Rᵀ, all (3, 3)."""
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, 0] * R[k, 0] + A[i, 1] * R[k, 1] + A[i, 2] * R[k, 2]


@kernel
def _rotate(R, a, b, c, out):
    """out (3,) = R (a, b, c)."""
    for i in range(3):
        out[i] = R[i, 0] * a + R[i, 1] * b + R[i, 2] * c


@kernel
def all_screws(L, W, G, qpos, qvel, h):
    """G.here, G.before, G.before_rate of all coordinates."""
    for j in range(L.kind.shape[0]):
        if L.kind[j] == FREE or L.kind[j] == BALL:
            _turning_screws(L, W, G, j, qvel, h)
        else:
            _chain_screws(L, W, G, j, qpos, qvel, h)


@kernel
def _chain_screws(L, W, G, j, qpos, qvel, h):
    """Hinges, slides and a ball beside them: at the coordinates, and at those one interval before."""
    k, adr, dof, a, b = L.ndof[j], L.qadr[j], L.vadr[j], body_row(W.R, L.parent[j]), L.child[j]
    theta, turn, p, q, S = scratch(6)[0:k], scratch(4), scratch(3), scratch(4), scratch((6, 6))[:, 0:k]
    read_chain(L, j, qpos[adr : adr + entries(L, j)], theta, turn)
    for time in range(2):
        if time == 1:
            chain_back(L, j, qvel[dof : dof + k], h, theta, turn)
        chain_pose(L, j, theta, turn, p, q, S)
        for i in range(k):
            if time == 0:
                _rotate(W.R[a], S[0, i], S[1, i], S[2, i], G.here[dof + i, 0:3])
                _rotate(W.R[b], S[3, i], S[4, i], S[5, i], G.here[dof + i, 3:6])
            else:
                _rotate(G.R_before[a], S[0, i], S[1, i], S[2, i], G.before[dof + i, 0:3])
                _rotate(G.R_before[b], S[3, i], S[4, i], S[5, i], G.before[dof + i, 3:6])
                for r in range(6):
                    G.before_rate[dof + i, r] = -h * G.before[dof + i, r]
    if L.rotation[j] >= 0:
        first = dof + L.rotation[j]
        _ball_before(G.before[first : first + 3], G.before_rate[first : first + 3], qvel[first : first + 3], h)


@kernel
def _ball_before(before, before_rate, rate, h):
    """Screws (3, 6) about the axes of a ball one interval before become those by its orientation now and by its rate (3,)."""
    q, r, turned, J = scratch(4), scratch(3), scratch((3, 3)), scratch((3, 3))
    quat_exp(rate, h, q)
    quat_to_matrix(q, turned)
    for i in range(3):
        r[i] = -h * rate[i]
    exp_jacobian(r, J)
    for k in range(6):
        x0, x1, x2 = before[0, k], before[1, k], before[2, k]
        for i in range(3):
            before[i, k] = x0 * turned[0, i] + x1 * turned[1, i] + x2 * turned[2, i]
            before_rate[i, k] = -h * (x0 * J[0, i] + x1 * J[1, i] + x2 * J[2, i])


@kernel
def _turning_screws(L, W, G, j, qvel, h):
    """Ball and free joints: rotations about the child's axes; of a free one the displacements of its origin come first."""
    free = L.kind[j] == FREE
    b, dof = L.child[j], L.vadr[j]
    first = dof + 3 if free else dof
    if free:
        for i in range(3):
            for r in range(6):
                G.here[dof + i, r] = 1.0 if r == i else 0.0
                G.before[dof + i, r] = 1.0 if r == i else 0.0
                G.before_rate[dof + i, r] = -h if r == i else 0.0
    _turns(W, G, body_row(W.R, L.parent[j]), b, first, qvel[first : first + 3], h)
    _swings(W, G, b, first, 1.0 if free else -1.0, L.com[b] if free else L.anchor[j])


@kernel
def _turns(W, G, a, b, first, rate, h):
    """Rotations of screws first … first + 2, about the axes of body b, which is joined to body a and rotates by rate (3,) against
    it.
    """
    vector, Jr, E, A = scratch(3), scratch((3, 3)), scratch((3, 3)), scratch((3, 3))
    for i in range(3):
        vector[i] = h * rate[i]
    exp_jacobian(vector, Jr)
    # E: the child in its parent at the start;  A = R₋ₐ E
    for i in range(3):
        for k in range(3):
            E[i, k] = W.R[a, 0, i] * W.R[b, 0, k] + W.R[a, 1, i] * W.R[b, 1, k] + W.R[a, 2, i] * W.R[b, 2, k]
    for i in range(3):
        for k in range(3):
            A[i, k] = G.R_before[a, i, 0] * E[0, k] + G.R_before[a, i, 1] * E[1, k] + G.R_before[a, i, 2] * E[2, k]
    for i in range(3):
        for r in range(3):
            G.here[first + i, 3 + r] = W.R[b, r, i]
            G.before[first + i, 3 + r] = A[r, i]
            G.before_rate[first + i, 3 + r] = -h * (A[r, 0] * Jr[0, i] + A[r, 1] * Jr[1, i] + A[r, 2] * Jr[2, i])


@kernel
def _swings(W, G, b, first, sign, arm):
    """Displacements of screws first … first + 2: u = ψ × (R arm) of the centre of body b, which is sign * arm (3,) from its
    anchor.
    """
    lever = scratch(3)
    for time in range(2):
        R = W.R[b] if time == 0 else G.R_before[b]
        _rotate(R, sign * arm[0], sign * arm[1], sign * arm[2], lever)
        for i in range(3):
            if time == 0:
                _cross_into(G.here[first + i], lever)
            else:
                _cross_into(G.before[first + i], lever)
                _cross_into(G.before_rate[first + i], lever)


@kernel
def _cross_into(screw, lever):
    """Displacement of a screw (6,) = its rotation × lever (3,)."""
    p0, p1, p2 = screw[3], screw[4], screw[5]
    screw[0] = p1 * lever[2] - p2 * lever[1]
    screw[1] = p2 * lever[0] - p0 * lever[2]
    screw[2] = p0 * lever[1] - p1 * lever[0]


@kernel
def as_velocity(W, G, b, p, h, out):
    """out (6,): change of the velocity (v, ω) of body b that moves its next pose as a rigid displacement p (6,) of both poses does.

    p: displacement of the centre where the step starts, and rotation, world axes.  δx₊ = u + ψ × (x₊ - x) = h δv,  R₊ᵀ ψ = h Γ δω
    """
    d0, d1, d2 = W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2]
    out[0] = (p[0] + p[4] * d2 - p[5] * d1) / h
    out[1] = (p[1] + p[5] * d0 - p[3] * d2) / h
    out[2] = (p[2] + p[3] * d1 - p[4] * d0) / h
    R, T = W.Rn[b], G.tangent[b]
    t0 = R[0, 0] * p[3] + R[1, 0] * p[4] + R[2, 0] * p[5]
    t1 = R[0, 1] * p[3] + R[1, 1] * p[4] + R[2, 1] * p[5]
    t2 = R[0, 2] * p[3] + R[1, 2] * p[4] + R[2, 2] * p[5]
    for r in range(3):
        out[3 + r] = T[r, 0] * t0 + T[r, 1] * t1 + T[r, 2] * t2
