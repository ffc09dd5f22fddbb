"""A and B of one step: [δq, δv, δact] after = A [δq, δv, δact] before + B δcontrol."""

from dojo_py.arrays import copy, copy_rows
from dojo_py.hard.elements.drives import Start, load_drive
from dojo_py.hard.elements.lift import ACTS
from dojo_py.hard.gradients.activation_change import activations_follow_state
from dojo_py.hard.gradients.actuator_columns import (
    activation_drive,
    add_drive,
    clear_drive,
    control_drive,
    displaced,
    follows_rates,
    follows_state,
    put_drive,
    take_fixed,
)
from dojo_py.hard.gradients.closure_change import closure_columns, load_joints
from dojo_py.hard.gradients.contact_change import pair_changes, plane_changes
from dojo_py.hard.gradients.coordinate_move import move
from dojo_py.hard.gradients.implicit import factorise_at, solve_columns
from dojo_py.hard.gradients.next_state import next_rows
from dojo_py.hard.gradients.orientation_change import orientation_columns
from dojo_py.hard.gradients.own_joint import find_free_servos, own_joint_column
from dojo_py.hard.gradients.path_change import path_columns
from dojo_py.hard.gradients.screws import all_screws, poses_before
from dojo_py.hard.gradients.state_columns import body_columns, column_motion, pair_columns
from dojo_py.hard.gradients.workspace import EPSILON
from dojo_py.jit import kernel
from dojo_py.solver.octet import clear_block


@kernel
def step_jacobian(L, P, Q, T, W, V, G, start, h, kappa, A, B):
    """A (n, n), B (n, nu), n = 2 nv + na, of the step whose solution is in W. Returns whether the matrix is regular."""
    for b in range(G.v.shape[0]):
        for i in range(6):
            G.v[b, i] = W.v[b, i]
    regular = factorise_at(L, W, h, kappa)
    if regular:
        put_columns(L, P, Q, T, W, V, G, start, h)
        solve_columns(L, W, G.columns, G.again)
        read_rows(L, W, G, h, A, B)
    return regular


@kernel
def put_columns(L, P, Q, T, W, V, G, start, h):
    """G.columns[:, :, 0 : 2 nv + na + nu] = right-hand sides of all coordinates, rates, activations and controls; G.act_rows."""
    nv = start.qvel.shape[0]
    copy_rows(V.wrench, G.wrench)
    G.division.held[:] = 0
    start_columns(L, W, G, W.v_prev, start.qpos, start.qvel, h)
    for b in range(L.mass.shape[0]):
        for i in range(3):
            G.bodies[b, i], G.bodies[b, 3 + i], G.bodies[b, 10 + i] = W.x[b, i], W.v_prev[b, i], W.v_prev[b, 3 + i]
        for i in range(4):
            G.bodies[b, 6 + i] = W.q[b, i]
    take_loads(L, P, Q, W, G, h)
    take_fixed(L, T, V, G, start, h)
    find_free_servos(L, W, V.servos, G, h)
    load_joints(L, W, G)
    change = activations_follow_state(T)
    follows, by_rates = follows_state(T) or L.lift_flags[ACTS] == 1 or change, follows_rates(T) or change
    for dof in range(nv):
        for part in range(2):
            coordinate_column(L, W, V, G, dof, part, h, h)
            if follows and (part == 0 or by_rates):
                j = L.dof_joint[dof]
                _force_by_state(L, T, W, V, G, start, h, j, dof, part, part * nv + dof)
    put_inputs(L, T, W, V, G, start, h, h)


@kernel
def start_columns(L, W, G, v, qpos, qvel, h):
    """Clear the columns; find how bodies move with coordinates qpos and rates qvel where the step (or part) starts.

    v (nb, 6): the bodies' velocities over the interval before it, of length h [s].
    """
    G.act_rows[:, :] = 0.0
    for place in range(G.columns.shape[0]):
        clear_block(G.columns[place])
    poses_before(L, W, G, v, h)
    all_screws(L, W, G, qpos, qvel, h)
    for n in range(W.Gb.shape[0]):
        copy_rows(W.Gb[n], G.impulse[n])
    G.contact[:, :, :] = 0.0


@kernel
def take_loads(L, P, Q, W, G, h):
    """Set G.force, G.still: loads whose direction is fixed in the world, not in the bodies: momenta, gravity, outside wrenches
    (G.wrench), contacts with the world.

    h < 0: the step back from the end of a part (momentum_matching.py), which has no contacts.
    """
    for b in range(L.mass.shape[0]):
        for i in range(3):
            G.force[b, i] = W.momentum[b, i]
    if h > 0.0:
        plane_changes(P, W, G, h)
        pair_changes(L, P, Q, W, G, h)
    for b in range(L.mass.shape[0]):
        for i in range(3):
            G.still[b, i], G.still[b, 3 + i] = G.force[b, i], G.wrench[b, 3 + i]


@kernel
def coordinate_column(L, W, V, G, dof, part, before, h):
    """The column of a coordinate (part 0) or a rate (part 1) in a step of length h after an interval of length `before` [s]."""
    nv, j = L.dof_joint.shape[0], L.dof_joint[dof]
    column = part * nv + dof
    column_motion(L, W, G, dof, part, before)
    body_columns(L, W, G, h, column, part)
    if part == 0 and h > 0.0:
        pair_columns(L, W, G, dof, column)
    own_joint_column(L, W, V.servos, G, j, dof - L.vadr[j], part, column, h)
    closure_columns(L, W, V.servos, G, dof, part, column, h)
    path_columns(L, W, V, G, dof, part, column, h)
    orientation_columns(L, W, V.servos, G, part, column, h)


@kernel
def put_inputs(L, T, W, V, G, start, h, part_h):
    """The columns of activations and controls. h, part_h [s]: lengths of the step and of the part of it that W holds."""
    nv, na, nu = start.qvel.shape[0], start.act.shape[0], start.control.shape[0]
    load_drive(L, T, V, G.bodies, start, h)
    for k in range(na):
        activation_drive(L, T, W, V, G, start, h, part_h, k)
        put_drive(L, W, V.servos, G, part_h, 2 * nv + k)
    for i in range(nu):
        control_drive(L, T, W, V, G, start, h, part_h, i)
        put_drive(L, W, V.servos, G, part_h, 2 * nv + na + i)


@kernel
def _force_by_state(L, T, W, V, G, start, h, j, dof, part, column):
    """Derivatives by a coordinate or rate of actuator forces on sites, balls and free bodies, of muscles and gravity compensation.

    How a servo's force depends on length and rate over the step is part of the joint's or tendon's law.
    """
    clear_drive(G)
    for side in range(2):
        delta = EPSILON if side == 0 else -EPSILON
        copy(start.qpos, G.qpos)
        copy(start.qvel, G.qvel)
        if part == 0:
            move(L, G.qpos, j, dof - L.vadr[j], delta)
        else:
            G.qvel[dof] += delta
        displaced(G, G.bodies, delta, G.next_bodies)
        add_drive(L, T, W, V, G, G.next_bodies, Start(G.qpos, G.qvel, start.act, start.control), h, 0.5 / delta)
    if G.d_servo.shape[0] > 0 or L.eq_kind.shape[0] > 0:  # the next column reads their laws: restore them
        add_drive(L, T, W, V, G, G.bodies, start, h, 0.0)
    put_drive(L, W, V.servos, G, h, column)


@kernel
def read_rows(L, W, G, h, A, B):
    """A (n, n) and B (n, nu), n = 2 nv + na, from the solved columns."""
    nv, n = L.dof_joint.shape[0], A.shape[0]
    next_rows(L, W, G, h, 0, 0, A)
    next_rows(L, W, G, h, n, nv, B)
    for k in range(G.act_rows.shape[0]):
        copy(G.act_rows[k, 0:n], A[2 * nv + k])
        copy(G.act_rows[k, n:], B[2 * nv + k])
