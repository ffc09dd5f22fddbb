"""Evaluation of a plan in the hard motion, the simulation in the hard limit: its controls in open loop, and with feedback.

Relaxed contacts act at a distance, so that a plan which meets its constraints at κ > 0 may miss them in the hard limit. The gains
correct for the difference of the two motions, but can do harm where contacts stick. Both are simulated and the better one counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.planning.problem import Problem
from dojo_py.planning.shooting import Path, follow
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.status import FAILED
from dojo_py.simulate.trajectory import Trajectory

Array = np.ndarray

ROUND_OFF = 1e-12
"""Relative difference of two costs that says nothing."""


@dataclass(frozen=True, eq=False)
class HardMotion:
    """A roll-out in the hard limit with its cost and violation."""

    trajectory: Trajectory | None
    """None if the simulator rejects a state of the roll-out."""
    cost: float
    """Without constraint terms; infinite if a step fails."""
    violation: float
    """Largest violation of a constraint; infinite if a step fails."""
    feedback: bool = False
    """Whether the controls include the feedback."""

    def rank(self, tolerance: float) -> tuple[float, float]:
        """(violation beyond the tolerance, cost), in lexicographic order; smaller is better."""
        return max(0.0, self.violation - tolerance), self.cost

    def better_than(self, other: HardMotion, tolerance: float) -> bool:
        """Whether its violation beyond the tolerance is smaller, or equal and its cost smaller by more than round-off."""
        mine, others = self.rank(tolerance), other.rank(tolerance)
        least = ROUND_OFF * max(abs(mine[1]), abs(others[1])) if np.isfinite(others[1]) else 0.0
        return mine[0] < others[0] or (mine[0] == others[0] and mine[1] < others[1] - least)


def rollout(sim: Stepping, start: State, controls: Array) -> Trajectory | None:
    """The simulator's `rollout`, or a loop over `step` if it has none; None if it rejects a state."""
    try:
        if hasattr(sim, "rollout"):
            return sim.rollout(start, controls)
        steps: list[Any] = []
        for control in controls:
            steps.append(sim.step(steps[-1].state if steps else start, control))
    except ValueError:
        return None
    states, T = [start, *(step.state for step in steps)], len(steps)
    figures: dict[str, Any] = {
        name: np.array([getattr(step, name, default) for step in steps])
        for name, default in (("status", 0), ("iterations", 0), ("residual", 0.0), ("complementarity", 0.0), ("ending", -1))
    }
    motion: dict[str, Any] = {name: np.array([getattr(s, name) for s in states]) for name in ("time", "qpos", "qvel", "act")}
    more: dict[str, Any] = {"min_gap": np.full(T, np.inf), "metadata": {"timestep": sim.timestep}}
    return Trajectory(**motion, control=np.array(controls), **figures, **more)


def states_of(trajectory: Trajectory) -> list[State]:
    """All T + 1 states."""
    return [trajectory.state(k) for k in range(len(trajectory) + 1)]


def path_of(trajectory: Trajectory, size: int) -> Path:
    """The trajectory as a path of the planner; size: of the tangent state."""
    return Path(states_of(trajectory), trajectory.control, np.zeros((len(trajectory), size)))


def usable(trajectory: Trajectory | None) -> bool:
    """Whether no step failed and all states are finite."""
    if trajectory is None or np.isin(trajectory.status, FAILED).any():
        return False
    return all(bool(np.isfinite(rows).all()) for rows in (trajectory.qpos, trajectory.qvel, trajectory.act))


def measured(problem: Problem, trajectory: Trajectory | None, feedback: bool = False) -> HardMotion:
    """Cost and violation of a trajectory."""
    if trajectory is None or not usable(trajectory):
        return HardMotion(trajectory, float("inf"), float("inf"), feedback)
    states = states_of(trajectory)
    cost, violation = problem.value(states, trajectory.control), problem.violation(states, trajectory.control)
    cost, violation = (value if np.isfinite(value) else float("inf") for value in (cost, violation))
    return HardMotion(trajectory, cost, violation, feedback)


def open_loop(problem: Problem, start: State, controls: Array) -> HardMotion:
    """Evaluate the controls without feedback."""
    return measured(problem, rollout(problem.sim, start, controls))


def hard_motion(problem: Problem, path: Path, gains: Array | None, tolerance: float) -> HardMotion:
    """The better of two roll-outs: the controls of the path, and these with feedback gains (T, nu, 2 nv + na) around its states."""
    plain = open_loop(problem, path.states[0], path.controls)
    if gains is None or not gains.any() or (plain.trajectory is not None and _same(plain.trajectory, path.states)):
        return plain
    still = Path(path.states, path.controls, np.zeros_like(path.gaps))
    moved = follow(problem.sim, still, np.zeros_like(path.controls), gains, 0.0, (problem.low, problem.high), None)
    if moved is None:
        return plain
    closed = measured(problem, rollout(problem.sim, path.states[0], moved.controls), feedback=True)
    return closed if closed.better_than(plain, tolerance) else plain


def _same(trajectory: Trajectory, states: Sequence[State]) -> bool:
    """Whether the trajectory has these states up to round-off; then feedback changes nothing."""
    names = ("qpos", "qvel", "act") if trajectory.act.size else ("qpos", "qvel")
    return all(
        np.allclose(getattr(trajectory, name), np.array([getattr(s, name) for s in states]), rtol=0, atol=1e-12) for name in names
    )
