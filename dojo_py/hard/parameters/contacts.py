"""Friction, contact points and radii.

friction: one number for each pair of geoms that may touch, labelled 'geom/geom': the larger coefficient of sliding friction; the
other one changes in proportion. friction_directions: both, along the two tangents. friction_torsional, friction_rolling: those of
torques. restitution: one number for each pair; steps on the central path, and so derivatives, have no restitution.
contact_point: the points with which a geom touches planes ('box.0' … 'box.7'), of a sphere its centre, for all that it touches.
contact_radius: one number a geom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.convex_shapes import CAPSULE, SPHERE
from dojo_py.hard.parameters.bounds import bound_shapes
from dojo_py.hard.parameters.kind import Kind, not_negative
from dojo_py.hard.world import World
from dojo_py.solver.cones.contact import ROWS

Array = np.ndarray
SLIDING, SPINNING, ROLLING = 3, 4, 6
"""Number of rows of a contact with such friction."""


def geom_name(model: Any, g: int) -> str:
    """Name of a geom in labels."""
    return model.geom_names[g] or f"#{g}"


class Rubbing(NamedTuple):
    """Candidates for contact, as views of one table of a World."""

    geoms: Array  # (n, 2)
    law: Array  # (n,)
    friction: Array  # (n,) reference coefficient
    ratio: Array  # (n, 5) all five coefficients over it
    restitution: Array  # (n,)


def _tables(world: World) -> list[Rubbing]:
    return [Rubbing(t.geom, t.law, t.friction, t.ratio, t.restitution) for t in (world.planes, world.pairs)]


def _places(world: World, most: int) -> dict[tuple[int, int], list[tuple[Rubbing, list[int]]]]:
    """Pairs of geoms (smaller number first, in order of appearance) whose law has at least `most` rows -> tables and their rows."""
    found: dict[tuple[int, int], dict[int, list[int]]] = {}
    tables = _tables(world)
    for number, table in enumerate(tables):
        pairs = np.sort(table.geoms, axis=1).tolist()
        for row, (kind, (low, high)) in enumerate(zip(table.law.tolist(), pairs, strict=True)):
            if ROWS[kind] >= most:
                found.setdefault((low, high), {}).setdefault(number, []).append(row)
    return {pair: [(tables[number], rows) for number, rows in places.items()] for pair, places in found.items()}


def _labels(world: World, model: Any, most: int) -> list[str]:
    return [f"{geom_name(model, a)}/{geom_name(model, b)}" for a, b in _places(world, most)]


def _coefficients(world: World, most: int) -> Array:
    """(n, 5) all coefficients of the pairs whose law has at least `most` rows."""
    firsts = [(places[0][0], places[0][1][0]) for places in _places(world, most).values()]
    return np.array([table.friction[row] * table.ratio[row] for table, row in firsts]).reshape(-1, 5)


def _friction(world: World, model: Any) -> Array:
    return _coefficients(world, SLIDING)[:, :2].max(axis=1, initial=0.0)


def _set_friction(world: World, model: Any, values: Array) -> None:
    """Scale both coefficients of sliding friction alike; those of torques stay."""
    shares = values / _friction(world, model)
    for places, share in zip(_places(world, SLIDING).values(), shares, strict=True):
        for table, rows in places:
            table.friction[rows] *= share
            if ROWS[table.law[rows[0]]] > SLIDING:
                table.ratio[rows, 2:] /= share


def _set_coefficients(most: int, first: int, last: int) -> Callable[[World, Any, Array], None]:
    def write(world: World, model: Any, values: Array) -> None:
        for places, value in zip(_places(world, most).values(), values.reshape(len(values), -1), strict=True):
            for table, rows in places:
                table.ratio[rows, first:last] = value / table.friction[rows, None]

    return write


def _friction_kind(name: str, unit: str, most: int, first: int, last: int) -> Kind:
    """Coefficients first … last - 1 of pairs whose law has at least `most` rows."""

    def read(world: World, model: Any) -> Array:
        values = _coefficients(world, most)[:, first:last]
        return values if last > first + 1 else values[:, 0]

    return Kind(
        name, unit, last - first if last > first + 1 else 0, lambda world, model: _labels(world, model, most), read,
        _set_coefficients(most, first, last), _rub, lambda world, model: read(world, model).reshape(-1, last - first).max(axis=1),
    )  # fmt: skip


def _restitutions(world: World, model: Any) -> Array:
    return np.array([places[0][0].restitution[places[0][1][0]] for places in _places(world, 1).values()], float)


def _set_restitutions(world: World, model: Any, values: Array) -> None:
    for places, value in zip(_places(world, 1).values(), values, strict=True):
        for table, rows in places:
            table.restitution[rows] = value


def _share(values: Array) -> str | None:
    return None if np.all((values >= 0) & (values <= 1)) else "must be between 0 and 1"


def _rub(values: Array) -> str | None:
    return None if np.all(values > 0) else "must be positive: a contact made with friction keeps some"


def _points(world: World) -> list[tuple[int, int, list[int]]]:
    """(geom, number of the point, rows of the plane candidates) of every point, which has one row for every plane."""
    found: dict[tuple[int, int], list[int]] = {}
    seen: dict[tuple[int, int], int] = {}
    for row, (g, plane) in enumerate(world.planes.geom):
        number = seen.get((g, plane), 0)
        seen[(g, plane)] = number + 1
        found.setdefault((int(g), number), []).append(row)
    return [(g, number, rows) for (g, number), rows in found.items()]


def _point_labels(world: World, model: Any) -> list[str]:
    return [f"{geom_name(model, g)}.{number}" for g, number, _ in _points(world)]


def _point_values(world: World, model: Any) -> Array:
    return np.array([world.planes.point[rows[0]] for _, _, rows in _points(world)]).reshape(-1, 3)


def _set_points(world: World, model: Any, values: Array) -> None:
    for (g, _, rows), value in zip(_points(world), values, strict=True):
        world.planes.point[rows] = value
        if world.pairs.shape_kind[g] == SPHERE:
            world.pairs.round_centre[g] = world.pairs.shape_centre[g] = value
    bound_shapes(world.pairs)


def _point_sizes(world: World, model: Any) -> Array:
    return np.maximum(np.linalg.norm(_point_values(world, model), axis=1), 1e-3)


def _round_geoms(world: World) -> list[int]:
    """Geoms whose every feature is a point, segment or box with a radius about it (0 counts)."""
    geoms: dict[int, bool] = {}
    for (g, _), curved in zip(world.planes.geom, world.planes.curved, strict=True):
        geoms[int(g)] = geoms.get(int(g), True) and not curved
    paired, first = np.unique(world.pairs.geom[: int(world.pairs.rounds[0])], return_index=True)
    for g in paired[np.argsort(first)]:
        geoms.setdefault(int(g), True)
    return [g for g, fits in geoms.items() if fits]


def _radii(world: World, model: Any) -> Array:
    values = []
    for g in _round_geoms(world):
        rows = np.flatnonzero(world.planes.geom[:, 0] == g)
        values.append(world.planes.radius[rows[0]] if len(rows) else world.pairs.round_radius[g])
    return np.array(values)


def _set_radii(world: World, model: Any, values: Array) -> None:
    for g, value in zip(_round_geoms(world), values, strict=True):
        world.planes.radius[world.planes.geom[:, 0] == g] = value
        world.pairs.round_radius[g] = value
        if world.pairs.shape_kind[g] in (SPHERE, CAPSULE):
            world.pairs.shape_size[g, 0] = value
    bound_shapes(world.pairs)


KINDS = (
    Kind("friction", "1", 0, lambda w, m: _labels(w, m, SLIDING), _friction, _set_friction, _rub, _friction, curved=True),
    _friction_kind("friction_directions", "1", SLIDING, 0, 2),
    _friction_kind("friction_torsional", "m", SPINNING, 2, 3),
    _friction_kind("friction_rolling", "m", ROLLING, 3, 5),
    Kind("restitution", "1", 0, lambda w, m: _labels(w, m, 1), _restitutions, _set_restitutions, _share),
    Kind("contact_point", "m", 3, _point_labels, _point_values, _set_points, scale=_point_sizes),
    Kind("contact_radius", "m", 0, lambda w, m: [geom_name(m, g) for g in _round_geoms(w)], _radii, _set_radii, not_negative,
         lambda w, m: np.maximum(_radii(w, m), 1e-2)),
)  # fmt: skip
"""contact_point: from the centre of mass, in body axes."""
