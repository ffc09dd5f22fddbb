"""Which faces, edges and corners a box or mesh shows along a direction ν on the central path, where those that face away fade.

In the hard limit a shape shows one face: of those at its corner farthest along ν, the one whose normal m is nearest to ν
(shown_polygons.py). Half way between two face normals this choice jumps, and with it the impulses κ/gap at the far corners of the
faces. So on the central path both faces are shown there. What is shown has a facing σ ≥ 0, infinite if it is shown in full, and the
gap of its features grows with 1/σ:

    gap + d₂ (1/σ_A + 1/σ_B)

    corner c      t_c = Σ_u (max(u·ν, 0)/a)³                                         u: unit vectors along its edges
    its face F    t_Fc = t_c + Σ_k (max((m_k - m_F)·ν, 0)/w_k)³                      k: other faces at c,  d = m_k - m_F
                  w_k = |d| max(|d|/4, b)                                             ν = m_k is (m_k - m_F)·ν = |d|²/2
    φ(t) = max(1 - t, 0)³/t:        σ_F = Σ_c φ(t_Fc),      σ_c = φ(t_c) + Σ_F σ_F,      of an edge σ = σ_F1 + σ_F2

A face is shown in full if the rule above selects it, and fades as ν rotates from half way on towards the next normal. Along a face
normal only that face is shown. σ is a function of ν in the frame of the shape; 1/σ is twice continuously differentiable, and before
it becomes infinite the impulse has faded to zero (hard/elements/far_pairs.py). ν is a smooth function of the poses
(relaxed_points.py).
"""

import math

from dojo_py.algebra.vectors import ZERO, along, dot, length, minus, row
from dojo_py.collision.convex_shapes import BOX, MESH
from dojo_py.jit import kernel

WHOLE, FACE, EDGE, CORNER = range(4)
"""The part of a shape that a feature involves: one that never fades, a face, an edge between two faces, a corner."""
RISE = 0.15
"""a: slope of an edge, rising along ν from a corner, from which on that corner is not shown."""
NARROW = 0.05
"""b: smallest angle [rad] over which a face fades; faces whose normals differ by less than 2 b are both shown along either one."""
NOTHING = 1e-60
"""t below which a part is shown in full."""


@kernel
def has_faces(Q, g):
    """Whether geom g is a box or mesh."""
    return Q.shape_kind[g] == BOX or Q.shape_kind[g] == MESH


@kernel
def _cube(t, by, value, width, scale, direction):
    """(t, ∂t/∂ν) with (value/width)³ added, value = scale · direction · ν."""
    x = value / width
    return t + x * x * x, along(by, 3.0 * x * x / width * scale, direction)


@kernel
def _below_farthest(Q, c, v):
    """t_c of corner c along v (3,), frame of the shape, and its derivative by v; from 1 on (the corner is not shown) incomplete."""
    t, by, p = 0.0, ZERO, row(Q.corner, c)
    for r in range(Q.first[c], Q.first[c + 1]):
        u = minus(row(Q.corner, Q.neighbour[r]), p)
        up = dot(u, v)
        if up > 0.0:
            scale = 1.0 / length(u)
            t, by = _cube(t, by, scale * up, RISE, scale, u)
            if t >= 1.0:
                break
    return t, by


@kernel
def _behind_others(Q, face, c, v):
    """t_Fc - t_c: by how much the normals of other faces at corner c are closer to v than that of a face; its derivative by v."""
    t, by, m = 0.0, ZERO, row(Q.face_normal, face)
    for r in range(Q.around[c], Q.around[c + 1]):
        k = Q.around_face[r]
        if k != face:
            d = minus(row(Q.face_normal, k), m)
            value = dot(d, v)
            if value > 0.0:
                size = length(d)
                t, by = _cube(t, by, value, size * max(0.25 * size, NARROW), 1.0, d)
    return t, by


@kernel
def _plus_facing(sigma, by, t, by_t):
    """(σ, ∂σ/∂ν) with φ(t) added; dφ/dt = -(1 - t)² (1 + 2t)/t²."""
    if t >= 1.0:
        return sigma, by
    if t < NOTHING:
        return math.inf, ZERO
    left = 1.0 - t
    return sigma + left * left * left / t, along(by, -left * left * (1.0 + 2.0 * t) / (t * t), by_t)


@kernel
def _face(Q, face, v, sigma, by):
    """(σ, ∂σ/∂ν) with σ_F of a face added."""
    for r in range(Q.ring[face], Q.ring[face + 1]):
        c = Q.ring_corner[r]
        t, by_t = _below_farthest(Q, c, v)
        if t < 1.0:
            more, by_more = _behind_others(Q, face, c, v)
            sigma, by = _plus_facing(sigma, by, t + more, along(by_t, 1.0, by_more))
            if sigma == math.inf:
                break
    return sigma, by


@kernel
def facing(Q, M, side, part, v):
    """(σ, ∂σ/∂ν) of a part along v (3,) in the frame of its shape; part: (FACE, …; its number, or of an edge those of both faces).

    side: which of M's shapes this is if its faces have been listed along v (`listed_side`), else -1.
    """
    what, i, j = part
    if what == WHOLE:
        return math.inf, ZERO
    if what == FACE:
        return _add_face(Q, M, side, i, v, 0.0, ZERO)
    if what == EDGE:
        sigma, by = _add_face(Q, M, side, i, v, 0.0, ZERO)
        return _add_face(Q, M, side, j, v, sigma, by)
    t, by_t = _below_farthest(Q, i, v)
    sigma, by = _plus_facing(0.0, ZERO, t, by_t)
    for r in range(Q.around[i], Q.around[i + 1]):
        sigma, by = _add_face(Q, M, side, Q.around_face[r], v, sigma, by)
    return sigma, by


@kernel
def _add_face(Q, M, side, face, v, sigma, by):
    """(σ, ∂σ/∂ν) with σ_F of a face added: from the list, 0 if it is not listed; computed if there is no list or it is full."""
    if sigma == math.inf:
        return sigma, by
    count = M.faces[side] if side >= 0 else M.shown.shape[1]
    for i in range(count if side >= 0 else 0):
        if M.shown[side, i] == face:
            more = M.sigma[side, i, 0]
            if more == math.inf:
                return more, ZERO
            return sigma + more, (by[0] + M.sigma[side, i, 1], by[1] + M.sigma[side, i, 2], by[2] + M.sigma[side, i, 3])
    return _face(Q, face, v, sigma, by) if count == M.shown.shape[1] else (sigma, by)


@kernel
def list_faces(Q, M, side, g, v):
    """List the faces that geom g, one of M's shapes, shows along v (3,), as many as there is room for, with σ and ∂σ/∂ν of each."""
    count, out = 0, M.shown[side]
    for c in range(Q.shape_hull[g, 0], Q.shape_hull[g, 0] + Q.shape_hull[g, 1]):
        if Q.around[c] == Q.around[c + 1] or _below_farthest(Q, c, v)[0] >= 1.0:
            continue
        for r in range(Q.around[c], Q.around[c + 1]):
            face, known = Q.around_face[r], False
            for i in range(count):
                known = known or out[i] == face
            if not known and count < out.shape[0]:
                sigma, by = _face(Q, face, v, 0.0, ZERO)
                if sigma > 0.0:
                    kept = M.sigma[side, count]
                    out[count], kept[0], kept[1], kept[2], kept[3] = face, sigma, by[0], by[1], by[2]
                    count += 1
    M.faces[side] = count


@kernel
def listed_side(M, g, v):
    """Which of M's shapes geom g is, if its faces have been listed along v (3,); else -1."""
    for side in range(2):
        along = M.seen_along[side]
        if M.geom[side] == g and M.faces[side] > 0 and along[0] == v[0] and along[1] == v[1] and along[2] == v[2]:
            return side
    return -1


@kernel
def face_beside(Q, face, c, e):
    """The face that shares the edge between corners c and e with a given face."""
    for r in range(Q.around[c], Q.around[c + 1]):
        for s in range(Q.around[e], Q.around[e + 1]):
            if Q.around_face[r] == Q.around_face[s] and Q.around_face[r] != face:
                return Q.around_face[r]
    return face
