"""Joints, loops and limits of a scene: bodies' poses against the wheel's forward kinematics of the coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.scene_run import Run, extent

Array = np.ndarray
TOLERANCE = 1e-9
"""Of positions over the scene's extent; of rotations [rad]; of limits [rad] or [m] over the extent."""
CONNECT, HINGE, SLIDE = 0, 3, 2


def joint_outcomes(run: Run) -> dict[str, Outcome]:
    """The properties "joints" (kinematics and loops) and "limits", of solved steps."""
    scale = max(extent(run), 1e-3)
    found = {"joints": Outcome(0, 0)}
    worst, where, broken = 0.0, "", 0
    for t in np.flatnonzero(run.solved):
        error, name = _pose_error(run, int(t) + 1, scale)
        loop, loop_name = _loop_error(run, int(t) + 1, scale)
        if loop > error:
            error, name = loop, loop_name
        if not error <= TOLERANCE:
            broken += 1
            if not error <= worst:
                worst, where = error, f"step {t}: {name} off by {error:.3g} of the scene's extent {scale:.3g} m"
    found["joints"] = Outcome(int(run.solved.sum()), broken, worst, where)
    return found | _limits(run, scale)


def _pose_error(run: Run, k: int, scale: float) -> tuple[float, str]:
    """Largest deviation of a body from forward kinematics: over the scale, or [rad]."""
    pose, maximal = run.pose[k], run.maximal[k]
    if run.model.nbody != run.wheel.nbody or not np.isfinite(maximal).all():
        return np.inf, "everything"
    away = np.linalg.norm(maximal[:, 0:3] - pose.centre, axis=1) / scale
    q, p = maximal[:, 6:10], pose.quaternion
    turned = 2.0 * np.minimum(np.linalg.norm(q - p, axis=1), np.linalg.norm(q + p, axis=1))
    error = np.maximum(away, turned)
    error[0] = 0.0
    b = int(np.argmax(error))
    return float(error[b]), f"body {b}"


def _loop_error(run: Run, k: int, scale: float) -> tuple[float, str]:
    """Largest distance of the two anchors of a connect, over the scale."""
    m, d = run.wheel, run.pose[k].data
    worst, name = 0.0, ""
    for i in range(m.neq):
        if m.eq_type[i] != CONNECT or not m.eq_active0[i] or m.eq_objtype[i] != 1:
            continue
        a, b = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        one = d.xpos[a] + d.xmat[a].reshape(3, 3) @ m.eq_data[i, 0:3]
        two = d.xpos[b] + d.xmat[b].reshape(3, 3) @ m.eq_data[i, 3:6]
        error = float(np.linalg.norm(one - two)) / scale
        if error > worst:
            worst, name = error, f"connect {i}"
    return worst, name


def _limits(run: Run, scale: float) -> dict[str, Outcome]:
    m = run.wheel
    rows = [j for j in range(m.njnt) if m.jnt_limited[j] and m.jnt_type[j] in (HINGE, SLIDE)]
    if not rows:
        return {}
    where = m.jnt_qposadr[rows]
    low, high = m.jnt_range[rows].T
    accepted = TOLERANCE * np.where(m.jnt_type[rows] == SLIDE, scale, 1.0)
    beyond: Array = np.maximum(low - run.qpos[:, where], run.qpos[:, where] - high)
    deepest, broken, worst, text = np.maximum(beyond[0], 0.0), 0, 0.0, ""
    for t, solved in enumerate(run.solved):
        now = beyond[t + 1]
        deepest = np.where(now < accepted, 0.0, deepest)
        if not solved:
            deepest = np.maximum(deepest, now)
            continue
        excess: Any = now - deepest - accepted
        i = int(np.argmax(excess))
        if not excess[i] <= 0.0:
            broken += 1
            if now[i] > worst:
                worst, text = float(now[i]), f"step {t}: joint {rows[i]} beyond its limit by {now[i]:.3g}"
    return {"limits": Outcome(int(run.solved.sum()), broken, worst, text)}
