"""Gradient search whose steps are Gauss-Newton's and are tried by episodes: AGS with exploration.

One iteration differentiates the present episode, at the states it went through, and tries, by plain episodes,

    theta + s (step_size d / |d| + noise delta / sqrt(size)),   delta ~ N(0, 1)
    d = J' (J J' + damping m I)^-1 e,   m: mean of the diagonal of J J'

until one earns more than the present one less `patience` spreads of the returns so far for each try refused: the returns of hard
contact have narrow maxima, and accepting only improvements stalls on one. s grows with each step taken, shrinks with each
refused. A try that is `margin` below even that, compared at the same action of the episode, is abandoned. The search offers the
best policy it has played.

Where a task's episodes start differently, every iteration has a start of its own, at which the present policy is played anew and
the tries beside it, and the search offers the best of its trials (`Search.trial`): a lucky start makes no policy.

J: derivatives of each action's reward by the parameters; e: what each reward lacks of its clipping. The plain gradient, J' e at a
large damping, is ruled by the few rewards that react most, landings above all; d asks every reward for the share it lacks. Where
rewards are not clipped, d is the plain gradient. Damping and `reach`, the actions that answer for a reward, are drawn anew for
every try, which costs no differentiation.

Charged: a step simulated for each action of a try, and a step differentiated (solved at kappa, with its derivatives) for each
action of the episode they start from.
Sources: Suh et al. (2022) on smoothing by noise; Levenberg (1944), Marquardt (1963) on damping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import lsmr

from dojo_py.policy.ags import unit
from dojo_py.policy.asking import earned, observed
from dojo_py.policy.derivatives import observation_jacobian
from dojo_py.policy.gradient import jacobian_ahead, links_along
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.rollout import Job, Moment, play
from dojo_py.policy.search import Search
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray

LEAST, MOST = 0.7, 2.0
"""Bounds of s: smaller steps stay in the valley they started from."""
GROWTH, SHRINKAGE = 1.3, 0.8
"""Factors on s after a step was taken, or refused."""


@dataclass(frozen=True)
class ClimbOptions:
    """The algorithm's figures."""

    step_size: float = 0.12
    """Length of a step along the gradient, in the parameters."""
    noise: float = 0.15
    """Length of the perturbation, root mean square, in the parameters."""
    dampings: tuple[float, ...] = (0.3, 3.0)
    """Of Gauss-Newton's step; drawn from for every try."""
    kappas: tuple[float, ...] = (1e-2, 5e-2)
    """Central-path parameters of the gradients [N m s], in turn."""
    reaches: tuple[int, ...] = (10, 15)
    """Actions that answer for a reward, the last ones; drawn from for every try."""
    patience: float = 0.15
    """A try may earn less than the present episode by this for every try refused before, in spreads of the returns so far."""
    margin: float = 0.3
    """A try is abandoned so far below what would be taken, in the same spreads."""
    warmup: int = 3
    """Episodes with random parameters at the start, to learn how observations spread."""
    warmup_noise: float = 0.3
    """Standard deviation of their parameters."""
    velocity_gain: float = 0.1
    """In these episodes observations are relative to the start, and those that depend on velocities multiplied by this."""
    normalise: bool = True
    """Whiten observations by their running mean and deviation."""
    starts: int = 6
    """Episodes of a trial, where the task's episodes start differently."""
    gradients: bool = True
    """False: the same search with d = 0, noise alone: what it earns without derivatives. They are neither taken nor charged."""

    def __post_init__(self) -> None:
        check_fields(self)
        limit_fields(self, "step_size", "noise", "patience", "margin", "warmup_noise", "velocity_gain")
        for name in ("step_size", "noise", "patience", "margin", "warmup_noise", "velocity_gain"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")
        if self.starts < 1:
            raise ValueError(f"starts={self.starts!r} must be at least 1")
        if self.warmup < 0:
            raise ValueError(f"warmup={self.warmup!r} must be at least 0")
        if not self.kappas or not min(self.kappas) > 0:
            raise ValueError(f"kappas={self.kappas!r} must be positive [N m s], at least one")
        if not self.reaches or min(self.reaches) < 1:
            raise ValueError(f"reaches={self.reaches!r} must be at least 1, and one of them at least")
        if not self.dampings or not min(self.dampings) > 0:
            raise ValueError(f"dampings={self.dampings!r} must be positive")


class Climb(Search):
    """Gradient search whose steps are tried by episodes; `test` and the history speak of the best policy it has played or tried.

    kept: that policy ("best", "best shift", "best gain"), and the whitening of the present one ("shift", "gain").
    """

    kind = "climb"
    accepted = ClimbOptions
    options: ClimbOptions
    path: list[Moment] | None = None
    """The episode of the present parameters; not in checkpoints, a resumed search plays it again."""

    def affordable(self, budget: int | None) -> bool:
        """An episode more, and its derivatives, stay within the budget, and what comes before them where episodes differ."""
        episodes = 2
        if self.varied:
            episodes += 1 + (self.options.starts if self.trial_due() else 0) + (self.options.warmup if self.iteration == 0 else 0)
        return budget is None or self._spent() + episodes * self.rollout.horizon <= budget

    def _spent(self) -> int:
        return self.evaluations + self.gradients

    def _update(self) -> Array:
        o, theta = self.options, self.parameters
        path = self._present()
        jacobians: list[Array] = []
        if o.gradients:
            links = links_along(self._job(theta, self._whitening(), o.kappas[self.iteration % len(o.kappas)]), path)
            self.gradients += len(links)
            self.note_cut(sum(link.cut for link in links))
            rewards = np.array([self.rollout.counted(link.reward) for link in links])
            jacobians = [jacobian_ahead(self.policy, theta, links, reach) for reach in o.reaches]
        else:
            given = [earned(self.task, m.before, m.action, m.after, m.contacts_after)[0] for m in path]
            rewards = np.array([self.rollout.counted(float(reward)) for reward in given])
        so_far = np.cumsum(rewards)
        whitening, tries, present = self.whitening(), 0, self.memory["return"]
        while self.budget is None or self._spent() + self.rollout.horizon <= self.budget:
            steep = np.zeros_like(theta)
            if jacobians:
                jacobian = jacobians[self.rng.integers(len(jacobians))]
                steep = unit(self._uphill(jacobian, rewards, self.rng.choice(o.dampings)))
            delta = self.rng.standard_normal(self.policy.size) / np.sqrt(self.policy.size)
            change = self.memory["scale"] * (o.step_size * steep + o.noise * delta)
            spread = self._spread()
            fall = o.patience * spread * tries
            # (without a spread nothing tells what is far below: tries are played to their end, and teach it)
            least = so_far - fall - o.margin * spread if spread > 0.0 else None
            total, path, whole = self._try(theta + change, whitening, least)
            if whole and total >= present - fall:  # equal: parameters that change nothing here, as where nothing moved so far
                scale = min(GROWTH * self.memory["scale"], MOST)
                self.memory |= {"return": total, "scale": scale}
                self.kept |= {"shift": whitening[0], "gain": whitening[1]}
                self.path = path
                return change
            self.memory["scale"] = max(SHRINKAGE * self.memory["scale"], LEAST)
            tries += 1
        return np.zeros_like(theta)

    def _uphill(self, jacobian: Array, rewards: Array, damping: float) -> Array:
        """(size,) direction to try, from the rewards and their derivatives."""
        clip = self.rollout.reward_clip
        return jacobian.sum(axis=0) if clip is None else gauss_newton(jacobian, clip - rewards, damping)

    def _present(self) -> list[Moment]:
        """The episode of the present parameters: the one that was tried, or a new one where every iteration has another start."""
        if "scale" not in self.memory:
            self._start()
        if self.varied:
            if self.trial_due():
                self.trial(self.parameters, self._whitening(), self.options.starts)
            self.memory["return"], path, _ = self._try(self.parameters, self._whitening())
            return path
        if self.path is None:
            self.path = []
            play(self._job(self.parameters, self._whitening()), self.path)
        return self.path

    def _start(self) -> None:
        """The episodes that teach the statistics, and the first one of the present parameters."""
        o = self.options
        start = self.task.initial_state(np.random.default_rng((self.seed, 0)))
        fast = np.any(observation_jacobian(self.task, start, None)[:, self.task.sim.model.nv :] != 0.0, axis=1)
        first = observed(self.task, start, None), np.where(fast, o.velocity_gain, 1.0)
        for _ in range(o.warmup):
            self._try(o.warmup_noise * self.rng.standard_normal(self.policy.size), first)
        whitening = self.whitening()
        self.kept |= {"shift": whitening[0], "gain": whitening[1]}
        if not self.varied:
            self.memory["return"], self.path, _ = self._try(self.parameters, whitening)
        self.memory["scale"] = 1.0

    def _try(
        self, parameters: Array, whitening: tuple[Array, Array], least: Array | None = None
    ) -> tuple[float, list[Moment], bool]:
        """What an episode earns, its actions, and whether it was played to its end; the best policy is kept.

        least: what it must have earned after each action; below, it is abandoned.
        """
        path: list[Moment] = []
        episode = play(self._job(parameters, whitening), path, least)
        self.evaluations += episode.steps
        self.absorb([episode])
        if episode.whole:
            self._note_return(episode.total)
        if not self.varied and episode.whole and episode.total > self.memory.get("best", -np.inf):
            self.memory["best"] = episode.total
            self.kept |= {"best": parameters, "best shift": whitening[0], "best gain": whitening[1]}
        return episode.total, path, episode.whole

    def _note_return(self, total: float) -> None:
        """Count a whole episode's return."""
        old = Statistics(int(self.memory.get("whole", 0)), *(np.array([self.memory.get(k, 0.0)]) for k in ("mean", "squares")))
        new = old.merged(Statistics.of(np.array([[total]])))
        self.memory |= {"whole": float(new.count), "mean": float(new.mean[0]), "squares": float(new.squares[0])}

    def _spread(self) -> float:
        """Standard deviation of the returns of all whole episodes: what a difference of returns is measured by."""
        count = self.memory.get("whole", 0.0)
        return float(np.sqrt(self.memory["squares"] / (count - 1.0))) if count > 1 else 0.0

    def _job(self, parameters: Array, whitening: tuple[Array, Array], kappa: float | None = None) -> Job:
        """Every episode has the same start; where starts differ, every episode of an iteration."""
        return self.job(parameters, (self.seed, 0, self.iteration) if self.varied else (self.seed, 0), kappa, whitening)

    def _whitening(self) -> tuple[Array, Array]:
        """That of the present parameters' episode."""
        return self.kept["shift"], self.kept["gain"]

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters (size,) of the best policy played or tried, and its whitening: shift and gain (no,) of observations."""
        if "best" not in self.kept:
            return super().chosen()
        return self.kept["best"], (self.kept["best shift"], self.kept["best gain"])


def gauss_newton(jacobian: Array, lacking: Array, damping: float) -> Array:
    """(size,) the damped least-squares step that adds what is lacking; rewards that lack nothing do not count.

    LSMR (Fong, Saunders 2011) has the same bits whatever the number of threads, unlike a factorisation.
    """
    J, e = jacobian[lacking > 0.0], lacking[lacking > 0.0]
    mean = np.sum(J * J) / max(len(e), 1)
    if not mean > 0.0:
        return np.zeros(jacobian.shape[1])
    return lsmr(J, e, damp=np.sqrt(damping * mean), atol=1e-12, btol=1e-12)[0]
