"""Iterative LQR with augmented Lagrangian: the outer and inner loops; their parts are in the imported files.

Sources: iLQR (Li and Todorov 2004; Tassa, Erez, Todorov 2012), control limits (Tassa, Mansard, Todorov 2014), augmented Lagrangian
(Howell, Jackson, Manchester 2019, ALTRO), gaps of an infeasible start (Mastalli 2020, FDDP), gradients at κ (Dojo, section V-B).
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.planning.augmented_lagrangian import AugmentedLagrangian
from dojo_py.planning.backward import AffinePolicy, backward_pass
from dojo_py.planning.derivative_check import check_costs, check_derivatives
from dojo_py.planning.descent import After, Descent
from dojo_py.planning.differences import difference
from dojo_py.planning.end_of_plan import end_of
from dojo_py.planning.hard_motion import HardMotion, open_loop, states_of, usable
from dojo_py.planning.line_search import Accepted, line_search
from dojo_py.planning.log import Iteration, noted
from dojo_py.planning.look_around import look_around
from dojo_py.planning.options import Options
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import Problem, build_problem, of_model, unit_of_costs
from dojo_py.planning.quadratic import Quadratic
from dojo_py.planning.regularisation import Regularisation
from dojo_py.planning.shooting import Path, failure, follow, linearise, roll, with_open_ends
from dojo_py.planning.smooth_to_hard import PATIENCE, STARTS, ladder_of, refine_start, smooth_to_hard
from dojo_py.planning.status import PlanStatus
from dojo_py.progress import Progress
from dojo_py.simulate.arguments import late_controls, options_of, state_of
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.status import Status
from dojo_py.simulate.values import function_of, shown

Array = np.ndarray
SAME = 1e-9
"""Difference of two states that says nothing: round-off of a guess by interpolation."""
SHRUNK = 0.25
"""The penalty stays the same if the violation has shrunk to at most this fraction of that at the last multiplier update."""
LEAST_SHARE = 1e-3
"""Relative tolerances refer to at least this fraction of the largest merit at which a descent began, as the cost may approach 0."""
PROMISED = 0.1
"""A short step that finds little is no convergence while the model of a full step without μ promises this fraction of the merit:
there the model is wrong, at a kink or a jump of cost or motion. (Of 1213 convergences in the tests five promised more.)"""
Callback = Callable[[Iteration, Path], Any]
"""Called after every iteration; a true return value stops the planner."""


def ilqr(
    sim: Stepping,
    state: State,
    controls: Array,
    *,
    stage: Any = None,
    terminal: Any = None,
    constraints: Any = (),
    control_limits: Any = "model",
    states: Sequence[State] | None = None,
    paths: Sequence[Path] = (),
    options: Options | None = None,
    callback: Callback | None = None,
    progress: bool | None = False,
) -> Plan:
    """Controls that minimise Σ stage + terminal from `state`; initial guess `controls` (T, nu).

    stage, terminal: one cost or several (`ResidualCost`, `FunctionCost`, `state_cost`, `control_cost`). constraints: `Constraint`,
    `goal`. control_limits: "model" (the actuators' ranges), None, or (low, high). states: a guess of all T + 1 states, the
    first one `state`, which need not satisfy the dynamics (infeasible start). paths: roll-outs from `state`; if there are any, the
    cheapest is the initial guess.
    callback(record, path): after every iteration; true stops. progress: a bar on standard error, True without a terminal too, None
    never. The result is a function of the arguments alone.
    """
    options = options_of(Options, options)
    state_of(state)
    if callback is not None:
        function_of("callback", callback, ("record", "path"))
    problem, u = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    if late := late_controls(problem.model):
        raise ValueError(
            f"ilqr: controls {late} of this model come late (`delay`), and those on their way are no part of the states that it "
            "plans with; predictive_sampling, cem and mppi take such models"
        )
    if states is not None and (isinstance(states, str) or not isinstance(states, Sequence)):
        raise TypeError(f"states={shown(states)} is a {type(states).__name__}, expected a list of {len(u) + 1} states")
    of_model(problem.model, state)
    for i, guess in enumerate(states or ()):
        of_model(problem.model, guess, f"states[{i}]")
    if states is not None and len(states) != len(u) + 1:
        raise ValueError(f"states: a guess of {len(states)} states for {len(u)} steps, expected {len(u) + 1}")
    if states is not None and not (away := np.abs(difference(problem.model, states[0], state)).max(initial=0.0)) <= SAME:
        raise ValueError(f"states[0] is not the state that the plan is to start from: they differ by {away:.3g}")
    _check_paths(paths, state, len(u), states is not None)
    total = min(options.max_total_iterations, options.max_iterations * (options.max_updates + 1))
    _check_width(sim, options)
    options = options.of_mode(sim)
    with Progress(total, "planning", force=progress) as bar, np.errstate(over="ignore", invalid="ignore"):
        # (overflow gives values that are not finite, which the code checks for)
        return Planner(problem, options, callback, bar.advance).run(state, u, states, paths)


def _check_paths(paths: Any, state: State, steps: int, beside_states: bool) -> None:
    """TypeError or ValueError unless these are roll-outs of so many steps from the state."""
    if isinstance(paths, (str, Path)) or not isinstance(paths, Sequence) or not all(isinstance(path, Path) for path in paths):
        raise TypeError(f"paths={shown(paths)}, expected a list of planning.Path")
    if paths and (beside_states or any(len(path.controls) != steps for path in paths)):
        raise ValueError(f"paths: motions of {steps} steps are expected, and no states beside them")
    for i, path in enumerate(paths):
        begins = path.states[0]
        if not all(np.array_equal(getattr(begins, name), getattr(state, name)) for name in ("qpos", "qvel", "act")):
            raise ValueError(f"paths[{i}] does not begin in the state that the plan is to start from")


def _check_width(sim: Stepping, options: Options) -> None:
    """ValueError if `difference_width` is given and the simulator's derivatives are not finite differences."""
    if options.difference_width is not None and hasattr(sim, "linearize"):
        if getattr(sim, "mode", "") == "hard" or "epsilon" not in inspect.signature(sim.linearize).parameters:
            raise ValueError(
                f"Options: difference_width={options.difference_width:g}: this simulator's derivatives are exact, not differences"
            )


class Planner:
    """State of the solver: path, multipliers, regularisation, log; and its loops."""

    def __init__(self, problem: Problem, options: Options, callback: Callback | None, tick: Callable[[int, str], None]):
        self.problem, self.options, self.callback, self.tick = problem, options, callback, tick
        self.limits = problem.low, problem.high
        self.differentiated = with_open_ends(problem.sim, self.limits)
        self.log: list[Iteration] = []
        self.policy: AffinePolicy | None = None
        self.first_merit = 0.0
        self.update, self.last_violation = 0, np.inf
        self.kept: HardMotion | None = None
        self.explore, self.cautious_step = False, options.cautious_step
        self.regularisation = Regularisation(
            options.regularisation, options.smallest_regularisation, options.largest_regularisation
        )

    def run(self, start: State, controls: Array, guess: Sequence[State] | None, paths: Sequence[Path]) -> Plan:
        """Initial roll-out, checks, descent, and evaluation in the hard motion."""
        options, ladder = self.options, ladder_of(self.problem.sim, self.options)
        self.motion = options.motion_kappa(ladder[0] if ladder else options.kappas[0])
        clock = time.perf_counter()
        self.lagrangian = AugmentedLagrangian(self.problem.constraints, len(controls), options.penalty)
        if paths:
            first = self.cheapest(paths)
        else:
            tried = [share * ladder[0] for share in STARTS] if ladder else []
            rolls = (roll(self.problem.sim, start, controls, kappa, guess) for kappa in (self.motion, *tried))
            first = next((path for path in rolls if path is not None), None)
            if first is None and options.kappa == "auto" and self.motion is not None:
                first = roll(self.problem.sim, start, controls, None, guess)
                if first is not None:  # the relaxed motion fails at every κ: gradients at κ along the hard motion
                    self.options = options = replace(options, rollout_kappa=None)
                    self.motion, ladder = None, None
        self.seconds = {"simulate": time.perf_counter() - clock, "backward": 0.0, "search": 0.0}
        if first is None:
            return self._bad_start(start, controls, guess)
        check_costs(self.problem, first)
        self._take_unit(unit_of_costs(self.problem, first.states, first.controls))
        if options.check_derivatives:
            check_derivatives(self.problem, first)
        self.path = first
        begun = open_loop(self.problem, start, first.controls)
        if ladder:
            status = smooth_to_hard(self, ladder, begun)
        else:
            status = self.descend_all(options.kappas)
            if options.kappa == "auto" and options.rollout_kappa == "gradient" and self.lowered():
                status = refine_start(self, begun, first.controls, status)
        kappas = ladder[1:] if ladder else self.options.kappas
        return look_around(self, end_of(self, begun, status), begun, kappas)

    def _bad_start(self, start: State, controls: Array, guess: Sequence[State] | None) -> Plan:
        """The plan of controls whose first roll-out fails, with their hard motion, which may not."""
        hard, none = open_loop(self.problem, start, controls), np.zeros((len(controls), self.problem.n))
        held = hard.trajectory
        fine = held is not None and usable(held)
        states = states_of(held) if held is not None and fine else [start] * (len(controls) + 1)
        failed, step_status = failure(self.problem.sim, start, controls, self.motion, guess)
        what = f"the first roll-out{'' if self.motion is None else f' at kappa={self.motion:g}'} fails: {failed}"
        if self.motion is not None and fine:
            what += "; the hard motion of these controls does not: use rollout_kappa=None, or "
            if step_status is Status.TOO_FAST:
                what += "a shorter timestep"
            else:
                what += "a smaller kappa" + ("" if self.options.kappa == "auto" else ", or kappa='auto'")
        elif self.motion is not None:
            what += "; the hard motion of these controls fails, too: start from other controls"
        return self.plan_of(Path(states, controls, none), PlanStatus.BAD_START, hard, what)

    def _take_unit(self, unit: float) -> None:
        """Take penalties, μ and its bounds as multiples of this unit of cost."""
        self.options = self.options.in_unit(unit)
        self.lagrangian.penalty = self.options.penalty
        self.regularisation.value = self.options.regularisation
        self.regularisation.smallest = self.options.smallest_regularisation
        self.regularisation.largest = self.options.largest_regularisation

    def descend_all(self, kappas: Sequence[float | None]) -> PlanStatus:
        """Outer loop of multiplier updates: every κ in turn, the last until no constraint is violated, then the hard motion."""
        options, update = self.options, 0
        hardened = self.motion is None or not options.harden
        while True:
            kappa, last = kappas[min(update, len(kappas) - 1)], update >= len(kappas) - 1
            status = self.descend(kappa, options.max_iterations, 1)
            if status is PlanStatus.STOPPED or len(self.log) >= options.max_total_iterations:
                break
            if last and (not self.lagrangian or self.violation() <= options.constraint_tolerance) and self.path.gap == 0.0:
                if hardened or not self._simulate_anew(None):
                    break
                hardened = True
                continue
            if last and (not self.lagrangian or update >= options.max_updates):
                status = PlanStatus.MAX_UPDATES if self.lagrangian else status
                break
            self.lagrangian.update(self.path.states, self.path.controls, options.penalty_growth, options.largest_penalty)
            update += 1
            self.update += 1
            if not hardened:
                self._simulate_anew(options.motion_kappa(kappas[min(update, len(kappas) - 1)]))
        return status

    def lowered(self) -> bool:
        """Whether a step of any descent so far lowered the merit by more than says nothing."""
        return any(record.decrease > self.small(record.merit) for record in self.log)

    def descend(self, kappa: float | None, iterations: int, patience: int = PATIENCE) -> PlanStatus:
        """Inner loop at fixed multipliers: linearise, backward pass, line search, until convergence (descent.py).

        patience: so many steps in a row that find little, the last one without regularisation, are convergence.
        """
        objective, model = self.objective(self.path), None
        self.first_merit = max(self.first_merit, abs(objective))
        descent = Descent(self, patience)
        for _ in range(iterations):
            if len(self.log) >= self.options.max_total_iterations:
                break
            model = model or self._model(kappa)
            policy = self._backward(*model)
            if policy is None:
                return PlanStatus.STALLED
            accepted = self._search(policy, objective)
            after = descent.after(policy, accepted, objective)
            if after is After.AGAIN:
                continue
            if accepted is not None:
                self.path, objective, model = accepted.path, accepted.objective, None
            if self._record(kappa, policy, accepted, objective):
                return PlanStatus.STOPPED
            if after is After.CONVERGED:
                return PlanStatus.SOLVED
            if after is After.STALLED or (accepted is None and not self.regularisation.grow()):
                return PlanStatus.STALLED
        return PlanStatus.MAX_ITERATIONS

    @property
    def gains(self) -> Array | None:
        """(T, nu, 2 nv + na) of the last backward pass."""
        return None if self.policy is None else self.policy.gains

    def restart(self, path: Path | None, motion: float | None) -> bool:
        """Start again from a path simulated at κ = motion, with initial multipliers, penalty and μ. False if there is no path."""
        if path is None:
            return False
        self.path, self.motion, self.policy = path, motion, None
        self.lagrangian = AugmentedLagrangian(self.problem.constraints, len(path.controls), self.options.penalty)
        self.last_violation, self.first_merit = np.inf, 0.0
        self.regularisation.value, self.regularisation.rate = self.options.regularisation, 1.0
        return True

    def hold_back(self, share: float, kappa: float | None) -> None:
        """Set μ to `share` times the mean diagonal of Q_uu at this κ of the gradients."""
        policy = self._backward(*self._model(kappa))
        if policy is not None:
            self.regularisation.value = share * max(0.0, policy.control_curvature)

    def update_multipliers(self) -> None:
        """Multiplier update if a constraint is violated; the penalty grows unless the violation has shrunk enough."""
        violation, options = self.violation(), self.options
        if not self.lagrangian or violation <= options.constraint_tolerance:
            return
        growth = options.penalty_growth if violation > SHRUNK * self.last_violation else 1.0
        self.lagrangian.update(self.path.states, self.path.controls, growth, options.largest_penalty)
        self.last_violation = violation
        self.update += 1

    def small(self, objective: float) -> float:
        """Decrease of the merit below which an iteration counts as without improvement."""
        return self.options.cost_tolerance * max(abs(objective), LEAST_SHARE * self.first_merit) + self.options.absolute_tolerance

    def promises(self, policy: AffinePolicy, objective: float) -> bool:
        """Whether the model promises a decrease by PROMISED of the merit, at least of a hundredth of the merit at the beginning."""
        return -(policy.slope + 0.5 * policy.curvature) > PROMISED * max(abs(objective), 0.01 * self.first_merit)

    def _model(self, kappa: float | None) -> tuple[Array, Array, list[Quadratic]]:
        """A, B and the second-order models of costs and augmented Lagrangian along the path."""
        clock, path = time.perf_counter(), self.path
        A, B = linearise(self.differentiated, path, kappa, self.options.threads, self.options.difference_width, self.motion)
        self.seconds["simulate"] += time.perf_counter() - clock
        clock = time.perf_counter()
        expansions = self.problem.expand(path.states, path.controls)
        for k, constraints in enumerate(self.lagrangian.knots):
            if constraints:
                control = path.controls[k] if k < len(path.controls) else None
                expansions[k].add(self.lagrangian.expand(self.problem.model, path.states[k], control, k))
        self.seconds["backward"] += time.perf_counter() - clock
        return A, B, expansions

    def _backward(self, A: Array, B: Array, expansions: list[Quadratic]) -> AffinePolicy | None:
        """The policy; μ grows until every Q_uu is positive definite. None if it exceeds its upper bound."""
        clock = time.perf_counter()
        low, high = self.limits[0] - self.path.controls, self.limits[1] - self.path.controls
        on_state = self.options.regularise == "state"
        while True:
            policy = backward_pass(A, B, self.path.gaps, expansions, low, high, self.regularisation.value, on_state)
            if policy is not None or not self.regularisation.grow():
                break
        self.seconds["backward"] += time.perf_counter() - clock
        self.policy = policy or self.policy
        return policy

    def _search(self, policy: AffinePolicy, objective: float) -> Accepted | None:
        """Line search along the policy."""
        clock, old, motion = time.perf_counter(), self.path, self.motion

        def along(alpha: float) -> Path | None:
            return follow(self.problem.sim, old, policy.feedforward, policy.gains, alpha, self.limits, motion)

        accepted = line_search(policy, old, objective, along, self.objective, self.options, self.explore)
        self.seconds["search"] += time.perf_counter() - clock
        return accepted

    def _simulate_anew(self, motion: float | None) -> bool:
        """Roll the plan out with feedback at another κ = motion (None: hard limit). Returns whether the path changed."""
        if motion == self.motion or self.policy is None:
            return False
        clock = time.perf_counter()
        none = np.zeros_like(self.path.controls)
        moved = follow(self.problem.sim, self.path, none, self.policy.gains, 0.0, self.limits, motion)
        self.seconds["simulate"] += time.perf_counter() - clock
        self.motion = motion
        if moved is None or all(np.array_equal(a.qvel, b.qvel) for a, b in zip(moved.states, self.path.states, strict=True)):
            return False
        self.path = moved
        return True

    def objective(self, path: Path) -> float:
        """Augmented Lagrangian: cost plus constraint terms."""
        total, T = self.problem.value(path.states, path.controls), len(path.controls)
        for k, state in enumerate(path.states):
            if self.lagrangian.knots[k]:
                total += self.lagrangian.value(state, path.controls[k] if k < T else None, k)
        return total

    def cheapest(self, paths: Iterable[Path]) -> Path | None:
        """The path of the smallest objective, the first of equal ones; what is not finite counts as infinite. None of none."""
        rated = [(self.objective(path), path) for path in paths]
        return min(rated, key=lambda pair: pair[0] if np.isfinite(pair[0]) else np.inf)[1] if rated else None

    def violation(self) -> float:
        """Largest violation along the path; NaN if one is."""
        return self.problem.violation(self.path.states, self.path.controls)

    def gradient(self, policy: AffinePolicy) -> float:
        """Largest entry of the feedforward step, relative to 1 + |u|."""
        return float(np.max(np.abs(policy.feedforward) / (1.0 + np.abs(self.path.controls)), initial=0.0))

    def _record(self, kappa: float | None, policy: AffinePolicy, accepted: Accepted | None, objective: float) -> bool:
        """Log the iteration. Returns whether the callback asks to stop."""
        path = self.path
        self.log.append(
            Iteration(
                iteration=len(self.log) + 1, update=self.update, kappa=kappa or 0.0, penalty=self.lagrangian.penalty,
                cost=self.problem.value(path.states, path.controls), merit=objective, violation=self.violation(), gap=path.gap,
                gradient=self.gradient(policy), step=accepted.alpha if accepted else 0.0,
                trials=accepted.trials if accepted else 0, decrease=accepted.decrease if accepted else 0.0,
                regularisation=self.regularisation.value, unsolved=path.unsolved,
                **{f"seconds_{name}": spent for name, spent in self.seconds.items()},
            )
        )  # fmt: skip
        self.seconds = dict.fromkeys(self.seconds, 0.0)
        self.tick(1, noted(self.log[-1]))
        return bool(self.callback is not None and self.callback(self.log[-1], path))

    def plan_of(self, path: Path, status: PlanStatus, hard: HardMotion, message: str = "") -> Plan:
        """The plan along a path, with its hard motion."""
        problem, none = self.problem, np.zeros_like(path.controls)
        policy = self.policy or AffinePolicy(none, np.zeros((*none.shape, problem.n)), 0.0, 0.0)
        if self.log and any(self.seconds.values()):  # time spent after the last record
            extra = {f"seconds_{n}": getattr(self.log[-1], f"seconds_{n}") + spent for n, spent in self.seconds.items()}
            self.log[-1] = replace(self.log[-1], **extra)
        cost, violation = problem.value(path.states, path.controls), problem.violation(path.states, path.controls)
        return Plan(
            path.controls, path.states, policy.gains, policy.feedforward, cost, violation, path.gap, status, self.log,
            problem.sim.timestep, hard.cost, hard.violation, hard.trajectory, hard.feedback, message,
        )  # fmt: skip
