"""Pictures of a state: every geom is met by one ray a pixel, in plain numpy. Primitives only; no window, no graphics driver."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.environments.kinematics import body_poses, matrix
from dojo_py.environments.rays import HITS, PLANE, plane_hit

Array = np.ndarray

SKY_TOP, SKY_BOTTOM = np.array([0.45, 0.62, 0.85]), np.array([0.92, 0.95, 0.98])
SUN = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
"""Direction to the light."""
TILE = 0.5
"""Edge of the floor's squares [m]."""
FIELD = 45.0
"""Vertical field of view [degrees]."""


def camera(azimuth: float, elevation: float, distance: float, target: Array) -> tuple[Array, Array]:
    """Position (3,) and axes (3, 3: right, up, forward) of a camera that looks at `target`; angles in degrees, MuJoCo's sense."""
    a, e = np.radians([azimuth, elevation])
    forward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([np.sin(a), -np.cos(a), 0.0])
    return target - distance * forward, np.array([right, np.cross(right, forward), forward])


def pixel_rays(axes: Array, width: int, height: int) -> Array:
    """(height, width, 3) unit directions."""
    scale = np.tan(np.radians(FIELD) / 2)
    y, x = np.mgrid[0:height, 0:width]
    right, up = (2 * x + 1 - width) / height * scale, -(2 * y + 1 - height) / height * scale
    rays = right[..., None] * axes[0] + up[..., None] * axes[1] + axes[2]
    return rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def window(centre: Array, radius: float, eye: Array, axes: Array, width: int, height: int) -> tuple[slice, slice] | None:
    """Rows and columns that a ball can cover; None when it lies behind the camera."""
    local = axes @ (centre - eye)
    if local[2] < -radius:
        return None
    if local[2] < 1.5 * radius:
        return slice(0, height), slice(0, width)
    scale = height / (2 * np.tan(np.radians(FIELD) / 2))
    reach = scale * radius / (local[2] - radius) + 2
    x, y = width / 2 + scale * local[0] / local[2], height / 2 - scale * local[1] / local[2]
    rows = slice(int(np.clip(y - reach, 0, height)), int(np.clip(y + reach + 1, 0, height)))
    return rows, slice(int(np.clip(x - reach, 0, width)), int(np.clip(x + reach + 1, 0, width)))


def render(model: Any, qpos: Array, view: tuple[float, float, float], target: Array, width: int, height: int) -> Array:
    """(height, width, 3) uint8 picture of a configuration. view: azimuth, elevation [degrees], distance [m]."""
    eye, axes = camera(*view, target)
    rays = pixel_rays(axes, width, height)
    depth = np.full((height, width), np.inf)
    fade = np.linspace(0.0, 1.0, height)[:, None, None]
    colour = np.broadcast_to((1 - fade) * SKY_TOP + fade * SKY_BOTTOM, (height, width, 3)).copy()
    poses = body_poses(model, qpos)
    shapes = []
    for g in range(model.ngeom):
        body, kind = model.geom_bodyid[g], int(model.geom_type[g])
        centre = poses.position[body] + poses.rotation[body] @ model.geom_pos[g]
        turn = poses.rotation[body] @ matrix(model.geom_quat[g])
        paint = np.asarray(model.geom_rgba[g][:3], dtype=float)
        if kind == PLANE:
            _paint_plane(centre, turn, paint, eye, rays, depth, colour)
        elif kind in HITS and model.geom_rgba[g][3] > 0:
            shapes.append((kind, centre, turn, np.array(model.geom_size[g]), float(model.geom_rbound[g]), paint))
    _cast_shadows(shapes, eye, rays, depth, colour)
    for kind, centre, turn, size, radius, paint in shapes:
        cut = window(centre, radius, eye, axes, width, height)
        if cut is None:
            continue
        t, normal = HITS[kind]((eye - centre) @ turn, rays[cut] @ turn, size)
        near = t < depth[cut]
        shade = 0.35 + 0.65 * np.clip(normal @ (turn.T @ SUN), 0.0, 1.0)
        depth[cut] = np.where(near, t, depth[cut])
        colour[cut] = np.where(near[..., None], shade[..., None] * paint, colour[cut])
    return np.asarray(np.clip(255 * colour, 0, 255), dtype=np.uint8)


def _paint_plane(centre: Array, turn: Array, paint: Array, eye: Array, rays: Array, depth: Array, colour: Array) -> None:
    """A checkered plane; depth and colour are modified in place."""
    origin = (eye - centre) @ turn
    directions = rays @ turn
    t, _ = plane_hit(origin, directions, None)
    near = (t < depth) & (t < 60.0)
    point = origin + np.where(near, t, 0.0)[..., None] * directions
    dark = (np.floor(point[..., 0] / TILE) + np.floor(point[..., 1] / TILE)) % 2
    haze = np.clip(np.where(near, t, 0.0) / 25.0, 0.0, 1.0)[..., None]
    tone = (0.95 - 0.18 * dark[..., None]) * paint
    colour[near] = ((1 - haze) * tone + haze * SKY_BOTTOM)[near]
    depth[near] = t[near]


def _cast_shadows(shapes: list[Any], eye: Array, rays: Array, depth: Array, colour: Array) -> None:
    """Darken what is painted so far, the floor, where a shape stands between it and the light."""
    seen = np.isfinite(depth)
    ground = eye + depth[seen][:, None] * rays[seen]
    shadow = np.zeros(len(ground), dtype=bool)
    for kind, centre, turn, size, radius, _ in shapes:
        offset = ground - centre
        along = offset @ SUN
        close = np.flatnonzero(np.einsum("ni,ni->n", offset, offset) - along**2 < radius**2)
        if len(close):
            t, _ = HITS[kind](offset[close] @ turn, np.broadcast_to(SUN @ turn, (len(close), 3)), size)
            shadow[close] |= np.isfinite(t)
    colour[seen] *= np.where(shadow, 0.6, 1.0)[:, None]


def render_task(task: Any, state: Any, width: int, height: int) -> Array:
    """The picture of a task's state from the task's camera."""
    x, y = (0.0 if i < 0 else float(state.qpos[i]) for i in task.follow)
    return render(task.sim.model, state.qpos, task.view, np.array([x, y, task.look_height]), width, height)
