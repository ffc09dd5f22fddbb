"""Where a ray o + t d (d unit) first meets a primitive in its own frame, and the outward normal there.

o: (3,) or (..., 3); d: (..., 3); size: MuJoCo's geom_size. Returns t (...), infinite for a miss, and normal (..., 3). One quadratic
for round shapes, slabs for boxes. Rays start outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray

PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6
TINY = 1e-12


def _dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)


def _quadratic(a: Array, b: Array, c: Array) -> Array:
    """Smaller root of a t² + 2 b t + c if it is positive, else infinity."""
    disc = b * b - a * c
    t = (-b - np.sqrt(np.maximum(disc, 0.0))) / np.maximum(a, TINY)
    return np.where((disc > 0.0) & (t > 0.0) & (a > TINY), t, np.inf)


def _at(o: Array, d: Array, t: Array) -> Array:
    return o + np.where(np.isfinite(t), t, 0.0)[..., None] * d


def plane_hit(o: Array, d: Array, size: Any) -> tuple[Array, Array]:
    """The plane z = 0, infinite, seen from above."""
    down = d[..., 2] < -TINY
    t = np.where(down & (o[..., 2] > 0), -o[..., 2] / np.where(down, d[..., 2], -1.0), np.inf)
    return t, np.broadcast_to(np.array([0.0, 0.0, 1.0]), d.shape)


def _ball(o: Array, d: Array, radius: float) -> Array:
    return _quadratic(_dot(d, d), _dot(o, d), _dot(o, o) - radius**2)


def sphere_hit(o: Array, d: Array, size: Array) -> tuple[Array, Array]:
    """size[0]: radius."""
    t = _ball(o, d, size[0])
    return t, _at(o, d, t) / size[0]


def ellipsoid_hit(o: Array, d: Array, size: Array) -> tuple[Array, Array]:
    """size: the three radii."""
    t = _ball(o / size, d / size, 1.0)
    normal = _at(o, d, t) / size**2
    return t, normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), TINY)


def _side(o: Array, d: Array, radius: float, half: float) -> Array:
    """The round side of a cylinder about z."""
    oo, dd = o[..., :2], d[..., :2]
    t = _quadratic(_dot(dd, dd), _dot(oo, dd), _dot(oo, oo) - radius**2)
    return np.where(np.abs(_at(o, d, t)[..., 2]) <= half, t, np.inf)


def capsule_hit(o: Array, d: Array, size: Array) -> tuple[Array, Array]:
    """size: radius, half length of the straight part."""
    radius, half = size[0], size[1]
    end = np.array([0.0, 0.0, half])
    t = np.minimum(_side(o, d, radius, half), np.minimum(_ball(o - end, d, radius), _ball(o + end, d, radius)))
    point = _at(o, d, t)
    point[..., 2] -= np.clip(point[..., 2], -half, half)
    return t, point / radius


def cylinder_hit(o: Array, d: Array, size: Array) -> tuple[Array, Array]:
    """size: radius, half length."""
    radius, half = size[0], size[1]
    side = _side(o, d, radius, half)
    slope = np.where(np.abs(d[..., 2]) > TINY, d[..., 2], TINY)
    lid = -(np.sign(slope) * half + o[..., 2]) / slope
    lid = np.where((lid > 0) & (_dot(_at(o, d, lid)[..., :2], _at(o, d, lid)[..., :2]) <= radius**2), lid, np.inf)
    t = np.minimum(side, lid)
    normal = _at(o, d, t) / radius
    normal[..., 2] = 0.0
    flat = np.zeros_like(normal)
    flat[..., 2] = -np.sign(slope)
    return t, np.where((lid < side)[..., None], flat, normal)


def box_hit(o: Array, d: Array, size: Array) -> tuple[Array, Array]:
    """size: half edges."""
    safe = np.where(np.abs(d) > TINY, d, TINY)
    near = (-np.sign(safe) * size - o) / safe
    far = (np.sign(safe) * size - o) / safe
    enter = near.max(axis=-1)
    t = np.where((enter <= far.min(axis=-1)) & (enter > 0), enter, np.inf)
    normal = np.where(near == enter[..., None], -np.sign(safe), 0.0)
    return t, normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1.0)


HITS = {
    SPHERE: sphere_hit,
    CAPSULE: capsule_hit,
    ELLIPSOID: ellipsoid_hit,
    CYLINDER: cylinder_hit,
    BOX: box_hit,
}
"""Shape code -> function."""
