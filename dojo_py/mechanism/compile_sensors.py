"""Sensors: arrays `sensor_*`, in the order of the file."""

from __future__ import annotations

import numpy as np

from .actuator_sizes import outputs
from .checks import Check, unique_names
from .errors import Problems
from .layout import Layout
from .samples import LARGEST, MOST, past_of, places_in_history
from .sensor_kinds import (
    ACCELERATION,
    AXIS,
    CONTACT_ENDS,
    CONTACT_FIELDS,
    OBJECTS,
    POSITION,
    QUATERNION,
    REDUCTIONS,
    SENSOR_KINDS,
    SHAPES,
    VELOCITY,
    SensorKind,
)
from .spec import Mechanism, Sensor

Array = np.ndarray
Names = dict[str, dict[str, int]]


def sensor_arrays(mechanism: Mechanism, layout: Layout, compiled: dict[str, Array], problems: Problems) -> dict[str, Array]:
    """All arrays of the sensors; their samples stand behind those of the actuators, which are compiled already."""
    late = compiled["actuator_history"][:, 0]
    first = int(np.sum(np.where(late > 0, 2 + late * (1 + compiled["actuator_ctrlnum"]), 0)))
    ids: Names = {"body": layout.body_ids, "xbody": layout.body_ids, "joint": layout.joint_ids}
    ids |= {"geom": layout.geom_ids, "site": layout.site_ids}
    for kind, elements in (("tendon", mechanism.tendons), ("actuator", mechanism.actuators)):
        ids[kind] = {element.name: i for i, element in enumerate(elements) if element.name}  # type: ignore[attr-defined]
    unique_names(problems, "sensor", mechanism.sensors)
    rows = [_row(Check(problems, sensor), sensor, layout, ids) for sensor in mechanism.sensors]
    forces = {actuator.name: outputs(actuator) for actuator in mechanism.actuators}
    for sensor, row in zip(mechanism.sensors, rows, strict=True):
        if sensor.type.startswith("actuator"):
            row[_COLUMNS.index("dim")] = forces.get(sensor.objname, 1)
        for kind, limited in (("joint", compiled["jnt_limited"]), ("tendon", compiled["tendon_limited"])):
            index = ids[kind].get(sensor.objname, -1)
            if sensor.type.startswith(f"{kind}limit") and index >= 0 and not limited[index]:
                Check(problems, sensor).fail(kind, f"{kind} '{sensor.objname}' has no limits")
    table = np.array(rows, dtype=float).reshape(len(rows), len(_COLUMNS))
    out = {f"sensor_{name}": table[:, k] for k, name in enumerate(_COLUMNS)}
    dim = out["sensor_dim"].astype(int)
    n = len(rows)
    return (
        out
        | {
            "sensor_adr": np.cumsum(dim) - dim,
            "sensor_intprm": np.array([_integers(sensor) for sensor in mechanism.sensors], float).reshape(n, 3),
            "sensor_plugin": np.full(n, -1),
        }
        | _past(mechanism.sensors, dim, first, problems)
    )


def _past(sensors: list[Sensor], dim: Array, first: int, problems: Problems) -> dict[str, Array]:
    """Samples of the past: [how many, interpolation], where they stand in a state's history, delays, intervals."""
    history, delay, interval = np.zeros((len(sensors), 2)), np.zeros(len(sensors)), np.zeros((len(sensors), 2))
    for i, sensor in enumerate(sensors):
        check = Check(problems, sensor)
        *history[i], delay[i] = past_of(check, sensor)
        if history[i, 0] * (1 + dim[i]) > LARGEST:
            check.fail("nsample", f"{sensor.nsample} samples of {dim[i]} numbers are more than {LARGEST} numbers")
        given = period, phase = check.vector("interval", 2, least=0)
        if not (period >= 0.0 and np.isfinite(period)):
            check.fail("interval", f"{period:g} is no time between samples")
        elif not -max(period, 0.0) < phase <= 0.0 and phase != 0.0:
            check.fail("interval", f"the sample before the start, {phase:g} s, is not in (-{period:g}, 0]")
        interval[i] = given
    address = places_in_history(history, dim, first)
    return {"sensor_history": history, "sensor_historyadr": address, "sensor_delay": delay, "sensor_interval": interval}


def _integers(sensor: Sensor) -> tuple[int, int, int]:
    """Which fields are told, as bits, and further numbers of its type."""
    if sensor.type == "contact":
        bits = sum(1 << k for k, word in enumerate(CONTACT_FIELDS) if word in sensor.data.split())
        return bits, REDUCTIONS.index(sensor.reduce) if sensor.reduce in REDUCTIONS else 0, sensor.num
    return int(sensor.type == "rangefinder"), 0, 0


def _contact_row(check: Check, sensor: Sensor, ids: Names) -> list[float]:
    """The row of a contact sensor: its ends, either or both, and what its data and reduction make of size and stage."""
    words, order = sensor.data.split(), list(CONTACT_FIELDS)
    if not words or any(word not in order for word in words) or words != sorted(set(words), key=order.index):
        check.fail("data", f"'{sensor.data}' is not some of '{' '.join(order)}', in this order")
        words = ["found"]
    check.word("reduce", REDUCTIONS)
    if sensor.reduce == "netforce" and {"linvel", "angvel"} & set(words):
        check.fail("data", "linvel and angvel belong to single contacts, not to netforce")
    if not 1 <= sensor.num <= MOST:
        check.fail("num", f"{sensor.num} is not from 1 to {MOST}")
    ends = []
    for side, prefix in enumerate(("obj", "ref")):
        kind, name = getattr(sensor, f"{prefix}type"), getattr(sensor, f"{prefix}name")
        if not kind and not name:
            ends += [0, -1]
        elif kind in CONTACT_ENDS[side].values():
            ends += [OBJECTS[kind], check.reference(f"{prefix}name", ids[kind], kind)]
        else:
            check.fail(f"{prefix}type", f"'{kind}' is not one of {', '.join(CONTACT_ENDS[side].values())}")
            ends += [0, -1]
    stage = VELOCITY if {"linvel", "angvel"} & set(words) else POSITION
    if {"force", "torque"} & set(words) or sensor.reduce in ("maxforce", "netforce"):
        stage = ACCELERATION
    dim = sensor.num * sum(CONTACT_FIELDS[word] for word in words) if 1 <= sensor.num <= MOST else 0
    cutoff, noise = check.scalar("cutoff", low=0.0), check.scalar("noise", low=0.0)
    return [SENSOR_KINDS["contact"].number, 0, stage, *ends, dim, cutoff, noise]


_COLUMNS = "type datatype needstage objtype objid reftype refid dim cutoff noise".split()


def _row(check: Check, sensor: Sensor, layout: Layout, ids: Names) -> list[float]:
    words = tuple(SENSOR_KINDS)
    kind = SENSOR_KINDS[words[check.word("type", words)]]
    if sensor.type == "contact":
        return _contact_row(check, sensor, ids)
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
    return OBJECTS[sensor.objtype], index
