"""Gradient of an episode's return by the policy's parameters: the chain rule through every step.

    lambda_t = dr_t/dx_t + A_t' g_t + (da_t/dx_t)' (dr_t/da_t + B_t' g_t),   g_t = dr_t/dx_{t+1} + lambda_{t+1}
    dR/dtheta = sum_t (da_t/dtheta)' (dr_t/da_t + B_t' g_t)

x: tangent state [dq, dv]; A, B: of the step at the central-path parameter kappa (Dojo, section V-C), or randomised (smoothing.py).
The roll-out itself runs at kappa, so that this is the exact derivative of what it earned; contact impulses that a task observes
count as constants.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.policy.derivatives import observation_jacobian, reward_gradient
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.rollout import LOST, Episode, Job
from dojo_py.policy.smoothing import Smoothing, randomised_linearisation

Array = np.ndarray


class GradientJob(NamedTuple):
    """An episode to play and to differentiate."""

    job: Job
    truncation: int | None = None
    """Steps through which lambda is carried at most; None: all."""
    discount: float = 1.0
    """lambda is multiplied by this at each step back."""
    smoothing: Smoothing | None = None
    """Randomised in place of implicit gradients."""


class GradientEpisode(NamedTuple):
    """Outcome of a GradientJob."""

    episode: Episode
    gradient: Array
    """(size,)"""
    evaluations: int
    """Simulated steps: the episode's, and those of randomised gradients."""
    gradients: int
    """Steps differentiated."""


class _Link(NamedTuple):
    """What the way back needs of one step."""

    A: Array
    B: Array
    by_before: Array
    by_action: Array
    by_after: Array
    seen: Array
    by_seen: Array  # (no, 2nv) of the normalised observation


Differentiated = tuple[Array, Array, Any, Any, int]
"""A, B, the state after the action, what `move` returned (None: not asked), the extra steps simulated."""


def _step(task: Any, state: Any, action: Array, wanted: GradientJob, rng: np.random.Generator) -> Differentiated:
    """One differentiated step. FloatingPointError or ValueError where the state cannot be differentiated."""
    kappa = wanted.job.kappa
    if wanted.smoothing is not None:
        moved = task.move([state], action[None], kappa=kappa)[0]
        A, B = randomised_linearisation(task, state, action, wanted.smoothing, rng, kappa)
        return A, B, moved.state, moved, wanted.smoothing.steps
    if task.wants_contacts:
        moved = task.move([state], action[None], kappa=kappa)[0]
        A, B, _ = task.differentiate(state, action, kappa)
        return A, B, moved.state, moved, 0
    A, B, after = task.differentiate(state, action, kappa)
    return A, B, after, None, 0


def play_and_differentiate(wanted: GradientJob) -> GradientEpisode:
    """Play an episode and differentiate its return. A pure function of the job."""
    job = wanted.job
    task, policy, options = job.task, job.policy, job.options
    rng = np.random.default_rng((*job.seed, 1))
    state = task.initial_state(np.random.default_rng(job.seed))
    contacts, links, rows, total, extra = None, [], [], 0.0, 0
    for _ in range(options.horizon):
        seen = task.observe(state, contacts)
        rows.append(seen)
        scaled = (seen - job.shift) * job.gain
        action = policy.act(job.parameters, scaled)
        by_seen = job.gain[:, None] * observation_jacobian(task, state, contacts)
        try:
            A, B, after, moved, more = _step(task, state, action, wanted, rng)
        except (FloatingPointError, ValueError):  # the step failed, or turns too fast: the episode ends here
            break
        contacts = None if moved is None else moved.contacts
        reward, _ = task.reward(state, action, after, contacts)
        slope = options.slope(float(reward))
        parts = reward_gradient(task, state, action, after, contacts)
        by_before, by_action, by_after = (slope * part for part in parts)
        links.append(_Link(A, B, by_before, by_action, by_after, scaled, by_seen))
        total += options.counted(float(reward))
        extra += more
        stuck = after.time == state.time or (moved is not None and moved.status in LOST)
        state = after
        if task.terminated(state) or stuck:
            break
    gradient = accumulate(policy, job.parameters, links, wanted.truncation, wanted.discount)
    n = len(rows)
    return GradientEpisode(Episode(total, n, Statistics.of(np.array(rows))), gradient, n + extra, n)


def accumulate(policy: Any, parameters: Array, links: list[_Link], truncation: int | None, discount: float) -> Array:
    """(size,) the sum over the steps, backwards. truncation: lambda starts from zero again after every so many steps."""
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
