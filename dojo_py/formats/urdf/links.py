"""Links: `link` -> `Body` with its inertial and its collision shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...mechanism.errors import nearest
from ...mechanism.spec import Body, Geom, Inertial
from ..lost_shapes import LostShapes
from ..mjcf.settings import Switches
from .colours import Colours
from .element import Element
from .meshes import UrdfMeshes

IGNORED = ("gazebo", "sensor", "self_collision_checking")
"""Children of `link` that say nothing about the mechanics."""


def read_links(robot: Element, switches: Switches, world: Body, lost: LostShapes, meshes: UrdfMeshes) -> dict[str, Body]:
    """Name -> body of every link, in the order of the file, not yet connected. A link called "world" is the world."""
    bodies: dict[str, Body] = {}
    colours = Colours(robot)
    geom_names: set[str] = set()
    for link in robot.children("link"):
        link.accept(("name", "type"), ("inertial", "collision", "visual"), IGNORED)
        name = link.text("name")
        inertial = _inertial(link)
        body = world if name == "world" else Body(name, inertial=inertial, where=link.where)
        shapes = [child for child in link.node.children if child.tag in ("collision", "visual")]
        colour = None
        for shape in shapes:
            colour = (colours.of(Element(shape, link.problems, name)) if shape.tag == "visual" else None) or colour
            if shape.tag == "collision" or not switches.discardvisual:
                geom = _geom(Element(shape, link.problems, name), shape.tag == "collision", body, lost, meshes)
                if geom is not None:
                    geom.rgba = colour or geom.rgba
                    # as in MuJoCo, a name given twice names the first geom only
                    geom.name = "" if geom.name in geom_names else geom.name
                    geom_names.add(geom.name)
                    body.geoms.append(geom)
        if name in bodies:
            first = bodies[name].where
            link.fail(f"'{name}' is already the name of the link of line {first.line if first else 0}", "name")
        elif name:
            bodies[name] = body
    return bodies


def _inertial(link: Element) -> Inertial | None:
    element = link.child("inertial")
    if element is None:
        return None
    element.accept((), ("origin", "mass", "inertia"))
    pos, quat = element.pose()
    inertial = Inertial(where=element.where, pos=pos, quat=quat)
    mass, inertia = element.child("mass", required=True), element.child("inertia", required=True)
    if mass is not None:
        mass.accept(("value",))
        inertial.mass = mass.number("value")
        if inertial.mass < 0.0:
            mass.fail(f"'{mass.text('value')}' was read; a mass of at least 0 is accepted", "value")
    if inertia is not None:
        entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        inertia.accept(entries)
        tensor = tuple(inertia.number(entry) for entry in entries)
        if any(tensor):
            inertial.fullinertia = tensor
        else:  # six zeros: not given
            inertial.diaginertia = (0.0, 0.0, 0.0)
    return inertial


def _geom(element: Element, collision: bool, body: Body, lost: LostShapes, meshes: UrdfMeshes) -> Geom | None:
    element.accept(("name", "group"), ("origin", "geometry"), ("material", "verbose"))
    geometry = element.child("geometry", required=True)
    pos, quat = element.pose()
    if geometry is None:
        return None
    geometry.accept((), [child.tag for child in geometry.node.children])
    accepted = [*SHAPES, "mesh"]
    shapes = [child for child in geometry.node.children if child.tag in accepted]
    others = [child for child in geometry.node.children if child.tag not in accepted]
    values = {"name": element.owner} | ({} if collision else {"density": 0.0})
    for other in others:
        message = f"this shape is not simulated; accepted: {accepted}{nearest(other.tag, accepted)}"
        lost.add(body, other.where, other.tag, "", message, values)
    if len(shapes) != 1:
        if shapes or not others:
            geometry.fail(f"{len(shapes)} shapes were read, one of {accepted} is accepted")
        return None
    shape = Element(shapes[0], element.problems, element.owner)
    geom = Geom(element.text("name", required=False), "mesh", (), pos, quat, where=element.where)
    if not collision:
        geom.contype, geom.conaffinity, geom.group, geom.density = 0, 0, 1, 0.0
    if shapes[0].tag == "mesh":
        return _mesh_geom(shape, geom, body, lost, meshes, values)
    geom.type, attributes, size = SHAPES[shapes[0].tag]
    shape.accept(attributes)
    geom.size = size(shape)
    return geom


def _mesh_geom(shape: Element, geom: Geom, body: Body, lost: LostShapes, meshes: UrdfMeshes, values: dict[str, Any]) -> Geom | None:
    """A geom of a mesh; None where its file is missing."""
    mesh, reason = meshes.read(shape)
    touches = geom.contype != 0
    message = "a mesh that can touch something is needed; replace it by primitive shapes"
    if mesh is None:
        if reason:  # none: a problem was reported
            text = f"{reason}; {message}" if touches else ""
            lost.add(body, shape.where, "mesh", "filename", text, values, reason)
        return None
    geom.mesh = mesh.name
    return geom


def _box(shape: Element) -> tuple[float, ...]:
    return tuple(0.5 * edge for edge in shape.numbers("size", 3, positive=True))


def _round(shape: Element) -> tuple[float, ...]:
    return shape.number("radius", positive=True), 0.5 * shape.number("length", positive=True)


def _sphere(shape: Element) -> tuple[float, ...]:
    return (shape.number("radius", positive=True),)


SHAPES: dict[str, tuple[str, tuple[str, ...], Callable[[Element], tuple[float, ...]]]] = {
    "box": ("box", ("size",), _box),
    "cylinder": ("cylinder", ("radius", "length"), _round),
    "sphere": ("sphere", ("radius",), _sphere),
    "capsule": ("capsule", ("radius", "length"), _round),
}
"""Tag -> our shape, its attributes, and how half sizes [m] follow from them."""
