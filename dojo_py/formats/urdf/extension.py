"""The `mujoco` element in a URDF: `compiler`, `option` and `size` as in MJCF, with the defaults of a URDF.

Defaults that differ from MJCF: angles are radians (whatever `angle` says), rpy turns about fixed axes (whatever
`eulerseq` says), `fusestatic` and `discardvisual` are on.
"""

from __future__ import annotations

from ...mechanism.errors import nearest
from ...mechanism.spec import Mechanism
from ..mjcf import schema
from ..mjcf.custom import read_sizes
from ..mjcf.settings import Switches, read_compiler, read_option
from ..xml_tree import Node
from .element import Element

SECTIONS = tuple(section for section in (*schema.SECTIONS, "extension") if section not in ("compiler", "option", "size"))
"""Of MJCF; MuJoCo passes over them here."""
WITHOUT_EFFECT = ("convexhull", "exactmeshinertia")
"""Attributes of `compiler` that older versions of MuJoCo had, and public files have."""


def read_extension(robot: Element, mechanism: Mechanism) -> Switches:
    """Fill settings, options and sizes of the mechanism; return the switches of the reader."""
    switches = Switches(fusestatic=True, discardvisual=True)
    extension = robot.child("mujoco")
    if extension is None:
        return switches
    extension.accept((), ("compiler", "option", "size"), SECTIONS)
    for child in extension.node.children:
        if child.tag in SECTIONS:
            extension.problems.note(child.where, "is not read in a URDF (nor does MuJoCo)", name=robot.owner)
    compiler, option, size = (extension.child(tag) for tag in ("compiler", "option", "size"))
    if compiler is not None:
        read_compiler(_known(compiler, schema.COMPILER), mechanism.settings, switches, robot.problems)
    if option is not None:
        read_option(_known(option, schema.OPTION), mechanism.option, robot.problems)
    if size is not None:
        read_sizes([_known(size, schema.SIZE)], mechanism, robot.problems)
    return switches


def _known(element: Element, table: dict[str, schema.Kind]) -> Node:
    """The element with the attributes that MJCF knows. MuJoCo passes over the others here; they may be misspelt: refused."""
    node = element.node
    for attribute, value in node.attributes.items():
        if attribute not in (*table, *WITHOUT_EFFECT):
            element.refuse(f"'{value}' is not read{nearest(attribute, table)}", attribute)
    kept = {attribute: value for attribute, value in node.attributes.items() if attribute in table}
    return Node(node.tag, kept, node.where, node.children)
