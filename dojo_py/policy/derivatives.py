"""Derivatives of a task's observation and reward in the tangent state [dq, dv]: the task's own, else central differences.

Both are short formulas of the state, so differences cost no simulation, but time; contact impulses are held constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.simulate.results import State

Array = np.ndarray

STEP = 1e-6


def moved_states(task: Any, state: State, directions: Array) -> list[State]:
    """The state moved along each row [dq, dv] of directions (n, 2nv)."""
    model = task.sim.model
    nv = model.nv
    if model.nq == nv:  # no quaternions: the tangent is a plain sum
        qpos = state.qpos + directions[:, :nv]
    else:
        qpos = np.array([model.integrate(state.qpos, d[:nv]) for d in directions])
    qvel = state.qvel + directions[:, nv:]
    return [State(q, v, state.act, state.time) for q, v in zip(qpos, qvel, strict=True)]


def around(task: Any, state: State) -> tuple[list[State], list[State]]:
    """The state moved by + and - STEP along each of the 2nv tangents."""
    directions = STEP * np.eye(2 * task.sim.model.nv)
    return moved_states(task, state, directions), moved_states(task, state, -directions)


def observation_jacobian(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv)"""
    known = task.observation_jacobian(state) if hasattr(task, "observation_jacobian") else None
    return differenced_observation(task, state, contacts) if known is None else known


def reward_gradient(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """(2nv,), (na,), (2nv,): by the state before, by the action, by the state after."""
    known = task.reward_gradient(before, action, after) if hasattr(task, "reward_gradient") else None
    return differenced_reward(task, before, action, after, contacts) if known is None else known


def differenced_observation(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv) by central differences."""
    plus, minus = around(task, state)
    rows = [task.observe(p, contacts) - task.observe(m, contacts) for p, m in zip(plus, minus, strict=True)]
    return np.array(rows).T / (2 * STEP)


def differenced_reward(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """(2nv,), (na,), (2nv,): by the state before, by the action, by the state after; by central differences."""

    def value(b: State, u: Array, a: State) -> float:
        return float(task.reward(b, u, a, contacts)[0])

    first = [value(p, action, after) - value(m, action, after) for p, m in zip(*around(task, before), strict=True)]
    steps = STEP * np.eye(len(action))
    by_action = [value(before, action + d, after) - value(before, action - d, after) for d in steps]
    last = [value(before, action, p) - value(before, action, m) for p, m in zip(*around(task, after), strict=True)]
    return tuple(np.array(column) / (2 * STEP) for column in (first, by_action, last))  # type: ignore[return-value]
