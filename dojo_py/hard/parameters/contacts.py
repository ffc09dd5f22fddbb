"""Friction, contact points and radii.

friction: one number for each pair of geoms that may touch, labelled 'geom/geom'. contact_point: the points that a geom touches
planes with ('box.0' … 'box.7'), and with them a sphere's centre against other bodies. contact_radius: one number a geom.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.parameters.bodies import bound_pairs
from dojo_py.hard.parameters.kind import Kind, not_negative
from dojo_py.hard.world import World
from dojo_py.solver.cones.contact import FRICTIONLESS

Array = np.ndarray


def _geom_name(model: Any, g: int) -> str:
    return model.geom_names[g] or f"#{g}"


def _rubbing_pairs(world: World) -> list[tuple[int, int]]:
    """Pairs of geoms with friction, in order of appearance; the smaller geom first."""
    found: dict[tuple[int, int], None] = {}
    for geoms, law, _ in _tables(world):
        for kind, (a, b) in zip(law, geoms, strict=True):
            if kind != FRICTIONLESS:
                found[(min(a, b), max(a, b))] = None
    return list(found)


def _tables(world: World) -> list[tuple[Array, Array, Array]]:
    """(geoms (n, 2), law (n,), friction (n,)) of all candidates."""
    rows = [(t.geom, t.law, t.friction) for t in (world.planes, world.pairs)]
    return [*rows, (world.pairs.convex, world.pairs.convex_law, world.pairs.convex_friction)]


def _rows_of(geoms: Array, law: Array, pair: tuple[int, int]) -> Array:
    low, high = np.min(geoms, axis=1, initial=2**31), np.max(geoms, axis=1, initial=-1)
    return np.flatnonzero((low == pair[0]) & (high == pair[1]) & (law != FRICTIONLESS))


def _friction_labels(world: World, model: Any) -> list[str]:
    return [f"{_geom_name(model, a)}/{_geom_name(model, b)}" for a, b in _rubbing_pairs(world)]


def _friction(world: World, model: Any) -> Array:
    values = []
    for pair in _rubbing_pairs(world):
        rows = [mu[i] for geoms, law, mu in _tables(world) for i in _rows_of(geoms, law, pair)]
        values.append(rows[0])
    return np.array(values)


def _set_friction(world: World, model: Any, values: Array) -> None:
    for pair, value in zip(_rubbing_pairs(world), values, strict=True):
        for geoms, law, mu in _tables(world):
            mu[_rows_of(geoms, law, pair)] = value


def _rub(values: Array) -> str | None:
    return None if np.all(values > 0) else "must be positive: a contact made with friction keeps some"


def _points(world: World) -> list[tuple[int, int, list[int]]]:
    """(geom, number of the point, rows of the plane candidates) of every point; the same against every plane."""
    found: dict[tuple[int, int], list[int]] = {}
    seen: dict[tuple[int, int], int] = {}
    for row, (g, plane) in enumerate(world.planes.geom):
        number = seen.get((g, plane), 0)
        seen[(g, plane)] = number + 1
        found.setdefault((int(g), number), []).append(row)
    return [(g, number, rows) for (g, number), rows in found.items()]


def _point_labels(world: World, model: Any) -> list[str]:
    return [f"{_geom_name(model, g)}.{number}" for g, number, _ in _points(world)]


def _point_values(world: World, model: Any) -> Array:
    return np.array([world.planes.point[rows[0]] for _, _, rows in _points(world)]).reshape(-1, 3)


def _set_points(world: World, model: Any, values: Array) -> None:
    for (g, _, rows), value in zip(_points(world), values, strict=True):
        world.planes.point[rows] = value
        for i, side in zip(*np.nonzero(world.pairs.geom == g), strict=True):
            if int(model.geom_type[g]) == 2:  # a sphere
                world.pairs.centre[i, side] = value
    bound_pairs(world.pairs)


def _point_sizes(world: World, model: Any) -> Array:
    return np.maximum(np.linalg.norm(_point_values(world, model), axis=1), 1e-3)


def _round_geoms(world: World) -> list[int]:
    """Geoms whose every feature is a point, segment or box with a radius about it (0 counts)."""
    geoms: dict[int, bool] = {}
    for (g, _), curved in zip(world.planes.geom, world.planes.curved, strict=True):
        geoms[int(g)] = geoms.get(int(g), True) and not curved
    for a, b in world.pairs.geom:
        geoms.setdefault(int(a), True)
        geoms.setdefault(int(b), True)
    return [g for g, fits in geoms.items() if fits]


def _radii(world: World, model: Any) -> Array:
    values = []
    for g in _round_geoms(world):
        rows = np.flatnonzero(world.planes.geom[:, 0] == g)
        sides = np.argwhere(world.pairs.geom == g)
        values.append(world.planes.radius[rows[0]] if len(rows) else world.pairs.radius[tuple(sides[0])])
    return np.array(values)


def _set_radii(world: World, model: Any, values: Array) -> None:
    for g, value in zip(_round_geoms(world), values, strict=True):
        world.planes.radius[world.planes.geom[:, 0] == g] = value
        world.pairs.radius[world.pairs.geom == g] = value
    bound_pairs(world.pairs)


KINDS = (
    Kind("friction", "1", 0, _friction_labels, _friction, _set_friction, _rub, _friction),
    Kind("contact_point", "m", 3, _point_labels, _point_values, _set_points, scale=_point_sizes),
    Kind("contact_radius", "m", 0, lambda w, m: [_geom_name(m, g) for g in _round_geoms(w)], _radii, _set_radii, not_negative,
         lambda w, m: np.maximum(_radii(w, m), 1e-2)),
)  # fmt: skip
"""contact_point: from the centre of mass, in body axes."""
