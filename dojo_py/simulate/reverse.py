"""Reverse mode through a rollout: the chain rule from the last step to the first, on its steps' A and B.

    λ_T = c_T,   λ_k = c_k + A_kᵀ λ_{k+1},   ∂J/∂u_k = B_kᵀ λ_{k+1},   ∂J/∂z_0 = λ_0          z = [δq, δv, δact], c_k = ∂J/∂z_k
    ∂J/∂p = Σ_k P_kᵀ λ_{k+1}                                                                   P: of a step by parameters

This is for trajectories that hold A and B; the hard mode pulls the steps of others back without them (hard/gradients/pull_back.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.simulate.status import Status
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


class ParameterGradient(NamedTuple):
    """The same, and by parameters: what `rollout_vjp(..., parameters=names)` returns."""

    state: Array
    """(2nv + na,) by the first state, tangent [δq, δv, δact]."""
    control: Array
    """(T, nu) by the controls."""
    status: Array
    """(T,) values of `Status` of the steps that were differentiated: only all SOLVED (0) makes a gradient to rely on."""
    parameters: dict[str, Array]
    """Name -> (p,), the parameters the same in all steps and the first state held."""


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


def pull_back(
    A: Array, B: Array, cotangents: Array, status: Array, parameters: dict[str, Array] | None = None
) -> RolloutGradient | ParameterGradient:
    """The gradient by A (T, n, n), B (T, n, nu), cotangents (T + 1, n) and the status (T,) of the derivatives.

    parameters: name -> (T, n, p) of the steps; None: none are asked for.
    """
    state = cotangents[-1].copy()
    control = np.zeros((len(B), B.shape[2]))
    by_name = {name: np.zeros(table.shape[2]) for name, table in (parameters or {}).items()}
    for k in range(len(A) - 1, -1, -1):
        control[k] = state @ B[k]
        for name in by_name:
            by_name[name] += state @ parameters[name][k]  # type: ignore[index]
        state = cotangents[k] + state @ A[k]
    if parameters is None:
        return RolloutGradient(state, control, status)
    return ParameterGradient(state, control, status, by_name)


def recorded_gradient(
    trajectory: Any, cotangents: Array, names: tuple[str, ...] | None = None
) -> RolloutGradient | ParameterGradient:
    """By the A, B that a trajectory holds, and by what it holds of these parameters; cotangents (T + 1, n).

    Nothing is carried through steps whose A, B are not numbers, as older files may have them.
    """
    missing = [name for name in names or () if name not in trajectory.parameters]
    if missing:
        raise ValueError(f"trajectory: it holds A, B but no derivatives by {missing}; record these with it, or neither")
    status = trajectory.status if trajectory.gradient_status is None else trajectory.gradient_status
    parameters = None if names is None else {name: trajectory.parameters[name] for name in names}
    lost = ~(np.isfinite(trajectory.A).all(axis=(1, 2)) & np.isfinite(trajectory.B).all(axis=(1, 2)))
    A, B = (np.where(lost[:, None, None], 0.0, table) for table in (trajectory.A, trajectory.B))
    return pull_back(A, B, cotangents, np.where(lost, int(Status.NOT_FINITE), status), parameters)


def check_timestep(trajectory: Any, timestep: float) -> None:
    """ValueError for a trajectory of another time step."""
    if trajectory.metadata.get("timestep", timestep) != timestep:
        raise ValueError(f"trajectory: its timestep is {trajectory.metadata['timestep']} s, this simulator's {timestep} s")


def check_gradient_kappa(trajectory: Any, kappa: float) -> None:
    """ValueError where the A, B that a trajectory holds are at another kappa."""
    theirs = trajectory.metadata.get("gradient_kappa")
    if theirs != kappa:
        known = "a kappa that it does not name" if theirs is None else f"kappa={theirs:g}"
        raise ValueError(
            f"kappa={kappa:g}: the trajectory holds A, B at {known}, and these are taken; leave kappa out, or record it with "
            f"gradient_kappa={kappa:g}, or without linearize=True"
        )


def check_same_states(again: Any, trajectory: Any) -> None:
    """ValueError where the simulator's own steps (qpos, qvel, act of `again`) are not those of the trajectory."""
    if not all(np.array_equal(getattr(again, name), getattr(trajectory, name)) for name in ("qpos", "qvel", "act")):
        raise ValueError(
            "trajectory: this simulator makes other states from its first one and its controls; pass the wrenches and joint "
            "forces it had, or record it with linearize=True"
        )
