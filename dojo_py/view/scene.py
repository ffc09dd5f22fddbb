"""A model in viser's scene: a frame for each body, its geoms as meshes, planes as grids, contacts as arrows.

The same for replays and for the live viewer: both hand over viser's `SceneApi`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.drawing.picture import vertex_normals
from dojo_py.drawing.poses import body_poses
from dojo_py.drawing.surfaces import UNSET, Picture, Surface, colour_of, drawn_geoms, paint_of, picture_of, surface_of
from dojo_py.mechanism.enums import GeomType
from dojo_py.view.extra import imported

Array = np.ndarray

PUSH, PAIR = (200, 20, 0), (90, 0, 160)
"""Colours of contacts with what does not move, and of contacts between bodies."""
FLOOR = (0.925, 0.933, 0.945)
"""Colour of planes that were given none."""
CELL = 0.5
"""Edge of the floor's squares [m]."""
FAR = 1e9
"""Nothing is drawn farther away [m]."""
FARTHEST = 30.0
"""An infinite floor fades out at so many sizes of the model."""


def extent(model: Any, qpos: Array, placed: Any = None) -> tuple[Array, float]:
    """Centre (3,) and radius [m] of a ball around all drawn geoms but planes at a configuration. placed: as in `body_poses`."""
    x, q = body_poses(model, np.asarray(qpos)[None], placed)
    shown = [g for g in drawn_geoms(model) if model.geom_type[g] != GeomType.PLANE and model.geom_bodyid[g] > 0]
    if not shown:
        shown = [g for g in drawn_geoms(model) if model.geom_type[g] != GeomType.PLANE]
    if not shown:
        return np.zeros(3), 1.0
    centres = np.array([_centre(model, g, x[0], q[0]) for g in shown])
    reach = np.array([model.geom_rbound[g] for g in shown])[:, None]
    low, high = (centres - reach).min(axis=0), (centres + reach).max(axis=0)
    return 0.5 * (low + high), max(0.5 * float(np.linalg.norm(high - low)), 1e-3)


def _centre(model: Any, geom: int, x: Array, q: Array) -> Array:
    from dojo_py.mechanism.quaternion import rotate

    body = model.geom_bodyid[geom]
    return x[body] + rotate(q[body], model.geom_pos[geom])


def node_name(index: int, name: str) -> str:
    """A name in viser's tree, where "/" separates parents from children."""
    return f"{index} {name}".strip().replace("/", "|")


class Scene:
    """A model drawn under a node of viser's scene tree.

    tint: (red, green, blue) 0 to 255 instead of the geoms' own colours. floor: draw the planes. opacity: of all geoms, instead of
    their own.
    """

    def __init__(
        self, api: Any, model: Any, root: str = "/model", size: float = 1.0, tint: Any = None, floor: bool = True,
        opacity: float | None = None,
    ):  # fmt: skip
        self.api, self.model, self.root, self.size, self.opacity = api, model, root, size, opacity
        self.frames = [
            api.add_frame(f"{root}/{node_name(body, _name(model, body))}", show_axes=False) for body in range(int(model.nbody))
        ]
        self.geoms: dict[int, Any] = {}
        for geom in drawn_geoms(model):
            if model.geom_type[geom] == GeomType.PLANE:
                if floor:
                    self._add_plane(geom)
            else:
                self._add_geom(geom, tint)
        # viser changes an array of the same shape in place, also in what it has recorded: begin with a shape that does not return
        thin = 0.006 * size
        self.arrows = api.add_arrows(
            f"{root}/contacts", np.zeros((0, 2, 3)), np.zeros((0, 3), np.uint8), shaft_radius=thin, head_radius=2.5 * thin,
            head_length=6.0 * thin, visible=False,
        )  # fmt: skip
        self._poses: tuple[Array, Array] | None = None

    def _add_geom(self, geom: int, tint: Any) -> None:
        surface, rgba = surface_of(self.model, geom), colour_of(self.model, geom)
        if surface is None:
            return
        body = int(self.model.geom_bodyid[geom])
        picture = picture_of(self.model, geom)
        if picture is not None and tint is None and self.opacity is None and rgba[3] >= 1.0:
            self.geoms[geom] = self._add_textured(f"{self.frames[body].name}/geom {geom}", geom, surface, picture)
            return
        self.geoms[geom] = self.api.add_mesh_simple(
            f"{self.frames[body].name}/geom {geom}",
            surface.vertices,
            surface.faces,
            color=_bytes(rgba[:3]) if tint is None else tuple(tint),
            opacity=self.opacity if self.opacity is not None else None if rgba[3] >= 1.0 else float(rgba[3]),
            position=triple(self.model.geom_pos[geom]),
            wxyz=triple(self.model.geom_quat[geom]),
        )

    def _add_textured(self, name: str, geom: int, surface: Surface, picture: Picture) -> Any:
        """A surface with a picture on it, as glTF: viser's simple meshes have one colour."""
        from trimesh import Trimesh
        from trimesh.visual import TextureVisuals
        from trimesh.visual.material import PBRMaterial

        places = picture.at(surface.vertices) if picture.corners is None else picture.corners
        paint = paint_of(self.model, geom)
        pixels = np.clip(picture.pixels * paint[:3], 0.0, 255.0).astype(np.uint8)
        look = PBRMaterial(
            baseColorTexture=imported("PIL.Image").fromarray(pixels), metallicFactor=0.0, roughnessFactor=0.9, doubleSided=True
        )
        visual = TextureVisuals(uv=np.stack([places[:, 0], 1.0 - places[:, 1]], axis=1), material=look)  # counted from below
        normals = vertex_normals(surface)
        mesh = Trimesh(surface.vertices, surface.faces, vertex_normals=normals, process=False, visual=visual)
        return self.api.add_mesh_trimesh(
            name, mesh, position=triple(self.model.geom_pos[geom]), wxyz=triple(self.model.geom_quat[geom])
        )

    def _add_plane(self, geom: int) -> None:
        half, body = self.model.geom_size[geom], int(self.model.geom_bodyid[geom])
        picture, opacity = picture_of(self.model, geom), float(colour_of(self.model, geom)[3])
        if picture is not None and opacity >= 1.0:
            reach = np.where(half[:2] > 0.0, half[:2], FARTHEST * self.size)
            corners = np.array([[x, y, 0.0] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) * [*reach, 1.0]
            square = Surface(corners, np.array([[0, 1, 2], [0, 2, 3]]))
            self._add_textured(f"{self.frames[body].name}/plane {geom}", geom, square, picture)
            return
        infinite = bool(half[0] == 0.0 or half[1] == 0.0)
        colour = colour_of(self.model, geom)[:3]
        colour = np.array(FLOOR) if np.allclose(colour, UNSET[:3]) else colour
        cell = CELL if self.size > 0.2 * CELL else self.size
        self.api.add_grid(
            f"{self.frames[body].name}/plane {geom}",
            width=2.0 * float(half[0]) or 10.0,
            height=2.0 * float(half[1]) or 10.0,
            infinite_grid=infinite,
            fade_distance=FARTHEST * max(self.size, 2.0 * cell),
            cell_size=cell,
            section_size=2.0 * cell,
            plane_color=_bytes(colour),
            cell_color=_bytes(0.86 * colour),
            section_color=_bytes(0.7 * colour),
            plane_opacity=min(0.9, opacity),
            shadow_opacity=0.3,
            position=triple(self.model.geom_pos[geom]),
            wxyz=triple(self.model.geom_quat[geom]),
        )

    def pose(self, x: Array, q: Array) -> None:
        """Move the bodies to positions (nbody, 3) and orientations (nbody, 4); what stays is not sent again."""
        before = self._poses
        for body in range(1, len(self.frames)):
            if before is None or not np.array_equal(before[0][body], x[body]):
                self.frames[body].position = triple(x[body])
            if before is None or not np.array_equal(before[1][body], q[body]):
                self.frames[body].wxyz = triple(q[body])
        self._poses = x, q

    def show_arrows(self, points: Array, pair: Array) -> None:
        """Arrows from points[:, 0] to points[:, 1] (n, 2, 3); pair (n,): between two bodies that move."""
        colours = np.where(pair[:, None], PAIR, PUSH).astype(np.uint8)
        self.arrows.visible = len(points) > 0
        if len(points):
            self.arrows.points, self.arrows.colors = np.clip(points, -FAR, FAR).astype(np.float32), colours


def _bytes(colour: Array) -> tuple[int, ...]:
    """Red, green, blue from 0 to 255 of numbers from 0 to 1."""
    return tuple(int(c) for c in np.clip(255 * colour, 0, 255))


def _name(model: Any, body: int) -> str:
    names = getattr(model, "body_names", None)
    return str(names[body] if names is not None else model.body(body).name)


def triple(numbers: Array) -> Any:
    """Three or four numbers in single precision, which compress well and are what is drawn."""
    return tuple(float(number) for number in np.clip(numbers, -FAR, FAR).astype(np.float32))


def look(camera: Any, centre: Array, radius: float, azimuth: float = 50.0, elevation: float = 18.0) -> None:
    """Point viser's camera at a ball, from so many degrees about z and above the floor."""
    a, e = np.radians([azimuth, elevation])
    offset = np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
    camera.position = centre + 2.6 * radius * offset
    camera.look_at = centre
    camera.near, camera.far = 0.01 * radius, 300.0 * radius
    camera.fov = np.radians(45.0)


def endless(model: Any) -> bool:
    """Whether the floor has no end: it is drawn once."""
    planes = np.asarray(model.geom_type) == GeomType.PLANE
    return bool(np.any(np.asarray(model.geom_size)[planes][:, :2] == 0.0))
