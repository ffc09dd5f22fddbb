"""Recorded steps of the hard mode as rows for the sensors: accelerations are changes of velocity over h, forces impulses over h.

The velocity of a state is that of the interval before it, so that the change over a step is the acceleration at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.hard.contact_table import APPLIED, FRAME, GAP, IMPULSE, POSITION, TORQUE, geoms_of
from dojo_py.hard.elements.closure_table import held_ends
from dojo_py.hard.elements.couplings import acting_tendons
from dojo_py.hard.energy_momentum import over_last_parts, spin_at_end, spring_energy
from dojo_py.hard.noted import Noted
from dojo_py.hard.terms import EQ_PATH
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.compile_tendons import armatures
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import DisableBit, JointType
from dojo_py.mechanism.reference import by_joint
from dojo_py.sensors.lengths import actuator_lengths, tendon_lengths
from dojo_py.sensors.motion import gravity_of
from dojo_py.sensors.read import read_sensors
from dojo_py.sensors.rows import Change, ContactRows, Rows, Tie
from dojo_py.sensors.scene import Scene
from dojo_py.sensors.ties import anchors
from dojo_py.simulate.arguments import Outside
from dojo_py.simulate.readings import Before, Readings, places_of

Array = np.ndarray
AT_BOUND = 1e-6
"""A limit acts where the distance to its bound is less than its margin plus this [rad, m]."""
PUSHING = 1e-6
"""Force above which a limit acts in any case [N, N m]."""


def wanted(model: Any) -> bool:
    """Whether there is anything to read."""
    return int(model.nsensor) > 0 and not int(model.opt.disableflags) & DisableBit.SENSOR


def readings_of(
    model: Any, sensed: Callable[[], Any], world: Any, record: Any, time: Array, h: float, outside: Outside,
    before: Before | None = None,
) -> Readings | None:  # fmt: skip
    """The sensors of the T steps of a record, evaluated when they are asked for. time (T,).

    model: the one that acts; sensed: gives that one with the values of parameters.
    """
    if not int(model.nsensor) and before is None:
        return None
    if not len(record.noted.actuator):
        nothing = np.zeros((len(time), int(model.nsensordata)))
        return Readings(places_of(model), lambda: nothing, before)
    noted: Noted = record.noted
    motion, contacts = (record.qpos, record.qvel, record.bodies, record.impulses), _contacts(world, noted.contacts, h)
    noted = noted._replace(contacts=noted.contacts[:0])  # (the table has a row for all that could touch: it is not kept)

    def read() -> Array:
        changed = sensed()
        return read_sensors(
            changed, _completed(changed, world.layout, _rows(changed, world, noted, contacts, motion, time, h, outside))
        )

    return Readings(places_of(model), read, before)


def _rows(
    model: Any, world: Any, noted: Noted, contacts: ContactRows, motion: tuple[Array, ...], time: Array, h: float, outside: Outside
) -> Rows:
    """motion: qpos (T + 1, nq), qvel (T + 1, nv), bodies (T + 1, nb, 13) and impulses (T + 1, n) of the record."""
    T = len(time)
    qpos, qvel, qacc = motion[0][:T], motion[1][:T], np.diff(motion[1], axis=0) / h
    actuator = np.zeros((T, noted.actuator.shape[1], 3))
    actuator[:, :, 2] = noted.actuator
    given = outside.wrenches if len(outside.wrenches) else np.zeros((1, int(model.nbody), 6))
    tendon = np.zeros((T, int(model.ntendon), 2))
    arms = tendon_lengths(model, qpos, qvel, tendon)
    limit = _limits(model, world.layout, noted.limit, qpos, qvel, tendon)
    joint_actuator = noted.joint_actuator[:, : int(model.nv)].copy()
    for k, t in enumerate(acting_tendons(model)):
        joint_actuator += arms[:, t] * noted.joint_actuator[:, int(model.nv) + k, None]
    return Rows(
        time, qpos, qvel, qacc, actuator, joint_actuator, tendon, limit, np.zeros((T, 2)),
        given + _constant_loads(model, world, motion[2][:T]), _ties(model, world, noted.loops, motion[2][:T]),
        _tensions(model, world.layout, noted.loops), contacts,
        np.asarray(model.body_pos, float), np.asarray(model.body_quat, float), _change(model, world, motion[2], motion[3], h),
    )  # fmt: skip


def _change(model: Any, world: Any, bodies: Array, left: Array, h: float) -> Change:
    """After less before each step, of what the integrator knows of a body: displacements over h, and its spin.

    of a point at r from the centre of mass:  v + R B r,  B = s [ω]x - (h/2) [ω]x²,  s = sqrt(1 - h²|ω|²/4)
    spin:                                     R (s Jω - (h/2) ω × Jω)
    """
    rows, interval = over_last_parts(world.layout, bodies, h, left)
    moving = np.flatnonzero(world.bodies.node >= 0)
    node, turn = world.bodies.node[moving], world.bodies.quat[moving]
    q, w, part = rows[:, node, 6:10], rows[:, node, 10:13], interval[:, node, None]
    share = np.sqrt(np.maximum(1.0 - 0.25 * part**2 * np.sum(w * w, axis=2, keepdims=True), 0.0))
    cross = np.swapaxes(np.cross(w[:, :, None], np.eye(3)), 2, 3)  # [ω]x
    B = quaternion.matrix(q) @ (share[..., None] * cross - 0.5 * part[..., None] * cross @ cross)
    v = rows[:, node, 3:6] + np.einsum("tbij,bj->tbi", B, world.bodies.arm[moving])
    own = quaternion.multiply(turn, np.asarray(model.body_iquat, float)[moving])
    along = quaternion.rotate(quaternion.conjugate(own), w)  # ω along the body's principal axes
    spin = quaternion.rotate(own, np.asarray(model.body_inertia, float)[moving] * along)
    spin = quaternion.rotate(q, spin_at_end(spin, w, part))

    def change(values: Array) -> Array:
        out = np.zeros((len(rows) - 1, int(model.nbody), *values.shape[2:]))
        out[:, moving] = np.diff(values, axis=0)
        return out

    return Change(
        change(v) / h, change(B @ quaternion.matrix(turn)) / h, change(quaternion.rotate(q, w)) / h, change(spin) / h,
    )  # fmt: skip


def _limits(model: Any, layout: Any, forces: Array, qpos: Array, qvel: Array, tendon: Array) -> Array:
    """(T, njnt + ntendon, 3) distance, its rate, force of the limit of every joint and tendon that acts."""
    out = np.zeros((len(qpos), int(model.njnt) + int(model.ntendon), 3))
    for l, dof in enumerate(layout.limit_dof):
        sign, of_tendon = float(layout.limit_sign[l]), int(dof) >= int(model.nv)
        t = acting_tendons(model)[int(dof) - int(model.nv)] if of_tendon else -1
        row = int(model.njnt) + t if of_tendon else int(model.dof_jntid[dof])
        margin = float(model.tendon_margin[t] if of_tendon else model.jnt_margin[row])
        adr = -1 if of_tendon else int(model.jnt_qposadr[row])
        if of_tendon:
            distance, rate = sign * (tendon[:, t, 0] - layout.limit_bound[l]), sign * tendon[:, t, 1]
        elif sign != 0.0:
            distance, rate = sign * (qpos[:, adr] - layout.limit_bound[l]), sign * qvel[:, dof]
        else:
            turn = quaternion.logarithm(qpos[:, adr : adr + 4])
            angle = np.linalg.norm(turn, axis=1)
            distance = layout.limit_bound[l] - angle
            rate = -np.sum(turn * qvel[:, dof : dof + 3], axis=1) / np.maximum(angle, 1e-15)
        acts = (distance < margin + AT_BOUND) | (forces[:, l] > PUSHING)  # there, or reached within the step
        out[acts, row] = np.stack([distance, rate, forces[:, l]], axis=1)[acts]
    return out


def _constant_loads(model: Any, world: Any, bodies: Array) -> Array:
    """(T, nbody, 6) constant wrenches on the model's bodies about their own centres of mass, world axes."""
    out = np.zeros((len(bodies), int(model.nbody), 6))
    first: dict[int, int] = {}
    for m, node in enumerate(world.bodies.node):
        if node >= 0:
            first.setdefault(int(node), m)  # (of bodies that are merged the one with the joint)
    nodes, own = list(first), list(first.values())
    constant = world.bodies.wrench[nodes]
    arm = quaternion.rotate(bodies[:, nodes, 6:10], world.bodies.arm[own])
    out[:, own, :3] = constant[:, :3]
    out[:, own, 3:] = constant[:, 3:] - np.cross(arm, constant[:, :3])
    return out


def _ties(model: Any, world: Any, loops: Array, bodies: Array) -> tuple[Tie, ...]:
    """Connects and welds, from what they do to the first of their bodies that moves (T, ne, 6) and poses (T, nb, 13)."""
    found, layout = [], world.layout
    for equality, e, _ in held_ends(model, world.bodies.node):
        slot = 0 if layout.eq_bodies[e, 0] >= 0 else 1
        q, force = bodies[:, layout.eq_bodies[e, slot], 6:10], loops[:, e, :3]
        torque = quaternion.rotate(q, loops[:, e, 3:]) - np.cross(quaternion.rotate(q, layout.eq_pos[e, slot]), force)
        wrench = np.concatenate([force, torque], axis=1)
        found.append(Tie(*anchors(model, equality), wrench if slot == 0 else -wrench))
    return tuple(found)


def _tensions(model: Any, layout: Any, loops: Array) -> Array:
    """(T, ntendon) of the spatial tendons."""
    out, tendons = np.zeros((len(loops), int(model.ntendon))), acting_tendons(model)
    for e in np.flatnonzero(layout.eq_kind == EQ_PATH):
        out[:, tendons[int(layout.eq_dof[e]) - int(model.nv)]] = loops[:, e, 0]
    return out


def _contacts(world: Any, table: Array, h: float) -> ContactRows:
    step, row = np.nonzero(table[:, :, IMPULSE] > 0.0)
    found = table[step, row]
    force = np.zeros((len(found), 6))
    force[:, :3], force[:, 3:] = found[:, IMPULSE : IMPULSE + 3] / h, found[:, TORQUE : TORQUE + 3] / h
    frame = found[:, FRAME : FRAME + 9].reshape(-1, 3, 3)
    place, gap = found[:, POSITION : POSITION + 3], found[:, GAP]
    applied = found[:, APPLIED : APPLIED + 3]
    return ContactRows(step, geoms_of(world, row, found)[:, ::-1], place, applied, frame, force, gap)


def _completed(model: Any, layout: Any, rows: Rows) -> Rows:
    """The rows, with the actuators' lengths and the energies filled in."""
    scene = Scene(model, rows)
    actuator_lengths(scene, rows.actuator[:, :, :2], rows.tendon)
    m, x = model, scene.centres
    spin = scene.motion.w
    of_joints, of_tendons = _rotors(m, layout)
    kinetic = 0.5 * np.sum(np.asarray(m.body_mass) * np.sum(scene.linear**2, axis=2), axis=1)
    kinetic += 0.5 * np.sum(spin * scene.turned_inertia(spin), axis=(1, 2)) + 0.5 * rows.qvel**2 @ of_joints
    kinetic += 0.5 * rows.tendon[:, :, 1] ** 2 @ of_tendons
    potential = -np.einsum("b,tbi,i->t", np.asarray(m.body_mass), x, gravity_of(m)) + _springs(m, rows.qpos, rows.tendon[:, :, 0])
    rows.energy[:, 0], rows.energy[:, 1] = potential, kinetic
    return rows


def _rotors(m: Any, layout: Any) -> tuple[Array, Array]:
    """((nv,), (ntendon,)) inertia of rotors, those of actuators included: the layout's, which parameters may have changed."""
    arrays: Any = Arrays(m)
    of_joints, of_tendons = np.asarray(m.dof_armature, float) + by_joint(arrays, "actuator_armature"), armatures(arrays)
    nv, acts = len(of_joints), layout.node[layout.dof_joint] >= 0  # (coordinates of free joints without a node have none)
    of_joints[acts] = layout.dof_armature[:nv][acts]
    of_tendons[acting_tendons(m)] = layout.dof_armature[nv:]
    return of_joints, of_tendons


def _springs(m: Any, qpos: Array, lengths: Array) -> Array:
    """(T,) energy of the springs of joints and tendons. lengths (T, ntendon)."""
    total = np.zeros(len(qpos))
    for j in np.flatnonzero((np.asarray(m.jnt_stiffness) != 0) | np.any(m.jnt_stiffnesspoly, axis=1)):
        adr, kind = int(m.jnt_qposadr[j]), int(m.jnt_type[j])
        stiffness, poly = float(m.jnt_stiffness[j]), np.asarray(m.jnt_stiffnesspoly[j])
        if kind == JointType.FREE:
            shift = np.linalg.norm(qpos[:, adr : adr + 3] - m.qpos_spring[adr : adr + 3], axis=1)
            total += spring_energy(stiffness, poly, shift)
            adr += 3
        if kind in (JointType.FREE, JointType.BALL):
            rest = np.broadcast_to(quaternion.conjugate(np.asarray(m.qpos_spring[adr : adr + 4])), (len(qpos), 4))
            away = np.linalg.norm(quaternion.logarithm(quaternion.multiply(rest, qpos[:, adr : adr + 4])), axis=1)
        else:
            away = qpos[:, adr] - m.qpos_spring[adr]
        total += spring_energy(stiffness, poly, away)
    for t in range(int(m.ntendon)):
        low, high = m.tendon_lengthspring[t]
        stretch = lengths[:, t] - np.clip(lengths[:, t], low, high)
        total += spring_energy(float(m.tendon_stiffness[t]), np.asarray(m.tendon_stiffnesspoly[t]), stretch)
    return total
