"""One episode of a policy: its return, its number of steps, and the statistics of its observations.

A task (see `dojo_py.environments.task.Task`) offers initial_state, observe, move, differentiate, reward, terminated and `sim`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.policy.asking import answered, checked_return, earned, observed
from dojo_py.policy.normaliser import Statistics
from dojo_py.simulate.status import LOST
from dojo_py.simulate.values import check_fields

Array = np.ndarray


@dataclass(frozen=True)
class RolloutOptions:
    """Horizon of an episode, and how its rewards are shifted and clipped."""

    horizon: int = 1000
    """Largest number of actions."""
    reward_clip: float | None = None
    """Rewards are clipped to ± this; None: no clipping."""
    reward_shift: float = 0.0
    """Subtracted from every reward, before clipping; the reference code of ARS removes the survival bonus in this way."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.horizon < 1:
            raise ValueError(f"horizon={self.horizon!r} must be at least 1")
        if self.reward_clip is not None and not self.reward_clip > 0:
            raise ValueError(f"reward_clip={self.reward_clip!r} must be positive, or None")

    def counted(self, reward: float) -> float:
        """The shifted and clipped reward, as the return adds it."""
        r = reward - self.reward_shift
        return r if self.reward_clip is None else min(max(r, -self.reward_clip), self.reward_clip)

    def slope(self, reward: float) -> float:
        """Derivative of `counted` by the reward: 0 where it is clipped."""
        return float(self.reward_clip is None or abs(reward - self.reward_shift) < self.reward_clip)


class Job(NamedTuple):
    """One episode to play; picklable, so that it can be sent to other processes."""

    task: Any
    policy: Any
    parameters: Array
    shift: Array
    """(no,) subtracted from observations."""
    gain: Array
    """(no,) multiplied afterwards."""
    seed: tuple[int, ...]
    """Seed of the initial state."""
    options: RolloutOptions
    kappa: float | None = None
    """Central-path parameter of the simulation [N m s]; None: the hard limit."""


class Episode(NamedTuple):
    """Outcome of a Job."""

    total: float
    steps: int
    """Number of simulated actions; `total` is the return of shifted and clipped rewards."""
    statistics: Statistics
    whole: bool = True
    """False if it was abandoned (`least` of `play`)."""


class Moment(NamedTuple):
    """One transition of an episode."""

    before: Any
    contacts: Any
    """Contacts of the step that led to `before`; None at the start, or if the task does not use contacts."""
    seen: Array
    """(no,) observation of `before`, not normalised."""
    action: Array
    after: Any
    contacts_after: Any


def play(job: Job, path: list[Moment] | None = None, least: Array | None = None) -> Episode:
    """Play an episode. A pure function: the same job gives bitwise the same result in any thread or process.

    path: a list to which every transition is appended. least (n,): the episode is abandoned when its partial return after an action
    falls below this; the last entry holds for all further actions. One kernel call if both task and policy have kernels.
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
    return Episode(checked_return(job.task, played.total), n, Statistics.of(played.observations[:n]), played.whole)


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
    return Episode(checked_return(task, total), len(rows), Statistics.of(np.array(rows)), whole)
