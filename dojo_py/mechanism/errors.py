"""What goes wrong with a model: one error class that carries every problem found, each with its place.

A line of the message: ``file:line: element 'name', attribute: what was read, what is accepted; did you mean 'x'?``
Reading and compiling collect problems in a `Problems` and raise once, so the user repairs a file in one round.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

UNSUPPORTED_POLICIES = ("error", "warn", "skip")


@dataclass(frozen=True)
class Where:
    """Place of an element in a file: path as the user gave it, line (from 1), XML tag."""

    path: str = "<model>"
    line: int = 0
    element: str = ""


@dataclass(frozen=True)
class ErrorRecord:
    """One problem. `attribute` and `name` are empty when the whole element is meant."""

    path: str
    line: int
    element: str
    name: str
    attribute: str
    message: str
    unsupported: bool = False
    """True when the element is understood but not simulated here (see `load_model(unsupported=...)`)."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        subject = f"{self.element} '{self.name}'" if self.name else self.element
        subject = ", ".join(part for part in (subject, self.attribute) if part)
        return f"{place}: {subject}: {self.message}" if subject else f"{place}: {self.message}"


class ModelError(ValueError):
    """A model that cannot be read, compiled or simulated. `errors` holds one `ErrorRecord` per problem."""

    def __init__(self, errors: str | ErrorRecord | Iterable[ErrorRecord]):
        if isinstance(errors, str):
            errors = ErrorRecord("<model>", 0, "", "", "", errors)
        self.errors: list[ErrorRecord] = [errors] if isinstance(errors, ErrorRecord) else list(errors)
        super().__init__("\n".join(str(record) for record in self.errors))


class UnsupportedWarning(UserWarning):
    """Something in the file was left out of the model because it is not simulated (`unsupported="warn"`)."""


def nearest(word: str, accepted: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for the closest accepted word, or an empty string."""
    match = difflib.get_close_matches(word, [a for a in accepted if a], n=1)
    return f"; did you mean '{match[0]}'?" if match else ""


@dataclass
class Problems:
    """Collector of problems and the policy for what is not simulated.

    `unsupported`: "error" records it as a problem; "warn" warns and leaves it out; "skip" leaves it out silently.
    """

    unsupported: str = "error"
    records: list[ErrorRecord] = field(default_factory=list)
    left_out: list[ErrorRecord] = field(default_factory=list)
    limit: int = 100
    """Problems kept; a damaged file of a million elements need not produce a million messages."""

    def __post_init__(self) -> None:
        if self.unsupported not in UNSUPPORTED_POLICIES:
            raise ValueError(f"unsupported={self.unsupported!r} is not one of {list(UNSUPPORTED_POLICIES)}")

    def add(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Record one problem."""
        if len(self.records) < self.limit:
            where = where or Where()
            self.records.append(ErrorRecord(where.path, where.line, where.element, name or "", attribute, message))

    def refuse(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Report something understood but not simulated; unless the policy is "error", the caller leaves it out."""
        where = where or Where()
        record = ErrorRecord(where.path, where.line, where.element, name or "", attribute, message, unsupported=True)
        if self.unsupported != "error":
            if self.unsupported == "warn" and len(self.left_out) < self.limit:
                warnings.warn(f"{record} (left out)", UnsupportedWarning, stacklevel=2)
            self.left_out.append(record)
        elif len(self.records) < self.limit:
            self.records.append(record)

    def raise_if_any(self) -> None:
        """Raise one `ModelError` with everything collected so far."""
        if self.records:
            raise ModelError(self.records)
