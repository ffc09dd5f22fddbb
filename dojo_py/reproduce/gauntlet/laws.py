"""Family "laws": derivatives of the hard step with the laws that other families do not draw, against Ridders' differences.

A case of `touching`, `hills` or `gradients`, to whose MJCF is added: torsional and rolling friction, pairs with five coefficients
of friction, a medium with wind, geoms on mocap bodies, and every kind of actuator on its joints: muscles, pid, dcmotor, servos of
orientations, activations of all kinds.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dojo_py import load_model
from dojo_py.reproduce.gauntlet import gradients, hills, touching
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.gradients_random import some
from dojo_py.reproduce.gauntlet.gradients_random import text as numbers
from dojo_py.reproduce.gauntlet.restatements import named

TITLE = "hard mode: derivatives with every law of contact and actuators, against Ridders' differences of the step"
PROPERTIES = {name: text for name, text in gradients.PROPERTIES.items() if name != "kink"}
ALLOWED = gradients.ALLOWED
FIXED: tuple[int, ...] = (*range(12), 137, 262, 265, 8800005)
EVERY_FROM = 4_000_000
"""Seeds of `gradients` whose trees have all that it draws."""
SHARE = 0.4
"""Chance of each addition."""


def generate(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([79, seed])
    base = rng.choice(["touching", "hills", "gradients"], p=[0.35, 0.15, 0.5])
    of_base = int(rng.integers(100_000))
    case = {"touching": touching, "hills": hills}[base].generate(of_base) if base != "gradients" else (
        gradients.generate(EVERY_FROM + of_base)
    )  # fmt: skip
    root, size, settings = named(case.xml), float(case.settings["size"]), dict(case.settings)
    added = [add.__name__.strip("_") for add in ADDITIONS if some(rng, SHARE) and add(root, rng, size, settings)]
    xml = ET.tostring(root, encoding="unicode")
    model = load_model(xml)
    if model.nu != case.controls.shape[1] or model.na != len(settings["act"]):
        controls = rng.uniform(0.1, 0.9, (len(case.controls), model.nu))
        controls[:, : case.controls.shape[1]] = case.controls
        settings["act"] = rng.uniform(0.05, 0.95, model.na)
        case = replace(case, controls=controls)
    settings |= {"scene": f"{base} {of_base}: {', '.join(added) or 'nothing'}", "seed": seed}
    return replace(case, xml=xml, settings=settings)


def _of_world(root: ET.Element, tag: str) -> list[ET.Element]:
    world = root.find("worldbody")
    assert world is not None
    return list(world.iter(tag))


def _spinning_and_rolling(root: ET.Element, rng: Any, size: float, settings: dict[str, Any]) -> bool:
    """Torsional, or torsional and rolling, friction of all geoms."""
    condim = int(rng.choice([4, 6]))
    more = size * 10 ** rng.uniform(-3, -0.5, 2)
    for geom in _of_world(root, "geom"):
        mu = geom.get("friction")
        if mu is not None and float(mu.split()[0]) > 0.0:
            geom.set("friction", numbers([float(mu.split()[0]), *more]))
            geom.set("condim", str(condim))
    settings["friction"] = "cone"
    return True


def _pairs(root: ET.Element, rng: Any, size: float, settings: dict[str, Any]) -> bool:
    """The first two geoms that collide as a pair, with a coefficient of friction for each direction."""
    geoms = [g for g in _of_world(root, "geom") if g.get("conaffinity") != "0" or g.get("contype") != "0"][:2]
    if len(geoms) < 2 or settings["friction"] == "none":
        return False
    five = [*rng.uniform(0.1, 1.5, 2), *(size * 10 ** rng.uniform(-3, -0.5, 3))]
    if "plane" in [g.get("type") for g in geoms]:
        five[1], five[4] = five[0], five[3]  # others are refused by name of shapes that roll
    contact = ET.SubElement(root, "contact")
    condim = str(rng.choice([3, 4, 6]))
    one, two = (g.get("name", "") for g in geoms)
    ET.SubElement(contact, "pair", geom1=one, geom2=two, condim=condim, friction=numbers(five))
    settings["friction"] = "cone"
    return True


def _medium(root: ET.Element, rng: Any, size: float, settings: dict[str, Any]) -> bool:
    """A medium with wind; ellipsoids of fluid about some geoms. Its density is up to that of the bodies."""
    option = root.find("option")
    assert option is not None
    heaviest = max(float(g.get("mass", "1")) for g in _of_world(root, "geom"))
    option.set("density", numbers(heaviest / size**3 * 10 ** rng.uniform(-3, 0)))
    option.set("viscosity", numbers(heaviest / (size * np.sqrt(size / 10.0)) * 10 ** rng.uniform(-4, -1)))
    option.set("wind", numbers(np.sqrt(10.0 * size) * rng.normal(size=3)))
    for geom in _of_world(root, "geom"):
        if geom.get("type") not in ("plane", "hfield") and some(rng, 0.4):
            geom.set("fluidshape", "ellipsoid")
    return True


def _mocap(root: ET.Element, rng: Any, size: float, settings: dict[str, Any]) -> bool:
    """Geoms of the world, but planes and fields, on a mocap body each."""
    world = root.find("worldbody")
    assert world is not None
    found = [g for g in world.findall("geom") if g.get("type") not in ("plane", "hfield")]
    for k, geom in enumerate(found):
        body = ET.SubElement(world, "body", name=f"held{k}", mocap="true")
        for name in {"pos", "quat"} & geom.attrib.keys():
            body.set(name, geom.attrib.pop(name))
        world.remove(geom)
        body.append(geom)
    return bool(found)


def _actuators(root: ET.Element, rng: Any, size: float, settings: dict[str, Any]) -> bool:
    """An actuator of another kind on some joints."""
    heaviest = max(float(g.get("mass", "1")) for g in _of_world(root, "geom"))
    section, count = root.find("actuator"), 0
    for joint in _of_world(root, "joint"):
        kind = joint.get("type", "hinge")
        if joint.get("actuatorfrcrange") or not some(rng, 0.6):
            continue
        force = 3.0 * heaviest * size * (1.0 if kind == "slide" else size)
        drawn = ET.fromstring(_actuator(rng, str(joint.get("name")), kind, force, size if kind == "slide" else 1.0))
        if section is None:
            section = ET.SubElement(root, "actuator")
        section.append(drawn)
        count += 1
    return count > 0


def _actuator(rng: Any, joint: str, kind: str, force: float, length: float) -> str:
    """MJCF of one actuator. force, length: sizes along the joint [N, m or N m, rad]."""
    k, on = force / length * 10 ** rng.uniform(-1, 1), f'joint="{joint}"'
    stateful = str(rng.choice(['dyntype="integrator"', 'dyntype="filter" dynprm=".05"', 'dyntype="filterexact" dynprm=".02"']))
    early = ' actearly="true"' if some(rng, 0.3) else ""
    if kind in ("ball", "free"):
        gear = f'gear="{numbers(rng.normal(size=3 if kind == "ball" else 6))}"'
        laws = [f"<general {on} {gear} {stateful}{early} gainprm={{k}}/>", f"<position {on} {gear} kp={{k}} kv={{d}}/>"]
        if kind == "ball":
            laws += [f'<general {on} gaintype="so3" biastype="so3" gainprm={{k}} biasprm="0 {-k!r} {-0.1 * k!r}"/>'] * 2
    else:
        bound = f'forcerange="{numbers([-force * rng.uniform(0.1, 2), force * rng.uniform(0.1, 2)])}"' if some(rng, 0.3) else ""
        reach = f'lengthrange="{numbers([-1.5 * length, 1.5 * length])}"'
        smooth = ' tausmooth=".3"' if some(rng, 0.5) else ""
        motor = f'motorconst="{numbers(np.sqrt(k) * np.array([0.5, 0.5]))}" resistance="2"'
        inputs = str(rng.choice(["pos", "pos vel", "pos vel ff"]))
        slew = numbers(float(rng.choice([0.2, 90.0])) * length)
        laws = [
            f'<muscle {on} {reach} force="{force!r}"{smooth}/>',
            f'<pid {on} kp={{k}} kv={{d}} ki="{0.5 * k!r}" imax="{length!r}" input="{inputs}" {bound}/>',
            f'<pid {on} kp={{k}} kv={{d}} ki="{0.5 * k!r}" imax="{length!r}" slewmax="{slew}" input="pos"/>',
            f"<dcmotor {on} {motor}/>",
            f'<dcmotor {on} {motor} inductance=".01 0"/>',
            f'<dcmotor {on} {motor} input="pos vel ff voltage" controller="3 2 .2 50 .1 12" inductance=".005 0" '
            'thermal="2 3 0 .004 25 20" lugre="1 .01 .05 .1 2"/>',
            f"<general {on} {stateful}{early} gainprm={{k}} {bound}/>",
            f'<intvelocity {on} kp={{k}} kv={{d}} actrange="{numbers([-length, length])}"/>',
            f'<position {on} kp={{k}} kv={{d}} timeconst=".04"/>',
        ]
    return str(rng.choice(laws)).format(k=f'"{k!r}"', d=f'"{0.1 * k!r}"')


ADDITIONS: tuple[Callable[[ET.Element, Any, float, dict[str, Any]], bool], ...] = (
    _spinning_and_rolling, _pairs, _medium, _mocap, _actuators,
)  # fmt: skip


def check(case: Case) -> dict[str, Outcome]:
    """As for gradients."""
    return gradients.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """As for gradients."""
    yield from gradients.shrink(case)


def describe(case: Case) -> str:
    """Python that checks the case again."""
    return as_python(case, "laws")
