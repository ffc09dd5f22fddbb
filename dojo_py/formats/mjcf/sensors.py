"""The section `sensor` -> `spec.Sensor`. A sensor that is not simulated changes no motion: it is named, and left out."""

from __future__ import annotations

from typing import Any

from ...mechanism.errors import Problems, nearest
from ...mechanism.sensor_kinds import (
    CONTACT_ENDS,
    CONTACT_FIELDS,
    FRAMES,
    INTERPOLATIONS,
    REDUCTIONS,
    SENSOR_KINDS,
    SHAPES,
)
from ...mechanism.spec import Mechanism, Sensor
from ..xml_tree import Node
from . import schema
from .values import read_attributes

COMMON = {"name": schema.TEXT, "cutoff": schema.real(1), "noise": schema.real(1), "user": schema.MANY}
LATE = {"delay": schema.real(1), "interval": schema.real(2, 1), "nsample": schema.INT, "interp": schema.word(*INTERPOLATIONS)}
"""Attributes of readings that come late or seldom."""
CONTACT = {"num": schema.INT, "data": schema.TEXT, "reduce": schema.word(*REDUCTIONS), "site": schema.TEXT}
CONTACT |= {word + side: schema.TEXT for word in CONTACT_ENDS[1] for side in "12"}
FRAME = {"objtype": schema.TEXT, "objname": schema.TEXT}


def read_sensors(sections: list[Node], mechanism: Mechanism, problems: Problems) -> None:
    """Fills in the sensors of a mechanism whose other elements are read."""
    there = _names(mechanism)
    for section in sections:
        for node in section.children:
            if node.tag not in schema.SENSORS:
                problems.add(node.where, f"is not a sensor{nearest(node.tag, schema.SENSORS)}")
            elif node.tag not in SENSOR_KINDS:
                _leave_out(node, problems, "is not simulated")
            else:
                _read(node, mechanism, there, problems)


def _measured(node: Node, sensor: Sensor, values: dict[str, Any], problems: Problems) -> None:
    """The two that a distance is measured between."""
    for side, prefix in (("1", "obj"), ("2", "ref")):
        given = [word for word in SHAPES if word + side in values]
        if len(given) != 1:
            problems.add(node.where, f"exactly one of geom{side} and body{side} must be given", name=sensor.name)
            continue
        setattr(sensor, f"{prefix}type", given[0])
        setattr(sensor, f"{prefix}name", values[given[0] + side])


def _contact(node: Node, sensor: Sensor, values: dict[str, Any], problems: Problems) -> None:
    """Ends of a contact sensor, either or both, and what it tells of the contacts between them."""
    for side, prefix in ((1, "obj"), (2, "ref")):
        accepted = {word if word == "site" else f"{word}{side}": kind for word, kind in CONTACT_ENDS[side - 1].items()}
        given = [word for word in accepted if word in values]
        if len(given) > 1:
            problems.add(node.where, f"only one of {', '.join(accepted)} may be given", name=sensor.name)
        elif given:
            setattr(sensor, f"{prefix}type", accepted[given[0]])
            setattr(sensor, f"{prefix}name", values[given[0]])
    sensor.num, sensor.reduce = values.get("num", 1), values.get("reduce", "none")
    sensor.data = " ".join(values.get("data", "").split()) or next(iter(CONTACT_FIELDS))


def _leave_out(node: Node, problems: Problems, why: str) -> None:
    name = node.attributes.get("name") or node.attributes.get("plugin", "")
    problems.note(node.where, f"sensor: {why}: it gives no output", name=name)


def _names(mechanism: Mechanism) -> dict[str, set[str]]:
    """Type of object -> names."""
    bodies = [body for body, _ in mechanism.world.walk()]
    parts: dict[str, Any] = {"body": [*bodies, Sensor(name="world")], "tendon": mechanism.tendons, "actuator": mechanism.actuators}
    for kind, name in (("joint", "joints"), ("geom", "geoms"), ("site", "sites")):
        parts[kind] = [part for body in bodies for part in getattr(body, name)]
    out = {kind: {element.name for element in elements} for kind, elements in parts.items()}
    return out | {"xbody": out["body"]}


def _read(node: Node, mechanism: Mechanism, there: dict[str, set[str]], problems: Problems) -> None:
    """One sensor into the mechanism, unless it is about what is not simulated or not there."""
    values = read_attributes(node, _attributes(node.tag), problems)
    beyond = _not_simulated(node.tag, values)
    if beyond:
        _leave_out(node, problems, f"{beyond} is not simulated")
        return
    sensor = Sensor(node.tag, values.get("name", ""), where=node.where)
    for key in LATE:
        setattr(sensor, key, values.get(key, getattr(sensor, key)))
    sensor.cutoff, sensor.noise, sensor.user = values.get("cutoff", 0.0), values.get("noise", 0.0), values.get("user", ())
    _objects(node, sensor, values, problems)
    if "camera" in (sensor.objtype, sensor.reftype):
        _leave_out(node, problems, "cameras are not simulated")
        return
    gone = [
        (objtype, name)
        for objtype, name in ((sensor.objtype, sensor.objname), (sensor.reftype, sensor.refname))
        if name and objtype in there and name not in there[objtype]
    ]
    if gone and (problems.left_out or problems.notices or problems.records):
        _leave_out(node, problems, f"{gone[0][0]} '{gone[0][1]}' is not there")
        return
    mechanism.sensors.append(sensor)


def _attributes(tag: str) -> dict[str, Any]:
    """The attributes that a kind of sensor may have."""
    objects, table = SENSOR_KINDS[tag].objects, COMMON | LATE
    if objects == FRAMES:
        words = ("site", "enclosed") if tag == "insidesite" else ("reftype", "refname")
        return table | FRAME | dict.fromkeys(words, schema.TEXT)
    if tag == "contact":
        return table | CONTACT
    if objects == SHAPES:
        return table | {word + side: schema.TEXT for word in SHAPES for side in "12"}
    table |= {word: schema.TEXT for word in objects}
    return table | {"camera": schema.TEXT, "data": schema.TEXT} if tag == "rangefinder" else table


def _not_simulated(tag: str, values: dict[str, Any]) -> str:
    """The attribute that asks for what is not simulated, if there is one."""
    if "enclosed" in values:
        return "enclosed"
    if "camera" in values:
        return "camera"
    return "data" if tag == "rangefinder" and values.get("data", "dist") != "dist" else ""


def _objects(node: Node, sensor: Sensor, values: dict[str, Any], problems: Problems) -> None:
    """What the sensor is about, and what it is seen from."""
    objects = SENSOR_KINDS[node.tag].objects
    if objects == FRAMES:
        sensor.objtype, sensor.objname = values.get("objtype", ""), values.get("objname", "")
        sensor.reftype, sensor.refname = values.get("reftype", ""), values.get("refname", "")
        if node.tag == "insidesite":
            sensor.reftype, sensor.refname = "site", values.get("site", "")
    elif node.tag == "contact":
        _contact(node, sensor, values, problems)
    elif objects == SHAPES:
        _measured(node, sensor, values, problems)
    elif objects:
        sensor.objtype, sensor.objname = objects[0], values.get(objects[0], "")
