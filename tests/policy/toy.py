"""A task without a simulator: a linear system pushed to the origin, x+ = A x + B u, r = -|x+|² - 0.1 |u|²."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from dojo_py.simulate.results import State
from dojo_py.simulate.status import Status

A = np.array([[1.0, 0.1], [0.0, 1.0]])
B = np.array([[0.005], [0.1]])


class ToyModel:
    """One coordinate."""

    nv, nq, nu = 1, 1, 1

    def integrate(self, qpos, dq):
        return qpos + dq

    def difference(self, b, a):
        return b - a


@dataclass(frozen=True)
class Toy:
    """What searches ask of a task."""

    sim: ClassVar[SimpleNamespace] = SimpleNamespace(model=ToyModel())
    wants_contacts: ClassVar[bool] = False
    observation_size: ClassVar[int] = 2
    action_size: ClassVar[int] = 1

    limit: float = 100.0
    fixed: bool = False
    """Every episode has the same start."""

    def initial_state(self, rng):
        rng = np.random.default_rng(1) if self.fixed else rng
        return State(rng.uniform(-1, 1, 1), rng.uniform(-1, 1, 1), np.zeros(0))

    def observe(self, state, contacts):
        return np.concatenate([state.qpos, state.qvel])

    def move(self, states, actions, threads=1, kappa=None):
        x = [A @ self.observe(s, None) + B @ u for s, u in zip(states, actions, strict=True)]
        after = [State(z[:1], z[1:], np.zeros(0), s.time + 0.1) for z, s in zip(x, states, strict=True)]
        return [SimpleNamespace(state=s, contacts=None, status=Status.SOLVED) for s in after]

    def differentiate(self, state, action, kappa):
        return A, B, self.move([state], action[None])[0].state

    def reward(self, before, action, after, contacts):
        x = self.observe(after, None)
        return -float(x @ x) - 0.1 * float(action @ action), {}

    def terminated(self, state):
        return abs(float(state.qpos[0])) > self.limit
