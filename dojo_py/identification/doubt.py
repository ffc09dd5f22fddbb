"""By how much the estimates move when something is changed that would not matter if the model were the truth.

    shorter stretches   every stretch is cut in two, so that the model has to hold for half as long
    a shorter step      the simulator takes two steps of half the length: the error of its integration

Each shift is one Gauss-Newton step of the changed problem from the fit. A model that is not the truth has no single best values:
they depend on how it is asked to predict.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dojo_py.identification.elimination import Rows, eliminate, normal_equations
from dojo_py.identification.intervals import inverse
from dojo_py.identification.least_squares import cost_of, set_change
from dojo_py.identification.problem import Point, Problem
from dojo_py.identification.segments import Segment, predict
from dojo_py.identification.unknowns import Unknowns

Array = np.ndarray


def shifts_of(problem: Problem, point: Point, loss: str, scale: float) -> list[Array]:
    """(n,) changes of the free numbers, one for each of the problems above that there is."""
    variants = [_shorter_step(problem, point)]
    if problem.free_states:
        variants.append(_shorter_stretches(problem, point))
    out = []
    for variant in variants:
        rows = variant[0].rows(variant[1]) if variant is not None else None
        if variant is not None and rows is not None:
            out.append(_change(variant[0], rows, loss, scale))
    return out


def _change(problem: Problem, rows: list[Rows], loss: str, scale: float) -> Array:
    """(n,) of one Gauss-Newton step."""
    cost_of(rows, loss, scale)
    set_change(rows, loss, scale)
    stretches = len(problem.segments) if problem.free_states else 0
    reduced = eliminate(normal_equations(rows, len(problem.unknowns), stretches, 2 * problem.nv), 1e-10)
    return -inverse(reduced.matrix) @ reduced.gradient


def _shorter_step(problem: Problem, point: Point) -> tuple[Problem, Point] | None:
    """Two steps for every one; None where the time step itself is unknown or states of its length were measured.

    Gaps of velocities count by the shorter step, half as much: a model that joins exactly at one step length does not at another.
    (Of a double pendulum the shift is 0.022 kg of 1.5, with the longer step's weight 0.034; a fit to motions that were made with
    shorter steps moves by 0.005.)
    """
    if not problem.free_states or any(name.partition(":")[0] == "timestep" for name in problem.unknowns.names):
        return None
    sim, motion = problem.sim.with_parameters({"timestep": np.array([0.5 * problem.sim.timestep])}), problem.rollout_kappa
    recordings = [replace(recording, stride=2 * recording.stride) for recording in problem.recordings]
    impulses = {"kappa": 0.5 * problem.kappa, "rollout_kappa": 0.5 * motion if isinstance(motion, float) else motion}
    return problem.changed(sim=sim, unknowns=Unknowns(sim, problem.unknowns.parts), recordings=recordings, **impulses), point


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
