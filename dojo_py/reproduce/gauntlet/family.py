"""What a family of the gauntlet is: a generator, properties, and how its cases get smaller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """A simulation to look at: everything that a check sees. Other families may draw cases of another kind."""

    xml: str
    """MJCF text."""
    timestep: float
    """[s]"""
    qpos: Array | None = None
    """(nq,) start; None: the model's."""
    qvel: Array | None = None
    """(nv,) start; None: at rest."""
    controls: Array = field(default_factory=lambda: np.zeros((1, 0)))
    """(T, nu)"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the family draws beside these: friction law, kappa, what the scene promises (ordinary, passive, …)."""


class Outcome(NamedTuple):
    """One property on one case."""

    checked: int
    """Things looked at: steps, columns, calls."""
    broken: int
    """Those for which the property does not hold."""
    worst: float = 0.0
    """Largest measure of the property, in its own unit; 0 where it has none."""
    where: str = ""
    """The first or worst of those that break it, for a human: "step 12, geoms 'a' and 'b', gap -3.1e-7 m"."""


class Family(Protocol):
    """A module of this package with these names.

    And, where its properties need them: ALLOWED, name -> share of what is checked that may break the property (0); NEEDS_WHEEL;
    TIME_LIMIT [s] of a case.
    """

    TITLE: str
    PROPERTIES: Mapping[str, str]
    """Name -> what must hold, with its bound."""
    FIXED: tuple[int, ...]
    """Seeds of the default test suite; a seed that ever failed joins them."""

    def generate(self, seed: int) -> Any:
        """The case of a seed: the same on every machine."""

    def check(self, case: Any) -> dict[str, Outcome]:
        """Every property that applies to the case. Raises nothing that the case does to the program: that is a finding, too."""

    def shrink(self, case: Any) -> Iterator[Any]:
        """Simpler cases, the boldest first: without a body, joint, actuator, pair; shorter; with rounded numbers."""

    def describe(self, case: Any) -> str:
        """The case as text that can be kept: MJCF with its start as a comment, or Python."""
