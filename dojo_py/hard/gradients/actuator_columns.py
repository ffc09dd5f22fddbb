"""Right-hand sides through the actuators: by controls, activations and, where forces depend on it, the state.

The actuators' laws are differentiated by central differences: they cost a microsecond and contain none of the stiff terms. Servos
of rotations keep their number of whole revolutions meanwhile, or a jump at half a revolution would be taken for a derivative. A
control or an activation acts through one actuator and, where the total force on its joint is bounded, through the others on that
joint: only these are evaluated, or all where actuators from elsewhere act along a bounded joint (joint_bounds.py). The same
differences give the next activations (activation_change.py).

A force that does not depend on the state, on a site without a reference site, is a wrench fixed in its body. When the body rotates
by ψ it changes by ψ × (F, τ): no difference is needed, `take_fixed` subtracts it from the loads whose direction is fixed in the
world.
"""

import math

from dojo_py.actuation.controlled import GAIN_DCMOTOR, is_controlled
from dojo_py.actuation.force import BIAS_MUSCLE, GAIN_AFFINE, GAIN_MUSCLE, clamp
from dojo_py.actuation.orientation import QUAT
from dojo_py.actuation.transmission import ORIENTATION, SCALAR, SITE, TENDON
from dojo_py.algebra.rotations import quat_normalise
from dojo_py.arrays import copy
from dojo_py.hard.elements.ball_servos import ball_force
from dojo_py.hard.elements.dof_rows import solved_impulse
from dojo_py.hard.elements.drives import Start, apply_actuator, load_drive
from dojo_py.hard.elements.joint_bounds import bound_forces, bound_sum, forces_from_elsewhere, is_bounded
from dojo_py.hard.elements.orientations import orientation_impulse, orientation_place
from dojo_py.hard.gradients.activation_change import activation_unit, add_next, owner_of, room
from dojo_py.hard.gradients.workspace import EPSILON
from dojo_py.jit import kernel


@kernel
def shares_bounds(T):
    """Whether forces of actuators act along a bounded coordinate through the bodies: they depend on poses and on each other."""
    return T.reached.shape[0] > 0


@kernel
def is_law(T, i):
    """Whether actuator i acts through a law that the step solves with: of a joint, a tendon or two bodies' relative orientation."""
    if T.ball_servo[i] >= 0:
        return True
    return T.transmission[i] == SCALAR or T.transmission[i] == TENDON or T.transmission[i] == ORIENTATION


@kernel
def follows_bodies(T):
    """Whether an actuator's force is a wrench that depends on the bodies' poses (sites, ball and free joints)."""
    if shares_bounds(T):
        return True
    for i in range(T.transmission.shape[0]):
        if not is_law(T, i):
            return True
    return False


@kernel
def is_fixed(T, i):
    """Whether actuator i is a wrench fixed in its body: no state changes its force, its site has no reference site.

    Where joints bound such forces, too, they are differentiated with all others.
    """
    fixed = T.transmission[i] == SITE and not T.has_reference[i] and T.gaintype[i] == 0 and T.biastype[i] == 0
    return fixed and not shares_bounds(T)


@kernel
def _has_own_slopes(T, i):
    """Whether actuator i is a muscle or DC motor, whose law is linearised at the start of a step."""
    return T.gaintype[i] == GAIN_MUSCLE or T.biastype[i] == BIAS_MUSCLE or T.gaintype[i] == GAIN_DCMOTOR


@kernel
def follows_state(T):
    """Whether a force depends on the state otherwise than by a law of a joint or tendon or as a wrench that rotates with its
    body.
    """
    if shares_bounds(T):
        return True
    for i in range(T.transmission.shape[0]):
        if _has_own_slopes(T, i) or not (is_law(T, i) or is_fixed(T, i)):
            return True
    return False


@kernel
def follows_rates(T):
    """Whether an actuator's force depends on the rates otherwise than by its joint's law: not that of a rotor on a site."""
    if shares_bounds(T):
        return True
    for i in range(T.transmission.shape[0]):
        if _has_own_slopes(T, i):
            return True
        if not is_law(T, i) and (T.gaintype[i] != 0 or T.biastype[i] != 0):
            return True
    return False


@kernel
def take_fixed(L, T, V, G, start, h):
    """G.still (nb, 6) -= the actuators' wrenches that are fixed in the bodies: impulse h F and torque."""
    V.wrench[:, :] = 0.0
    V.hold[0] = 1
    found = False
    for i in range(T.transmission.shape[0]):
        if is_fixed(T, i):
            found = True
            apply_actuator(L, T, i, V, G.bodies, start, h)
    V.hold[0] = 0
    for b in range(G.still.shape[0] if found else 0):
        for i in range(3):
            G.still[b, i] -= h * V.wrench[b, i]
            G.still[b, 3 + i] -= V.wrench[b, 3 + i]


@kernel
def add_drive(L, T, W, V, G, bodies, start, h, factor):
    """G.d_force, G.d_servo, G.d_wrench += factor * what the actuators do at this state, but for wrenches fixed in bodies.

    Servos are evaluated at the length and rate of the solution: a servo's gain, its bias and, where the total force is bounded, its
    range depend on the controls, and its impulse depends on all of them.
    """
    V.wrench[:, :] = 0.0
    V.hold[0] = 1
    load_drive(L, T, V, bodies, start, h)
    for i in range(T.transmission.shape[0]):
        if not is_fixed(T, i):
            apply_actuator(L, T, i, V, bodies, start, h)
    bound_forces(L, T, V, bodies, start.qpos)
    V.hold[0] = 0
    for i in range(G.d_servo.shape[0]):
        G.d_servo[i] += factor * solved_impulse(L, W, V.servos, i, h, h)
    for k in range(V.servos.ball_joint.shape[0]):
        _add_ball_force(L, W, V.servos, G, k, h, factor)
    _add_forces(V, G, factor)
    add_next(T, V, G, start.act, h, 0, T.dof.shape[0], factor)


@kernel
def _add_ball_force(L, W, S, G, k, h, factor):
    """G.d_force += factor * the force of servo k of a ball."""
    force, axis = ball_force(L, W, S, k, h, h)
    for i in range(3):
        G.d_force[S.ball_dof[k] + i] += factor * force * axis[i]


@kernel
def _add_forces(V, G, factor):
    """G.d_force, G.d_wrench += factor * the forces and wrenches in V."""
    for i in range(G.d_force.shape[0]):
        G.d_force[i] += factor * V.force[i]
    for b in range(G.d_wrench.shape[0]):
        for i in range(6):
            G.d_wrench[b, i] += factor * V.wrench[b, i]


@kernel
def reader_of(T, k):
    """The actuator that reads control k. Controls are stored actuator by actuator, in the order of the actuators."""
    reader = 0
    for i in range(T.control.shape[0]):
        if T.control[reader] <= T.control[i] <= k:
            reader = i
    return reader


@kernel
def _acts_with(T, i, reader):
    """Whether actuator i is `reader`, or shares a joint or tendon with it whose total force is bounded."""
    if i == reader or shares_bounds(T):
        return True
    along = T.transmission[reader] == SCALAR or T.transmission[reader] == TENDON
    return along and T.transmission[i] == T.transmission[reader] and T.dof[i] == T.dof[reader] and is_bounded(T, T.dof[i])


@kernel
def _bounded_by(unit, lower, upper, slope):
    """unit, or if it is less the change of a control that takes a force of that slope through its range [lower, upper]."""
    return (upper - lower) / slope if 0.0 < upper - lower < unit * slope else unit


@kernel
def _size(control, first):
    """Length of the quaternion that starts at control `first`, whose direction alone counts; 1 where the length is 0."""
    size = math.sqrt(control[first] ** 2 + control[first + 1] ** 2 + control[first + 2] ** 2 + control[first + 3] ** 2)
    return size if size > 1e-9 else 1.0


@kernel
def control_unit(T, V, i, control, k):
    """Scale of a difference step of control k of actuator i: its size, at least 1, but no more than the ranges in which it acts,
    or the length of a quaternion.

    A step of 1e-5 of a motor's control would leave a force range of 1e-7 N: half of the difference would be missing.
    """
    unit = _bounded_by(max(1.0, abs(control[k])), T.control_range[k, 0], T.control_range[k, 1], 1.0)
    if is_controlled(T.gaintype[i]):
        return unit
    if T.orientation[i] >= 0 and T.spec[i] == QUAT:
        unit = min(unit, _size(control, T.control[i]))
    return _within_forces(T, V, i, unit)


@kernel
def _within_forces(T, V, i, unit):
    """unit, or if less the change of actuator i's signal that takes its force, or that on its joint, through its range."""
    along, slope, dof = T.transmission[i] == SCALAR or T.transmission[i] == TENDON, T.gain[i, 0], T.dof[i]
    if T.gaintype[i] == GAIN_AFFINE and along:
        slope += T.gear[i, 0] * (T.gain[i, 1] * V.angle[dof] + T.gain[i, 2] * V.rate[dof])
    unit = _bounded_by(unit, T.force_range[i, 0], T.force_range[i, 1], abs(slope))
    if along:
        unit = _bounded_by(unit, T.dof_range[dof, 0], T.dof_range[dof, 1], abs(T.gear[i, 0] * slope))
    return unit


@kernel
def _note_elsewhere(L, T, V, G, start, h, reader, factor):
    """G.d_force += factor * what acts along bounded coordinates from elsewhere (joint_bounds.py) at these inputs."""
    _apply(L, T, V, G, start, h, reader)
    forces_from_elsewhere(L, V, G.bodies, start.qpos)
    V.hold[0] = 0
    for dof in T.reached:
        G.d_force[dof] += factor * V.elsewhere[dof]


@kernel
def _within_shared_bounds(T, G, unit):
    """unit, or if less the change of an input that takes a force along a coordinate, from elsewhere, through its range.

    G.d_force: how much such forces change by `unit`; cleared.
    """
    share = 1.0
    for dof in T.reached:
        width = T.dof_range[dof, 1] - T.dof_range[dof, 0]
        if 0.0 < width < math.inf:
            share = max(share, abs(G.d_force[dof]) / width)
        G.d_force[dof] = 0.0
    return unit / share


@kernel
def control_drive(L, T, W, V, G, start, h, part_h, k):
    """G.d_force, G.d_servo, G.d_wrench = derivative of what the actuators do by control k: a central difference, or one inward.

    V holds `load_drive` of the state. The difference step is EPSILON of `control_unit`.
    h, part_h [s]: lengths of the step and of the part of it in W.
    """
    clear_drive(G)
    copy(start.control, G.control)
    reader = reader_of(T, k)
    unit = control_unit(T, V, reader, start.control, k)
    if shares_bounds(T):
        for side in range(2):
            G.control[k] = start.control[k] + (unit if side == 0 else -unit)
            V.control[k] = clamp(G.control[k], T.control_range[k, 0], T.control_range[k, 1])
            _note_elsewhere(L, T, V, G, Start(start.qpos, start.qvel, start.act, G.control), h, reader, 0.5 if side == 0 else -0.5)
        unit = _within_shared_bounds(T, G, unit)
    up, down = room(T, V, reader, start.control[k], start.act, start.control, h, EPSILON * unit)
    for side in range(2):
        G.control[k] = start.control[k] + (up if side == 0 else -down)
        V.control[k] = clamp(G.control[k], T.control_range[k, 0], T.control_range[k, 1])
        factor = (1.0 if side == 0 else -1.0) / (up + down)
        _add_reaction(L, T, W, V, G, Start(start.qpos, start.qvel, start.act, G.control), h, part_h, reader, factor)
    V.control[k] = clamp(start.control[k], T.control_range[k, 0], T.control_range[k, 1])


@kernel
def activation_drive(L, T, W, V, G, start, h, part_h, k):
    """`control_drive` by activation k. The difference step is EPSILON of `activation_unit`, or of the force's range if less."""
    clear_drive(G)
    copy(start.act, G.act)
    owner = owner_of(T, k)
    unit = activation_unit(T, owner, start.act[k])
    unit = unit if is_controlled(T.gaintype[owner]) else _within_forces(T, V, owner, unit)
    if shares_bounds(T):
        for side in range(2):
            G.act[k] = V.act[k] = start.act[k] + (unit if side == 0 else -unit)
            _note_elsewhere(L, T, V, G, Start(start.qpos, start.qvel, G.act, start.control), h, owner, 0.5 if side == 0 else -0.5)
        unit = _within_shared_bounds(T, G, unit)
    up, down = room(T, V, owner, start.act[k], start.act, start.control, h, EPSILON * unit)
    for side in range(2):
        G.act[k] = V.act[k] = start.act[k] + (up if side == 0 else -down)
        factor = (1.0 if side == 0 else -1.0) / (up + down)
        _add_reaction(L, T, W, V, G, Start(start.qpos, start.qvel, G.act, start.control), h, part_h, owner, factor)
    V.act[k] = start.act[k]


@kernel
def _add_reaction(L, T, W, V, G, start, h, part_h, reader, factor):
    """G.d_… += factor * what actuator `reader`, and those that share a bounded joint with it, do at these inputs.

    part_h [s]: length of the step, or of the part of it, in which they act.
    """
    _apply(L, T, V, G, start, h, reader)
    if shares_bounds(T):
        bound_forces(L, T, V, G.bodies, start.qpos)
    elif T.transmission[reader] == SCALAR or T.transmission[reader] == TENDON:
        bound_sum(T, V, T.dof[reader], V.lift[T.dof[reader]])
    V.hold[0] = 0
    for i in range(T.transmission.shape[0]):
        if T.servo[i] >= 0 and _acts_with(T, i, reader):
            G.d_servo[T.servo[i]] += factor * solved_impulse(L, W, V.servos, T.servo[i], part_h, part_h)
    if T.ball_servo[reader] >= 0:
        _add_ball_force(L, W, V.servos, G, T.ball_servo[reader], part_h, factor)
    o = T.orientation[reader]
    if o >= 0:
        change = orientation_impulse(L, W, V.servos, o, part_h, part_h)
        for r in range(3):
            G.d_orient[o, r] += factor * change[r]
    _add_forces(V, G, factor)
    add_next(T, V, G, start.act, h, reader, reader + 1, factor)


@kernel
def _apply(L, T, V, G, start, h, reader):
    """V.force, V.wrench and servos of actuator `reader` and of those that act with it. V.hold is set to 1."""
    V.force[:] = 0.0
    V.wrench[:, :] = 0.0
    V.given[:, :] = 0.0
    V.hold[0] = 1
    for i in range(T.transmission.shape[0]):
        if _acts_with(T, i, reader):
            apply_actuator(L, T, i, V, G.bodies, start, h)


@kernel
def clear_drive(G):
    """Set G.d_… to zero."""
    G.d_force[:] = 0.0
    G.d_servo[:] = 0.0
    G.d_orient[:, :] = 0.0
    G.d_wrench[:, :] = 0.0
    G.d_act[:] = 0.0


@kernel
def displaced(G, bodies, delta, out):
    """out (nb, 13) = bodies (nb, 13) moved by delta times the column's motion in G.moved."""
    for b in range(bodies.shape[0]):
        m, row, T = G.moved[b], out[b], G.tangent_before[b]
        for i in range(3):
            row[i] = bodies[b, i] + delta * m[i]
            row[3 + i] = bodies[b, 3 + i] + delta * m[6 + i]
            row[10 + i] = bodies[b, 10 + i] + delta * (T[i, 0] * m[9] + T[i, 1] * m[10] + T[i, 2] * m[11])
        x, y, z = 0.5 * delta * m[3], 0.5 * delta * m[4], 0.5 * delta * m[5]
        q = bodies[b, 6:10]
        row[6] = q[0] - x * q[1] - y * q[2] - z * q[3]
        row[7] = q[1] + x * q[0] + y * q[3] - z * q[2]
        row[8] = q[2] + y * q[0] + z * q[1] - x * q[3]
        row[9] = q[3] + z * q[0] + x * q[2] - y * q[1]
        quat_normalise(row[6:10])


@kernel
def put_drive(L, W, A, G, h, column):
    """Add the changes of the actuators in G.d_… to a column; put the change of the next activations into G.act_rows."""
    for k in range(G.d_act.shape[0]):
        G.act_rows[k, column] = G.d_act[k]
    for dof in range(G.d_force.shape[0]):
        n = L.dof_node[dof]
        if n >= 0 and G.d_force[dof] != 0.0:
            G.columns[L.place_node[n], L.dof_row[dof], column] += W.row_scale[dof] * h * G.d_force[dof]
    for a in range(G.d_servo.shape[0]):
        if G.d_servo[a] != 0.0:
            dof = A.servo_dof[a]
            G.columns[L.place_node[L.dof_node[dof]], L.dof_row[dof], column] += W.row_scale[dof] * G.d_servo[a]
    for k in range(G.d_orient.shape[0]):
        if A.orient_closure[k] >= 0:
            for r in range(3):
                G.columns[orientation_place(L, A, k), r, column] += G.d_orient[k, r]
    for b in range(G.d_wrench.shape[0]):
        f, R = G.d_wrench[b], W.R[b]
        x = G.columns[L.place_body[b]]
        for i in range(3):
            x[i, column] += h * f[i]
            x[3 + i, column] += h * (R[0, i] * f[3] + R[1, i] * f[4] + R[2, i] * f[5])
