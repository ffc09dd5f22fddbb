"""Reverse mode through a rollout: the chain rule from the last step to the first, on its steps' A and B.

    λ_T = c_T,   λ_k = c_k + A_kᵀ λ_{k+1},   ∂J/∂u_k = B_kᵀ λ_{k+1},   ∂J/∂z_0 = λ_0          z = [δq, δv], c_k = ∂J/∂z_k

This is for trajectories that hold A and B; the steps of others are pulled back without them (gradients/pull_back.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dojo_py.simulate.values import real_array

Array = np.ndarray


class RolloutGradient(NamedTuple):
    """Gradient of a scalar J of a trajectory's states."""

    state: Array
    """(2nv,) by the first state, tangent [δq, δv]."""
    control: Array
    """(T, nu) by the controls."""
    status: Array
    """(T,) values of `Status` of the steps that were differentiated: only all SOLVED (0) makes a gradient to rely on."""


def cotangents_of(cotangents: Array, steps: int, nv: int) -> Array:
    """(T + 1, 2nv) from cotangents on the final state (2nv,) or on all of them, or ValueError."""
    given = real_array("cotangents", cotangents)
    if given.shape not in ((2 * nv,), (steps + 1, 2 * nv)):
        raise ValueError(
            f"cotangents has shape {given.shape}, expected ({2 * nv},) on the final state or {(steps + 1, 2 * nv)} on all states"
        )
    if not np.all(np.isfinite(given)):
        raise ValueError("cotangents: not all are finite numbers")
    if given.ndim == 2:
        return given
    out = np.zeros((steps + 1, 2 * nv))
    out[-1] = given
    return out


def pull_back(A: Array, B: Array, cotangents: Array) -> tuple[Array, Array]:
    """((2nv,), (T, nu)) gradients by the first state and the controls. A (T, 2nv, 2nv), B (T, 2nv, nu), cotangents (T + 1, 2nv)."""
    state = cotangents[-1].copy()
    control = np.zeros((len(B), B.shape[2]))
    for k in range(len(A) - 1, -1, -1):
        control[k] = state @ B[k]
        state = cotangents[k] + state @ A[k]
    return state, control
