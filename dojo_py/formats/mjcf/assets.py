"""Meshes of the `asset` sections -> `spec.Mesh`. Textures, materials, skins only draw.

A mesh comes from a file or from `vertex` and `face` in the XML. One whose file is missing is kept in mind with the reason: a
geom that only draws it is left out, any other is refused (`LostShapes`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from ...mechanism.errors import ModelError, Problems
from ...mechanism.mesh_inertia import INERTIA_TYPES
from ...mechanism.spec import Mesh
from ..mesh_files import MeshFiles, MissingMesh, mjcf_candidates
from ..xml_tree import Node
from . import schema
from .defaults import Defaults, merge
from .values import Values, read_attributes


@dataclass
class MeshSettings:
    """Attributes of `compiler` about mesh files."""

    meshdir: str = ""
    assetdir: str = ""
    strippath: bool = False
    texturedir: str = ""

    @property
    def folder(self) -> str:
        """Where mesh files lie, relative to the main file."""
        return self.meshdir or self.assetdir


@dataclass
class Assets:
    """The meshes that were read, by name, and why others were not."""

    meshes: dict[str, Mesh] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def note_unused(self, sections: list[Node], problems: Problems) -> None:
        """Name the meshes that are missing and that no geom asked for."""
        for node in (child for section in sections for child in section.find_all("mesh")):
            name = _name(node.attributes)
            if name in self.missing and name not in self.asked:
                problems.note(node.where, self.missing[name], name=name)

    def why_not(self, name: str) -> str:
        """Why there is no mesh of this name; it counts as asked for."""
        self.asked.add(name)
        if not name:
            return "a geom of type 'mesh' needs the name of a mesh"
        return self.missing.get(name, f"no mesh is named '{name}'")


def read_assets(
    sections: list[Node], settings: MeshSettings, files: MeshFiles, defaults: Defaults, problems: Problems
) -> Assets:
    """All meshes of the file; what cannot be read is reported."""
    assets = Assets()
    first: dict[str, Node] = {}
    for node in (child for section in sections for child in section.find_all("mesh")):
        values = _values(node, defaults, problems)
        name = _name(values)
        if not name:
            problems.add(node.where, "a mesh needs a name or a file", attribute="name")
            continue
        if name in first:
            problems.add(node.where, f"'{name}' is already the name of the mesh of line {first[name].where.line}", name=name)
            continue
        first[name] = node
        made = next((key for key in ("builtin", "plugin") if key in values), "")
        if made:
            assets.missing[name] = f"mesh '{name}' is made by a {made}, which is not read; accepted: file, or vertex and face"
            continue
        try:
            mesh = _mesh(node, name, values, settings, files, problems)
        except MissingMesh as error:
            assets.missing[name] = str(error)
        except ModelError as error:
            place = f"mesh '{name}' of {node.where.path}:{node.where.line}"
            for record in error.errors:
                problems.add_record(record, f"{record.message} ({place})")
            assets.missing[name] = f"mesh '{name}' cannot be read"
        else:
            assets.meshes[name] = mesh
    return assets


def _name(values: Values) -> str:
    """A mesh without a name is called after its file."""
    return values.get("name") or PurePosixPath(values.get("file", "").replace("\\", "/")).stem


def _values(node: Node, defaults: Defaults, problems: Problems) -> Values:
    plugins = node.find_all("plugin")
    bare = Node(node.tag, node.attributes, node.where, [child for child in node.children if child.tag != "plugin"])
    own = read_attributes(bare, schema.NAMED | schema.MESH, problems)
    chosen = defaults.find(node, defaults.root)
    own.pop("class", None)
    values = merge(own, chosen.values.get("mesh", {}))
    if values.get("builtin", "none") == "none":
        values.pop("builtin", None)
    return values | ({"plugin": True} if plugins else {})


def _mesh(
    node: Node, name: str, values: Values, settings: MeshSettings, files: MeshFiles, problems: Problems
) -> Mesh:
    vertices, faces = _inline(values)
    if values.get("file"):
        candidates = mjcf_candidates(values["file"], settings.folder, settings.strippath)
        data = files.read(candidates, values.get("content_type", ""))
        for note in data.notes:
            problems.note(node.where, note, name=name, attribute="file")
        for key, given in (("vertex", vertices), ("face", faces if data.faces is not None else None)):
            if given is not None:
                problems.add(node.where, "is given by the file, too", name=name, attribute=key)
        vertices, faces = data.vertices, faces if data.faces is None else data.faces
    if vertices is None:
        problems.add(node.where, "a mesh needs a file, or the attribute vertex", name=name)
        vertices = np.zeros((4, 3))
    known: dict[str, Any] = {key: values[key] for key in ("scale", "refpos", "refquat", "inertia", "maxhullvert") if key in values}
    return Mesh(name, vertices, faces, where=node.where, **known)


def _inline(values: Values) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Vertices, rounded to float32 like MuJoCo's, and faces of the XML; not given: None."""
    vertex, face = values.get("vertex"), values.get("face")
    points = None if not vertex else np.array(vertex, np.float32).astype(float)
    triangles = None if not face else np.array(face, int)
    points = points.reshape(-1, 3) if points is not None and points.size % 3 == 0 else points
    triangles = triangles.reshape(-1, 3) if triangles is not None and triangles.size % 3 == 0 else triangles
    return points, triangles


assert tuple(schema.MESH["inertia"].words) == INERTIA_TYPES
