"""What closes loops: `mimic` -> joint equality; Dojo's `loop_joint` -> connect or weld equality between two sites.

mimic:       q = multiplier * q_other + offset
loop_joint:  fixed: weld; spherical, ball: connect; revolute, continuous: two connects, at the joint and 0.1 m along
its axis (which is given in the joint's frame). The two links need not meet in the described pose.
"""

from __future__ import annotations

import numpy as np

from ...mechanism import quaternion
from ...mechanism.errors import nearest
from ...mechanism.spec import Body, Equality, Joint, Mechanism, Site
from .element import Element
from .joints import DYNAMICS, LIMIT
from .tree import Connection

ARM = 0.1
"""Distance [m] of the second point that aligns the axes of a revolute loop joint."""

WITHOUT_EFFECT = {"dynamics": DYNAMICS, "limit": LIMIT}
"""Children that a loop may have, with numbers that are all zero."""

LOOP_TYPES = ("revolute", "continuous", "spherical", "ball", "fixed")


def add_mimics(tree: list[Connection], joints: dict[str, Joint], mechanism: Mechanism) -> None:
    """An equality for every joint that follows another one."""
    for connection in tree:
        mimic = connection.joint.child("mimic")
        if mimic is None:
            continue
        mimic.accept(("joint", "multiplier", "offset"))
        other = mimic.text("joint")
        multiplier, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        if not other:
            continue
        if connection.name not in joints or other not in joints or other == connection.name:
            guess = nearest(other, joints) if other not in joints else ""
            mimic.refuse(
                f"joint '{connection.name}' cannot follow '{other}': both must be revolute, continuous or prismatic "
                f"joints of this file{guess}",
                "joint",
            )
            continue
        mechanism.equalities.append(
            Equality("joint", connection.name, other, polycoef=(offset, multiplier, 0.0, 0.0, 0.0), where=mimic.where)
        )


def add_loop_joints(robot: Element, bodies: dict[str, Body], mechanism: Mechanism) -> None:
    """Equalities for the joints that close loops, except where a link was left out of the model."""
    present = {id(body) for body, _ in mechanism.world.walk()}
    for loop in robot.children("loop_joint"):
        loop.accept(("name", "type"), ("link1", "link2", "axis", "dynamics", "limit"))
        kind, name = loop.text("type"), loop.text("name")
        for tag in WITHOUT_EFFECT:
            element = loop.child(tag)
            if element is None:
                continue
            element.accept(WITHOUT_EFFECT[tag])
            if any(element.numbers(a, 1, (0.0,))[0] for a in WITHOUT_EFFECT[tag]):
                element.refuse("a joint that closes a loop has no damping, friction or limits here")
        if kind and kind not in LOOP_TYPES:
            guess = nearest(kind, LOOP_TYPES)
            loop.refuse(f"'{kind}' does not close loops; accepted: {list(LOOP_TYPES)}{guess}", "type")
            continue
        offsets = [np.zeros(3)]
        if kind in ("revolute", "continuous"):
            offsets.append(ARM * _axis(loop))
        ends = [_end(loop, tag, bodies) for tag in ("link1", "link2")]
        found = [end for end in ends if end is not None and id(end[0]) in present]
        if len(found) != 2 or not kind or not name:
            continue
        for number, offset in enumerate(offsets):
            suffix = "_axis" if number else ""
            sites = []
            for end, (body, pos, quat) in enumerate(found, start=1):
                at = np.asarray(pos) + quaternion.rotate(np.asarray(quat), offset)
                site = Site(f"{name}_link{end}{suffix}", pos=tuple(float(x) for x in at), quat=quat, where=loop.where)
                body.sites.append(site)
                sites.append(site.name)
            type_ = "weld" if kind == "fixed" else "connect"
            equality = Equality(type_, sites[0], sites[1], name + suffix, objtype="site", where=loop.where)
            mechanism.equalities.append(equality)


def _axis(loop: Element) -> np.ndarray:
    element = loop.child("axis")
    if element is not None:
        element.accept(("xyz",))
    axis = np.array(element.numbers("xyz", 3) if element else (1.0, 0.0, 0.0))
    length = np.linalg.norm(axis)
    if element is not None and length < 1e-12:
        element.fail(f"'{element.text('xyz')}' was read; an axis of non-zero length is accepted", "xyz")
        return np.array([1.0, 0.0, 0.0])
    return axis / length


def _end(loop: Element, tag: str, bodies: dict[str, Body]) -> tuple[Body, tuple[float, ...], tuple[float, ...]] | None:
    element = loop.child(tag, required=True)
    if element is None:
        return None
    pos, quat = element.own_pose(also=("link",))
    name = element.text("link")
    if name not in bodies:
        if name:
            element.fail(f"no link is named '{name}'{nearest(name, bodies)}", "link")
        return None
    return bodies[name], pos, quat
