"""What sensors need of every hard step beyond its states: impulses over h, of contacts, limits, loops and actuators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.force import clamp
from dojo_py.actuation.transmission import TENDON
from dojo_py.hard.contact_table import empty_table, fill_contacts
from dojo_py.hard.elements.ball_servos import ball_force
from dojo_py.hard.elements.closures import add_loop
from dojo_py.hard.elements.coordinate_forces import about_origin, along_chains
from dojo_py.hard.elements.dof_rows import solved_impulse
from dojo_py.hard.elements.joint_bounds import is_bounded, wrenches_of_actuators
from dojo_py.jit import kernel


class Noted(NamedTuple):
    """One row for each of T steps; without rows where nothing is to be noted."""

    actuator: np.ndarray  # (T, nout) forces [N, N m]
    joint_actuator: np.ndarray  # (T, nd) forces of actuators along the coordinates and tendons that they drive
    limit: np.ndarray  # (T, number of limits) forces
    loops: np.ndarray  # (T, ne, 6) force and torque of connects and welds, tension of spatial tendons: see `closures.add_loop`
    contacts: np.ndarray  # (T, number of candidates, WIDTH)


def allocate_noted(world: Any, steps: int, room: int) -> Noted:
    """Rows for a number of steps; room: for features of pairs."""
    layout, z = world.layout, np.zeros
    outputs = len(world.actuators.dof) + 2 * int(np.sum(world.actuators.orientation >= 0))
    return Noted(
        z((steps, outputs)), z((steps, len(layout.dof_node))), z((steps, len(layout.limit_dof))),
        z((steps, len(layout.eq_kind), 6)), empty_table(world, room, steps),
    )  # fmt: skip


@kernel
def note_drive(L, T, V, bodies, qpos, N, t):
    """Row t of N: what `drive` found, before anything from outside is added. Along joints also what wrenches on bodies do.

    Forces of actuators on one tendon are scaled so that their sum is in the tendon's range, as in MuJoCo.
    """
    for i in range(V.actuator_force.shape[0]):
        N.actuator[t, i] = V.actuator_force[i]
    for i in range(T.dof.shape[0]):
        if T.transmission[i] == TENDON and is_bounded(T, T.dof[i]):
            total = 0.0
            for k in range(T.dof.shape[0]):
                if T.transmission[k] == TENDON and T.dof[k] == T.dof[i]:
                    total += V.actuator_force[T.output[k]]
            if total != 0.0:
                bound = clamp(total, T.dof_range[T.dof[i], 0], T.dof_range[T.dof[i], 1])
                N.actuator[t, T.output[i]] *= bound / total
    N.joint_actuator[t, :] = 0.0
    if wrenches_of_actuators(V):
        about_origin(bodies, V.of_actuators, V.load)
        along_chains(L, bodies, qpos, V.load, N.joint_actuator[t])
    for i in range(V.force.shape[0]):
        N.joint_actuator[t, i] += V.force[i] + V.lift[i]


@kernel
def note_step(L, P, Q, T, W, V, h, N, t):
    """Row t of N: what the step solved for."""
    S = V.servos
    for i in range(T.servo.shape[0]):
        k = T.servo[i]
        if k >= 0 and T.enabled[i]:
            along = solved_impulse(L, W, S, k, h, h) / h
            N.joint_actuator[t, S.servo_dof[k]] += along
            # (where the sum along a coordinate is bounded, `along` is what the bound leaves of the servo's own force)
            if S.servo_gear[k] != 0.0 and not is_bounded(T, S.servo_dof[k]):
                N.actuator[t, T.output[i]] = along / S.servo_gear[k]
    for i in range(T.ball_servo.shape[0]):
        k = T.ball_servo[i]
        if k >= 0:
            force, axis = ball_force(L, W, S, k, h, h)
            N.actuator[t, T.output[i]] = force
            for r in range(3):
                N.joint_actuator[t, S.ball_dof[k] + r] += force * axis[r]
    for i in range(T.pull.shape[0]):
        if T.pull[i] >= 0:
            N.actuator[t, T.output[i]] = S.pull_force[T.pull[i]]
    for i in range(T.orientation.shape[0]):
        k = T.orientation[i]
        if k >= 0 and S.orient_closure[k] >= 0:
            for r in range(3):
                N.actuator[t, T.output[i] + r] = S.orient_force[k, r]
    N.limit[t, :] = 0.0
    for m in range(W.n_limits[0]):
        l = W.limit_active[m]
        in_parts = W.parts[L.dof_body[L.limit_dof[l]]] > 1
        N.limit[t, l] = (W.summed_limit[m] if in_parts else W.lim[m, 0]) / h
    loops = N.loops[t]
    loops[:, :] = 0.0
    for n in range(L.node_joint.shape[0]):
        add_loop(L, W, n, 1.0 / h, loops)
    for e in range(loops.shape[0]):
        if W.parts[max(L.eq_bodies[e, 0], L.eq_bodies[e, 1])] > 1:
            for r in range(6):
                loops[e, r] = W.summed_loops[e, r] / h
    fill_contacts(L, P, Q, W, N.contacts[t])
