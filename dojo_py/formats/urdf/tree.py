"""The tree: which link hangs on which by which joint. Bodies are nested in the order of their joints in the file."""

from __future__ import annotations

from dataclasses import dataclass

from ...mechanism.errors import nearest
from ...mechanism.spec import Body, Mechanism
from .element import Element


@dataclass
class Connection:
    """A joint element and the bodies it connects."""

    joint: Element
    name: str
    parent: Body
    child: Body


def assemble(robot: Element, mechanism: Mechanism, bodies: dict[str, Body]) -> list[Connection]:
    """Nest the bodies and put every root into the world.

    Returns the connections in the order of the file. Joints that connect nothing are reported and left out.
    """
    connections: list[Connection] = []
    above: dict[str, Connection] = {}
    for joint in robot.children("joint"):
        name = joint.text("name")
        ends = [_link(joint, end, bodies) for end in ("parent", "child")]
        parent, child = ends
        if parent is None or child is None:
            continue
        if child.name in above:
            line = above[child.name].joint.where.line
            joint.fail(f"link '{child.name}' already has a parent by the joint of line {line}; use a loop_joint")
            continue
        connection = Connection(joint, name, parent, child)
        connections.append(connection)
        above[child.name] = connection
    _nest(robot, mechanism, bodies, above, connections)
    return connections


def _link(joint: Element, end: str, bodies: dict[str, Body]) -> Body | None:
    element = joint.child(end, required=True)
    if element is None:
        return None
    element.accept(("link",))
    name = element.text("link")
    if name and name not in bodies:
        element.fail(f"no link is named '{name}'{nearest(name, bodies)}", "link")
    return bodies.get(name)


def _nest(
    robot: Element,
    mechanism: Mechanism,
    bodies: dict[str, Body],
    above: dict[str, Connection],
    connections: list[Connection],
) -> None:
    if "world" in above:
        above["world"].joint.fail("link 'world' is the world; it cannot be the child of a joint")
        return
    for name, body in bodies.items():
        if name not in above and body is not mechanism.world:
            mechanism.world.add(body)
    for connection in connections:
        connection.parent.bodies.append(connection.child)  # (loops are reported below)
    reached = {body.name for body, _ in mechanism.world.walk()} | {"world"}
    lost = [name for name in bodies if name not in reached]
    if lost:
        shown = lost if len(lost) <= 12 else [*lost[:12], "..."]
        robot.fail(f"the links {shown} hang on each other in a loop: no root holds them")
