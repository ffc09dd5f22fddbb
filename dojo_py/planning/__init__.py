"""Trajectory optimisation and model-predictive control: iLQR through contact, sampling planners. For both simulators."""

from dojo_py.planning.constraints import Constraint, goal
from dojo_py.planning.costs import FunctionCost, ResidualCost
from dojo_py.planning.log import Iteration
from dojo_py.planning.options import Options
from dojo_py.planning.plan import Plan, load_plan
from dojo_py.planning.quadratic import Quadratic
from dojo_py.planning.receding_horizon import Controller, Run, Timing, mpc
from dojo_py.planning.residuals import ControlEffort, StateDistance, control_cost, state_cost
from dojo_py.planning.sampling_options import SamplingOptions
from dojo_py.planning.sampling_planners import cem, mppi, predictive_sampling
from dojo_py.planning.solver import ilqr
from dojo_py.planning.status import PlanStatus

__all__ = [
    "Constraint",
    "ControlEffort",
    "Controller",
    "FunctionCost",
    "Iteration",
    "Options",
    "Plan",
    "PlanStatus",
    "Quadratic",
    "ResidualCost",
    "Run",
    "SamplingOptions",
    "StateDistance",
    "Timing",
    "cem",
    "control_cost",
    "goal",
    "ilqr",
    "load_plan",
    "mpc",
    "mppi",
    "predictive_sampling",
    "state_cost",
]
