"""The kinematic tree: bodies, frames, joints, geoms, sites, inertials -> `spec` objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...mechanism import quaternion
from ...mechanism.attach import Tally
from ...mechanism.errors import Problems, listing, nearest
from ...mechanism.placing import parts, place
from ...mechanism.spec import (
    Body,
    Camera,
    CompilerSettings,
    Geom,
    Inertial,
    Joint,
    Light,
    Mechanism,
    NamedFrame,
    OptionSpec,
    Site,
)
from ..lost_shapes import LostShapes
from ..xml_tree import Node
from . import schema
from .assets import Assets
from .defaults import DefaultClass, Defaults, merge
from .drawn import texts_of
from .macros import Expansion, Models, read_replicate
from .orientation import IDENTITY, KEYS, Angles, read_orientation
from .values import Values, overlay, read_attributes

Array = np.ndarray

UNTOUCHABLE = "a {} that can touch something is {}; replace it by primitive shapes"


@dataclass
class Pose:
    """Position and orientation of a `frame` element in the body that holds it."""

    pos: Array = field(default_factory=lambda: np.zeros(3))
    quat: Array = field(default_factory=lambda: IDENTITY)

    def point(self, p: Any) -> Array:
        """A point of the frame in the body."""
        return self.pos + quaternion.rotate(self.quat, np.asarray(p, dtype=float))

    def plain(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Position and quaternion as tuples."""
        return tuple(self.pos), tuple(self.quat)

    def inside(self, pos: Any, quat: Array) -> Pose:
        """The pose of something placed in this frame."""
        return Pose(self.point(pos), quaternion.multiply(self.quat, quat))


@dataclass
class _Level:
    """An element whose children are being read, and what is done after the last one."""

    node: Node
    children: Iterator[Node]
    body: Body
    default: DefaultClass
    frame: Pose
    framed: bool
    finish: Callable[[], None] = lambda: None


class TreeReader:
    """Reads `worldbody`. `skipped_geoms`: names of geoms that were left out."""

    def __init__(
        self,
        defaults: Defaults,
        angles: Angles,
        settings: CompilerSettings,
        materials: set[str],
        assets: Assets,
        models: Models,
        option: OptionSpec,
        problems: Problems,
    ):
        self.defaults, self.angles, self.settings, self.problems = defaults, angles, settings, problems
        self.materials, self.assets, self.models, self.option = materials, assets, models, option
        self.expansions: list[Expansion] = []
        self.attached: list[Mechanism] = []
        self.frames: list[NamedFrame] = []
        self.tally = Tally()
        self.skipped_geoms: set[str] = set()
        self.lost = LostShapes(settings, problems)

    def read_world(self, sections: list[Node]) -> Body:
        """The world body; several `worldbody` sections follow one another."""
        world = Body("world", where=sections[0].where if sections else None)
        for section in sections:
            for key in section.attributes:
                if key not in ("name", "childclass"):
                    self.problems.add(section.where, "the world body accepts no such attribute", attribute=key)
            default = self.defaults.find(section, self.defaults.root, "childclass")
            self._children(section, world, default, Pose(), framed=False)
        self.lost.report(world)
        return world

    def _children(self, node: Node, body: Body, default: DefaultClass, frame: Pose, framed: bool) -> None:
        """Everything below a node, in the order of the file; a stack instead of recursion, because trees may be deep."""
        stack: list[_Level] = [_Level(node, iter(node.children), body, default, frame, framed)]
        while stack:
            level = stack[-1]
            body, default, frame = level.body, level.default, level.frame
            child = next(level.children, None)
            if child is None:
                stack.pop()
                level.finish()
            elif child.tag == "body":
                inner = self._body(child, frame)
                inner.frame = frame.plain() if level.framed else None
                body.bodies.append(inner)
                inherited = self.defaults.find(child, default, "childclass")
                stack.append(_Level(child, iter(child.children), inner, inherited, Pose(), False))
            elif child.tag == "frame":
                values = read_attributes(child, schema.MJCF_FRAME, self.problems)
                pose = frame.inside(values.get("pos", np.zeros(3)), self._quat(child, values))
                inherited = self.defaults.find(child, default, "childclass")
                around = frame.plain() if level.framed else None
                named = partial(self._named_frame, values.get("name", ""), body, pose, around, parts(body))
                stack.append(_Level(child, iter(child.children), body, inherited, pose, True, named))
            elif child.tag == "replicate":
                holder, inherited = Body(where=child.where), self.defaults.find(child, default, "childclass")
                copying = partial(read_replicate, self, child, holder, body, frame)
                stack.append(_Level(child, iter(child.children), holder, inherited, Pose(), True, copying))
            elif child.tag == "attach":
                self.models.attach(self, child, body, frame)
            else:
                self._part(child, level.node, body, default, frame, level.framed)

    def _named_frame(self, name: str, body: Body, pose: Pose, around: Any, before: list[Any]) -> None:
        """Keep what a frame holds under its name, for `attach`."""
        if name:
            there = {id(element) for element in before}
            held = [element for element in parts(body) if id(element) not in there]
            self.frames.append(NamedFrame(name, *pose.plain(), around, held))

    def _part(self, child: Node, node: Node, body: Body, default: DefaultClass, frame: Pose, framed: bool) -> None:
        """A child that has no bodies below it."""
        if child.tag == "inertial" and not framed:
            if body.inertial is not None or not node.tag == "body":
                self.problems.add(child.where, f"body '{body.name}' accepts no (further) inertial")
            body.inertial = self._inertial(child)
        elif child.tag in ("joint", "freejoint"):
            body.joints.append(self._joint(child, default, frame))
        elif child.tag == "geom":
            self._geom(child, body, default, frame if framed else None)
        elif child.tag == "site":
            body.sites.append(self._site(child, default, frame if framed else None))
        elif child.tag == "camera":
            body.cameras.append(self._camera(child, default, frame))
        elif child.tag == "light":
            body.lights.append(self._light(child, default, frame))
        elif child.tag in schema.REFUSED_BODY_CHILDREN:
            self.problems.refuse(child.where, "is not simulated", name=child.attributes.get("name", ""))
        else:
            accepted = schema.BODY_CHILDREN
            message = f"is not an element of {node.tag}; accepted: {list(accepted)}{nearest(child.tag, accepted)}"
            self.problems.add(child.where, message)

    def _body(self, node: Node, frame: Pose) -> Body:
        values = read_attributes(node, schema.BODY, self.problems)
        pose = frame.inside(values.get("pos", np.zeros(3)), self._quat(node, values))
        numbers: dict[str, Any] = {key: values[key] for key in ("gravcomp", "user", "mocap", "fuse") if key in values}
        return Body(values.get("name", ""), pose.pos, pose.quat, **numbers, where=node.where)

    def _inertial(self, node: Node) -> Inertial:
        values = read_attributes(node, schema.INERTIAL, self.problems)
        for required in ("mass", "pos"):
            if required not in node.attributes:
                self.problems.add(node.where, "is required", attribute=required)
        quat = self._quat(node, values)
        if "fullinertia" in values and any(key in values for key in KEYS):
            self.problems.add(node.where, "cannot be combined with an orientation", attribute="fullinertia")
        return _fill(Inertial, values, node, quat=quat)

    def _joint(self, node: Node, default: DefaultClass, frame: Pose) -> Joint:
        if node.tag == "freejoint":
            values = read_attributes(node, schema.FREEJOINT, self.problems)
            return _fill(Joint, values, node, type="free")
        values = self._values(node, "joint", default, schema.JOINT)
        kind = values.get("type", "hinge")
        if kind in ("hinge", "ball"):
            if "range" in values and self._limited(values):  # of an unlimited joint MuJoCo keeps the numbers of the file
                values["range"] = tuple(self.angles.radians(v) for v in values["range"])
            for key in ("ref", "springref") if kind == "hinge" else ():
                if key in values:
                    values[key] = self.angles.radians(values[key])
        values["pos"] = frame.point(values.get("pos", np.zeros(3)))
        values["axis"] = quaternion.rotate(frame.quat, np.array(values.get("axis", (0.0, 0.0, 1.0))))
        return _fill(Joint, values, node)

    def _limited(self, values: Values) -> bool:
        flag = values.get("limited")
        return any(values["range"]) and self.settings.autolimits if flag is None else flag

    def _geom(self, node: Node, body: Body, default: DefaultClass, frame: Pose | None) -> None:
        values = self._values(node, "geom", default, schema.GEOM)
        self._material(node, values)
        kind, mesh = values.get("type", "sphere"), values.get("mesh", "")
        hfield = values.get("hfield", "")
        readable = mesh in self.assets.meshes if mesh or kind == "mesh" else True
        readable &= hfield in self.assets.hfields if hfield or kind == "hfield" else True
        if kind not in schema.GEOM_TYPES or not readable:
            self._leave_out(node, body, kind, values)
            return
        if kind != "mesh" and values.pop("shellinertia", False):
            message = "'true' is not simulated"
            self.lost.add(body, node.where, "geom with its mass on the surface", "shellinertia", message, values)
        body.geoms.append(self._placed(Geom, node, values, frame))

    def _leave_out(self, node: Node, body: Body, kind: str, values: Values) -> None:
        """A signed distance field, a mesh or a height field that is not there."""
        self.skipped_geoms.add(values.get("name", ""))
        reason, attribute = "", "type"
        if kind in schema.GEOM_TYPES:
            kind = attribute = "hfield" if kind == "hfield" or values.get("hfield") else "mesh"
            reason = self.assets.why_not(kind, values.get(kind, ""))
        unmet = UNTOUCHABLE.format(kind, "needed" if reason else "not simulated")
        message = "; ".join(part for part in (reason, unmet) if part)
        self.lost.add(body, node.where, kind, attribute, message if _touches(values) else "", values, reason)

    def _material(self, node: Node, values: Values) -> None:
        material = values.get("material", "")
        if material and material not in self.materials:
            message = f"no material is named '{material}'{listing(sorted(self.materials))}"
            self.problems.note(node.where, message, name=values.get("name", ""), attribute="material")

    def _site(self, node: Node, default: DefaultClass, frame: Pose | None) -> Site:
        values = self._values(node, "site", default, schema.SITE)
        self._material(node, values)
        return self._placed(Site, node, values, frame)

    def _camera(self, node: Node, default: DefaultClass, frame: Pose) -> Camera:
        values = self._values(node, "camera", default, schema.CAMERA | {"target": schema.TEXT})
        pose = frame.inside(values.get("pos", np.zeros(3)), self._quat(node, values))
        kept = texts_of(values)
        target, name = kept.pop("target", ""), values.get("name", "")
        return Camera(name, kept, tag="camera", pos=tuple(pose.pos), quat=tuple(pose.quat), target=target, where=node.where)

    def _light(self, node: Node, default: DefaultClass, frame: Pose) -> Light:
        values = self._values(node, "light", default, schema.LIGHT | {"target": schema.TEXT, "texture": schema.TEXT})
        direction = quaternion.rotate(frame.quat, np.array(values.get("dir", (0.0, 0.0, -1.0))))
        kept, pos = texts_of(values), tuple(frame.point(values.get("pos", np.zeros(3))))
        light = Light(values.get("name", ""), kept, tag="light", pos=pos, dir=tuple(direction), where=node.where)
        light.target, light.texture = kept.pop("target", ""), kept.pop("texture", "")
        return light

    def _placed(self, kind: type, node: Node, values: Values, frame: Pose | None) -> Any:
        """A geom or site: orientation as a quaternion, the pose of the enclosing frames applied."""
        shape = _fill(kind, values, node, quat=self._quat(node, values))
        if frame is not None:
            place([shape], frame.pos, frame.quat)
        return shape

    def _values(self, node: Node, tag: str, default: DefaultClass, table: dict[str, schema.Kind]) -> Values:
        own = read_attributes(node, table | schema.NAMED, self.problems)
        chosen = self.defaults.find(node, default)
        own.pop("class", None)
        return merge(own, chosen.values.get(tag, {}))

    def _quat(self, node: Node, values: Values) -> Array:
        return read_orientation(node, values, self.angles, self.problems)


def _touches(values: Values) -> bool:
    return values.get("contype", 1) != 0 or values.get("conaffinity", 1) != 0


def _fill(kind: type, values: Values, node: Node, **fixed: Any) -> Any:
    """An instance of a spec class from attributes of the same names; short lists are completed from its defaults."""
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    chosen = {key: overlay(value, fields[key].default) for key, value in values.items() if key in fields}
    return kind(**(chosen | fixed), where=node.where)
