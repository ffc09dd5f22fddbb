"""Roll-outs on processes and other machines: simulators as recipes, which workers build once and keep.

Simulators hold kernels' memory and locks and are not sent; what makes one is: model, time step, options, parameter values.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dojo_py.hard.simulator import HardSimulator
from dojo_py.simulate.arguments import batch_of
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.trajectory import Trajectory
from dojo_py.simulate.values import having
from dojo_py.soft import SoftSimulator
from dojo_py.workers import Workers

Array = np.ndarray
KEPT = 8
"""Simulators that a worker keeps."""
PIECES = 32
"""Most jobs that a sweep or a fit is cut into."""


@dataclass(frozen=True)
class Recipe:
    """A simulator as bytes that any process can make it from."""

    data: bytes

    @classmethod
    def of(cls, sim: Simulator) -> Recipe:
        """Of a HardSimulator, with the values that `with_parameters` gave it, a SoftSimulator, or anything that can be pickled."""
        made: tuple[Any, ...]
        if isinstance(sim, HardSimulator):
            made = ("hard", sim.model, sim.timestep, sim.friction, sim.options, sim._root._values)
        elif isinstance(sim, SoftSimulator):
            made = ("soft", sim.model, sim.timestep, sim.options)
        else:
            made = ("", sim)
        return cls(pickle.dumps(made))

    def simulator(self) -> Simulator:
        """The simulator; one for all equal recipes of a process."""
        return _build(self.data)


@lru_cache(maxsize=KEPT)
def _build(data: bytes) -> Simulator:
    kind, made, *how = pickle.loads(data)
    if kind == "soft":
        timestep, options = how
        return SoftSimulator(made, timestep, options=options)
    if kind == "hard":
        timestep, friction, options, changes = how
        # (what was left out has been said where it was built)
        sim = HardSimulator(made, timestep, friction=friction, options=options, unsupported="skip")
        for values in changes:
            sim = sim.with_parameters(values)
        return sim
    return made


def rollout_batch(
    sim: Simulator, states: Sequence[State] | State, controls: Array, workers: Workers, *, threads: int = 1, **how: Any
) -> list[Trajectory]:
    """`sim.rollout_batch(states, controls, **how)` with the worlds spread over workers; the same numbers bit for bit.

    states: B of them or one, controls (B, T, nu). threads: of each worker.
    """
    having("sim", sim, ("model", "rollout_batch"), "a HardSimulator or a SoftSimulator")
    having("workers", workers, ("map",), "Workers")
    starts, u, threads = batch_of(sim.model, states, controls, threads)
    recipe = Recipe.of(sim)
    jobs = [_Worlds(recipe, [starts[b] for b in part], u[part], {**how, "threads": threads}) for part in pieces(len(u))]
    return [replace(trajectory, model=sim.model) for part in workers.map(_roll_out, jobs) for trajectory in part]


def pieces(items: int) -> list[Array]:
    """Numbers 0 … items - 1 in at most PIECES runs of nearly the same length."""
    return [part for part in np.array_split(np.arange(items), min(PIECES, items)) if len(part)] if items else []


@dataclass(frozen=True)
class _Worlds:
    """Some worlds of a sweep."""

    recipe: Recipe
    states: list[State]
    controls: Array
    how: dict[str, Any]


def _roll_out(job: _Worlds) -> list[Trajectory]:
    return job.recipe.simulator().rollout_batch(job.states, job.controls, **job.how)
