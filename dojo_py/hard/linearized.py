"""A, B and derivatives by parameters of a step of HardSimulator, as they are returned to users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.hard.engine import refuse_parts, usable
from dojo_py.hard.gradients.maximal import maximal_jacobian
from dojo_py.hard.report import RESIDUAL, STATUS, WORST
from dojo_py.simulate.arguments import Outside, late_controls
from dojo_py.simulate.arrivals import Arrivals
from dojo_py.simulate.history import split_by_delay
from dojo_py.simulate.readings import NOTHING
from dojo_py.simulate.results import Linearization, State
from dojo_py.simulate.status import Status

Array = np.ndarray


def linearized(
    sim: Any, start: State, control: Array, kappa: float, outside: Outside, names: tuple[str, ...], coordinates: str
) -> Linearization:
    """The Linearization of a step of `sim`, a HardSimulator, from a checked state; arguments as in its `linearize`."""
    model, engine = sim.model, sim._engine
    arrivals = Arrivals(model, sim.timestep, start, control[None])
    jacobian = sim._parameter_jacobian(names) if names else None
    rows = 12 * model.nbody if coordinates == "maximal" else 0
    wide = np.zeros((rows, rows)), np.zeros((rows, model.nu))
    then = _widener(sim, start, *wide) if coordinates == "maximal" else None
    record = engine.run(start, arrivals.acting, outside, kappa, True, False, kappa, jacobian, arrivals.first is not None, then)
    columns = {} if jacobian is None else jacobian.by_name(record.by_parameters, 1)
    report, found = record.gradients[0], {name: table[0] for name, table in columns.items()}
    end, status = engine.end(start, record), Status(int(report[STATUS]))
    A, B = wide if coordinates == "maximal" else (record.A[0], record.B[0])
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        A, B, status = np.zeros_like(A), np.zeros_like(B), Status.NOT_FINITE
    line = None
    if arrivals.first is not None:
        readings = engine.readings(arrivals, np.array([start.time]), record, outside) or NOTHING
        end = replace(end, history=readings.history_at(1))
        if late_controls(model):
            B, line = split_by_delay(model, arrivals.first, start.time, B)
    return Linearization(A, B, end, found, kappa, float(report[RESIDUAL]), float(report[WORST]), status, line)


def _widener(sim: Any, start: State, A: Array, B: Array) -> Callable[[Any, Any], None]:
    """What fills A (12 nbody, 12 nbody) and B (12 nbody, nu) between maximal states after a step."""

    def widen(workspace: Any, record: Any) -> None:
        if usable(record)[0] and not refuse_parts(record)[0]:
            A[:], B[:] = maximal_jacobian(sim.world, workspace.work, workspace.tangent, start.qvel, sim.timestep)

    return widen
