"""Smallest gap of a pose and error of its loops, by the MuJoCo wheel: every pair that MuJoCo's filters let collide.

Gaps are what a normal proves, the wheel's or ours, by support functions in numpy (gauntlet/scene_gaps.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.convex import Shapes
from dojo_py.reproduce.gauntlet.scene_gaps import gaps_of, pairs_of
from dojo_py.reproduce.report import import_mujoco

Array = np.ndarray


class Wheel:
    """A model of the wheel, to ask poses of; `as_written`: the same with the file's own settings, to simulate."""

    def __init__(self, source: str):
        self.mujoco: Any = import_mujoco(required=True)
        read = self.mujoco.MjModel.from_xml_string if source.lstrip().startswith("<") else self.mujoco.MjModel.from_xml_path
        self.as_written = read(source)
        self.model = read(source)
        self.model.opt.ccd_tolerance, self.model.opt.ccd_iterations = 1e-12, 500
        self.data = self.mujoco.MjData(self.model)
        self.pairs, self.shapes = pairs_of(self.model), Shapes.of_model(self.model)

    def pose(self, qpos: Array) -> None:
        """Bodies, geoms and sites where these coordinates put them."""
        self.data.qpos[:] = qpos
        self.mujoco.mj_kinematics(self.model, self.data)

    def smallest_gap(self, qpos: Array) -> float:
        """Of all pairs that may touch [m]; infinite where there are none."""
        self.pose(qpos)
        gaps = gaps_of(self.mujoco, self.shapes, self.model, self.data, self.pairs)
        return float(gaps.min(initial=np.inf))

    def _constrain(self, qpos: Array) -> None:
        self.pose(qpos)
        self.mujoco.mj_comPos(self.model, self.data)
        self.mujoco.mj_makeConstraint(self.model, self.data)

    def loop_error(self, qpos: Array) -> float:
        """Largest error of the equality constraints [m, rad]: what connect and weld hold together is this far apart."""
        self._constrain(qpos)
        return float(np.abs(self.data.efc_pos[: self.data.ne]).max(initial=0.0))

    def loop_rows(self, qpos: Array) -> Array:
        """(k, nv) derivative of these errors by the tangent."""
        self._constrain(qpos)
        m, d = self.model, self.data
        if not self.mujoco.mj_isSparse(m):
            return np.array(d.efc_J).reshape(-1, m.nv)[: d.ne]
        rows = np.zeros((d.ne, m.nv))
        for i in range(d.ne):
            first, count = d.efc_J_rowadr[i], d.efc_J_rownnz[i]
            rows[i, d.efc_J_colind[first : first + count]] = d.efc_J[first : first + count]
        return rows
