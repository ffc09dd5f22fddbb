"""Meshes as the bytes of OBJ, STL and MSH files, and models that show them."""

import struct
from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

MISSING = "mesh file '{}' does not exist"
TOUCHING = 'contype="1"'

TETRAHEDRON = (
    np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


def random_mesh(seed, count=30):
    """A convex mesh: vertices (n, 3), some of them inside, and faces (m, 3) seen counterclockwise from outside."""
    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(count, 3)) * rng.uniform(0.01, 0.5, 3)).astype(np.float32).astype(float)
    hull = ConvexHull(points)
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    outwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) > 0.0
    return points, np.where(outwards[:, None], hull.simplices, hull.simplices[:, [1, 0, 2]])


def obj(vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices).tolist()]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    return ("# a mesh\n" + "\n".join(lines) + "\n").encode()


def stl(vertices, faces):
    out = b"a mesh".ljust(80) + struct.pack("<I", len(faces))
    for face in faces:
        out += struct.pack("<12fH", 0.0, 0.0, 0.0, *np.asarray(vertices)[face].ravel(), 0)
    return out


def stl_text(vertices, faces):
    lines = ["solid mesh"]
    for face in faces:
        corners = [f"      vertex {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices)[face].tolist()]
        lines += ["  facet normal 0 0 1", "    outer loop", *corners, "    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid mesh", ""]).encode()


def msh(vertices, faces):
    sizes = struct.pack("<4i", len(vertices), 0, 0, len(faces))
    return sizes + np.asarray(vertices, "<f4").tobytes() + np.asarray(faces, "<i4").tobytes()


WRITERS = {"obj": obj, "stl": stl, "msh": msh}


def mjcf(file, mesh="", geom='contype="0" conaffinity="0"', compiler=""):
    """A moving body that shows the mesh "m" of a file."""
    return (
        f'<mujoco><compiler {compiler}/><asset>\n<mesh name="m" file="{file}" {mesh}/></asset>\n'
        f'<worldbody><body name="b"><freejoint/>\n<geom name="g" type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>'
    )


def written(folder: Path, text: str, name: str = "model.xml", **files: bytes) -> Path:
    """A model file with the files it names beside it; "__" stands for a dot and "_of_" for a folder: stl__a, a__stl_of_x."""
    for key, data in files.items():
        file, _, inside = key.partition("_of_")
        place = folder / inside / file.replace("__", ".")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    path = folder / name
    path.write_text(text)
    return path


def wheel(path: Path) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(path))


GOOD = stl(*TETRAHEDRON)
