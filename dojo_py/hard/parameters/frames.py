"""Frames of the model's bodies in the layout's terms: in the layout's body that carries them, from its centre of mass; or in the
world.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.world import World
from dojo_py.mechanism.quaternion import matrix

Array = np.ndarray


def frame_of(world: World, model: Any, b: int) -> tuple[Array, Array]:
    """Origin (3,) and quaternion (4,) of the frame of model body b."""
    bodies = world.bodies
    quat = bodies.quat[b]
    if b > 0 and model.body_jntnum[b] > 0:
        return -world.layout.com[bodies.node[b]], quat
    return bodies.arm[b] - matrix(quat) @ np.asarray(model.body_ipos[b], float), quat


def point_in(world: World, model: Any, b: int, place: Array) -> Array:
    """A point (3,), given in the layout's frame, in the frame of model body b."""
    origin, quat = frame_of(world, model, b)
    return matrix(quat).T @ (place - origin)


def place_of(world: World, model: Any, b: int, point: Array) -> Array:
    """A point (3,), given in the frame of model body b, in the layout's frame."""
    origin, quat = frame_of(world, model, b)
    return origin + matrix(quat) @ point


def turn_between(a: Array, b: Array) -> Array:
    """(3, 3) smallest rotation that takes the unit vector a to b."""
    c = float(a @ b)
    if c < -0.999999:  # half a revolution about any normal
        n = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        n /= np.linalg.norm(n)
        return 2.0 * np.outer(n, n) - np.eye(3)
    v = np.cross(a, b)
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + c)
