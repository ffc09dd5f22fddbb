"""`HardSimulator.rollout_vjp` of steps that are solved again, from the last to the first, or with derivatives by parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.report import STATUS
from dojo_py.simulate.arguments import Outside, controls_of, late_controls
from dojo_py.simulate.arrivals import Arrivals
from dojo_py.simulate.history import sent
from dojo_py.simulate.reverse import ParameterGradient, RolloutGradient, check_same_states, recorded_gradient
from dojo_py.simulate.trajectory import Trajectory

Array = np.ndarray


def gradient_by_controls(
    sim: Any, trajectory: Trajectory, given: Array, outside: Outside, simulated: float, kappa: float
) -> RolloutGradient:
    """By one transposed solve a step, without A and B. given (T + 1, n): cotangents of the states.

    simulated: κ of the steps, 0 in the hard limit; kappa: of their derivatives [N m s].
    """
    again = trajectory
    if not sim._engine.owns(trajectory.state(0).exact):
        start = sim._checked(trajectory.state(0))
        again = sim._trajectory(start, controls_of(sim.model, trajectory.control), outside, simulated, False, None, ())
    arrivals, before = _arrivals_of(sim, trajectory)
    record = sim._engine.pull_back(again, arrivals.acting, outside, simulated, kappa, given)
    check_same_states(record, trajectory)
    by_control = _by_what_was_sent(sim, before, record.by_control)
    return RolloutGradient(record.cotangents[0], by_control, record.gradients[:, STATUS].astype(np.int64))


def gradient_by_parameters(
    sim: Any, trajectory: Trajectory, given: Array, names: tuple[str, ...], outside: Outside, simulated: float, kappa: float
) -> RolloutGradient | ParameterGradient:
    """On A, B and derivatives by parameters of the steps; arguments as above, and names of parameters."""
    late = late_controls(sim.model)
    if late and "timestep" in names:
        raise ValueError(
            f"parameters: 'timestep' moves the samples of controls that come late (`delay`), here {late}; its derivative "
            "through these is not known, those by all other parameters are"
        )
    start = sim._checked(trajectory.state(0))
    run = sim._trajectory(start, controls_of(sim.model, trajectory.control), outside, simulated, False, kappa, names)
    check_same_states(run, trajectory)
    found = recorded_gradient(run, given, names)
    _, before = _arrivals_of(sim, trajectory)
    return found._replace(control=_by_what_was_sent(sim, before, found.control))


def _arrivals_of(sim: Any, trajectory: Trajectory) -> tuple[Arrivals, Any]:
    """When the trajectory's controls arrived, and what `Arrivals.complete` says of it: None where none come late."""
    arrivals = Arrivals(sim.model, sim.timestep, trajectory.state(0), trajectory.control)
    return arrivals, arrivals.complete(np.diff(trajectory.time) > 0.0)


def _by_what_was_sent(sim: Any, before: Any, by_acting: Array) -> Array:
    """(T, nu) gradient by the controls that were sent, from that by those that acted. before: of `_arrivals_of`."""
    return by_acting if before is None else sent(sim.model, before.history[0], before.time, before.moved, by_acting)
