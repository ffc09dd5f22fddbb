"""Elements that stand for others: `replicate` and `attach`. They are expanded while the tree is read.

replicate   what it holds, `count` times: copy k turned by k times the angles of `euler`, and moved by `offset` in the frame of the
            one before; names get the number of the copy, with as many digits as the last one needs, after `sep`
attach      another model (`asset/model`), or one of its bodies or frames, with a prefix before its names

What refers to them is copied at the end (`TreeReader.expansions`), when actuators, equalities, ... are read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from ...mechanism import quaternion
from ...mechanism.attach import MAX_ELEMENTS, attach, replicate
from ...mechanism.errors import ModelError, Problems, listing, nearest
from ...mechanism.spec import Body, Mechanism
from ..load import Chain, read_file
from ..xml_tree import Node, parse_file, path_of, resolved
from . import schema
from .orientation import read_orientation
from .values import read_attributes

if TYPE_CHECKING:
    from .bodies import Pose, TreeReader

MAX_MODELS = 20
"""Attached files within attached files."""
MAX_FILES = 1000
"""Files that a model attaches in all."""

Expansion = Callable[[Mechanism], None]
"""What to do with the finished mechanism."""


def read_replicate(reader: TreeReader, node: Node, holder: Body, body: Body, frame: Pose) -> None:
    """Copy what was read into `holder` to `body`, which stands around it with the pose `frame`."""
    problems = reader.problems
    values = read_attributes(node, schema.REPLICATE, problems)
    if "count" not in values:
        problems.add(node.where, "is required", attribute="count")
    count = values.get("count", 1)
    if count < 1:
        problems.add(node.where, f"{count} was read; a number of at least 1 is accepted", attribute="count")
        count = 1
    if holder.joints:
        first = holder.joints[0]
        problems.add(first.where or node.where, "a joint is not accepted directly in a replicate", name=first.name)
    if not reader.tally.room_for(holder, count):
        problems.add(node.where, f"makes more than {MAX_ELEMENTS} elements", attribute="count")
        return
    offset, euler = np.array(values.get("offset", (0.0, 0.0, 0.0))), np.array(values.get("euler", (0.0, 0.0, 0.0)))
    pos, poses = np.zeros(3), []
    for number in range(count):
        quat = read_orientation(node, {"euler": tuple(number * euler)}, reader.angles, problems)
        inner = frame.inside(pos, quat)
        poses.append((inner.pos, inner.quat))
        pos = pos + quaternion.rotate(quat, offset)
    reader.lost.move(holder, body)
    replicas = replicate(holder, body, poses, values.get("sep", ""))

    def expand(mechanism: Mechanism) -> None:
        if not replicas.apply(mechanism, reader.tally):
            problems.add(node.where, f"makes, with what refers to it, more than {MAX_ELEMENTS} elements", attribute="count")

    reader.expansions.append(expand)


class Models:
    """The models of `asset`: read when they are attached, each with the files around it."""

    def __init__(self, sections: list[Node], folder: Path | None, chain: Chain, problems: Problems):
        self.folder, self.chain, self.problems = folder, chain, problems
        self.nodes: dict[str, Node] = {}
        for node in (child for section in sections for child in section.find_all("model")):
            values = read_attributes(node, schema.MODEL_ASSET, problems)
            if not values.get("file"):
                problems.add(node.where, "is required", attribute="file")
                continue
            name = values.get("name") or self._own_name(node) or PurePosixPath(values["file"].replace("\\", "/")).stem
            if name in self.nodes:
                message = f"'{name}' is already the name of the model of line {self.nodes[name].where.line}"
                problems.add(node.where, message, name=name)
            self.nodes.setdefault(name, node)

    def attach(self, reader: TreeReader, node: Node, body: Body, frame: Pose) -> None:
        """Put the model of an `attach` element into `body`; what refers to it follows at the end."""
        values = read_attributes(node, schema.ATTACH, self.problems)
        for required in ("model", "prefix"):
            if required not in node.attributes:
                self.problems.add(node.where, "is required", attribute=required)
        name = values.get("model", "")
        if name and name not in self.nodes:
            message = f"no model of asset is named '{name}'{listing(self.nodes)}{nearest(name, self.nodes)}"
            self.problems.add(node.where, message, attribute="model")
        child = self._load(self.nodes[name]) if name in self.nodes else None
        if child is None:
            return
        if not reader.tally.room_for_all(child):
            self.problems.add(node.where, f"makes more than {MAX_ELEMENTS} elements")
            return
        lists = Mechanism(settings=reader.settings, option=reader.option)  # what is not part of the tree waits here
        chosen = (values.get("body", ""), values.get("frame", ""))
        attach(lists, body, child, values.get("prefix", ""), *chosen, frame.pos, frame.quat, node.where, self.problems)
        reader.attached.append(lists)
        reader.expansions.append(_append(lists))

    def _own_name(self, node: Node) -> str:
        """The name that the file gives its model."""
        try:
            path = path_of(node.attributes["file"], self.folder)
            names, key = self.chain.names, "" if path is None else str(resolved(path))
            if path is not None and key not in names and len(names) < MAX_FILES:
                names[key] = parse_file(path).attributes.get("model", "")
            return names.get(key, "")
        except ModelError:
            return ""  # reported when it is attached

    def _load(self, node: Node) -> Mechanism | None:
        file = node.attributes["file"]
        path = path_of(file, self.folder)
        if path is None:
            self.problems.add(node.where, f"'{file}' has no folder: load the model from a path", attribute="file")
            return None
        key, read = str(resolved(path)), self.chain.read
        if key in self.chain.files or len(self.chain.files) >= MAX_MODELS or (key not in read and len(read) >= MAX_FILES):
            message = f"'{file}' attaches itself, or models are attached too deeply, or more than {MAX_FILES}"
            self.problems.add(node.where, message, attribute="file")
            return None
        if key not in read:
            try:
                read[key] = read_file(path, self.problems, self.chain)
            except ModelError as error:
                read[key] = None
                for record in error.errors:
                    self.problems.add_record(record, f"{record.message} (model of {node.where.path}:{node.where.line})")
        return read[key]


def _append(lists: Mechanism) -> Expansion:
    """Add what came with an attached model to the mechanism."""
    from ...mechanism.names import listed

    def expand(mechanism: Mechanism) -> None:
        for (_, target), (_, source) in zip(listed(mechanism), listed(lists), strict=True):
            target.extend(source)

    return expand
