"""Reverse mode through a rollout: the chain rule from the last step to the first, on its steps' A and B.

    λ_T = c_T,   λ_k = c_k + A_kᵀ λ_{k+1},   ∂J/∂u_k = B_kᵀ λ_{k+1},   ∂J/∂z_0 = λ_0          z = [δq, δv, δact], c_k = ∂J/∂z_k

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
    """(2nv + na,) by the first state, tangent [δq, δv, δact]."""
    control: Array
    """(T, nu) by the controls."""
    status: Array
    """(T,) values of `Status` of the steps that were differentiated: only all SOLVED (0) makes a gradient to rely on."""


def cotangents_of(cotangents: Array, steps: int, size: int) -> Array:
    """(T + 1, size) from cotangents on the final state (size,) or on all of them, or ValueError; size: 2nv + na."""
    given = real_array("cotangents", cotangents)
    if given.shape not in ((size,), (steps + 1, size)):
        raise ValueError(
            f"cotangents has shape {given.shape}, expected ({size},) on the final state or {(steps + 1, size)} on all states"
        )
    if not np.all(np.isfinite(given)):
        raise ValueError("cotangents: not all are finite numbers")
    if given.ndim == 2:
        return given
    out = np.zeros((steps + 1, size))
    out[-1] = given
    return out


def pull_back(A: Array, B: Array, cotangents: Array) -> tuple[Array, Array]:
    """((n,), (T, nu)) gradients by the first state and the controls. A (T, n, n), B (T, n, nu), cotangents (T + 1, n)."""
    state = cotangents[-1].copy()
    control = np.zeros((len(B), B.shape[2]))
    for k in range(len(A) - 1, -1, -1):
        control[k] = state @ B[k]
        state = cotangents[k] + state @ A[k]
    return state, control
