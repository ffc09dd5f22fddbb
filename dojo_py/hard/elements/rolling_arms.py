"""Where what rolls is pushed: a rim, an ellipsoid, a cylinder at nearest points, whose point of contact runs along it.

    ρ' = ρ - w (ρ - ρ₀),   w = 1 - x² (3 - 2 x),  x = |ρ - ρ₀|²/L²,  w = 0 beyond L
                           ρ₀, ρ: from the shape's centre to the point of contact, where the step starts and ends, world axes
                           L: of rims a quarter of the way round, √2 r; of ellipsoids √(a² + b² + c²)
    impulses act at ρ', slip is ω × (ρ + ρ')/2

Impulses belong to the start of a step and slip to its middle: then what rolls without slipping keeps its energy to second order in
h (a disc that wobbles; a stone that rocks and reverses its spin). With both at the end it loses energy, of first order: such a disc
half of it in 0.1 s at h 0.01 s. Where the point of contact runs along a good part of the shape within a step, as under a disc that
comes to lie flat, the start tells nothing of the end: there both are at the end, which dissipates. (With w = 1 throughout, drops
of discs and flat ellipsoids take 1.5 times the iterations, and 73 of 2925 steps are divided in place of 5.) Integrators for
nonholonomic constraints combine impulses at the ends of steps with constraints between them likewise: Cortés and Martínez (2001).

M = ∂ρ'/∂ρ, symmetric; ∂ρ'/∂ρ₀ = 1 - M.
"""

from dojo_py.algebra.vectors import along, dot, minus, times
from dojo_py.jit import kernel

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""M where ρ' = ρ."""


@kernel
def rolling_arm(start, end, square):
    """(ρ', M as nine numbers) from ρ₀, ρ (3,) [m] and L² [m²]."""
    d = minus(end, start)
    x = dot(d, d) / square
    if x >= 1.0:
        return end, IDENTITY
    w, k = 1.0 - x * x * (3.0 - 2.0 * x), 12.0 * x * (1.0 - x) / square
    xy, xz, yz = k * d[0] * d[1], k * d[0] * d[2], k * d[1] * d[2]
    M = (1.0 - w + k * d[0] * d[0], xy, xz, xy, 1.0 - w + k * d[1] * d[1], yz, xz, yz, 1.0 - w + k * d[2] * d[2])
    return along(end, -w, d), M


@kernel
def by_square(start, end, square):
    """Change of ρ' (3,) for each m² of L²."""
    d = minus(end, start)
    x = dot(d, d) / square
    return times(-6.0 * x * x * max(1.0 - x, 0.0) / square, d)


@kernel
def halfway(M):
    """(1 + M)/2: change of the slip's arm (ρ + ρ')/2 by that of ρ; (1 - M)/2 is that by ρ₀."""
    return (
        0.5 + 0.5 * M[0], 0.5 * M[1], 0.5 * M[2], 0.5 * M[3], 0.5 + 0.5 * M[4], 0.5 * M[5], 0.5 * M[6], 0.5 * M[7], 0.5 + 0.5 * M[8]
    )  # fmt: skip


@kernel
def from_start(M):
    """1 - M: change of ρ' by that of ρ₀."""
    return (1.0 - M[0], -M[1], -M[2], -M[3], 1.0 - M[4], -M[5], -M[6], -M[7], 1.0 - M[8])
