"""The macro `composite` of MuJoCo's modeling chapter (the wheel dropped it): collections of bodies, joints, tendons and equalities.

particle    a 3D grid of bodies with three sliders each, frictionless
grid        a 1D or 2D grid of such bodies; lengths between neighbours are tendons held by equalities; pinned ones have no sliders
rope, loop  a chain of bodies with two hinges each, on both sides of the parent body, which is one of them; a loop is closed
cloth       a 2D tree of bodies with universal joints, held together by tendons
box, cylinder, ellipsoid    bodies on a shell about the parent, each with a slider outwards, held in place, to their neighbours, and
            by a tendon, the sum of all sliders, at its volume

A composite becomes ordinary elements before the file's other elements are read. Names are MuJoCo 2's: B, G, S, J, T and
coordinates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...mechanism.attach import Tally
from ...mechanism.errors import Problems
from ..xml_tree import Node
from . import schema
from .values import Values, read_attributes

TYPES = ("particle", "grid", "rope", "loop", "cloth", "box", "cylinder", "ellipsoid")
SHELLS = ("box", "cylinder", "ellipsoid")
MAX_BODIES = 20_000
"""Of all composites of a file."""
FIX = {"solreffix": schema.real(2, 1), "solimpfix": schema.real(5, 1)}
COMPOSITE = {
    "prefix": schema.TEXT, "type": schema.word(*TYPES, refused=("cable",)), "count": schema.Kind("ints", 1, 3),
    "spacing": schema.real(1), "offset": schema.real(3), "flatinertia": schema.real(1), "solrefsmooth": schema.real(2, 1),
    "solimpsmooth": schema.real(5, 1), **dict.fromkeys(("curve", "initial", "size", "vertex", "quat"), schema.SKIP),
}  # fmt: skip
OWN_JOINT = {key: kind for key, kind in schema.JOINT.items() if key not in ("type", "pos", "axis", "ref", "springref")}
OWN_GEOM = {key: kind for key, kind in schema.GEOM.items() if key not in (*schema.POSE, "fromto")}
CHILDREN: dict[str, dict[str, schema.Kind]] = {
    "joint": {"kind": schema.word("main", "twist", "stretch")} | OWN_JOINT | FIX,
    "tendon": {"kind": schema.word("main", "shear")} | schema.TENDON | FIX,
    "geom": OWN_GEOM | {"type": schema.word("sphere", "capsule", "ellipsoid")},
    "site": {"size": schema.real(3, 1), "group": schema.INT, "material": schema.TEXT, "rgba": schema.real(4)},
    "pin": {"coord": schema.Kind("ints", 1, 2)},
    "skin": dict.fromkeys(("texcoord", "material", "group", "rgba", "inflate", "subgrid"), schema.SKIP),
}
HARD, SOFT = {"solref": "0.01", "solimp": "0.99 0.99"}, {"solref": "0.02", "solimp": "0.9 0.9"}
"""How equalities hold that the file says nothing about: lengths between neighbours; shear, twist and stretch."""


@dataclass
class _Maker:
    """One composite: its numbers, the attributes of its parts, and what it adds outside the tree."""

    node: Node
    parent: Node
    count: tuple[int, int, int]
    spacing: float
    prefix: str
    values: dict[str, Any]
    parts: dict[str, dict[str, str]]
    """"geom", "site", "joint main", "tendon shear", ... -> attributes."""
    geom_values: Values
    """Those of the geom, read."""
    pins: list[tuple[int, ...]]
    sections: dict[str, list[Node]] = field(default_factory=lambda: {"tendon": [], "equality": [], "contact": []})

    def make(self, tag: str, children: tuple[Node, ...] = (), /, **attributes: str) -> Node:
        """An element that stands where the composite does."""
        return Node(tag, attributes, self.node.where, list(children))

    def name(self, letter: str, *place: int) -> str:
        """Name of a part by its coordinates."""
        return f"{self.prefix}{letter}{'_'.join(str(k) for k in place)}"

    def geom(self, **attributes: str) -> Node:
        """The geom of an element body."""
        return Node("geom", self.parts.get("geom", {}) | attributes, self.node.where)

    def joint(self, kind: str, **attributes: str) -> Node:
        """A joint of a kind."""
        mine = {key: value for key, value in self.parts.get(f"joint {kind}", {}).items() if key not in (*FIX, "kind")}
        return Node("joint", mine | attributes, self.node.where)

    def held(self, tag: str, kind: str, default: dict[str, str], **names: str) -> None:
        """An equality with the softness of a part."""
        part = self.parts.get(kind, {})
        given = {key.removesuffix("fix"): part[key] for key in FIX if key in part}
        self.sections["equality"].append(self.make(tag, **(default | given | names)))

    def string(self, kind: str, name: str, *sites: str, default: dict[str, str]) -> None:
        """A tendon between sites whose length an equality holds."""
        mine = {key: value for key, value in self.parts.get(f"tendon {kind}", {}).items() if key not in (*FIX, "kind")}
        path = [self.make("site", site=site) for site in sites]
        self.sections["tendon"].append(Node("spatial", mine | {"name": name}, self.node.where, path))
        self.held("tendon", f"tendon {kind}", default, tendon1=name)


def expand_composites(sections: dict[str, list[Node]], problems: Problems) -> None:
    """Replace every composite of the tree by what it stands for; tendons, equalities and exclusions become sections."""
    stack, tally = list(sections["worldbody"]), Tally(limit=MAX_BODIES)
    while stack:
        node = stack.pop()
        if any(child.tag == "composite" for child in node.children):
            node.children = list(_replaced(node, sections, tally, problems))
        stack.extend(child for child in node.children if child.tag in ("body", "frame", "replicate"))


def _replaced(parent: Node, sections: dict[str, list[Node]], tally: Tally, problems: Problems) -> Iterator[Node]:
    for child in parent.children:
        if child.tag != "composite":
            yield child
            continue
        maker = _maker(child, parent, tally, problems)
        if maker is None:
            continue
        yield from MAKERS[maker.values["type"]](maker)
        for tag, made in maker.sections.items():
            if made:
                sections[tag].append(Node(tag, {}, child.where, made))


def _maker(node: Node, parent: Node, tally: Tally, problems: Problems) -> _Maker | None:
    """What the element says, or None after a problem."""
    before = len(problems.records) + len(problems.left_out)
    values = read_attributes(node, COMPOSITE, problems)
    kind, prefix = values.get("type", ""), values.get("prefix", "")

    def wrong(message: str, attribute: str = "") -> None:
        problems.add(node.where, message, name=prefix, attribute=attribute)

    if kind == "cable":
        problems.refuse(node.where, "'cable' is not simulated", name=prefix, attribute="type")
        return None
    if "type" not in node.attributes:
        wrong(f"is required: one of {list(TYPES)}", "type")
    count = (*values.get("count", (1,)), 1, 1)[:3]
    if min(count) < 1 or any(a == 1 and b > 1 for a, b in itertools.pairwise(count)):
        wrong(f"{count} was read; positive numbers are accepted, ones last", "count")
    elif not tally.room(math.prod(count)):
        wrong(f"the composites of the file make {tally.count} bodies, more than {MAX_BODIES}", "count")
    spacing = values.get("spacing", 0.0)
    if not spacing > 0.0:
        wrong("a positive spacing is needed", "spacing")
    parts, geom_values, pins = _parts(node, problems)
    dimensions = sum(n > 1 for n in count)
    wanted = {"grid": (1, 2), "rope": (1,), "loop": (1,), "cloth": (2,)}.get(kind, (3,) if kind in SHELLS else (0, 1, 2, 3))
    if kind and dimensions not in wanted:
        wrong(f"a {kind} has {' or '.join(map(str, wanted))} dimensions, count gives {dimensions}", "count")
    if kind in ("rope", "loop", "cloth") and parent.tag != "body":
        wrong(f"a {kind} stands in a body, which is one of its own")
    if kind in ("rope", "loop", "cloth") and parent.tag == "body" and _root(parent, prefix, count, kind) is None:
        shown = f"{prefix}B" + ("X_Y" if kind == "cloth" else "X")
        wrong(f"the body around it is named '{parent.attributes.get('name', '')}', not {shown} with a place in the {kind}")
    if pins and kind != "grid":
        wrong("only a grid is pinned", "pin")
    if len(problems.records) + len(problems.left_out) > before:
        return None
    return _Maker(node, parent, count, spacing, prefix, values, parts, geom_values, pins)


def _parts(node: Node, problems: Problems) -> tuple[dict[str, dict[str, str]], Values, list[tuple[int, ...]]]:
    """Attributes of the parts, checked once, those of the geom as values, and the pins."""
    parts: dict[str, dict[str, str]] = {}
    geom_values: Values = {}
    pins = []
    for child in node.children:
        if child.tag not in CHILDREN:
            if child.tag == "plugin":
                problems.refuse(child.where, "is not simulated")
            else:
                problems.add(child.where, f"is not an element of composite; accepted: {list(CHILDREN)}")
            continue
        values = read_attributes(child, CHILDREN[child.tag], problems)
        if child.tag == "pin":
            pins.append((*values.get("coord", ()), 0, 0)[:2])
        elif child.tag == "skin":
            problems.note(child.where, "skins are not drawn")
        else:
            kind = f" {values.get('kind', 'main')}" if "kind" in CHILDREN[child.tag] else ""
            parts[child.tag + kind] = dict(child.attributes)
            geom_values = values if child.tag == "geom" else geom_values
    return parts, geom_values, pins


def _root(parent: Node, prefix: str, count: tuple[int, ...], kind: str) -> tuple[int, ...] | None:
    """Coordinates of the parent in a rope, loop or cloth, from its name."""
    name = parent.attributes.get("name", "")
    pieces = name.removeprefix(f"{prefix}B").split("_") if name.startswith(f"{prefix}B") else []
    if len(pieces) != (2 if kind == "cloth" else 1) or not all(piece.isascii() and piece.isdigit() for piece in pieces):
        return None
    place = tuple(int(piece[:9]) for piece in pieces)
    return place if all(k < n for k, n in zip(place, count, strict=False)) else None


def _text(*numbers: float) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def _particle(m: _Maker) -> Iterator[Node]:
    for place in itertools.product(*(range(n) for n in m.count)):
        pos = [o + m.spacing * (k - 0.5 * n) for o, k, n in zip(m.values.get("offset", (0.0,) * 3), place, m.count, strict=True)]
        geom = Node("geom", {"condim": "1", "priority": "1"} | m.parts.get("geom", {}) | {"type": "sphere"}, m.node.where)
        yield m.make("body", (*_sliders(m, ""), geom), pos=_text(*pos))


def _sliders(m: _Maker, name: str, *place: int) -> list[Node]:
    named = [{"name": m.name(f"{name}{i}_", *place)} if name else {} for i in range(3)]
    return [m.joint("main", type="slide", pos="0 0 0", axis=_text(*np.eye(3)[i]), **named[i]) for i in range(3)]


def _grid(m: _Maker) -> Iterator[Node]:
    across, down = m.count[:2]
    offset = m.values.get("offset", (0.0,) * 3)
    for ix, iy in itertools.product(range(across), range(down)):
        pos = (offset[0] + m.spacing * (ix - 0.5 * across), offset[1] + m.spacing * (iy - 0.5 * down), offset[2])
        joints = [] if (ix, iy) in m.pins else _sliders(m, "J", ix, iy)
        site = Node("site", m.parts.get("site", {}) | {"name": m.name("S", ix, iy)}, m.node.where)
        body = (*joints, m.geom(type="sphere", name=m.name("G", ix, iy)), site)
        yield m.make("body", body, name=m.name("B", ix, iy), pos=_text(*pos))
    for i, (dx, dy) in enumerate(((1, 0), (0, 1))):
        for ix, iy in itertools.product(range(across - dx), range(down - dy)):
            m.string("main", m.name(f"T{i}_", ix, iy), m.name("S", ix, iy), m.name("S", ix + dx, iy + dy), default=HARD)
    _shear(m)


def _shear(m: _Maker) -> None:
    if "tendon shear" in m.parts:
        for ix, iy in itertools.product(range(m.count[0] - 1), range(m.count[1] - 1)):
            m.string("shear", m.name("TS", ix, iy), m.name("S", ix, iy), m.name("S", ix + 1, iy + 1), default=SOFT)


def _rope(m: _Maker) -> Iterator[Node]:
    root, loop = (_root(m.parent, m.prefix, m.count, "rope") or (0,))[0], m.values["type"] == "loop"
    yield m.geom(name=m.name("G", root), pos="0 0 0", quat="1 0 1 0")
    for side in (1, -1):
        inner: list[Node] = []
        last = m.count[0] - 1 if side > 0 else 0
        for ix in range(last, root, -side):  # from the end of the chain to the parent
            joints = _chain_joints(m, ix, side)
            geom = m.geom(name=m.name("G", ix), pos="0 0 0", quat="1 0 1 0")
            at = _loop_pose(m, side) if loop else {"pos": _text(side * m.spacing, 0.0, 0.0)}
            inner = [m.make("body", (*joints, geom, *inner), name=m.name("B", ix), **at)]
        yield from inner
    if loop:
        ends = {"body1": m.name("B", 0), "body2": m.name("B", m.count[0] - 1)}
        smooth = {key.removesuffix("smooth"): _text(*m.values[key]) for key in ("solrefsmooth", "solimpsmooth") if key in m.values}
        m.sections["equality"].append(m.make("connect", anchor=_text(-0.5 * m.spacing, 0.0, 0.0), **ends, **smooth))
        m.sections["contact"].append(m.make("exclude", **ends))


def _loop_pose(m: _Maker, side: int) -> dict[str, str]:
    """Pose of the next body of a regular polygon whose sides are one spacing long."""
    turn = 2.0 * math.pi / m.count[0]
    reach = 0.5 * m.spacing * math.sin(math.pi - turn) / math.sin(0.5 * turn)
    half = 0.5 * turn
    return {
        "pos": _text(side * reach * math.cos(half), reach * math.sin(half), 0.0),
        "quat": _text(math.cos(half), 0.0, 0.0, side * math.sin(half)),
    }


def _chain_joints(m: _Maker, ix: int, side: int) -> list[Node]:
    pos = _text(-0.5 * side * m.spacing, 0.0, 0.0)
    joints = [m.joint("main", type="hinge", name=m.name(f"J{i}_", ix), pos=pos, axis=_text(*np.eye(3)[i + 1])) for i in range(2)]
    return joints + _held_joints(m, "1 0 0", pos, ix)


def _held_joints(m: _Maker, axis: str, pos: str, *place: int) -> list[Node]:
    """A joint that twists and one that stretches, each held by an equality, where the file asks for them."""
    out = []
    for kind, letters, joint in (("twist", "JT", "hinge"), ("stretch", "JS", "slide")):
        if f"joint {kind}" in m.parts:
            out.append(m.joint(kind, type=joint, name=m.name(letters, *place), pos=pos, axis=axis))
            m.held("joint", f"joint {kind}", SOFT, joint1=m.name(letters, *place))
    return out


def _cloth(m: _Maker) -> Iterator[Node]:
    ox, oy = _root(m.parent, m.prefix, m.count, "cloth") or (0, 0)
    yield from _cloth_parts(m, ox, oy)
    yield from _columns(m, ox, oy)
    for side in (1, -1):
        inner: list[Node] = []
        for ix in range(m.count[0] - 1 if side > 0 else 0, ox, -side):
            parts = (*_cloth_joints(m, side, 0, ix, oy), *_cloth_parts(m, ix, oy), *inner, *_columns(m, ix, oy))
            inner = [m.make("body", parts, name=m.name("B", ix, oy), pos=_text(side * m.spacing, 0.0, 0.0))]
        yield from inner
    for iy, ix in itertools.product(range(m.count[1]), range(m.count[0] - 1)):
        if iy != oy:
            m.string("main", m.name("T", ix, iy), m.name("S", ix, iy), m.name("S", ix + 1, iy), default=HARD)
    _shear(m)


def _columns(m: _Maker, ix: int, oy: int) -> Iterator[Node]:
    """Both halves of a column of a cloth, from its row on."""
    for side in (1, -1):
        inner: list[Node] = []
        for iy in range(m.count[1] - 1 if side > 0 else 0, oy, -side):
            parts = (*_cloth_joints(m, 0, side, ix, iy), *_cloth_parts(m, ix, iy), *inner)
            inner = [m.make("body", parts, name=m.name("B", ix, iy), pos=_text(0.0, side * m.spacing, 0.0))]
        yield from inner


def _cloth_joints(m: _Maker, dx: int, dy: int, ix: int, iy: int) -> list[Node]:
    """A universal joint at the neighbour."""
    pos, along = _text(-dx * m.spacing, -dy * m.spacing, 0.0), ("1 0 0" if dx else "0 1 0")
    axes = ("0 1 0", "0 0 1") if dx else ("1 0 0", "0 0 1")
    joints = [m.joint("main", type="hinge", name=m.name(f"J{i}_", ix, iy), pos=pos, axis=axis) for i, axis in enumerate(axes)]
    return joints + _held_joints(m, along, pos, ix, iy)


def _cloth_parts(m: _Maker, ix: int, iy: int) -> list[Node]:
    """Geom, alternately along x and y, site, and a flat inertia."""
    quat = "1 1 0 0" if (ix + iy) % 2 else "1 1 1 1"
    out = [m.geom(name=m.name("G", ix, iy), pos="0 0 0", quat=quat)]
    out.append(Node("site", m.parts.get("site", {}) | {"name": m.name("S", ix, iy)}, m.node.where))
    flat = m.values.get("flatinertia", 0.0)
    if flat > 0.0:
        mass = _mass(m.geom_values)
        x, z = 0.5 * m.spacing, 0.5 * m.spacing * flat
        moments = (mass * (x * x + z * z) / 3.0, mass * (x * x + z * z) / 3.0, mass * 2.0 * x * x / 3.0)
        out.append(m.make("inertial", mass=_text(mass), pos="0 0 0", diaginertia=_text(*moments)))
    return out


def _mass(geom: Values) -> float:
    """Of an element's geom: given, or density times volume."""
    if "mass" in geom:
        return float(geom["mass"])
    size = geom.get("size", (0.0,))
    kind, third = geom.get("type", "sphere"), 4.0 / 3.0 * math.pi
    volume = third * size[0] ** 3
    if kind == "capsule" and len(size) > 1:
        volume += 2.0 * math.pi * size[0] ** 2 * size[1]
    if kind == "ellipsoid" and len(size) > 2:
        volume = third * size[0] * size[1] * size[2]
    return float(geom.get("density", 1000.0)) * volume


def _shell(m: _Maker) -> Iterator[Node]:
    geom = m.parts.get("geom", {})
    radius, *rest = m.geom_values.get("size", (0.0,))
    own = {"contype": "0"} | geom
    yield Node("geom", own | {"type": "sphere", "name": f"{m.prefix}Gcenter", "size": _text(2.0 * radius)}, m.node.where)
    capsule = geom.get("type") == "capsule"
    inwards = radius + (rest[0] if capsule and rest else 0.0)
    shape = {"type": "capsule" if capsule else "sphere", "pos": _text(0.0, 0.0, -inwards)}
    smooth = {key.removesuffix("smooth"): _text(*m.values[key]) for key in ("solrefsmooth", "solimpsmooth") if key in m.values}
    shell = [place for place in itertools.product(*(range(n) for n in m.count)) if _outside(m, place)]
    for place in shell:
        pos, joint = _projected(m, place), m.name("J", *place)
        outwards = pos / max(float(np.linalg.norm(pos)), 1e-15)
        parts = (
            m.joint("main", type="slide", name=joint, pos="0 0 0", axis="0 0 1"),
            Node("geom", own | shape | {"name": m.name("G", *place)}, m.node.where),
        )
        yield m.make("body", parts, name=m.name("B", *place), pos=_text(*pos), zaxis=_text(*outwards))
        m.held("joint", "joint main", SOFT, joint1=joint)
        for i in range(3):
            near = tuple(k + (i == j) for j, k in enumerate(place))
            if near[i] < m.count[i] and _outside(m, near):
                m.sections["equality"].append(m.make("joint", joint1=joint, joint2=m.name("J", *near), **smooth))
    terms = tuple(m.make("joint", joint=m.name("J", *place), coef="1") for place in shell)
    m.sections["tendon"].append(m.make("fixed", terms, name=f"{m.prefix}T"))
    m.held("tendon", "tendon main", SOFT, tendon1=f"{m.prefix}T")


def _outside(m: _Maker, place: tuple[int, ...]) -> bool:
    return any(k in (0, n - 1) for k, n in zip(place, m.count, strict=True))


def _projected(m: _Maker, place: tuple[int, ...]) -> np.ndarray:
    """Where an element of a shell stands in the parent: of a box, or projected on a cylinder or ellipsoid in it."""
    pos = np.array([2.0 * k / (n - 1) - 1.0 for k, n in zip(place, m.count, strict=True)])
    size = 0.5 * m.spacing * (np.array(m.count) - 1)
    if m.values["type"] == "cylinder":
        reach = max(abs(pos[0]), abs(pos[1]))
        pos[:2] *= reach / max(math.hypot(pos[0], pos[1]), 1e-15)
    elif m.values["type"] == "ellipsoid":
        pos /= np.linalg.norm(pos)
    return pos * size


MAKERS = {"particle": _particle, "grid": _grid, "rope": _rope, "loop": _rope, "cloth": _cloth} | dict.fromkeys(SHELLS, _shell)
