"""Model → paths of the spatial tendons for the Layout: sites and objects in the frames of the layout's bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import WrapType
from dojo_py.mechanism.quaternion import matrix

Array = np.ndarray


def path_of(model: Any, t: int) -> range:
    """Rows of tendon t in `wrap_…`."""
    return range(int(model.tendon_adr[t]), int(model.tendon_adr[t]) + int(model.tendon_num[t]))


def bodies_of_path(model: Any, where: Any, t: int) -> list[int]:
    """Bodies of the layout that spatial tendon t touches, each once."""
    out: list[int] = []
    for w in path_of(model, t):
        for node in _nodes(model, where, w):
            if node >= 0 and node not in out:
                out.append(node)
    return out


def _nodes(model: Any, where: Any, w: int) -> tuple[int, int]:
    """Layout bodies of the object of row w and of its side site; -1: world or none."""
    kind, target = int(model.wrap_type[w]), int(model.wrap_objid[w])
    if kind == WrapType.PULLEY:
        return -1, -1
    if kind == WrapType.SITE:
        return int(where.node[int(model.site_bodyid[target])]), -1
    side = round(float(model.wrap_prm[w]))
    return int(where.node[int(model.geom_bodyid[target])]), int(where.node[int(model.site_bodyid[side])]) if side >= 0 else -1


def path_tables(model: Any, where: Any, com: Array, tendons: list[int | None], eq_bodies: Array) -> dict[str, Array]:
    """The Layout's `path_…`. tendons: for each closure, the spatial tendon that it is, or None."""
    ranges = np.zeros((len(tendons), 2), np.int64)
    rows: list[tuple[Any, ...]] = []
    for e, t in enumerate(tendons):
        if t is not None:
            ranges[e] = len(rows), len(rows) + int(model.tendon_num[t])
            rows += [_row(model, where, com, w, eq_bodies[e].tolist()) for w in path_of(model, t)]
    kinds, slots, places, axes, sizes, sided = zip(*rows, strict=True) if rows else ([], [], [], [], [], [])
    return {
        "path_rows": ranges,
        "path_kind": np.array(kinds, np.int64),
        "path_slot": np.array(slots, np.int64).reshape(-1, 2),
        "path_pos": np.array(places, float).reshape(-1, 2, 3),
        "path_axes": np.array(axes, float).reshape(-1, 3, 3),
        "path_size": np.array(sizes, float),
        "path_sided": np.array(sided, np.int64),
    }


def _row(model: Any, where: Any, com: Array, w: int, touched: list[int]) -> tuple[Any, ...]:
    kind, target = int(model.wrap_type[w]), int(model.wrap_objid[w])
    slots = [touched.index(node) if node >= 0 else -1 for node in _nodes(model, where, w)]
    places, axes, size, sided = np.zeros((2, 3)), np.eye(3), 0.0, False
    if kind == WrapType.PULLEY:
        size = float(model.wrap_prm[w])
    elif kind == WrapType.SITE:
        places[0] = _place(where, com, int(model.site_bodyid[target]), model.site_pos[target])
    else:
        b = int(model.geom_bodyid[target])
        places[0] = _place(where, com, b, model.geom_pos[target])
        axes = matrix(where.quat[b]) @ matrix(model.geom_quat[target])
        side, size = round(float(model.wrap_prm[w])), float(model.geom_size[target][0])
        sided = side >= 0
        if sided:
            places[1] = _place(where, com, int(model.site_bodyid[side]), model.site_pos[side])
    return kind, slots, places, axes, size, sided


def _place(where: Any, com: Array, body: int, pos: Any) -> Array:
    """A point of a model body in its layout body's frame, from the centre of mass; in the world for what does not move."""
    node = int(where.node[body])
    return where.pos[body] + matrix(where.quat[body]) @ np.asarray(pos, float) - (com[node] if node >= 0 else 0.0)
