"""Derivatives of the next rates by a rigid displacement of all bodies that a joint carries, which its geometric parameters cause.

The rows change as by a coordinate, see gradients/state_columns.py: below the joint only terms change whose direction is fixed in
the world. Here in adjoint form: D.here[b] holds derivatives of the next rates by (u, ψ) of the pose where the step starts, u at the
centre of joint b's child, ψ the rotation, world axes; D.before[b] by (u, ψ) of the pose one interval before. First for each body by
itself, contacts and closures included; then, from the leaves to the root, summed over all bodies that joint b carries:

    field at a body s     (u + ψ × (x_s - x_b), ψ)     →     D.here[b] += (z_u, z_ψ + (x_s - x_b) × z_u),   z = D.here[s]

A contact between two bodies depends on their relative displacement only: that of the first counts as the opposite one of the
second.
"""

from dojo_py.arrays import body_row, scratch, zeros
from dojo_py.hard.elements.contact_rows import feels_frame
from dojo_py.hard.gradients.closure_change import pose_impulse_change
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.hard.terms import EQ_COUPLING
from dojo_py.jit import kernel


@kernel
def subtree_adjoint(L, W, G, D, h):
    """D.here and D.before of each body by itself, from D.y and what `step_jacobian` left in G."""
    nb = L.mass.shape[0]
    D.here[:, :, :] = 0.0
    D.before[:, :, :] = 0.0
    for b in range(nb):
        _body(L, W, G, D, b, h)
    for c in range(W.n_active[1], W.n_active[0]):
        _pair(L, W, G, D, c)
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] < EQ_COUPLING:
            _closure_rows(L, W, G, D, e, first + e, h)
            _closure_impulse(L, W, D, e, first + e)


@kernel
def carry_down(L, W, G, D):
    """D.here and D.before of all bodies that a joint carries, from those of each body by itself."""
    for b in range(L.mass.shape[0] - 1, -1, -1):  # (bodies come after those that carry them)
        a = L.parent[b]
        if a >= 0:
            _carry(D.here[b], W.x[b], W.x[a], 1.0, D.here[a])
            _carry(D.before[b], G.x_before[b], G.x_before[a], 1.0, D.before[a])


@kernel
def _carry(z, at, to, sign, out):
    """out (6, m) += sign * z (6, m): derivatives by (u, ψ) with u at the point `at` (3,) become those with u at `to` (3,)."""
    d0, d1, d2 = at[0] - to[0], at[1] - to[1], at[2] - to[2]
    for i in range(z.shape[1]):
        z0, z1, z2 = sign * z[0, i], sign * z[1, i], sign * z[2, i]
        out[0, i] += z0
        out[1, i] += z1
        out[2, i] += z2
        out[3, i] += sign * z[3, i] + d1 * z2 - d2 * z1
        out[4, i] += sign * z[4, i] + d2 * z0 - d0 * z2
        out[5, i] += sign * z[5, i] + d0 * z1 - d1 * z0


@kernel
def _pull_rows(A, y, out):
    """out (6, m) += Aᵀ y. A (6, 6) right-hand sides by a displacement, y (6, m)."""
    for k in range(6):
        a0, a1, a2, a3, a4, a5 = A[0, k], A[1, k], A[2, k], A[3, k], A[4, k], A[5, k]
        for i in range(y.shape[1]):
            out[k, i] += a0 * y[0, i] + a1 * y[1, i] + a2 * y[2, i] + a3 * y[3, i] + a4 * y[4, i] + a5 * y[5, i]


@kernel
def _put_cross(f, out):
    """out (3, 3) += [f]x: f × ψ by ψ."""
    out[0, 1] -= f[2]
    out[0, 2] += f[1]
    out[1, 0] += f[2]
    out[1, 2] -= f[0]
    out[2, 0] -= f[1]
    out[2, 1] += f[0]


@kernel
def _body(L, W, G, D, b, h):
    """Momentum rows of body b: m (δu - δu₋)/h - ψ × f,  N (ψ - ψ₋) - h Rᵀ (ψ × τ), and its contacts with planes."""
    A, B, T = scratch((6, 6)), scratch((6, 6)), scratch((3, 3))
    N, R, t, m = G.inertia_before[b], W.R[b], G.wrench[b], L.mass[b] / h
    for i in range(6):
        for k in range(6):
            A[i, k] = G.contact[b, i, k]
            B[i, k] = 0.0
    for i in range(3):
        A[i, i] += m
        B[i, i] = -m
        for k in range(3):
            A[3 + i, 3 + k] += N[i, k]
            B[3 + i, 3 + k] = -N[i, k]
            T[i, k] = 0.0
    _put_cross(G.force[b], A[0:3, 3:6])
    _put_cross(t[3:6], T)
    for i in range(3):
        for k in range(3):
            A[3 + i, 3 + k] += h * (R[0, i] * T[0, k] + R[1, i] * T[1, k] + R[2, i] * T[2, k])
    y = D.y[L.place_body[b]]
    _pull_rows(A, y, D.here[b])
    _pull_rows(B, y, D.before[b])


@kernel
def _pair(L, W, G, D, c):
    """Contact c between two bodies (see gradients/contact_change.py)."""
    a, b = W.cbody[c, 0], W.cbody[c, 1]
    mover, side = (b, 1) if b >= 0 else (a, 0)
    z = D.carried
    z[:, :] = 0.0
    for k in range(2):
        body = a if k == 0 else b
        if body >= 0:
            _pull_rows(G.pair_rows[c, 6 * k : 6 * k + 6], D.y[L.place_body[body]], z)
    A = zeros((6, 6))
    _put_cross(G.pair_force[c], A[0:3, 3:6])
    _pull_rows(A, D.y[L.place_body[mover]], z)
    _carry(z, W.x[mover], W.x[mover], 1.0, D.here[mover])
    if side == 1 and a >= 0:
        _carry(z, W.x[b], W.x[a], -1.0, D.here[a])
        if feels_frame(W, c):  # tangents lag behind a rotation of both bodies
            twist = z[0]
            twist[:] = 0.0
            pull(D.y[L.place_body[a]], G.pair_twist[c, 0:6], twist)
            pull(D.y[L.place_body[b]], G.pair_twist[c, 6:12], twist)
            for k in range(3):
                pull_one(twist, G.pair_spin[c, k], D.here[a, 3 + k])


@kernel
def _closure_rows(L, W, G, D, e, n, h):
    """Rows of connect or weld e, whose node is n, by the motion of the next pose of either body."""
    A, unit, v = scratch((6, 6)), scratch(6), scratch(6)
    for side in range(2):
        b = L.eq_bodies[e, side]
        if b < 0:
            continue
        for k in range(6):
            unit[:] = 0.0
            unit[k] = 1.0
            as_velocity(W, G, b, unit, h, v)
            for r in range(6):
                A[r, k] = 0.0
                for m in range(6):
                    A[r, k] -= W.Ceq[e, side, r, m] * v[m]
        _pull_rows(A, D.y[L.place_node[n]], D.here[b])


@kernel
def _closure_impulse(L, W, D, e, n):
    """Impulses of connect or weld e by the displacement of the second body against the first; they do not rotate with it."""
    one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
    on_one, on_two, z = zeros((6, 6)), zeros((6, 6)), D.carried
    unit, F, a, b = scratch(6), scratch(3), scratch(3), scratch(3)
    for k in range(6):
        unit[:] = 0.0
        unit[k] = 1.0
        pose_impulse_change(L, W, e, W.lam[n], unit, F, a, b)
        for i in range(3):
            on_one[3 + i, k], on_two[3 + i, k] = a[i], b[i]
    _put_cross(F, on_two[0:3, 3:6])
    z[:, :] = 0.0
    if one >= 0:
        _pull_rows(on_one, D.y[L.place_body[one]], z)
    if two >= 0:
        _pull_rows(on_two, D.y[L.place_body[two]], z)
        _carry(z, W.x[two], W.x[two], 1.0, D.here[two])
    if one >= 0:
        _carry(z, W.x[body_row(W.x, two)], W.x[one], -1.0, D.here[one])
