"""Frames that differ by round-off only: MuJoCo takes a geom's or site's frame for its body's, or for the body's inertial one.

Where no coordinate of the position and no component of the quaternion differs by more than 1e-6 the pose is copied, where only the
quaternions agree the orientation. Files of other programs have numbers of six digits, so that this is seen: a capsule along the
principal axis of its link stands up to 1e-6 rad beside where its own numbers put it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray

SAME = 1e-6
"""[m], [-] (MuJoCo's)"""


class Frames(NamedTuple):
    """Poses as MuJoCo uses them, in the frames of the bodies: (n, 3) [m] and (n, 4)."""

    body_ipos: Array
    body_iquat: Array
    geom_pos: Array
    geom_quat: Array
    site_pos: Array
    site_quat: Array


def frames_in_use(model: Any) -> Frames:
    """The inertial frames, geoms and sites of a model."""
    ipos, iquat = (np.array(getattr(model, f"body_{name}"), float) for name in ("ipos", "iquat"))
    home, upright = np.zeros_like(ipos), np.tile([1.0, 0.0, 0.0, 0.0], (len(iquat), 1))
    used = _snapped((ipos, iquat), [(home, upright, home, upright)])
    out = list(used)
    for kind in ("geom", "site"):
        body = np.asarray(getattr(model, f"{kind}_bodyid"), int)
        given = (np.array(getattr(model, f"{kind}_pos"), float), np.array(getattr(model, f"{kind}_quat"), float))
        choices = [(home, upright, home, upright), (ipos, iquat, *used)]
        out += _snapped(given, [tuple(array[body] for array in choice) for choice in choices])
    return Frames(*out)


def _snapped(given: tuple[Array, Array], choices: list[Any]) -> tuple[Array, Array]:
    """The poses `given`, but where they are the same as those of a choice: (pos, quat) compared, (pos, quat) taken instead."""
    pos, quat = given[0].copy(), given[1].copy()
    free = np.ones(len(pos), bool)
    for whole in (True, False):
        for other_pos, other_quat, new_pos, new_quat in choices:
            same = free & _same_rotation(given[1], other_quat)
            if whole:
                same &= (np.abs(given[0] - other_pos) <= SAME).all(axis=1)
                pos[same] = new_pos[same]
            quat[same] = new_quat[same]
            free &= ~same
    return pos, quat


def _same_rotation(a: Array, b: Array) -> Array:
    """(n,) whether quaternions agree, up to the sign of all four numbers."""
    return np.minimum(np.abs(a - b).max(axis=1, initial=0.0), np.abs(a + b).max(axis=1, initial=0.0)) <= SAME
