"""Derivatives of a task's observation and reward by the tangent state [dq, dv, dact] and of its controls by the action: the task's
own, else central differences.

All are explicit functions, so the differences need no simulation. Contact impulses are held constant. Derivatives of
the task's own may have 2nv entries if they do not depend on activations. Other shapes and entries that are not finite are refused,
and the first ones that a task gives are compared with differences, unless it says `check_derivatives = False`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.policy.asking import earned, observed
from dojo_py.simulate.compared import first_outside
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.results import State
from dojo_py.simulate.values import EPSILON, epsilon_of, real_array, shown

Array = np.ndarray

STEP = 1e-6
"""Of central differences of numbers in double precision."""
CHECK_STEP, TOLERANCE = 1e-5, 1e-3
"""Of the check of a task's own derivatives: what lies between both one-sided differences is right, as it is a subgradient; values
outside may differ by TOLERANCE of the row's largest entry."""
BENT = 1e3
"""Third derivatives up to 6 times this count as errors of the differences: of x³ at 0 they are the square of the step, not 0."""
_KEPT = "_compared_"
"""Attributes of a task of this name and a method's: its derivatives were compared and are right."""


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


def step_of(epsilon: float, of_double: float = STEP) -> float:
    """Step of differences of numbers with this machine epsilon: in single precision its cube root, 5e-3."""
    return epsilon ** (1 / 3) if epsilon > EPSILON else of_double


def around(task: Any, state: State, step: float) -> tuple[list[State], list[State]]:
    """The states displaced by +step and by -step along each of the 2nv + na tangent directions."""
    directions = step * np.eye(tangent_size(task))
    return moved_states(task, state, directions), moved_states(task, state, -directions)


def observation_jacobian(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv + na)"""
    known = task.observation_jacobian(state) if hasattr(task, "observation_jacobian") else None
    if known is None:
        return differenced_observation(task, state, contacts)
    name = f"{type(task).__name__}.observation_jacobian"
    found = _whole(task, name, known, (task.observation_size,), state)
    if _is_to_check(task, "observation_jacobian"):
        epsilon = epsilon_of(task.observe(state, contacts))
        seen, moved = lambda s: observed(task, s, contacts), lambda d: moved_states(task, state, d)
        vars(task)[_KEPT + "observation_jacobian"] = _compare(name, "the state", found, seen, moved, epsilon)
    return found


def reward_gradient(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """Gradients by the state before (2nv + na,), by the action, and by the state after (2nv + na,)."""
    known = task.reward_gradient(before, action, after) if hasattr(task, "reward_gradient") else None
    if known is None:
        return differenced_reward(task, before, action, after, contacts)
    name = f"{type(task).__name__}.reward_gradient"
    if not isinstance(known, (tuple, list)) or len(known) != 3:
        raise ValueError(f"{name} returned {shown(known)}, expected three arrays: by the state before, the action, the state after")
    first = _whole(task, f"{name}, by the state before,", known[0], (), before)
    by_action = _finite(f"{name}, by the action,", known[1], [(len(action),)], before)
    last = _whole(task, f"{name}, by the state after,", known[2], (), before)
    if _is_to_check(task, "reward_gradient"):

        def value(b: State, u: Array, a: State) -> Array:
            return np.array([earned(task, b, u, a, contacts)[0]])

        epsilon = epsilon_of(task.reward(before, action, after, contacts)[0])
        compared = [
            _compare(name, what, given[None], along, moved, epsilon)
            for what, given, along, moved in (
                ("the state before", first, lambda s: value(s, action, after), lambda d: moved_states(task, before, d)),
                ("the action", by_action, lambda u: value(before, u, after), lambda d: list(action + d)),
                ("the state after", last, lambda s: value(before, action, s), lambda d: moved_states(task, after, d)),
            )
        ]
        vars(task)[_KEPT + "reward_gradient"] = all(compared)
    return first, by_action, last


def control_jacobian(task: Any, action: Array) -> Array:
    """(nu, na) derivative of `task.control`: the task's own, compared once with differences, else differences."""
    action = np.asarray(action, float)
    if not has_own(task, "control_jacobian"):
        return task.control_jacobian(action) if hasattr(task, "control_jacobian") else differenced_control(task, action)
    name = f"{type(task).__name__}.control_jacobian"
    here = np.asarray(task.control(action), float)
    found = _numbers(name, task.control_jacobian(action), [(len(here), len(action))], f"the action {shown(action.tolist())}")
    if _is_to_check(task, "control_jacobian"):
        epsilon = epsilon_of(task.control(action))
        _refuse_outside(name, "the action", found, here, *_control_ends(task, action, step_of(epsilon, CHECK_STEP)), epsilon)
        vars(task)[_KEPT + "control_jacobian"] = True
    return found


def _whole(task: Any, name: str, given: Any, rows: tuple[int, ...], state: State) -> Array:
    """(*rows, 2nv + na) derivatives by a state; those (*rows, 2nv) without activations get zeros. ValueError for others."""
    n, short = tangent_size(task), 2 * int(task.sim.model.nv)
    slopes = _finite(name, given, [(*rows, n)] + [(*rows, short)] * (short < n), state)
    more = n - slopes.shape[-1]
    return slopes if not more else np.concatenate([slopes, np.zeros((*rows, more))], axis=-1)


def _finite(name: str, given: Any, shapes: list[tuple[int, ...]], state: State) -> Array:
    """The derivatives as an array of one of these shapes; ValueError names another one, or an entry that is not finite."""
    return _numbers(name, given, shapes, f"qpos {shown(state.qpos.tolist())}, qvel {shown(state.qvel.tolist())}")


def _numbers(name: str, given: Any, shapes: list[tuple[int, ...]], where: str) -> Array:
    """As `_finite`; where: what the error says of the place."""
    found = real_array(name, given)
    if found.shape not in shapes:
        raise ValueError(f"{name} has shape {found.shape}, expected {' or '.join(map(str, shapes))}")
    if not np.isfinite(found).all():
        at = tuple(np.argwhere(~np.isfinite(found))[0].tolist())
        raise ValueError(f"{name}: entry {list(at)} is {found[at]} at {where}, expected a number")
    return found


def _is_to_check(task: Any, name: str) -> bool:
    """Whether no derivatives of this name were compared yet for this task, and it does not say `check_derivatives = False`."""
    return getattr(task, "check_derivatives", True) and not getattr(task, "__dict__", {_KEPT + name: True}).get(_KEPT + name)


def _compare(
    name: str, what: str, given: Array, value: Callable[[Any], Array], moved: Callable[[Array], Sequence[Any]], epsilon: float
) -> bool:  # fmt: skip
    """ValueError names the first entry of given (p, n) that is no derivative of value, (p,) at places moved(steps (k, n)).

    False where nothing was compared, next to where the task is not defined. epsilon: the machine epsilon of the values.
    """
    step = step_of(epsilon, CHECK_STEP)
    steps = step * np.eye(given.shape[1])
    try:
        here = value(moved(np.zeros((1, given.shape[1])))[0])
        ahead, behind = (np.array([value(place) for place in moved(sign * steps)]).T for sign in (1.0, -1.0))
    except ValueError:
        return False
    _refuse_outside(name, what, given, here, (ahead - here[:, None]) / step, (here[:, None] - behind) / step, epsilon)
    return True


def _refuse_outside(name: str, what: str, given: Array, here: Array, ahead: Array, behind: Array, epsilon: float) -> None:
    """ValueError names the first entry of given (p, n) that is not between both one-sided differences; here (p,): the values."""
    step = step_of(epsilon, CHECK_STEP)
    largest = np.maximum(np.abs(given), np.maximum(np.abs(ahead), np.abs(behind))).max(axis=1)
    slack = (TOLERANCE * largest + 1e2 * epsilon * np.abs(here) / step + BENT * step**2)[:, None]
    wrong = first_outside(given, ahead, behind, slack)
    if wrong:
        row, j = wrong
        raise ValueError(
            f"{name}: row {row} by entry {j} of {what} is {given[row, j]:.6g}, differences give "
            f"{0.5 * (ahead + behind)[row, j]:.6g}; `check_derivatives = False` in the task takes it all the same"
        )


def _control_slopes(task: Any, action: Array, ahead: Array, behind: Array) -> Array:
    """(nu, na) differences of `control` between two places of each entry of the action, 0 where these are one."""
    far, eye = ahead - behind, np.eye(len(action), dtype=bool)
    rise = [np.subtract(task.control(np.where(e, ahead, action)), task.control(np.where(e, behind, action))) for e in eye]
    return np.divide(np.array(rise).T, far, out=np.zeros_like(np.array(rise, float).T), where=far > 0)


def differenced_control(task: Any, action: Array) -> Array:
    """(nu, na) derivative of `control` by central differences, at a bound of the action from within, beyond from without."""
    low, high = (np.asarray(bound, float) for bound in task.action_bounds)
    steps = step_of(epsilon_of(task.control(action))) * np.maximum(1.0, np.abs(action))
    ahead = np.where(action > high, action + steps, np.maximum(np.minimum(action + steps, high), action))
    behind = np.where(action < low, action - steps, np.minimum(np.maximum(action - steps, low), action))
    return _control_slopes(task, action, ahead, behind)


def _control_ends(task: Any, action: Array, step: float) -> tuple[Array, Array]:
    """One-sided differences of `control` (nu, na), ahead and behind, of which none reaches across a bound of the action."""
    low, high = (np.asarray(bound, float) for bound in task.action_bounds)
    steps = step * np.maximum(1.0, np.abs(action))
    ahead = np.where(action >= high, action + steps, np.minimum(action + steps, np.where(action < low, low, high)))
    behind = np.where(action <= low, action - steps, np.maximum(action - steps, np.where(action > high, high, low)))
    return _control_slopes(task, action, ahead, action), _control_slopes(task, action, action, behind)


def differenced_observation(task: Any, state: State, contacts: Any) -> Array:
    """(no, 2nv + na) by central differences."""
    step = step_of(epsilon_of(task.observe(state, contacts)))
    plus, minus = around(task, state, step)
    rows = [observed(task, p, contacts) - observed(task, m, contacts) for p, m in zip(plus, minus, strict=True)]
    return np.array(rows).T / (2 * step)


def differenced_reward(task: Any, before: State, action: Array, after: State, contacts: Any) -> tuple[Array, Array, Array]:
    """`reward_gradient` by central differences."""

    def value(b: State, u: Array, a: State) -> float:
        return earned(task, b, u, a, contacts)[0]

    step = step_of(epsilon_of(task.reward(before, action, after, contacts)[0]))
    first = [value(p, action, after) - value(m, action, after) for p, m in zip(*around(task, before, step), strict=True)]
    steps = step * np.eye(len(action))
    by_action = [value(before, action + d, after) - value(before, action - d, after) for d in steps]
    last = [value(before, action, p) - value(before, action, m) for p, m in zip(*around(task, after, step), strict=True)]
    return tuple(np.array(column) / (2 * step) for column in (first, by_action, last))  # type: ignore[return-value]
