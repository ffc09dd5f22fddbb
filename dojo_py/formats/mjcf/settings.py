"""The elements `compiler` and `option`, the same in an MJCF file and in the extension of a URDF."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from ...mechanism.errors import Problems, nearest
from ...mechanism.spec import CompilerSettings, OptionSpec
from ..xml_tree import Node
from . import schema
from .assets import MeshSettings
from .orientation import Angles
from .values import read_attributes


@dataclass
class Switches(MeshSettings):
    """What `compiler` says about the reading itself: where files lie, what is left out, fused, and how angles are told."""

    fusestatic: bool = False
    discardvisual: bool = False
    angles: Angles = field(default_factory=Angles)


def read_compiler(node: Node, settings: CompilerSettings, switches: Switches, problems: Problems) -> None:
    """Fill the settings and the switches of the reader from one element."""
    settings.where = node.where
    for key, value in read_attributes(node, schema.COMPILER, problems).items():
        if key == "angle":
            switches.angles.radian = value == "radian"
        elif key == "coordinate":
            if value != "local":
                problems.add(node.where, "only 'local' is accepted (MuJoCo's rule)", attribute=key)
        elif key == "eulerseq":
            _eulerseq(node, value, switches.angles, problems)
        else:
            setattr(switches if hasattr(switches, key) else settings, key, value)
    for child in node.children:
        if child.tag == "lengthrange":
            values = read_attributes(child, schema.LENGTHRANGE, problems)
            settings.lengthrange = dataclasses.replace(settings.lengthrange, **values, where=child.where)
        else:
            problems.add(child.where, "is not an element of compiler")


def _eulerseq(node: Node, value: str, angles: Angles, problems: Problems) -> None:
    if len(value) == 3 and set(value) <= set("xyzXYZ"):
        angles.eulerseq = value
    else:
        problems.add(node.where, f"'{value}' is not three letters of 'xyzXYZ'", attribute="eulerseq")


def read_option(node: Node, option: OptionSpec, problems: Problems) -> None:
    """Fill the options from one element."""
    option.where = node.where
    for key, value in read_attributes(node, schema.OPTION, problems).items():
        setattr(option, key, (*value, *getattr(option, key)[len(value) :]) if _is_list(value, key) else value)
    for child in node.children:
        if child.tag == "flag":
            words = read_attributes(child, schema.FLAG, problems)
            option.flags |= {key: value == "enable" for key, value in words.items()}
        else:
            problems.add(child.where, f"is not an element of option{nearest(child.tag, ('flag',))}")


def _is_list(value: Any, key: str) -> bool:
    return isinstance(value, tuple) and key != "actuatorgroupdisable"
