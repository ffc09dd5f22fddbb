"""Joints: what each URDF type becomes. The joint's frame is `origin` in the parent's frame; its child shares it.

    revolute, continuous   hinge about `axis` (default x); continuous has no limits
    prismatic              slide along `axis`
    fixed                  none
    floating               free
    spherical, ball        ball
    planar, planaraxis     slides along two directions normal to `axis` (_TX, _TY), hinge about it (_RZ)
    cylindrical            slide along `axis` (_TX), hinge about it (_RX)
    fixedorientation       slides along x, y, z (_TX, _TY, _TZ)
    cylindricalfree        slide along `axis` (_TX), ball (_R)
    planarfree             slides along two directions normal to `axis` (_TX, _TY), ball (_R)

The last five and ball are Dojo's. Dojo's orbital joint (no twist about `axis`) is no product of hinges: refused.
"""

from __future__ import annotations

import math

import numpy as np

from ...mechanism import quaternion
from ...mechanism.checks import MAX_VALUE
from ...mechanism.errors import nearest
from ...mechanism.spec import Body, Joint
from .element import Element
from .tree import Connection

Part = tuple[str, str, str]
"""Suffix of the name, our type, direction: "axis", "u" and "v" normal to it, or "x", "y", "z"."""

TYPES: dict[str, tuple[Part, ...]] = {
    "revolute": (("", "hinge", "axis"),),
    "continuous": (("", "hinge", "axis"),),
    "prismatic": (("", "slide", "axis"),),
    "fixed": (),
    "floating": (("", "free", ""),),
    "spherical": (("", "ball", ""),),
    "ball": (("", "ball", ""),),
    "planar": (("_TX", "slide", "u"), ("_TY", "slide", "v"), ("_RZ", "hinge", "axis")),
    "planaraxis": (("_TX", "slide", "u"), ("_TY", "slide", "v"), ("_RZ", "hinge", "axis")),
    "cylindrical": (("_TX", "slide", "axis"), ("_RX", "hinge", "axis")),
    "fixedorientation": (("_TX", "slide", "x"), ("_TY", "slide", "y"), ("_TZ", "slide", "z")),
    "cylindricalfree": (("_TX", "slide", "axis"), ("_R", "ball", "")),
    "planarfree": (("_TX", "slide", "u"), ("_TY", "slide", "v"), ("_R", "ball", "")),
}
REFUSED = {"orbital": "a joint that swings without twist is not simulated; use two revolute joints with a link between"}
CHILDREN = ("parent", "child", "origin", "axis", "dynamics", "limit", "mimic")
IGNORED = ("safety_controller", "calibration", "hardwareInterface", "gazebo")
DYNAMICS = ("damping", "friction")
LIMIT = ("lower", "upper", "effort", "velocity", "acceleration")
FOREIGN_DYNAMICS = ("D", "K", "mu_coulomb", "mu_viscous", "spring_reference", "spring_stiffness")
"""Attributes of `dynamics` that other programs have put into public files; nothing else reads them, nor does MuJoCo."""


def add_joints(tree: list[Connection], world: Body) -> dict[str, Joint]:
    """Give every child body its pose and joints. Returns name -> joint of the model's hinges and slides.

    A joint whose type is refused is left out with everything that hangs on it.
    """
    first: dict[str, Element] = {}
    for connection in tree:
        element, child = connection.joint, connection.child
        element.accept(("name", "type"), CHILDREN, IGNORED)
        kind = element.text("type")
        child.pos, child.quat = element.pose()
        if kind in REFUSED:
            element.refuse(f"'{kind}': {REFUSED[kind]}", "type")
            connection.parent.bodies = [body for body in connection.parent.bodies if body is not child]
        elif kind and kind not in TYPES:
            element.fail(f"'{kind}' is not one of {list(TYPES)}{nearest(kind, TYPES)}", "type")
        elif kind:
            child.joints = _parts(connection, kind, first)
    hinges_and_slides = [joint for body, _ in world.walk() for joint in body.joints if joint.type in ("hinge", "slide")]
    return {joint.name: joint for joint in hinges_and_slides if joint.name}


def _parts(connection: Connection, kind: str, first: dict[str, Element]) -> list[Joint]:
    """The joints of a connection. first: name -> the element that has it; a name given twice names the first, as in MuJoCo."""
    element = connection.joint
    directions = _directions(element, kind)
    joints = []
    for suffix, type_, direction in TYPES[kind]:
        name = connection.name + suffix
        if name in first:
            message = f"'{name}' is already the name of the joint of line {first[name].where.line}; this one has none"
            element.problems.note(element.where, message, name=name, attribute="name")
        joint = Joint("" if name in first else name, type_, where=element.where)
        first.setdefault(name, element)
        if direction:
            joint.axis = directions[direction]
        joints.append(joint)
    if joints:
        _dynamics(element, joints)
        _limit(element, kind, joints[0])
    return joints


def _directions(element: Element, kind: str) -> dict[str, tuple[float, ...]]:
    axis_element = element.child("axis")
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    if axis_element is not None:
        axis_element.accept(("xyz",))
        axis = axis_element.numbers("xyz", 3)
        used = any(direction in ("axis", "u", "v") for _, _, direction in TYPES[kind])
        if used and np.linalg.norm(axis) < 1e-12:
            axis_element.fail(f"'{axis_element.text('xyz')}' was read; an axis of non-zero length is accepted", "xyz")
            axis = (1.0, 0.0, 0.0)
    turn = quaternion.from_z_axis(np.array(axis)) if np.linalg.norm(axis) >= 1e-12 else np.array([1.0, 0.0, 0.0, 0.0])
    u, v = quaternion.matrix(turn).T[:2]
    x, y, z = np.eye(3)
    named = {"axis": np.array(axis), "u": u, "v": v, "x": x, "y": y, "z": z}
    return {name: tuple(float(c) for c in direction) for name, direction in named.items()}


def _dynamics(element: Element, joints: list[Joint]) -> None:
    """Damping [N m s/rad or N s/m] and dry friction [N m or N] of every part."""
    dynamics = element.child("dynamics")
    if dynamics is None:
        return
    dynamics.accept(DYNAMICS, foreign=FOREIGN_DYNAMICS)
    damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
    for value, attribute in ((damping, "damping"), (friction, "friction")):
        if value < 0.0:
            dynamics.fail(f"'{dynamics.text(attribute)}' was read; a number of at least 0 is accepted", attribute)
    for joint in joints:
        joint.damping, joint.frictionloss = max(damping, 0.0), max(friction, 0.0)


def _bound(limit: Element, attribute: str) -> float:
    """A bound; infinite, or too large to be reached, it bounds nothing."""
    word = limit.text(attribute, required=False).strip().lower()
    if word.lstrip("+-") in ("inf", "infinity"):
        return -math.inf if word.startswith("-") else math.inf
    return limit.number(attribute, 0.0)


def _limit(element: Element, kind: str, joint: Joint) -> None:
    """Range [rad or m] and effort [N m or N] of the first part. An empty range does not limit, as in MuJoCo."""
    limit = element.child("limit")
    if limit is None:
        return
    limit.accept(LIMIT)
    if kind != "continuous":
        lower, upper = _bound(limit, "lower"), _bound(limit, "upper")
        if limit.has("lower") != limit.has("upper") or lower >= upper or (lower < -MAX_VALUE and upper > MAX_VALUE):
            joint.limited = False
        joint.range = (max(lower, -MAX_VALUE), min(upper, MAX_VALUE))
    effort = abs(_bound(limit, "effort"))
    if 0.0 < effort <= MAX_VALUE:
        joint.actuatorfrcrange = (-effort, effort)
