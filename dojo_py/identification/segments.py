"""Predictions over stretches of recordings, their misfits, and the derivatives of these by parameters and initial states.

    x_{k+1} = f(x_k, u_k; θ),    S_{k+1} = A_k S_k + [0 | ∂f/∂θ],    r_k = w (q_k ⊖ q̂_k)

x = (qpos, qvel), S: its derivative by the stretch's initial tangent state (2 nv) and by the free numbers z (n).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.identification.data import Recording
from dojo_py.identification.unknowns import Unknowns

Array = np.ndarray


class Segment(NamedTuple):
    """Steps start … start + length of a recording."""

    recording: int
    start: int
    length: int


class Prediction(NamedTuple):
    """One stretch simulated."""

    misfit: Array  # (length, nv) predicted minus measured coordinates, tangents
    by_state: Array  # (length, nv, 2 nv) or (0, …)
    by_unknown: Array  # (length, nv, n) or (0, …)
    end: tuple[Array, Array]  # qpos, qvel predicted at the end
    end_by_state: Array  # (2 nv, 2 nv)
    end_by_unknown: Array  # (2 nv, n)
    solved: bool


def cut(
    recordings: list[Recording], horizon: int, every: int = 1, choose: Callable[[Recording, Segment], bool] | None = None
) -> list[Segment]:
    """Stretches of `horizon` steps, each starting where the last ended or `every` samples later; those that `choose` takes."""
    out = []
    for i, recording in enumerate(recordings):
        last = len(recording.qpos) - 1
        for k in range(recording.first, last, max(horizon, every)):
            length = min(horizon, last - k)
            segment = Segment(i, k, length)
            if length >= 1 and (choose is None or choose(recording, segment)):
                out.append(segment)
    return out


def measured_state(recording: Recording, sim: Any, k: int) -> tuple[Array, Array]:
    """(qpos, qvel) of sample k as measured."""
    return recording.qpos[k], recording.velocity(sim.model, sim.timestep, k)


def rotation_slopes(model: Any, tangent: Array) -> Array:
    """(nv, nv) derivative of the tangent q ⊖ q̂ by a further tangent at q: inverse right Jacobians of rotations, else 1."""
    out = np.eye(model.nv)
    for i in range(model.njnt):
        kind, dof = int(model.jnt_type[i]), int(model.jnt_dofadr[i])
        if kind in (0, 1):
            a = dof + (3 if kind == 0 else 0)
            r = tangent[a : a + 3]
            t = float(np.linalg.norm(r))
            skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
            c = 1.0 / 12.0 if t < 1e-4 else (1.0 - 0.5 * t / np.tan(0.5 * t)) / t**2
            out[a : a + 3, a : a + 3] += 0.5 * skew + c * skew @ skew
    return out


def predict(
    sim: Any, recording: Recording, segment: Segment, start: tuple[Array, Array], kappa: float, unknowns: Unknowns | None, z: Array
) -> Prediction:
    """Simulate a stretch from start = (qpos, qvel); with unknowns, also the derivatives."""
    model, nv = sim.model, sim.model.nv
    controls = recording.controls(model.nu)
    n = 0 if unknowns is None else len(unknowns)
    rows = segment.length if unknowns is not None else 0
    misfit, solved = np.zeros((segment.length, nv)), True
    by_state, by_unknown = np.zeros((rows, nv, 2 * nv)), np.zeros((rows, nv, n))
    S, D = np.eye(2 * nv), np.zeros((2 * nv, n))
    state = sim.initial_state(*start)
    for t in range(segment.length):
        control = controls[segment.start + t]
        if unknowns is None:
            step = sim.step(state, control, kappa=kappa)
            state, status = step.state, step.status
        else:
            lin = sim.linearize(state, control, kappa, parameters=unknowns.names)
            S, D = lin.A @ S, lin.A @ D + unknowns.columns(z, lin.parameters)
            state, status = lin.next_state, lin.status
        solved = solved and int(status) == 0
        misfit[t] = model.difference(state.qpos, recording.qpos[segment.start + t + 1])
        if unknowns is not None:
            turn = rotation_slopes(model, misfit[t])
            by_state[t], by_unknown[t] = turn @ S[:nv], turn @ D[:nv]
    return Prediction(misfit, by_state, by_unknown, (state.qpos, state.qvel), S, D, solved)
