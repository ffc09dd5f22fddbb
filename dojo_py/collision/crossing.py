"""Crossing edges of boxes or meshes on the central path: terms by which their gap along the common normal N grows.

The gap of edge u of A and edge w of B is their distance along N = ± u × w/|u × w|, which points out of A, if N is a normal of both
shapes: no face at u rises along N, and no face at w along -N. Besides, u must be steep over the faces at w, and w over those at u:
where one is nearly level its gap is its height over the face (EDGE_OVER, overhang.py), which fades out as the gap here fades in:

    gap + d₂ ( Σ_A (max(d·N, 0)/a)³ + Σ_B (max(-d·N, 0)/a)³ + Σ_A,B (max(2 - ρ/(s/2), 0))³ )

    d    in a face at the edge, ⟂ to it, into the face:   d_1 = (c m_1 - m_2)/sqrt(1 - c²),  c = m_1·m_2
    ρ    slope of u over a face at w where it crosses w:    ρ = |m·u|/|k·u|,  k = w × m              (angle from m to N: atan ρ)

An axis has no faces. All terms depend only on the relative orientation of the shapes, and not on which of them is A.
"""

import math

from dojo_py.algebra.vectors import ZERO, along, cross, dot, length, minus, plus, times
from dojo_py.jit import kernel

FACE_RISE = 0.15
"""a: slope at which a face rises along N where N no longer counts as a normal of its shape."""
STEEP_EDGE = 0.25
"""s: slope of an edge over a face at which its height over the face and the distance of both edges act in full as gaps. Below s/2
the height acts alone, above 2 s the distance."""


@kernel
def _into_faces(m1, m2):
    """d_1, d_2; zero if the edge has no faces (an axis)."""
    c = dot(m1, m2)
    sine = math.sqrt(max(1.0 - c * c, 0.0))
    if sine < 1e-9:
        return ZERO, ZERO
    return times(1.0 / sine, along(times(c, m1), -1.0, m2)), times(1.0 / sine, along(times(c, m2), -1.0, m1))


@kernel
def slope(u, w, m):
    """(ρ, ∂ρ/∂u) of an edge u over the face with normal m at its edge w; unit vectors, m ⟂ w."""
    k = cross(w, m)
    up, out = dot(m, u), dot(k, u)
    rho = abs(up) / max(abs(out), 1e-9)
    by_up, by_out = math.copysign(1.0, up) / max(abs(out), 1e-9), math.copysign(1.0, out) * rho / max(abs(out), 1e-9)
    return rho, along(times(by_up, m), -by_out, k)


@kernel
def _level(u, w, m):
    """((max(2 - ρ/(s/2), 0))³, its derivative by u) of the face with normal m at edge w; zero if there is none."""
    if dot(m, m) == 0.0:
        return 0.0, ZERO
    rho, by = slope(u, w, m)
    t = 2.0 - rho / (0.5 * STEEP_EDGE)
    if t <= 0.0:
        return 0.0, ZERO
    return t * t * t, times(-3.0 * t * t / (0.5 * STEEP_EDGE), by)


@kernel
def crossing_fade(u, w, sign, faces_a, faces_b):
    """(sum of all terms, its derivative by a rotation of A: minus that of B). u, w: unit vectors; sign: of n = ± u × w from B to A.

    faces_a, faces_b: normals (m_1, m_2) of the two faces at the edge of A and of B, zero for an axis.
    """
    N = cross(u, w)
    size = length(N)
    N = times(-sign / size, N)
    total, turn, by_N = 0.0, ZERO, ZERO
    for i in range(4):
        d1, d2 = _into_faces(faces_a[0], faces_a[1]) if i < 2 else _into_faces(faces_b[0], faces_b[1])
        d, side = d1 if i % 2 == 0 else d2, 1.0 if i < 2 else -1.0
        x = side * dot(d, N) / FACE_RISE
        if x <= 0.0:
            continue
        total += x * x * x
        by = 3.0 * x * x * side / FACE_RISE
        by_N = along(by_N, by, d)
        if i < 2:
            turn = along(turn, by, cross(d, N))
    by_N = along(by_N, -dot(by_N, N), N)
    turn = along(turn, -sign / size, cross(u, cross(w, by_N)))  # b · (δu × w) = δu · (w × b)
    for i in range(2):
        u_level, by_u = _level(u, w, faces_b[i])
        w_level, by_w = _level(w, u, faces_a[i])
        turn = minus(plus(turn, cross(u, by_u)), cross(w, by_w))
        total += u_level + w_level
    return total, turn


@kernel
def over_fade(u, k, m):
    """((max(ρ - s, 0)/s)³, derivative by u) of an edge u over a face with normal m, k ⟂ the edge of that face: EDGE_OVER."""
    rho, by = slope(u, cross(m, k), m)
    t = (rho - STEEP_EDGE) / STEEP_EDGE
    if t <= 0.0:
        return 0.0, ZERO
    return t * t * t, times(3.0 * t * t / STEEP_EDGE, by)
