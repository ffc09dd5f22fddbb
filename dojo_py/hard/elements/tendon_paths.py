"""Spatial tendons: length at given poses, and its derivative by the displacements and rotations of the bodies.

    l = Σ (straight pieces + pieces on objects) / divisor,   ∂l/∂(x, φ) = ± (u, p × Rᵀu) / divisor   at both ends of straight pieces

u: the piece's direction in the world, p: its end from the centre of mass, body axes. A tight path is the shortest one: motion along
the path of the points where it leaves an object changes nothing to first order, so pieces on objects do not enter the derivative.
"""

from dojo_py.actuation.wrapping import CYLINDER, PULLEY, SITE, unit3, wrap
from dojo_py.algebra.rotations import quat_mul, quat_normalise, quat_to_matrix, step_quaternion
from dojo_py.algebra.vectors import matrix, to_world, turned_back
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.terms import EQ_PATH
from dojo_py.jit import entry, kernel

ROW = 5
"""Row of its node that has a tendon's length."""


@kernel
def _point(L, k, side, b, x, R):
    """World position of the site of path row k, or of its side site (side 1), on the body in row b."""
    return to_world(R[b], x[b], L.path_pos[k, side])


@kernel
def _pull(L, e, slot, point, u, scale, x, R, G):
    """G += scale times the derivative of the velocity along u of a world point of the body at a slot of closure e."""
    if slot < 0:
        return
    b = L.eq_bodies[e, slot]
    f = turned_back(matrix(R[b]), u)
    p = turned_back(matrix(R[b]), (point[0] - x[b, 0], point[1] - x[b, 1], point[2] - x[b, 2]))
    row = G[slot, ROW]
    row[0] += scale * u[0]
    row[1] += scale * u[1]
    row[2] += scale * u[2]
    row[3] += scale * (p[1] * f[2] - p[2] * f[1])
    row[4] += scale * (p[2] * f[0] - p[0] * f[2])
    row[5] += scale * (p[0] * f[1] - p[1] * f[0])


@kernel
def _piece(L, e, a, slot_a, b, slot_b, divisor, x, R, G):
    """Length of the straight piece from point a to b over the divisor; its derivative into G."""
    d = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    if slot_a != slot_b:
        u = unit3(d)
        _pull(L, e, slot_a, a, u, -1.0 / divisor, x, R, G)
        _pull(L, e, slot_b, b, u, 1.0 / divisor, x, R, G)
    return (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) ** 0.5 / divisor


@kernel
def _row(L, e, slot, x):
    """Row in x (nb + 1, 3) of the body at a slot of closure e; at slot -1 is the world."""
    return body_row(x, L.eq_bodies[e, slot] if slot >= 0 else -1)


@kernel
def _round(L, e, k, a, b, x, R):
    """The wrap about the object of path row k between world points a, b: (length, leaves at, comes back at), in its frame."""
    body, beside = _row(L, e, L.path_slot[k, 0], x), _row(L, e, L.path_slot[k, 1], x)
    side = (0.0, 0.0, 0.0)
    if L.path_sided[k]:
        side = _inside(L, k, body, _point(L, k, 1, beside, x, R), x, R)
    first, second = _inside(L, k, body, a, x, R), _inside(L, k, body, b, x, R)
    return wrap(first, second, L.path_size[k], L.path_kind[k] == CYLINDER, L.path_sided[k] == 1, side)


@kernel
def _inside(L, k, b, p, x, R):
    """World point p in the frame of the object of path row k on the body in row b."""
    q = turned_back(matrix(R[b]), (p[0] - x[b, 0], p[1] - x[b, 1], p[2] - x[b, 2]))
    o = L.path_pos[k, 0]
    return turned_back(matrix(L.path_axes[k]), (q[0] - o[0], q[1] - o[1], q[2] - o[2]))


@kernel
def _outside(L, k, b, p, x, R):
    """World point of the point p in the frame of the object of path row k, on the body in row b."""
    return to_world(R[b], x[b], to_world(L.path_axes[k], L.path_pos[k, 0], p))


@kernel
def path_length(L, e, x, R, G):
    """Length [m] of the spatial tendon of closure e at poses x (nb + 1, 3), R (nb + 1, 3, 3); its derivative to G (s, 6, 8)."""
    G[:, :, :] = 0.0
    divisor, length, k = 1.0, 0.0, L.path_rows[e, 0]
    while k < L.path_rows[e, 1] - 1:
        if L.path_kind[k] == PULLEY:
            divisor = L.path_size[k]
        if L.path_kind[k] == PULLEY or L.path_kind[k + 1] == PULLEY:
            k += 1
            continue
        wrapped = L.path_kind[k + 1] != SITE
        last = k + 2 if wrapped else k + 1
        from_slot, to_slot, curve = L.path_slot[k, 0], L.path_slot[last, 0], -1.0
        a = _point(L, k, 0, _row(L, e, from_slot, x), x, R)
        b = _point(L, last, 0, _row(L, e, to_slot, x), x, R)
        if wrapped:
            curve, on_a, on_b = _round(L, e, k + 1, a, b, x, R)
            if curve >= 0.0:
                slot = L.path_slot[k + 1, 0]
                body = _row(L, e, slot, x)
                p, q = _outside(L, k + 1, body, on_a, x, R), _outside(L, k + 1, body, on_b, x, R)
                length += _piece(L, e, a, from_slot, p, slot, divisor, x, R, G) + curve / divisor
                length += _piece(L, e, q, slot, b, to_slot, divisor, x, R, G)
        if curve < 0.0:
            length += _piece(L, e, a, from_slot, b, to_slot, divisor, x, R, G)
        k = last
    return length


@kernel
def path_state(L, e, V, bodies, h):
    """(length, its rate over the last interval) of the tendon of closure e where bodies (nb, 13) are; derivative in V.path_G."""
    poses_at(L, e, V, bodies, h, True)
    before = path_length(L, e, V.path_x, V.path_R, V.path_G)
    poses_at(L, e, V, bodies, h, False)
    length = path_length(L, e, V.path_x, V.path_R, V.path_G)
    return length, (length - before) / h


@kernel
def poses_at(L, e, V, bodies, h, back):
    """V.path_x, V.path_R of the bodies of closure e; back: one interval before."""
    turn, q = scratch(4), scratch(4)
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b < 0:
            continue
        for i in range(3):
            V.path_x[b, i] = bodies[b, i] - (h * bodies[b, 3 + i] if back else 0.0)
        if back:
            step_quaternion(bodies[b, 10:13], -h, turn)
            quat_mul(bodies[b, 6:10], turn, q)
            quat_normalise(q)
            quat_to_matrix(q, V.path_R[b])
        else:
            quat_to_matrix(bodies[b, 6:10], V.path_R[b])


@kernel
def load_paths(L, V, bodies, h):
    """V.angle and V.rate of all spatial tendons."""
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_PATH:
            V.angle[L.eq_dof[e]], V.rate[L.eq_dof[e]] = path_state(L, e, V, bodies, h)


@entry
def path_lengths(L, V, bodies, h):
    """`load_paths` for callers in Python."""
    load_paths(L, V, bodies, h)
