"""Shapes as triangles: what a viewer draws of a geom, in the geom's own frame.

A new shape is a function here and a row in `SURFACES`. Sizes are MuJoCo's `geom_size`: sphere radius; capsule and cylinder radius
and half length along z; ellipsoid three radii; box half edges. Triangles run anticlockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.enums import GeomType
from dojo_py.mechanism.hfield_surface import hfield_triangles

Array = np.ndarray

AROUND, ACROSS = 32, 16
"""Segments of a full circle about z, and from pole to pole."""


class Surface(NamedTuple):
    """Triangles of a closed surface. Corners at an edge are several vertices in one place: shading is smooth elsewhere only."""

    vertices: Array
    """(n, 3) [m]"""
    faces: Array
    """(m, 3) rows of `vertices`."""


def surface_of(model: Any, geom: int) -> Surface | None:
    """The surface of a geom; None for a plane, which has no end, and for what the model holds no shape of."""
    kind = int(model.geom_type[geom])
    if kind == GeomType.MESH:
        return _mesh(model, geom)
    if kind == GeomType.HFIELD:
        corners = hfield_triangles(model, geom)
        return Surface(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    make = SURFACES.get(kind)
    return None if make is None else make(np.asarray(model.geom_size[geom], float))


def _lathe(radius: Array, height: Array) -> tuple[Array, Array]:
    """Vertices and faces of an outline (n,) turned about z; its first and last points are poles on the axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    r, z = radius[1:-1, None], height[1:-1, None]
    rings = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, (len(r), AROUND))], axis=-1).reshape(-1, 3)
    vertices = np.concatenate([rings, [[0.0, 0.0, height[0]], [0.0, 0.0, height[-1]]]])
    k = np.arange(AROUND)
    after, top = (k + 1) % AROUND, len(rings) - AROUND
    faces = [np.stack([np.full(AROUND, len(rings)), after, k], axis=1)]
    for start in range(0, top, AROUND):
        a, b, c, d = start + k, start + after, start + AROUND + after, start + AROUND + k
        faces += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    faces.append(np.stack([np.full(AROUND, len(rings) + 1), top + k, top + after], axis=1))
    return vertices, np.concatenate(faces)


def _arc() -> tuple[Array, Array]:
    """Half a unit circle from the south pole to the north pole: distances from z, heights."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, ACROSS + 1)
    return np.cos(angle), np.sin(angle)


def _joined(*parts: tuple[Array, Array]) -> Surface:
    """Several lists of vertices and faces as one surface."""
    first = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    faces = [faces + start for (_, faces), start in zip(parts, first, strict=False)]
    return Surface(np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces))


def _apart(vertices: Array, faces: Array) -> Surface:
    """Each triangle with vertices of its own."""
    return Surface(vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))


def _sphere(size: Array) -> Surface:
    return _ellipsoid(np.repeat(size[0], 3))


def _ellipsoid(size: Array) -> Surface:
    vertices, faces = _lathe(*_arc())
    return Surface(vertices * size, faces)


def _capsule(size: Array) -> Surface:
    radius, height = _arc()
    middle = ACROSS // 2
    shift = np.concatenate([np.full(middle + 1, -size[1]), np.full(middle + 1, size[1])])
    twice = np.r_[: middle + 1, middle : ACROSS + 1]  # the equator, at both ends of the straight part
    return Surface(*_lathe(size[0] * radius[twice], size[0] * height[twice] + shift))


def _cylinder(size: Array) -> Surface:
    radius, half = size[0], size[1]
    angle, k = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False), np.arange(AROUND)
    low = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(AROUND, -half)], axis=1)
    high, after = low * [1.0, 1.0, -1.0], (k + 1) % AROUND
    above = AROUND + k, AROUND + after
    side = np.concatenate([np.stack([k, after, above[1]], axis=1), np.stack([k, above[1], above[0]], axis=1)])
    middle = np.full(AROUND, AROUND)
    bottom = np.concatenate([low, [[0.0, 0.0, -half]]]), np.stack([middle, after, k], axis=1)
    top = np.concatenate([high, [[0.0, 0.0, half]]]), np.stack([middle, k, after], axis=1)
    return _joined((np.concatenate([low, high]), side), bottom, top)


def _box(size: Array) -> Surface:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([[a, b, c] for a, b, c, d in sides] + [[a, c, d] for a, b, c, d in sides])
    return _apart(corners * size, faces)


def _mesh(model: Any, geom: int) -> Surface | None:
    """The triangles that the model holds under MuJoCo's names (`mesh_vert`, `mesh_face`), each flat."""
    mesh = int(model.geom_dataid[geom])
    if mesh < 0:
        return None
    v, f = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
    vertices = np.asarray(model.mesh_vert[v : v + int(model.mesh_vertnum[mesh])], float)
    return _apart(vertices, np.asarray(model.mesh_face[f : f + int(model.mesh_facenum[mesh])], int))


def arrow(length: float, radius: float) -> Surface:
    """An arrow along z from the origin; its head takes at most half of it."""
    head = min(6.0 * radius, 0.5 * length)
    shaft, tip = length - head, 2.5 * radius
    return Surface(*_lathe(np.array([0.0, radius, radius, tip, 0.0]), np.array([0.0, 0.0, shaft, shaft, length])))


SURFACES: dict[int, Callable[[Array], Surface]] = {
    GeomType.SPHERE: _sphere,
    GeomType.CAPSULE: _capsule,
    GeomType.ELLIPSOID: _ellipsoid,
    GeomType.CYLINDER: _cylinder,
    GeomType.BOX: _box,
}
"""Shape code -> function of `geom_size`."""


class Picture(NamedTuple):
    """A texture as it lies on a geom; `at` gives places in it."""

    pixels: Array
    """(rows, columns, 3) uint8, from the upper edge down."""
    scale: Array
    """(2,) repetitions a metre along x and y of the geom's frame; mirrored downwards as MuJoCo lays it."""
    corners: Array | None = None
    """(3 m, 2) places of a mesh's corners, face by face; None: laid along z, by x and y."""

    def at(self, points: Array) -> Array:
        """(n, 2) places of points (n, 3) of the geom's frame: repetitions to the right and from the upper edge down."""
        return np.stack([self.scale[0] * points[:, 0] - 0.5, -self.scale[1] * points[:, 1] - 0.5], axis=1)


def picture_of(model: Any, geom: int) -> Picture | None:
    """What lies on a geom: the two-dimensional texture of its material, built in or from a file; None without.

    As MuJoCo lays it: by the texture coordinates of a mesh, else along the geom's z axis, `texrepeat` times over the geom, or over
    a metre with `texuniform` (and on a plane without end, which has no size to go by).
    """
    material, sizes = int(model.geom_matid[geom]), getattr(model, "mat_texsize", None)  # (a MjModel keeps pictures in its place)
    if material < 0 or sizes is None or sizes[material][0] == 0:
        return None
    rows, columns = (int(n) for n in sizes[material])
    first = int(model.mat_texeladr[material])
    pixels = np.asarray(model.texel_rgb[first : first + rows * columns]).reshape(rows, columns, 3)
    scale, kind = np.array(model.mat_texrepeat[material], float), int(model.geom_type[geom])
    if kind == GeomType.MESH and (corners := _corners(model, geom)) is not None:
        return Picture(pixels, scale, scale * corners)
    if not model.mat_texuniform[material]:
        half = _half(model, geom)
        scale = np.where(half > 0.0, 0.5 * scale / np.where(half > 0.0, half, 1.0), scale)
    return Picture(pixels, scale)


def _corners(model: Any, geom: int) -> Array | None:
    """(3 m, 2) texture coordinates of a mesh geom, in the order of its triangles; None where the mesh has none."""
    mesh = int(model.geom_dataid[geom])
    first = -1 if mesh < 0 else int(model.mesh_cornertexadr[mesh])
    if first < 0:
        return None
    return np.asarray(model.mesh_cornertex[first : first + int(model.mesh_facenum[mesh])], float).reshape(-1, 2)


def _half(model: Any, geom: int) -> Array:
    """(2,) half widths along x and y of the geom's frame [m]; 0 without end."""
    if model.geom_type[geom] == GeomType.PLANE:
        return np.maximum(np.asarray(model.geom_size[geom][:2], float), 0.0)
    surface = surface_of(model, geom)
    return np.zeros(2) if surface is None else np.abs(surface.vertices[:, :2]).max(axis=0)


def paint_of(model: Any, geom: int) -> Array:
    """(4,) what a picture on a geom is multiplied with: its own colour, or its material's, without the texture."""
    own, material = np.asarray(model.geom_rgba[geom], float), int(model.geom_matid[geom])
    return own if material < 0 or not np.allclose(own, UNSET, atol=1e-6) else np.array(model.mat_rgba[material], float)


UNSET = (0.5, 0.5, 0.5, 1.0)
"""`geom_rgba` of a geom that was given no colour: its material's is drawn, as in MuJoCo's viewer."""


def colour_of(model: Any, geom: int) -> Array:
    """(4,) red, green, blue, opacity of a geom, 0 to 1: its own, else its material's times the mean of its texture."""
    own, material = np.asarray(model.geom_rgba[geom], float), int(model.geom_matid[geom])
    if material < 0 or not np.allclose(own, UNSET, atol=1e-6):
        return own
    colour = np.array(model.mat_rgba[material], float)
    textures = getattr(model, "mat_texrgb", None)  # a MjModel keeps pictures in its place
    if textures is not None:
        colour[:3] *= np.asarray(textures[material], float).reshape(2, 3).mean(axis=0)
    return colour


HIDDEN = 3
"""First of the groups that are not drawn, as in MuJoCo's viewer; files keep their collision shapes there."""


def drawn_geoms(model: Any) -> list[int]:
    """Geoms that are drawn: groups 0 to 2, but all of a body where what is hidden is more than twice as large (its visual meshes
    were not read); nothing of opacity 0.
    """
    seen = [g for g in range(int(model.ngeom)) if colour_of(model, g)[3] > 0.0]
    largest = np.zeros((int(model.nbody), 2))
    for g in seen:
        body, hidden = int(model.geom_bodyid[g]), int(model.geom_group[g] >= HIDDEN)
        size = np.inf if model.geom_type[g] == GeomType.PLANE else float(model.geom_rbound[g])
        largest[body, hidden] = max(largest[body, hidden], size)
    little = 2.0 * largest[:, 0] < largest[:, 1]
    return [g for g in seen if model.geom_group[g] < HIDDEN or little[model.geom_bodyid[g]]]
