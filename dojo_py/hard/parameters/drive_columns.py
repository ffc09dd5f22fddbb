"""Columns through the actuators and from outside, by central differences of what they do over the whole step.

Gears and the numbers of actuators act only through the actuators' forces and next activations. Geometry and the time step
do so, too, where an actuator's force depends on bodies (sites, balls, free joints) or a wrench acts about the centre of mass of a
part of a body. Evaluating these laws takes a microsecond, and they contain none of the stiff terms.
"""

from dojo_py.arrays import scratch
from dojo_py.hard.body_table import add_joint_forces, gather_wrenches
from dojo_py.hard.elements.ball_servos import ball_force
from dojo_py.hard.elements.dof_rows import solved_impulse
from dojo_py.hard.elements.drives import drive
from dojo_py.hard.elements.orientations import orientation_impulse, orientation_place
from dojo_py.hard.gradients.activation_change import next_activations
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.jit import kernel


@kernel
def clear_drive(D):
    """Set D.force, D.orient, D.wrench and D.act to zero."""
    D.force[:] = 0.0
    D.orient[:, :] = 0.0
    D.wrench[:, :] = 0.0
    D.act[:] = 0.0


@kernel
def add_drive(L, T, M, V, W, D, bodies, start, outside, h, step, factor):
    """D.force, D.wrench, D.orient += factor * impulses of actuators and from outside over a step of h [s] with the same end
    poses as the solved one, of length `step`; D.act += factor * the activations after it.
    """
    gather_wrenches(M, bodies, outside.wrenches, 0, V.wrench)
    V.hold[0] = 1
    drive(L, T, V, bodies, start, h)
    V.hold[0] = 0
    add_joint_forces(L, bodies, outside.joint_forces, 0, V.force, V.wrench)
    for i in range(D.force.shape[0]):
        D.force[i] += factor * h * V.force[i]
    S = V.servos
    for i in range(S.servo_dof.shape[0]):
        D.force[S.servo_dof[i]] += factor * solved_impulse(L, W, S, i, h, step)
    for k in range(S.ball_joint.shape[0]):
        force, axis = ball_force(L, W, S, k, h, step)
        for i in range(3):
            D.force[S.ball_dof[k] + i] += factor * h * force * axis[i]
    for k in range(D.orient.shape[0]):
        impulse = orientation_impulse(L, W, S, k, h, step)
        for i in range(3):
            D.orient[k, i] += factor * impulse[i]
    for b in range(D.wrench.shape[0]):
        for i in range(6):
            D.wrench[b, i] += factor * h * V.wrench[b, i]
    if start.act.shape[0] > 0:
        next_activations(T, V, start.act, h, 0, T.dof.shape[0], D.next_act)
        for k in range(start.act.shape[0]):
            D.act[k] += factor * D.next_act[k]


@kernel
def act_column(D, out):
    """out (na,) += the change of the next activations."""
    for k in range(out.shape[0]):
        out[k] += D.act[k]


@kernel
def set_gears(T, V):
    """Copy the servos' gears from the table."""
    for i in range(T.servo.shape[0]):
        if T.servo[i] >= 0:
            V.servos.servo_gear[T.servo[i]] = T.gear[i, 0]


@kernel
def drive_column(L, W, A, D, out):
    """out (nv,) += column of the impulses D.force, D.wrench, D.orient. A: Servos."""
    for dof in range(D.force.shape[0]):
        n = L.dof_node[dof]
        if D.force[dof] != 0.0 and n >= 0:
            pull_one(D.y[L.place_node[n], L.dof_row[dof]], W.row_scale[dof] * D.force[dof], out)
    for k in range(D.orient.shape[0]):
        for r in range(3 if A.orient_closure[k] >= 0 else 0):
            pull_one(D.y[orientation_place(L, A, k), r], D.orient[k, r], out)
    x = scratch(6)
    for b in range(D.wrench.shape[0]):
        f, R = D.wrench[b], W.R[b]
        size = 0.0
        for i in range(6):
            size += abs(f[i])
        if size == 0.0:
            continue
        for i in range(3):
            x[i] = f[i]
            x[3 + i] = R[0, i] * f[3] + R[1, i] * f[4] + R[2, i] * f[5]
        pull(D.y[L.place_body[b]], x, out)
