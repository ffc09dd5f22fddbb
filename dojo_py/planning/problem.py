"""Problem: simulator, costs, constraints and control limits of a trajectory optimisation, with checks of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.actuation.owners import of_muscles
from dojo_py.mechanism.actuator_sizes import BOUNDLESS
from dojo_py.planning.constraints import Constraint
from dojo_py.planning.costs import Cost, expanded
from dojo_py.planning.differences import activations, tangent_size
from dojo_py.planning.knots import Knots, stages_and_end
from dojo_py.planning.quadratic import Quadratic
from dojo_py.simulate.arguments import state_of
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.values import having, real_array, shown

Array = np.ndarray

ORDINARY = (1e-6, 1e6)
"""Curvatures of costs, in their unit, for which the numbers of `Options` in units of cost are meant as they are."""
COSTS = "costs: state_cost, control_cost, or your own, ResidualCost(residual, weight), FunctionCost(function, derivatives)"
CONSTRAINTS = "constraints: goal(model, qpos), or your own, Constraint(function)"
"""What is accepted, in errors."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise Σ_k stage(x_k, u_k, k) + terminal(x_T) over controls u (T, nu), from a given state, under constraints."""

    sim: Stepping
    stage: Sequence[Cost]
    terminal: Sequence[Cost]
    constraints: Sequence[Constraint]
    low: Array
    """(nu,) lower limits of the controls, −inf where there are none."""
    high: Array

    @property
    def model(self) -> Any:
        """The simulator's model."""
        return self.sim.model

    @property
    def n(self) -> int:
        """Size of the tangent state, 2 nv + na."""
        return tangent_size(self.model)

    def value(self, states: Sequence[State], controls: Array) -> float:
        """Sum of all costs, without constraints."""
        stages, end = stages_and_end(states, controls)
        return float(sum(_total(c, stages) for c in self.stage) + sum(_total(c, end) for c in self.terminal))

    def violations(self, states: Sequence[State], controls: Array) -> Array:
        """Violations |c| or max(0, c) of all entries of all constraints at all knots where they apply, concatenated."""
        if not self.constraints:
            return np.zeros(0)
        both = stages_and_end(states, controls)
        found = [constraint.violations_along(knots, len(controls)) for constraint in self.constraints for knots in both]
        return np.concatenate(found)

    def violation(self, states: Sequence[State], controls: Array) -> float:
        """The largest of `violations`; NaN if one is."""
        return float(self.violations(states, controls).max(initial=0.0))

    def expand(self, states: Sequence[State], controls: Array) -> list[Quadratic]:
        """Second-order models of the costs of all T + 1 knots."""
        out = [Quadratic.zero(self.n, controls.shape[1] if k < len(controls) else 0) for k in range(len(states))]
        for knots, costs in zip(stages_and_end(states, controls), (self.stage, self.terminal), strict=True):
            for cost in costs:
                for i, found in enumerate(_expansions(cost, self.model, knots)):
                    out[knots.first + i].add(found)
        return out


def _total(cost: Cost, knots: Knots) -> float:
    """Sum over several knots, vectorised if the cost has `total`."""
    if hasattr(cost, "total"):
        return float(cost.total(knots))
    return sum(cost.value(s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states))


def _expansions(cost: Cost, model: Any, knots: Knots) -> list[Quadratic]:
    """Second-order models at several knots, vectorised if the cost has `expansions`."""
    if hasattr(cost, "expansions"):
        return list(cost.expansions(model, knots))
    return [expanded(cost, model, s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states)]


def build_problem(
    sim: Stepping, stage: Any, terminal: Any, constraints: Any, control_limits: Any, controls: Any
) -> tuple[Problem, Array]:
    """The problem, and the initial controls (T, nu) clipped to the limits; all arguments are checked."""
    having("sim", sim, ("model", "step", "timestep"), "a HardSimulator or a SoftSimulator")
    model = sim.model
    if not (hasattr(model, "integrate") and hasattr(model, "difference")):
        raise ValueError("planning: the simulator's model has no integrate and difference; load it with dojo_py.load_model")
    u = real_array("controls", controls)
    if u.ndim != 2 or u.shape[1] != model.nu or len(u) < 1:
        raise ValueError(f"controls has shape {u.shape}, expected (T, {model.nu}) with T at least 1")
    if not np.all(np.isfinite(u)):
        raise ValueError("controls has entries that are not finite")
    low, high = limits_of(sim, control_limits)
    running, last = _listed("stage", stage, Cost, COSTS), _listed("terminal", terminal, Cost, COSTS)
    problem = Problem(sim, running, last, _listed("constraints", constraints, Constraint, CONSTRAINTS), low, high)
    if not (problem.stage or problem.terminal):
        raise ValueError("planning: neither stage nor terminal costs were given")
    for name, terms in (("stage", problem.stage), ("terminal", problem.terminal), ("constraints", problem.constraints)):
        for i, term in enumerate(terms):
            part: Any = getattr(term, "residual", getattr(term, "function", None))
            if hasattr(part, "check_model"):
                part.check_model(f"{name}[{i}]", model)
    for constraint in problem.constraints:
        constraint.check_knots(len(u))
    return problem, np.clip(u, low, high)


def of_model(model: Any, state: Any, name: str = "state") -> State:
    """The state itself; ValueError unless its arrays have the shapes of this model's, as in a roll-out."""
    state_of(state, name, model)
    for part, size in (("qpos", getattr(model, "nq", model.nv)), ("qvel", model.nv), ("act", activations(model))):
        given = getattr(state, part)
        if np.shape(given) != (int(size),) and not (given is None and size == 0):
            raise ValueError(f"{name}: {part} has shape {np.shape(given)}, expected ({int(size)},)")
    return state


def _listed(name: str, items: Any, kind: type, what: str) -> list[Any]:
    """None, one item or several as a list; TypeError unless all are of this kind."""
    found = [] if items is None else list(items) if isinstance(items, Sequence) and not isinstance(items, str) else [items]
    for item in found:
        if isinstance(item, type) or not isinstance(item, kind):
            raise TypeError(f"{name}={shown(items)}: {shown(item)} is a {type(item).__name__}, expected one or several {what}")
    return found


def _pair(limits: Any, nu: int) -> list[Array]:
    """Limits (low, high) as two arrays (nu,); ValueError if they are anything else."""
    sides = list(limits) if isinstance(limits, (Sequence, np.ndarray)) else []
    if len(sides) != 2:
        raise ValueError(f"control_limits={shown(limits)} is neither 'model', None nor a pair (low, high)")
    found = []
    for side in sides:
        given = real_array("control_limits", side)
        if given.shape not in ((), (1,), (nu,)) or np.isnan(given).any():
            raise ValueError(f"control_limits={shown(limits)}: each side must be a number or ({nu},) numbers, infinite where free")
        found.append(np.broadcast_to(given, (nu,)).copy())
    return found


def unit_of_costs(problem: Problem, states: Sequence[State], controls: Array) -> float:
    """1, or the largest curvature of the costs along a path if that is beyond ORDINARY: what penalties and μ are multiples of."""
    models = problem.expand(states, controls)
    curvature = max(float(np.abs(part.diagonal()).max(initial=0.0)) for q in models for part in (q.xx, q.uu))
    low, high = ORDINARY
    return 1.0 if curvature == 0.0 or low <= curvature <= high or not np.isfinite(curvature) else curvature


def limits_of(sim: Any, limits: Any) -> tuple[Array, Array]:
    """low, high (nu,) from "model" (the ranges of limited controls, as `with_parameters` gave them, and [0, 1] of muscles), None
    (no limits), or a pair of numbers or of (nu,).
    """
    model = sim.model
    low, high = np.full(model.nu, -np.inf), np.full(model.nu, np.inf)
    if isinstance(limits, str):
        if limits != "model":
            raise ValueError(f"control_limits={limits!r} is neither 'model', None nor a pair (low, high)")
        limited = np.asarray(getattr(model, "actuator_ctrllimited", np.zeros(model.nu)), bool)
        if limited.any():
            low[limited], high[limited] = _control_ranges(sim)[limited].T
            low[low <= -BOUNDLESS], high[high >= BOUNDLESS] = -np.inf, np.inf
        low, high = _within_muscles(model, low, high)
    elif limits is not None:
        low, high = _pair(limits, int(model.nu))
    if not np.all(low <= high):
        raise ValueError("control_limits: a lower limit exceeds its upper limit")
    return low, high


def _within_muscles(model: Any, low: Array, high: Array) -> tuple[Array, Array]:
    """The limits, those of muscles moved into [0, 1], where their law would move each control: beyond it none has an effect."""
    muscles = of_muscles(model) if hasattr(model, "actuator_dyntype") else np.zeros(len(low), bool)
    return np.where(muscles, np.clip(low, 0.0, 1.0), low), np.where(muscles, np.clip(high, 0.0, 1.0), high)


def _control_ranges(sim: Any) -> Array:
    """(nu, 2) ranges of controls: the model's, and where the simulator clamps controls to others, these."""
    ranges = np.array(sim.model.actuator_ctrlrange, float).reshape(-1, 2)
    actuators = getattr(getattr(sim, "world", None), "actuators", None)
    if actuators is None:
        return ranges
    own = np.asarray(actuators.control_range, float)
    return np.where(np.isfinite(own), own, ranges)
