"""All numbers of a World in one vector: a parameter is a sparse direction in it, along which compiled code can move."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.world import World

Array = np.ndarray

NUMBERS, COM, JOINT, ACTUATOR, PLACES, PLANE, TIMESTEP = range(7)
"""How a parameter acts. NUMBERS: the numbers that it changes act each by itself, on one object. Else they act together: on a body's
centre of mass, a joint, the actuators, the points where actuators and closures act, planes, everything.
"""

(
    OTHER, MASS, INERTIA, GRAVITY, POINT, RADIUS, FRICTION, SHAPE, PAIR_FRICTION,
    DAMPING, ARMATURE, FRICTIONLOSS, STIFFNESS, SPRINGREF, PAIR_RADIUS, RATIO, PAIR_RATIO, REST, BOUND,
    ELLIPSOID, SIZE, WRENCH, CENTRE, AXES,
) = range(24)  # fmt: skip
"""Columns of the tables whose numbers act each by itself; CENTRE and AXES, of shapes, are read together, as the pose of a plane."""
COLUMNS = {
    (0, "mass"): MASS, (0, "inertia"): INERTIA, (0, "gravity"): GRAVITY, (0, "dof_damping"): DAMPING,
    (0, "dof_armature"): ARMATURE, (0, "dof_frictionloss"): FRICTIONLOSS, (0, "dof_stiffness"): STIFFNESS,
    (0, "dof_springref"): SPRINGREF, (0, "tendon_rest"): REST, (0, "limit_bound"): BOUND, (1, "point"): POINT,
    (1, "radius"): RADIUS, (1, "friction"): FRICTION, (1, "ratio"): RATIO, (1, "shape"): ELLIPSOID, (2, "round_centre"): SHAPE,
    (2, "round_radius"): PAIR_RADIUS, (2, "friction"): PAIR_FRICTION, (2, "ratio"): PAIR_RATIO, (2, "shape_size"): SIZE,
    (2, "shape_centre"): CENTRE, (2, "shape_axes"): AXES, (4, "wrench"): WRENCH,
}  # fmt: skip


class Directions(NamedTuple):
    """p sparse directions in the vector: entries start[k] … start[k+1] move with datum k. m entries."""

    start: Array  # (p + 1,)
    places: Array  # (m,) in the vector
    values: Array  # (m,) change of that place by the datum
    column: Array  # (m,) which column of the tables that is, see COLUMNS
    row: Array  # (m,)
    part: Array  # (m,) entry of the row
    route: Array  # (p,) how the datum acts
    target: Array  # (p,) COM: the body, JOINT: the joint of the tree, -1: it moves nothing
    axis: Array  # (p,) index of the datum in its vector (0: x, …)
    step: Array  # (p,) by which the datum moves for central differences, in its unit
    scale: Array  # (p,) its size (`Kind.scale`)


_i, _x = np.zeros(0, np.int64), np.zeros(0)
NO_DIRECTIONS = Directions(np.zeros(1, np.int64), _i, _x, _i, _i, _i, _i, _i, _i, _x, _x)


def flatten(world: World) -> Array:
    """(n,) the floating-point entries of all tables, in the order of the fields."""
    parts = [array.ravel() for table in world for array in table if array.dtype.kind == "f"]
    return np.concatenate(parts) if parts else np.zeros(0)


def places(world: World) -> tuple[Array, Array, Array]:
    """(column, row, part) of every number of the vector."""
    columns, rows, parts = [], [], []
    tables: tuple[Any, ...] = tuple(world)
    for t, table in enumerate(tables):
        for name, array in table._asdict().items():
            if array.dtype.kind == "f":
                width = int(np.prod(array.shape[1:]))
                columns.append(np.full(array.size, COLUMNS.get((t, name), OTHER)))
                rows.append(np.repeat(np.arange(len(array)), width))
                parts.append(np.tile(np.arange(width), len(array)))
    return np.concatenate(columns), np.concatenate(rows), np.concatenate(parts)


def on_vector(world: World, data: Array) -> World:
    """The World whose floating-point tables are views of data (n,); integer tables are shared with `world`."""
    position = 0
    tables: list[Any] = []
    for table in world:
        fields = {}
        for name, array in table._asdict().items():
            if array.dtype.kind == "f":
                fields[name] = data[position : position + array.size].reshape(array.shape)
                position += array.size
        tables.append(table._replace(**fields))
    return World(*tables)


def copy_of(world: World) -> World:
    """A World with fresh floating-point tables."""
    return on_vector(world, flatten(world).copy())
