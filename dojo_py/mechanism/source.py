"""Where the parts of a model were read, and what of its file is not in it: for messages, not for the dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ErrorRecord, Where
from .layout import Layout


@dataclass(frozen=True)
class Source:
    """Places by index, empty for a model that was not compiled from a mechanism."""

    bodies: tuple[Where | None, ...] = ()
    joints: tuple[Where | None, ...] = ()
    geoms: tuple[Where | None, ...] = ()
    left_out: tuple[ErrorRecord, ...] = ()

    def place(self, kind: str, index: int) -> Where:
        """Place of a part; kind: "bodies", "joints" or "geoms"."""
        places: tuple[Where | None, ...] = getattr(self, kind)
        return (places[index] if index < len(places) else None) or Where()


def source_of(layout: Layout, left_out: list[ErrorRecord]) -> Source:
    """The places of a mechanism that is laid out."""
    parts = (layout.bodies, layout.joints, layout.geoms)
    bodies, joints, geoms = (tuple(element.where for element in elements) for elements in parts)
    return Source(bodies, joints, geoms, tuple(left_out))
