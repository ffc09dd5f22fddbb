"""Restitution, and friction with it, from whole roll-outs: a search in one number or two.

Bodies meet the ground within a step. A contact that pushes in it ends up to (1 + e) v h above where it ends when it comes down just
before it: roll-outs jump with the state and with e at every landing, by more than the samples' noise, and no derivative foretells
that. On average over many landings the misfit is smooth:

    minimise  mean Huber((q_k ⊖ q̂_k) / σ)  over e in [0, most] (and s in FACTORS), q of whole recordings from their starts in the
    hard limit, with friction s μ

Which friction predicts a landing depends on its rebound, which fits by the derivatives of a step do not know, so both may be found
together. (Of the recorded cube, cube.py, stretches of 20 samples are predicted best with friction 0.194, with a restitution of 0.26
given 0.197, stretches of 60 with 0.173, whole tosses with 0.18: friction of a real table is not Coulomb's to the last tenth.)

Sources of the searches: Brent (1973), "Algorithms for minimization without derivatives", chapter 5, in one number; in two along the
directions of Powell (1964), "An efficient method for finding the minimum of a function of several variables without derivatives".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.activations import activations_at
from dojo_py.identification.data import Recording, check_recordings, measured_state
from dojo_py.identification.losses import LOSSES
from dojo_py.identification.noise import noise_of_samples
from dojo_py.simulate.arguments import spread
from dojo_py.simulate.values import having, real_array, real_number, truth_of

Array = np.ndarray
HUBER = 1.345
"""Misfit over the noise from which on Huber's loss is linear."""
APART = 0.01
"""How closely the restitution and the factor of friction are found [1]."""
FLAT = 1e-4
"""The search in two numbers ends where a round over both lowers the loss by less than this part."""
FACTORS = (0.5, 2.0)
"""Between what the factor of friction is sought."""


def fit_restitution(
    sim: HardSimulator,
    recordings: Sequence[Recording],
    noise: Any = None,
    most: float = 0.9,
    threads: int = 1,
    friction: bool = False,
) -> tuple[Any, float]:
    """(simulator with one restitution of all its contacts, mean loss) by the roll-outs of the recordings, at best from estimated
    starts. noise (nv,): deviations of the samples' coordinates [m, rad], by default those of their third differences. friction:
    find one factor of all coefficients of sliding friction together with it.
    """
    having("sim", sim, ("parameter", "with_parameters", "rollout"), "a HardSimulator")
    check_recordings(sim, recordings, later=True)
    real_number("most", most, above=0.0, most=1.0)
    truth_of("friction", friction)
    if not len(recordings):
        raise ValueError("recordings: there are none")
    sigma = noise_of_samples(sim.model, recordings) if noise is None else real_array("noise", noise)
    if sigma.shape != (sim.model.nv,) or not np.all((sigma > 0) & np.isfinite(sigma)):
        raise ValueError(f"noise has shape {sigma.shape}, expected ({sim.model.nv},) positive deviations")
    coefficients = sim.parameter("friction").value if friction else np.zeros(0)
    if friction and not coefficients.size:
        raise ValueError("friction=True, but no contact of the simulator has friction")

    def landing(e: float, factor: float = 1.0) -> Any:
        values = {"restitution": np.full(sim.parameter("restitution").value.shape, e)}
        return sim.with_parameters({**values, "friction": factor * coefficients} if friction else values)

    def loss(*values: float) -> float:
        return rollout_loss(landing(*values), recordings, sigma, threads)

    found = minimize_scalar(loss, bounds=(0.0, most), method="bounded", options={"xatol": APART})
    least, e = min((float(found.fun), float(found.x)), (loss(0.0), 0.0))
    if not friction:
        return landing(e), least
    options = {"xtol": APART, "ftol": FLAT}
    both = minimize(lambda x: loss(*x), (e, 1.0), method="Powell", bounds=[(0.0, most), FACTORS], options=options)
    least, e, factor = min((least, e, 1.0), (float(both.fun), float(both.x[0]), float(both.x[1])))
    return landing(e, factor), least


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
