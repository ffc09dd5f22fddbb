"""Meshes and height fields of the `asset` sections -> `spec.Mesh`, `spec.HField`. Textures, materials, skins only draw.

A mesh comes from a file or from `vertex` and `face` in the XML. One whose file is missing is kept in mind with the reason: a
geom that only draws it is left out, any other is refused (`LostShapes`). So is a height field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from ...mechanism.errors import ModelError, Problems
from ...mechanism.mesh_inertia import INERTIA_TYPES
from ...mechanism.spec import HField, Mesh
from ..hfield_files import read_hfield
from ..mesh_files import MeshFiles, MissingMesh, mjcf_candidates
from ..xml_tree import Node
from . import schema
from .defaults import Defaults, merge
from .values import Values, read_attributes

KINDS = {"mesh": "mesh", "hfield": "height field"}
"""Tag of an asset -> what messages call it."""


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
    """The meshes and height fields that were read, by name, and why others were not (by tag and name)."""

    meshes: dict[str, Mesh] = field(default_factory=dict)
    hfields: dict[str, HField] = field(default_factory=dict)
    missing: dict[tuple[str, str], str] = field(default_factory=dict)
    asked: set[tuple[str, str]] = field(default_factory=set)

    def note_unused(self, sections: list[Node], problems: Problems) -> None:
        """Name the meshes and height fields that are missing and that no geom asked for."""
        for node in (child for section in sections for child in section.children if child.tag in KINDS):
            key = node.tag, _name(node.attributes)
            if key in self.missing and key not in self.asked:
                problems.note(node.where, self.missing[key], name=key[1])

    def why_not(self, tag: str, name: str) -> str:
        """Why there is no mesh or height field ("mesh", "hfield") of this name; it counts as asked for."""
        self.asked.add((tag, name))
        if not name:
            return f"a geom of type '{tag}' needs the name of a {KINDS[tag]}"
        return self.missing.get((tag, name), f"no {KINDS[tag]} is named '{name}'")


def read_assets(sections: list[Node], settings: MeshSettings, files: MeshFiles, defaults: Defaults, problems: Problems) -> Assets:
    """All meshes and height fields of the file; what cannot be read is reported."""
    assets = Assets()
    first: dict[tuple[str, str], Node] = {}
    for node in (child for section in sections for child in section.children if child.tag in KINDS):
        tag, kind = node.tag, KINDS[node.tag]
        values = _values(node, defaults, problems) if tag == "mesh" else read_attributes(node, _HFIELD, problems)
        name = _name(values)
        if not name:
            problems.add(node.where, f"a {kind} needs a name or a file", attribute="name")
            continue
        if (tag, name) in first:
            line = first[tag, name].where.line
            problems.add(node.where, f"'{name}' is already the name of the {kind} of line {line}", name=name)
            continue
        first[tag, name] = node
        made = next((key for key in ("builtin", "plugin") if key in values), "")
        if made:
            assets.missing[tag, name] = f"mesh '{name}' is made by a {made}, which is not read; accepted: file, or vertex and face"
            continue
        try:
            if tag == "mesh":
                assets.meshes[name] = _mesh(node, name, values, settings, files, problems)
            else:
                assets.hfields[name] = _hfield(node, name, values, settings, files)
        except MissingMesh as error:
            assets.missing[tag, name] = str(error)
        except ModelError as error:
            place = f"{kind} '{name}' of {node.where.path}:{node.where.line}"
            for record in error.errors:
                problems.add_record(record, f"{record.message} ({place})")
            assets.missing[tag, name] = f"{kind} '{name}' cannot be read"
    return assets


def _name(values: Values) -> str:
    """A mesh or a height field without a name is called after its file."""
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


def _mesh(node: Node, name: str, values: Values, settings: MeshSettings, files: MeshFiles, problems: Problems) -> Mesh:
    vertices, faces = _inline(values)
    texcoords = None
    if values.get("file"):
        candidates = mjcf_candidates(values["file"], settings.folder, settings.strippath)
        data = files.read(candidates, values.get("content_type", ""), node.where.path)
        for note in data.notes:
            problems.note(node.where, note, name=name, attribute="file")
        for key, given in (("vertex", vertices), ("face", faces if data.faces is not None else None)):
            if given is not None:
                problems.add(node.where, "is given by the file, too", name=name, attribute=key)
        vertices, faces = data.vertices, faces if data.faces is None else data.faces
        texcoords = data.texcoords
    if vertices is None:
        problems.add(node.where, "a mesh needs a file, or the attribute vertex", name=name)
        vertices = np.zeros((4, 3))
    known: dict[str, Any] = {key: values[key] for key in ("scale", "refpos", "refquat", "inertia", "maxhullvert") if key in values}
    return Mesh(name, vertices, faces, where=node.where, texcoords=texcoords, **known)


def _hfield(node: Node, name: str, values: Values, settings: MeshSettings, files: MeshFiles) -> HField:
    """A file gives the number of points and the heights, whatever else the element says, as in MuJoCo."""
    known: dict[str, Any] = {key: values[key] for key in ("nrow", "ncol", "size", "elevation") if key in values}
    if values.get("file"):
        candidates = mjcf_candidates(values["file"], settings.folder, settings.strippath)
        heights = read_hfield(*files.found(candidates, "height field", node.where.path), values.get("content_type", ""))
        known |= {"nrow": heights.shape[0], "ncol": heights.shape[1], "elevation": heights}
    return HField(name, where=node.where, **known)


def _inline(values: Values) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Vertices, rounded to float32 like MuJoCo's, and faces of the XML; not given: None."""
    vertex, face = values.get("vertex"), values.get("face")
    points = None if not vertex else np.array(vertex, np.float32).astype(float)
    triangles = None if not face else np.array(face, int)
    points = points.reshape(-1, 3) if points is not None and points.size % 3 == 0 else points
    triangles = triangles.reshape(-1, 3) if triangles is not None and triangles.size % 3 == 0 else triangles
    return points, triangles


_HFIELD = {"name": schema.TEXT} | schema.HFIELD
assert tuple(schema.MESH["inertia"].words) == INERTIA_TYPES
