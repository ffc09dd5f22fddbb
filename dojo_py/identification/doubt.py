"""By how much the estimates move when something is changed that would not matter if the model were the truth.

    shorter stretches     every stretch is cut in two, so that the model has to hold for half as long:   θ(halves) - θ
    error of integration  the simulator takes two steps of half the length:                              2 (θ(h/2) - θ(h))

The simulator's steps are of first order, θ(h) = θ(0) + c h + O(h²): halving them moves the estimates by half of what they are off
(Richardson's extrapolation). The changed problems are solved by Gauss-Newton steps from the fit: of shorter stretches by one, of
shorter steps by three while the cost falls, because a velocity is the mean over its step, so that the states of the fit are not
yet those of shorter steps. Both weigh residuals as the fit does, gaps of velocities in m/s (joined more loosely it were another
estimator, which moves for that reason); of shorter steps, residuals of a coordinate that become larger than in the fit count less
by as much. (Of motions that were made with the fit's own steps no others can follow samples and joins as closely: held to that, the
mass of a lower link, 1.5, moves by -0.034, in a fit with shorter steps by 0.005, so by -0.011.)

A model that is not the truth has no single best values: they depend on how it is asked to predict.

Source: Richardson (1911), "The approximate arithmetical solution by finite differences of physical problems".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dojo_py.identification.elimination import Rows, eliminate, normal_equations
from dojo_py.identification.intervals import inverse
from dojo_py.identification.least_squares import cost_of, set_change
from dojo_py.identification.noise import deviations
from dojo_py.identification.problem import Point, Problem
from dojo_py.identification.segments import Segment, predict
from dojo_py.identification.unknowns import Unknowns

Array = np.ndarray
Sizes = dict[str, Array]
"""Kind of rows -> deviations of their coordinates' residuals, in those of the fit."""
STEPS = 3
"""Of Gauss and Newton, for the problem of shorter steps."""


def shifts_of(problem: Problem, point: Point, rows: list[Rows], loss: str, scale: float) -> Array:
    """(2, n) changes of the free numbers, in the order above; 0 where there is no such problem. rows: of the fit, at the point."""
    out = np.zeros((2, len(problem.unknowns)))
    if not problem.free_states:
        return out
    stretches, steps = _shorter_stretches(problem, point), _shorter_step(problem)
    if stretches is not None:
        out[0] = _change(*stretches, loss, scale)
    if steps is not None:
        unchanged, _ = _gauss_newton(problem, rows)  # θ(h) from the point: not 0 at a bound, and where the fit stopped on the way
        out[1] = 2.0 * _change(steps, point, loss, scale, _sizes(problem, rows, loss)) - unchanged
    return out


def _change(problem: Problem, point: Point, loss: str, scale: float, before: Sizes | None = None) -> Array:
    """(n,) of a Gauss-Newton step; with the fit's sizes `before` of STEPS while the cost falls. 0 where the point is impossible."""
    now, change, last = point, np.zeros(len(problem.unknowns)), np.inf
    for k in range(1 if before is None else STEPS):
        rows = problem.rows(now)
        cost = np.inf if rows is None else cost_of(rows, loss, scale)
        if rows is None or not cost < last:
            break
        if before is not None and k > 0:
            _loosen(rows, {kind: size / before[kind] for kind, size in _sizes(problem, rows, loss).items()})
            cost_of(rows, loss, scale)
        set_change(rows, loss, scale)
        step, states = _gauss_newton(problem, rows)
        change, last = now.z - point.z + step, cost
        now = problem.move(now, step, states)
    return change


def _gauss_newton(problem: Problem, rows: list[Rows]) -> tuple[Array, Array]:
    """Changes of the free numbers (n,) and of the states (stretches, 2 nv)."""
    reduced = eliminate(normal_equations(rows, len(problem.unknowns), len(problem.segments), 2 * problem.nv), 1e-10)
    step = -inverse(reduced.matrix) @ reduced.gradient
    return step, -(reduced.follow @ step + reduced.rest)


def _sizes(problem: Problem, rows: list[Rows], loss: str) -> Sizes:
    """Deviations of the residuals of samples (nv,) and joins (2 nv,), 1 at least."""
    out = {}
    for kind, places in (("measured", problem.nv), ("defect", 2 * problem.nv)):
        mine = [row for row in rows if row.kind == kind]
        if mine:
            residual, where = (np.concatenate([getattr(row, name) for row in mine]) for name in ("residual", "places"))
            out[kind] = np.maximum(deviations(residual, where, places, 1.0, loss != "linear"), 1.0)
    return out


def _loosen(rows: list[Rows], growth: Sizes) -> None:
    """Rows over what their residuals grew by, where they did."""
    for row in rows:
        if row.kind in growth:
            less = 1.0 / np.maximum(growth[row.kind], 1.0)[row.places]
            row.residual, row.by_unknown = row.residual * less, row.by_unknown * less[:, None]
            row.by_state = {i: slope * less[:, None] for i, slope in row.by_state.items()}


def _shorter_step(problem: Problem) -> Problem | None:
    """Two steps for every one; None where the time step itself is unknown.

    Gaps count in metres a second as before; h times them, half as much, is what has deviations.
    """
    if any(name.partition(":")[0] == "timestep" for name in problem.unknowns.names):
        return None
    sim, motion = problem.sim.with_parameters({"timestep": np.array([0.5 * problem.sim.timestep])}), problem.rollout_kappa
    recordings = [replace(recording, stride=2 * recording.stride) for recording in problem.recordings]
    impulses = {"kappa": 0.5 * problem.kappa, "rollout_kappa": 0.5 * motion if isinstance(motion, float) else motion}
    noise = problem.noise._replace(joins=problem.noise.joins * np.repeat([1.0, 0.5], problem.nv))
    return problem.changed(sim=sim, unknowns=Unknowns(sim, problem.unknowns.parts), recordings=recordings, noise=noise, **impulses)


def _shorter_stretches(problem: Problem, point: Point) -> tuple[Problem, Point] | None:
    """Every stretch of two samples or more in two, the second from where the model leads; None where there is none."""
    sim, segments, states = problem.unknowns.simulator(point.z), [], []
    acts = problem.first_activations(sim, point.z)
    for segment, state, act in zip(problem.segments, point.states, acts, strict=True):
        half = segment.length // 2
        segments.append(Segment(segment.recording, segment.start, half or segment.length))
        states.append(state)
        if half:
            recording = problem.recordings[segment.recording]
            p = predict(sim, recording, segments[-1], state, problem.kappas, problem.unknowns, point.z, act)
            segments.append(Segment(segment.recording, segment.start + half, segment.length - half))
            states.append(p.end)
    if len(segments) == len(problem.segments):
        return None
    return problem.changed(segments=segments), Point(point.z, tuple(states))
