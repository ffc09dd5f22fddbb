"""Derivatives of scenes in contact against Ridders' differences of the same relaxed step, along random directions.

A direction moves all coordinates at once, rates by their size over h, so that both displace the next pose alike, and all controls.
Directions keep loops closed to first order: what the step makes of a broken redundant loop is for its regularisation to say.
Errors are relative to the largest entry of the derivative along it, rates counted times h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.gradients_oracle import central, ridders

Array = np.ndarray
KAPPAS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""[N m s]"""
FIRST = 1e-5
"""First difference [m, rad]; Ridders' method shrinks it."""


def direction_error(
    sim: Any, state: Any, control: Array, kappa: float, rows: Array | None = None, seed: int = 0
) -> tuple[float, float]:
    """(relative error of A d + B u along one random direction, the differences' own error estimate, relative as well).

    rows: (k, nv) derivative of the loops' errors by the tangent. Infinite where the step or its derivative is not solved. An
    estimate as large as the error itself says that the smooth problem jumps within the difference.
    """
    model, h, rng = sim.model, sim.timestep, np.random.default_rng(seed)
    nv = model.nv
    by_q, by_v, by_u = rng.normal(size=nv), rng.normal(size=nv) / h, rng.normal(size=model.nu)
    if rows is not None and len(rows):
        by_q, by_v = (d - np.linalg.lstsq(rows, rows @ d, rcond=1e-9)[0] for d in (by_q, by_v))
    lin = sim.linearize(state, control, kappa=kappa)
    if lin.status.value != 0:
        return np.inf, np.inf
    scale = np.concatenate([np.ones(nv), np.full(nv, h)])
    told = scale * (lin.A @ np.concatenate([by_q, by_v]) + lin.B @ by_u)
    middle = sim.step(state, control, kappa=kappa).state

    def end(t: float) -> Array | None:
        start = sim.initial_state(qpos=model.integrate(state.qpos, t * by_q), qvel=state.qvel + t * by_v, act=state.act)
        after = sim.step(start, control + t * by_u, kappa=kappa)
        if after.status.value != 0:
            return None
        moved = np.concatenate([model.difference(after.state.qpos, middle.qpos), after.state.qvel - middle.qvel])
        return np.asarray(scale * moved)

    size = max(float(np.abs(told).max()), 1e-12)
    found, own = ridders(central(end), FIRST, 2, 0.0)
    if found is None:
        return np.inf, np.inf
    return float(np.abs(found - told).max()) / size, own / size
