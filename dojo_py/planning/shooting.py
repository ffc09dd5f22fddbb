"""Trajectories of the planner by multiple shooting: states, controls, and the gaps (defects) of the dynamics.

    x_{k+1} = f(x_k, u_k) ⊕ gap_k

A feasible trajectory has no gaps. An initial guess of the states has; a step of length α multiplies them by 1 − α
(Giftthaler 2018; Mastalli 2020, FDDP).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from dojo_py.hard.simulator import DEFAULT_KAPPA, HardSimulator
from dojo_py.planning.differences import difference, linearize_by_steps, move, same_motion, tangent_size
from dojo_py.planning.feedback import borrowed
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Simulator, Stepping
from dojo_py.simulate.status import FAILED, Status
from dojo_py.soft import SoftSimulator

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Path:
    """T steps: T + 1 states, controls (T, nu), gaps (T, n), n = 2 nv + na, and number of steps that missed their tolerances."""

    states: list[State]
    controls: Array
    gaps: Array
    unsolved: int = 0

    @property
    def gap(self) -> float:
        """Sum of the absolute gaps."""
        return float(np.abs(self.gaps).sum())


def advance(sim: Stepping, state: State, control: Array, kappa: float | None) -> tuple[State | None, bool]:
    """(next state or None, whether the step met its tolerances)."""
    try:
        step = sim.step(state, control, kappa=kappa)
    except ValueError:  # the simulator rejects the state: a body rotates too fast, or it is not finite
        return None, False
    if step.status in FAILED or not finite(step.state):
        return None, False
    return step.state, step.status == Status.SOLVED


def finite(state: State) -> bool:
    """Whether all entries of the state are finite."""
    return bool(np.all(np.isfinite(state.qpos)) and np.all(np.isfinite(state.qvel)) and np.all(np.isfinite(state.act)))


def roll(sim: Stepping, start: State, controls: Array, kappa: float | None, guess: Sequence[State] | None = None) -> Path | None:
    """Roll-out of controls (T, nu) from the start, or the path through guessed states (T + 1, the first one replaced by the start).

    None if a step fails.
    """
    states, gaps, unsolved = [start], np.zeros((len(controls), tangent_size(sim.model))), 0
    for k, control in enumerate(controls):
        reached, solved = advance(sim, states[k], control, kappa)
        if reached is None:
            return None
        unsolved += not solved
        if guess is None:
            states.append(reached)
        else:
            states.append(guess[k + 1])
            gaps[k] = difference(sim.model, guess[k + 1], reached)
    return Path(states, np.array(controls), gaps, unsolved)


def failure(
    sim: Stepping, start: State, controls: Array, kappa: float | None, guess: Sequence[State] | None = None
) -> tuple[str, Status | None]:
    """Which step of a roll-out that `roll` gives up fails, and how; its status, None where it has none or a usable one."""
    state = start
    for k, control in enumerate(controls):
        try:
            step = sim.step(state, control, kappa=kappa)
        except ValueError as error:
            return f"step {k} is refused ({error})", None
        if step.status in FAILED:
            status = Status(step.status)
            return f"step {k} ends {status.name}", status
        if not finite(step.state):
            return f"step {k} ends in a state that is not finite", None
        state = step.state if guess is None else guess[k + 1]
    return "no step by itself", None


def follow(
    sim: Stepping, old: Path, feedforward: Array, gains: Array, alpha: float, limits: tuple[Array, Array], kappa: float | None,
    start: State | None = None,
) -> Path | None:  # fmt: skip
    """Roll-out of u_k + α k_k + K_k (x ⊖ x_k), clipped to the limits, with 1 − α times the old gaps; None if a step fails.

    start: initial state; by default that of the old path.
    """
    if (type(sim) is HardSimulator or type(sim) is SoftSimulator) and (alpha == 1.0 or not old.gaps.any()):
        return _in_one_call(sim, old, alpha * feedforward, gains, limits, kappa, start or old.states[0])
    model, T = sim.model, len(old.controls)
    states, controls, unsolved = [start or old.states[0]], np.empty_like(old.controls), 0
    gaps = (1.0 - alpha) * old.gaps
    for k in range(T):
        dx = difference(model, states[k], old.states[k])
        controls[k] = np.clip(old.controls[k] + alpha * feedforward[k] + gains[k] @ dx, *limits)
        if not np.all(np.isfinite(controls[k])):
            return None
        reached, solved = advance(sim, states[k], controls[k], kappa)
        if reached is None:
            return None
        unsolved += not solved
        states.append(move(model, reached, gaps[k]) if gaps[k].any() else reached)
    return Path(states, controls, gaps, unsolved)


def _in_one_call(
    sim: Simulator, old: Path, feedforward: Array, gains: Array, limits: tuple[Array, Array], kappa: float | None, start: State
) -> Path | None:
    """`follow` without gaps, in one kernel call."""
    with borrowed(sim, len(old.controls)) as loop:
        try:
            found = loop.run(start, list(old.states), old.controls, feedforward, gains, limits, kappa)
        except ValueError:  # as in `advance`
            return None
    if found is None:
        return None
    states, controls, status = found
    return Path(states, controls, np.zeros_like(old.gaps), int(np.count_nonzero(status)))


def with_open_ends(sim: Stepping, limits: tuple[Array, Array]) -> Stepping:
    """The simulator whose derivatives by controls at the ends of their ranges are those from within.

    The hard mode gives the mean of both sides there: half of the effect that a control at its limit has. Controls that are kept to
    the limits never leave the ranges, so that wider ranges change no motion. The soft mode gives the side within by itself.
    """
    if type(sim) is not HardSimulator:
        return sim
    actuators, model = sim.world.actuators, sim.model
    ends = np.array(actuators.control_range)  # (nu, 2), infinite where nothing is clamped
    acts = np.repeat(actuators.enabled, model.actuator_ctrlnum).astype(bool)  # (nu,)
    finite_ends = np.isfinite(ends) & acts[:, None]
    width = np.ptp(ends, axis=1, keepdims=True)
    room = np.where(np.isfinite(width) & (width > 0), width, np.maximum(1.0, np.abs(ends)))
    kept = np.column_stack((limits[0] >= ends[:, 0], limits[1] <= ends[:, 1]))
    wider = np.where(finite_ends & kept, ends + room * [-1.0, 1.0], ends)
    return sim if np.array_equal(wider, ends) else sim.with_parameters({"ctrlrange": wider[finite_ends]})


def linearise(
    sim: Stepping, path: Path, kappa: float | None, threads: int = 1, width: float | None = None, motion: float | None = None
) -> tuple[Array, Array]:
    """A (T, n, n) and B (T, n, nu), n = 2 nv + na, at every knot of the path; width: of finite differences, if they are used.

    motion: the κ at which the path was simulated. In the hard mode one roll-out at this κ computes all derivatives, provided that
    it reproduces the states of the path.
    """
    if threads == 1 and type(sim) is HardSimulator and not path.gaps.any():
        at = DEFAULT_KAPPA if kappa is None else kappa
        run = sim.rollout(path.states[0], path.controls, kappa=motion, maximal=False, linearize=True, gradient_kappa=at)
        if same_motion(sim.model, path.states, run.qpos, run.qvel, run.act):
            assert run.A is not None and run.B is not None
            return run.A, run.B
    more = {} if width is None else {"epsilon": width}

    def one(k: int) -> tuple[Array, Array]:
        state, control = path.states[k], path.controls[k]
        if hasattr(sim, "linearize"):
            found = sim.linearize(state, control, kappa=kappa, **more)
        else:
            found = linearize_by_steps(sim, state, control, kappa, width)
        return found.A, found.B

    T = len(path.controls)
    if threads == 1:
        found = [one(k) for k in range(T)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(one, range(T)))
    return np.array([A for A, _ in found]), np.array([B for _, B in found])
