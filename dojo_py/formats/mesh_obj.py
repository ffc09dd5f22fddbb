"""OBJ files: `v`, `f` and what bounds objects (`o`, `g`). Of several objects the first with faces is taken, as in MuJoCo.

Faces of four corners are cut along the shorter diagonal, larger ones by cutting ears. Indices begin at 1; negative ones
count back from the last vertex read so far. Texture coordinates (`vt`) are read where every corner of every face has good ones;
normals and materials only draw.
"""

from __future__ import annotations

import re

import numpy as np

from .mesh_data import LARGEST, MeshData, MeshFileError, check_counts, first_bad_vertex

Array = np.ndarray

MAX_LINES, MAX_CORNERS = 4_000_000, 1024
"""Of a file; of a face."""
_SKIPPED = re.compile(rb"/[^\s]*")


def read_obj(data: bytes) -> MeshData:
    """Vertices as they stand, rounded to float32 like MuJoCo's; the triangles of the first object."""
    check_counts(data.count(b"\nv "), data.count(b"\nf"))
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > MAX_LINES:
        raise MeshFileError(f"{lines} lines are more than the limit of {MAX_LINES}")
    vertices: list[bytes] = []
    vertex_lines: list[int] = []
    places: list[bytes] = []
    corners: list[bytes] = []  # of faces, as they stand
    placed: list[int] = []  # texture coordinates before each face
    faces: list[list[int]] = []
    face_lines: list[int] = []
    objects = 0  # objects with faces that are complete
    fresh = True  # no face since the last `o` or `g`
    for number, line in enumerate(data.splitlines(), start=1):
        kind, _, rest = line.strip().replace(b"\t", b" ").partition(b" ")
        if kind == b"v":
            vertices.append(rest)
            vertex_lines.append(number)
        elif kind == b"vt":
            places.append(rest)
        elif kind == b"f":
            objects += fresh
            fresh = False
            if objects == 1:
                faces.append(_indices(rest, len(vertices), number))
                corners.append(rest)
                placed.append(len(places))
                face_lines.append(number)
        elif kind in (b"o", b"g"):
            fresh = True
    points = _points(vertices, vertex_lines)
    if not len(points):
        raise MeshFileError("the file has no vertices (lines 'v x y z')", data.count(b"\n") + 1)
    triangles = _triangles(faces, face_lines, points)
    check_counts(len(points), len(triangles))
    notes = [f"only the first of the file's {objects} objects is used (MuJoCo's rule)"] if objects > 1 else []
    texcoords = _texcoords(faces, triangles, places, corners, placed) if places and len(triangles) else None
    return MeshData(points, triangles if len(triangles) else None, notes, texcoords)


def _texcoords(
    faces: list[list[int]], triangles: Array, places: list[bytes], corners: list[bytes], placed: list[int]
) -> Array | None:
    """(m, 3, 2) of the triangles, which were cut face by face; None where a corner has none, or one that makes no sense."""
    try:
        table = np.array([row.split()[:2] for row in places], np.float32).reshape(-1, 2)
        numbers = [[int(word.split(b"/")[1]) for word in row.partition(b"#")[0].split()] for row in corners]
    except (ValueError, IndexError):
        return None
    out: list[Array] = []
    first = 0
    for face, row, count in zip(faces, numbers, placed, strict=True):
        mine = triangles[first : first + max(0, len(face) - 2)]
        first += len(mine)
        at = [k - 1 if k > 0 else count + k for k in row]
        if not all(0 <= k < len(table) for k in at):
            return None
        out += [table[[at[face.index(vertex)] for vertex in triangle]] for triangle in mine.tolist()]
    found = np.array(out)
    if found.shape != (len(triangles), 3, 2) or not np.all(np.abs(found) <= LARGEST):
        return None
    found[:, :, 1] = 1.0 - found[:, :, 1]  # counted from the lower edge in the file
    return found


def _indices(rest: bytes, count: int, line: int) -> list[int]:
    """Vertex numbers from 0 of the corners of a face; `count`: vertices so far."""
    try:
        given = [int(word) for word in _SKIPPED.sub(b"", rest.partition(b"#")[0]).split()]
    except ValueError:
        shown = rest[:40].decode("ascii", "replace")
        raise MeshFileError(f"'{shown}' is not a face; accepted: vertex numbers, as in 1 2 3 or 1/1/1 2/2/2 3/3/3", line) from None
    if 0 in given or (given and min(given) < -count):
        raise MeshFileError(f"{given} are not vertices: numbers begin at 1, or count back from -1 to -{count}", line)
    if len(given) > MAX_CORNERS:
        raise MeshFileError(f"a face of {len(given)} corners; at most {MAX_CORNERS} are accepted", line)
    return [i - 1 if i > 0 else count + i for i in given]


def _points(rows: list[bytes], lines: list[int]) -> Array:
    """(n, 3): the first three numbers of each row; further ones are weights and colours."""
    words = [row.split()[:3] for row in rows]
    try:
        points = np.array(words, dtype=float).reshape(-1, 3)
    except ValueError:
        points = np.empty((0, 3))
        for row, line in zip(words, lines, strict=True):
            _check_row(row, line)
    with np.errstate(over="ignore"):
        points = points.astype(np.float32).astype(float)
    bad = first_bad_vertex(points)
    if bad >= 0:
        shown = b" ".join(words[bad]).decode("ascii", "replace")[:80]
        raise MeshFileError(f"vertex {shown} is not finite or too large (limit 2^30)", lines[bad])
    return points


def _check_row(row: list[bytes], line: int) -> None:
    try:
        good = len([float(word) for word in row]) == 3
    except ValueError:
        good = False
    if not good:
        shown = b" ".join(row).decode("ascii", "replace")[:80]
        raise MeshFileError(f"'{shown}' was read; a vertex is three numbers", line)


def _triangles(faces: list[list[int]], lines: list[int], points: Array) -> Array:
    sizes = np.array([len(face) for face in faces], int)
    flat = np.array([i for face in faces for i in face], int)
    if len(flat) and flat.max() >= len(points):
        row = next(k for k, face in enumerate(faces) if face and max(face) >= len(points))
        raise MeshFileError(f"vertex {max(faces[row]) + 1} does not exist; the file has {len(points)}", lines[row])
    if np.all(sizes == 3):
        return flat.reshape(-1, 3)
    out: list[Array] = []
    for face in faces:
        if len(face) == 4:
            out.append(_cut_quad(face, points))
        elif len(face) >= 3:  # two corners make no face
            out.append(_cut_ears(face, points))
    return np.concatenate(out) if out else np.zeros((0, 3), int)


def _cut_quad(face: list[int], points: Array) -> Array:
    a, b, c, d = face
    first, second = points[c] - points[a], points[d] - points[b]
    if first @ first < second @ second:
        return np.array([[a, b, c], [a, c, d]])
    return np.array([[a, b, d], [b, c, d]])


def _cut_ears(face: list[int], points: Array) -> Array:
    """Triangles of a polygon: corners that stick out and hold no other corner are cut off, the first one first.

    Of a convex polygon that leaves a fan about the first corner.
    """
    corners = points[face]
    edges = np.roll(corners, -1, axis=0) - corners
    normal = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)  # twice the area
    turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ normal
    left, out = list(range(len(face))), []
    if np.all(turns > 0.0):
        return np.array([[face[0], face[k], face[k + 1]] for k in range(1, len(face) - 1)])
    drop = int(np.argmax(np.abs(normal)))  # seen along the axis nearest to the normal
    seen = np.delete(corners, drop, axis=1)
    if (drop == 1) == (normal[drop] > 0.0):
        seen[:, 1] *= -1.0  # counterclockwise
    while len(left) > 3:
        ear = _first_ear(seen[left])
        k = (ear + 1) % len(left)
        out.append([face[left[ear]], face[left[k]], face[left[(ear + 2) % len(left)]]])
        del left[k]
    return np.array([*out, [face[i] for i in left]])


def _first_ear(polygon: Array) -> int:
    """First of three successive corners of a counterclockwise polygon (n, 2) that turn left and hold no other; or 0."""

    def turn(a: Array, b: Array, c: Array) -> Array:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])  # type: ignore[no-any-return]

    n = len(polygon)
    left = turn(polygon, np.roll(polygon, -1, axis=0), np.roll(polygon, -2, axis=0)) > 0.0
    for k in np.flatnonzero(left):
        a, b, c = polygon[k], polygon[(k + 1) % n], polygon[(k + 2) % n]
        held = (turn(a, b, polygon) >= 0.0) & (turn(b, c, polygon) >= 0.0) & (turn(c, a, polygon) >= 0.0)
        held[[k, (k + 1) % n, (k + 2) % n]] = False
        if not held.any():
            return int(k)
    return 0
