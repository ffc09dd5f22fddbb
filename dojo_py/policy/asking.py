"""Calls of the user's task and policy, whose observations, actions and rewards must be finite and of the right shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dojo_py.simulate.values import shown

Array = np.ndarray


def observed(task: Any, state: Any, contacts: Any) -> Array:
    """(no,) observation; ValueError names an entry that is not finite."""
    seen = np.asarray(task.observe(state, contacts), float)
    if not np.isfinite(seen).all():
        entry = int(np.flatnonzero(~np.isfinite(seen))[0])
        raise ValueError(
            f"{type(task).__name__}.observe: entry {entry} is {seen.flat[entry]} at {_place(state)}, expected a number"
        )
    return seen


def answered(policy: Any, parameters: Array, seen: Array, size: int) -> Array:
    """(na,) action of the policy; ValueError if its shape is not (size,) or an entry is not finite."""
    action, name = np.asarray(policy.act(parameters, seen), float), type(policy).__name__
    if action.shape != (size,):
        raise ValueError(f"{name}: policy.act returned an array of shape {action.shape}, the task's sizes ask for {(size,)}")
    if not np.isfinite(action).all():
        raise ValueError(
            f"{name}: policy.act returned {shown(action.tolist())} for the observation {shown(seen.tolist())}, expected numbers"
        )
    return action


def earned(task: Any, before: Any, action: Array, after: Any, contacts: Any) -> tuple[float, Mapping[str, Any]]:
    """The reward of an action and a dict of its terms; TypeError or ValueError if `task.reward` returns anything else."""
    found, name = task.reward(before, action, after, contacts), type(task).__name__
    if not (isinstance(found, (tuple, list)) and len(found) == 2 and isinstance(found[1], Mapping)):
        raise TypeError(
            f"{name}.reward returned {shown(found)}, expected a pair: the reward, and a dict of the figures it is made of"
        )
    value = found[0] if type(found[0]) is float else _one_number(name, found[0])
    if not np.isfinite(value):
        raise ValueError(f"{name}.reward is {value} after action {action} at {_place(before)}, expected a number")
    return value, found[1]


def _one_number(name: str, value: Any) -> float:
    """The reward as a float; TypeError for texts, complex numbers, arrays with axes and what is no number."""
    try:
        if not (isinstance(value, (str, bytes)) or np.ndim(value) or np.iscomplexobj(value)):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name}.reward returned {shown(value)} as the reward, a {type(value).__name__}, expected one real number")


LARGEST_RETURN = 1e100
"""Larger ones are refused: their variance, and squares of their derivatives, would overflow."""


def checked_return(task: Any, total: float) -> float:
    """The return of an episode, or a reward; ValueError beyond LARGEST_RETURN."""
    if not abs(total) <= LARGEST_RETURN:
        raise ValueError(
            f"{type(task).__name__}.reward: an episode has a return of {total:.3g}, searches take ±{LARGEST_RETURN:g} at most: "
            "scale the reward, or set reward_clip"
        )
    return total


def _place(state: Any) -> str:
    return f"qpos {shown(state.qpos.tolist())}, qvel {shown(state.qvel.tolist())}"
