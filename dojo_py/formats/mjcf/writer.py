"""A mechanism as MJCF text: every element with the values that differ from its defaults, angles in radians, no classes, no files.

Meshes are written with their vertices and faces, height fields with their heights, keyframes with all their numbers. Numbers are
written so that reading gives the same bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from ...mechanism.described import complete_inertials
from ...mechanism.errors import ModelError, Problems
from ...mechanism.inertia import from_inertial
from ...mechanism.looks import without_materials, without_textures
from ...mechanism.model import Model
from ...mechanism.sensor_kinds import FRAMES, SENSOR_KINDS, SHAPES
from ...mechanism.spec import Body, Drawn, Equality, Inertial, Joint, LengthRange, Mechanism, Sensor

Element = Any
"""An lxml element."""

NEVER = ("texcoords", "where", "left_out", "parts", "frame", "settings")
SECTIONS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "meshes": ("asset", lambda e: "mesh"),
    "textures": ("asset", lambda e: "texture"),
    "materials": ("asset", lambda e: "material"),
    "hfields": ("asset", lambda e: "hfield"),
    "pairs": ("contact", lambda e: "pair"),
    "excludes": ("contact", lambda e: "exclude"),
    "tendons": ("tendon", lambda e: "spatial" if any(hasattr(part, "site") for part in e.path) else "fixed"),
    "equalities": ("equality", lambda e: e.type),
    "actuators": ("actuator", lambda e: "general"),
    "sensors": ("sensor", lambda e: e.type),
    "numerics": ("custom", lambda e: "numeric"),
    "texts": ("custom", lambda e: "text"),
    "tuples": ("custom", lambda e: "tuple"),
}
"""List of the mechanism -> section of the file, and the tag of an element of it."""
NOT_TYPES = ("equalities",)
"""Lists whose elements' type is their tag."""
ONLY_DRAWN = ("width", "rgba", "material")
"""Of a tendon; a fixed one takes them from its class."""
RENAMED = {"vertices": "vertex", "faces": "face"}
KEY_ARRAYS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


def mjcf_text(mechanism: Mechanism) -> str:
    """The file's text; `ModelError` for what MJCF cannot say."""
    mechanism = mechanism.copy()
    compiled = mechanism.compile()
    for i, actuator in enumerate(mechanism.actuators):
        if actuator.inheritrange > 0.0:  # which MJCF does not accept beside ranges that came from a class
            first = int(compiled.actuator_ctrladr[i])  # its only control, or the position that a servo follows
            actuator.ctrlrange, actuator.actrange = compiled.actuator_ctrlrange[first], compiled.actuator_actrange[i]
            actuator.ctrllimited, actuator.actlimited = (
                bool(compiled.actuator_ctrllimited[first]),
                bool(compiled.actuator_actlimited[i]),
            )
            actuator.inheritrange = 0.0
    complete_inertials(mechanism)
    _without_missing_pictures(mechanism)
    # materials without a definition were named when the file was read; the wheel does not accept them
    known = {material.name for material in mechanism.materials}
    without_materials(mechanism, lambda name: name not in known)
    root = etree.Element("mujoco")
    try:
        root.set("model", mechanism.name)
        _fill(root, mechanism, compiled)
    except ValueError as error:  # characters that XML does not have
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"the mechanism '{mechanism.name}' cannot be written as XML: {error}") from None
    etree.indent(root)
    return etree.tostring(root, encoding="unicode") + "\n"


def _fill(root: Element, mechanism: Mechanism, compiled: Model) -> None:
    compiler = etree.SubElement(root, "compiler", angle="radian")
    _attributes(compiler, mechanism.settings)
    if mechanism.settings.lengthrange != LengthRange():
        _attributes(etree.SubElement(compiler, "lengthrange"), mechanism.settings.lengthrange)
    option = etree.SubElement(root, "option")
    _attributes(option, mechanism.option, skip=("flags",))
    if mechanism.option.flags:
        words = {name: "enable" if on else "disable" for name, on in mechanism.option.flags.items()}
        etree.SubElement(option, "flag", **words)
    _kept_sections(root, mechanism)
    world = etree.SubElement(root, "worldbody")
    _body_parts(world, mechanism.world, mechanism)
    _tree(world, mechanism)
    sections: dict[str, Element] = {}
    for name, (section, tag) in SECTIONS.items():
        for element in getattr(mechanism, name, ()):
            if section not in sections:
                sections[section] = etree.SubElement(root, section)
            _listed(sections[section], tag(element), element, name in NOT_TYPES)
    if compiled.nkey:
        _keyframes(etree.SubElement(root, "keyframe"), compiled)


def _kept_sections(root: Element, mechanism: Mechanism) -> None:
    """Sizes, statistics, settings of viewers."""
    if mechanism.user_sizes:
        etree.SubElement(root, "size", attrib={key: str(int(value)) for key, value in mechanism.user_sizes.items()})
    if mechanism.statistic:
        etree.SubElement(root, "statistic", attrib={key: _numbers(value) for key, value in mechanism.statistic.items()})
    if mechanism.visual:
        visual = etree.SubElement(root, "visual")
        for tag, attributes in mechanism.visual.items():
            etree.SubElement(visual, tag, attrib=attributes)


def _without_missing_pictures(mechanism: Mechanism) -> None:
    """Textures whose files are not there cannot be read again; what refers to them is drawn without."""
    for texture in list(mechanism.textures):
        files = [path for key, path in texture.attributes.items() if key.startswith("file")]
        if not all(Path(path).is_absolute() and Path(path).is_file() for path in files):
            mechanism.textures.remove(texture)
            without_textures(mechanism, {texture.name})


def _tree(world: Element, mechanism: Mechanism) -> None:
    """All bodies below the world, without recursion."""
    pending = [(world, body) for body in reversed(mechanism.world.bodies)]
    while pending:
        parent, body = pending.pop()
        node = etree.SubElement(parent, "body")
        _attributes(node, body)
        if body.inertial is not None:
            _inertial(node, body.inertial)
        _body_parts(node, body, mechanism)
        pending += [(node, child) for child in reversed(body.bodies)]


def _body_parts(node: Element, body: Body, mechanism: Mechanism) -> None:
    for joint in body.joints:
        _joint(node, joint, mechanism.settings.alignfree)
    for tag in ("geom", "site", "camera", "light"):
        for element in getattr(body, f"{tag}s", ()):
            _attributes(etree.SubElement(node, tag), element)


def _inertial(node: Element, inertial: Inertial) -> None:
    """A full inertia in axes that are not the body's is written by its principal moments: MJCF takes no orientation with it."""
    if inertial.fullinertia is not None and not np.array_equal(inertial.quat, (1.0, 0.0, 0.0, 0.0)):
        found = from_inertial(Problems(), inertial)
        inertial = Inertial(found.mass, tuple(found.pos), tuple(found.quat), tuple(found.inertia))
    element = etree.SubElement(node, "inertial", mass=repr(float(inertial.mass)), pos=_numbers(inertial.pos))
    if inertial.fullinertia is None and inertial.diaginertia is None:
        element.set("diaginertia", "0 0 0")
    _attributes(element, inertial, skip=("mass", "pos"))


def _joint(node: Element, joint: Joint, alignfree: bool) -> None:
    if joint.type != "free" or joint.align is None or joint.align == alignfree:
        _attributes(etree.SubElement(node, "joint"), joint, skip=("align",))
        return
    free = etree.SubElement(node, "freejoint")
    _attributes(free, joint, skip=("type",))
    more = sorted(set(free.attrib) - {"name", "group", "align"})
    if more:
        raise ModelError(f"free joint '{joint.name}': align differs from the model's alignfree, then {more} cannot be written")


def _listed(section: Element, tag: str, element: Any, typed: bool) -> None:
    node = etree.SubElement(section, tag)
    if isinstance(element, Equality):
        kind = tag if tag in ("joint", "tendon") else element.objtype
        for side in ("1", "2"):
            if getattr(element, f"name{side}"):
                node.set(kind + side, getattr(element, f"name{side}"))
        skip = ("name1", "name2", "objtype", "type", *(("relpose",) if tag != "weld" else ()))
        _attributes(node, element, skip=skip)
        return
    if isinstance(element, Sensor):
        _sensor(node, element)
        return
    skip = ("type",) if typed else ()
    if tag == "fixed":
        skip = ONLY_DRAWN
        _drawn(section.getparent(), node, element)
    if getattr(element, "dampratio", None) is not None and hasattr(element, "biasprm"):
        bias = [*np.ravel(element.biasprm), 0.0, 0.0, 0.0][: max(3, np.size(element.biasprm))]
        bias[2] = element.dampratio  # positive: MuJoCo's mark of a damping ratio
        element = dataclasses.replace(element, biasprm=bias, dampratio=None)
    _attributes(node, element, skip=skip)


def _sensor(node: Element, sensor: Sensor) -> None:
    """Frame sensors tell the type of their object, the others by the attribute."""
    if SENSOR_KINDS[sensor.type].objects == FRAMES:
        inside = sensor.type == "insidesite"
        _attributes(node, sensor, skip=("type", *(("reftype", "refname") if inside else ())))
        if inside and sensor.refname:
            node.set("site", sensor.refname)
        return
    if sensor.type == "contact":
        _attributes(node, sensor, skip=("type", "objtype", "objname", "reftype", "refname"))
        ends = ((sensor.objtype, sensor.objname, 1), (sensor.reftype, sensor.refname, 2))
        for kind, name, side in ends:
            word = "subtree" if kind == "xbody" else kind
            if name:
                node.set(word if word == "site" else f"{word}{side}", name)
        return
    if SENSOR_KINDS[sensor.type].objects == SHAPES:
        _attributes(node, sensor, skip=("type", "objtype", "objname", "reftype", "refname"))
        node.set(f"{sensor.objtype}1", sensor.objname)
        node.set(f"{sensor.reftype}2", sensor.refname)
        return
    _attributes(node, sensor, skip=("type", "objtype", "objname"))
    if sensor.objname:
        node.set(sensor.objtype, sensor.objname)


def _drawn(root: Element, node: Element, tendon: Any) -> None:
    """How a fixed tendon would be drawn, which only a class can say."""
    looks = etree.Element("tendon")
    _attributes(looks, tendon, skip=[item.name for item in dataclasses.fields(tendon) if item.name not in ONLY_DRAWN])
    if looks.attrib:
        defaults = root.find("default")
        if defaults is None:
            defaults = etree.Element("default")
            root.insert(0, defaults)
        name = f"tendon{len(defaults)}"
        etree.SubElement(defaults, "default", attrib={"class": name}).append(looks)
        node.set("class", name)


def _keyframes(section: Element, model: Model) -> None:
    for k, name in enumerate(model.key_names):
        node = etree.SubElement(section, "key", time=repr(float(model.key_time[k])))
        if name:
            node.set("name", name)
        for array in KEY_ARRAYS:
            values = getattr(model, f"key_{array}", None)
            if values is not None and values[k].size:
                node.set(array, _numbers(values[k]))


def _attributes(node: Element, element: Any, skip: Iterable[str] = ()) -> None:
    """Fields that differ from their defaults; lists of elements become children, tagged by what they refer to."""
    if isinstance(element, Drawn):
        skip = (*skip, "attributes", "tag", "colour", "pixels")
        for key, text in element.attributes.items():
            node.set(key, text)
    for item in dataclasses.fields(element):
        value = getattr(element, item.name)
        if item.name in (*NEVER, *skip) or value is None or _is_default(value, item):
            continue
        if isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
            if not isinstance(element, Body):
                for part in value:
                    _attributes(etree.SubElement(node, _tag_of(part)), part)
        elif not dataclasses.is_dataclass(value) and not (isinstance(element, Body) and isinstance(value, list)):
            node.set(RENAMED.get(item.name, item.name), _text(value))


def _tag_of(part: Any) -> str:
    name = type(part).__name__
    return getattr(part, "tag", "") or {"JointTerm": "joint", "TupleElement": "element"}.get(name, name.lower())


def _is_default(value: Any, item: dataclasses.Field) -> bool:
    default = item.default if item.default_factory is dataclasses.MISSING else item.default_factory()
    if default is None or default is dataclasses.MISSING or isinstance(value, (bool, str)):
        return bool(value == default) if default is not None else False
    return bool(np.shape(value) == np.shape(default) and np.all(np.asarray(value) == np.asarray(default)))


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return _numbers(value)


def _numbers(values: Any) -> str:
    array = np.ravel(np.asarray(values))
    if array.dtype.kind in "iub":
        return " ".join(str(int(x)) for x in array)
    return " ".join(repr(float(x)) for x in array)
