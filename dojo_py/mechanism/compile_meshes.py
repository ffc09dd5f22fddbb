"""Mesh assets: arrays `mesh_*`, and what geoms take from a mesh: its frame, volume, inertia, the sizes of a fitted primitive.

A vertex v of the file becomes  Rᵀ (S R_refᵀ (v - refpos) - c):  placed and scaled, then seen from the centre of mass c in the
principal axes R, which `mesh_pos` and `mesh_quat` keep. A geom that shows the mesh is moved by the same pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import quaternion
from .checks import Check, unique_names
from .enums import GeomType
from .errors import Problems
from .mesh_hull import hull_faces, hull_graph
from .mesh_inertia import INERTIA_TYPES, MeshInertia, mesh_inertia
from .spec import Mechanism, Mesh

Array = np.ndarray

MAX_VERTICES = 1_000_000


@dataclass
class CompiledMesh:
    """A mesh in its principal axes."""

    vertices: Array
    """(n, 3) [m]"""
    faces: Array
    """(m, 3)"""
    graph: Array
    """Of the hull (`mesh_hull`); empty where nothing needs it."""
    inertia: MeshInertia
    scale: Array
    texcoords: Array | None = None
    """(m, 3, 2), see `spec.Mesh`; None where the mesh has none."""

    @property
    def low(self) -> Array:
        """Least coordinates (3)."""
        return self.vertices.min(axis=0)

    @property
    def high(self) -> Array:
        """Largest coordinates (3)."""
        return self.vertices.max(axis=0)


def compile_meshes(mechanism: Mechanism, problems: Problems) -> dict[str, CompiledMesh]:
    """Name -> mesh, in the order of the mechanism; meshes that cannot be compiled are reported and missing."""
    unique_names(problems, "mesh", mechanism.meshes)
    paired = {name for pair in mechanism.pairs for name in (pair.geom1, pair.geom2)} - {""}
    shown = [geom for body, _ in mechanism.world.walk() for geom in body.geoms if geom.type == "mesh"]
    touching = {geom.mesh for geom in shown if geom.contype or geom.conaffinity or geom.name in paired}
    out = {}
    for mesh in mechanism.meshes:
        check = Check(problems, mesh)
        if not mesh.name:
            check.fail("name", "a mesh needs a name")
        compiled = _compile(check, mesh, mesh.hull or mesh.name in touching)
        if compiled is not None:
            out[mesh.name] = compiled
    return out


def _compile(check: Check, mesh: Mesh, hull_wanted: bool) -> CompiledMesh | None:
    before = len(check.problems.records)
    vertices, faces = _given(check, mesh)
    position, quat, scale = check.vector("refpos", 3), check.quaternion("refquat"), check.vector("scale", 3)
    kind = INERTIA_TYPES[check.word("inertia", INERTIA_TYPES)]
    if not np.all(scale != 0.0):
        check.fail("scale", "three numbers other than 0 are accepted")
    if mesh.maxhullvert != -1 and not mesh.maxhullvert > 3:
        check.fail("maxhullvert", f"'{mesh.maxhullvert}' was read; -1 or a number greater than 3 is accepted")
    if len(check.problems.records) > before:
        return None
    if kind == "exact" and faces is not None:
        edge = _repeated_edge(vertices, faces)
        if edge is not None:
            message = f"two faces have the edge of vertices {edge[0]} to {edge[1]} (from 1)"
            check.fail("inertia", f"'exact' needs faces of one orientation; {message}")
            return None
    hull: Array | str = np.zeros((0, 3), int)
    if faces is None or hull_wanted or kind == "convex":
        hull = hull_faces(vertices, mesh.maxhullvert)
    if isinstance(hull, str):
        check.fail("", f"mesh '{mesh.name}': {hull}")
        return None
    faces = hull if faces is None else faces
    places = None if mesh.texcoords is None else np.asarray(mesh.texcoords, np.float32)
    if places is not None and places.shape != (len(faces), 3, 2):  # (faces were changed since)
        places = None
    if np.prod(np.sign(scale)) < 0.0:  # a reflection turns faces inside out
        faces, hull = faces[:, [0, 2, 1]], hull[:, [0, 2, 1]]
        places = None if places is None else places[:, [0, 2, 1]]
    vertices = _placed(vertices, position, quat, scale)
    found = mesh_inertia(vertices, hull if kind == "convex" else faces, kind, faces)
    if isinstance(found, str):
        check.fail("", f"mesh '{mesh.name}': {found}")
        return None
    axes = quaternion.matrix(found.quat)
    centred = vertices - found.centre
    vertices = centred[:, 0:1] * axes[0] + centred[:, 1:2] * axes[1] + centred[:, 2:3] * axes[2]
    graph = hull_graph(hull) if len(hull) else np.zeros(0, int)
    return CompiledMesh(vertices, faces, graph, found, scale, places)


def _given(check: Check, mesh: Mesh) -> tuple[Array, Array | None]:
    """Vertices (n, 3) and faces (m, 3) or None, checked."""
    try:
        vertices = np.array(mesh.vertices, dtype=float).reshape(-1, 3)
        faces = None if mesh.faces is None else np.array(mesh.faces).reshape(-1, 3)
    except (TypeError, ValueError):
        check.fail("vertices", "vertices (n, 3) and faces (m, 3) are accepted: multiples of three numbers")
        return np.zeros((4, 3)), None
    if not 4 <= len(vertices) <= MAX_VERTICES or (faces is not None and len(faces) > MAX_VERTICES):
        check.fail("vertices", f"{len(vertices)} vertices; 4 to {MAX_VERTICES} vertices and faces are accepted")
    elif not np.all(np.isfinite(vertices)):
        check.fail("vertices", f"vertex {int(np.argmin(np.all(np.isfinite(vertices), axis=1)))} is not finite")
    if faces is not None and faces.size:
        if faces.dtype.kind not in "iu" or faces.min() < 0 or faces.max() >= len(vertices):
            check.fail("faces", f"indices of vertices, 0 to {len(vertices) - 1}, are accepted")
        return vertices, faces.astype(int)
    return vertices, None


def _repeated_edge(vertices: Array, faces: Array) -> tuple[int, int] | None:
    """Vertices (from 1) of a directed edge that two faces share; slivers do not count, as in MuJoCo."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    good = faces[0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1) > math.sqrt(1e-15)]
    edges = np.concatenate([good[:, [0, 1]], good[:, [1, 2]], good[:, [2, 0]]])
    keys = np.sort(edges[:, 0] * len(vertices) + edges[:, 1])
    twice = keys[:-1][keys[:-1] == keys[1:]]
    return (int(twice[0] // len(vertices)) + 1, int(twice[0] % len(vertices)) + 1) if len(twice) else None


def _placed(vertices: Array, position: Array, quat: Array, scale: Array) -> Array:
    """Reference pose taken off, then scaled."""
    out = vertices - position
    if np.any(quat != (1.0, 0.0, 0.0, 0.0)):
        rows = quaternion.matrix(quat)
        out = out[:, 0:1] * rows[0] + out[:, 1:2] * rows[1] + out[:, 2:3] * rows[2]
    return out * scale


def fitted(shape: int, given: Array, mesh: CompiledMesh, fitaabb: bool, fitscale: float) -> tuple[Array, Array]:
    """Sizes (3) of a primitive in the place of a mesh, and its centre (3) in the mesh's frame.

    By the half edges of the box that has the mesh's inertia, or of the box that encloses it (`fitaabb`). Numbers that the
    shape does not need stay as `given` (3).
    """
    size = given.copy()
    centre = 0.5 * (mesh.low + mesh.high) if fitaabb else np.zeros(3)
    half = 0.5 * (mesh.high - mesh.low) if fitaabb else mesh.inertia.box
    if shape == GeomType.SPHERE:
        size[0] = half.max() if fitaabb else half.sum() / 3.0
    elif shape in (GeomType.CAPSULE, GeomType.CYLINDER):
        size[0] = half[:2].max() if fitaabb else half[:2].sum() / 2.0
        ends = size[0] if fitaabb else 0.5 * size[0]  # what the round ends of a capsule add
        size[1] = half[2] if shape == GeomType.CYLINDER else max(0.0, half[2] - ends)
    else:
        size[:] = half
    return fitscale * size, centre


def _corner_arrays(parts: list[CompiledMesh]) -> dict[str, Array]:
    """Texture coordinates, one row a face, of the meshes that have them."""
    tables = [np.zeros((0, 6)) if mesh.texcoords is None else mesh.texcoords.reshape(-1, 6) for mesh in parts]
    first = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    return {
        "mesh_cornertexadr": np.where([len(table) > 0 for table in tables], first, -1).astype(int),
        "mesh_cornertex": np.concatenate([np.zeros((0, 6)), *tables]),
    }


def mesh_arrays(meshes: dict[str, CompiledMesh]) -> dict[str, Array]:
    """Arrays of all meshes, one after the other."""
    parts = list(meshes.values())
    number = {key: [len(getattr(mesh, key)) for mesh in parts] for key in ("vertices", "faces", "graph")}
    first = {key: np.cumsum([0, *counts])[:-1] for key, counts in number.items()}
    return {
        "mesh_vertadr": first["vertices"],
        "mesh_vertnum": np.array(number["vertices"], int),
        "mesh_faceadr": first["faces"],
        "mesh_facenum": np.array(number["faces"], int),
        "mesh_graphadr": np.where(np.array(number["graph"], int) > 0, first["graph"], -1),
        "mesh_vert": np.concatenate([np.zeros((0, 3)), *(mesh.vertices for mesh in parts)]),
        "mesh_face": np.concatenate([np.zeros((0, 3), int), *(mesh.faces for mesh in parts)]),
        "mesh_graph": np.concatenate([np.zeros(0, int), *(mesh.graph for mesh in parts)]),
        **_corner_arrays(parts),
        "mesh_scale": np.array([mesh.scale for mesh in parts]).reshape(-1, 3),
        "mesh_pos": np.array([mesh.inertia.centre for mesh in parts]).reshape(-1, 3),
        "mesh_quat": np.array([mesh.inertia.quat for mesh in parts]).reshape(-1, 4),
    }
