"""Custom numbers, texts and tuples, sizes of user data, statistics: kept, and without effect on the motion."""

from __future__ import annotations

from ...mechanism.errors import Problems, nearest
from ...mechanism.spec import Mechanism, Numeric, Text, Tuple, TupleElement
from ..xml_tree import Node
from . import schema
from .values import read_attributes


def read_custom(sections: list[Node], mechanism: Mechanism, problems: Problems) -> None:
    """The elements of the `custom` sections."""
    for node in (child for section in sections for child in section.children):
        if node.tag not in schema.CUSTOM:
            problems.add(node.where, f"is not an element of custom{nearest(node.tag, schema.CUSTOM)}")
            continue
        values = read_attributes(node, schema.CUSTOM[node.tag], problems)
        if node.tag == "numeric":
            mechanism.numerics.append(Numeric(**values, where=node.where))
        elif node.tag == "text":
            mechanism.texts.append(Text(**values, where=node.where))
        else:
            mechanism.tuples.append(Tuple(**values, elements=_elements(node, problems), where=node.where))


def _elements(node: Node, problems: Problems) -> list[TupleElement]:
    out = []
    for child in node.children:
        if child.tag != "element":
            problems.add(child.where, f"is not an element of tuple{nearest(child.tag, ('element',))}")
        out.append(TupleElement(**read_attributes(child, schema.TUPLE_ELEMENT, problems), where=child.where))
    return out


def read_sizes(sections: list[Node], mechanism: Mechanism, problems: Problems) -> None:
    """`size`: how many keyframes and numbers of user data; memory and buffers are not needed here."""
    for node in sections:
        values = read_attributes(node, schema.SIZE, problems)
        mechanism.keyframe_count = values.pop("nkey", mechanism.keyframe_count)
        mechanism.user_sizes |= values


def read_statistic(sections: list[Node], mechanism: Mechanism, problems: Problems) -> None:
    """`statistic`: scales for viewers."""
    for node in sections:
        mechanism.statistic |= read_attributes(node, schema.STATISTIC, problems)
