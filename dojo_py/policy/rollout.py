"""One episode of a policy: what it earned, how many steps it took, what it saw.

A task (see `dojo_py.environments.task.Task`) offers initial_state, observe, move, differentiate, reward, terminated and `sim`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.policy.asking import answered, earned, observed
from dojo_py.policy.normaliser import Statistics
from dojo_py.simulate.status import LOST
from dojo_py.simulate.values import check_fields

Array = np.ndarray


@dataclass(frozen=True)
class RolloutOptions:
    """How an episode runs and is counted."""

    horizon: int = 1000
    """Most actions."""
    reward_clip: float | None = None
    """Each action's reward is clipped to ± this; None: not at all."""
    reward_shift: float = 0.0
    """Taken off each action's reward: the reference ARS removes a survival bonus so."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.horizon < 1:
            raise ValueError(f"horizon={self.horizon!r} must be at least 1")
        if self.reward_clip is not None and not self.reward_clip > 0:
            raise ValueError(f"reward_clip={self.reward_clip!r} must be positive, or None")

    def counted(self, reward: float) -> float:
        """The reward as it is added up."""
        r = reward - self.reward_shift
        return r if self.reward_clip is None else min(max(r, -self.reward_clip), self.reward_clip)

    def slope(self, reward: float) -> float:
        """Derivative of `counted`: 0 where it clips."""
        return float(self.reward_clip is None or abs(reward - self.reward_shift) < self.reward_clip)


class Job(NamedTuple):
    """One episode to play; picklable, so that processes can take it."""

    task: Any
    policy: Any
    parameters: Array
    shift: Array
    """(no,) subtracted from observations."""
    gain: Array
    """(no,) multiplied afterwards."""
    seed: tuple[int, ...]
    """Of the episode's start."""
    options: RolloutOptions
    kappa: float | None = None
    """Of the simulation [N m s]; None: the hard limit."""


class Episode(NamedTuple):
    """Outcome of a Job."""

    total: float
    steps: int
    """Simulated actions."""
    statistics: Statistics
    whole: bool = True
    """It was played to its end, not stopped."""


class Moment(NamedTuple):
    """One action of an episode."""

    before: Any
    contacts: Any
    """Of the step that led there; None at the start or when the task does not want them."""
    seen: Array
    """(no,) before whitening."""
    action: Array
    after: Any
    contacts_after: Any


def play(job: Job, path: list[Moment] | None = None, least: Array | None = None) -> Episode:
    """Play an episode. A pure function: the same job gives the same bits in any thread or process.

    path: a list to which every action is appended. least (n,): what must have been earned after each action, the last one for all
    that follow; below, the episode stops. One kernel call where task and policy have kernels (closed_loop.py).
    """
    from dojo_py.policy.closed_loop import compiled_parts

    state = job.task.initial_state(np.random.default_rng(job.seed))
    if compiled_parts(job.task, job.policy) is None:
        return _play_in_python(job, state, path, least)
    return _play_compiled(job, state, path, least)


def _play_compiled(job: Job, state: Any, path: list[Moment] | None, least: Array | None) -> Episode:
    from dojo_py.policy.closed_loop import borrowed

    with borrowed(job.task, job.policy, job.options.horizon) as loop:
        played = loop.play(job.parameters, state, (job.shift, job.gain), job.kappa, job.options, least)
        if path is not None:
            path += loop.moments()
    n = len(played.rewards)
    return Episode(played.total, n, Statistics.of(played.observations[:n]), played.whole)


def _play_in_python(job: Job, state: Any, path: list[Moment] | None, least: Array | None) -> Episode:
    task, options = job.task, job.options
    contacts, seen = None, observed(task, state, None)
    rows, total, whole = [], 0.0, True
    for _ in range(options.horizon):
        rows.append(seen)
        action = answered(job.policy, job.parameters, (seen - job.shift) * job.gain, task.action_size)
        moved = task.move([state], action[None], kappa=job.kappa)[0]
        reward, _ = earned(task, state, action, moved.state, moved.contacts)
        total += options.counted(reward)
        if path is not None:
            path.append(Moment(state, contacts, seen, action, moved.state, moved.contacts))
        state, contacts = moved.state, moved.contacts
        if task.terminated(state) or moved.status in LOST:
            break
        if least is not None and total < least[min(len(rows), len(least)) - 1]:
            whole = False
            break
        seen = observed(task, state, contacts)
    return Episode(total, len(rows), Statistics.of(np.array(rows)), whole)
