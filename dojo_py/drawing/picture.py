"""`Painter`: pictures of a model's poses as arrays of pixels, without a window or a graphics driver."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from dojo_py.drawing.poses import body_poses
from dojo_py.drawing.surfaces import Picture, Surface, arrow, colour_of, drawn_geoms, paint_of, picture_of, surface_of
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import GeomType

Array = np.ndarray

SKY = np.array([[0.45, 0.62, 0.85], [0.92, 0.95, 0.98]])
"""Above and at the horizon."""
SUN = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
"""Direction to the light."""
TILE = 0.5
"""Edge of the floor's squares [m]; smaller beside small models."""
FIELD = 45.0
"""Vertical field of view [degrees]."""
SHADOWS = 512
"""Rows of the map of distances from the light."""


def camera(azimuth: float, elevation: float, distance: float, target: Array) -> tuple[Array, Array]:
    """Position (3,) and axes (3, 3: right, up, forward) of a camera that looks at `target`; angles in degrees, MuJoCo's sense."""
    a, e = np.radians([azimuth, elevation])
    forward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([np.sin(a), -np.cos(a), 0.0])
    return target - distance * forward, np.array([right, np.cross(right, forward), forward])


def vertex_normals(surface: Surface) -> Array:
    """(n, 3) mean normals of the faces at each vertex, weighted by their areas."""
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(surface.vertices)
    for corner in range(3):
        np.add.at(normals, surface.faces[:, corner], across)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)


class Painter:
    """Draws one model, again and again; keeps its triangles and the work arrays of the last size.

    After a picture: depth (height, width) [m] along the camera's axis, 1e30 for the sky; `geom_at` says what a pixel shows.
    """

    def __init__(self, model: Any):
        self.model = model
        shown = drawn_geoms(model)
        self._planes = [g for g in shown if model.geom_type[g] == GeomType.PLANE]
        surfaces = {g: surface_of(model, g) for g in shown if model.geom_type[g] != GeomType.PLANE}
        self._geoms = [g for g, surface in surfaces.items() if surface is not None]
        found = {g: picture_of(model, g) for g in (*self._planes, *self._geoms)}
        laid = {g: picture for g, picture in found.items() if picture is not None}
        self._pictures, self._number = _pictures(list(laid.values())), {g: i for i, g in enumerate(laid)}
        self._laid = laid
        self._solid = [
            _Solid(surface, self._paint(g), self._number.get(g, -1), _places(laid.get(g), surface))
            for g, surface in surfaces.items()
            if surface is not None
        ]
        self._open = [model.geom_type[g] == GeomType.MESH for g in self._geoms]
        self._reach = np.array([float(model.geom_rbound[g]) for g in self._geoms])
        self._geometry = _stack(self._solid, self._open)
        self._buffers: tuple[Array, ...] = ()
        self._lock = threading.Lock()
        moving = [i for i, g in enumerate(self._geoms) if model.body_weldid[model.geom_bodyid[g]] > 0]
        self._moving = np.array(moving or range(len(self._geoms)), int)

    def picture(
        self, qpos: Array, eye: Array, axes: Array, width: int, height: int, arrows: Array | None = None,
        paint: tuple[float, float, float] = (0.8, 0.1, 0.0), samples: int = 1, placed: Any = None,
    ) -> Array:  # fmt: skip
        """(height, width, 3) uint8 at a configuration (nq,). eye (3,), axes (3, 3): of `camera`.

        arrows (n, 2, 3): from where to where [m], in the colour `paint`. samples: rays across a pixel's edge, 1 to 4.
        placed: a State or a Trajectory that says where mocap bodies are.
        """
        with self._lock:
            poses = body_poses(self.model, np.asarray(qpos, float)[None], placed)
            image = self._draw(poses[0][0], poses[1][0], eye, axes, samples * width, samples * height, arrows, paint)
        if samples == 1:
            return image
        blocks = image.reshape(height, samples, width, samples, 3)
        return np.round(blocks.mean(axis=(1, 3), dtype=np.float32)).astype(np.uint8)

    def _draw(self, x: Array, q: Array, eye: Array, axes: Array, width: int, height: int, arrows: Any, paint: Any) -> Array:
        rotation, position = self._poses(x, q, self._geoms)
        centre, radius = self._ball(position)
        geometry, rotation, position = self._with_arrows(rotation, position, arrows, paint, 0.012 * radius)
        image = np.zeros((height, width, 3), np.uint8)
        scale = height / (2.0 * np.tan(np.radians(FIELD) / 2.0))
        sun_axes, reach = _looking(-SUN), 1.3 * radius
        light = (centre + 3.0 * radius * SUN, sun_axes, 0.5 * SHADOWS / reach, 3.0 * reach / SHADOWS)
        from dojo_py.drawing.raster import render

        tile = TILE if radius > 0.2 * TILE else 2.0 * radius
        view = (np.ascontiguousarray(eye, float), np.ascontiguousarray(axes, float), float(scale))
        buffers = self._work(len(geometry[0]), *image.shape[:2])
        planes = self._plane_table(x, q)
        render(geometry, (rotation, position), view, light, planes, self._pictures, buffers, SKY, float(tile), image)
        self.depth, self.shown = buffers[4], buffers[5]
        return image

    def geom_at(self, row: int, column: int) -> int:
        """Geom shown by a pixel of the last picture taken with samples=1; -1 for the sky, and for arrows."""
        face = int(self.shown[row, column])
        if face < -1:
            return self._planes[-2 - face]
        if face < 0 or face >= len(self._geometry[3]):
            return -1
        return self._geoms[int(self._geometry[2][self._geometry[3][face, 0]])]

    def _poses(self, x: Array, q: Array, geoms: list[int]) -> tuple[Array, Array]:
        """(n, 3, 3) and (n, 3) of geoms in the world."""
        body = np.asarray(self.model.geom_bodyid)[geoms].astype(int)
        rotation = quaternion.matrix(quaternion.multiply(q[body], np.asarray(self.model.geom_quat)[geoms]))
        rotation = np.ascontiguousarray(rotation.reshape(-1, 3, 3))  # (other strides would be compiled for anew)
        return rotation, x[body] + quaternion.rotate(q[body], np.asarray(self.model.geom_pos)[geoms])

    def _ball(self, position: Array) -> tuple[Array, float]:
        """Centre and radius of what moves: the part of the world that casts shadows."""
        if not len(self._moving):
            return np.zeros(3), 1.0
        reach = self._reach[self._moving, None]
        low, high = (position[self._moving] - reach).min(axis=0), (position[self._moving] + reach).max(axis=0)
        return 0.5 * (low + high), max(0.5 * float(np.linalg.norm(high - low)), 1e-3)

    def _plane_table(self, x: Array, q: Array) -> tuple[Array, Array]:
        rotation, position = self._poses(x, q, self._planes)
        half = np.asarray(self.model.geom_size, float)[self._planes][:, :2]
        laid = [[self._number[g], *self._laid[g].scale] if g in self._laid else [-1.0, 0.0, 0.0] for g in self._planes]
        parts = [position, np.swapaxes(rotation, 1, 2).reshape(-1, 9), half.reshape(-1, 2), np.array(laid).reshape(-1, 3)]
        return np.concatenate(parts, axis=1), np.array([self._paint(g) for g in self._planes]).reshape(-1, 4)

    def _paint(self, geom: int) -> Array:
        """(4,) colour of a geom, without the picture that lies on it."""
        return paint_of(self.model, geom) if geom in self._number else colour_of(self.model, geom)

    def _with_arrows(self, rotation: Array, position: Array, arrows: Any, paint: Any, radius: float) -> tuple[Any, Array, Array]:
        if arrows is None or not len(arrows):
            return self._geometry, rotation, position
        along = arrows[:, 1] - arrows[:, 0]
        length = np.linalg.norm(along, axis=1)
        kept = length > 1e-6
        if not kept.any():
            return self._geometry, rotation, position
        shapes = [arrow(float(size), radius) for size in length[kept]]
        solid = [_Solid(shape, np.array([*paint, 1.0]), -1, _places(None, shape)) for shape in shapes]
        turns = np.array([quaternion.matrix(quaternion.from_z_axis(direction)) for direction in along[kept]])
        geometry = _stack(self._solid + solid, self._open + [False] * len(solid))
        return geometry, np.concatenate([rotation, turns]), np.concatenate([position, arrows[kept, 0]])

    def _work(self, vertices: int, height: int, width: int) -> tuple[Array, ...]:
        there = self._buffers
        if not there or len(there[0]) != vertices or there[4].shape != (height, width):
            points = [np.zeros((vertices, 3)) for _ in range(3)]
            shadows = np.zeros((SHADOWS, SHADOWS), np.float32)
            pixels: list[Array] = [np.zeros((height, width)), np.zeros((height, width), np.int64), shadows]
            self._buffers = (*points, np.zeros((vertices, 2)), *pixels)
        return self._buffers


class _Solid(NamedTuple):
    """A surface, its colour, and what lies on it."""

    surface: Surface
    rgba: Array
    picture: int
    """-1: none."""
    places: Array
    """(n, 2) of the vertices in the picture."""


def _places(picture: Picture | None, surface: Surface) -> Array:
    if picture is None:
        return np.zeros((len(surface.vertices), 2))
    return picture.at(surface.vertices) if picture.corners is None else picture.corners


def _pictures(laid: list[Picture]) -> tuple[Array, ...]:
    """table, mean, pixels of several pictures, as `raster.render` takes them."""
    sizes = np.array([picture.pixels.shape[:2] for picture in laid], np.int64).reshape(-1, 2)
    table = np.column_stack([np.cumsum([0, *sizes.prod(axis=1)])[: len(laid)].astype(np.int64), sizes])
    mean = np.array([picture.pixels.reshape(-1, 3).mean(axis=0) / 255.0 for picture in laid]).reshape(-1, 3)
    pixels = np.concatenate([np.zeros((0, 3), np.uint8), *(picture.pixels.reshape(-1, 3) for picture in laid)])
    return np.ascontiguousarray(table), mean, pixels


def _stack(solid: list[_Solid], opened: list[bool]) -> tuple[Array, ...]:
    """vertices, normals, owner, faces, paint, both, place, picture of several surfaces, as `raster.render` takes them."""
    first = np.cumsum([0] + [len(one.surface.vertices) for one in solid])
    none, faces = np.zeros((0, 3)), [one.surface.faces for one in solid]
    return (
        np.concatenate([one.surface.vertices for one in solid] or [none]),
        np.concatenate([vertex_normals(one.surface) for one in solid] or [none]),
        np.repeat(np.arange(len(solid)), np.diff(first)),
        np.concatenate([own + start for own, start in zip(faces, first, strict=False)] or [none.astype(int)]),
        np.concatenate([np.tile(one.rgba, (len(own), 1)) for one, own in zip(solid, faces, strict=True)] or [np.zeros((0, 4))]),
        np.concatenate([np.full(len(own), float(both)) for own, both in zip(faces, opened, strict=True)] or [np.zeros(0)]),
        np.concatenate([one.places for one in solid] or [np.zeros((0, 2))]),
        np.concatenate([np.full(len(own), one.picture) for one, own in zip(solid, faces, strict=True)] or [np.zeros(0, int)]),
    )


def _looking(forward: Array) -> Array:
    """Axes (3, 3) right, up, forward of what looks along a unit vector that is not vertical."""
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(right, forward), forward])
