"""Sensors: arrays `sensor_*`, in the order of the file."""

from __future__ import annotations

import numpy as np

from .checks import Check, unique_names
from .errors import Problems
from .layout import Layout
from .sensor_kinds import AXIS, OBJECTS, QUATERNION, SENSOR_KINDS, SHAPES, SensorKind
from .spec import Mechanism, Sensor

Array = np.ndarray
Names = dict[str, dict[str, int]]


def sensor_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Array]:
    """All arrays of the sensors."""
    ids: Names = {"body": layout.body_ids, "xbody": layout.body_ids, "joint": layout.joint_ids}
    ids |= {"geom": layout.geom_ids, "site": layout.site_ids}
    for kind, elements in (("tendon", mechanism.tendons), ("actuator", mechanism.actuators)):
        ids[kind] = {element.name: i for i, element in enumerate(elements) if element.name}  # type: ignore[attr-defined]
    unique_names(problems, "sensor", mechanism.sensors)
    rows = [_row(Check(problems, sensor), sensor, layout, ids) for sensor in mechanism.sensors]
    table = np.array(rows, dtype=float).reshape(len(rows), len(_COLUMNS))
    out = {f"sensor_{name}": table[:, k] for k, name in enumerate(_COLUMNS)}
    dim = out["sensor_dim"].astype(int)
    n = len(rows)
    return out | {
        "sensor_adr": np.cumsum(dim) - dim,
        "sensor_intprm": np.array([[sensor.type == "rangefinder", 0, 0] for sensor in mechanism.sensors], float).reshape(n, 3),
        "sensor_plugin": np.full(n, -1),
        "sensor_history": np.zeros((n, 2)),
        "sensor_historyadr": np.full(n, -1),
        "sensor_delay": np.zeros(n),
        "sensor_interval": np.zeros((n, 2)),
    }


_COLUMNS = "type datatype needstage objtype objid reftype refid dim cutoff noise".split()


def _row(check: Check, sensor: Sensor, layout: Layout, ids: Names) -> list[float]:
    words = tuple(SENSOR_KINDS)
    kind = SENSOR_KINDS[words[check.word("type", words)]]
    objtype, objid = _object(check, sensor, kind, layout, ids)
    reftype, refid = 0, -1
    if sensor.reftype or sensor.refname:
        if not kind.reference:
            check.fail("refname", f"a sensor {sensor.type} has no reference")
        accepted = ("site",) if sensor.type == "insidesite" else kind.objects
        if check.word("reftype", accepted) >= 0 and sensor.reftype in accepted:
            reftype, refid = OBJECTS[sensor.reftype], check.reference("refname", ids[sensor.reftype], sensor.reftype)
    elif sensor.type == "insidesite":
        check.fail("site", "the site must be given")
    if kind.objects == SHAPES and (not sensor.refname or (sensor.objtype, sensor.objname) == (sensor.reftype, sensor.refname)):
        check.fail("", "two different geoms or bodies are measured: geom1 or body1 and geom2 or body2")
    if kind.objects == SHAPES:
        for word, index, attribute in ((sensor.objtype, objid, "objname"), (sensor.reftype, refid, "refname")):
            here = [g for g, body in enumerate(layout.geom_body) if index == (g if word == "geom" else body)]
            if any(layout.geoms[g].type == "hfield" for g in here):
                check.fail(attribute, "the distance of a height field is not measured; a rangefinder sees it")
    cutoff, noise = check.scalar("cutoff", low=0.0), check.scalar("noise", low=0.0)
    if cutoff > 0.0 and kind.data in (AXIS, QUATERNION) and kind.objects != SHAPES:
        check.fail("cutoff", f"directions and orientations are not cut, as the output of {sensor.type} is")
    return [kind.number, kind.data, kind.stage, objtype, objid, reftype, refid, kind.dim, cutoff, noise]


def _object(check: Check, sensor: Sensor, kind: SensorKind, layout: Layout, ids: Names) -> tuple[int, int]:
    """(mjtObj, index) of what the sensor looks at."""
    if not kind.objects:
        if sensor.objtype or sensor.objname:
            check.fail("objname", f"a sensor {sensor.type} has no object")
        return 0, -1
    check.word("objtype", kind.objects)
    if sensor.objtype not in kind.objects:
        return 0, -1
    index = check.reference("objname", ids[sensor.objtype], sensor.objtype)
    if kind.joints and index >= 0 and layout.joints[index].type not in kind.joints:
        check.fail("joint", f"joint '{sensor.objname}' is a {layout.joints[index].type}, accepted: {', '.join(kind.joints)}")
    if sensor.type.startswith("jointlimit") and index >= 0 and layout.joints[index].type == "free":
        check.fail("joint", f"joint '{sensor.objname}' is free and has no limits")
    return OBJECTS[sensor.objtype], index
