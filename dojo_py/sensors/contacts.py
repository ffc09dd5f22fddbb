"""Contact sensors: of the contacts between two ends, some or all, what is asked for.

An end is a geom, a body or a body with all below it; none: anything. A contact that fits the other way round is turned about its
second tangent, so that the normal goes from the first end to the second and the force acts on the second. A site takes the
contacts inside of it as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dojo_py.mechanism.sensor_kinds import CONTACT_FIELDS, OBJECTS, REDUCTIONS
from dojo_py.sensors.inside import inside
from dojo_py.sensors.scene import SITE, Scene

Array = np.ndarray
TURN = np.array([-1.0, -1.0, 1.0])
"""Normal and tangents of a contact seen from its other geom."""
LEAST_FORCE = 1e-15
"""Sum of forces below which the centre of their points is the world's origin [N]."""


def contacts(scene: Scene, i: int) -> Array:
    """(T, num * size of a contact): a row of numbers for each contact, zeros where there are fewer."""
    m, c = scene.model, scene.rows.contacts
    bits, reduction, room = (int(x) for x in m.sensor_intprm[i])
    fields = [word for k, word in enumerate(CONTACT_FIELDS) if bits >> k & 1]
    rows, sign = _fitting(scene, i)
    out = np.zeros((len(scene.rows.time), room, sum(CONTACT_FIELDS[word] for word in fields)))
    by_step = np.split(np.arange(len(rows)), np.searchsorted(c.step[rows], np.arange(1, len(out))))
    for t, mine in enumerate(by_step):
        if len(mine) == 0:
            continue
        if REDUCTIONS[reduction] == "netforce":
            values = _together(scene, rows[mine], sign[mine])
            out[t, 0] = np.concatenate([np.atleast_1d(values[word]) for word in fields])
            continue
        chosen = mine[_order(scene, rows[mine], REDUCTIONS[reduction])][:room]
        values = _each(scene, t, rows[chosen], sign[chosen], len(mine), fields)
        out[t, : len(chosen)] = np.concatenate([values[word].reshape(len(chosen), -1) for word in fields], axis=1)
    return out


def _fitting(scene: Scene, i: int) -> tuple[Array, Array]:
    """Rows of the contacts between the ends of sensor i, by steps; 1 where the first end is the contact's first geom, else -1."""
    m, c = scene.model, scene.rows.contacts
    first, second = (int(m.sensor_objtype[i]), int(m.sensor_objid[i])), (int(m.sensor_reftype[i]), int(m.sensor_refid[i]))
    there = np.ones(len(c.step), bool)
    if first[0] == SITE and first[1] >= 0:
        site = first[1]
        apart = c.position - scene.position(SITE, site)[c.step]
        local = np.einsum("nij,ni->nj", scene.axes(SITE, site)[c.step], apart)
        there, first = inside(int(m.site_type[site]), np.asarray(m.site_size[site], float), local), (0, -1)
    as_is = _belongs(scene, first, c.geoms[:, 0]) & _belongs(scene, second, c.geoms[:, 1])
    turned = _belongs(scene, first, c.geoms[:, 1]) & _belongs(scene, second, c.geoms[:, 0])
    rows = np.flatnonzero(there & (as_is | turned))
    return rows, np.where(as_is[rows], 1.0, -1.0)


def _belongs(scene: Scene, end: tuple[int, int], geoms: Array) -> Array:
    """Whether geoms (n,) are part of an end, a (type of object, number)."""
    objtype, index = end
    if index < 0:
        return np.ones(len(geoms), bool)
    bodies = np.asarray(scene.model.geom_bodyid, int)[geoms]
    if objtype == OBJECTS["geom"]:
        return geoms == index
    return np.isin(bodies, scene.subtree(index)) if objtype == OBJECTS["xbody"] else bodies == index


def _order(scene: Scene, rows: Array, reduction: str) -> Array:
    """Which of the rows comes first, second, …"""
    c = scene.rows.contacts
    if reduction == "mindist":
        return np.argsort(c.dist[rows], kind="stable")
    if reduction == "maxforce":
        return np.argsort(-np.linalg.norm(c.force[rows, :3], axis=1), kind="stable")
    return np.arange(len(rows))


def _each(scene: Scene, t: int, rows: Array, sign: Array, found: int, fields: Iterable[str]) -> dict[str, Any]:
    """Numbers of the contacts of step t; force, torque and velocities in their frames."""
    c = scene.rows.contacts
    turn = np.where(sign[:, None] > 0.0, 1.0, TURN)
    across = -turn  # on the other geom, in the turned frame
    across[sign > 0.0] = 1.0
    frame = c.frame[rows] * turn[:, :, None]
    values = {
        "found": np.full(len(rows), float(found)), "force": c.force[rows, :3] * across, "torque": c.force[rows, 3:] * across,
        "dist": c.dist[rows], "pos": c.position[rows], "normal": frame[:, 0], "tangent": frame[:, 1],
    }  # fmt: skip
    if {"linvel", "angvel"} & set(fields):
        motion, bodies = scene.motion, np.asarray(scene.model.geom_bodyid, int)[c.geoms[rows]]
        spin = motion.w[t, bodies]
        speed = motion.v[t, bodies] + np.cross(spin, c.position[rows][:, None] - motion.x[t, bodies])
        values["linvel"] = np.einsum("nij,nj->ni", frame, sign[:, None] * (speed[:, 1] - speed[:, 0]))
        values["angvel"] = np.einsum("nij,nj->ni", frame, sign[:, None] * (spin[:, 1] - spin[:, 0]))
    return values


def _together(scene: Scene, rows: Array, sign: Array) -> dict[str, Any]:
    """All of them as one: their force and torque at the mean of their points, weighted by the forces; world axes."""
    c = scene.rows.contacts
    force, torque = (np.einsum("nij,ni->nj", c.frame[rows], part) for part in (c.force[rows, :3], c.force[rows, 3:]))
    weight = np.linalg.norm(force, axis=1)
    point = weight @ c.position[rows] / max(float(weight.sum()), LEAST_FORCE)
    about = torque + np.cross(c.position[rows] - point, force)
    return {
        "found": float(len(rows)), "force": sign @ force, "torque": sign @ about, "dist": 0.0, "pos": point,
        "normal": np.array([1.0, 0.0, 0.0]), "tangent": np.array([0.0, 1.0, 0.0]),
    }  # fmt: skip
