"""Why a step stopped, and what to try."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Status(IntEnum):
    """SOLVED is 0; INEXACT: usable, with the residual it has; everything else is a named failure. `message` says what to try."""

    SOLVED = 0
    MAX_ITERATIONS = 1
    STALLED = 2
    SINGULAR = 3
    TOO_FAST = 4
    NOT_FINITE = 5
    TOO_MANY_CONTACTS = 6
    INEXACT = 7

    @property
    def message(self) -> str:
        """One sentence for the user."""
        return _MESSAGES[self]

    @classmethod
    def worst(cls, statuses: Iterable[int]) -> Status:
        """Of several: a failure counts more than a step that is INEXACT, whatever their numbers; of none SOLVED."""
        return max((cls(int(status)) for status in statuses), key=MILDEST_FIRST.index, default=cls.SOLVED)


class OutOfDomain(ValueError):
    """A state from which the simulator takes no step: a body would turn by half a turn or more within it, or its pose overflows."""


LOST = (Status.SINGULAR, Status.NOT_FINITE)
"""Statuses after which the state did not move in either mode: an episode ends there."""

FAILED = (Status.MAX_ITERATIONS, Status.STALLED, Status.TOO_FAST, *LOST)
"""Statuses of a step after which bodies are where they were before it: it has no next state that a plan may go on from."""

WITHOUT_DERIVATIVE = (Status.TOO_FAST, *LOST)
"""Statuses of derivatives through which reverse mode carries nothing that has a meaning."""

MILDEST_FIRST = (
    Status.SOLVED, Status.INEXACT, Status.TOO_MANY_CONTACTS, Status.MAX_ITERATIONS, Status.STALLED, Status.TOO_FAST, *LOST,
)  # fmt: skip
SEVERITY = tuple(MILDEST_FIRST.index(status) for status in Status)
"""Of each status by its number, for kernels: the larger the worse."""


_MESSAGES = {
    Status.SOLVED: "converged",
    Status.MAX_ITERATIONS: "iteration limit: raise max_iterations or subdivisions, or reduce a timestep that is large for the "
    "contact speed",
    Status.STALLED: "no progress: the tolerances may lie below round-off for this model, or constraints contradict each other",
    Status.SINGULAR: "the step's matrix is singular: look for redundant joints or loop closures, or for bodies of almost no mass",
    Status.TOO_FAST: "a body turns too far within one step, |ω| · timestep must stay below 2: reduce the timestep",
    Status.NOT_FINITE: "the solution overflowed and the state before the step is kept: reduce the timestep, or look for extreme "
    "masses, stiffnesses or controls",
    Status.INEXACT: "the tolerances were not met: the state is the best point found, with the step's residual and complementarity; "
    "reduce the timestep, raise max_iterations (soft mode: iterations), or look for overlaps that nothing can undo and constraints "
    "that contradict each other",
    Status.TOO_MANY_CONTACTS: "contacts beyond the work arrays were dropped, the result ignores them: reduce the colliding geoms",
}
