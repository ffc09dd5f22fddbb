"""Right-hand sides of the implicit function theorem for coordinates and rates, in closed form: the bodies' rows.

When coordinate i of joint j moves, everything below it moves rigidly: displacement u + ψ × (x - x_child), rotation ψ, world
axes. Write the unknown velocities below as rotated ones plus an unknown change, δv = ψ × v + δṽ; then the next poses move rigidly
too, and below the joint only terms change whose direction is fixed in the world: momentum, gravity, outside forces and contacts
with planes. At joint j itself the rows change by the rigid motion of its child, and the impulse directions by its coordinate
(own_joint.py).

    momentum rows   - ψ × (m v₋ + h m g + h f + Σ contact) + m δv₋,     N (ψ - ψ₋) - h Rᵀ (ψ × τ) + contact torque
"""

from dojo_py.arrays import scratch
from dojo_py.hard.elements.contact_rows import feels_frame
from dojo_py.hard.elements.medium import in_medium, wind_columns
from dojo_py.jit import kernel


@kernel
def column_motion(L, W, G, dof, part, h):
    """G.moved (nb, 12) and G.under: how the bodies move with a coordinate (part 0) or a rate (part 1). h: interval before."""
    before = G.before[dof] if part == 0 else G.before_rate[dof]
    subtree_motion(L, W, G, L.child[L.dof_joint[dof]], G.here[dof], before, part == 0, h)
    for b in range(L.mass.shape[0]):
        if G.division.held[b]:  # its momentum is carried, and does not depend on the pose one interval before
            G.moved[b, 6:12] = 0.0


@kernel
def subtree_motion(L, W, G, child, here, before, moves, h):
    """G.moved and G.under: a body and all below it moved by the screws before (6,) and, if `moves`, here (6,)."""
    for b in range(L.mass.shape[0]):
        a = L.parent[b]  # joint b carries body b
        G.under[b] = 1 if b == child or (b > child and a >= 0 and G.under[a] == 1) else 0
        row = G.moved[b]
        for i in range(12):
            row[i] = 0.0
        if G.under[b] == 0:
            continue
        if moves:
            field(here, W.x[b], W.x[child], row)
        field(before, G.x_before[b], G.x_before[child], row[6:12])
        for i in range(3):
            row[6 + i] = (row[i] - row[6 + i]) / h
            row[9 + i] = row[3 + i] - row[9 + i]  # ψ - ψ₋


@kernel
def field(screw, x, centre, out):
    """out (6,) = (u + ψ × (x - centre), ψ): a screw (6,) = (u, ψ) about a centre (3,), seen at x (3,)."""
    d0, d1, d2 = x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]
    p0, p1, p2 = screw[3], screw[4], screw[5]
    out[0] = screw[0] + p1 * d2 - p2 * d1
    out[1] = screw[1] + p2 * d0 - p0 * d2
    out[2] = screw[2] + p0 * d1 - p1 * d0
    out[3], out[4], out[5] = p0, p1, p2


@kernel
def body_columns(L, W, G, h, column, part):
    """Momentum rows of the bodies that move: changes of the old momentum, gravity, outside wrenches and plane contacts.

    With a rate (part 1) only the pose before the start moves: nothing changes but the old momentum.
    """
    for b in range(L.mass.shape[0]):
        if G.under[b] == 0:
            continue
        m = G.moved[b]
        f, N, C, R, K = G.still[b], G.inertia_before[b], G.contact[b], W.R[b], G.lever[b]
        place = L.place_body[b]
        p0, p1, p2 = m[3], m[4], m[5]
        x = G.columns[place]
        if part == 1:
            for i in range(3):
                x[i, column] += L.mass[b] * m[6 + i]
                x[3 + i, column] += N[i, 0] * m[9] + N[i, 1] * m[10] + N[i, 2] * m[11]
            continue
        x[0, column] += L.mass[b] * m[6] - p1 * f[2] + p2 * f[1]
        x[1, column] += L.mass[b] * m[7] - p2 * f[0] + p0 * f[2]
        x[2, column] += L.mass[b] * m[8] - p0 * f[1] + p1 * f[0]
        # Rᵀ τ changes as the body rotates; τ itself does where outside forces act off its centre
        w0 = p1 * f[5] - p2 * f[4] - (K[0, 0] * p0 + K[0, 1] * p1 + K[0, 2] * p2)
        w1 = p2 * f[3] - p0 * f[5] - (K[1, 0] * p0 + K[1, 1] * p1 + K[1, 2] * p2)
        w2 = p0 * f[4] - p1 * f[3] - (K[2, 0] * p0 + K[2, 1] * p1 + K[2, 2] * p2)
        for i in range(3):
            x[3 + i, column] += N[i, 0] * m[9] + N[i, 1] * m[10] + N[i, 2] * m[11]
            x[3 + i, column] -= h * (R[0, i] * w0 + R[1, i] * w1 + R[2, i] * w2)
        if h > 0.0 and in_medium(L, b):
            wind_columns(L, W, G, b, h, x, column)
        for i in range(6 if W.n_active[1] > 0 else 0):
            x[i, column] += C[i, 0] * m[0] + C[i, 1] * m[1] + C[i, 2] * m[2] + C[i, 3] * p0 + C[i, 4] * p1 + C[i, 5] * p2


@kernel
def pair_columns(L, W, G, dof, column):
    """Contacts between two bodies of which one or both move."""
    child, m = L.child[L.dof_joint[dof]], scratch(6)
    for c in range(W.n_active[1], W.n_active[0]):
        a, b = W.cbody[c, 0], W.cbody[c, 1]
        on_a, on_b = a >= 0 and G.under[a] == 1, b >= 0 and G.under[b] == 1
        if on_a and b >= 0 and feels_frame(W, c):
            _twist_column(L, W, G, c, G.here[dof], column)
        if on_a == on_b:
            continue
        mover = b if b >= 0 else a
        sign = 1.0 if (on_b or b < 0) else -1.0  # -1: as if both moved and the second moved back
        field(G.here[dof], W.x[mover], W.x[child], m)
        F = G.pair_force[c]
        x = G.columns[L.place_body[mover]]
        x[0, column] -= sign * (m[4] * F[2] - m[5] * F[1])
        x[1, column] -= sign * (m[5] * F[0] - m[3] * F[2])
        x[2, column] -= sign * (m[3] * F[1] - m[4] * F[0])
        for side in range(2):
            body = a if side == 0 else b
            if body < 0:
                continue
            x, T = G.columns[L.place_body[body]], G.pair_rows[c]
            for i in range(6):
                t = 0.0
                for k in range(6):
                    t += T[6 * side + i, k] * m[k]
                x[i, column] += sign * t


@kernel
def _twist_column(L, W, G, c, screw, column):
    """Pair c when both its bodies rotate by the screw (6,): its tangents lag behind (see contact_change.py)."""
    spin = G.pair_spin[c]
    angle = spin[0] * screw[3] + spin[1] * screw[4] + spin[2] * screw[5]
    for side in range(2):
        x = G.columns[L.place_body[W.cbody[c, side]]]
        for i in range(6):
            x[i, column] += angle * G.pair_twist[c, 6 * side + i]
