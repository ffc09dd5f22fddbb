"""Climb: gradient search by Gauss-Newton steps with random exploration; a step is accepted by the return of an episode.

One iteration differentiates the episode of the present parameters, at the states it visited, and evaluates, by undifferentiated
episodes, candidates

    theta + s (step_size d / |d| + noise delta / sqrt(size)),   delta ~ N(0, 1)
    d = J' (J J' + damping m I)^-1 e,   m: mean of the diagonal of J J'

until the return of one is at least

    present return - patience sigma (number of candidates rejected so far)

sigma: standard deviation of all returns so far. Accepting only improvements would stall: with hard contact the return has narrow
maxima. s grows when a candidate is accepted and shrinks when one is rejected. A candidate is abandoned when its partial return
falls `margin` sigma below this bound, compared at the same action of the episode. The search returns the best policy it has played.

Where initial states are random, every iteration has one of its own: the present policy is played again from it, and so are the
candidates. A good return may then be due to the initial state: the search returns the best policy of its trials (`Search.trial`).

J: derivatives of each action's reward by the parameters; e: reward_clip - reward. The plain gradient, the direction J' e of a large
damping, is dominated by the few rewards that are most sensitive, above all at touchdown; Gauss-Newton's d aims at raising every
reward by its e. Without reward clipping d is the plain gradient. The damping and `reach`, the number of latest actions through
which a reward is differentiated, are drawn anew for every candidate, which needs no new differentiation.

Counted against the budget: a simulated step for each action of a candidate, and a differentiated step (solved at kappa, with its
derivatives) for each action of the episode that is differentiated.
Sources: Suh et al. (2022) on smoothing by noise; Levenberg (1944), Marquardt (1963) on damping.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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
"""Bounds of s; with smaller steps the search does not leave a local maximum."""
GROWTH, SHRINKAGE = 1.3, 0.8
"""Factors on s after a candidate was accepted, or rejected."""


@dataclass(frozen=True)
class ClimbOptions:
    """Settings of the algorithm."""

    step_size: float = 0.12
    """Norm of the step along d, at s = 1."""
    noise: float = 0.15
    """Root mean square norm of the perturbation, at s = 1."""
    dampings: tuple[float, ...] = (0.3, 3.0)
    """Dampings of the Gauss-Newton step; one is drawn for every candidate."""
    kappas: tuple[float, ...] = (1e-2, 5e-2)
    """Central-path parameters of the gradients [N m s]; the iterations use them in turn."""
    reaches: tuple[int, ...] = (10, 15)
    """Number of latest actions through which a reward is differentiated; one is drawn for every candidate."""
    patience: float = 0.15
    """Decrease of the return that is accepted, per candidate rejected before, in standard deviations of the returns so far."""
    margin: float = 0.3
    """A candidate is abandoned when it is this far below the bound of acceptance, in the same standard deviations."""
    warmup: int = 3
    """Episodes with random parameters at the start, for the observation statistics."""
    warmup_noise: float = 0.3
    """Standard deviation of the parameters in the warm-up."""
    velocity_gain: float = 0.1
    """In the warm-up the initial observation is subtracted, and entries that depend on velocities are multiplied by this."""
    normalise: bool = True
    """Normalise observations by their running mean and standard deviation."""
    starts: int = 6
    """Episodes of a trial (`Search.trial`), where the initial state is random."""
    gradients: bool = True
    """False: d = 0, a search by noise alone, for comparison. No derivatives are computed or counted against the budget."""

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
    """Gradient search whose steps are accepted by episodes; `test` and the history refer to the best policy it has evaluated.

    kept: that policy ("best", "best shift", "best gain"), and the observation normalisation of the present one ("shift", "gain").
    """

    kind = "climb"
    accepted = ClimbOptions
    options: ClimbOptions
    path: list[Moment] | None = None
    """The episode of the present parameters. It is not part of checkpoints: a resumed search plays it again."""

    def affordable(self, budget: int | None) -> bool:
        """Whether one candidate, the derivatives and what precedes them, at first or with random starts, fit the budget."""
        first = self.iteration == 0
        episodes = 2 + (self.options.warmup if first else 0) + int(first or self.varied)
        if self.varied and self.trial_due():
            episodes += self.options.starts
        return budget is None or self._spent() + episodes * self.rollout.horizon <= budget

    def resume(self, path: str | Path) -> Climb:
        """As every search; the episode at hand was another one's."""
        super().resume(path)
        self.path = None
        return self

    def _spent(self) -> int:
        return self.evaluations + self.gradients

    def _update(self) -> Array:
        o, theta = self.options, self.parameters
        rewards, jacobians = self._rewards(self._present())
        so_far = np.cumsum(rewards)
        whitening, tries, present = self.whitening(), 0, self.memory["return"]
        while self.budget is None or self._spent() + self.rollout.horizon <= self.budget:
            change = self._step(rewards, jacobians)
            spread = self._spread()
            fall = o.patience * spread * tries
            # (while the standard deviation is unknown, candidates are played to their end)
            least = so_far - fall - o.margin * spread if spread > 0.0 else None
            total, path, whole = self._try(theta + change, whitening, least)
            if whole and total >= present - fall:  # equal: the parameters have no effect yet, as when nothing has moved so far
                scale = min(GROWTH * self.memory["scale"], MOST)
                self.memory |= {"return": total, "scale": scale}
                self.kept |= {"shift": whitening[0], "gain": whitening[1]}
                self.path = path
                return change
            self.memory["scale"] = max(SHRINKAGE * self.memory["scale"], LEAST)
            tries += 1
        return np.zeros_like(theta)

    def _rewards(self, path: list[Moment]) -> tuple[Array, list[Array]]:
        """(n,) rewards of an episode of the present parameters; their derivatives (n, size) by each of `reaches`, if asked for."""
        o, theta = self.options, self.parameters
        if not o.gradients:
            given = [earned(self.task, m.before, m.action, m.after, m.contacts_after)[0] for m in path]
            return np.array([self.rollout.counted(float(reward)) for reward in given]), []
        links = links_along(self._job(theta, self._whitening(), o.kappas[self.iteration % len(o.kappas)]), path)
        self.gradients += len(links)
        self.note_cut(sum(link.cut for link in links))
        rewards = np.array([self.rollout.counted(link.reward) for link in links])
        return rewards, [jacobian_ahead(self.policy, theta, links, reach) for reach in o.reaches]

    def _step(self, rewards: Array, jacobians: list[Array]) -> Array:
        """(size,) change of the parameters to a candidate: along d, and at random."""
        o, steep = self.options, np.zeros_like(self.parameters)
        if jacobians:
            jacobian = jacobians[self.rng.integers(len(jacobians))]
            steep = unit(self._uphill(jacobian, rewards, self.rng.choice(o.dampings)))
        delta = self.rng.standard_normal(self.policy.size) / np.sqrt(self.policy.size)
        return self.memory["scale"] * (o.step_size * steep + o.noise * delta)

    def _uphill(self, jacobian: Array, rewards: Array, damping: float) -> Array:
        """(size,) direction of ascent d from the rewards (n,) and their derivatives (n, size)."""
        clip = self.rollout.reward_clip
        return jacobian.sum(axis=0) if clip is None else gauss_newton(jacobian, clip - rewards, damping)

    def _present(self) -> list[Moment]:
        """Episode of the present parameters: that of the accepted candidate, or a new one where initial states are random."""
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
        """Play the warm-up episodes, for the observation statistics, and the first episode of the initial parameters."""
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
        """Play an episode: its return, its actions, and whether it was played to its end. The best policy is kept.

        least (n,): the episode is abandoned when its partial return after an action falls below this.
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
        """Add the return of a whole episode to the running mean and variance."""
        old = Statistics(int(self.memory.get("whole", 0)), *(np.array([self.memory.get(k, 0.0)]) for k in ("mean", "squares")))
        new = old.merged(Statistics.of(np.array([[total]])))
        self.memory |= {"whole": float(new.count), "mean": float(new.mean[0]), "squares": float(new.squares[0])}

    def _spread(self) -> float:
        """Standard deviation of the returns of all whole episodes, the unit of `patience` and `margin`; 0 below two episodes."""
        count = self.memory.get("whole", 0.0)
        return float(np.sqrt(self.memory["squares"] / (count - 1.0))) if count > 1 else 0.0

    def _job(self, parameters: Array, whitening: tuple[Array, Array], kappa: float | None = None) -> Job:
        """An episode; all have the same initial state, or all of one iteration where initial states are random."""
        return self.job(parameters, (self.seed, 0, self.iteration) if self.varied else (self.seed, 0), kappa, whitening)

    def _whitening(self) -> tuple[Array, Array]:
        """Observation normalisation (shift, gain) used in the episode of the present parameters."""
        return self.kept["shift"], self.kept["gain"]

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters (size,) of the best policy and its observation normalisation, shift (no,) and gain (no,)."""
        if "best" not in self.kept:
            return super().chosen()
        return self.kept["best"], (self.kept["best shift"], self.kept["best gain"])


def gauss_newton(jacobian: Array, lacking: Array, damping: float) -> Array:
    """(size,) damped least-squares solution of J d = lacking; jacobian (n, size), lacking (n,). Only rows with lacking > 0 count.

    LSMR (Fong, Saunders 2011) gives bitwise the same result for any number of threads, unlike a factorisation.
    """
    J, e = jacobian[lacking > 0.0], lacking[lacking > 0.0]
    mean = np.sum(J * J) / max(len(e), 1)
    if not mean > 0.0:
        return np.zeros(jacobian.shape[1])
    return lsmr(J, e, damp=np.sqrt(damping * mean), atol=1e-12, btol=1e-12)[0]
