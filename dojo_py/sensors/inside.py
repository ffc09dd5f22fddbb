"""Points inside the shapes of sites, and rays that meet them: many at once, in the site's axes."""

from __future__ import annotations

import numpy as np

from dojo_py.mechanism.enums import GeomType

Array = np.ndarray


def inside(shape: int, size: Array, points: Array) -> Array:
    """(n,) bool: points (n, 3) within a shape of half sizes (3,)."""
    if shape == GeomType.SPHERE:
        return np.sum(points**2, axis=1) < size[0] ** 2
    if shape == GeomType.CAPSULE:
        along = np.clip(points[:, 2], -size[1], size[1])
        return np.sum(points[:, :2] ** 2, axis=1) + (points[:, 2] - along) ** 2 < size[0] ** 2
    if shape == GeomType.ELLIPSOID:
        return np.sum((points / size) ** 2, axis=1) < 1.0
    if shape == GeomType.CYLINDER:
        return (np.sum(points[:, :2] ** 2, axis=1) < size[0] ** 2) & (np.abs(points[:, 2]) < size[1])
    return np.all(np.abs(points) < size, axis=1)


def ray_hits(shape: int, size: Array, start: Array, along: Array) -> Array:
    """(n,) bool: the ray from start (n, 3) along a direction (n, 3) meets the surface, from outside or from within."""
    low, high = interval_of(shape, size, start, along)
    return high >= np.maximum(low, 0.0)


def interval_of(shape: int, size: Array, start: Array, along: Array) -> tuple[Array, Array]:
    """The interval of t (n,), (n,) in which start + t along is inside a shape of half sizes (3,); empty: (inf, -inf)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if shape == GeomType.SPHERE:
            return _roots(start, along, size[0] ** 2)
        if shape == GeomType.ELLIPSOID:
            return _roots(start / size, along / size, 1.0)
        if shape == GeomType.BOX:
            pairs = [_interval(start[:, k], along[:, k], float(size[k])) for k in range(3)]
            return _if_any(np.max([p[0] for p in pairs], axis=0), np.min([p[1] for p in pairs], axis=0))
        low, high = _roots(start[:, :2], along[:, :2], size[0] ** 2)
        first, last = _interval(start[:, 2], along[:, 2], size[1])
        low, high = _if_any(np.maximum(low, first), np.minimum(high, last))
        if shape == GeomType.CYLINDER:
            return low, high
        for z in (-size[1], size[1]):  # (a capsule is convex: its parts' intervals join)
            one, two = _roots(start - np.array([0.0, 0.0, z]), along, size[0] ** 2)
            low, high = np.minimum(low, one), np.maximum(high, two)
        return low, high


def _if_any(low: Array, high: Array) -> tuple[Array, Array]:
    return np.where(low <= high, low, np.inf), np.where(low <= high, high, -np.inf)


def _roots(start: Array, along: Array, square: float) -> tuple[Array, Array]:
    """The interval of t with |start + t along|² <= square; empty: (inf, -inf)."""
    a, b, c = np.sum(along**2, axis=1), np.sum(start * along, axis=1), np.sum(start**2, axis=1) - square
    root = np.sqrt(b * b - a * c)
    low, high = (-b - root) / a, (-b + root) / a
    still = a < 1e-15
    low, high = np.where(still, np.where(c <= 0, -np.inf, np.inf), low), np.where(still, np.where(c <= 0, np.inf, -np.inf), high)
    return np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high)


def _interval(start: Array, along: Array, half: float) -> tuple[Array, Array]:
    """The interval of t with |start + t along| <= half."""
    one, two = (-half - start) / along, (half - start) / along
    still = np.abs(along) < 1e-15
    low, high = np.minimum(one, two), np.maximum(one, two)
    there = np.abs(start) <= half
    return np.where(still, np.where(there, -np.inf, np.inf), low), np.where(still, np.where(there, np.inf, -np.inf), high)
