"""Planning: iterative LQR through contact, and model-predictive control on top of it. Works with either simulator."""

from dojo_py.planning.constraints import Constraint, goal
from dojo_py.planning.costs import FunctionCost, ResidualCost
from dojo_py.planning.log import Iteration
from dojo_py.planning.options import Options
from dojo_py.planning.plan import Plan, load_plan
from dojo_py.planning.quadratic import Quadratic
from dojo_py.planning.receding_horizon import Controller, Run, Timing, mpc
from dojo_py.planning.residuals import ControlEffort, StateDistance, control_cost, state_cost
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
    "StateDistance",
    "Timing",
    "control_cost",
    "goal",
    "ilqr",
    "load_plan",
    "mpc",
    "state_cost",
]
