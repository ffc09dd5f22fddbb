"""`read_sensors`: the outputs of all sensors along T steps. One function a type, by MJCF's word.

Position and velocity sensors read the state at which a step starts; those of accelerations and forces what acts from there on: as
`sensordata` after `mj_step`. Source: XML reference, "sensor"; details from the mujoco wheel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import DisableBit, TrnType
from dojo_py.mechanism.sensor_kinds import BY_NUMBER, POSITIVE, REAL
from dojo_py.sensors.contacts import contacts
from dojo_py.sensors.distances import distance, from_to, normal
from dojo_py.sensors.inside import inside, ray_hits
from dojo_py.sensors.rays import nearest_surface
from dojo_py.sensors.rows import Rows
from dojo_py.sensors.scene import SITE, Scene

Array = np.ndarray
RATE = 1
"""Entry of the rate of its length in an actuator's row; MuJoCo has none where actuation is switched off."""
MASSLESS = 1e-15
"""Mass [kg] of bodies below which their centre of mass is that of the first one's frame."""


def read_sensors(model: Any, rows: Rows) -> Array:
    """(T, nsensordata)"""
    out = np.zeros((len(rows.time), int(model.nsensordata)))
    if int(model.opt.disableflags) & DisableBit.SENSOR:
        return out
    scene = Scene(model, rows)
    for i in range(int(model.nsensor)):
        first, count = int(model.sensor_adr[i]), int(model.sensor_dim[i])
        word = BY_NUMBER.get(int(model.sensor_type[i]))
        if word is None:
            continue
        values = READERS[word](scene, i).reshape(len(out), count)
        # (points of what is farther apart than a cutoff are zeros; contacts are not cut)
        cutoff = 0.0 if word in ("fromto", "contact") else float(model.sensor_cutoff[i])
        out[:, first : first + count] = _cut(values, int(model.sensor_datatype[i]), cutoff)
    return out


def _cut(values: Array, data: int, cutoff: float) -> Array:
    if cutoff > 0.0 and data == REAL:
        return np.clip(values, -cutoff, cutoff)
    return np.minimum(values, cutoff) if cutoff > 0.0 and data == POSITIVE else values


def _object(scene: Scene, i: int) -> tuple[int, int]:
    return int(scene.model.sensor_objtype[i]), int(scene.model.sensor_objid[i])


def _reference(scene: Scene, i: int) -> tuple[int, int] | None:
    index = int(scene.model.sensor_refid[i])
    return None if index < 0 else (int(scene.model.sensor_reftype[i]), index)


def _into(axes: Array, vectors: Array) -> Array:
    """(T, 3) world vectors in the axes (T, 3, 3)."""
    return np.einsum("tij,ti->tj", axes, vectors)


def _local(quantity: Callable[[Scene, int, int], Array]) -> Callable[[Scene, int], Array]:
    """A quantity of a site in its own axes."""
    return lambda scene, i: _into(scene.axes(*_object(scene, i)), quantity(scene, *_object(scene, i)))


def _world(quantity: Callable[[Scene, int, int], Array]) -> Callable[[Scene, int], Array]:
    return lambda scene, i: quantity(scene, *_object(scene, i))


def _magnetic(scene: Scene, objtype: int, index: int) -> Array:
    return np.broadcast_to(np.asarray(scene.model.opt.magnetic, float), (len(scene.rows.time), 3))


def _transmitted(scene: Scene, objtype: int, index: int) -> tuple[Array, Array]:
    """Force and torque about a site that the parent of its body applies."""
    wrench = scene.internal[:, scene.mount(objtype, index)[0]]
    force = wrench[:, :3]
    return force, wrench[:, 3:] - np.cross(scene.position(objtype, index), force)


def _range(scene: Scene, i: int) -> Array:
    """Along the site's z axis; -1 where nothing is."""
    objtype, index = _object(scene, i)
    start, along = scene.position(objtype, index), scene.axes(objtype, index)[:, :, 2]
    found = nearest_surface(scene, start, along, scene.mount(objtype, index)[0])
    return np.where(np.isfinite(found), found, -1.0)


def _touch(scene: Scene, i: int) -> Array:
    """Normal forces of the contacts of the site's body whose normal meets the site's shape."""
    m, c = scene.model, scene.rows.contacts
    objtype, site = _object(scene, i)
    body = int(m.site_bodyid[site])
    bodies = np.asarray(m.geom_bodyid, int)[c.geoms]
    rows = np.flatnonzero(((bodies == body).any(axis=1)) & (c.force[:, 0] > 0.0))
    out = np.zeros(len(scene.rows.time))
    if len(rows):
        steps = c.step[rows]
        direction = np.where((bodies[rows, 1] == body)[:, None], -1.0, 1.0) * c.frame[rows, 0]
        axes, origin = scene.axes(objtype, site)[steps], scene.position(objtype, site)[steps]
        start, along = _into(axes, c.position[rows] - origin), _into(axes, direction)
        hits = ray_hits(int(m.site_type[site]), np.asarray(m.site_size[site], float), start, along)
        np.add.at(out, steps[hits], c.force[rows[hits], 0])
    return out


def _framepos(scene: Scene, i: int) -> Array:
    x, ref = scene.position(*_object(scene, i)), _reference(scene, i)
    return x if ref is None else _into(scene.axes(*ref), x - scene.position(*ref))


def _framequat(scene: Scene, i: int) -> Array:
    q, ref = scene.orientation(*_object(scene, i)), _reference(scene, i)
    return q if ref is None else quaternion.multiply(quaternion.conjugate(scene.orientation(*ref)), q)


def _axis(column: int) -> Callable[[Scene, int], Array]:
    def read(scene: Scene, i: int) -> Array:
        axis, ref = scene.axes(*_object(scene, i))[:, :, column], _reference(scene, i)
        return axis if ref is None else _into(scene.axes(*ref), axis)

    return read


def _framelinvel(scene: Scene, i: int) -> Array:
    one, ref = _object(scene, i), _reference(scene, i)
    v = scene.velocity(*one)
    if ref is None:
        return v
    apart = scene.position(*one) - scene.position(*ref)
    return _into(scene.axes(*ref), v - scene.velocity(*ref) - np.cross(scene.rotation(*ref), apart))


def _frameangvel(scene: Scene, i: int) -> Array:
    w, ref = scene.rotation(*_object(scene, i)), _reference(scene, i)
    return w if ref is None else _into(scene.axes(*ref), w - scene.rotation(*ref))


def _subtree(scene: Scene, i: int) -> tuple[Array, Array]:
    """Bodies below the sensor's and their masses (n, 1)."""
    rows = scene.subtree(int(scene.model.sensor_objid[i]))
    return rows, np.asarray(scene.model.body_mass, float)[rows, None]


def _mean(mass: Array, values: Array) -> Array:
    """(T, 3) mean of (T, n, 3), weighted by mass (n, 1)."""
    return (mass * values).sum(axis=1) / max(float(mass.sum()), MASSLESS)


def _subtreecom(scene: Scene, i: int) -> Array:
    rows, mass = _subtree(scene, i)
    if mass.sum() < MASSLESS:
        return scene.centres[:, rows[0]]
    return _mean(mass, scene.centres[:, rows])


def _subtreelinvel(scene: Scene, i: int) -> Array:
    rows, mass = _subtree(scene, i)
    return _mean(mass, scene.linear[:, rows])


def _subtreeangmom(scene: Scene, i: int) -> Array:
    rows, mass = _subtree(scene, i)
    x, v = scene.centres[:, rows], scene.linear[:, rows]
    orbital = np.cross(x - _mean(mass, x)[:, None], mass * (v - _mean(mass, v)[:, None]))
    return (orbital + scene.turned_inertia(scene.motion.w)[:, rows]).sum(axis=1)


def _insidesite(scene: Scene, i: int) -> Array:
    m, site = scene.model, int(scene.model.sensor_refid[i])
    apart = scene.position(*_object(scene, i)) - scene.position(SITE, site)
    return inside(int(m.site_type[site]), np.asarray(m.site_size[site], float), _into(scene.axes(SITE, site), apart)).astype(float)


def _joint(field: str, address: str, count: int) -> Callable[[Scene, int], Array]:
    def read(scene: Scene, i: int) -> Array:
        first = int(getattr(scene.model, address)[int(scene.model.sensor_objid[i])])
        return getattr(scene.rows, field)[:, first : first + count]

    return read


def _ballquat(scene: Scene, i: int) -> Array:
    q = _joint("qpos", "jnt_qposadr", 4)(scene, i)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _number(field: str, entry: int) -> Callable[[Scene, int], Array]:
    return lambda scene, i: getattr(scene.rows, field)[:, int(scene.model.sensor_objid[i]), entry]


def _actuator(entry: int) -> Callable[[Scene, int], Array]:
    def read(scene: Scene, i: int) -> Array:
        m, actuator = scene.model, int(scene.model.sensor_objid[i])
        first = int(m.actuator_outadr[actuator])
        if entry == RATE and int(m.opt.disableflags) & DisableBit.ACTUATION:
            return np.zeros((len(scene.rows.time), int(m.actuator_outnum[actuator])))
        return scene.rows.actuator[:, first : first + int(m.actuator_outnum[actuator]), entry]

    return read


def _tendon_limit(entry: int) -> Callable[[Scene, int], Array]:
    return lambda scene, i: scene.rows.limit[:, int(scene.model.njnt) + int(scene.model.sensor_objid[i]), entry]


def _tendonactuatorfrc(scene: Scene, i: int) -> Array:
    m = scene.model
    mine = (np.asarray(m.actuator_trntype) == TrnType.TENDON) & (np.asarray(m.actuator_trnid)[:, 0] == int(m.sensor_objid[i]))
    return scene.rows.actuator[:, np.asarray(m.actuator_outadr)[mine], 2].sum(axis=1)


READERS: dict[str, Callable[[Scene, int], Array]] = {
    "touch": _touch,
    "accelerometer": _local(Scene.acceleration),
    "velocimeter": _local(Scene.velocity),
    "gyro": _local(Scene.rotation),
    "force": _local(lambda scene, *site: _transmitted(scene, *site)[0]),
    "torque": _local(lambda scene, *site: _transmitted(scene, *site)[1]),
    "magnetometer": _local(_magnetic),
    "jointpos": _joint("qpos", "jnt_qposadr", 1),
    "jointvel": _joint("qvel", "jnt_dofadr", 1),
    "tendonpos": _number("tendon", 0),
    "tendonvel": _number("tendon", 1),
    "rangefinder": _range,
    "distance": distance,
    "normal": normal,
    "fromto": from_to,
    "actuatorpos": _actuator(0),
    "actuatorvel": _actuator(1),
    "actuatorfrc": _actuator(2),
    "jointactuatorfrc": _joint("joint_actuator", "jnt_dofadr", 1),
    "tendonactuatorfrc": _tendonactuatorfrc,
    "ballquat": _ballquat,
    "ballangvel": _joint("qvel", "jnt_dofadr", 3),
    "jointlimitpos": _number("limit", 0),
    "jointlimitvel": _number("limit", 1),
    "jointlimitfrc": _number("limit", 2),
    "tendonlimitpos": _tendon_limit(0),
    "tendonlimitvel": _tendon_limit(1),
    "tendonlimitfrc": _tendon_limit(2),
    "framepos": _framepos,
    "framequat": _framequat,
    "framexaxis": _axis(0),
    "frameyaxis": _axis(1),
    "framezaxis": _axis(2),
    "framelinvel": _framelinvel,
    "frameangvel": _frameangvel,
    "framelinacc": _world(Scene.acceleration),
    "frameangacc": _world(Scene.angular_acceleration),
    "subtreecom": _subtreecom,
    "subtreelinvel": _subtreelinvel,
    "subtreeangmom": _subtreeangmom,
    "insidesite": _insidesite,
    "contact": contacts,
    "e_potential": lambda scene, i: scene.rows.energy[:, 0],
    "e_kinetic": lambda scene, i: scene.rows.energy[:, 1],
    "clock": lambda scene, i: scene.rows.time,
}
