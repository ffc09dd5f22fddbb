"""Restitution from whole roll-outs: a search in one number.

Bodies meet the ground within a step. A contact that pushes in it ends up to (1 + e) v h above where it ends when it comes down just
before it: roll-outs jump with the state and with e at every landing, by more than the samples' noise, and no derivative foretells
that. On average over many landings the misfit is smooth:

    minimise  mean Huber((q_k ⊖ q̂_k) / σ)  over e in [0, most],      q of whole recordings from their starts in the hard limit

Source of the search: Brent (1973), "Algorithms for minimization without derivatives", chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.activations import activations_at
from dojo_py.identification.data import Recording, check_recordings, measured_state
from dojo_py.identification.losses import LOSSES
from dojo_py.identification.noise import noise_of_samples
from dojo_py.simulate.arguments import spread
from dojo_py.simulate.values import having, real_array, real_number

Array = np.ndarray
HUBER = 1.345
"""Misfit over the noise from which on Huber's loss is linear."""
APART = 0.01
"""How closely the restitution is found [1]."""


def fit_restitution(
    sim: HardSimulator, recordings: Sequence[Recording], noise: Any = None, most: float = 0.9, threads: int = 1
) -> tuple[Any, float]:
    """(simulator with one restitution of all its contacts, mean loss) by the roll-outs of the recordings, at best from estimated
    starts. noise (nv,): deviations of the samples' coordinates [m, rad], by default those of their third differences.
    """
    having("sim", sim, ("parameter", "with_parameters", "rollout"), "a HardSimulator")
    check_recordings(sim, recordings, later=True)
    real_number("most", most, above=0.0, most=1.0)
    if not len(recordings):
        raise ValueError("recordings: there are none")
    sigma = noise_of_samples(sim.model, recordings) if noise is None else real_array("noise", noise)
    if sigma.shape != (sim.model.nv,) or not np.all((sigma > 0) & np.isfinite(sigma)):
        raise ValueError(f"noise has shape {sigma.shape}, expected ({sim.model.nv},) positive deviations")

    def bouncing(e: float) -> Any:
        return sim.with_parameters({"restitution": np.full(sim.parameter("restitution").value.shape, e)})

    def loss(e: float) -> float:
        return rollout_loss(bouncing(e), recordings, sigma, threads)

    found = minimize_scalar(loss, bounds=(0.0, most), method="bounded", options={"xatol": APART})
    e, least = min(((float(found.x), float(found.fun)), (0.0, loss(0.0))), key=lambda pair: pair[1])
    return bouncing(e), least


def rollout_loss(sim: HardSimulator, recordings: Sequence[Recording], sigma: Array, threads: int = 1) -> float:
    """Mean of Huber's loss over all coordinates of all samples, of whole roll-outs in the hard limit."""
    misfits = spread(lambda i: _misfit(sim, recordings[i]) / sigma, len(recordings), threads)
    z = (np.concatenate(misfits) / HUBER) ** 2
    return 0.5 * HUBER**2 * float(np.mean(LOSSES["huber"].value(z)))


def _misfit(sim: HardSimulator, recording: Recording) -> Array:
    """(samples, nv) of one roll-out."""
    k, model = recording.first, sim.model
    controls = np.repeat(recording.controls(model.nu)[k:], recording.stride, axis=0)
    state = sim.initial_state(*measured_state(recording, sim, k), act=activations_at(sim, recording, k))
    run = sim.rollout(state, controls, maximal=False)
    mine, seen = run.qpos[recording.stride :: recording.stride], recording.qpos[k + 1 :]
    return np.array([model.difference(p, q) for p, q in zip(mine, seen, strict=True)])
