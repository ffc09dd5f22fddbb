"""Bodies whose joints are dependent: several joints of one body that make the same motion at qpos0.

The hard mode computes the coordinates of such a stack of joints from the body's pose (`joints/compound.py`), which must determine
them. It does not for two hinges about one axis (which of them rotated?), parallel slides, two hinges of three that share an axis,
three parallel ones whose anchors lie on a line, and a hinge whose axis goes through the anchor of a ball. Parallel hinges with
anchors apart are a planar arm, and fine. A stack that becomes dependent only during the motion (gimbal lock, a stretched elbow) is
not found here: near such a pose its coordinates are ill-determined and its pose is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import JointType

DEPENDENT = 1e-3
"""Least singular value of the joints' unit screws, lengths measured in sizes of the body: anchors nearer than about a thousandth
of it count as one. Measured: at two thousandths poses still agree with coordinates, at half of one they are off by 1e-3 m."""


def dependent_stacks(model: Any) -> list[tuple[int, list[int]]]:
    """(body, its joints) of every body whose joints are dependent at qpos0."""
    found = []
    for body in np.flatnonzero(np.asarray(model.body_jntnum) > 1):
        first = int(model.body_jntadr[body])
        joints = list(range(first, first + int(model.body_jntnum[body])))
        if _least_independence(model, int(body), joints) < DEPENDENT:
            found.append((int(body), joints))
    return found


def _least_independence(model: Any, body: int, joints: list[int]) -> float:
    """Least singular value of the joints' screws in the body frame at qpos0; 1 for joints at right angles."""
    anchors, centre = np.asarray(model.jnt_pos)[joints], np.asarray(model.body_ipos)[body]
    gyration = np.sqrt(max(model.body_inertia[body]) / model.body_mass[body]) if model.body_mass[body] > 0 else 0.0
    size = max(float(gyration), float(np.linalg.norm(anchors - centre, axis=1).max()), 1e-9)
    rows = []
    for j, anchor in zip(joints, anchors, strict=True):
        kind = model.jnt_type[j]
        for axis in np.eye(3) if kind == JointType.BALL else np.asarray(model.jnt_axis[j], float)[None]:
            spin, velocity = (np.zeros(3), axis) if kind == JointType.SLIDE else (axis, np.cross(axis, centre - anchor) / size)
            row = np.concatenate([spin, velocity])
            rows.append(row / np.linalg.norm(row))
    return float(np.linalg.svd(np.array(rows), compute_uv=False)[-1]) if len(rows) <= 6 else 0.0
