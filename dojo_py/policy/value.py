"""Value function V(observation): an MLP with tanh on normalised observations, fitted by Adam, with scaled targets (PopArt)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.policy.policies import MlpPolicy

Array = np.ndarray


@dataclass
class Adam:
    """Adam (Kingma, Ba 2015). Steps do not depend on the scale of the gradient."""

    moments: Array
    """(2, size) running means of the gradient and of its square."""
    count: float = 0.0
    """Number of steps done."""

    def step(self, gradient: Array, size: float, first: float = 0.9, second: float = 0.95) -> Array:
        """(size,) descent step with learning rate `size`; first, second: β₁, β₂."""
        self.count += 1.0
        m, v = self.moments
        m = first * m + (1.0 - first) * gradient
        v = second * v + (1.0 - second) * gradient**2
        self.moments = np.stack([m, v])
        scale = np.sqrt(v / (1.0 - second**self.count))
        return -size * (m / (1.0 - first**self.count)) / np.maximum(scale, 1e-12)


@dataclass
class ValueFunction:
    """V(o) = mean + deviation · f(w; normalised o); mean and deviation: running statistics of the targets."""

    layers: MlpPolicy
    weights: Array
    adam: Adam
    mean: float = 0.0
    deviation: float = 1.0

    @staticmethod
    def fresh(observations: int, hidden: tuple[int, ...], rng: np.random.Generator) -> ValueFunction:
        """An untrained one, nearly zero everywhere."""
        layers = MlpPolicy(observations, 1, hidden)
        return ValueFunction(layers, layers.initial(rng), Adam(np.zeros((2, layers.size))))

    def __call__(self, seen: Array) -> Array:
        """(n,) values at normalised observations (n, no)."""
        return self.mean + self.deviation * self.layers.forward(self.weights, seen)[-1][:, 0]

    def slopes(self, seen: Array) -> Array:
        """(n, no) gradients of V by the normalised observations (n, no)."""
        values = self.layers.forward(self.weights, seen)
        return self.layers.pull_back(self.weights, values, np.full((len(seen), 1), self.deviation))[1]

    def fit(self, seen: Array, targets: Array, step_size: float, passes: int, rng: np.random.Generator, batch: int = 64) -> None:
        """Epochs of Adam over shuffled batches of normalised observations (n, no) and targets (n,)."""
        self._rescale(targets)
        wanted = (targets - self.mean) / self.deviation
        for _ in range(passes):
            order = rng.permutation(len(seen))
            for first in range(0, len(order), batch):
                some = order[first : first + batch]
                self.weights = self.weights + self.adam.step(self._gradient(seen[some], wanted[some]), step_size)

    def _rescale(self, targets: Array) -> None:
        """PopArt (van Hasselt et al. 2016): update mean and deviation by the targets, and the last layer so that V is unchanged."""
        new = 0.1 if self.adam.count else 1.0
        mean = (1.0 - new) * self.mean + new * float(targets.mean())
        deviation = (1.0 - new) * self.deviation + new * max(float(targets.std()), 1e-9 * abs(mean), 1e-300)
        weight, bias = self.layers.layers(self.weights)[-1]  # (views)
        weight *= self.deviation / deviation
        bias[:] = (self.deviation * bias + self.mean - mean) / deviation
        self.mean, self.deviation = mean, deviation

    def _gradient(self, seen: Array, wanted: Array) -> Array:
        values = self.layers.forward(self.weights, seen)
        return self.layers.pull_back(self.weights, values, 2.0 * (values[-1] - wanted[:, None]) / len(seen))[0]


def trace_weights(steps: int, discount: float, trace: float) -> tuple[Array, Array]:
    """Weights in the λ-return of n actions: of the rewards (n,), and of V before each action and after the last one (n + 1,).

    (1 - λ) Σ_{m<n} λᵐ⁻¹ (Σ_{k<m} γᵏ r_k + γᵐ V_m) + λⁿ⁻¹ (… + γⁿ V_n)  =  Σ (γλ)ᵏ r_k + Σ_{m<n} (1 - λ) λᵐ⁻¹ γᵐ V_m + λⁿ⁻¹ γⁿ V_n
    """
    k = np.arange(steps)
    values = np.zeros(steps + 1)
    if steps:
        values[1:] = (1.0 - trace) * trace**k * discount ** (k + 1)
        values[-1] = trace ** (steps - 1) * discount**steps
    return (discount * trace) ** k, values


def lambda_returns(rewards: Array, values: Array, ended: bool, discount: float, trace: float) -> Array:
    """(n,) TD(λ) targets of n actions: rewards (n,), values (n + 1,) before each and after the last; ended: V after the last is 0.

    G_k = r_k + γ ((1 - λ) V_{k+1} + λ G_{k+1})   (Sutton, Barto 2018, section 12.1)
    """
    out, after = np.zeros(len(rewards)), 0.0 if ended else float(values[-1])
    ahead = after
    for k in reversed(range(len(rewards))):
        value = after if k == len(rewards) - 1 else float(values[k + 1])
        ahead = out[k] = rewards[k] + discount * ((1.0 - trace) * value + trace * ahead)
    return out
