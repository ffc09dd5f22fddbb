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
    with np.errstate(divide="ignore", invalid="ignore"):
        if shape == GeomType.SPHERE:
            return _quadratic(start, along, size[0] ** 2)
        if shape == GeomType.ELLIPSOID:
            return _quadratic(start / size, along / size, 1.0)
        if shape == GeomType.BOX:
            return _slabs(start, along, size)
        if shape == GeomType.CYLINDER:
            low, high = _roots(start[:, :2], along[:, :2], size[0] ** 2)
            first, last = _interval(start[:, 2], along[:, 2], size[1])
            return np.minimum(high, last) >= np.maximum(np.maximum(low, first), 0.0)
        ends = [_quadratic(start - np.array([0, 0, z]), along, size[0] ** 2) for z in (-size[1], size[1])]
        low, high = _roots(start[:, :2], along[:, :2], size[0] ** 2)
        first, last = _interval(start[:, 2], along[:, 2], size[1])
        return ends[0] | ends[1] | (np.minimum(high, last) >= np.maximum(np.maximum(low, first), 0.0))


def _roots(start: Array, along: Array, square: float) -> tuple[Array, Array]:
    """The interval of t with |start + t along|² <= square; empty: (inf, -inf)."""
    a, b, c = np.sum(along**2, axis=1), np.sum(start * along, axis=1), np.sum(start**2, axis=1) - square
    root = np.sqrt(b * b - a * c)
    low, high = (-b - root) / a, (-b + root) / a
    still = a < 1e-15
    low, high = np.where(still, np.where(c <= 0, -np.inf, np.inf), low), np.where(still, np.where(c <= 0, np.inf, -np.inf), high)
    return np.where(np.isnan(low), np.inf, low), np.where(np.isnan(high), -np.inf, high)


def _quadratic(start: Array, along: Array, square: float) -> Array:
    return _roots(start, along, square)[1] >= 0.0


def _interval(start: Array, along: Array, half: float) -> tuple[Array, Array]:
    """The interval of t with |start + t along| <= half."""
    one, two = (-half - start) / along, (half - start) / along
    still = np.abs(along) < 1e-15
    low, high = np.minimum(one, two), np.maximum(one, two)
    there = np.abs(start) <= half
    return np.where(still, np.where(there, -np.inf, np.inf), low), np.where(still, np.where(there, np.inf, -np.inf), high)


def _slabs(start: Array, along: Array, size: Array) -> Array:
    pairs = [_interval(start[:, k], along[:, k], float(size[k])) for k in range(3)]
    low, high = np.max([p[0] for p in pairs], axis=0), np.min([p[1] for p in pairs], axis=0)
    return high >= np.maximum(low, 0.0)
