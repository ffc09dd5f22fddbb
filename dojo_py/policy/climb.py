"""Gradient search with a line search by episodes: AGS that asks more of each gradient, for linear policies a = K s.

One iteration differentiates, at the states it went through, an episode that was played at the hard limit, and tries, by plain
episodes, up to `tries` steps from it:

    dK ~ G (S + r tr(S)/n 1)^-1,   S = mean s s',   |dK|² = mean |dK s|² / na = step²,   plus noise of the same metric

G: gradient of the return, cut after a random number of steps; r, the step and the noise are drawn anew for every try, which costs
no differentiation. Charged: a step simulated for each action of a try, and a step differentiated (solved at kappa, with its
derivatives) for each action of the episode they start from. The first try that earns more is taken; when none does, the best of
them, so that the search leaves a summit.
Source of the metric: natural policy gradient (Kakade 2001) for a Gaussian policy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.policy.derivatives import observation_jacobian
from dojo_py.policy.gradient import accumulate, links_along
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.policies import LinearPolicy
from dojo_py.policy.rollout import Moment, play
from dojo_py.policy.search import Search

Array = np.ndarray


@dataclass(frozen=True)
class ClimbOptions:
    """The algorithm's figures."""

    kappas: tuple[float, ...] = (1e-2, 5e-2)
    """Central-path parameters of the gradients [N m s], in turn."""
    truncations: tuple[int, ...] = (5, 7, 10, 14, 20)
    """Steps through which a gradient is carried; drawn."""
    ridges: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0)
    """r; drawn."""
    step: float = 0.15
    """First step: root mean square change of an action along the episode."""
    most: float = 0.4
    """Largest step."""
    least: float = 0.005
    """Smallest step."""
    grow: float = 1.4
    """Factor on the step after a try that was taken."""
    shrink: float = 0.8
    """Factor on the step after one that was not."""
    noise: float = 0.2
    """Median length of the noise, as a share of the step."""
    tries: int = 10
    """Episodes an iteration."""
    dips: float = 0.7
    """Share of the tries whose gradient leaves out steps with a clipped reward, from `dips_from` on."""
    dips_from: float = 30.0
    """Return from which `dips` holds; below, gradients are of the reward before clipping."""
    velocity_gain: float = 0.1
    """Observations that depend on velocities are multiplied by this; all are taken relative to the start."""
    normalise: bool = True
    """Scale observations so; False: raw ones."""

    def __post_init__(self) -> None:
        if self.tries < 1 or not 0.0 <= self.dips <= 1.0:
            raise ValueError(f"tries={self.tries!r} must be at least 1, dips={self.dips!r} in [0, 1]")
        if not 0.0 < self.least <= self.step <= self.most:
            raise ValueError(f"0 < least={self.least!r} <= step={self.step!r} <= most={self.most!r} does not hold")
        if not (self.kappas and self.truncations and self.ridges and min(self.ridges) > 0.0):
            raise ValueError("kappas, truncations and ridges must not be empty, ridges positive")


class Climb(Search):
    """Gradient search with a line search by episodes; `test` and the history speak of the best policy it has played."""

    kind = "climb"
    options: ClimbOptions
    path: list[Moment] | None = None
    """The episode of the present parameters; not in checkpoints, a resumed search plays it again."""

    def whitening(self, statistics: Statistics | None = None) -> tuple[Array, Array]:
        """Fixed: relative to the start, velocities scaled."""
        if not self.options.normalise:
            return super().whitening(statistics)
        start = self.task.initial_state(np.random.default_rng((self.seed, 0)))
        nv = self.task.sim.model.nv
        fast = np.any(observation_jacobian(self.task, start, None)[:, nv:] != 0.0, axis=1)
        return self.task.observe(start, None), np.where(fast, self.options.velocity_gain, 1.0)

    def affordable(self, budget: int | None) -> bool:
        """An episode more stays within the budget."""
        return budget is None or self.evaluations + self.gradients + self.rollout.horizon <= budget

    def _play(self, parameters: Array) -> tuple[float, list[Moment]]:
        """What an episode earns, and its actions; the best policy is kept."""
        path: list[Moment] = []
        episode = play(self.job(parameters, (self.seed, 0)), path)
        self.evaluations += episode.steps
        if episode.total > self.memory.get("best", -np.inf):
            self.memory["best"] = episode.total
            self.kept = {"parameters": parameters}
        return episode.total, path

    def _present(self) -> list[Moment]:
        """The episode of the present parameters, which was counted when it was tried."""
        if "now" not in self.memory:
            self.memory["now"], self.path = self._play(self.parameters)
            self.memory["step"] = self.options.step
        if self.path is None:
            self.path = []
            play(self.job(self.parameters, (self.seed, 0)), self.path)
        return self.path

    def _update(self) -> Array:
        o = self.options
        if not isinstance(self.policy, LinearPolicy):
            raise ValueError("Climb needs a LinearPolicy")
        path = self._present()
        now, rejected = self.memory["now"], []
        links = links_along(self.job(self.parameters, (self.seed, 0), o.kappas[self.iteration % len(o.kappas)]), path)
        self.gradients += len(links)
        seen = np.array([link.seen for link in links])
        spread = seen.T @ seen / len(seen)
        for _ in range(o.tries):
            if not self.affordable(self.budget):
                break
            dips = self.rng.random() < (o.dips if now >= o.dips_from else 0.0)
            steep = accumulate(
                self.policy, self.parameters, [k.clipped() for k in links] if dips else links,
                int(self.rng.choice(o.truncations)), 1.0,
            )  # fmt: skip
            change = self._direction(steep, spread) * self.memory["step"] * np.exp(0.5 * self.rng.standard_normal())
            earned, path = self._play(self.parameters + change)
            if earned > now:
                self.memory |= {"now": earned, "step": min(self.memory["step"] * o.grow, o.most)}
                self.path = path
                return change
            rejected.append((earned, change, path))
            self.memory["step"] = max(self.memory["step"] * o.shrink, o.least)
        if len(rejected) < o.tries:
            return np.zeros_like(self.parameters)
        earned, change, self.path = max(rejected, key=lambda one: one[0])
        self.memory |= {"now": earned, "step": o.step / o.grow}
        return change

    def _direction(self, gradient: Array, spread: Array) -> Array:
        """Of length 1 in the metric: the natural gradient, with noise."""
        na, n = self.policy.action_size, self.policy.observation_size
        inverse = np.linalg.inv(spread + float(self.rng.choice(self.options.ridges)) * np.trace(spread) / n * np.eye(n))

        def scaled(K: Array) -> Array:
            return K / max(float(np.sqrt(np.einsum("ij,jk,ik->", K, spread, K) / na)), 1e-12)

        noise = self.rng.standard_normal((na, n)) @ np.linalg.cholesky(inverse + 1e-12 * np.eye(n)).T
        share = self.options.noise * np.exp(self.rng.standard_normal())
        return scaled(scaled(gradient.reshape(na, n) @ inverse) + share * scaled(noise)).ravel()

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters of the best policy played, and the whitening."""
        return self.kept.get("parameters", self.parameters), self.whitening()
