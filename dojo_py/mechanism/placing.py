"""Parts of a body seen from another frame: what stands in a `frame`, a replica, an attached model or a fused body."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import quaternion
from .spec import Body, Geom, Joint, Site
from .spec.element import IDENTITY, ZERO3

Array = np.ndarray

TWO_NUMBERS, THREE_NUMBERS = ("capsule", "cylinder"), ("ellipsoid", "box")


def place(elements: Iterable[Any], pos: Array, quat: Array) -> None:
    """Move the elements, given in a frame, to the frame in which that frame has the pose pos (3), quat (4)."""
    if not np.any(pos) and np.array_equal(quat, (1.0, 0.0, 0.0, 0.0)):
        return
    for element in elements:
        if isinstance(element, Joint):
            element.axis = _plain(quaternion.rotate(quat, _array(element.axis)))
            element.pos = _plain(pos + quaternion.rotate(quat, _array(element.pos)))
            continue
        if isinstance(element, (Geom, Site)):
            without_fromto(element)
            if element.fromto is not None:
                continue  # for the compiler to report
        if isinstance(element, Body):
            origin, turn = element.frame or (ZERO3, IDENTITY)
            element.frame = _plain(pos + quaternion.rotate(quat, _array(origin))), _plain(quaternion.multiply(quat, _array(turn)))
        element.pos = _plain(pos + quaternion.rotate(quat, _array(element.pos)))
        if hasattr(element, "dir"):  # a light has a direction, not an orientation
            element.dir = _plain(quaternion.rotate(quat, _array(element.dir)))
        else:
            element.quat = _plain(quaternion.multiply(quat, quaternion.normalise(_array(element.quat))))


def out_of(frame: tuple[Any, Any] | None) -> tuple[Array, Array]:
    """The pose that takes what stands in a frame out of it: MuJoCo attaches bodies and frames without the frames around them."""
    origin, turn = (_array(values) for values in frame or (ZERO3, IDENTITY))
    back = quaternion.conjugate(turn)
    return quaternion.rotate(back, -origin), back


def without_fromto(shape: Geom | Site) -> None:
    """The same shape by position, orientation and half length: a frame turns these, the angle about the axis included."""
    if shape.fromto is None:
        return
    ends, given = _array(shape.fromto), _array(shape.size)
    if ends.shape != (6,) or shape.type not in TWO_NUMBERS + THREE_NUMBERS or not given.size or np.any(shape.pos):
        return
    along = ends[:3] - ends[3:]
    length = float(np.linalg.norm(along))
    if length < 1e-15:
        return
    half = (given[0], 0.5 * length)
    shape.size = (half[0], *half) if shape.type in THREE_NUMBERS else (*half, *given[2:])
    shape.pos, shape.quat, shape.fromto = _plain(0.5 * (ends[:3] + ends[3:])), _plain(quaternion.from_z_axis(along)), None


def parts(body: Body) -> list[Any]:
    """Everything that a body holds and that has a place in it, but for its inertial."""
    return [*body.joints, *body.geoms, *body.sites, *body.cameras, *body.lights, *body.bodies]


def move_parts(source: Body, target: Body) -> None:
    """Give everything that `source` holds to `target`."""
    for name in ("joints", "geoms", "sites", "cameras", "lights", "bodies"):
        getattr(target, name).extend(getattr(source, name))


def _array(values: Any) -> Array:
    return np.asarray(values, dtype=float)


def _plain(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
