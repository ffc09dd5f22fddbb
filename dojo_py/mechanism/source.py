"""Where the parts of a model were read, and what of its file is not in it: for messages, not for the dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import ErrorRecord, Where
from .layout import Layout
from .spec import Mechanism


@dataclass(frozen=True)
class Source:
    """Places by index, empty for a model that was not compiled from a mechanism."""

    bodies: tuple[Where | None, ...] = ()
    joints: tuple[Where | None, ...] = ()
    geoms: tuple[Where | None, ...] = ()
    tendons: tuple[Where | None, ...] = ()
    actuators: tuple[Where | None, ...] = ()
    equalities: tuple[Where | None, ...] = ()
    left_out: tuple[ErrorRecord, ...] = ()
    mechanism: Mechanism | None = field(default=None, repr=False, compare=False)
    """A copy of what was compiled, for `save_mjcf`."""

    def place(self, kind: str, index: int) -> Where:
        """Place of a part; kind: the name of one of the fields above."""
        places: tuple[Where | None, ...] = getattr(self, kind)
        return (places[index] if index < len(places) else None) or Where()


PLACES = {
    "body": "bodies", "joint": "joints", "geom": "geoms", "tendon": "tendons", "actuator": "actuators", "equality": "equalities",
}  # fmt: skip
"""Element -> field of `Source`."""


def place_of(model: Any, element: str, index: int | None = None) -> Where:
    """Where an element of a model was read, or its options; nowhere for a model that was not."""
    source = getattr(model, "source", None)
    if source is None:
        return Where()
    if element == "option" and source.mechanism is not None:
        return source.mechanism.option.where or Where()
    return Where() if index is None or element not in PLACES else source.place(PLACES[element], index)


MOST_NAMED = 6


def name_of(model: Any, element: str, index: int) -> str:
    """The element's name in either kind of model, ours or the wheel's; its index where it has none."""
    names = getattr(model, f"{element}_names", None)
    if names is not None:
        return names[index] or f"#{index}"
    accessor = {"joint": "jnt", "equality": "eq"}.get(element, element)
    return getattr(model, accessor)(index).name or f"#{index}"


def refusal(model: Any, element: str, indices: Iterable[int], attribute: str, message: str, notice: bool = False) -> ErrorRecord:
    """The record of something that a mode does not simulate, at the place of the first of the elements that ask for it.

    indices: none for the model's options. notice: the motion does not depend on it.
    """
    rows = [int(i) for i in indices]
    where = place_of(model, element, rows[0] if rows else None)
    names = [name_of(model, element, i) for i in rows]
    others = ", ".join(f"'{name}'" for name in names[1:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    message += f" (so for {others}{more})" if others else ""
    name = names[0] if names else ""
    return ErrorRecord(where.path, where.line, element, name, attribute, message, unsupported=not notice, notice=notice)


def source_of(mechanism: Mechanism, layout: Layout) -> Source:
    """The places of a mechanism that is laid out."""
    parts: tuple[Sequence[Any], ...] = (layout.bodies, layout.joints, layout.geoms)
    parts += (mechanism.tendons, mechanism.actuators, mechanism.equalities)
    bodies, joints, geoms, tendons, actuators, equalities = (tuple(element.where for element in elements) for elements in parts)
    return Source(bodies, joints, geoms, tendons, actuators, equalities, tuple(mechanism.left_out), mechanism.copy())
