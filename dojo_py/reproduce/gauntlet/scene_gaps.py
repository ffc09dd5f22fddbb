"""Gaps of a scene by independent geometry: every pair that MuJoCo's filters let collide, not our own list and report.

Between bodies by the wheel's mj_geomDistance, above planes by the shapes' support function: the wheel's own routine for cylinders
loses up to 5 mm of 0.3 m when they are tilted by less than 1e-4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.scene_run import Run, extent
from dojo_py.reproduce.report import import_mujoco

Array = np.ndarray
PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 0, 2, 3, 4, 5, 6

TOLERANCE = 1e-9
"""Overlap accepted [m]."""
RIM = 1e-6
"""Of a cylinder's radius, accepted too: the hard mode rounds the point of a rim that touches a plane (at most 5e-7)."""
FARTHEST = 1e9
"""Gaps beyond are not told apart [m]."""


class Pairs(NamedTuple):
    """Pairs of geoms that may touch; planes come first in their pair. n rows."""

    first: Array
    second: Array
    slack: Array
    """(n,) overlap accepted [m]"""


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
            rows.append((a, b) if m.geom_type[b] != PLANE else (b, a))
    rows += [(int(a), int(b)) for a, b in zip(m.pair_geom1, m.pair_geom2, strict=True)]
    table = np.array(rows, int).reshape(-1, 2)
    round_ = m.geom_type[table[:, 1]] == CYLINDER
    slack = TOLERANCE + np.where(round_ & (m.geom_type[table[:, 0]] == PLANE), RIM * m.geom_size[table[:, 1], 0], 0.0)
    return Pairs(table[:, 0], table[:, 1], slack)


def gaps_at(mujoco: Any, run: Run, pairs: Pairs, k: int) -> Array:
    """(n,) gaps in state k [m]; exact for all that overlap and for the smallest, else a lower bound."""
    m, d = run.wheel, run.pose[k].data
    a, b = pairs.first, pairs.second
    between = d.geom_xpos[b] - d.geom_xpos[a]
    plane = m.geom_type[a] == PLANE
    gaps = np.linalg.norm(between, axis=1) - m.geom_rbound[a] - m.geom_rbound[b]
    axes = d.geom_xmat.reshape(-1, 3, 3)
    normal = axes[a[plane]][:, :, 2]
    tilted = np.einsum("nji,nj->ni", axes[b[plane]], normal)
    gaps[plane] = np.sum(normal * between[plane], axis=1) - support(m.geom_type[b[plane]], m.geom_size[b[plane]], tilted)
    best = gaps[plane].min(initial=np.inf)
    for i in np.argsort(gaps):
        if gaps[i] > max(best, 0.0):
            break
        if plane[i]:
            continue
        gaps[i] = _distance(mujoco, m, d, int(a[i]), int(b[i]))
        best = min(best, gaps[i])
    return gaps


def _distance(mujoco: Any, m: Any, d: Any, a: int, b: int) -> float:
    """Distance of two geoms [m]; of capsules and boxes, where the wheel's is wrong now and then (docs/contact.md), by the axis."""
    if {int(m.geom_type[a]), int(m.geom_type[b])} == {CAPSULE, BOX}:
        capsule, box = (a, b) if m.geom_type[a] == CAPSULE else (b, a)
        least = _axis_to_box(m, d, capsule, box)
        if least > 0.0:
            return least - float(m.geom_size[capsule, 0])
    return float(mujoco.mj_geomDistance(m, d, a, b, FARTHEST, None))


def _axis_to_box(m: Any, d: Any, capsule: int, box: int) -> float:
    """Distance of a capsule's axis from a box [m], 0 where they meet: convex in the place on the axis."""
    from scipy.optimize import minimize_scalar

    turn = d.geom_xmat[box].reshape(3, 3).T
    centre = turn @ (d.geom_xpos[capsule] - d.geom_xpos[box])
    axis = turn @ d.geom_xmat[capsule].reshape(3, 3)[:, 2] * m.geom_size[capsule, 1]

    def away(t: float) -> float:
        return float(np.linalg.norm(np.maximum(np.abs(centre + t * axis) - m.geom_size[box], 0.0)))

    inside = minimize_scalar(away, bounds=(-1.0, 1.0), method="bounded", options={"xatol": 1e-13})
    return min(float(inside.fun), away(-1.0), away(1.0))


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
    round_off = 1e-13 * extent(run)
    start = gaps_at(mujoco, run, pairs, 0)
    deepest = np.minimum(start, 0.0)  # of each pair: what it started with, or was left with by an unsolved step
    broken, wrong, worst, off, first, first_wrong = 0, 0, 0.0, 0.0, "", ""
    for t, solved in enumerate(run.solved):
        gaps = gaps_at(mujoco, run, pairs, t + 1)
        smallest, reported = gaps.min(), run.min_gap[t]
        error = abs(reported - smallest) if np.isfinite(reported) else np.inf
        if not error <= pairs.slack.max() + round_off:
            wrong += 1
            off = max(off, error if np.isfinite(error) else 0.0)
            first_wrong = first_wrong or f"step {t}: reported {reported:.3g} m, geometry says {smallest:.3g} m"
        deepest = np.where(gaps > -pairs.slack, 0.0, deepest)
        if not solved:
            deepest = np.minimum(deepest, gaps)
            continue
        excess = deepest - pairs.slack - round_off - gaps
        i = int(np.argmax(excess))
        if excess[i] > 0.0:
            broken += 1
            if -gaps[i] > worst:
                worst = float(-gaps[i])
                names = f"geoms {pairs.first[i]} and {pairs.second[i]}"
                first = f"step {t}: {names}, gap {gaps[i]:.3g} m, accepted {deepest[i] - pairs.slack[i]:.3g} m"
    return {
        "gap": Outcome(int(run.solved.sum()), broken, worst, first),
        "reported gap": Outcome(len(run.status), wrong, float(off), first_wrong),
    }


def start_overlap(run: Run) -> float:
    """Deepest overlap of the start [m], 0 where there is none."""
    pairs = pairs_of(run.wheel)
    if not len(pairs.first):
        return 0.0
    return float(max(0.0, -gaps_at(import_mujoco(required=True), run, pairs, 0).min()))
