"""Convex solids of every kind for drawn scenes: the five primitive shapes and meshes, with their support points in numpy.

A mesh is listed by its corners: wedge, tetrahedron, pyramid, brick (the corners of a box) or the hull of random points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray

KINDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh")
MESHES = ("wedge", "tetrahedron", "pyramid", "brick", "hull")
TOUCHES_ALL = 'contype="1" conaffinity="1"'


class Solid(NamedTuple):
    """A shape about its own centre. size: half sizes as in MJCF [m], of a mesh the largest coordinates."""

    kind: str
    size: Array
    corners: Array
    """(n, 3) of a mesh [m], else (0, 3)"""

    @property
    def reach(self) -> float:
        """Distance of the farthest point from the centre [m]."""
        a = self.size
        if self.kind == "capsule":
            return float(a.sum())
        if self.kind in ("sphere", "ellipsoid"):
            return float(a.max())
        return float(np.linalg.norm(self.corners, axis=1).max() if self.kind == "mesh" else np.linalg.norm(a))

    def support(self, n: Array) -> Array:
        """(3,) a point that reaches farthest along n (3,), in the solid's frame: of a face its middle, by symmetry or mean."""
        a, n = self.size, np.where(np.abs(n) < 1e-12, 0.0, n)
        if self.kind == "mesh":
            heights = self.corners @ n
            return np.asarray(self.corners[heights > heights.max() - 1e-9 * a.max()].mean(axis=0))
        if self.kind == "box":
            return np.asarray(np.sign(n) * a)
        if self.kind == "ellipsoid":
            return np.asarray(a * a * n / np.linalg.norm(a * n))
        if self.kind == "cylinder":
            across = np.hypot(n[0], n[1])
            rim = n[:2] * a[0] / across if across > 0.0 else np.zeros(2)
            return np.array([*rim, np.sign(n[2]) * a[1]])
        point = a[0] * n / np.linalg.norm(n)
        if self.kind == "capsule":
            point[2] += np.sign(n[2]) * a[1]
        return np.asarray(point)

    def half_height(self) -> float:
        """How far the solid reaches below its centre when it is upright [m]."""
        return float(-self.support(np.array([0.0, 0.0, -1.0]))[2])

    def asset(self, name: str) -> str:
        """MJCF of the mesh under a name; empty for the other kinds."""
        return f'<mesh name="{name}" vertex="{text(self.corners.ravel())}"/>' if self.kind == "mesh" else ""

    def geom(self, name: str, extra: str) -> str:
        """MJCF of a geom of this solid. name: of its mesh."""
        shape = f'mesh="{name}"' if self.kind == "mesh" else f'size="{text(self.size)}"'
        return f'<geom type="{self.kind}" {shape} {extra}/>'


def text(values: Any) -> str:
    """Numbers that are read back as they are."""
    return " ".join(repr(float(v)) for v in np.ravel(values))


def solid(rng: Any, kind: str, half: float, least: float = 0.3) -> Solid:
    """A solid whose half sizes are least … 1 of `half` [m]."""
    a = np.array([float(f"{half * x:.3g}") for x in rng.uniform(least, 1.0, 3)])
    none = np.zeros((0, 3))
    if kind == "mesh":
        return mesh(rng, str(rng.choice(MESHES)), a)
    if kind == "capsule":
        return Solid(kind, np.array([0.5 * a[0], a[1]]), none)
    return Solid(kind, a[: {"sphere": 1, "cylinder": 2}.get(kind, 3)], none)


def mesh(rng: Any, kind: str, a: Array) -> Solid:
    """One of MESHES with half sizes a (3,) [m]; its flat bottom, where it has one, is below."""
    square = np.array([[x, y, -1.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    if kind == "hull":
        points = rng.normal(size=(int(rng.integers(6, 16)), 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        corners = np.round(np.concatenate([points, 0.5 * np.concatenate([np.eye(3), -np.eye(3)])]), 3)
    else:
        corners = {
            "wedge": np.concatenate([square, [[0.0, -1.0, 1.0], [0.0, 1.0, 1.0]]]),
            "tetrahedron": np.array([[1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [0.0, -1.0, -1.0], [0.0, 0.0, 1.0]]),
            "pyramid": np.concatenate([square, [[0.0, 0.0, 1.0]]]),
            "brick": np.concatenate([square, square * [1.0, 1.0, -1.0]]),
        }[kind]
    return Solid("mesh", a, corners * a)


def faces(shape: Solid) -> list[tuple[Array, Array]]:
    """(outward normal (3,), points (k, 3) whose hull is the face) of every flat face; of a cylinder its caps."""
    a = shape.size
    if shape.kind == "cylinder":
        turn = np.array([[np.cos(t), np.sin(t), 0.0] for t in np.pi * np.arange(0, 2, 0.5)])
        return [(s * np.eye(3)[2], a[0] * turn + [0.0, 0.0, s * a[1]]) for s in (-1.0, 1.0)]
    if shape.kind == "box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * a
        normals = np.concatenate([np.eye(3), -np.eye(3)])
        return [(n, corners[corners @ n > 0.0]) for n in normals]
    if shape.kind != "mesh":
        return []
    from scipy.spatial import ConvexHull

    found: list[tuple[Array, Array]] = []
    for n in np.unique(np.round(ConvexHull(shape.corners).equations[:, :3], 9), axis=0):
        n = n / np.linalg.norm(n)
        heights = shape.corners @ n
        found.append((n, shape.corners[heights > heights.max() - 1e-9 * a.max()]))
    return found
