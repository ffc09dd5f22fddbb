"""The five ways MJCF gives an orientation -> unit quaternions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...mechanism import quaternion
from ...mechanism.errors import Problems
from ..xml_tree import Node
from .values import Values

KEYS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
_SMALL = 1e-12
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass
class Angles:
    """Compiler settings for angles."""

    radian: bool = False
    eulerseq: str = "xyz"

    def radians(self, value: float) -> float:
        """An angle of the file in radians."""
        return value if self.radian else float(np.deg2rad(value))


def read_orientation(node: Node, values: Values, angles: Angles, problems: Problems) -> np.ndarray:
    """The quaternion of an element (4); `values` are its attributes with defaults filled in."""
    given = [key for key in KEYS if key in values]
    if len(given) > 1:
        _fail(node, problems, given[1], f"give one of {list(KEYS)}; {' and '.join(given)} were read")
    if not given:
        return IDENTITY
    key = given[0]
    v = np.array(values[key], dtype=float)
    readers = {"quat": _quat, "axisangle": _axisangle, "xyaxes": _xyaxes, "zaxis": _zaxis, "euler": _euler}
    try:
        return readers[key](v, angles)
    except ValueError as error:
        _fail(node, problems, key, str(error))
        return IDENTITY


def _fail(node: Node, problems: Problems, key: str, message: str) -> None:
    problems.add(node.where, message, name=node.attributes.get("name", ""), attribute=key)


def _unit(v: np.ndarray, what: str) -> np.ndarray:
    length = np.linalg.norm(v)
    if length < _SMALL:
        raise ValueError(f"{what} of zero length has no direction")
    return v / length


def _quat(v: np.ndarray, angles: Angles) -> np.ndarray:
    _unit(v, "a quaternion")
    return quaternion.normalise(v)


def _axisangle(v: np.ndarray, angles: Angles) -> np.ndarray:
    return quaternion.from_axis_angle(_unit(v[:3], "an axis"), angles.radians(v[3]))


def _xyaxes(v: np.ndarray, angles: Angles) -> np.ndarray:
    x = _unit(v[:3], "the x axis")
    y = _unit(v[3:] - (x @ v[3:]) * x, "the part of the y axis normal to the x axis")
    return quaternion.from_matrix(np.column_stack([x, y, np.cross(x, y)]))


def _zaxis(v: np.ndarray, angles: Angles) -> np.ndarray:
    return quaternion.from_z_axis(_unit(v, "the z axis"))


def _euler(v: np.ndarray, angles: Angles) -> np.ndarray:
    q = IDENTITY
    for letter, angle in zip(angles.eulerseq, v, strict=True):
        turn = quaternion.from_axis_angle(np.eye(3)["xyz".index(letter.lower())], angles.radians(angle))
        # lower case turns about the axes that move with the frame, upper case about the fixed ones
        q = quaternion.multiply(q, turn) if letter.islower() else quaternion.multiply(turn, q)
    return q
