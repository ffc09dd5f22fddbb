"""What a scene's steps say of themselves: status, states after failures, bounded work; a body that has no part in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.scene_run import BUDGET, Run, extent
from dojo_py.simulate.status import Status

TIMES = 50
"""Iterations of a step over those of a normal one: the most accepted."""
TOGETHER = 1e-9
"""Largest deviation of a pose from the one before moved on by h v, over the scene's extent or [rad]."""
ROUND_OFF = 1e-12
"""Of numbers of a body that stays where it was."""
ALONE = "apart"
"""Name of the body that shares nothing with the others."""


def status_outcomes(run: Run, ordinary: bool) -> dict[str, Outcome]:
    """Steps solved; honest failures; positions and velocities that belong together; a scene that never solves again."""
    unsolved = np.flatnonzero(~run.solved)
    count, steps = len(unsolved), len(run.status)
    names = sorted({Status(int(s)).name for s in run.status[unsolved]})
    first = f"step {unsolved[0]}: {' '.join(names)}" if count else ""
    found = {"solved, ordinary" if ordinary else "solved, other": Outcome(steps, count, count / steps, first)}
    wrong, text, apart, apart_text = 0, "", 0, ""
    moved, scale = 0, max(extent(run), 1e-3)
    for t in range(steps):
        status = int(run.status[t])
        finite = all(np.isfinite(rows[t + 1]).all() for rows in (run.qpos, run.qvel, run.maximal))
        usable = status in (Status.SOLVED, Status.INEXACT)
        if not finite or not (usable or _each_whole(run, t, scale)):
            wrong += 1
            text = text or f"step {t}: {Status(status).name}, state {'moved' if finite else 'not finite'}"
        if not usable or run.substeps[t] > 1:  # (in parts, velocities carry the momentum)
            continue
        moved += 1
        error = _together(run, t, scale)
        if not error <= TOGETHER:
            apart += 1
            apart_text = apart_text or f"step {t}: pose differs by {error:.3g} from the one before moved on by h v"
    still = np.array([all(np.array_equal(rows[t], rows[t + 1]) for rows in (run.qpos, run.qvel)) for t in range(steps)])
    passes = ~((run.substeps == 0) & still)  # a step that failed as a whole takes no time
    clock = np.abs(np.diff(run.time) - run.h * passes).max(initial=0.0)
    if not clock <= 1e-9 * run.h + 1e-12 * run.time[-1]:
        apart, apart_text = apart + 1, f"time advances by h {clock:+.3g} s"
    found["honest failure"] = Outcome(steps, wrong, 0.0, text)
    found["together"] = Outcome(moved, apart, 0.0, apart_text)
    half = steps // 2
    frozen = bool(steps >= 20 and not run.solved[half:].any())
    found["not frozen"] = Outcome(1, int(frozen), 0.0, f"no step solved from {half} on: {' '.join(names)}" if frozen else "")
    return found


def _each_whole(run: Run, t: int, scale: float) -> bool:
    """After a failure: every body either stayed as it was or moved on by its velocity, in parts by one between old and new.

    What was not solved stayed: one body at least, unless parts of the step were solved before.
    """
    before, after = run.maximal[t], run.maximal[t + 1]
    stayed = np.all(np.abs(before - after) <= ROUND_OFF * np.abs(before), axis=1)  # (a roll-out's first row is made of qvel)
    between = run.h * np.abs(after[:, 3:6] - before[:, 3:6]).max(axis=1) if run.substeps[t] > 1 else 0.0
    moved = np.abs(after[:, :3] - before[:, :3] - run.h * after[:, 3:6]).max(axis=1) <= TOGETHER * scale + between
    kept = run.substeps[t] > 1 or stayed[run.wheel.body_weldid > 0].any()
    return bool(kept and np.all(stayed | moved))


def _together(run: Run, t: int, scale: float) -> float:
    model = run.model
    if not np.isfinite(run.qpos[t + 1]).all():
        return np.inf
    moved = model.integrate(run.qpos[t], run.h * run.qvel[t + 1])
    error = np.abs(model.difference(run.qpos[t + 1], moved))
    return float(np.max(error / _units(model, scale), initial=0.0))


def _units(model: Any, scale: float) -> np.ndarray:
    """(nv,) the scale for lengths, 1 for angles (which wind up: turns are counted)."""
    units = np.ones(model.nv)
    for j in range(model.njnt):
        a = int(model.jnt_dofadr[j])
        if model.jnt_type[j] == 0:
            units[a : a + 3] = scale
        elif model.jnt_type[j] == 2:
            units[a] = scale
    return units


def work_outcome(run: Run) -> Outcome:
    """Iterations of every step against the median of the solved ones (at least 5); time against the budget."""
    solved = run.iterations[run.solved]
    normal = max(float(np.median(solved)) if len(solved) else 0.0, 5.0)
    bad = run.iterations > TIMES * normal
    most = float(run.iterations.max() / normal)
    if len(run.status) < run.planned:
        text = f"{len(run.status)} of {run.planned} steps in {run.seconds:.0f} s, {BUDGET:g} s are accepted"
        return Outcome(run.planned, run.planned - len(run.status) + int(bad.sum()), most, text)
    t = int(np.argmax(run.iterations))
    text = f"step {t}: {run.iterations[t]} iterations, a normal one {normal:g}" if bad.any() else ""
    return Outcome(run.planned, int(bad.sum()), most, text)


def alone_outcome(run: Run, case: Case) -> Outcome | None:
    """The body that shares nothing with the others, beside the same body in a world of its own: bit for bit."""
    from lxml import etree

    from dojo_py import HardSimulator, load_model

    if ALONE not in run.model.body_names:
        return None
    root: Any = etree.fromstring(case.xml.encode())
    for section in ("equality", "actuator"):
        for element in root.findall(section):
            root.remove(element)
    world = root.find("worldbody")
    for body in world.findall("body"):
        if body.get("name") != ALONE:
            world.remove(body)
    model = load_model(etree.tostring(root, encoding="unicode"))
    sim = HardSimulator(model, timestep=case.timestep)
    joint = int(run.model.body_jntadr[run.model.body_names.index(ALONE)])
    q = slice(int(run.model.jnt_qposadr[joint]), int(run.model.jnt_qposadr[joint]) + 7)
    v = slice(int(run.model.jnt_dofadr[joint]), int(run.model.jnt_dofadr[joint]) + 6)
    alone = sim.rollout(sim.initial_state(run.qpos[0][q], run.qvel[0][v]), np.zeros((len(run.status), 0)))
    here, there = np.hstack([run.qpos[:, q], run.qvel[:, v]]), np.hstack([alone.qpos, alone.qvel])
    differ = np.any(here != there, axis=1)[1:]
    if not differ.any():
        return Outcome(len(differ), 0)
    t, away = int(np.argmax(differ)), float(np.abs(here - there).max())
    first = np.abs(here[t + 1] - there[t + 1]).max()
    return Outcome(len(differ), int(differ.sum()), away, f"step {t}: differs by {first:.3g}, later by at most {away:.3g}")
