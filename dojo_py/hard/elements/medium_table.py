"""Model → the boxes and ellipsoids that a medium acts on, in the frames of the layout's bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.fluid.box import box_numbers
from dojo_py.mechanism.fluid import semi_axes
from dojo_py.mechanism.quaternion import matrix

Array = np.ndarray
SMALLEST = 1e-15
"""Mass of a body below which a medium does not act on it [kg] (MuJoCo's)."""


def medium_tables(model: Any, where: Any, com: Array) -> dict[str, Array]:
    """The medium's rows of the Layout. where: BodyMap; com (nb, 3)."""
    opt, nb = model.opt, len(com)
    rows: list[list[tuple[int, Array, Array, Array]]] = [[] for _ in range(nb)]
    if opt.density > 0.0 or opt.viscosity > 0.0:
        for b in range(1, model.nbody):
            node = int(where.node[b])
            if node < 0 or model.body_mass[b] < SMALLEST:
                continue
            R = matrix(where.quat[b])
            for ellipsoid, pos, quat, numbers in _parts(model, b):
                rows[node].append((ellipsoid, where.pos[b] + R @ pos - com[node], R @ matrix(quat), numbers))
    flat = [row for mine in rows for row in mine]
    return {
        "medium_first": np.cumsum([0] + [len(mine) for mine in rows]).astype(np.int64),
        "medium_ellipsoid": np.array([row[0] for row in flat], np.int64),
        "medium_pos": np.array([row[1] for row in flat]).reshape(-1, 3),
        "medium_axes": np.array([row[2] for row in flat]).reshape(-1, 3, 3),
        "medium_numbers": np.array([row[3] for row in flat]).reshape(-1, 14),
        "medium": np.array([opt.density, opt.viscosity, *opt.wind], float),
    }


def _parts(model: Any, b: int) -> list[tuple[int, Array, Array, Array]]:
    """(1 for an ellipsoid, 0 for a box; position, quaternion, numbers) of the shapes by which the medium acts on body b."""
    first = int(model.body_geomadr[b])
    geoms = [g for g in range(first, first + int(model.body_geomnum[b])) if model.geom_fluid[g, 0] > 0.0]
    if not geoms:
        numbers = np.zeros(14)
        opt = model.opt
        box_numbers(float(model.body_mass[b]), np.array(model.body_inertia[b]), opt.density, opt.viscosity, np.zeros(3), numbers)
        return [(0, model.body_ipos[b], model.body_iquat[b], numbers)]
    out = []
    for g in geoms:
        axes = semi_axes(int(model.geom_type[g]), model.geom_size[g])
        out.append((1, model.geom_pos[g], model.geom_quat[g], np.array([*axes, *model.geom_fluid[g, 1:]])))
    return out
