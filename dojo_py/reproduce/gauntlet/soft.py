"""Family soft: whatever the reader accepts, compiled and simulated by the soft mode and by the wheel."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

import dojo_py
from dojo_py.reproduce.gauntlet import hills, laws, terrain
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.soft_models import soft_model
from dojo_py.reproduce.gauntlet.soft_shrink import smaller
from dojo_py.reproduce.gauntlet.soft_wheel import (
    Motion,
    Start,
    array_differences,
    cost_above,
    data_at,
    draw_start,
    in_order,
    nudged,
    stage_differences,
    step_with_contacts,
    warned,
    wheel_motion,
)
from dojo_py.simulate.status import Status
from dojo_py.soft import SoftOptions, SoftSimulator
from dojo_py.soft.narrowphase import SEARCHED_PAIRS

ARRAYS, STAGES, STEP, MOTION = 1e-10, 1e-9, 1e-8, 1e-7
"""Bounds: of the arrays and stages, relative; of one step and of twenty, beside what the wheel's own round-off makes of it."""
STEPS = 20
NUDGE = 1e-11
"""How far starts are moved to find what the wheel makes of its own round-off: STRETCH times that is allowed."""
STRETCH = 100.0
FEW, MANY = 3, 40
"""Moved starts at first, and more of them before a difference beyond the bounds counts: a sweep of noslip may hang on round-off."""
TIE = 1e-8
"""A start whose contacts or rows are others when it is moved by this is a tie: not compared."""
JUMP = 1e-4
"""Contact points that move by more than this [m], when the start is moved by TIE, are a tie, too."""
SEARCH = {"ccd_tolerance": 1e-12, "ccd_iterations": 2000}
"""Asked of the wheel's algorithm for convex shapes: its default leaves errors of millimetres on curved ones."""
COARSER = 1e-10
"""Where the wheel finds other contacts with this tolerance its search has not settled: a tie, too."""
LEGACY = int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
"""The flag for the wheel's former algorithm, which is less exact and has no effect here."""
SEARCHED, SEARCHED_STEP = 1e-4, 1e-6
"""Bounds where that algorithm found a contact, whose normals have four to six digits: of the stages; of a step of RK4. Other
integrators make their step from our contacts, to the bound of all steps."""
OVERFLOW = 1e12
"""Constraint forces beyond this (rows whose Jacobian is round-off) do not say what the wheel does."""
UNSTABLE = 1e-8
"""Where the wheel's own spread is larger, the motion is unstable: an overflow there is no difference."""
TIGHT: dict[str, Any] = {"tolerance": 0.0, "iterations": 60, "ls_iterations": 100}

TITLE = "the soft mode beside the wheel"
PROPERTIES = {
    "read": "our reader takes the model, as the wheel's does; nothing is raised while it is simulated",
    "arrays": f"every compiled array equals the wheel's: {ARRAYS:g} of max(1, value)",
    "stages": f"poses, forces, contacts and rows at the start equal the wheel's: {STAGES:g} of the largest entry, away from ties; "
    f"{SEARCHED:g} where its search for the nearest points of two convex shapes found a contact",
    "step": f"one step equals mj_step: {STEP:g} and {STRETCH:g} times what moving the start by {NUDGE:g} makes, away from ties; "
    f"with such contacts the wheel's step starts at ours, or {SEARCHED_STEP:g}",
    "motion": f"{STEPS} steps, or up to the first such contact: {MOTION:g} and the same, as long as the latter is below 1e-6",
    "solver": "where the file's own solver says SOLVED at tolerance 1e-10, it is no more than 2e-5, or 1e-9 of the whole descent, "
    "above Newton's minimum, or 10 times as far as the wheel's",
}
OTHERS_FROM = 5_000_000
"""From this seed on models are those of other families: height fields, fluids, pairs, mocap bodies, actuators of all kinds."""

FIXED = (
    *range(100), 101, 145, 167, 189, 224, 360, 394, 667, 672, 701, 771, 777, 831, 869, 982, 986, 1085, 1149, 1322, 1542, 1555, 1596,
    1749, 1825, 1989, 900120, 900157, 900195, 900264, 900286, 900318, 900533,
    831151, 831227, 831532, 840093, *range(OTHERS_FROM, OTHERS_FROM + 12),
)  # fmt: skip
"""Some, and all that failed once."""


def _model_of(seed: int) -> tuple[str, float, bool]:
    """(MJCF, time step, whether our reader takes it)."""
    if seed < OTHERS_FROM:
        return soft_model(seed)
    family: Any = (terrain, hills, laws)[seed % 3]
    case = family.generate(seed - OTHERS_FROM)
    return case.xml, case.timestep, True


def generate(seed: int) -> Case:
    """The model and the recipe of its start: from any model, so that smaller ones have a start, too."""
    xml, timestep, readable = _model_of(seed)
    rng = np.random.default_rng([seed, 1])
    recipe = {"seed": int(rng.integers(1 << 30)), "readable": readable, "spread": float(rng.choice([0.0, 0.1, 0.5]))}
    recipe |= {"speed": float(rng.choice([0.0, 0.3, 3.0])), "force": float(rng.choice([0.1, 1.0, 10.0]))}
    return Case(xml, timestep, settings=recipe)


def start_of(case: Case, wheel: Any) -> Start:
    """What the case's recipe makes of the model."""
    s = case.settings
    return draw_start(wheel, s["seed"], s["spread"], s["speed"], s["force"], STEPS)


def check(case: Case) -> dict[str, Outcome]:
    """All properties; only "read" where one of the readers refuses."""
    wheel = mujoco.MjModel.from_xml_string(case.xml)
    wheel.opt.timestep = case.timestep
    wheel = _with(wheel, disableflags=wheel.opt.disableflags & ~LEGACY, **SEARCH)
    try:
        return {"read": Outcome(1, 0)} | _compare(case, wheel)
    except Exception as error:  # whatever it is, it is a finding
        return {"read": Outcome(1, 1, where=f"{type(error).__name__}: {error}"[:300])}


def _compare(case: Case, wheel: Any) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    model = wheel
    if case.settings["readable"]:
        model = dojo_py.load_model(case.xml)
        own = array_differences(model, mujoco.MjModel.from_xml_string(case.xml))
        found["arrays"] = _worst(own, ARRAYS)
    start = start_of(case, wheel)
    tight = _with(wheel, solver=int(mujoco.mjtSolver.mjSOL_NEWTON), **TIGHT)
    simulator = SoftSimulator(model, timestep=case.timestep, options=SoftOptions(solver="Newton", **TIGHT))
    first = simulator.initial_state(start.qpos, start.qvel, act=start.act)
    data = data_at(tight, start)
    mujoco.mj_forward(tight, data)
    if warned(data) or np.abs(data.efc_force).max(initial=0.0) > OVERFLOW or _is_tie(tight, start):
        return found
    simulator.acceleration(first, start.controls[0] if wheel.nu else None)
    searched = _is_searched(tight, data.contact.geom)
    found["stages"] = _worst(stage_differences(simulator, tight, data), SEARCHED if searched else STAGES)
    if wheel.opt.noslip_iterations and not in_order(simulator, data):
        return found  # a few sweeps over points of a pair in another order come to something else
    ours_there = step_with_contacts(tight, start, simulator) if searched else None
    if wheel.opt.solver != tight.opt.solver and data.nefc and not wheel.opt.noslip_iterations:
        found["solver"] = _solver(case, wheel, model, tight, start)
    trajectory = simulator.rollout(first, start.controls)
    path = np.concatenate([trajectory.qpos, trajectory.qvel, trajectory.act], axis=1)
    reference = wheel_motion(tight, start)
    own_spread = _spread(tight, start, reference, range(FEW))
    failed = [t for t, s in enumerate(trajectory.status) if s in (Status.NOT_FINITE, Status.SINGULAR)]
    steps = min(len(reference.states) - 1, failed[0] if failed else STEPS)
    if failed and failed[0] < len(reference.states) - 1 and own_spread[failed[0] + 1] < UNSTABLE:
        status = Status(int(trajectory.status[failed[0]])).name
        found["step"] = Outcome(1, 1, np.inf, f"step {failed[0]}: {status}, the wheel goes on")
        return found
    errors = _state_errors(path[: steps + 1], reference.states[: steps + 1], wheel.nq, wheel.nv)
    if steps and ours_there is not None:
        errors[1] = _state_errors(path[1:2], ours_there[None], wheel.nq, wheel.nv)[0]
    first_bound = SEARCHED_STEP if searched and ours_there is None else STEP
    # from a step whose contacts were searched on the errors of their normals grow
    exact = next((t for t, found_there in enumerate(reference.patterns) if _is_searched(tight, found_there[0])), steps)
    step, motion = _beside(errors, own_spread, first_bound, exact)
    if any(outcome is not None and outcome.broken for outcome in (step, motion)):
        own_spread = np.maximum(own_spread, _spread(tight, start, reference, range(FEW, FEW + MANY)))
        step, motion = _beside(errors, own_spread, first_bound, exact)
    found |= {name: outcome for name, outcome in (("step", step), ("motion", motion)) if outcome is not None}
    return found


def _beside(errors: np.ndarray, spread: np.ndarray, first_bound: float, exact: int) -> tuple[Outcome | None, Outcome | None]:
    """Of the first step and of the first `exact`, beside the wheel's spread; none where nothing is compared."""
    step, steps = None, len(errors) - 1
    if steps:
        bound = first_bound + STRETCH * spread[1]
        step = Outcome(1, int(not errors[1] <= bound), float(errors[1] / bound), f"{errors[1]:.1e}, bound {bound:.1e}")
    sure = [t for t in range(2, min(steps, exact) + 1) if spread[: t + 1].max() < UNSTABLE]
    if not sure:
        return step, None
    bounds = [MOTION + STRETCH * spread[: t + 1].max() for t in sure]
    ratios = [errors[t] / b for t, b in zip(sure, bounds, strict=True)]
    wrong = [t for t, ratio in zip(sure, ratios, strict=True) if not ratio <= 1.0]
    where = f"step {wrong[0]}: {errors[wrong[0]]:.1e}" if wrong else ""
    return step, Outcome(len(sure), len(wrong), float(np.max(ratios)), where)


def _solver(case: Case, wheel: Any, model: Any, tight: Any, start: Start) -> Outcome:
    """The file's CG or PGS at a tolerance of 1e-10 and at most 500 iterations, both programs'."""
    kind = ("PGS", "CG")[int(wheel.opt.solver)]
    settings: dict[str, Any] = {"tolerance": 1e-10, "iterations": 500, "ls_iterations": 100}
    theirs = data_at(wheel, start)
    mujoco.mj_forward(_with(wheel, **settings), theirs)
    simulator = SoftSimulator(model, timestep=case.timestep, options=SoftOptions(solver=kind, **settings))
    first = simulator.initial_state(start.qpos, start.qvel, act=start.act)
    control = start.controls[0] if wheel.nu else None
    if simulator.step(first, control).status is Status.INEXACT:
        return Outcome(0, 0)
    ours = simulator.acceleration(first, control)
    reference = data_at(tight, start)
    mujoco.mj_forward(tight, reference)
    minimum = np.array(reference.qacc)
    wheels = cost_above(tight, reference, np.array(theirs.qacc), minimum)
    excess = cost_above(tight, reference, ours, minimum)
    bound = max(2e-5, 1e-9 * cost_above(tight, reference, np.array(reference.qacc_smooth), minimum), 10.0 * wheels)
    where = f"{kind}: {excess:.1e} above the minimum, the wheel {wheels:.1e}"
    return Outcome(1, int(not excess <= bound), float(excess / bound), where)


def _with(model: Any, **options: Any) -> Any:
    model = copy.copy(model)
    for name, value in options.items():
        setattr(model.opt, name, value)
    return model


def _worst(differences: dict[str, float], bound: float) -> Outcome:
    over = {name: value for name, value in differences.items() if not value <= bound}
    worst = max(differences.values(), default=0.0)
    return Outcome(len(differences), len(over), worst, ", ".join(f"{name} {value:.1e}" for name, value in over.items()))


def _is_searched(model: Any, pairs: Any) -> bool:
    """Whether the wheel's general convex algorithm found one of the contacts of these pairs of geoms."""
    return any(tuple(sorted(model.geom_type[pair])) in SEARCHED_PAIRS for pair in pairs)


def _pattern(model: Any, start: Start) -> tuple[list[Any], np.ndarray]:
    data = data_at(model, start)
    mujoco.mj_forward(model, data)
    return [data.contact.geom.tolist(), data.efc_type.tolist()], np.array(data.contact.pos)


def _is_tie(model: Any, start: Start) -> bool:
    here, points = _pattern(model, start)
    if _are_aligned(model, start):
        return True
    for seed in range(3):
        there, moved = _pattern(model, nudged(model, start, TIE, seed))
        if there != here or np.abs(moved - points).max(initial=0.0) > JUMP:
            return True
    there, moved = _pattern(_with(model, ccd_tolerance=COARSER), start)
    return there != here or bool(np.abs(moved - points).max(initial=0.0) > JUMP)


def _are_aligned(model: Any, start: Start) -> bool:
    """Two boxes, or a box and a capsule, that touch with parallel axes: round-off decides on the order and place of the points.

    Or two shapes with one centre: the way out is as short on the other side.
    """
    data = data_at(model, start)
    mujoco.mj_forward(model, data)
    capsule, box = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_BOX)
    for one, two in data.contact.geom:
        if box in (model.geom_type[one], model.geom_type[two]) and model.geom_type[one] >= capsule:
            cosines = data.geom_xmat[one].reshape(3, 3).T @ data.geom_xmat[two].reshape(3, 3)
            if np.abs(cosines).max() > 1.0 - 1e-12:
                return True
        if np.abs(data.geom_xpos[one] - data.geom_xpos[two]).max() < TIE:
            return True
    return False


def _spread(model: Any, start: Start, reference: Motion, seeds: range) -> np.ndarray:
    """(STEPS + 1,) largest difference of the wheel's motions from starts moved by NUDGE; infinite where one ends before."""
    spread = np.zeros(STEPS + 1)
    for seed in seeds:
        other = wheel_motion(model, nudged(model, start, NUDGE, seed))
        n = min(len(other.states), len(reference.states))
        spread[n:] = np.inf
        spread[:n] = np.maximum(spread[:n], _state_errors(other.states[:n], reference.states[:n], model.nq, model.nv))
    return spread


def _state_errors(ours: np.ndarray, theirs: np.ndarray, nq: int, nv: int) -> np.ndarray:
    """(T + 1,) largest difference of positions, velocities and activations, each relative to the largest (at least 1)."""
    errors = np.zeros(len(theirs))
    for part in (slice(0, nq), slice(nq, nq + nv), slice(nq + nv, None)):
        a, b = ours[:, part], theirs[:, part]
        if b.shape[1]:
            errors = np.maximum(errors, np.abs(a - b).max(axis=1) / np.maximum(1.0, np.abs(b).max(axis=1)))
    return errors


def shrink(case: Case) -> Iterator[Case]:
    """Without an element or attribute, or with rounded numbers; the start by the same recipe."""
    for xml in smaller(case.xml):
        yield replace(case, xml=xml)
    for key in ("spread", "speed", "force"):
        if case.settings[key]:
            yield replace(case, settings=dict(case.settings) | {key: 0.0})


def describe(case: Case) -> str:
    """MJCF, with the start as a comment."""
    wheel = mujoco.MjModel.from_xml_string(case.xml)
    start = start_of(case, wheel)
    lines = [f"{name} = {np.array2string(value, precision=17)}" for name, value in zip(start._fields, start, strict=True)]
    return f"<!-- time step {case.timestep} s, {dict(case.settings)}\n" + "\n".join(lines) + f"\n-->\n{case.xml}"
