"""Shapes given by data, which geoms name: triangle meshes and height fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .element import IDENTITY, ZERO3, Element, Vector


@dataclass
class Mesh(Element):
    """A triangle mesh. Its own frame is lost: geoms see it from its centre of mass, in its principal axes."""

    name: str = ""
    vertices: Vector | Sequence[Vector] = ()
    """(n, 3) [m]"""
    faces: Sequence[int] | Sequence[Sequence[int]] | np.ndarray | None = None
    """(m, 3) indices of vertices, counterclockwise seen from outside; None: the convex hull's."""
    scale: Vector = (1.0, 1.0, 1.0)
    refpos: Vector = ZERO3
    """Position and orientation of the reference frame in the vertices' frame; taken off before scaling."""
    refquat: Vector = IDENTITY
    inertia: str = "legacy"
    """"convex" (of the hull), "exact", "legacy" (for meshes that are not closed), "shell" (the mass is on the surface)."""
    maxhullvert: int = -1
    """Most vertices of the convex hull; -1: all."""
    hull: bool = False
    """Compute the convex hull even if no geom that touches something needs it."""
    texcoords: np.ndarray | None = field(default=None, compare=False, repr=False)
    """(m, 3, 2) places in a picture of the faces' corners, fractions to the right and from the upper edge down; None: none."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Mesh:
        """Copies share the arrays of vertices and faces, which nothing changes in place."""
        return replace(self)


@dataclass
class HField(Element):
    """A height field: a grid of heights over a rectangle, on a base. Between four points lie two triangles."""

    name: str = ""
    nrow: int = 0
    """Points along y, at least 2; 0: as many as `elevation` has rows."""
    ncol: int = 0
    """Points along x."""
    size: Vector = ()
    """Half width along x, half width along y, height of the highest point above z = 0, depth of the base below it [m]."""
    elevation: Vector | Sequence[Vector] = ()
    """(nrow, ncol) heights in any unit, the row of the largest y first, x ascending; the lowest lies at z = 0. Empty: flat."""

    def __post_init__(self) -> None:
        rows: Any = self.elevation
        if not self.nrow and not self.ncol and isinstance(rows, (list, tuple, np.ndarray)) and len(rows) and np.ndim(rows[0]) == 1:
            self.nrow, self.ncol = len(rows), len(rows[0])

    def __deepcopy__(self, memo: dict[int, Any]) -> HField:
        """Copies share the array of heights, which nothing changes in place."""
        return replace(self)
