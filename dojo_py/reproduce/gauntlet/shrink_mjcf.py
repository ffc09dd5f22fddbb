"""Simpler cases of an MJCF case: parts dropped, numbers rounded; the start follows the joints by their names."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.family import Case

Array = np.ndarray

LISTS = ("equality", "actuator", "contact", "tendon", "sensor", "keyframe", "asset", "custom", "default", "statistic", "visual")
"""Top-level elements that are dropped as a whole, then entry by entry."""
KEPT = {"name", "type", "size", "fromto", "class", "joint", "body1", "body2", "joint1", "joint2", "site", "geom1", "geom2", "mesh"}
"""Attributes without which an element means something else."""
NAMED = ("body", "joint", "freejoint", "geom", "site", "general", "motor", "position", "velocity")


def shrink(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest first. Those that no longer load are left out."""
    from dojo_py import load_model

    root = _parsed(case.xml)
    case = replace(case, xml=_text(root))
    yield from _shorter(case)
    old = load_model(case.xml)
    for build in (_fewer_bodies, _fewer_entries, _fewer_joints, _fewer_geoms):
        for smaller in build(root):
            yield from _carried(case, old, smaller)
    yield from _simpler_start(case)
    for build in (_fewer_attributes, _rounded):
        for smaller in build(root):
            yield from _carried(case, old, smaller)
    yield from _simpler_settings(case)


def _parsed(xml: str) -> Any:
    """The tree, with a name for everything that the start or other elements may refer to."""
    from lxml import etree

    root = etree.fromstring(xml.encode(), etree.XMLParser(remove_blank_text=True, remove_comments=True))
    taken = {e.get("name") for e in root.iter() if e.get("name")}
    for tag in NAMED:
        for k, element in enumerate(root.iter(tag)):
            if element.get("name") is None and element.getparent().tag != "default":
                name = f"{tag}{k}"
                while name in taken:
                    name += "_"
                taken.add(name)
                element.set("name", name)
    return root


def _text(root: Any) -> str:
    from lxml import etree

    return str(etree.tostring(root, pretty_print=True, encoding="unicode"))


def _without(root: Any, chosen: list[Any]) -> Any:
    """A copy of the tree without these elements and without what refers to them by name."""
    places = [root.getroottree().getpath(e) for e in chosen]
    new = copy.deepcopy(root)
    tree = new.getroottree()
    lost: set[str] = set()
    for element in [found for place in places for found in tree.xpath(place)]:
        lost |= {e.get("name") for e in element.iter() if e.get("name")}
        if element.getparent() is not None:
            element.getparent().remove(element)
    for section in new:
        if section.tag in LISTS:
            for entry in list(section):
                if any(value in lost for key, value in entry.attrib.items() if key != "name"):
                    section.remove(entry)
    return new


def _carried(case: Case, old: Any, root: Any) -> Iterator[Case]:
    """The case with another tree: coordinates of the joints, and controls of the actuators, that are left of the model `old`."""
    from dojo_py import load_model

    xml = _text(root)
    try:
        new = load_model(xml)
    except ValueError:
        return
    controls = np.zeros((len(case.controls), new.nu))
    if case.controls.shape[1] == old.nu:
        for i, name in enumerate(new.actuator_names):
            if name in old.actuator_names:
                controls[:, i] = case.controls[:, old.actuator_names.index(name)]
    qpos, qvel = np.array(new.qpos0), np.zeros(new.nv)
    for values, given, where in ((qpos, case.qpos, "jnt_qposadr"), (qvel, case.qvel, "jnt_dofadr")):
        if given is None:
            continue
        for i, name in enumerate(new.joint_names):
            if name not in old.joint_names:
                continue
            k = old.joint_names.index(name)
            a, b = _span(new, where, i), _span(old, where, k)
            if new.jnt_type[i] == old.jnt_type[k]:
                values[a] = given[b]
    yield replace(
        case, xml=xml, qpos=None if case.qpos is None else qpos, qvel=None if case.qvel is None else qvel, controls=controls
    )


def _span(model: Any, where: str, i: int) -> slice:
    """Entries of joint i."""
    start = int(getattr(model, where)[i])
    width = (7, 4, 1, 1) if where == "jnt_qposadr" else (6, 3, 1, 1)
    return slice(start, start + width[int(model.jnt_type[i])])


def _shorter(case: Case) -> Iterator[Case]:
    steps = len(case.controls)
    for length in sorted({1, 2, 5, 10, 20, steps // 2, steps * 3 // 4, steps - 1}):
        if 0 < length < steps:
            yield replace(case, controls=case.controls[:length])


def _fewer_bodies(root: Any) -> Iterator[Any]:
    world = root.find("worldbody")
    top = world.findall("body")
    if len(top) > 2:
        half = len(top) // 2
        yield _without(root, top[:half])
        yield _without(root, top[half:])
    for body in top if len(top) > 1 else []:
        yield _without(root, [body])
    for body in world.iter("body"):
        if body.getparent() is not world:
            yield _without(root, [body])


def _fewer_entries(root: Any) -> Iterator[Any]:
    for section in root:
        if section.tag in LISTS:
            yield _without(root, [section])
    for section in root:
        if section.tag in LISTS and len(section) > 1:
            for entry in section:
                yield _without(root, [entry])


def _fewer_joints(root: Any) -> Iterator[Any]:
    for tag in ("joint", "freejoint"):
        for joint in root.find("worldbody").iter(tag):
            yield _without(root, [joint])


def _fewer_geoms(root: Any) -> Iterator[Any]:
    world = root.find("worldbody")
    for geom in world.findall("geom"):
        yield _without(root, [geom])
    for body in world.iter("body"):
        geoms = body.findall("geom")
        for geom in geoms if len(geoms) > 1 or body.find("inertial") is not None else []:
            yield _without(root, [geom])
    for site in world.iter("site"):
        yield _without(root, [site])


def _fewer_attributes(root: Any) -> Iterator[Any]:
    tree = root.getroottree()
    for element in root.iter():
        for key in element.attrib:
            if key not in KEPT:
                new = copy.deepcopy(root)
                del new.getroottree().xpath(tree.getpath(element))[0].attrib[key]
                yield new


def _rounded(root: Any) -> Iterator[Any]:
    """Numbers to one significant digit, then to two, then to four; one attribute after the other."""
    tree = root.getroottree()
    for digits in (1, 2, 4):
        for element in root.iter():
            for key, value in element.attrib.items():
                short = _short(value, digits)
                if short is not None and short != value:
                    new = copy.deepcopy(root)
                    new.getroottree().xpath(tree.getpath(element))[0].set(key, short)
                    yield new


def _short(text: str, digits: int) -> str | None:
    try:
        return " ".join(f"{float(word):.{digits}g}" for word in text.split())
    except ValueError:
        return None


def _simpler_start(case: Case) -> Iterator[Case]:
    """At rest, in the initial pose, without one velocity, with rounded numbers."""
    if case.qvel is not None:
        yield replace(case, qvel=None)
    if case.qpos is not None:
        yield replace(case, qpos=None)
    if np.any(case.controls):
        yield replace(case, controls=np.zeros_like(case.controls))
    if case.qvel is not None:
        for i in np.flatnonzero(case.qvel):
            yield replace(case, qvel=np.where(np.arange(len(case.qvel)) == i, 0.0, case.qvel))
    for name in ("qvel", "qpos"):
        values = getattr(case, name)
        for digits in (1, 2, 4):
            if values is not None:
                rounded = np.array([float(f"{value:.{digits}g}") for value in values])
                if name == "qpos":
                    rounded = _unit_quaternions(case.xml, rounded)
                if not np.array_equal(rounded, values):
                    yield replace(case, qvel=rounded) if name == "qvel" else replace(case, qpos=rounded)


def _unit_quaternions(xml: str, qpos: Array) -> Array:
    from dojo_py import load_model

    model, out = load_model(xml), qpos.copy()
    for i in range(model.njnt):
        span = _span(model, "jnt_qposadr", i)
        if model.jnt_type[i] <= 1:
            part = slice(span.stop - 4, span.stop)
            out[part] = out[part] / np.linalg.norm(out[part]) if np.any(out[part]) else (1.0, 0.0, 0.0, 0.0)
    return out


def _simpler_settings(case: Case) -> Iterator[Case]:
    for digits in (1, 2):
        h = float(f"{case.timestep:.{digits}g}")
        if h != case.timestep:
            yield replace(case, timestep=h)
    if case.timestep != 0.01:
        yield replace(case, timestep=0.01)
