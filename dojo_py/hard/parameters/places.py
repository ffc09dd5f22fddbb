"""Points in bodies where forces act: sites of actuators, tendons and equalities, and anchors of equalities between bodies.

site_pos: only sites that are used; all that uses one moves with it. equality_anchor: 'name.0' in the first body of a connect or
weld, 'name.1' in the second; unlike in a model file neither follows from the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.transmission import CRANK, SITE
from dojo_py.hard.elements.closure_table import held_ends
from dojo_py.hard.elements.couplings import acting_tendons
from dojo_py.hard.elements.path_table import path_of
from dojo_py.hard.parameters.flat import PLACES
from dojo_py.hard.parameters.frames import place_of, point_in
from dojo_py.hard.parameters.kind import Kind, body_size
from dojo_py.hard.terms import EQ_PATH
from dojo_py.hard.world import World
from dojo_py.mechanism.enums import ObjType, WrapType
from dojo_py.mechanism.tendon_paths import is_spatial

Array = np.ndarray


class Held(NamedTuple):
    """A point or an orientation in a model body, and the rows of the world's tables that hold it, in the layout's frame."""

    label: str
    body: int
    rows: list[Array]
    """Views, (3,) or (4,)."""


def sites_of_actuators(world: World, model: Any) -> Iterator[tuple[int, int, int]]:
    """(site, actuator, which of its two) of the sites at which enabled actuators act, or that they refer to."""
    table = world.actuators
    for i in np.flatnonzero(np.isin(table.transmission, (SITE, CRANK)) & (table.enabled == 1)):
        for side, s in enumerate(model.actuator_trnid[i]):
            if s >= 0:
                yield int(s), int(i), side


def held_site(model: Any, s: int, rows: list[Array]) -> Held:
    """What rows hold of site s."""
    return Held(model.site_names[s] or f"#{s}", int(model.site_bodyid[s]), rows)


def _sites(world: World, model: Any) -> list[Held]:
    """The sites where something acts, by number."""
    rows: dict[int, list[Array]] = {}
    table, layout = world.actuators, world.layout
    for s, i, side in sites_of_actuators(world, model):
        rows.setdefault(s, []).append(table.site_pos[i, side])
    starts = layout.path_rows[layout.eq_kind == EQ_PATH, 0].tolist()
    spatial = [t for t in acting_tendons(model) if is_spatial(model, t)]
    for first, t in zip(starts, spatial, strict=True):
        for k, w in enumerate(path_of(model, t), first):
            if int(model.wrap_type[w]) == WrapType.SITE:
                rows.setdefault(int(model.wrap_objid[w]), []).append(layout.path_pos[k, 0])
            elif layout.path_sided[k]:
                rows.setdefault(round(float(model.wrap_prm[w])), []).append(layout.path_pos[k, 1])
    for e, closure, _ in held_ends(model, world.bodies.node):
        if int(model.eq_objtype[e]) == ObjType.SITE:
            for side, ends in enumerate((model.eq_obj1id, model.eq_obj2id)):
                rows.setdefault(int(ends[e]), []).append(layout.eq_pos[closure, side])
    return [held_site(model, s, rows[s]) for s in sorted(rows)]


def _anchors(world: World, model: Any) -> list[Held]:
    """Anchors of connects and welds between bodies."""
    points = []
    for e, closure, bodies in held_ends(model, world.bodies.node):
        if int(model.eq_objtype[e]) != ObjType.SITE:
            name = model.equality_names[e] or f"#{e}"
            points += [Held(f"{name}.{side}", bodies[side], [world.layout.eq_pos[closure, side]]) for side in range(2)]
    return points


def _kind(name: str, points: Any) -> Kind:
    def read(world: World, model: Any) -> Array:
        values = [point_in(world, model, point.body, point.rows[0]) for point in points(world, model)]
        return np.array(values).reshape(-1, 3)

    def write(world: World, model: Any, values: Array) -> None:
        for point, value in zip(points(world, model), values, strict=True):
            for row in point.rows:
                row[:] = place_of(world, model, point.body, value)

    def labels(world: World, model: Any) -> list[str]:
        return [point.label for point in points(world, model)]

    def scale(world: World, model: Any) -> Array:
        """Sizes for differences [m]: of the smallest body, since any of them may be all that a path turns about."""
        return np.full(len(points(world, model)), body_size(world, model).min(initial=np.inf))  # (no bodies have no points)

    return Kind(name, "m", 3, labels, read, write, scale=scale, step=1e-3, longest=1e-5, route=PLACES)


KINDS = (_kind("site_pos", _sites), _kind("equality_anchor", _anchors))
"""In the frames of their bodies."""
