"""Pairs of geoms that overlap in a pose of a model, and mechanisms whose bodies no longer touch where they do.

Links of many public robots overlap where joints hold them: hulls of neighbours' neighbours, spheres that stand for a hand. No
motion undoes that. The hard mode lets such overlaps get no deeper, which jams the joints between them, or lets them give way,
INEXACT. What programs that plan motions do about it is done here: bodies that overlap in the model's own pose do not touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.convex import CONVEX, Shapes
from dojo_py.collision.pair_filter import filtered_pairs
from dojo_py.drawing.poses import body_poses
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.model import Model
from dojo_py.mechanism.spec import Exclude, Mechanism

Array = np.ndarray
DEEPER = 1e-6
"""Overlaps deeper than this [m] count: what touches in a file is off by the digits that it has."""


class Overlap(NamedTuple):
    """Two geoms that may touch and overlap in a pose."""

    geoms: tuple[int, int]
    """Their numbers in the model."""
    bodies: tuple[int, int]
    """Those of their bodies."""
    depth: float
    """How far one would have to move to touch the other only [m]."""


def overlaps(model: Model, qpos: Any = None) -> list[Overlap]:
    """Pairs of geoms that may touch and overlap by more than DEEPER at qpos (nq,), the deepest first; None: qpos0.

    Of pairs that the filters of collisions let pass: not of those that a file lists one by one (`<pair>`), nor with planes and
    height fields, on which a robot stands.
    """
    if not isinstance(model, Model):
        raise TypeError(f"model is a {type(model).__name__}, expected a Model, as load_model returns it")
    pairs = filtered_pairs(model)
    kind, size = np.asarray(model.geom_type), np.asarray(model.geom_rbound, float)
    pairs = pairs[np.isin(kind[pairs], list(CONVEX.values())).all(axis=1)]
    position, quat = _geom_poses(model, _pose(model, qpos))
    apart = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
    a, b = pairs[apart < size[pairs].sum(axis=1)].T
    if not len(a):
        return []
    gap = Shapes.of_model(model).nearest(a, (position[a], quat[a]), b, (position[b], quat[b])).gap
    body = np.asarray(model.geom_bodyid)
    return [
        Overlap((int(a[i]), int(b[i])), (int(body[a[i]]), int(body[b[i]])), float(-gap[i]))
        for i in np.argsort(gap, kind="stable")
        if gap[i] < -DEEPER
    ]


def exclude_overlaps(mechanism: Mechanism, qpos: Any = None) -> list[Overlap]:
    """Add an exclusion (`<exclude>`) for every two bodies that overlap at qpos (nq,); None: qpos0. Returns what overlapped.

    Look at what is returned: a robot that only starts in collision with something loses its contacts with that, too. For a pose in
    which it does not, give qpos, as of a keyframe. Bodies without a name get one.
    """
    model = mechanism.compile()
    found = overlaps(model, qpos)
    pairs = by_bodies(found)
    names = _names(mechanism, {body for pair in pairs for body in pair})
    mechanism.excludes.extend(Exclude(body1=names[one], body2=names[two]) for one, two in pairs)
    return found


def _names(mechanism: Mechanism, wanted: set[int]) -> list[str]:
    """Names of all bodies in the order of the Model; those wanted that have none get one."""
    bodies = [body for body, _ in mechanism.world.walk()]
    taken = {body.name for body in bodies}
    for number, body in enumerate(bodies):
        if number in wanted and number > 0 and not body.name:
            body.name = next(name for name in _candidates(number) if name not in taken)
            taken.add(body.name)
    return ["world", *(body.name for body in bodies[1:])]


def _candidates(number: int) -> Iterator[str]:
    yield f"body_{number}"
    yield from (f"body_{number}_{k}" for k in count(1))


def by_bodies(found: list[Overlap]) -> dict[tuple[int, int], float]:
    """The deepest overlap [m] of every two bodies, the deepest first."""
    deepest: dict[tuple[int, int], float] = {}
    for overlap in found:
        one, two = sorted(overlap.bodies)
        deepest.setdefault((one, two), overlap.depth)
    return deepest


def told(model: Model, found: list[Overlap]) -> str:
    """One line about overlaps, for people; empty where there are none."""
    if not found:
        return ""
    pairs = len(by_bodies(found))
    one, two = (model.body_names[b] or f"body {b}" for b in found[0].bodies)
    many = f"{pairs} pairs of bodies overlap, the deepest" if pairs > 1 else "two bodies overlap,"
    return f"{many} '{one}' and '{two}' by {1e3 * found[0].depth:.3g} mm"


def _pose(model: Model, qpos: Any) -> Array:
    """qpos (nq,) checked."""
    pose = np.array(model.qpos0 if qpos is None else qpos, float)
    if pose.shape != (model.nq,) or not np.all(np.isfinite(pose)):
        raise ValueError(f"qpos has shape {pose.shape}, expected ({model.nq},) finite numbers")
    return pose


def _geom_poses(model: Model, qpos: Array) -> tuple[Array, Array]:
    """Positions (ngeom, 3) and orientations (ngeom, 4) of the geoms."""
    x, q = (part[0] for part in body_poses(model, qpos[None]))
    body = np.asarray(model.geom_bodyid)
    position = x[body] + quaternion.rotate(q[body], np.asarray(model.geom_pos, float))
    return position, quaternion.multiply(q[body], np.asarray(model.geom_quat, float))
