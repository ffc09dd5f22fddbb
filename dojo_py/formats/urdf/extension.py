"""The `mujoco` element in a URDF: `compiler`, `option` and `size` as in MJCF, with the defaults of a URDF.

Defaults that differ from MJCF: angles are radians (whatever `angle` says), rpy turns about fixed axes (whatever
`eulerseq` says), `fusestatic` and `discardvisual` are on.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from ...mechanism.errors import nearest
from ...mechanism.spec import CompilerSettings, Mechanism, OptionSpec
from .element import Element

WORDS: dict[str, bool | None] = {"true": True, "false": False}
TRILEAN: dict[str, bool | None] = {**WORDS, "auto": None}
SECTIONS = (
    *("default", "worldbody", "actuator", "sensor", "equality", "contact", "keyframe", "tendon", "asset", "custom"),
    *("deformable", "statistic", "visual", "extension"),
)
"""Of MJCF; MuJoCo passes over them here."""
FLAG: dict[str, bool | None] = {"enable": True, "disable": False}
WITHOUT_EFFECT = (
    *("angle", "eulerseq", "coordinate", "texturedir", "usethread", "convexhull", "exactmeshinertia", "conflict"),
    "saveinertial",
)
"""Attributes of `compiler` that change nothing here: URDF fixes them, or they are about pictures, speed and saving."""


SWITCHES = ("fusestatic", "discardvisual", "strippath", "meshdir", "assetdir")
"""Attributes of `compiler` that the reader itself follows."""


@dataclass
class Switches:
    """Settings of the reading itself."""

    fusestatic: bool = True
    discardvisual: bool = True
    strippath: bool = False
    """Mesh files are looked for without the folders of their name."""
    meshdir: str = ""
    assetdir: str = ""


def read_extension(robot: Element, mechanism: Mechanism) -> Switches:
    """Fill settings and options of the mechanism; return the switches of the reader."""
    switches = Switches()
    extension = robot.child("mujoco")
    if extension is None:
        return switches
    extension.accept((), ("compiler", "option", "size"), SECTIONS)
    for child in extension.node.children:
        if child.tag in SECTIONS:
            extension.problems.note(child.where, "is not read in a URDF (nor does MuJoCo)", name=robot.owner)
    size = extension.child("size")
    if size is not None and size.has("nkey"):
        mechanism.keyframe_count = int(size.number("nkey"))
    compiler, option = extension.child("compiler"), extension.child("option")
    if compiler is not None:
        known = {field.name: field for field in dataclasses.fields(CompilerSettings) if field.name != "where"}
        for attribute, value in compiler.node.attributes.items():
            if attribute in ("meshdir", "assetdir"):
                setattr(switches, attribute, value)
            elif attribute in ("fusestatic", "discardvisual", "strippath"):
                setattr(switches, attribute, bool(_word(compiler, attribute, WORDS, True)))
            elif attribute in known:
                default = known[attribute].default
                words = TRILEAN if default is None else WORDS if isinstance(default, bool) else None
                setattr(mechanism.settings, attribute, _value(compiler, attribute, default, words))
            elif attribute not in WITHOUT_EFFECT:
                accepted = [*known, *SWITCHES, *WITHOUT_EFFECT]
                compiler.refuse(f"'{value}' is not read{nearest(attribute, accepted)}", attribute)
    if option is not None:
        _read_option(option, mechanism.option)
    return switches


def _read_option(element: Element, option: OptionSpec) -> None:
    known = {f.name: f for f in dataclasses.fields(OptionSpec) if f.name not in ("where", "flags")}
    for attribute in element.node.attributes:
        if attribute in known:
            setattr(option, attribute, _value(element, attribute, known[attribute].default, None))
        else:
            element.fail(f"is not an option{nearest(attribute, known)}", attribute)
    flags = element.child("flag")
    for flag in flags.node.attributes if flags else ():
        assert flags is not None
        option.flags[flag] = bool(_word(flags, flag, FLAG, True))


def _value(element: Element, attribute: str, default: Any, words: dict[str, bool | None] | None) -> Any:
    """The attribute in the type of its default; the compiler checks what the value means."""
    text = element.text(attribute)
    if words is not None:
        return _word(element, attribute, words, default)
    if isinstance(default, str):
        return text
    kind = int if isinstance(default, int) or attribute in ("actuatorgroupdisable", "inertiagrouprange") else float
    try:
        values = tuple(kind(word) for word in text.split())
    except ValueError:
        element.fail(f"'{text}' was read; numbers are accepted", attribute)
        return default
    if isinstance(default, tuple):
        return values
    if len(values) != 1:
        element.fail(f"'{text}' was read; one number is accepted", attribute)
        return default
    return values[0]


def _word(element: Element, attribute: str, words: dict[str, bool | None], default: bool | None) -> bool | None:
    text = element.text(attribute)
    if text in words:
        return words[text]
    element.fail(f"'{text}' is not one of {list(words)}{nearest(text, words)}", attribute)
    return default
