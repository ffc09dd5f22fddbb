"""The closed loop for tasks and policies without kernels: the compiled roll-out calls them back in Python (see loop_kernels.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.by_address import FRESH, GO, STOP, Callback
from dojo_py.collision.contact_columns import GEOMS, IMPULSE, TORQUE
from dojo_py.policy import loop_counts as at
from dojo_py.policy.asking import answered, earned, observed
from dojo_py.policy.derivatives import (
    control_jacobian,
    differenced_observation,
    differenced_reward,
    observation_jacobian,
    reward_gradient,
    step_of,
)
from dojo_py.simulate.status import LOST, Status
from dojo_py.simulate.values import epsilon_of

Array = np.ndarray


class AskedInPython:
    """Call-backs of the roll-out of a ClosedLoop: `act` before each step, `back` before each step of the reverse pass."""

    def __init__(self, loop: Any):
        self.loop = loop
        self.act, self.back = Callback(self._decide), Callback(self._pull)
        self.states: list[Any] = []
        self.contacts: list[Any] = []
        self.parts: list[dict[str, float]] = []

    def _decide(self, t: int, status: int) -> int:
        loop, d, task = self.loop, self.loop.data, self.loop.task
        c, skip = d.counts, loop.skip
        if t == 0:
            self._begin()
        c[at.WORST] = Status.worst((c[at.WORST], status))
        if t % skip:
            d.control[t] = d.control[t - 1]
            return GO
        k = t // skip
        if k > 0:
            self._finish(k, t)
        state, contacts = self.states[k], self.contacts[k]
        if c[at.POLICY] or k > 0:
            d.seen[k] = _shaped("task.observe", observed(task, state, contacts), d.seen[k])
        if k > 0:
            if c[at.WORST] in LOST or task.terminated(state):
                c[at.OVER] = 1
                return STOP
            if d.sums[at.TOTAL] < d.least[k - 1]:
                c[at.WHOLE] = 0
                return STOP
        if k >= c[at.HORIZON]:
            return STOP
        if c[at.POLICY]:
            d.actions[k] = answered(loop.policy, d.parameters, (d.seen[k] - d.shift) * d.gain, len(d.actions[k]))
        d.control[t] = task.control(d.actions[k])
        c[at.WORST] = 0
        return FRESH

    def _begin(self) -> None:
        d, rows = self.loop.data, self.loop.rows
        c = d.counts
        if c[at.ONWARD]:
            last = c[at.DONE] * self.loop.skip
            for table in (d.qpos, d.qvel, d.act, d.bodies, d.impulses):
                if len(table):
                    table[0] = table[last]
            self.states, self.contacts = [self.states[c[at.DONE]]], [self.contacts[c[at.DONE]]]
        else:
            self.states, self.contacts = [rows.state(0)], [None]
        self.parts = []
        c[[at.DONE, at.OVER, at.WHOLE, at.WORST]], d.sums[at.TOTAL] = (0, 0, 1, 0), 0.0

    def _finish(self, k: int, t: int) -> None:
        loop, d, task = self.loop, self.loop.data, self.loop.task
        self.states.append(loop.rows.state(t))
        if task.wants_contacts:
            d.kept[k] = loop.rows.contacts
        self.contacts.append(loop.rows.contacts_of(loop.rows.contacts) if task.wants_contacts else None)
        value, parts = earned(task, self.states[k - 1], d.actions[k - 1].copy(), self.states[k], self.contacts[k])
        self.parts.append(dict(parts))
        d.rewards[k - 1], d.status[k - 1], d.counts[at.DONE] = value, d.counts[at.WORST], k
        value -= d.sums[at.SHIFT]
        d.sums[at.TOTAL] += min(max(value, -d.sums[at.CLIP]), d.sums[at.CLIP]) if d.counts[at.LIMITED] else value

    def _pull(self, t: int, status: int) -> int:
        loop, d, task = self.loop, self.loop.data, self.loop.task
        c, skip, here = d.counts, loop.skip, t + 1
        d.by_contacts[:] = 0.0
        if here % skip:
            return GO
        k, done = here // skip, int(c[at.DONE])
        by_seen = d.slopes_seen[k].copy()
        if k < done:
            d.by_action[k] += d.by_control[here : here + skip].sum(axis=0) @ control_jacobian(task, d.actions[k])
            if c[at.POLICY]:
                seen = (d.seen[k] - d.shift) * d.gain
                by_parameters, by_input = loop.policy.backward(d.parameters, seen, d.by_action[k])
                d.by_parameters[:] += by_parameters
                by_seen += d.gain * by_input
        if by_seen.any():
            slope = differenced_observation if task.wants_contacts else observation_jacobian  # (a task's own has none by contacts)
            d.cotangents[here] += by_seen @ slope(task, self.states[k], self.contacts[k])
            if k > 0:
                d.by_contacts[:] += self._by_contacts(k, lambda found: by_seen @ task.observe(self.states[k], found))
        if k > 0:
            if k < done:
                cut = c[at.TRUNCATION] > 0 and (done - k) % c[at.TRUNCATION] == 0
                d.cotangents[here] *= 0.0 if cut else d.sums[at.DISCOUNT]
                d.by_contacts[:] *= 0.0 if cut else d.sums[at.DISCOUNT]
            before, action, after = self.states[k - 1], d.actions[k - 1].copy(), self.states[k]
            differentiate = differenced_reward if task.wants_contacts else reward_gradient
            slopes = differentiate(task, before, action, after, self.contacts[k])
            weight = d.weights[k - 1]
            d.cotangents[here - skip] += weight * slopes[0]
            d.by_action[k - 1] += weight * slopes[1]
            d.cotangents[here] += weight * slopes[2]
            by_reward = self._by_contacts(k, lambda found: task.reward(before, action, after, found)[0])
            d.by_contacts[:] += weight * by_reward
        return GO

    def _by_contacts(self, k: int, value: Callable[[Any], Any]) -> Array:
        """(n, width) derivative of value(contacts) by the contact table of observation k, by central differences."""
        loop = self.loop
        out = np.zeros_like(loop.data.by_contacts)
        if not loop.task.wants_contacts:
            return out
        table = loop.data.kept[k].copy()
        step = step_of(epsilon_of(value(loop.rows.contacts_of(table))))
        for i in np.flatnonzero(table[:, IMPULSE]):
            for column in (*range(GEOMS), *range(TORQUE, TORQUE + 3)):
                here = table[i, column]
                for sign in (1.0, -1.0):
                    table[i, column] = here + sign * step
                    out[i, column] += sign * float(value(loop.rows.contacts_of(table))) / (2 * step)
                table[i, column] = here
        return out


def _shaped(name: str, value: Array, room: Array) -> Array:
    """The value; ValueError unless it has the shape of the array `room`, where it will be stored."""
    if value.shape != room.shape:
        raise ValueError(f"{name} returned an array of shape {value.shape}, the task's sizes ask for {room.shape}")
    return value
