"""StateTask: any model as a task with observation [qpos, qvel] and the controls as action."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.simulate.own_steps import by_simulator
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.values import count, having

Array = np.ndarray


class StateKernels(NamedTuple):
    """Kernels for a compiled closed loop, see Task.loop_kernels."""

    module: Any
    parts: tuple[str, ...]
    numbers: Array


class StateTask:
    """Observation (nq + nv,): the state; action (nu,): the controls, held for frame_skip steps. The reward is 0."""

    wants_contacts = False

    def __init__(self, simulator: Simulator, frame_skip: int = 1):
        having("simulator", simulator, ("loop", "model"), "a HardSimulator or a SoftSimulator")
        self.sim, self.frame_skip = simulator, count("frame_skip", frame_skip)
        model = simulator.model
        self.observation_size, self.action_size = int(model.nq + model.nv), int(model.nu)
        self.action_bounds = np.full(model.nu, -np.inf), np.full(model.nu, np.inf)

    def loop_kernels(self) -> StateKernels:
        """Kernels for a compiled closed loop."""
        from dojo_py.policy import state_kernels

        return StateKernels(state_kernels, (), np.zeros(0))

    def control(self, action: Array) -> Array:
        """(nu,) the action."""
        return np.array(action, float)

    @by_simulator
    def control_jacobian(self, action: Array) -> Array:
        """(nu, nu) identity."""
        return np.eye(self.action_size)

    def observe(self, state: State, contacts: Any) -> Array:
        """(nq + nv,)"""
        return np.concatenate([state.qpos, state.qvel])

    def reward(self, before: State, action: Array, after: State, contacts: Any) -> tuple[float, dict[str, float]]:
        """Reward 0, without terms."""
        return 0.0, {}

    def terminated(self, state: State) -> bool:
        """Never."""
        return False
