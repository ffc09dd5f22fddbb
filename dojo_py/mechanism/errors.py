"""What goes wrong with a model: one error class that carries every problem found, each with its place.

A line of the message: ``file:line: element 'name', attribute: what was read, what is accepted; did you mean 'x'?``
Reading and compiling collect problems in a `Problems` and raise once, so the user repairs a file in one round.
"""

from __future__ import annotations

import difflib
import itertools
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

LONGEST_GUESS, MOST_GUESSES, MOST_LISTED, LONGEST_MESSAGE = 80, 500, 12, 1000
"""Bounds on the work and the length of messages: a damaged file may hold huge names, and many."""

UNSUPPORTED_POLICIES = ("error", "warn", "skip")


@dataclass(frozen=True)
class Where:
    """Place of an element in a file: path as the user gave it, line (from 1), XML tag."""

    path: str = "<model>"
    line: int = 0
    element: str = ""

    def __deepcopy__(self, memo: dict[int, Any]) -> Where:
        return self


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
    notice: bool = False
    """True when the motion does not depend on it: it stops nothing, and is named (`Model.left_out`)."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        subject = f"{self.element} '{self.name}'" if self.name else self.element
        subject = ", ".join(part for part in (subject, self.attribute) if part)
        return f"{place}: {subject}: {self.message}" if subject else f"{place}: {self.message}"


def _record(where: Where | None, message: str, name: str | None, attribute: str, unsupported: bool = False) -> ErrorRecord:
    where = where or Where()
    message = message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 3] + "..."
    name = (name or "")[:LONGEST_GUESS]
    attribute = attribute[:LONGEST_GUESS]
    return ErrorRecord(where.path, where.line, where.element[:LONGEST_GUESS], name, attribute, message, unsupported)


class ModelError(ValueError):
    """A model that cannot be read, compiled or simulated. `errors` holds one `ErrorRecord` per problem.

    hint: a last line of the message, what the caller can do.
    """

    def __init__(self, errors: str | ErrorRecord | Iterable[ErrorRecord], hint: str = ""):
        if isinstance(errors, str):
            errors = ErrorRecord("<model>", 0, "", "", "", errors)
        self.errors: list[ErrorRecord] = [errors] if isinstance(errors, ErrorRecord) else list(errors)
        super().__init__("\n".join([*(str(record) for record in self.errors), *([hint] if hint else [])]))


class UnsupportedWarning(UserWarning):
    """Something in the file was left out of the model because it is not simulated (`unsupported="warn"`)."""


def nearest(word: str, accepted: Iterable[str], shown: Mapping[str, str] | None = None) -> str:
    """``; did you mean 'x'?`` for the closest accepted word (as shown, where it has another look), or an empty string."""
    if not 0 < len(word) <= LONGEST_GUESS:
        return ""
    # comparing costs some 20 µs each: in a huge model look at words of similar length only
    near = (a for a in accepted if a and abs(len(a) - len(word)) <= 3)
    match = difflib.get_close_matches(word, itertools.islice(near, MOST_GUESSES), n=1)
    return f"; did you mean '{(shown or {}).get(match[0], match[0])}'?" if match else ""


def listing(words: Iterable[str]) -> str:
    """``; accepted: ['a', 'b', ...]``, at most a dozen, or an empty string."""
    shown = [word for word in itertools.islice((w for w in words if w), MOST_LISTED + 1)]
    if len(shown) > MOST_LISTED:
        shown[-1] = "..."
    return f"; accepted: {shown}" if shown else ""


@dataclass
class Problems:
    """Collector of problems and the policy for what is not simulated.

    `unsupported`: "error" records it as a problem; "warn" warns and leaves it out; "skip" leaves it out silently.
    What only adds outputs (some sensors) stops nothing: it is a notice under every policy (`note`). What would leave
    wrong numbers behind if it were left out (the mass of a mesh) is a problem under every policy (`lose`).
    """

    unsupported: str = "error"
    records: list[ErrorRecord] = field(default_factory=list)
    left_out: list[ErrorRecord] = field(default_factory=list)
    notices: list[ErrorRecord] = field(default_factory=list)
    survey: bool = False
    """Go on even after `lose`, to report on the rest: what was left out is not meant to be simulated."""
    limit: int = 100
    """Problems kept; reading stops there, a damaged file need not produce a million messages."""

    def __post_init__(self) -> None:
        if self.unsupported not in UNSUPPORTED_POLICIES:
            raise ValueError(f"unsupported={self.unsupported!r} is not one of {list(UNSUPPORTED_POLICIES)}")

    def add(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Record one problem. At the limit everything collected is raised."""
        self._keep(_record(where, message, name, attribute))

    def add_record(self, record: ErrorRecord, message: str) -> None:
        """Record a problem that was found in another file, with another message."""
        self._keep(replace(record, message=message[:LONGEST_MESSAGE]))

    def refuse(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Report something understood but not simulated; unless the policy is "error", the caller leaves it out."""
        record = _record(where, message, name, attribute, unsupported=True)
        if self.unsupported != "error":
            if self.unsupported == "warn" and len(self.left_out) < self.limit:
                warnings.warn(f"{record} (left out)", UnsupportedWarning, stacklevel=2)
            self.left_out.append(record)
        else:
            self._keep(record)

    def note(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Name something that is not read and that the motion does not depend on."""
        if len(self.notices) < self.limit:
            record = replace(_record(where, message, name, attribute), notice=True)
            self.notices.append(record)
            if self.unsupported == "warn":
                warnings.warn(f"{record} (left out; the motion does not depend on it)", UnsupportedWarning, stacklevel=2)

    def lose(self, where: Where | None, message: str, *, name: str | None = None, attribute: str = "") -> None:
        """Refuse, whatever the policy, what cannot be left out without changing the rest of the model."""
        record = _record(where, message, name, attribute, unsupported=True)
        if self.survey:
            self.left_out.append(record)
        else:
            self._keep(record)

    def _keep(self, record: ErrorRecord) -> None:
        self.records.append(record)
        if len(self.records) >= self.limit:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise one `ModelError` with everything collected so far, the notices last."""
        if self.records:
            raise ModelError([*self.records, *self.notices])
