"""Meshes of a URDF: one for every file and scale, named after the file as MuJoCo does: "wheel", "wheel1", "wheel2"."""

from __future__ import annotations

from pathlib import PurePosixPath

from ...mechanism.errors import ModelError
from ...mechanism.spec import Mesh
from ..mesh_files import MeshFiles, MissingMesh, urdf_candidates
from ..mjcf.settings import Switches
from .element import Element


class UrdfMeshes:
    """The meshes read so far (`found`), in the order of the file."""

    def __init__(self, files: MeshFiles, switches: Switches):
        self.files, self.switches = files, switches
        self.found: list[Mesh] = []
        self._known: dict[tuple[str, int, tuple[float, ...]], Mesh] = {}
        self._count: dict[str, int] = {}

    def read(self, shape: Element) -> tuple[Mesh | None, str]:
        """The mesh of an element `mesh`, or None and why its file is missing (empty: a problem was reported)."""
        shape.accept(("filename", "scale"))
        name, scale = shape.text("filename"), shape.numbers("scale", 3, (1.0, 1.0, 1.0))
        if not name:
            return None, ""
        switches = self.switches
        try:
            data = self.files.read(urdf_candidates(name, switches.folder, switches.strippath))
        except MissingMesh as error:
            return None, str(error)
        except ModelError as error:
            for record in error.errors:
                shape.problems.add_record(record, f"{record.message} (mesh of {shape.where.path}:{shape.where.line})")
            return None, ""
        for note in data.notes:
            shape.problems.note(shape.where, note, name=shape.owner, attribute="filename")
        stem = PurePosixPath(name.replace("\\", "/")).stem
        key = (stem, id(data), tuple(scale))  # (`files` keeps what it has read)
        if key in self._known:
            return self._known[key], ""
        number = self._count.get(stem, 0)
        self._count[stem] = number + 1
        mesh = Mesh(f"{stem}{number or ''}", data.vertices, data.faces, scale, where=shape.where)
        self.found.append(mesh)
        self._known[key] = mesh
        return mesh, ""
