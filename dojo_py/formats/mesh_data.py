"""What a mesh file holds: vertices and triangles; bounds on sizes, and the errors that name file and line or byte."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..mechanism.errors import ErrorRecord, ModelError

Array = np.ndarray

MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_FACES = 1_000_000
"""Triangles of one mesh, and vertices too: what reading and compiling handle in seconds and some 100 MB."""
LARGEST = 2.0**30
"""Largest magnitude of a coordinate (MuJoCo's bound)."""


@dataclass
class MeshData:
    """Vertices (n, 3) and faces (m, 3): counterclockwise seen from outside; None: the convex hull's."""

    vertices: Array
    faces: Array | None = None
    notes: list[str] = field(default_factory=list)
    """What the file holds besides and is not used."""
    texcoords: Array | None = None
    """(m, 3, 2) places in a picture of the faces' corners: fractions to the right and from the upper edge down; None: none."""


class MeshFileError(ValueError):
    """A file of a mesh or a height field that cannot be used: what is wrong, and the line (from 1; 0 for binary files)."""

    def __init__(self, message: str, line: int = 0):
        super().__init__(message)
        self.message, self.line = message, line

    def in_file(self, path: str, element: str = "mesh") -> ModelError:
        """The error with the path as the user gave it, and the tag of the asset."""
        return ModelError(ErrorRecord(path, self.line, element, "", "", self.message))


def check_counts(vertices: int, faces: int) -> None:
    """Refuse what is too large before memory is asked for."""
    for count, word in ((vertices, "vertices"), (faces, "faces")):
        if count > MAX_FACES:
            raise MeshFileError(f"{count} {word} are more than the limit of {MAX_FACES}")


def first_bad_vertex(vertices: Array) -> int:
    """Index of the first vertex that is not finite or too large; -1 if all are good."""
    with np.errstate(invalid="ignore"):
        good = np.all(np.abs(vertices) <= LARGEST, axis=1)
    return -1 if bool(np.all(good)) else int(np.argmin(good))


def merge_repeated(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """Vertices without repetitions, in the order of their first appearance, and the faces with the new numbers."""
    vertices = vertices + np.float32(0.0)  # -0.0 is 0.0
    keys = np.ascontiguousarray(vertices).view(np.dtype((np.void, vertices.dtype.itemsize * 3))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return vertices[first[order]], rank[inverse.ravel()][faces]
