"""The same scene said differently: edits of MJCF, with what they do to coordinates and rates of the joints.

Every edit describes the same physics: the world turned, mirrored, in other units, in steady motion; bodies in another order, parts
of a body in bodies of their own, axes reversed, coordinates counted from elsewhere; pairs listed one by one; weight as outside
forces.
An edit is left out (`Skip`) where it would change something: a turned world that has forces along the world's axes, say.
"""

from __future__ import annotations

import os
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py import HardSimulator, save_mjcf
from dojo_py.mechanism.enums import JointType
from dojo_py.mechanism.quaternion import matrix, multiply
from dojo_py.reproduce.gauntlet.family import Case

Array = np.ndarray
Map = Callable[[int, str, Array], Array]
"""(kind of joint as in `jnt_type`, its name, numbers) -> numbers."""
FREE, BALL, SLIDE, HINGE = (int(kind) for kind in JointType)
FLIPPED = np.array([-1.0, 1.0, 1.0])
"""Mirror image of a vector; of an axis of rotation the opposite of that."""


class Skip(Exception):
    """The edit does not apply to this scene."""


def _same(kind: int, name: str, values: Array) -> Array:
    return values


@dataclass(frozen=True)
class Restated:
    """The edited scene."""

    root: ET.Element
    qpos: Map = _same
    """Coordinates of a joint in the edited scene, from those in the first."""
    rate: Map = _same
    """Rates likewise; linear, and the same map for small displacements."""
    qpos_after: Map | None = None
    """Coordinates after the step; None: as before it."""
    length: float = 1.0
    """Unit of length of the first scene in that of the edited one."""
    kappa: float = 1.0
    """Factor of κ."""
    weight: Array | None = None
    """(3,) acceleration that acts on all bodies as an outside force [m/s^2]."""
    own_timestep: bool = False
    """The file holds the time step."""
    bound: float = 1e-7
    """How far the motions may be apart, and their derivatives by ten times that."""


def numbers(text: str) -> Array:
    """The numbers in an attribute."""
    return np.array([float(x) for x in text.split()])


def text(values: Any) -> str:
    """Numbers as an attribute."""
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


def named(xml: str) -> ET.Element:
    """The scene with a name for every body, joint, geom and site."""
    root = ET.fromstring(xml)
    count = 0
    for e in _elements(root, "body", "joint", "freejoint", "geom", "site"):
        if e.get("name") is None:
            e.set("name", f"unnamed{count}")
            count += 1
    return root


def _elements(root: ET.Element, *tags: str) -> Iterator[ET.Element]:
    """Elements of the world with these tags."""
    world = root.find("worldbody")
    assert world is not None
    for e in world.iter():
        if e.tag in tags:
            yield e


def _option(root: ET.Element) -> ET.Element:
    found = root.find("option")
    return ET.SubElement(root, "option") if found is None else found


def _gravity(root: ET.Element) -> Array:
    return numbers(_option(root).get("gravity", "0 0 -9.81"))


def _is_free(joint: ET.Element) -> bool:
    return joint.tag == "freejoint" or joint.get("type") == "free"


def _needs(condition: bool) -> None:
    if not condition:
        raise Skip


def _drawn_place(rng: Any, size: float) -> tuple[Array, Array, Array]:
    """A position, a quaternion and its matrix."""
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    return size * rng.normal(size=3), q, matrix(q)


def _no_forces_along_world(root: ET.Element) -> None:
    """Skip scenes with forces along the axes of the world: of actuators, dry friction and nonlinear dampers of free joints."""
    free = [j for j in _elements(root, "joint", "freejoint") if _is_free(j)]
    _needs(not any(len(j.get("damping", "").split()) > 1 or j.get("frictionloss") for j in free))
    names = {j.get("name") for j in free}
    _needs(not any(names & {a.get("joint"), a.get("jointinparent")} for part in root.iter("actuator") for a in part))


def _no_numbers_of_joints(root: ET.Element) -> None:
    """Skip scenes whose actuators, tendons and equalities would have to change with a joint's coordinate."""
    _needs(not any(root.find(part) is not None for part in ("actuator", "tendon", "equality", "default")))


def turned(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """The whole world elsewhere, turned."""
    _needs(case.settings["friction"] != "pyramid")
    _no_forces_along_world(root)
    place, q, R = _drawn_place(rng, float(case.settings["size"]))
    world = root.find("worldbody")
    assert world is not None
    frame = ET.Element("frame", pos=text(place), quat=text(q))
    for child in list(world):
        world.remove(child)
        frame.append(child)
    world.append(frame)
    _option(root).set("gravity", text(R @ _gravity(root)))

    def qpos(kind: int, name: str, x: Array) -> Array:
        return np.concatenate([R @ x[:3] + place, multiply(q, x[3:])]) if kind == FREE else x

    def rate(kind: int, name: str, v: Array) -> Array:
        return np.concatenate([R @ v[:3], v[3:]]) if kind == FREE else v

    return Restated(root, qpos, rate)


def mirrored(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """The mirror image: x becomes -x. Positions are vectors, axes of rotation turn the other way round."""
    _needs(case.settings["friction"] != "pyramid" and root.find("default") is None and root.find("tendon") is None)
    _needs(root.find("equality") is None and root.find("asset/mesh") is None)
    hinged = {j.get("name") for j in _elements(root, "joint") if j.get("type", "hinge") in ("hinge", "slide")}
    _needs(all(a.get("joint") in hinged for part in root.iter("actuator") for a in part))
    _option(root).set("gravity", text(FLIPPED * _gravity(root)))
    for e in _elements(root, "body", "geom", "site", "joint"):
        _needs(not any(e.get(k) for k in ("euler", "axisangle", "zaxis", "xyaxes", "fromto")))
        if e.get("pos"):
            e.set("pos", text(FLIPPED * numbers(e.attrib["pos"])))
        if e.get("quat"):
            e.set("quat", text(_mirror_quaternion(numbers(e.attrib["quat"]))))
        if e.tag == "joint" and e.get("type", "hinge") in ("hinge", "slide"):
            sign = 1.0 if e.get("type") == "slide" else -1.0
            e.set("axis", text(sign * FLIPPED * numbers(e.get("axis", "0 0 1"))))

    def qpos(kind: int, name: str, x: Array) -> Array:
        if kind == FREE:
            return np.concatenate([FLIPPED * x[:3], _mirror_quaternion(x[3:])])
        return _mirror_quaternion(x) if kind == BALL else x

    def rate(kind: int, name: str, v: Array) -> Array:
        if kind == FREE:
            return np.concatenate([FLIPPED * v[:3], -FLIPPED * v[3:]])
        return -FLIPPED * v if kind == BALL else v

    return Restated(root, qpos, rate)


def _mirror_quaternion(q: Array) -> Array:
    return q * [1.0, 1.0, -1.0, -1.0]


def reordered(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Bodies and geoms in reverse order."""
    _needs(case.settings["friction"] != "pyramid")
    world = root.find("worldbody")
    assert world is not None
    for e in [world, *_elements(root, "body")]:
        moved = [child for child in e if child.tag in ("body", "geom")]
        for child in moved:
            e.remove(child)
        e.extend(moved[::-1])
    return Restated(root)


def in_parts(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """The geoms of every body in a body without joints, somewhere in it."""
    for compiler in root.iter("compiler"):  # (MuJoCo puts the mass that `boundmass` gives an empty body at twice its position)
        for bound, numbers_of in (("boundmass", model.body_mass), ("boundinertia", model.body_inertia)):
            least = float(compiler.attrib.pop(bound, "0"))
            _needs(bool(np.all(np.asarray(numbers_of)[1:] > 1.001 * least)))
    for e in list(_elements(root, "body")):
        place, q, R = _drawn_place(rng, float(case.settings["size"]))
        inner = ET.Element("body", name=f"{e.get('name')} part", pos=text(place), quat=text(q))
        if e.get("gravcomp"):
            inner.set("gravcomp", e.attrib["gravcomp"])
        frame = ET.SubElement(inner, "frame", pos=text(-R.T @ place), quat=text(q * [1, -1, -1, -1]))
        for geom in [child for child in e if child.tag == "geom"]:
            e.remove(geom)
            frame.append(geom)
        if len(frame):
            e.append(inner)
    return Restated(root)


def reversed_axes(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Every second hinge and slide about or along the opposite axis."""
    _no_numbers_of_joints(root)
    moved = {str(j.get("name")) for j in _scalar_joints(root)[::2]}
    _needs(bool(moved))
    for j in _scalar_joints(root):
        if j.get("name") in moved:
            j.set("axis", text(-numbers(j.get("axis", "0 0 1"))))
            for attribute in ("ref", "springref"):
                if j.get(attribute):
                    j.set(attribute, text(-numbers(j.attrib[attribute])))
            if j.get("range"):
                j.set("range", text(-numbers(j.attrib["range"])[::-1]))
            if j.get("actuatorfrcrange"):
                j.set("actuatorfrcrange", text(-numbers(j.attrib["actuatorfrcrange"])[::-1]))

    def flip(kind: int, name: str, x: Array) -> Array:
        return -x if name in moved else x

    return Restated(root, flip, flip)


def other_references(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Hinges and slides whose coordinates are counted from elsewhere."""
    _no_numbers_of_joints(root)
    shifts = {}
    for j in _scalar_joints(root):
        unit = float(case.settings["size"]) if j.get("type") == "slide" else 1.0
        shift = shifts[str(j.get("name"))] = unit * rng.uniform(-2.0, 2.0)
        for attribute in ("ref", "springref", "range"):
            if attribute != "range" or j.get("range"):
                j.set(attribute, text(numbers(j.get(attribute, "0")) + shift))
    _needs(bool(shifts))

    def qpos(kind: int, name: str, x: Array) -> Array:
        return x + shifts.get(name, 0.0)

    return Restated(root, qpos)


def _scalar_joints(root: ET.Element) -> list[ET.Element]:
    return [j for j in _elements(root, "joint") if j.get("type", "hinge") in ("hinge", "slide")]


def _laws(root: ET.Element, *names: str) -> list[tuple[ET.Element, dict[str, float]]]:
    """Hinges and slides with any of these attributes, each one number, which are taken from them. Nonlinear ones stay."""
    out = []
    for j in _scalar_joints(root):
        found = {name: numbers(j.attrib[name]) for name in names if j.get(name)}
        taken = {name: float(value[0]) for name, value in found.items() if len(value) == 1}
        if taken:
            for name in taken:
                del j.attrib[name]
            out.append((j, taken))
    return out


def springs_as_servos(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Springs and dampers of hinges and slides as actuators with an affine law, which no control drives."""
    _needs(root.find("default") is None and not any(j.get("actuatorfrcrange") for j in _scalar_joints(root)))
    _needs(not any(j.get("actuatorgravcomp") for j in _elements(root, "joint")))  # (which acts only beside an actuator)
    found = _laws(root, "stiffness", "damping")
    _needs(bool(found))
    actuators = root.find("actuator")
    actuators = ET.SubElement(root, "actuator") if actuators is None else actuators
    for j, law in found:
        stiffness, damping, rest = law.get("stiffness", 0.0), law.get("damping", 0.0), float(j.get("springref", "0"))
        bias = text([stiffness * rest, -stiffness, -damping])
        ET.SubElement(actuators, "general", joint=j.attrib["name"], gainprm="0", biastype="affine", biasprm=bias)
    return Restated(root)


def laws_on_tendons(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Springs, dampers, rotors and dry friction of hinges and slides on a tendon of that joint alone."""
    _needs(root.find("default") is None)
    found = _laws(root, "stiffness", "damping", "armature", "frictionloss")
    _needs(bool(found))
    tendons = root.find("tendon")
    tendons = ET.SubElement(root, "tendon") if tendons is None else tendons
    for j, law in found:
        tendon = ET.SubElement(tendons, "fixed", {name: repr(value) for name, value in law.items()})
        if "stiffness" in law:
            tendon.set("springlength", j.get("springref", "0"))
        ET.SubElement(tendon, "joint", joint=j.attrib["name"], coef="1")
    return Restated(root)


def steadily_moving(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Free bodies alone, all with a velocity more."""
    _needs(all(int(k) == FREE for k in model.jnt_type) and not any(int(b) == 0 for b in model.geom_bodyid))
    _needs(not any(j.get("damping") or j.get("frictionloss") for j in _elements(root, "joint", "freejoint")))
    _needs(not any(root.find(part) is not None for part in ("actuator", "tendon", "equality")))
    more = np.sqrt(10.0 * float(case.settings["size"])) * rng.normal(size=3)

    def rate(kind: int, name: str, v: Array) -> Array:
        return np.concatenate([v[:3] + more, v[3:]])

    def after(kind: int, name: str, x: Array) -> Array:
        return np.concatenate([x[:3] + case.timestep * more, x[3:]])

    return Restated(root, _same, rate, after)


def listed_pairs(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Pairs of geoms one by one, instead of by their flags."""
    world = HardSimulator(model, timestep=case.timestep).world
    names, pairs = model.geom_names, set()
    for table in (world.pairs.geom, world.planes.geom):
        pairs |= {(int(a), int(b)) for a, b in np.asarray(table).reshape(-1, 2)}
    _needs(bool(pairs))
    contact = root.find("contact")
    contact = ET.SubElement(root, "contact") if contact is None else contact
    for a, b in sorted(pairs):
        mu = np.maximum(model.geom_friction[a], model.geom_friction[b])
        size = str(max(int(model.geom_condim[a]), int(model.geom_condim[b])))
        friction = text([mu[0], mu[0], mu[1], mu[2], mu[2]])
        ET.SubElement(contact, "pair", geom1=names[a], geom2=names[b], friction=friction, condim=size)
    for e in _elements(root, "geom"):
        e.set("contype", "0")
        e.set("conaffinity", "0")
    return Restated(root)


def file_written(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """The file that `save_mjcf` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "written.xml")
        save_mjcf(model, path)
        return Restated(ET.parse(path).getroot(), bound=1e-9)


def own_timestep(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """The time step in the file, not as an argument."""
    _option(root).set("timestep", repr(case.timestep))
    return Restated(root, own_timestep=True, bound=0.0)


def weight_as_force(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Gravity off, the weight of every body as an outside force."""
    _needs(not any(b.get("gravcomp") for b in _elements(root, "body")))
    g = _gravity(root)
    _option(root).set("gravity", "0 0 0")
    return Restated(root, weight=g)


PLAIN = {
    "name", "quat", "type", "friction", "contype", "conaffinity", "condim", "mesh", "gravcomp", "priority", "group", "axis",
    "limited", "class", "actuatorgravcomp",
}  # fmt: skip
"""Attributes of bodies, geoms, joints, sites without a unit of length or mass."""


def other_units(root: ET.Element, case: Case, model: Any, rng: Any) -> Restated:
    """Other units of length and mass, the same unit of time."""
    _no_numbers_of_joints(root)
    L, M = 2.0 ** float(rng.integers(-4, 5)), 10.0 ** rng.uniform(-2, 2)  # (vertices of meshes are numbers of four bytes)
    _option(root).set("gravity", text(L * _gravity(root)))
    _needs(not any(j.get("range") and j.get("type", "hinge") != "slide" for j in _elements(root, "joint")))  # (recovery_speed)
    for e in root.iter("mesh"):
        _needs(set(e.attrib) <= {"name", "vertex", "face", "inertia"})
        e.set("vertex", text(L * numbers(e.attrib["vertex"])))
    for e in _elements(root, "body", "geom", "joint", "freejoint", "site"):
        if e.tag == "geom" and e.get("mass") is None:
            e.set("density", repr(float(e.get("density", "1000")) * M / L**3))
        slide = e.get("type") == "slide"
        turning = M if slide else M * L * L
        units = {"mass": M, "pos": L, "size": L, "fromto": L, "density": 1.0}
        if e.tag == "joint":
            _needs(not (_is_free(e) and (e.get("damping") or e.get("armature"))))
            units |= {
                "damping": turning,
                "stiffness": turning,
                "armature": turning,
                "frictionloss": turning * (L if slide else 1.0),
            }
            units |= dict.fromkeys(("range", "ref", "springref"), L if slide else 1.0)
        for attribute, value in list(e.attrib.items()):
            if attribute in units:
                values = numbers(value)
                _needs(len(values) == 1 or attribute not in ("damping", "stiffness") or not slide)
                e.set(attribute, text(units[attribute] * values))
            else:
                _needs(attribute in PLAIN)

    def scale(kind: int, name: str, x: Array) -> Array:
        return np.concatenate([L * x[:3], x[3:]]) if kind == FREE else (L * x if kind == SLIDE else x)

    return Restated(root, scale, scale, length=L, kappa=M * L * L, bound=1e-6)  # (standoffs of gaps are 1e-10 m)


EDITS: dict[str, Callable[[ET.Element, Case, Any, Any], Restated]] = {
    "turned": turned,
    "mirrored": mirrored,
    "moving": steadily_moving,
    "units": other_units,
    "order": reordered,
    "parts": in_parts,
    "axes": reversed_axes,
    "references": other_references,
    "springs": springs_as_servos,
    "tendons": laws_on_tendons,
    "pairs": listed_pairs,
    "weight": weight_as_force,
    "file": file_written,
    "timestep": own_timestep,
}
"""Name of the property -> edit (root of the named scene, case, its model, a generator)."""
