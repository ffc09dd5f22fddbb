"""Family "scenes": generated worlds in the hard mode, and what must hold for every one of them by geometry and balance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.scene_balance import balance_outcomes
from dojo_py.reproduce.gauntlet.scene_draw import Draw, text
from dojo_py.reproduce.gauntlet.scene_gaps import gap_outcomes, pairs_of, start_overlap
from dojo_py.reproduce.gauntlet.scene_joints import joint_outcomes
from dojo_py.reproduce.gauntlet.scene_mechanisms import arm, chain, jammed, legs, loop
from dojo_py.reproduce.gauntlet.scene_piles import adrift, bin_of_boxes, bin_of_planes, scatter, tower
from dojo_py.reproduce.gauntlet.scene_run import simulate
from dojo_py.reproduce.gauntlet.scene_status import ALONE, alone_outcome, status_outcomes, work_outcome
from dojo_py.reproduce.gauntlet.shrink_mjcf import shrink as shrink_mjcf

TITLE = "hard mode: generated scenes of bodies, mechanisms and contacts"
NEEDS_WHEEL = True
FAST = 10.0
"""Greatest speed of a body's centre at the start of an ordinary scene [m/s]."""
TIME_LIMIT = 240.0
PROPERTIES = {
    "solved, ordinary": "every step of an ordinary scene is SOLVED (5 cm to 1 m, h <= 0.01, g <= 9.81, speeds <= 10, no overlap)",
    "solved, other": "steps of other scenes that are not SOLVED: at most 0.1 %",
    "honest failure": "a step that is not SOLVED is INEXACT with a finite state, or leaves what it did not solve as it was",
    "together": "each pose is the one before moved on by h v, to 1e-9; time advances by h",
    "not frozen": "the last half of a scene is not all unsolved",
    "gap": "of solved steps, by independent geometry: no new overlap above 1e-9 m",
    "reported gap": "min_gap is the smallest gap by independent geometry, to 1e-9 m",
    "joints": "of solved steps: bodies are where the wheel's kinematics of qpos has them, loops closed, to 1e-9 of the extent",
    "limits": "of solved steps: no joint beyond its limits by 1e-9 that was not before",
    "energy": "of what nothing drives: grows by at most (h Omega)^2 of it, and what contacts at the end of a step may add",
    "momentum": "of what nothing holds: linear and discrete angular momentum kept to round-off at every |omega| h",
    "work bounded": "no step above 50 x the iterations of a normal one; a scene within 20 s",
    "alone": "a body that shares nothing with the others moves bit for bit as it does alone",
}
ALLOWED = {"solved, other": 1e-3}
FIXED = (
    *range(2, 10), 11, 12, 13, *range(15, 32), 72, 83, 88, 100, 108, 112, 132, 138, 148, 151, 209, 212, 223, 391, 4128, 5811, 6355,
    2008, 2038, 2040, 3047, 3084, 6716, 8166, 13015, 51000, 51045, 51054, 51119, 310621, 801017,
    801104, 801217, 821542, 830016, 830148, 830406, 830423, 840048, 840133, 840143, 840179, 840254, 840258, 840289, 850006, 850386,
    850102, 850142, 850251, 850319, 920075, 920081, 920118, 920146, 920181, 920225,
    998009, 998062, 998064, 998090, 998155, 998236, 998272, 998382, 998385, 998410, 998433,
    999028, 999082, 999185, 999318, 999319, 999350, 999378, 999391, 999398,
    1000061, 1000108, 1000289, 1000017, 1000111, 8910004, 8910006,
)  # fmt: skip

KINDS: dict[Callable[[Draw], None], float] = {
    scatter: 3, bin_of_planes: 2, bin_of_boxes: 1, tower: 2, adrift: 3, chain: 3, arm: 3, legs: 2, loop: 2, jammed: 1,
}  # fmt: skip


def generate(seed: int) -> Case:
    """The scene of this seed."""
    return drawn(seed, KINDS)


def drawn(seed: int, kinds: dict[Callable[[Draw], None], float], hilly: bool = False) -> Case:
    """A scene of one of the kinds, by their weights; every eighth has a body beside that shares nothing with it.

    hilly: on a height field instead of a plane, where the kind allows it.
    """
    draw = Draw(seed)
    draw.hilly = hilly
    weights = np.array(list(kinds.values()))
    kind = list(kinds)[int(draw.rng.choice(len(kinds), p=weights / weights.sum()))]
    kind(draw)
    if draw.chance(0.125):
        _beside(draw)
    qvel = np.array(draw.qvel)
    controls = np.zeros((draw.steps, len(draw.actuators)))
    if draw.actuators:
        held = draw.rng.uniform(-1, 1, (draw.steps // 10 + 1, len(draw.actuators)))
        controls = np.round(np.repeat(held, 10, axis=0)[: draw.steps], 3)
    settings = {"kind": kind.__name__, "ordinary": draw.ordinary and not draw.overlap}
    return Case(draw.xml(), draw.h, None, qvel if qvel.any() else None, controls, settings)


def _beside(draw: Draw) -> None:
    """A free ball high above everything, first or last in the document."""
    r = 0.5 * draw.size
    ball = f'<geom type="sphere" size="{r!r}" contype="0" conaffinity="0" {draw.mass()}/>'
    body = f'<body name="{ALONE}" pos="{text((0, 0, 1e4 * draw.size + 1e4))}"><freejoint/>{ball}</body>'
    twist = [float(f"{x:.4g}") for x in draw.rng.uniform(-1, 1, 6)]
    if draw.chance(0.5):
        draw.bodies.insert(0, body)
        draw.qvel[:0] = twist
    else:
        draw.bodies.append(body)
        draw.qvel += twist


def check(case: Case) -> dict[str, Outcome]:
    """Simulate the scene and look at every property that applies to it."""
    run = simulate(case)
    pairs, overlap = pairs_of(run.wheel), start_overlap(run)
    slow = np.linalg.norm(run.maximal[0][:, 3:6], axis=1).max() <= FAST
    ordinary = bool(case.settings.get("ordinary") and slow and overlap <= 1e-12)
    found = status_outcomes(run, ordinary)
    found |= gap_outcomes(run)
    found |= joint_outcomes(run)
    found |= balance_outcomes(run, pairs, overlap)
    found["work bounded"] = work_outcome(run)
    alone = alone_outcome(run, case)
    if alone is not None:
        found["alone"] = alone
    return found


def shrink(case: Case) -> Iterator[Case]:
    """Scenes with less in them."""
    yield from shrink_mjcf(case)


def describe(case: Case) -> str:
    """Python that checks the scene again."""
    return as_python(case, "scenes")
