"""Model-predictive control: plan over a short horizon, apply the first controls, shift the plan, plan again from the new state.

The next plan starts from the last one: its controls shifted by the steps applied, followed with its gains from the new state, the
last control repeated (warm start; Tassa, Erez, Todorov 2012, section III).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dojo_py.planning.options import Options
from dojo_py.planning.plan import Plan
from dojo_py.planning.shooting import Path, follow
from dojo_py.planning.solver import ilqr
from dojo_py.progress import Progress
from dojo_py.simulate.results import State

Array = np.ndarray
Objective = Callable[[float], dict[str, Any]]
"""Time at which the horizon starts [s] -> keywords of `ilqr`: stage, terminal, constraints, control_limits."""


@dataclass(frozen=True, eq=False)
class Timing:
    """Wall time of the plans of a run."""

    seconds: Array
    """(plans,) of each plan."""
    iterations: Array
    """(plans,)"""
    interval: float
    """Simulated time between two plans [s]."""

    @property
    def rate(self) -> float:
        """Plans per second of wall time, by the median plan; the first, which starts cold, left out [Hz]."""
        return float(1.0 / np.median(self.seconds[1:] if len(self.seconds) > 1 else self.seconds))

    @property
    def real_time(self) -> float:
        """Simulated time between plans over the median plan's wall time; above 1 planning keeps up."""
        return self.rate * self.interval

    def __str__(self) -> str:
        ms = 1e3 * np.asarray(self.seconds)
        return (
            f"{len(ms)} plans, {self.rate:.1f} plans/s, {self.real_time:.2f} x real time; a plan takes median {np.median(ms):.1f} ms, "
            f"95 % {np.percentile(ms, 95):.1f} ms, longest {ms.max():.1f} ms, {np.mean(self.iterations):.1f} iterations"
        )


@dataclass
class Controller:
    """Plans from every state it is shown and remembers the plan for the next one."""

    sim: Any
    objective: Objective
    controls: Array
    """(T, nu) of the first plan; its length is the horizon."""
    options: Options = field(default_factory=lambda: Options(max_iterations=1, max_updates=1))
    shift: int = 1
    """Steps applied between two plans."""
    last: Plan | None = None
    log: list[Plan] = field(default_factory=list, repr=False)

    def plan(self, state: State) -> Plan:
        """Plan from this state, warm-started by the last plan."""
        keywords = self.objective(state.time)
        controls = self.controls if self.last is None else self._shifted(self.last, state)
        self.last = ilqr(self.sim, state, controls, options=self.options, **keywords)
        return self.last

    def _shifted(self, plan: Plan, state: State) -> Array:
        """(T, nu) controls of the last plan from this state on, with its feedback; without it where that leads nowhere."""
        s, T = self.shift, len(plan.controls)
        rest = Path(plan.states[s:], plan.controls[s:], np.zeros((T - s, plan.gains.shape[2])))
        path = replace(rest, states=[state, *rest.states[1:]])
        limits = plan.controls.min(axis=0), plan.controls.max(axis=0)
        moved = follow(
            self.sim, path, np.zeros_like(rest.controls), _first_gain(plan.gains[s:], 0), 0.0, limits,
            self.options.motion_kappa(self.options.kappas[-1]),
        )  # fmt: skip
        kept = rest.controls if moved is None else moved.controls
        return np.concatenate([kept, np.repeat(kept[-1:], s, axis=0)])


def _first_gain(gains: Array, _: int) -> Array:
    return gains


def mpc(
    sim: Any,
    state: State,
    controller: Controller,
    steps: int,
    disturbance: Callable[[float], Array | None] | None = None,
    callback: Callable[[int, State, Plan], Any] | None = None,
    progress: bool = False,
) -> tuple[list[State], Array, Timing]:
    """Control `sim` for so many steps: (T + 1 states, controls (T, nu), timing).

    disturbance(time) -> wrenches (nbody, 6) that the controller does not know of, or None. callback(step, state, plan) after every
    plan; true stops. The controlled simulator may differ from the controller's: another time step's multiple, another mode.
    """
    states, controls, seconds, iterations = [state], [], [], []
    with Progress(steps, "controlling", force=progress) as bar:
        while len(controls) < steps:
            clock = time.perf_counter()
            plan = controller.plan(states[-1])
            seconds.append(time.perf_counter() - clock)
            iterations.append(plan.iterations)
            if callback is not None and callback(len(controls), states[-1], plan):
                break
            for k in range(min(controller.shift, steps - len(controls))):
                u = plan.control(k, states[-1], sim.model)
                outside = None if disturbance is None else disturbance(states[-1].time)
                keywords = {} if outside is None else {"wrenches": outside}
                states.append(sim.step(states[-1], u, **keywords).state)
                controls.append(u)
                bar.advance(1)
    return states, np.array(controls), Timing(np.array(seconds), np.array(iterations), controller.shift * sim.timestep)
