"""Volume, inertia and bounding radius of the geom shapes, from MuJoCo's half sizes.

Inertia is diagonal in the geom's frame, about its centre, and proportional to mass: `unit_inertia` is for 1 kg.
A capsule is a cylinder of half length c with two half balls: their centres of mass lie 3 r / 8 beyond its ends.
"""

from __future__ import annotations

import math

import numpy as np

from .enums import GeomType

Array = np.ndarray

SIZE_NUMBERS = {
    GeomType.PLANE: 3,
    GeomType.SPHERE: 1,
    GeomType.CAPSULE: 2,
    GeomType.ELLIPSOID: 3,
    GeomType.CYLINDER: 2,
    GeomType.BOX: 3,
}
"""How many size numbers each shape needs."""

INFINITE = 1e10
"""What stands for it in the box about a plane [m]."""
FROMTO_SHAPES = (GeomType.CAPSULE, GeomType.CYLINDER, GeomType.ELLIPSOID, GeomType.BOX)


def volume(shape: int, size: Array) -> float:
    """Volume [m^3]; a plane has none."""
    a, b, c = size
    if shape == GeomType.SPHERE:
        return 4.0 / 3.0 * math.pi * a**3
    if shape == GeomType.CAPSULE:
        return math.pi * a**2 * 2.0 * b + 4.0 / 3.0 * math.pi * a**3
    if shape == GeomType.CYLINDER:
        return math.pi * a**2 * 2.0 * b
    if shape == GeomType.ELLIPSOID:
        return 4.0 / 3.0 * math.pi * a * b * c
    if shape == GeomType.BOX:
        return 8.0 * a * b * c
    return 0.0


def unit_inertia(shape: int, size: Array) -> Array:
    """Principal moments (3) of the shape filled with 1 kg [m^2]."""
    a, b, c = size
    if shape == GeomType.SPHERE:
        return np.full(3, 0.4 * a**2)
    if shape == GeomType.CAPSULE:
        ball = 4.0 * a / (4.0 * a + 6.0 * b)  # share of the mass in the two half balls
        rod = 1.0 - ball
        across = rod * (3.0 * a**2 + 4.0 * b**2) / 12.0 + ball * (0.4 * a**2 + b**2 + 0.75 * a * b)
        return np.array([across, across, rod * 0.5 * a**2 + ball * 0.4 * a**2])
    if shape == GeomType.CYLINDER:
        across = (3.0 * a**2 + 4.0 * b**2) / 12.0
        return np.array([across, across, 0.5 * a**2])
    if shape == GeomType.ELLIPSOID:
        return np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 5.0
    if shape == GeomType.BOX:
        return np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 3.0
    return np.zeros(3)


def bounding_radius(shape: int, size: Array) -> float:
    """Radius of the smallest centred ball around the shape [m]; 0 for a plane, which has none."""
    a, b, _ = size
    if shape == GeomType.SPHERE:
        return float(a)
    if shape == GeomType.CAPSULE:
        return float(a + b)
    if shape == GeomType.CYLINDER:
        return math.hypot(a, b)
    if shape == GeomType.ELLIPSOID:
        return float(max(size))
    if shape in (GeomType.BOX, GeomType.MESH):
        return float(np.linalg.norm(size))
    return 0.0


def box_about(shape: int, size: Array) -> Array:
    """Centre (3) and half edges (3) of the smallest box about a primitive, along its axes [m]; a plane's is all below it."""
    if shape == GeomType.PLANE:
        return np.array([0.0, 0.0, -0.5 * INFINITE, INFINITE, INFINITE, 0.5 * INFINITE])
    return np.concatenate([np.zeros(3), _half_extents(shape, size)])


def _half_extents(shape: int, size: Array) -> Array:
    a, b, _ = size
    if shape == GeomType.SPHERE:
        return np.full(3, a)
    if shape == GeomType.CAPSULE:
        return np.array([a, a, a + b])
    if shape == GeomType.CYLINDER:
        return np.array([a, a, b])
    return np.array(size, float)
