"""Predictions over stretches of recordings, their misfits, and the derivatives of these by parameters and initial states.

    x_{k+1} = f(x_k, u_k; θ),    S_{k+1} = A_k S_k + [0 | ∂f/∂θ],    r_k = q_k ⊖ q̂_k

x = (qpos, qvel), S: its derivative by the stretch's initial tangent state (2 nv) and by the free numbers z (n). f may run at
another κ than its derivatives, in the hard limit above all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.activations import Activations, recorded_controls, unknown_columns
from dojo_py.identification.data import Recording
from dojo_py.identification.unknowns import Unknowns
from dojo_py.mechanism.configuration import difference_jacobian

Array = np.ndarray


class Segment(NamedTuple):
    """Samples start … start + length of a recording."""

    recording: int
    start: int
    length: int


class Kappas(NamedTuple):
    """Central-path parameters [N m s]."""

    motion: float | None
    """None: the hard limit."""
    gradient: float


class Prediction(NamedTuple):
    """One stretch simulated, with derivatives by the state (2 nv) at its start and by the n free numbers."""

    misfit: Array  # (length, nv) predicted minus measured coordinates, tangents
    by_state: Array  # (length, nv, 2 nv)
    by_unknown: Array  # (length, nv, n)
    end: tuple[Array, Array]  # qpos, qvel predicted at the end
    end_by_state: Array  # (2 nv, 2 nv)
    end_by_unknown: Array  # (2 nv, n)
    solved: bool


def cut(
    recordings: list[Recording], horizon: int, every: int = 1, choose: Callable[[Recording, Segment], bool] | None = None,
    measured: bool = True,
) -> list[Segment]:  # fmt: skip
    """Stretches of `horizon` samples, each starting where the last ended or `every` samples later; those that `choose` takes.

    measured: the first one starts from the first sample with a measured velocity, else from the first sample.
    """
    out = []
    for i, recording in enumerate(recordings):
        last = len(recording.qpos) - 1
        for k in range(recording.first if measured else 0, last, max(horizon, every)):
            length = min(horizon, last - k)
            segment = Segment(i, k, length)
            if length >= 1 and (choose is None or choose(recording, segment)):
                out.append(segment)
    return out


def rotation_slopes(model: Any, tangent: Array) -> Array:
    """(nv, nv) derivative of the tangent q ⊖ q̂ by a further tangent at q: inverse right Jacobians of rotations, else 1."""
    return difference_jacobian(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, tangent)


def predict(
    sim: HardSimulator,
    recording: Recording,
    segment: Segment,
    start: tuple[Array, Array],
    kappas: Kappas,
    unknowns: Unknowns,
    z: Array,
    first: Activations | None = None,
) -> Prediction:
    """Simulate a stretch from start = (qpos, qvel); first: activations there, where the model has any."""
    model, nv, n, length, stride = sim.model, sim.model.nv, len(unknowns), segment.length, recording.stride
    controls, later = recorded_controls(sim, recording, segment.start, length, unknowns.delay(z))
    how: dict[str, Any] = {"kappa": kappas.motion, "gradient_kappa": kappas.gradient, "maximal": False, "linearize": True}
    act = None if first is None else first.act
    run = sim.rollout(sim.initial_state(*start, act=act), controls, parameters=unknowns.names, **how)
    assert run.A is not None and run.B is not None
    misfit, by_state, by_unknown = np.zeros((length, nv)), np.zeros((length, nv, 2 * nv)), np.zeros((length, nv, n))
    size = 2 * nv + model.na  # activations carry on what the state does to them
    S, D = np.eye(size)[:, : 2 * nv], np.zeros((size, n))
    if first is not None:
        D[2 * nv :] = first.by_unknown
    own = unknown_columns(run, unknowns, z, later)
    for t in range(length * stride):
        S, D = run.A[t] @ S, run.A[t] @ D + own[t]
        if (t + 1) % stride == 0:
            k = t // stride
            misfit[k] = model.difference(run.qpos[t + 1], recording.qpos[segment.start + k + 1])
            turn = rotation_slopes(model, misfit[k])
            by_state[k], by_unknown[k] = turn @ S[:nv], turn @ D[:nv]
    solved = not (run.unsolved or np.any(run.gradient_status))
    return Prediction(misfit, by_state, by_unknown, (run.qpos[-1], run.qvel[-1]), S[: 2 * nv], D[: 2 * nv], solved)
