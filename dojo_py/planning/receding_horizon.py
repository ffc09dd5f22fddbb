"""Model-predictive control over a receding horizon: plan, apply the first controls, shift the plan, plan again from the new state.

Warm start (Tassa, Erez, Todorov 2012, section III): the controls of the last plan are shifted by the steps applied and rolled out
from the new state, with its feedback gains and without; the cheaper roll-out is the initial guess. The gains are valid only near
the last plan: after a push, or a touchdown one step early, they can be far worse than no feedback. The controls of the new steps at
the end of the horizon repeat the last one, or come from `tail`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dojo_py.planning.differences import activations
from dojo_py.planning.options import DEFAULT_KAPPA, Options
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import limits_of, of_model
from dojo_py.planning.shooting import Path, follow
from dojo_py.planning.solver import ilqr
from dojo_py.progress import Progress
from dojo_py.simulate.arguments import state_of
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.values import count, function_of, having, real_array, shown, vector

Array = np.ndarray
Objective = Callable[[State], dict[str, Any]]
"""State at which the horizon starts (its time included) -> keywords of `ilqr`: stage, terminal, constraints, control_limits."""

KEYWORDS = ("stage", "terminal", "constraints", "control_limits")
"""Keywords of `ilqr` that an objective may return."""

QUICK = Options(kappa=DEFAULT_KAPPA, max_iterations=3, max_updates=1, harden=False)
"""Default options: few iterations per plan, as the state moves on before a plan converges. One is too few where contacts stick."""


@dataclass(frozen=True, eq=False)
class Timing:
    """Wall time of the plans of a run."""

    seconds: Array
    """(plans,) wall time of each plan [s]."""
    iterations: Array
    """(plans,)"""
    interval: float
    """Simulated time between two plans [s]."""

    @property
    def rate(self) -> float:
        """Plans per second of wall time [Hz], by the median of all but the first plan, which has no warm start; NaN of none."""
        if not len(self.seconds):
            return float("nan")
        return float(1.0 / np.median(self.seconds[1:] if len(self.seconds) > 1 else self.seconds))

    @property
    def real_time(self) -> float:
        """Simulated time between two plans over the median wall time of a plan; at 1 or more planning runs in real time."""
        return self.rate * self.interval

    def __str__(self) -> str:
        ms = 1e3 * np.asarray(self.seconds)
        if not len(ms):
            return "0 plans"
        return (
            f"{len(ms)} plans, {self.rate:.1f} plans/s, {self.real_time:.2f} x real time; a plan takes median "
            f"{np.median(ms):.1f} ms, 95 % {np.percentile(ms, 95):.1f} ms, longest {ms.max():.1f} ms, "
            f"{np.mean(self.iterations):.1f} iterations"
        )


@dataclass
class Controller:
    """Receding-horizon planner: each call of `plan` is warm-started by the plan before."""

    sim: Stepping
    objective: Objective
    controls: Array
    """(T, nu) initial controls of the first plan; T is the horizon."""
    options: Options = QUICK
    """Options of the plans. kappa="auto" is replaced by DEFAULT_KAPPA: to search over κ, or to look around, takes too long."""
    first_options: Options | None = None
    """Options of the first plan, which has no warm start; by default those of the others."""
    shift: int = 1
    """Number of steps of the planner between two plans."""
    tail: Callable[[float], Array] | None = None
    """Time [s] -> (nu,) initial control of a new step at the end of the horizon; by default the last control of the plan."""
    last: Plan | None = field(default=None, init=False)
    """The latest plan; None: the next one has no warm start (`reset`)."""
    reached: State | None = field(default=None, init=False, repr=False, compare=False)
    """Where the latest run of `mpc` ended: a run that begins there goes on from its plan."""
    limits: tuple[Array, Array] = field(init=False, repr=False, compare=False)
    """Lower and upper control limits (nu,) of the latest plan."""

    def __post_init__(self) -> None:
        having("Controller: sim", self.sim, ("model", "step", "timestep"), "a HardSimulator or a SoftSimulator")
        function_of("Controller: objective", self.objective, ("state",))
        self.controls = real_array("Controller: controls", self.controls)
        nu = int(self.sim.model.nu)
        if self.controls.ndim != 2 or self.controls.shape[1] != nu:
            raise ValueError(f"Controller: controls has shape {self.controls.shape}, expected (T, {nu})")
        count("Controller: shift", self.shift, least=-(2**31))
        for name in ("options", "first_options"):
            if not isinstance(getattr(self, name), Options) and not (name == "first_options" and self.first_options is None):
                raise TypeError(f"Controller: {name}={shown(getattr(self, name))}, expected planning.Options")
        if self.tail is not None:
            function_of("Controller: tail", self.tail, ("time",))
        if not 1 <= self.shift < len(self.controls):
            raise ValueError(f"Controller: shift={self.shift!r} must be at least 1 and less than the horizon, {len(self.controls)}")

    def reset(self) -> None:
        """Forget the latest plan: the next state does not follow from it."""
        self.last = self.reached = None

    def plan(self, state: State) -> Plan:
        """Plan from this state, warm-started by the last plan."""
        problem = self.objective(of_model(self.sim.model, state))
        if not isinstance(problem, Mapping):
            raise TypeError(f"Controller: objective returned a {type(problem).__name__}, expected a dict of keywords of ilqr")
        unknown = [name for name in problem if name not in KEYWORDS]
        if unknown:
            raise ValueError(f"Controller: objective returned {unknown[0]!r}, expected some of {list(KEYWORDS)}")
        fixed = DEFAULT_KAPPA if self.options.kappa == "auto" else self.options.kappa
        quick = replace(self.options, kappa=fixed, look_around=0)
        self.limits = limits_of(self.sim, problem.get("control_limits", "model"))
        if self.last is None:
            self.last = ilqr(self.sim, state, self.controls, options=self.first_options or quick, progress=None, **problem)
        else:
            controls, paths = self._starts(self.last, state)
            known = replace(quick, check_derivatives=False)  # the first plan checked them
            self.last = ilqr(self.sim, state, controls, paths=paths, options=known, progress=None, **problem)
        return self.last

    def _tail(self, time: float) -> Array:
        """(nu,) `tail` at a time [s], checked."""
        assert self.tail is not None
        return vector("Controller: tail", self.tail(time), (int(self.sim.model.nu),))

    def _starts(self, plan: Plan, state: State) -> tuple[Array, list[Path]]:
        """Shifted controls (T, nu) of the last plan, and their roll-outs from this state, with its gains and without."""
        s, T = self.shift, len(plan.controls)
        times = state.time + self.sim.timestep * np.arange(T - s, T)
        controls = np.vstack([plan.controls[s:], *(plan.controls[-1] if self.tail is None else self._tail(t) for t in times)])
        gains = np.concatenate([plan.gains[s:], np.zeros_like(plan.gains[:s])])
        old = Path([*plan.states[s:], *plan.states[-1:] * s], controls, np.zeros(gains.shape[::2]))
        options = self.options.of_mode(self.sim)
        none, motion = np.zeros_like(controls), options.motion_kappa(options.kappas[0])
        paths = [follow(self.sim, old, none, K, 0.0, self.limits, motion, start=state) for K in (gains, np.zeros_like(gains))]
        return controls, [path for path in paths if path is not None]


@dataclass(frozen=True, eq=False)
class Run:
    """What `mpc` returns."""

    states: list[State]
    """T + 1"""
    controls: Array
    """(T, nu)"""
    timing: Timing
    unsolved: int
    """Number of steps that missed the simulator's tolerances."""

    @property
    def qpos(self) -> Array:
        """(T + 1, nq)"""
        return np.array([s.qpos for s in self.states])

    @property
    def qvel(self) -> Array:
        """(T + 1, nv)"""
        return np.array([s.qvel for s in self.states])


def mpc(
    sim: Stepping,
    state: State,
    controller: Controller,
    steps: int,
    disturbance: Callable[[float], Array | None] | None = None,
    callback: Callable[[int, State, Plan], Any] | None = None,
    progress: bool = False,
) -> Run:
    """Control `sim` for `steps` of its steps, with a new plan every `controller.shift` steps of the planner.

    The first plan has no warm start unless the run goes on where the controller's last one ended. The simulator may differ from the
    controller's in mode, model or time step. The planner's time step must be a multiple of the simulator's, and the plan's feedback
    is evaluated at every step of the simulator. disturbance(time) -> wrenches (nbody, 6) as in `HardSimulator.step`, unknown to the
    controller, or None. callback(step, state, plan): after every plan; true stops.
    """
    having("controller", controller, ("plan", "sim", "shift"), "a Controller")
    having("sim", sim, ("model", "step", "timestep"), "a HardSimulator or a SoftSimulator")
    state_of(state)
    steps = count("steps", steps, least=0)
    if disturbance is not None:
        function_of("disturbance", disturbance, ("time",))
    if callback is not None:
        function_of("callback", callback, ("step", "state", "plan"))
    sizes, planned = ([getattr(m, "nq", m.nv), m.nv, m.nu, activations(m)] for m in (sim.model, controller.sim.model))
    if sizes != planned:
        raise ValueError(f"mpc: the simulator's model has nq, nv, nu, na = {sizes}, the controller's {planned}")
    ratio = round(controller.sim.timestep / sim.timestep)
    if ratio < 1 or abs(ratio * sim.timestep - controller.sim.timestep) > 1e-9:
        raise ValueError(f"mpc: the planner's timestep {controller.sim.timestep:g} s is no multiple of {sim.timestep:g} s")
    if state is not controller.reached:
        controller.reset()
    states, unsolved = [state], 0
    controls: list[Array] = []
    seconds: list[float] = []
    iterations: list[int] = []
    with Progress(steps, "controlling", force=progress) as bar:
        while len(controls) < steps:
            clock = time.perf_counter()
            plan = controller.plan(states[-1])
            seconds.append(time.perf_counter() - clock)
            iterations.append(plan.iterations)
            if callback is not None and callback(len(controls), states[-1], plan):
                break
            for j in range(min(controller.shift * ratio, steps - len(controls))):
                k, part = divmod(j, ratio)
                u = np.clip(plan.control(k, states[-1], sim.model, part / ratio), *controller.limits)
                outside = None if disturbance is None else disturbance(states[-1].time)
                more: dict[str, Any] = {} if outside is None else {"wrenches": outside}
                step = sim.step(states[-1], u, **more)
                unsolved += int(step.status != 0)
                states.append(step.state)
                controls.append(u)
                bar.advance(1, f"{iterations[-1]} iterations, {seconds[-1]:.2f} s a plan")
    controller.reached = states[-1]
    timing = Timing(np.array(seconds), np.array(iterations), controller.shift * controller.sim.timestep)
    return Run(states, np.array(controls).reshape(-1, sim.model.nu), timing, unsolved)
