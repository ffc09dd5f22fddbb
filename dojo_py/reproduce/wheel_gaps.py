"""Smallest gap of a pose and error of its loops, by the MuJoCo wheel: geometry that is not ours.

Every pair that MuJoCo's filters let collide, by mj_geomDistance; above planes by the shapes' support functions (the wheel's own
routine for cylinders over planes loses up to 5 mm of 0.3 m when they are tilted by less than 1e-4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.scene_gaps import _distance, pairs_of, support
from dojo_py.reproduce.report import import_mujoco

Array = np.ndarray
PLANE, MESH = 0, 7


class Wheel:
    """A model of the wheel, to ask poses of; `as_written`: the same with the file's own settings, to simulate."""

    def __init__(self, source: str):
        self.mujoco: Any = import_mujoco(required=True)
        read = self.mujoco.MjModel.from_xml_string if source.lstrip().startswith("<") else self.mujoco.MjModel.from_xml_path
        self.as_written = read(source)
        self.model = read(source)
        self.model.opt.ccd_tolerance, self.model.opt.ccd_iterations = 1e-12, 500
        self.data = self.mujoco.MjData(self.model)
        self.pairs = pairs_of(self.model)

    def pose(self, qpos: Array) -> None:
        """Bodies, geoms and sites where these coordinates put them."""
        self.data.qpos[:] = qpos
        self.mujoco.mj_kinematics(self.model, self.data)

    def smallest_gap(self, qpos: Array) -> float:
        """Of all pairs that may touch [m]; infinite where there are none."""
        self.pose(qpos)
        m, d, a, b = self.model, self.data, self.pairs.first, self.pairs.second
        between = d.geom_xpos[b] - d.geom_xpos[a]
        plane = m.geom_type[a] == PLANE
        gaps = np.linalg.norm(between, axis=1) - m.geom_rbound[a] - m.geom_rbound[b]
        axes = d.geom_xmat.reshape(-1, 3, 3)
        normal = axes[a[plane]][:, :, 2]
        tilted = np.einsum("nji,nj->ni", axes[b[plane]], normal)
        gaps[plane] = np.sum(normal * between[plane], axis=1) - self._reach(b[plane], tilted)
        best = float(gaps[plane].min(initial=np.inf))
        rest = np.flatnonzero(~plane)
        for i in rest[np.argsort(gaps[rest])]:
            if gaps[i] > max(best, 0.0):
                break
            best = min(best, _distance(self.mujoco, m, d, int(a[i]), int(b[i])))
        return best

    def _reach(self, geoms: Array, towards: Array) -> Array:
        """(n,) how far geoms reach along -towards (n, 3), in their own frames [m]."""
        m = self.model
        found = support(m.geom_type[geoms], m.geom_size[geoms], towards)
        for i in np.flatnonzero(m.geom_type[geoms] == MESH):
            mesh = m.geom_dataid[geoms[i]]
            first = m.mesh_vertadr[mesh]
            found[i] = (m.mesh_vert[first : first + m.mesh_vertnum[mesh]].astype(float) @ -towards[i]).max()
        return found

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
