"""Deterministic policies, action = f(parameters, observation), and their vector-Jacobian products.

The parameters are one flat vector, so that a search does not depend on the kind of policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dojo_py.simulate.values import count, real_number, shown

Array = np.ndarray


class Policy(Protocol):
    """Interface of policies for a search. ClosedLoop needs only `size`, `act` and, for gradients, `backward`."""

    @property
    def observation_size(self) -> int:
        """Length of an observation."""

    @property
    def action_size(self) -> int:
        """Length of an action."""

    @property
    def size(self) -> int:
        """Number of parameters."""

    def initial(self, rng: np.random.Generator) -> Array:
        """(size,) initial parameters. Searches play gains that are not drawn from rng on plain observations, as given."""

    def act(self, parameters: Array, observation: Array) -> Array:
        """(na,) action."""

    def backward(self, parameters: Array, observation: Array, cotangent: Array) -> tuple[Array, Array]:
        """(size,), (no,): cotangent (na,) times the Jacobians of the action by parameters and by the observation."""

    def describe(self) -> dict[str, Any]:
        """Kind and sizes, as checkpoints store them."""


def _check_sizes(policy: Any) -> None:
    """Convert the sizes to integers; raise unless they are positive."""
    for name in ("observation_size", "action_size"):
        object.__setattr__(policy, name, count(name, getattr(policy, name), most=2**20))


@dataclass(frozen=True)
class LinearPolicy:
    """action = K observation; parameters: K (na, no) by rows, initially zero, as in ARS, unless `spread` is given."""

    observation_size: int
    action_size: int
    spread: float = 0.0
    """Standard deviation of the initial parameters."""

    def __post_init__(self) -> None:
        _check_sizes(self)
        real_number("spread", self.spread, least=0.0)

    @property
    def size(self) -> int:
        """na times no."""
        return self.observation_size * self.action_size

    def initial(self, rng: np.random.Generator) -> Array:
        """(size,)"""
        return self.spread * rng.standard_normal(self.size)

    def act(self, parameters: Array, observation: Array) -> Array:
        """(na,)"""
        return parameters.reshape(self.action_size, self.observation_size) @ observation

    def backward(self, parameters: Array, observation: Array, cotangent: Array) -> tuple[Array, Array]:
        """(size,), (no,)"""
        gain = parameters.reshape(self.action_size, self.observation_size)
        return np.outer(cotangent, observation).ravel(), cotangent @ gain

    def describe(self) -> dict[str, Any]:
        """Kind and sizes."""
        return {"kind": "linear", "sizes": [self.observation_size, self.action_size]}


@dataclass(frozen=True)
class MlpPolicy:
    """MLP with tanh in the hidden layers and a linear output; parameters: weights (out, in) and biases, layer by layer."""

    observation_size: int
    action_size: int
    hidden: tuple[int, ...] = (32, 32)

    def __post_init__(self) -> None:
        _check_sizes(self)
        if isinstance(self.hidden, (str, bytes)) or not isinstance(self.hidden, Sequence):
            raise TypeError(f"hidden={shown(self.hidden)}, expected the widths of the hidden layers")
        object.__setattr__(self, "hidden", tuple(count("hidden", width, most=2**20) for width in self.hidden))

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """(out, in) of every layer."""
        widths = (self.observation_size, *self.hidden, self.action_size)
        return [(b, a) for a, b in zip(widths[:-1], widths[1:], strict=True)]

    @property
    def size(self) -> int:
        """Number of weights and biases."""
        return sum(out * (inputs + 1) for out, inputs in self.shapes)

    def layers(self, parameters: Array) -> list[tuple[Array, Array]]:
        """Weight (out, in) and bias (out,) of every layer, views of the vector."""
        found, k = [], 0
        for out, inputs in self.shapes:
            weight = parameters[k : k + out * inputs].reshape(out, inputs)
            k += out * inputs
            found.append((weight, parameters[k : k + out]))
            k += out
        return found

    def initial(self, rng: np.random.Generator) -> Array:
        """(size,) normal weights of standard deviation 1/√in, 0.01/√in in the last layer; zero biases."""
        parts = []
        for i, (out, inputs) in enumerate(self.shapes):
            spread = (0.01 if i == len(self.hidden) else 1.0) / np.sqrt(inputs)
            parts += [spread * rng.standard_normal(out * inputs), np.zeros(out)]
        return np.concatenate(parts)

    def forward(self, parameters: Array, observations: Array) -> list[Array]:
        """Values of all layers (..., width): the observations (..., no) first, the actions (..., na) last."""
        values, last = [observations], len(self.hidden)
        for i, (weight, bias) in enumerate(self.layers(parameters)):
            z = values[-1] @ weight.T + bias
            values.append(z if i == last else np.tanh(z))
        return values

    def pull_back(self, parameters: Array, values: list[Array], cotangents: Array) -> tuple[Array, Array]:
        """(size,) and (..., no): cotangents (..., na) of the actions times the Jacobians of `forward`.

        By parameters, summed over all observations, and by each observation. values: what `forward` returned.
        """
        parts: list[Array] = []
        c, layers = cotangents, self.layers(parameters)
        for i in reversed(range(len(layers))):
            if i < len(self.hidden):
                c = c * (1.0 - values[i + 1] ** 2)
            out, inputs = self.shapes[i]
            rows = c.reshape(-1, out)
            parts = [(rows.T @ values[i].reshape(-1, inputs)).ravel(), rows.sum(axis=0), *parts]
            c = c @ layers[i][0]
        return np.concatenate(parts), c

    def act(self, parameters: Array, observation: Array) -> Array:
        """(na,)"""
        return self.forward(parameters, observation)[-1]

    def backward(self, parameters: Array, observation: Array, cotangent: Array) -> tuple[Array, Array]:
        """(size,), (no,)"""
        return self.pull_back(parameters, self.forward(parameters, observation), cotangent)

    def describe(self) -> dict[str, Any]:
        """Kind and sizes."""
        return {"kind": "mlp", "sizes": [self.observation_size, *self.hidden, self.action_size]}
