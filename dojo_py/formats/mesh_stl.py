"""STL files, binary and text: triangles without shared vertices; equal vertices are merged, as MuJoCo does.

Binary: 80 bytes of title, the number of triangles (uint32), 50 bytes each: normal, three corners (float32), 2 bytes.
Text: `solid`, then per triangle `facet normal ...`, `outer loop`, three lines `vertex x y z`, `endloop`, `endfacet`.
A file is binary if its length is the one that its number of triangles asks for (a title may begin with "solid").
"""

from __future__ import annotations

import struct

import numpy as np

from .mesh_data import MeshData, MeshFileError, check_counts, first_bad_vertex, merge_repeated

HEADER, RECORD = 84, 50
ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes) -> MeshData:
    """Vertices in the order of their first appearance, as float32 values."""
    if not data:
        raise MeshFileError("the file is empty")
    if _is_text(data):
        corners = _text_corners(data)
    else:
        corners = _binary_corners(data)
    vertices, faces = merge_repeated(corners, np.arange(len(corners)).reshape(-1, 3))
    return MeshData(vertices.astype(float), faces)


def _is_text(data: bytes) -> bool:
    if len(data) >= HEADER and len(data) == HEADER + RECORD * struct.unpack_from("<I", data, 80)[0]:
        return False
    return data.lstrip()[:5].lower() == b"solid" and b"\0" not in data[:1024]


def _binary_corners(data: bytes) -> np.ndarray:
    if len(data) < HEADER:
        raise MeshFileError(f"a binary STL file needs {HEADER} bytes before its triangles; the file ends at byte {len(data)}")
    (count,) = struct.unpack_from("<I", data, 80)
    check_counts(0, count)
    needed = HEADER + RECORD * count
    if count == 0:
        raise MeshFileError("no triangles: the number at byte 80 is 0")
    if len(data) != needed:
        raise MeshFileError(f"{count} triangles (byte 80) need {needed} bytes; the file has {len(data)}")
    corners: np.ndarray = np.frombuffer(data, ROW, count, HEADER)["corners"].reshape(-1, 3)
    bad = first_bad_vertex(corners)
    if bad >= 0:
        byte = HEADER + RECORD * (bad // 3) + 12 * (bad % 3 + 1)
        shown = " ".join(f"{x:g}" for x in corners[bad])
        raise MeshFileError(f"triangle {bad // 3}, byte {byte}: vertex {shown} is not finite or too large (limit 2^30)")
    return corners


def _text_corners(data: bytes) -> np.ndarray:
    check_counts(0, data.count(b"vertex") // 3)
    corners: list[tuple[float, float, float]] = []
    opened, ended = 0, False
    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        word = words[0].lower() if words else b""
        if word == b"vertex":
            corners.append(_vertex(words, number))
        elif word == b"facet":
            opened = len(corners)
        elif word == b"endfacet":
            if len(corners) != opened + 3:
                raise MeshFileError(f"the facet has {len(corners) - opened} vertices, 3 are accepted", number)
        elif word == b"endsolid":
            ended = True
        elif word not in (b"", b"solid", b"outer", b"endloop"):
            shown = word[:40].decode("ascii", "replace")
            raise MeshFileError(f"'{shown}' is not a word of a text STL file (facet, outer loop, vertex, ...)", number)
    if not corners or len(corners) % 3 or not ended:
        reason = "the file ends before 'endsolid'" if corners else "the file has no triangles"
        raise MeshFileError(reason, data.count(b"\n") + 1)
    return np.array(corners, np.float32)


def _vertex(words: list[bytes], line: int) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in words[1:])
    except ValueError:
        raise MeshFileError("a vertex is three numbers", line) from None
    if first_bad_vertex(np.array([[x, y, z]])) == 0:
        raise MeshFileError(f"vertex {x:g} {y:g} {z:g} is not finite or too large (limit 2^30)", line)
    return x, y, z
