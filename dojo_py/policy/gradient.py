"""Gradient of an episode's return by the policy's parameters: back-propagation through time.

    lambda_t = dr_t/dx_t + A_t' g_t + (da_t/dx_t)' (dr_t/da_t + B_t' g_t),   g_t = dr_t/dx_{t+1} + lambda_{t+1}
    dR/dtheta = sum_t (da_t/dtheta)' (dr_t/da_t + B_t' g_t)

x: tangent state [dq, dv, dact]; A, B: of the step at the central-path parameter kappa (Dojo, section V-C), or randomised
(smoothing.py). Either the roll-out itself runs at kappa, and this is the exact gradient of its return, or a roll-out in the hard
limit is differentiated at kappa at the states it visited (`links_along`). Contact impulses that a task observes are held constant;
only the compiled path (`_compiled`, closed_loop.py) differentiates them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.policy.asking import answered, checked_return, earned, observed
from dojo_py.policy.derivatives import observation_jacobian, reward_gradient, tangent_size
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.rollout import Episode, Job, Moment
from dojo_py.policy.smoothing import Smoothing, randomised_linearisation
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.status import LOST, OutOfDomain

Array = np.ndarray


class GradientJob(NamedTuple):
    """An episode to play and to differentiate."""

    job: Job
    truncation: int | None = None
    """lambda is set to zero after every so many steps back (see `accumulate`); None: never."""
    discount: float = 1.0
    """lambda is multiplied by this at each step back."""
    smoothing: Smoothing | None = None
    """Randomised smoothing in place of the simulator's derivatives."""


class GradientEpisode(NamedTuple):
    """Outcome of a GradientJob."""

    episode: Episode
    gradient: Array
    """(size,)"""
    evaluations: int
    """Simulated steps: of the episode and of randomised smoothing."""
    gradients: int
    """Differentiated steps."""
    cut: int = 0
    """Number of these without a derivative: effects of earlier actions after such a step are missing in the gradient."""


class _Link(NamedTuple):
    """Derivatives and values of one step that the backward pass needs."""

    A: Array
    B: Array
    by_before: Array
    by_action: Array
    by_after: Array
    seen: Array  # (no,) normalised observation
    by_seen: Array  # (no, 2nv + na) Jacobian of the normalised observation
    reward: float  # not clipped
    cut: bool  # the step has no derivative

    def scaled(self, weight: float) -> _Link:
        """A copy whose reward derivatives are multiplied by a weight."""
        by_before, by_action, by_after = self.by_before, self.by_action, self.by_after
        return self._replace(by_before=weight * by_before, by_action=weight * by_action, by_after=weight * by_after)


Differentiated = tuple[Array, Array, Any, Any, int]
"""A, B, the state after the action, the result of `move` (None: not called), number of additional simulated steps."""


def _step(task: Any, state: Any, action: Array, wanted: GradientJob, rng: np.random.Generator) -> Differentiated:
    """One differentiated step. Raises FloatingPointError or OutOfDomain where it has no derivative."""
    kappa = wanted.job.kappa
    if wanted.smoothing is not None:
        moved = task.move([state], action[None], kappa=kappa)[0]
        A, B = randomised_linearisation(task, state, action, wanted.smoothing, rng, kappa)
        return A, B, moved.state, moved, wanted.smoothing.steps
    moved = task.move([state], action[None], kappa=kappa)[0] if task.wants_contacts else None
    A, B, after = task.differentiate(state, action, kappa)
    return A, B, after if moved is None else moved.state, moved, 0


def _link(job: Job, moment: Moment, reward: float, A: Array, B: Array) -> _Link:
    """The link of a step with given A, B; reward not clipped. If A or B is not finite, both become 0, which stops lambda here."""
    task, (before, contacts, seen, action, after, later) = job.task, moment
    by_seen = job.gain[:, None] * observation_jacobian(task, before, contacts)
    slopes = reward_gradient(task, before, action, after, later)
    size = len(slopes[0])
    if A.shape != (size, size) or B.shape != (size, len(action)):
        raise ValueError(
            f"{type(task).__name__}.differentiate: A {A.shape} and B {B.shape}, expected {(size, size)} and {(size, len(action))}: "
            "[dq, dv, dact] after the action by that before it and by the action"
        )
    cut = not (np.all(np.isfinite(A)) and np.all(np.isfinite(B)))
    if cut:
        A, B = np.zeros_like(A), np.zeros_like(B)
    return _Link(A, B, *slopes, (seen - job.shift) * job.gain, by_seen, reward, cut)


def links_along(job: Job, path: list[Moment]) -> list[_Link]:
    """Links of an episode that was already played, differentiated at job.kappa at the states it visited.

    Costs one differentiated step per action; the episode is not simulated again. At a step without a derivative A and B are zero.
    """
    links, size = [], tangent_size(job.task)
    for moment in path:
        try:
            A, B, _ = job.task.differentiate(moment.before, moment.action, job.kappa)
        except (FloatingPointError, OutOfDomain):
            A, B = np.full((size, size), np.nan), np.full((size, len(moment.action)), np.nan)
        reward, _ = earned(job.task, moment.before, moment.action, moment.after, moment.contacts_after)
        links.append(_link(job, moment, float(reward), A, B))
    return links


class DifferentiatedRun:
    """An episode that is played and differentiated in segments; the parameters may change between them."""

    def __init__(self, wanted: GradientJob):
        job = wanted.job
        self.wanted = wanted
        self.rng = np.random.default_rng((*job.seed, 1))
        self.state = job.task.initial_state(np.random.default_rng(job.seed))
        self.contacts: Any = None
        self.rows: list[Array] = []
        self.total, self.extra, self.cut = 0.0, 0, 0
        self.over = False

    def play(self, parameters: Array, steps: int) -> Array:
        """(size,) gradient of the sum of the rewards of the next `steps` steps at most."""
        links = self.links(parameters, steps)
        return accumulate(self.wanted.job.policy, parameters, links, self.wanted.truncation, self.wanted.discount)

    def links(self, parameters: Array, steps: int) -> list[_Link]:
        """Links of the next steps, with the derivatives of the clipped rewards."""
        links: list[_Link] = []
        while len(links) < steps and not self.over:
            link = self._next(parameters)
            if link is not None:
                links.append(link.scaled(self.wanted.job.options.slope(link.reward)))
        return links

    def _next(self, parameters: Array) -> _Link | None:
        """One step; None if it has no derivative, which ends the episode."""
        job, state, contacts = self.wanted.job, self.state, self.contacts
        task = job.task
        seen = observed(task, state, contacts)
        self.rows.append(seen)
        action = answered(job.policy, parameters, (seen - job.shift) * job.gain, task.action_size)
        self.over = True
        try:
            A, B, after, moved, more = _step(task, state, action, self.wanted, self.rng)
        except (FloatingPointError, OutOfDomain):  # the step failed, or a body turns too fast
            self.cut += 1
            return None
        self.contacts = None if moved is None else moved.contacts
        reward, _ = earned(task, state, action, after, self.contacts)
        self.total += job.options.counted(float(reward))
        self.extra += more
        self.state = after
        self.over = (moved is not None and moved.status in LOST) or task.terminated(after) or len(self.rows) >= job.options.horizon
        link = _link(job, Moment(state, contacts, seen, action, after, self.contacts), float(reward), A, B)
        self.cut += link.cut
        return link

    def outcome(self, gradient: Array) -> GradientEpisode:
        """The outcome of the steps played so far, with this gradient."""
        n = len(self.rows)
        total = checked_return(self.wanted.job.task, self.total)
        return GradientEpisode(Episode(total, n, Statistics.of(np.array(self.rows))), gradient, n + self.extra, n, self.cut)


def play_and_differentiate(wanted: GradientJob) -> GradientEpisode:
    """Play an episode and differentiate its return. A pure function of the job.

    This takes two kernel calls if task and policy have kernels and the simulator has a reverse mode (closed_loop.py).
    """
    from dojo_py.policy.closed_loop import compiled_parts

    job = wanted.job
    exact = wanted.smoothing is None and job.kappa is not None and getattr(job.task, "mode", "") == "hard"
    if exact and not has_own(job.task, "differentiate") and compiled_parts(job.task, job.policy) is not None:
        return _compiled(wanted)
    run = DifferentiatedRun(wanted)
    gradient = run.play(wanted.job.parameters, wanted.job.options.horizon)
    return run.outcome(gradient)


def _compiled(wanted: GradientJob) -> GradientEpisode:
    from dojo_py.policy.closed_loop import borrowed

    job, options = wanted.job, wanted.job.options
    assert job.kappa is not None
    state = job.task.initial_state(np.random.default_rng(job.seed))
    with borrowed(job.task, job.policy, options.horizon) as loop:
        played = loop.play(job.parameters, state, (job.shift, job.gain), job.kappa, options)
        weights = np.array([options.slope(r) for r in played.rewards])
        found = loop.pull_back(played, weights, job.kappa, None, wanted.truncation or 0, wanted.discount)
    n = len(weights)
    episode = Episode(checked_return(job.task, played.total), n, Statistics.of(played.observations[:n]), played.whole)
    return GradientEpisode(episode, found.parameters, n, n, found.cut)


def accumulate(policy: Any, parameters: Array, links: list[_Link], truncation: int | None, discount: float) -> Array:
    """(size,) gradient by the backward pass. truncation: lambda is reset to zero after every so many steps; None: never."""
    gradient = np.zeros(policy.size)
    carried = np.zeros(len(links[0].by_before) if links else 0)
    for k, link in enumerate(reversed(links)):
        if truncation and k % truncation == 0:
            carried = np.zeros_like(carried)
        g = link.by_after + discount * carried
        by_action = link.by_action + link.B.T @ g
        by_parameters, by_scaled = policy.backward(parameters, link.seen, by_action)
        gradient += by_parameters
        carried = link.by_before + link.A.T @ g + link.by_seen.T @ by_scaled
    return gradient


def jacobian_ahead(policy: Any, parameters: Array, links: list[_Link], reach: int) -> Array:
    """(n, size) derivatives of each reward by the parameters, through its own action and the reach - 1 before it.

    There is one lambda for each later reward: (reach, 2nv + na), the nearest reward first. At reach n the sum of the rows is the
    gradient of `accumulate`. A row that overflows is set to zero.
    """
    n, eye = len(links), np.eye(policy.action_size)
    jacobian = np.zeros((n, policy.size))
    carried = np.zeros((reach, len(links[0].by_before) if links else 0))
    for t in reversed(range(n)):
        link, ahead = links[t], min(reach, n - t)
        g = np.vstack([link.by_after, carried[:-1]])
        by_action = g @ link.B
        by_action[0] += link.by_action
        back = [policy.backward(parameters, link.seen, e) for e in eye]
        jacobian[t : t + ahead] += by_action[:ahead] @ np.array([by_parameters for by_parameters, _ in back])
        carried = g @ link.A + by_action @ np.array([by_scaled for _, by_scaled in back]) @ link.by_seen
        carried[0] += link.by_before
    jacobian[~np.all(np.isfinite(jacobian), axis=1)] = 0.0
    return jacobian
