"""Activations at the samples of a recording: nobody measures them, but they follow from the controls.

    a_{k+1} = f_a(q̂_k, v̂_k, a_k, u_k; θ),   a_0: `Recording.act`

Of most actuators f_a depends on a and u alone; of the others, whose activations depend on lengths and velocities, on the motion as
it was measured. So stretches start from activations that do not depend on their unknown states.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.identification.data import Recording, measured_state
from dojo_py.identification.delays import NAME as DELAY
from dojo_py.identification.delays import controls_later
from dojo_py.identification.unknowns import Unknowns
from dojo_py.simulate.simulator import Simulator

Array = np.ndarray


class Activations(NamedTuple):
    """At one sample."""

    act: Array
    """(na,)"""
    by_unknown: Array
    """(na, n) by the free numbers."""


def first_activations(recording: Recording, na: int) -> Array:
    """(na,) at the first sample."""
    return np.zeros(na) if recording.act is None else recording.act


def recorded_controls(
    sim: Simulator, recording: Recording, start: int, length: int, delay: float | None
) -> tuple[Array, Array | None]:
    """Controls (length · stride, nu) of the steps from sample `start` on, `delay` [s] later than recorded, and their derivative by
    the delay, which is None without one.
    """
    stride, table = recording.stride, recording.controls(sim.model.nu)
    if delay is None:
        return np.repeat(table[start : start + length], stride, axis=0), None
    controls, later = controls_later(table, sim.timestep * stride, delay, stride)
    part = slice(start * stride, (start + length) * stride)
    return controls[part], later[part]


def activations_at(sim: Simulator, recording: Recording, k: int) -> Array:
    """(na,) at sample k."""
    act = first_activations(recording, sim.model.na)
    for i in range(k if sim.model.na else 0):
        controls, _ = recorded_controls(sim, recording, i, 1, None)
        act = sim.rollout(sim.initial_state(*measured_state(recording, sim, i), act=act), controls, maximal=False).act[-1]
    return act


def all_activations(sim: Any, recording: Recording, unknowns: Unknowns, z: Array, kappa: float) -> list[Activations]:
    """At every sample, with derivatives; kappa [N m s]: of steps and derivatives. sim: a HardSimulator with the values z."""
    nv, na, stride = sim.model.nv, sim.model.na, recording.stride
    act, slope = first_activations(recording, na), np.zeros((na, len(z)))
    out, samples = [Activations(act, slope)], len(recording.qpos) - 1
    table, delayed = recorded_controls(sim, recording, 0, samples, unknowns.delay(z))
    how: dict[str, Any] = {"kappa": kappa, "gradient_kappa": kappa, "maximal": False, "linearize": True}
    for k in range(samples):
        steps = slice(k * stride, (k + 1) * stride)
        state = sim.initial_state(*measured_state(recording, sim, k), act=act)
        run = sim.rollout(state, table[steps], parameters=unknowns.names, **how)
        own = unknown_columns(run, unknowns, z, None if delayed is None else delayed[steps])
        D = np.vstack([np.zeros((2 * nv, len(z))), slope])
        for t in range(stride):
            D = run.A[t] @ D + own[t]
        act, slope = run.act[-1], D[2 * nv :]
        out.append(Activations(act, slope))
    return out


def unknown_columns(run: Any, unknowns: Unknowns, z: Array, later: Array | None) -> Array:
    """(T, 2 nv + na, n) derivatives of each step of a roll-out by the free numbers. later (T, nu): of the controls by the delay."""
    given = dict(run.parameters)
    if later is not None:
        given[DELAY] = run.B @ later[:, :, None]
    return unknowns.columns(z, given)
