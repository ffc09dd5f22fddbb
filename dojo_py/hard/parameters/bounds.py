"""Bounds of shapes after these have changed: how far they reach from their centres, and the balls inside of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE

Array = np.ndarray
NUMBER = {SPHERE: 1, CAPSULE: 2, CYLINDER: 2, ELLIPSOID: 3, BOX: 3}
"""How many sizes shapes have."""


def bound_shapes(pairs: Any) -> None:
    """Of the geoms in pairs that have sizes: as convex shapes, and as rounded boxes, whose centres and radii may differ, in round
    pairs.
    """
    rounds = set(pairs.geom[: int(pairs.rounds[0])].ravel().tolist())
    for g in np.unique(pairs.geom).tolist():
        kind = int(pairs.shape_kind[g])
        if kind not in NUMBER:
            continue
        size = pairs.shape_size[g, : NUMBER[kind]]
        reach, inner = _reach(kind, size), float(size[0] if kind in (SPHERE, CAPSULE) else size.min())
        if g in rounds:
            half, radius = pairs.round_half[g], float(pairs.round_radius[g])
            away = float(np.linalg.norm(pairs.round_centre[g] - pairs.shape_centre[g]))
            reach = max(reach, away + float(np.linalg.norm(half)) + radius)
            inner = min(inner, max((float(half.min()) if kind == BOX else 0.0) + radius - away, 0.0))
        pairs.shape_reach[g], pairs.shape_inner[g] = reach, inner


def _reach(kind: int, size: Array) -> float:
    return float(size[0] + size[1] if kind == CAPSULE else size.max() if kind == ELLIPSOID else np.linalg.norm(size))
