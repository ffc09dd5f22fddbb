"""What is to be found: parameters of a simulator by name, with bounds and transforms, as one vector of free numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.identification import pseudo_inertia
from dojo_py.identification.transforms import TRANSFORMS
from dojo_py.simulate.values import having, real_array, shown, text_of

Array = np.ndarray


def _like(there: Array, name: str, value: Any) -> Array:
    """(n,) the value, spread over a parameter's numbers."""
    given = real_array(name, value)
    if np.isnan(given).any() or given.ndim > there.ndim or any(a not in (1, b) for a, b in zip(given.shape[::-1], there.shape[::-1])):  # noqa: B905, E501
        raise ValueError(f"{name} has shape {given.shape} or holds NaN, expected one number or {there.shape}")
    return np.broadcast_to(given, there.shape).ravel()


@dataclass(frozen=True)
class Unknown:
    """Parameters of one name (see `HardSimulator.parameter`). start, lower, upper: numbers or arrays of the parameter's shape."""

    name: str
    start: Any = None
    """None: the simulator's present values."""
    lower: Any = -np.inf
    upper: Any = np.inf
    transform: str = "none"
    """"none", "log" or "softplus"."""

    def __post_init__(self) -> None:
        text_of("name", self.name)
        text_of("transform", self.transform, sorted(TRANSFORMS))

    def names(self) -> tuple[str, ...]:
        """Parameters whose derivatives are needed."""
        return (self.name,)

    def prepare(self, sim: Any) -> tuple[Array, Array, Array, list[str], str]:
        """(free start, lower, upper, labels, unit); ValueError when the start is outside the bounds."""
        text_of("transform", self.transform, sorted(TRANSFORMS))
        there = sim.parameter(self.name)
        if not there.size:
            raise ValueError(f"the model has no {self.name}")
        given = {"start": there.value if self.start is None else self.start, "lower": self.lower, "upper": self.upper}
        full = [_like(there.value, f"{self.name}: {word}", value) for word, value in given.items()]
        if not (np.all(full[0] >= full[1]) and np.all(full[0] <= full[2]) and np.all(full[1] < full[2])):
            raise ValueError(f"{self.name}: the start must lie within the bounds, and these apart")
        if self.transform != "none" and not np.all(full[0] > 0):
            raise ValueError(f"{self.name}: transform {self.transform!r} needs a positive start")
        free = TRANSFORMS[self.transform].free
        low = full[1] if self.transform == "none" else np.maximum(full[1], 0.0)
        axes = there.value.reshape(len(there.labels), -1).shape[1]
        kind = self.name.partition(":")[0]
        labels = [f"{kind}:{one}" + (f"[{k}]" if axes > 1 else "") for one in there.labels for k in range(axes)]
        return free(full[0]), free(low), free(full[2]), labels, there.unit

    def values(self, sim: Any, z: Array) -> dict[str, Array]:
        """Parameter values of free numbers z."""
        return {self.name: TRANSFORMS[self.transform].value(z).reshape(sim.parameter(self.name).value.shape)}

    def columns(self, z: Array, given: dict[str, Array]) -> Array:
        """(rows, n) derivatives by z from those by the parameters."""
        return given[self.name] * TRANSFORMS[self.transform].slope(z)

    def report(self, z: Array) -> tuple[Array, Array]:
        """(values, their derivative by z) for a table."""
        chosen = TRANSFORMS[self.transform]
        return chosen.value(z), np.diag(chosen.slope(z))


@dataclass(frozen=True)
class PseudoInertia:
    """Mass, centre of mass and inertia of one body, consistent whatever the free numbers are (pseudo_inertia.py)."""

    body: str

    def __post_init__(self) -> None:
        text_of("body", self.body)

    def names(self) -> tuple[str, ...]:
        """Parameters whose derivatives are needed."""
        return (f"mass:{self.body}", f"com:{self.body}", f"inertia:{self.body}")

    def prepare(self, sim: Any) -> tuple[Array, Array, Array, list[str], str]:
        """As in `Unknown`."""
        mass, com, inertia = (sim.parameter(name).value[0] for name in self.names())
        words = ("mass", "com[0]", "com[1]", "com[2]", *(f"inertia[{k}]" for k in ("xx", "yy", "zz", "xy", "xz", "yz")))
        labels = [f"{self.body}.{word}" for word in words]
        return pseudo_inertia.to_free(mass, com, inertia), np.full(10, -np.inf), np.full(10, np.inf), labels, "kg, m, kg m^2"

    def values(self, sim: Any, z: Array) -> dict[str, Array]:
        """As in `Unknown`."""
        body = pseudo_inertia.to_body(z)
        return dict(zip(self.names(), (body[:1], body[None, 1:4], body[None, 4:]), strict=True))

    def columns(self, z: Array, given: dict[str, Array]) -> Array:
        """As in `Unknown`."""
        return np.hstack([given[name] for name in self.names()]) @ pseudo_inertia.slope(pseudo_inertia.to_body, z)

    def report(self, z: Array) -> tuple[Array, Array]:
        """As in `Unknown`."""
        return pseudo_inertia.to_body(z), pseudo_inertia.slope(pseudo_inertia.to_body, z)


class Unknowns:
    """Several unknowns as one vector z (n,) of free numbers."""

    def __init__(self, sim: Any, parts: Sequence[Unknown | PseudoInertia]):
        having("sim", sim, ("parameter", "with_parameters"), "a HardSimulator")
        if not isinstance(parts, Sequence) or not all(isinstance(part, (Unknown, PseudoInertia)) for part in parts):
            raise TypeError(f"parts={shown(parts)}, expected a list of unknowns: Unknown, PseudoInertia")
        if not parts:
            raise ValueError("parts: nothing to identify")
        self.sim, self.parts = sim, tuple(parts)
        prepared = [part.prepare(sim) for part in parts]
        self.start, self.lower, self.upper = (np.concatenate([p[i] for p in prepared]) for i in range(3))
        self.labels = [label for p in prepared for label in p[3]]
        self.units = [p[4] for p in prepared for _ in p[3]]
        self.names = tuple(dict.fromkeys(name for part in parts for name in part.names()))
        self._ends = np.cumsum([0, *(len(p[0]) for p in prepared)])

    def __len__(self) -> int:
        return len(self.start)

    def _pieces(self, z: Array) -> Any:
        return [(part, z[a:b]) for part, a, b in zip(self.parts, self._ends[:-1], self._ends[1:], strict=True)]

    def values(self, z: Array) -> dict[str, Array]:
        """Parameter values by name."""
        return {name: value for part, piece in self._pieces(z) for name, value in part.values(self.sim, piece).items()}

    def simulator(self, z: Array) -> Any:
        """The simulator with these values."""
        return self.sim.with_parameters(self.values(z))

    def columns(self, z: Array, given: dict[str, Array]) -> Array:
        """(rows, n) derivatives by z from those by the parameters."""
        return np.hstack([part.columns(piece, given) for part, piece in self._pieces(z)])

    def report(self, z: Array) -> tuple[Array, Array]:
        """(n,) reported values and (n, n) their derivatives by z."""
        pieces = [part.report(piece) for part, piece in self._pieces(z)]
        slope = np.zeros((len(z), len(z)))
        for (_, one), a, b in zip(pieces, self._ends[:-1], self._ends[1:], strict=True):
            slope[a:b, a:b] = one
        return np.concatenate([value for value, _ in pieces]), slope
