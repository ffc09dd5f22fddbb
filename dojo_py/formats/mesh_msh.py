"""MuJoCo's binary MSH files: four int32 (vertices, normals, texture coordinates, faces), then these as float32 and int32."""

from __future__ import annotations

import numpy as np

from .mesh_data import LARGEST, MeshData, MeshFileError, check_counts, first_bad_vertex

HEADER = 16


def read_msh(data: bytes) -> MeshData:
    """Vertices and faces, texture coordinates of these; normals only draw."""
    if len(data) < HEADER:
        raise MeshFileError(f"an MSH file begins with {HEADER} bytes of sizes; the file ends at byte {len(data)}")
    vertices, normals, texcoords, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    if min(vertices, normals, texcoords, faces) < 0 or normals not in (0, vertices) or texcoords not in (0, vertices):
        shown = f"{vertices} vertices, {normals} normals, {texcoords} texture coordinates, {faces} faces"
        raise MeshFileError(f"byte 0: {shown}: normals and texture coordinates must be as many as vertices, or 0")
    check_counts(vertices, faces)
    needed = HEADER + 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces
    if len(data) != needed:
        raise MeshFileError(f"{vertices} vertices and {faces} faces (byte 0) need {needed} bytes; the file has {len(data)}")
    points = np.frombuffer(data, "<f4", 3 * vertices, HEADER).reshape(-1, 3)
    bad = first_bad_vertex(points)
    if bad >= 0:
        shown = " ".join(f"{x:g}" for x in points[bad])
        raise MeshFileError(f"vertex {bad}, byte {HEADER + 12 * bad}: {shown} is not finite or too large (limit 2^30)")
    indices = np.frombuffer(data, "<i4", 3 * faces, needed - 12 * faces).reshape(-1, 3).astype(int)
    wrong = np.any((indices < 0) | (indices >= vertices), axis=1)
    if np.any(wrong):
        face = int(np.argmax(wrong))
        byte = needed - 12 * faces + 12 * face
        raise MeshFileError(f"face {face}, byte {byte}: {indices[face].tolist()} are not vertices 0 to {vertices - 1}")
    places = None
    if texcoords and faces:
        table = np.frombuffer(data, "<f4", 2 * texcoords, HEADER + 12 * vertices + 12 * normals).reshape(-1, 2)
        places = table[indices] if np.all(np.abs(table) <= LARGEST) else None
    return MeshData(points.astype(float), indices if faces else None, texcoords=places)
