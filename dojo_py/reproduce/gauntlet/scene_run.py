"""A scene simulated, and what the wheel's own reader and kinematics make of its coordinates."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.gauntlet.family import Case
from dojo_py.reproduce.gauntlet.field_gaps import fields_of
from dojo_py.reproduce.report import import_mujoco

Array = np.ndarray

BUDGET = 20.0
"""Most processor time of a scene's steps [s]; what is left out then counts as unbounded work."""
CHUNK = 10
"""Steps between two looks at the clock."""


class Run(NamedTuple):
    """T steps and T + 1 states; `wheel` is the same MJCF read by the wheel."""

    model: Any
    wheel: Any
    h: float
    qpos: Array
    qvel: Array
    maximal: Array
    time: Array
    status: Array
    iterations: Array
    min_gap: Array
    substeps: Array
    planned: int
    """Steps asked for; fewer were made when time ran out."""
    seconds: float
    shapes: Any
    """Our program for gaps of convex shapes: it proposes normals."""
    fields: Any
    """Height fields of the world (field_gaps.Fields), or None."""
    pose: list[Any]
    """(T + 1) the wheel's kinematics: body positions, orientations, centres of mass."""

    @property
    def solved(self) -> Array:
        """(T,) whether a step met its tolerances."""
        return np.asarray(self.status == 0)


class Pose(NamedTuple):
    """The wheel's forward kinematics of one state."""

    data: Any
    """mjData with positions of bodies and geoms."""
    centre: Array
    """(nbody, 3) centres of mass [m]"""
    quaternion: Array
    """(nbody, 4)"""


def simulate(case: Case) -> Run:
    """Simulate the case in the hard mode; raises what it raises."""
    from dojo_py import HardSimulator, load_model
    from dojo_py.collision.convex import Shapes

    mujoco = import_mujoco(required=True)
    model = load_model(case.xml)
    sim = HardSimulator(model, timestep=case.timestep, friction=str(case.settings.get("friction", "cone")))
    state = sim.initial_state(case.qpos, case.qvel)
    parts, began = [], time.process_time()
    for i in range(0, len(case.controls), CHUNK):
        parts.append(sim.rollout(state, case.controls[i : i + CHUNK]))
        state = parts[-1].final_state
        if time.process_time() - began > BUDGET:
            break
    seconds = time.process_time() - began

    def states(name: str) -> Array:
        rows = [getattr(p, name) for p in parts]
        return np.concatenate([rows[0][:1], *(r[1:] for r in rows)])

    def steps(name: str) -> Array:
        return np.concatenate([getattr(p, name) for p in parts])

    wheel = mujoco.MjModel.from_xml_string(case.xml)
    if len(wheel.mesh_vert):
        wheel.mesh_vert[:] = model.mesh_vert  # ties in single precision are rounded one way here, the other way there
    wheel.opt.ccd_tolerance, wheel.opt.ccd_iterations = 1e-12, 500
    qpos = states("qpos")
    pose = [kinematics(mujoco, wheel, q) for q in qpos]
    return Run(
        model, wheel, case.timestep, qpos, states("qvel"), states("maximal"), states("time"), steps("status"),
        steps("iterations"), steps("min_gap"), steps("substeps"), len(case.controls), seconds,
        Shapes.of_model(wheel), fields_of(wheel, pose[0].data), pose,
    )  # fmt: skip


def kinematics(mujoco: Any, wheel: Any, qpos: Array) -> Pose:
    """Poses of all bodies by the wheel."""
    data = mujoco.MjData(wheel)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(wheel, data)
    return Pose(data, data.xipos, data.xquat)


def extent(run: Run) -> float:
    """Largest coordinate of the scene, at least its largest geom [m]: what round-off of positions is relative to."""
    finite = run.maximal[np.isfinite(run.maximal).all(axis=(1, 2)), :, 0:3]
    return float(max(np.abs(finite).max(initial=0.0), run.wheel.geom_rbound.max(initial=0.0)))
