"""States at the start of recordings, estimated from several samples: a velocity of two has all of their noise over one interval.

    minimise  Σ_{k < n} |(q_k ⊖ q̂_k) / σ|²  over x_0,     x_{k+1} = f(x_k, u_k)                 Gauss and Newton, damped

A recording that is cut to begin at sample n - 1 then starts from x_{n-1}; what comes later was not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.activations import first_activations
from dojo_py.identification.data import Recording, check_recordings, measured_state
from dojo_py.identification.noise import noise_of_samples
from dojo_py.identification.segments import rotation_slopes
from dojo_py.simulate.arguments import spread
from dojo_py.simulate.values import count, having, real_array

Array = np.ndarray
ITERATIONS, SMALL = 20, 1e-6
"""Most steps; the last one lowers the cost by less than this part of it."""
MOST_DAMPING = 1e6
SHARE, WITHOUT_CONTACT = 1e-5, 1e-8
"""κ of the derivatives over `largest_kappa()`; where nothing is carried by contacts [N m s]. Steps are in the hard limit."""


def with_estimated_starts(
    sim: HardSimulator, recordings: Sequence[Recording], samples: int, noise: Any = None, threads: int = 1
) -> list[Recording]:
    """The recordings from sample `samples` - 1 on, each with the state there that the simulator makes of the samples up to it.

    Held-out recordings too: no later sample is fitted, and `rollout_errors` counts only later ones. noise (nv,): deviations of the
    samples' coordinates [m, rad], of which only the ratio matters; by default those of the third differences of all samples given.
    """
    having("sim", sim, ("model", "rollout", "largest_kappa"), "a HardSimulator")
    check_recordings(sim, recordings)
    n, model = count("samples", samples, least=3), sim.model
    for recording in recordings:
        if len(recording.qpos) <= n:
            raise ValueError(f"recordings: '{recording.name}' has {len(recording.qpos)} samples, none after the first {n}")
    sigma = noise_of_samples(model, recordings) if noise is None else real_array("noise", noise)
    if sigma.shape != (model.nv,) or not np.all((sigma > 0) & np.isfinite(sigma)):
        raise ValueError(f"noise has shape {sigma.shape}, expected ({model.nv},) positive deviations")
    return spread(lambda i: _cut(sim, recordings[i], n, sigma), len(recordings), threads)


def _cut(sim: HardSimulator, recording: Recording, n: int, sigma: Array) -> Recording:
    """One of them."""
    qpos, qvel = recording.qpos[n - 1 :].copy(), None if recording.qvel is None else recording.qvel[n - 1 :].copy()
    control = None if recording.control is None else recording.control[n - 1 :]
    there, moving, act = estimated_state(sim, recording, n, sigma)
    return replace(recording, qpos=qpos, qvel=qvel, control=control, start=(there, moving), act=act if len(act) else None)


def estimated_state(sim: HardSimulator, recording: Recording, n: int, sigma: Array) -> tuple[Array, Array, Array]:
    """(qpos, qvel, act) at sample n - 1, of the motion that fits the first n samples best."""
    model, nv = sim.model, sim.model.nv
    start = measured_state(recording, sim, 0)
    now = _misfit(sim, recording, n, sigma, start)
    damping = 1e-4
    for _ in range(ITERATIONS):
        r, J, _ = now
        H = J.T @ J
        step = -np.linalg.solve(H + damping * np.diag(np.diag(H) + 1e-12 * H.max()), J.T @ r)
        moved = model.integrate(start[0], step[:nv]), start[1] + step[nv:]
        tried = _misfit(sim, recording, n, sigma, moved)
        fell = r @ r - tried[0] @ tried[0]
        if fell > 0.0:
            start, now, damping = moved, tried, 0.1 * damping
            if fell <= SMALL * (r @ r):
                break
        elif damping > MOST_DAMPING or -fell <= SMALL * (r @ r):
            break
        else:
            damping *= 10.0
    return now[2]


def _misfit(
    sim: HardSimulator, recording: Recording, n: int, sigma: Array, start: tuple[Array, Array]
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """Residuals of the first n samples (n nv,), their derivatives by the state at the start (n nv, 2 nv), the state at the end."""
    model, nv, stride = sim.model, sim.model.nv, recording.stride
    controls = np.repeat(recording.controls(model.nu)[: n - 1], stride, axis=0)
    largest = float(sim.largest_kappa())
    at = SHARE * largest if np.isfinite(largest) else WITHOUT_CONTACT
    state = sim.initial_state(*start, act=first_activations(recording, model.na))
    run = sim.rollout(state, controls, maximal=False, linearize=True, gradient_kappa=at)
    assert run.A is not None
    S, residuals, slopes = np.eye(2 * nv + model.na)[:, : 2 * nv], [], []
    for t in range(len(controls) + 1):
        if t % stride == 0:
            r = model.difference(run.qpos[t], recording.qpos[t // stride])
            residuals.append(r / sigma)
            slopes.append(rotation_slopes(model, r) @ S[:nv] / sigma[:, None])
        if t < len(controls):
            S = run.A[t] @ S
    return np.concatenate(residuals), np.concatenate(slopes), (run.qpos[-1], run.qvel[-1], run.act[-1])
