"""Actuators in the hard mode: forces along joint coordinates, wrenches on bodies, and servos that the step treats implicitly.

At the start of a step every actuator becomes one of five things. An actuator of a hinge, slide, ball or tendon whose force depends
on length or velocity is a servo: its affine law is handed to the step, so that stiff gains stay stable (dof_rows.py, those of balls
ball_servos.py). Any other force on these is an explicit generalised force. Forces on free joints, sites and slider-cranks are
wrenches, in the direction the bodies have at the start. The law of adhesion is handed to the step, which finds the contacts
(adhesion.py).
Servos of orientations hand their law and their target orientation to the step (orientations.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.controlled import is_controlled
from dojo_py.actuation.force import clamp, force_law, rest, signal, turn_of
from dojo_py.actuation.short_way import turns_too_many
from dojo_py.actuation.table import ActuatorTable, build_table
from dojo_py.actuation.transmission import (
    ADHESION,
    BALL,
    CRANK,
    FREE,
    SCALAR,
    TENDON,
    ball_length,
    site_length,
    site_wrench,
    turn_axis,
)
from dojo_py.actuation.wrapping import slider_crank
from dojo_py.algebra.rotations import quat_mul, quat_normalise, quat_to_matrix, turn_vector
from dojo_py.arrays import copy, copy_rows, scratch, zeros
from dojo_py.hard.elements.couplings import acting_tendons
from dojo_py.hard.elements.joint_bounds import bound_forces, reached_coordinates
from dojo_py.hard.elements.joint_table import quaternion_product
from dojo_py.hard.elements.layout import BodyMap, Layout
from dojo_py.hard.elements.lift import driven, lift_forces
from dojo_py.hard.elements.next_activations import advance_activations
from dojo_py.hard.elements.orientation_drive import ask_orientation, orientation_arrays
from dojo_py.hard.elements.orientation_table import between, orientation_servos
from dojo_py.hard.elements.tendon_paths import load_paths
from dojo_py.hard.terms import EQ_TENDON
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import matrix
from dojo_py.mechanism.source import name_of, refusal
from dojo_py.solver.octet import WIDTH


class Servos(NamedTuple):
    """Servos of hinges, slides and tendons: force = servo_force + servo_b1 gear θ + servo_b2 gear θ̇, in its range; m rows."""

    servo_dof: np.ndarray  # (m,)
    servo_gear: np.ndarray  # (m,)
    servo_force: np.ndarray  # (m,) gain * signal + bias₀, of this step
    servo_b1: np.ndarray  # (m,)
    servo_b2: np.ndarray  # (m,)
    servo_range: np.ndarray  # (m, 2) of the force before the gear
    ball_joint: np.ndarray  # (s,) servos of balls (ball_servos.py): joints of the layout
    ball_dof: np.ndarray  # (s,) first coordinates of the balls
    ball_gear: np.ndarray  # (s, 3)
    ball_in_parent: np.ndarray  # (s,) 1: the gear is given in the parent's axes
    ball_law: np.ndarray  # (s, 3) b₀, b₁, b₂, of this step
    ball_range: np.ndarray  # (s, 2) of the force before the gear
    pull_body: np.ndarray  # (p,) bodies of the model that adhesion is on
    pull_law: np.ndarray  # (p, 4) its law b₀ + b₂ v and the range of the force [N], of this step
    pull_force: np.ndarray  # (p,) the force of adhesion in the step [N]
    orient_law: np.ndarray  # (k, 3) servos of orientations: kp, kv, bound of the torque
    orient_target: np.ndarray  # (k, 4) the target orientation: of q and -q the one that the shorter rotation leads to
    orient_sign: np.ndarray  # (k,) 1 or -1: whether that is q or -q
    orient_closure: np.ndarray  # (k,) their closures, -1: both frames in one body
    orient_force: np.ndarray  # (k, 3) their torques in the step [N m]
    orient_whole: np.ndarray  # (k, 3) the same before they are bounded
    orient_by: np.ndarray  # (k, 2, 3, 3) its derivatives by the angular velocities of the two bodies


class Drive(NamedTuple):
    """Work arrays of a roll-out besides the solver's: what the actuators apply in a step. One set per thread."""

    servos: Servos
    force: np.ndarray  # (nd,) explicit force on hinge, slide and ball coordinates and along tendons [N m, N]
    wrench: np.ndarray  # (nb, 6) world force and torque about the centre of mass [N, N m]
    actuator_force: np.ndarray  # (nout,) forces at the start of the step [N, N m]
    act_rate: np.ndarray  # (na,)
    turns: np.ndarray  # (n, 2) whole revolutions that servos of rotations subtract from their error, see short_way.py; and from
    # control minus activation, where they have a filter or a bounded rate
    length: np.ndarray  # (n,) their lengths at the start of the step
    velocity: np.ndarray  # (n,) rates of the lengths of servos and motors there
    act: np.ndarray  # (na,) activations at the start of the step
    control: np.ndarray  # (nu,) controls within their ranges
    span: np.ndarray  # (1,) length of the step [s]
    hold: np.ndarray  # (1,) 1: `turns` and the lengths of servos stay fixed, while a finite difference is taken
    angle: np.ndarray  # (nd,) coordinates of hinges and slides, lengths of tendons
    rate: np.ndarray  # (nd,) qvel, rates of the tendons' lengths
    lift: np.ndarray  # (nd,) forces of gravity compensation along coordinates, where it is one of the actuators (lift.py)
    load: np.ndarray  # (nb, 6) work of coordinate_forces.py: what acts on each body and all below
    given: np.ndarray  # (nb, 6) `wrench` before the actuators
    of_actuators: np.ndarray  # (nb, 6) work of joint_bounds.py: their wrenches
    elsewhere: np.ndarray  # (nd,) their forces along bounded coordinates, but for the joints' own ones (joint_bounds.py)
    path_x: np.ndarray  # (nb + 1, 3) work of tendon_paths.py: positions of bodies,
    path_R: np.ndarray  # (nb + 1, 3, 3) their axes,
    path_G: np.ndarray  # (s, 6, 8) derivative of a length


def check_servos(model: Any, table: ActuatorTable) -> None:
    """Refuse a joint or tendon whose bound is shared by several servos, one of which has a range of its own.

    Without such ranges their sum is one affine law (`joint_bounds.bound_sum`).
    """
    for dof in np.unique(table.dof[table.servo >= 0]):
        mine = [int(i) for i in np.flatnonzero(table.servo >= 0) if table.dof[i] == dof]
        if len(mine) > 1 and np.isfinite(table.dof_range[dof]).any() and np.any(np.isfinite(table.force_range[mine])):
            if dof >= model.nv:
                target = f"tendon '{name_of(model, 'tendon', acting_tendons(model)[dof - model.nv])}'"
            else:
                target = f"joint '{name_of(model, 'joint', int(model.dof_jntid[dof]))}'"
            message = f"several servos with a forcerange of their own on {target}, whose actuatorfrcrange bounds their sum, "
            message += "are not simulated in the hard mode; give one of the two bounds"
            raise ModelError(refusal(model, "actuator", mine, "", message))


def build_drives(model: Any, layout: Layout, where: BodyMap) -> ActuatorTable:
    """The actuators of a Model, with bodies and sites given by the layout's bodies and from their centres of mass."""
    table = build_table(model)
    body, pos, quat = table.body.copy(), table.site_pos.copy(), table.site_quat.copy()
    common = table.common.copy()
    up = dict(zip(layout.child.tolist(), layout.parent.tolist(), strict=True))

    def above(node: int) -> list[int]:
        out = []
        while node >= 0:
            out.append(node)
            node = up[node]
        return out

    for i in range(len(body)):
        for side in range(2):
            b = int(table.body[i, side])
            if b < 0:
                continue
            node = body[i, side] = int(where.node[b])
            centre = layout.com[node] if node >= 0 else np.zeros(3)
            pos[i, side] = where.pos[b] + matrix(where.quat[b]) @ table.site_pos[i, side] - centre
            quat[i, side] = quaternion_product(where.quat[b], table.site_quat[i, side])
        if table.has_reference[i]:
            shared = [node for node in above(int(body[i, 0])) if node in above(int(body[i, 1]))]
            common[i] = shared[0] if shared else -1
    for i in orientation_servos(model):  # in the order of their closures: first the body in which the orientation is measured
        ends = between(model, where, i)
        body[i], quat[i] = (ends.one, ends.two), ends.frames
    of_tendons, bounds, ranges = _tendon_drives(model, table)
    own = table.dof_range.copy()
    if not driven(model):  # (without actuators, compensation that counts as one of them is switched off, too)
        own[layout.dof_lifted == 1] = 0.0
    dof_range = np.concatenate([own, bounds])
    table = table._replace(
        body=body, site_pos=pos, site_quat=quat, common=common, dof=of_tendons, dof_range=dof_range, force_range=ranges
    )
    return table._replace(reached=reached_coordinates(table, layout))


def _tendon_drives(model: Any, table: ActuatorTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) coordinates of the actuators; (nt, 2) bounds of the forces along tendons: of the actuators' sum, times their gear;
    (n, 2) ranges of the actuators' forces: the bound of a tendon with a single actuator narrows that one's range, without the gear.
    """
    tendons, dofs, ranges = acting_tendons(model), table.dof.copy(), table.force_range.copy()
    bounds = np.tile([-np.inf, np.inf], (len(tendons), 1))
    for k, t in enumerate(tendons):
        mine = np.flatnonzero((table.transmission == TENDON) & (table.dof == model.nv + t))
        dofs[mine] = model.nv + k
        if not model.tendon_actfrclimited[t] or not len(mine):
            continue
        if len(mine) == 1:  # first the tendon's range, then the actuator's own
            ranges[mine[0]] = np.clip(np.asarray(model.tendon_actfrcrange[t], float), *ranges[mine[0]])
            continue
        gears = np.unique(table.gear[mine, 0])
        if len(gears) > 1:
            message = "of actuators with different gears is not simulated in the hard mode; bound each one's forcerange instead"
            raise ModelError(refusal(model, "tendon", (t,), "actuatorfrcrange", message))
        if np.any(np.isfinite(table.force_range[mine])):
            message = (
                "of several actuators with a forcerange of their own is not simulated in the hard mode; give one of the two bounds"
            )
            raise ModelError(refusal(model, "tendon", (t,), "actuatorfrcrange", message))
        bounds[k] = np.sort(gears[0] * np.asarray(model.tendon_actfrcrange[t], float))
    return dofs, bounds, ranges


def allocate_drive(table: ActuatorTable, layout: Layout, na: int) -> Drive:
    """Work arrays for a table."""
    mine, balls = np.flatnonzero(table.servo >= 0), np.flatnonzero(table.ball_servo >= 0)
    z = np.zeros
    servos = Servos(
        servo_dof=table.dof[mine].astype(np.int64),
        servo_gear=table.gear[mine, 0].copy(),
        servo_force=z(len(mine)),
        servo_b1=z(len(mine)),
        servo_b2=z(len(mine)),
        servo_range=np.ascontiguousarray(table.force_range[mine]),
        ball_joint=layout.dof_joint[table.dof[balls]].astype(np.int64),
        ball_dof=table.dof[balls].astype(np.int64),
        ball_gear=table.gear[balls, :3].copy(),
        ball_in_parent=table.in_parent[balls].copy(),
        ball_law=z((len(balls), 3)),
        ball_range=np.ascontiguousarray(table.force_range[balls]),
        pull_body=layout.pull_body.copy(),
        pull_law=z((len(layout.pull_body), 4)),
        pull_force=z(len(layout.pull_body)),
        **orientation_arrays(table, layout),
    )
    nd, nb, n = len(layout.dof_node), len(layout.mass), len(table.dof)
    hold = np.zeros(1, np.int64)
    R = z((nb + 1, 3, 3))
    R[:] = np.eye(3)
    paths = z((nb + 1, 3)), R, z((layout.eq_bodies.shape[1], 6, WIDTH))
    nu = len(table.control_range)
    outputs = n + 2 * len(servos.orient_law)
    own = z(n), z(na), z(nu), z(1)
    lift = z(nd), z((nb, 6)), z((nb, 6)), z((nb, 6)), z(nd)
    return Drive(
        servos,
        z(nd),
        z((nb, 6)),
        z(outputs),
        z(na),
        z((n, 2)),
        z(n),
        *own,
        hold,
        z(nd),
        z(nd),
        *lift,
        *paths,
    )


class Start(NamedTuple):
    """What a step starts from, beside the bodies' poses."""

    qpos: np.ndarray  # (nq,)
    qvel: np.ndarray  # (nv,)
    act: np.ndarray  # (na,)
    control: np.ndarray  # (nu,) as given, perhaps beyond its range


@kernel
def load_coordinates(L, qpos, qvel, angle, rate):
    """angle (nd,) = coordinates of hinges and slides at the indices of their rates, lengths of fixed tendons; rate (nd,)."""
    copy(qvel, rate)
    for dof in range(L.dof_joint.shape[0]):
        if L.dof_vector[dof] < 0:
            angle[dof] = qpos[L.dof_qadr[dof]]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_TENDON:
            dof = L.eq_dof[e]
            angle[dof] = rate[dof] = 0.0
            for t in range(L.eq_terms[e, 0], L.eq_terms[e, 1]):
                angle[dof] += L.term_coef[t] * angle[L.term_dof[t]]
                rate[dof] += L.term_coef[t] * rate[L.term_dof[t]]


@kernel
def drive(L, T, V, bodies, start, h):
    """Set V.angle, V.rate, V.force, V.servos, V.actuator_force, V.act_rate at the start of a step, add to V.wrench."""
    load_drive(L, T, V, bodies, start, h)
    for i in range(T.dof.shape[0]):
        force = apply_actuator(L, T, i, V, bodies, start, h)
        if T.orientation[i] < 0:
            V.actuator_force[T.output[i]] = force
    bound_forces(L, T, V, bodies, start.qpos)


@kernel
def load_drive(L, T, V, bodies, start, h):
    """`drive` before the actuators: coordinates, lengths of tendons, gravity compensation, controls in their ranges; no forces."""
    load_coordinates(L, start.qpos, start.qvel, V.angle, V.rate)
    load_paths(L, V, bodies, h)
    lift_forces(L, V, bodies, start.qpos)
    copy_rows(V.wrench, V.given)
    V.span[0] = h
    copy(start.act, V.act)
    for k in range(start.control.shape[0]):
        V.control[k] = clamp(start.control[k], T.control_range[k, 0], T.control_range[k, 1])
    for i in range(V.force.shape[0]):
        V.force[i] = 0.0


@kernel
def apply_actuator(L, T, i, V, bodies, start, h):
    """Add what actuator i does to V.force or V.wrench, or set its servo. Returns its scalar force, 0 where it is switched off."""
    S = V.servos
    if T.pull[i] >= 0:
        S.pull_law[T.pull[i], :] = 0.0
    if T.orientation[i] >= 0:
        return ask_orientation(T, i, V, bodies, start.act, h)
    u = signal(T, i, start.control, start.act, h, V)
    if not T.enabled[i]:
        if is_controlled(T.gaintype[i]):
            rest(T, i, V)
        return 0.0
    lower, upper = T.force_range[i, 0], T.force_range[i, 1]
    if T.transmission[i] == SCALAR or T.transmission[i] == TENDON:
        dof, gear = T.dof[i], T.gear[i, 0]
        length, velocity = gear * V.angle[dof], gear * V.rate[dof]
        b0, b1, b2, E = force_law(T, i, u, length, velocity, V)
        lower, upper = lower + E, upper + E
        force = clamp(b0 + b1 * length + b2 * velocity, lower, upper)
        k = T.servo[i]
        if k >= 0:
            S.servo_force[k], S.servo_b1[k], S.servo_b2[k] = b0, b1, b2
            S.servo_range[k, 0], S.servo_range[k, 1] = lower, upper
        else:
            V.force[dof] += gear * force
        return force
    if T.transmission[i] == BALL or T.transmission[i] == FREE:
        return _joint_force(L, T, i, V, bodies, start.qpos, start.qvel, u)
    if T.transmission[i] == CRANK:
        return _crank_force(T, i, V, bodies, u)
    if T.transmission[i] == ADHESION:
        b0, _, b2, E = force_law(T, i, u, 0.0, 0.0, V)
        law, force = S.pull_law[T.pull[i]], clamp(b0, lower + E, upper + E)
        law[0], law[1], law[2], law[3] = b0, b2, lower + E, upper + E
        return force
    return _site_force(T, i, V, bodies, u)


@kernel
def _left_out(T, i, V, u, length):
    """Force [N m] of the whole revolutions that servo i of a rotation subtracts, to take the shorter direction; 0 for others."""
    if not T.rotation[i] or is_controlled(T.gaintype[i]):
        return 0.0
    turn = turn_of(T, i)
    if not V.hold[0]:
        V.length[i] = length
        V.turns[i, 0] = turns_too_many(u - length, turn)
    return T.gain[i, 0] * turn * V.turns[i, 0]


@kernel
def _joint_force(L, T, i, V, bodies, qpos, qvel, u):
    """Force of actuator i on a ball (into V.force, or its servo) or a free joint (into V.wrench)."""
    q, axis, r, force, torque = scratch(4), scratch(3), scratch(3), scratch(3), scratch(3)
    free = T.transmission[i] == FREE
    adr, dof = T.qadr[i], T.dof[i]
    for k in range(4):
        q[k] = qpos[adr + 3 * free + k]
    quat_normalise(q)
    turn_axis(q, T.gear[i, 3 * free : 3 * free + 3], T.in_parent[i], axis)
    length, velocity = 0.0, 0.0
    if not free:
        length = ball_length(q, axis)
    for k in range(3):
        velocity += axis[k] * qvel[dof + 3 * free + k]
        if free:
            velocity += T.gear[i, k] * qvel[dof + k]
    b0, b1, b2, E = force_law(T, i, u, length, velocity, V)
    if not free:
        b0 -= _left_out(T, i, V, u, length)
    lower, upper = T.force_range[i, 0] + E, T.force_range[i, 1] + E
    p = clamp(b0 + b1 * length + b2 * velocity, lower, upper)
    servo = T.ball_servo[i]
    if servo >= 0:
        _set_ball_servo(T, i, V.servos, servo, b0, b1, b2, lower, upper)
        return p
    if not free:
        for k in range(3):
            V.force[dof + k] += axis[k] * p
        return p
    b = T.body[i, 0]
    for k in range(3):
        force[k] = T.gear[i, k] * p
        axis[k] *= p
    turn_vector(bodies[b, 6:10], axis, torque)
    turn_vector(bodies[b, 6:10], L.com[b], r)
    for k in range(3):
        r[k] = -r[k]  # from the centre of mass to the origin of the body frame
    _add_wrench(V.wrench, b, r, force, torque, 1.0)
    return p


@kernel
def _set_ball_servo(T, i, S, k, b0, b1, b2, lower, upper):
    """The law of actuator i, servo k of a ball, in this step."""
    S.ball_law[k, 0], S.ball_law[k, 1], S.ball_law[k, 2] = b0, b1, b2
    S.ball_range[k, 0], S.ball_range[k, 1] = lower, upper
    for m in range(3):
        S.ball_gear[k, m] = T.gear[i, m]


@kernel
def _add_wrench(wrench, b, r, force, torque, scale):
    """Add scale * (force at arm r from the centre of mass, torque), world axes, to body b; nothing for the world."""
    if b < 0:
        return
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        wrench[b, k] += scale * force[k]
        wrench[b, 3 + k] += scale * (torque[k] + r[m] * force[n] - r[n] * force[m])


@kernel
def _site_pose(T, i, side, bodies, x, q, r, v):
    """Site of actuator i, world axes: position x, orientation q (4,), arm r from the centre of mass, velocity v (6,)."""
    b, spin = T.body[i, side], scratch(3)
    for k in range(6):
        v[k] = 0.0
    if b < 0:
        for k in range(3):
            x[k], r[k] = T.site_pos[i, side, k], 0.0
        for k in range(4):
            q[k] = T.site_quat[i, side, k]
        return
    turn_vector(bodies[b, 6:10], T.site_pos[i, side], r)
    quat_mul(bodies[b, 6:10], T.site_quat[i, side], q)
    turn_vector(bodies[b, 6:10], bodies[b, 10:13], spin)
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        x[k] = bodies[b, k] + r[k]
        v[k] = bodies[b, 3 + k] + spin[m] * r[n] - spin[n] * r[m]
        v[3 + k] = spin[k]


@kernel
def _site_force(T, i, V, bodies, u):
    """Wrench of actuator i on the body of its site and, opposite, of its reference site; into V.wrench.

    Motion that both sites share with their last common body is not actuated (as in MuJoCo): the remaining torque acts on that body.
    """
    x, q, r, v = scratch((2, 3)), scratch((2, 4)), scratch((2, 3)), scratch((2, 6))
    f, spin, left = scratch(6), scratch(3), scratch(3)
    _site_pose(T, i, 0, bodies, x[0], q[0], r[0], v[0])
    reference = T.has_reference[i]
    if reference:
        _site_pose(T, i, 1, bodies, x[1], q[1], r[1], v[1])
    site_wrench(q[1] if reference else q[0], T.gear[i], f)
    length, velocity = 0.0, 0.0
    for k in range(6):
        velocity += f[k] * v[0, k]
    if reference:
        length = site_length(x[0], q[0], x[1], q[1], T.gear[i], f)
        c = T.common[i]
        for k in range(3):
            spin[k] = 0.0
        if c >= 0:
            turn_vector(bodies[c, 6:10], bodies[c, 10:13], spin)
        for k in range(3):
            m, n = (k + 1) % 3, (k + 2) % 3
            velocity -= f[k] * (v[1, k] + spin[m] * (x[0, n] - x[1, n]) - spin[n] * (x[0, m] - x[1, m]))
            velocity -= f[3 + k] * v[1, 3 + k]
            left[k] = (x[0, m] - x[1, m]) * f[n] - (x[0, n] - x[1, n]) * f[m]
    b0, b1, b2, E = force_law(T, i, u, length, velocity, V)
    if reference:
        b0 -= _left_out(T, i, V, u, length)
    p = clamp(b0 + b1 * length + b2 * velocity, T.force_range[i, 0] + E, T.force_range[i, 1] + E)
    _add_wrench(V.wrench, T.body[i, 0], r[0], f[0:3], f[3:6], p)
    if reference:
        _add_wrench(V.wrench, T.body[i, 1], r[1], f[0:3], f[3:6], -p)
        c = T.common[i]
        if c >= 0:
            for k in range(3):
                V.wrench[c, 3 + k] -= p * left[k]
    return p


@kernel
def _crank_force(T, i, V, bodies, u):
    """Wrenches of actuator i, a slider-crank, on the bodies of its pin (first) and its slider; into V.wrench."""
    gear = T.gear[i, 0]
    x, q, r, v = scratch((2, 3)), scratch((2, 4)), scratch((2, 3)), scratch((2, 6))
    R, f, torque, none = scratch((3, 3)), scratch(3), scratch(3), zeros(3)
    _site_pose(T, i, 0, bodies, x[0], q[0], r[0], v[0])
    _site_pose(T, i, 1, bodies, x[1], q[1], r[1], v[1])
    quat_to_matrix(q[1], R)
    dx, dy, dz = x[0, 0] - x[1, 0], x[0, 1] - x[1, 1], x[0, 2] - x[1, 2]
    length, push, turn = slider_crank(dx, dy, dz, R[0, 2], R[1, 2], R[2, 2], T.rod[i])
    f[0], f[1], f[2] = push[0], push[1], push[2]
    torque[0], torque[1], torque[2] = turn[0], turn[1], turn[2]
    velocity = 0.0
    for k in range(3):
        velocity += f[k] * (v[0, k] - v[1, k]) + torque[k] * v[1, 3 + k]
    length, velocity = gear * length, gear * velocity
    b0, b1, b2, E = force_law(T, i, u, length, velocity, V)
    p = clamp(b0 + b1 * length + b2 * velocity, T.force_range[i, 0] + E, T.force_range[i, 1] + E)
    _add_wrench(V.wrench, T.body[i, 0], r[0], f, none, gear * p)
    for k in range(3):
        f[k] = -f[k]
    _add_wrench(V.wrench, T.body[i, 1], r[1], f, torque, gear * p)
    return p


@entry
def drive_once(L, T, V, bodies, qpos, qvel, act, control, h, act_out):
    """`drive` on cleared wrenches and `advance_activations`, for callers in Python."""
    V.wrench[:, :] = 0.0
    drive(L, T, V, bodies, Start(qpos, qvel, act, control), h)
    advance_activations(T, V, act, h, act_out)
