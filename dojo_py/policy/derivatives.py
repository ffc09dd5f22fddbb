"""Derivatives of a task's observation and reward by the tangent state [dq, dv, dact]: the task's own, else central differences.

Both are explicit functions of the state, so the differences need no simulation. Contact impulses are held constant. Derivatives of
the task's own may have 2nv entries if they do not depend on activations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.policy.asking import earned, observed
from dojo_py.simulate.results import State

Array = np.ndarray

STEP = 1e-6


def tangent_size(task: Any) -> int:
    """2nv + na of the task's model."""
    return 2 * int(task.sim.model.nv) + int(getattr(task.sim.model, "na", 0))


def moved_states(task: Any, state: State, directions: Array) -> list[State]:
    """The state moved along each row [dq, dv, dact] of directions (n, 2nv + na)."""
    model = task.sim.model
    nv = model.nv
    if model.nq == nv:  # no quaternions: tangents are added
        qpos = state.qpos + directions[:, :nv]
    else:
        qpos = np.array([model.integrate(state.qpos, d[:nv]) for d in directions])
    qvel = state.qvel + directions[:, nv : 2 * nv]
    act = [state.act] * len(directions) if directions.shape[1] == 2 * nv else state.act + directions[:, 2 * nv :]
    moved = zip(qpos, qvel, act, strict=True)
    return [replace(state, qpos=q, qvel=v, act=w, maximal=None, exact=None) for q, v, w in moved]  # mocap bodies stay


def around(task: Any, state: State) -> tuple[list[State], list[State]]:
    """The states displaced by +STEP and by -STEP along each of the 2nv + na tangent directions."""
    directions = STEP * np.eye(tangent_size(task))
    return moved_states(task, state, directions), moved_states(task, state, -directions)


def observation_jacobian(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv + na)"""
    known = task.observation_jacobian(state) if hasattr(task, "observation_jacobian") else None
    return differenced_observation(task, state, contacts) if known is None else _whole(task, known)


def reward_gradient(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """Gradients by the state before (2nv + na,), by the action, and by the state after (2nv + na,)."""
    known = task.reward_gradient(before, action, after) if hasattr(task, "reward_gradient") else None
    if known is None:
        return differenced_reward(task, before, action, after, contacts)
    return _whole(task, known[0]), known[1], _whole(task, known[2])


def _whole(task: Any, slopes: Array) -> Array:
    """Derivatives (…, 2nv) padded with zeros for the activations to (…, 2nv + na); unchanged if they include them."""
    more = tangent_size(task) - np.shape(slopes)[-1]
    return slopes if more <= 0 else np.concatenate([slopes, np.zeros((*np.shape(slopes)[:-1], more))], axis=-1)


def differenced_observation(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv + na) by central differences."""
    plus, minus = around(task, state)
    rows = [observed(task, p, contacts) - observed(task, m, contacts) for p, m in zip(plus, minus, strict=True)]
    return np.array(rows).T / (2 * STEP)


def differenced_reward(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """`reward_gradient` by central differences."""

    def value(b: State, u: Array, a: State) -> float:
        return earned(task, b, u, a, contacts)[0]

    first = [value(p, action, after) - value(m, action, after) for p, m in zip(*around(task, before), strict=True)]
    steps = STEP * np.eye(len(action))
    by_action = [value(before, action + d, after) - value(before, action - d, after) for d in steps]
    last = [value(before, action, p) - value(before, action, m) for p, m in zip(*around(task, after), strict=True)]
    return tuple(np.array(column) / (2 * STEP) for column in (first, by_action, last))  # type: ignore[return-value]
