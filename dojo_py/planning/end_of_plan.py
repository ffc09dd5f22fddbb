"""What a plan is in the end: which motion it holds, and what its status says of that (status.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dojo_py.planning.hard_motion import HardMotion, hard_motion, path_of, usable
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import limits_of
from dojo_py.planning.reach import attainable_decreases, broken_at_once, controllable_entries
from dojo_py.planning.shooting import Path, linearise, with_open_ends
from dojo_py.planning.status import PlanStatus, judged

if TYPE_CHECKING:
    from dojo_py.planning.solver import Planner

Array = np.ndarray


def end_of(planner: Planner, begun: HardMotion, status: PlanStatus) -> Plan:
    """The plan with its hard motion; or the best plan so far or the initial controls, if they are better in the hard motion."""
    path, tolerance = planner.path, planner.options.constraint_tolerance
    hard = hard_motion(planner.problem, path, planner.gains, tolerance)
    for other in (planner.kept, begun):
        if other is None or other.trajectory is None or not other.better_than(hard, tolerance):
            continue
        planner.policy, hard = None, replace(other, feedback=False)  # the controls of the plan are those that were applied
        path = path_of(other.trajectory, planner.problem.n)
        if other is begun and status is not PlanStatus.STOPPED:
            status = PlanStatus.NO_BETTER
    if status is not PlanStatus.STOPPED and _without_gain(planner, hard, begun):
        planner.policy, hard, status = None, begun, PlanStatus.NO_BETTER
        assert begun.trajectory is not None
        path = path_of(begun.trajectory, planner.problem.n)
    relaxed = planner.problem.value(path.states, path.controls)
    asked = _goals(planner) or begun.violation > tolerance  # constraints that held from the beginning say nothing about the descent
    progress = asked and any(record.step > 0.0 for record in planner.log)
    status = judged(status, relaxed, hard, bool(planner.problem.constraints), progress, planner.options)
    if _unreached(planner, status, path, hard, begun):
        status = PlanStatus.UNREACHED
    broken = broken_at_once(planner.problem, path.states, path.controls, tolerance) if hard.violation > tolerance else ""
    return planner.plan_of(path, status, hard, f"{status.value}; {broken}" if broken else "")


def _unreached(planner: Planner, status: PlanStatus, path: Path, hard: HardMotion, begun: HardMotion) -> bool:
    """Whether what costs and constraints ask is asked of entries of the states that no control changes at the end (reach.py).

    The controls may have lowered their own cost on the way there, but not what is asked of the entries that they do change:
    a plan that does all that it can is none of these, nor is one that meets its goals. What is asked is judged in the hard
    motion: in the relaxed one bodies float, and are never quite where they are to be. A descent that was stopped or interrupted
    is not at an end.
    """
    if (
        status is PlanStatus.STOPPED
        or (status is PlanStatus.MAX_ITERATIONS and planner.lowered())
        or not planner.log
        or path.gap > 0.0
    ):
        return False
    if not (usable(hard.trajectory) and usable(begun.trajectory)):
        return False
    tolerance = planner.options.constraint_tolerance
    if _goals(planner) and hard.violation <= tolerance:
        return False
    entries = _controllable(planner, path, planner.log[-1].kappa or None)
    if entries.all():
        return False
    small = planner.small(hard.cost), 0.5 * tolerance**2
    now, (cost, violated) = attainable_decreases(planner.problem, hard, entries)
    if cost <= small[0] and (hard.violation <= tolerance or violated <= small[1]):
        return False
    first, _ = attainable_decreases(planner.problem, begun, entries)
    return all(a <= least and b <= a + least for a, b, least in zip(now, first, small, strict=True))


def _controllable(planner: Planner, path: Path, kappa: float | None) -> Array:
    """(n,) the entries of the state that controls can change along the path; beyond the range of an actuator as at its end."""
    low, high = (np.array(side) for side in planner.limits)
    ends = limits_of(planner.problem.sim, "model")
    low, high = np.clip(low, *ends), np.clip(high, *ends)
    path, motion = replace(path, controls=np.clip(path.controls, low, high)), planner.motion if path is planner.path else None
    sim, options = with_open_ends(planner.problem.sim, (low, high)), planner.options
    return controllable_entries(*linearise(sim, path, kappa, options.threads, options.difference_width, motion))


def _goals(planner: Planner) -> bool:
    """Whether there are equality constraints."""
    return any(constraint.kind == "equality" for constraint in planner.problem.constraints)


def _without_gain(planner: Planner, hard: HardMotion, begun: HardMotion) -> bool:
    """Whether steps lowered the merit, but the hard motion is not better than that of the initial controls.

    False if no step lowered the merit, as the initial controls are then a minimum, and if all equality constraints are met.
    """
    tolerance = planner.options.constraint_tolerance
    if not usable(begun.trajectory) or (_goals(planner) and hard.violation <= tolerance) or hard.better_than(begun, tolerance):
        return False
    return planner.lowered()
