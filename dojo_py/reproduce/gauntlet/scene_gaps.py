"""Gaps of a scene by independent geometry: every pair that MuJoCo's filters let collide, not our own list and report.

Between bodies by what a normal proves. For every unit vector n

    gap ≥ g(n) = n · (x_B - x_A) - h_A(n) - h_B(-n),   h: how far a shape reaches along n, here in numpy

and the largest g(n) is the gap. Two programs propose n, the wheel's mj_geomDistance and ours (collision/convex.py); the better one
counts. Who reports a larger gap than any n proves is wrong, and so is who reports a smaller one than some n proves. (The wheel's
distances themselves are now and then off: of capsules and boxes in a quarter of all poses, docs/contact.md.)

Above planes by h alone: the wheel's own routine for cylinders loses up to 5 mm of 0.3 m when they are tilted by less than 1e-4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.field_gaps import HFIELD, Fields, proven_field_gap
from dojo_py.reproduce.gauntlet.scene_run import Run, extent
from dojo_py.reproduce.report import import_mujoco

Array = np.ndarray
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = 0, 2, 3, 4, 5, 6, 7

TOLERANCE = 1e-9
"""Overlap accepted [m]."""
FARTHEST = 1e9
"""Gaps beyond are not told apart [m]."""


class Pairs(NamedTuple):
    """Pairs of geoms that may touch; planes and height fields come first in their pair. n rows."""

    first: Array
    second: Array


def pairs_of(wheel: Any) -> Pairs:
    """MuJoCo's filters: contype and conaffinity, one body (or welded ones), parent and child, excludes, explicit pairs."""
    m, rows = wheel, []
    weld = m.body_weldid
    above = weld[m.body_parentid[weld]]
    excluded = set(int(s) for s in m.exclude_signature)
    for a in range(m.ngeom):
        for b in range(a + 1, m.ngeom):
            if not (m.geom_contype[a] & m.geom_conaffinity[b] or m.geom_contype[b] & m.geom_conaffinity[a]):
                continue
            i, k = m.geom_bodyid[a], m.geom_bodyid[b]
            wi, wk = weld[i], weld[k]
            if wi == wk or (wi and wk and (wi == above[wk] or wk == above[wi])):
                continue
            if (int(i) << 16) + int(k) in excluded or (int(k) << 16) + int(i) in excluded:
                continue
            rows.append((a, b))
    rows += [(int(a), int(b)) for a, b in zip(m.pair_geom1, m.pair_geom2, strict=True)]
    table = np.array([(b, a) if m.geom_type[b] in (PLANE, HFIELD) else (a, b) for a, b in rows], int).reshape(-1, 2)
    return Pairs(table[:, 0], table[:, 1])


def gaps_at(mujoco: Any, run: Run, pairs: Pairs, k: int) -> Array:
    """(n,) gaps in state k of a scene [m], see `gaps_of`."""
    return gaps_of(mujoco, run.shapes, run.wheel, run.pose[k].data, pairs, run.fields)


def gaps_of(mujoco: Any, shapes: Any, m: Any, d: Any, pairs: Pairs, fields: Fields | None = None) -> Array:
    """(n,) gaps of the wheel's model m at the pose in d [m]; exact for all that overlap and for the smallest, else a lower bound.

    shapes: our program for convex shapes, `Shapes.of_model(m)`; fields: height fields of the world, `fields_of(m, d)`.
    """
    a, b = pairs.first, pairs.second
    between = d.geom_xpos[b] - d.geom_xpos[a]
    plane = m.geom_type[a] == PLANE
    gaps = np.linalg.norm(between, axis=1) - m.geom_rbound[a] - m.geom_rbound[b]
    axes = d.geom_xmat.reshape(-1, 3, 3)
    normal = axes[a[plane]][:, :, 2]
    gaps[plane] = np.sum(normal * between[plane], axis=1) - reach_along(m, b[plane], axes[b[plane]], normal)
    best = gaps[plane].min(initial=np.inf)
    for i in np.argsort(gaps):
        if gaps[i] > max(best, 0.0):
            break
        if plane[i]:
            continue
        if m.geom_type[a[i]] == HFIELD:
            assert fields is not None
            gaps[i] = _field_gap(mujoco, fields, m, d, int(a[i]), int(b[i]))
        else:
            gaps[i] = proven_gap(mujoco, shapes, m, d, int(a[i]), int(b[i]))
        best = min(best, gaps[i])
    return gaps


def proven_gap(mujoco: Any, shapes: Any, m: Any, d: Any, a: int, b: int) -> float:
    """The largest gap of geoms a, b that a normal proves, the wheel's or ours [m]."""
    ends = np.zeros(6)
    distance = mujoco.mj_geomDistance(m, d, a, b, FARTHEST, ends)
    along = np.sign(distance) * (ends[3:] - ends[:3])
    normals = [along / np.linalg.norm(along)] if np.linalg.norm(along) > 0.0 else []
    poses = [_pose(mujoco, d, g) for g in (a, b)]
    normals.append(shapes.nearest(a, poses[0], b, poses[1]).normal)
    n = np.array(normals)
    axes = d.geom_xmat.reshape(-1, 3, 3)
    reach = [reach_along(m, np.full(len(n), g), axes[np.full(len(n), g)], way) for g, way in ((a, -n), (b, n))]
    return float((n @ (d.geom_xpos[b] - d.geom_xpos[a]) - reach[0] - reach[1]).max())


def _field_gap(mujoco: Any, fields: Fields, m: Any, d: Any, field: int, g: int) -> float:
    axes = d.geom_xmat[g].reshape(3, 3)

    def reach(n: Array) -> Array:
        return reach_along(m, np.full(len(n), g), np.broadcast_to(axes, (len(n), 3, 3)), -n)

    return proven_field_gap(fields, field, g, _pose(mujoco, d, g), reach)


def _pose(mujoco: Any, d: Any, g: int) -> tuple[Array, Array]:
    """(position, quaternion) of a geom."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, d.geom_xmat[g])
    return d.geom_xpos[g], quaternion


def reach_along(m: Any, geoms: Array, axes: Array, n: Array) -> Array:
    """(k,) how far k geoms with these axes (k, 3, 3) reach below their centres: the largest of -n · (p - centre) [m]; n (k, 3)."""
    local = np.einsum("nji,nj->ni", axes, n)
    reach = support(m.geom_type[geoms], m.geom_size[geoms], local)
    for i in np.flatnonzero(m.geom_type[geoms] == MESH):
        mesh = int(m.geom_dataid[geoms[i]])
        first, count = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
        reach[i] = float((m.mesh_vert[first : first + count] @ -local[i]).max())
    return reach


def support(kind: Array, size: Array, n: Array) -> Array:
    """(n,) extent of shapes along the unit vectors n (n, 3) of their own frames [m]."""
    across, along = np.hypot(n[:, 0], n[:, 1]), np.abs(n[:, 2])
    shapes = {
        SPHERE: size[:, 0],
        CAPSULE: size[:, 0] + size[:, 1] * along,
        ELLIPSOID: np.linalg.norm(size * n, axis=1),
        CYLINDER: size[:, 0] * across + size[:, 1] * along,
        BOX: np.sum(size * np.abs(n), axis=1),
    }
    return np.select([kind == k for k in shapes], list(shapes.values()), np.nan)


def gap_outcomes(run: Run) -> dict[str, Outcome]:
    """The properties "gap" and "reported gap"; nothing where no pair can touch."""
    mujoco = import_mujoco(required=True)
    pairs = pairs_of(run.wheel)
    if not len(pairs.first):
        return {}
    accepted = TOLERANCE + 1e-13 * extent(run) + _single_precision(run.wheel)  # and round-off
    start = gaps_at(mujoco, run, pairs, 0)
    deepest = np.minimum(start, 0.0)  # of each pair: what it started with, or was left with by an unsolved step
    broken, wrong, worst, off, first, first_wrong = 0, 0, 0.0, 0.0, "", ""
    for t, solved in enumerate(run.solved):
        gaps = gaps_at(mujoco, run, pairs, t + 1)
        smallest, reported = gaps.min(), run.min_gap[t]
        error = abs(reported - smallest) if np.isfinite(reported) else np.inf
        if not error <= accepted:
            wrong += 1
            off = max(off, error if np.isfinite(error) else 0.0)
            first_wrong = first_wrong or f"step {t}: reported {reported:.3g} m, geometry says {smallest:.3g} m"
        deepest = np.where(gaps > -accepted, 0.0, deepest)
        if not solved:
            deepest = np.minimum(deepest, gaps)
            continue
        excess = deepest - accepted - gaps
        i = int(np.argmax(excess))
        if excess[i] > 0.0:
            broken += 1
            if -gaps[i] > worst:
                worst = float(-gaps[i])
                names = f"geoms {pairs.first[i]} and {pairs.second[i]}"
                first = f"step {t}: {names}, gap {gaps[i]:.3g} m, accepted {deepest[i] - accepted:.3g} m"
    return {
        "gap": Outcome(int(run.solved.sum()), broken, worst, first),
        "reported gap": Outcome(len(run.status), wrong, float(off), first_wrong),
    }


def _single_precision(wheel: Any) -> float:
    """Round-off of the wheel's vertices of meshes [m], which are single numbers; ours are double ones."""
    return float(np.finfo(np.float32).eps * np.abs(wheel.mesh_vert).max(initial=0.0))


def start_overlap(run: Run) -> float:
    """Deepest overlap of the start [m], 0 where there is none."""
    pairs = pairs_of(run.wheel)
    if not len(pairs.first):
        return 0.0
    return float(max(0.0, -gaps_at(import_mujoco(required=True), run, pairs, 0).min()))
