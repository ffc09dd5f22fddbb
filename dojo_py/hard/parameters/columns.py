"""Derivatives of a step by parameters: the implicit function theorem on the factorisation that `step_jacobian` left.

    dw/dθ = -(∂R/∂w)⁻¹ ∂R/∂θ ,   dq̇₊/dθ = (∂q̇₊/∂w) dw/dθ + ∂q̇₊/∂θ

A parameter acts on one body, joint, contact or actuator, so ∂R/∂θ has a few entries: in closed form, or by central differences of
that object's own kernel. All columns share one transposed solve (adjoint.py). Compiled apart from the step (compiled_apart.py).
"""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.by_address import Apart
from dojo_py.collision.participation import NOW
from dojo_py.hard import compiled_apart
from dojo_py.hard.elements.closures import lengths_slope
from dojo_py.hard.elements.coordinates import to_maximal
from dojo_py.hard.elements.drives import Start, drive
from dojo_py.hard.elements.joint_rows import start_joint
from dojo_py.hard.elements.lift import ACTS
from dojo_py.hard.elements.tendon_paths import path_state
from dojo_py.hard.gradients.actuator_columns import displaced, follows_bodies
from dojo_py.hard.gradients.closure_change import tendon_law_change
from dojo_py.hard.gradients.path_change import path_columns
from dojo_py.hard.gradients.rates import next_coordinates
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.gradients.state_columns import subtree_motion
from dojo_py.hard.parameters import flat
from dojo_py.hard.parameters.adjoint import pull_one, solve_adjoint, subtract_rates
from dojo_py.hard.parameters.closure_columns import closure_rows_column
from dojo_py.hard.parameters.com_columns import com_column
from dojo_py.hard.parameters.contact_columns import arm_column, ellipsoid_column, friction_column, ratio_column
from dojo_py.hard.parameters.drive_columns import act_column, add_drive, clear_drive, drive_column, set_gears
from dojo_py.hard.parameters.joint_columns import joint_column
from dojo_py.hard.parameters.moves import move, move_back, move_by
from dojo_py.hard.parameters.number_columns import body_number, bound_number, dof_number, rest_number
from dojo_py.hard.parameters.orientation_adjoint import orientation_adjoint
from dojo_py.hard.parameters.pair_columns import pair_column, size_column
from dojo_py.hard.parameters.plane_columns import plane_column
from dojo_py.hard.parameters.subtree import carry_down, subtree_adjoint
from dojo_py.hard.parameters.timestep_column import timestep_column
from dojo_py.hard.terms import EQ_LENGTHS, EQ_PATH, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.simulate.arguments import Outside

POINT, RADIUS, FRICTION = flat.POINT, flat.RADIUS, flat.FRICTION
SHAPE, PAIR_RADIUS, PAIR_FRICTION = flat.SHAPE, flat.PAIR_RADIUS, flat.PAIR_FRICTION
RATIO, PAIR_RATIO, REST, BOUND = flat.RATIO, flat.PAIR_RATIO, flat.REST, flat.BOUND
ELLIPSOID, SIZE, WRENCH, CENTRE = flat.ELLIPSOID, flat.SIZE, flat.WRENCH, flat.CENTRE
MASS, INERTIA, GRAVITY, OTHER = flat.MASS, flat.INERTIA, flat.GRAVITY, flat.OTHER
NUMBERS, COM, JOINT, ACTUATOR = flat.NUMBERS, flat.COM, flat.JOINT, flat.ACTUATOR
PLACES, PLANE, TIMESTEP = flat.PLACES, flat.PLANE, flat.TIMESTEP

SHORTER = 0.1
"""Difference step for the forces on bodies as these move, over the step for their poses: no time step divides the round-off of
forces."""


def by_parameters(L, P, Q, T, W, G, K, qpos, qvel, act, control, wrenches, joint_forces, t, h, out):
    """See `compiled_apart.differentiate_by_parameters`. out (T, p, 2 nv + na)."""
    (w, end), (f, last) = _row_of(wrenches, t), _row_of(joint_forces, t)
    outside = Outside(wrenches[w:end], joint_forces[f:last])
    parameter_columns(L, P, Q, T, W, G, K.adjoint, K.moved, Start(qpos, qvel, act, control), outside, h, out[t])
    return 1.0


PARAMETERS = Apart(compiled_apart.PARAMETERS, by_parameters, "derivatives by parameters")


def load_parameters(L, P, Q, T, M, W, V, G, K):
    """Compile or load them. Handles of the tables and work arrays, as `roll_out` takes them."""
    row, table, tables = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0))
    PARAMETERS.load(L, P, Q, T, W, G, K, row, row, row, row, tables, table, 0, 0.0, tables)


@kernel
def _row_of(rows, t):
    """Where the row of step t begins and ends: there are no rows, one for all steps, or one for each."""
    end = min(t + 1, rows.shape[0])
    return max(end - 1, 0), end


@kernel
def parameter_columns(L, P, Q, T, W, G, D, moved, start, outside, h, out):
    """out (p, 2 nv + na) = derivatives of the next tangent state [δq, δv, δact] by the p data of `moved`.

    W, G: as `step_jacobian` left them; D: an Adjoint; moved: a Moved; outside: an Outside of this step.
    """
    nv = start.qvel.shape[0]
    paths = _has_paths(L)
    lifted = L.lift_flags[ACTS] == 1
    follows = outside.wrenches.shape[0] > 0 or outside.joint_forces.shape[0] > 0 or follows_bodies(T) or paths or lifted
    drive(L, T, moved.V, G.bodies, start, h)  # the servos' whole revolutions, which differences hold
    out[:, :] = 0.0
    solve_adjoint(L, W, D, h)
    subtree_adjoint(L, W, G, D, h)
    orientation_adjoint(L, W, moved.V.servos, G, D, h)
    carry_down(L, W, G, D)
    here, before, joint_rates = scratch(6), scratch(6), scratch(6)
    for k in range(out.shape[0]):
        route, rates, acts = moved.route[k], out[k, nv : 2 * nv], out[k, 2 * nv :]
        if route == NUMBERS:
            _numbers(L, P, Q, W, D, moved, k, h, rates)
            # (on masses depend gravity compensation and the points where wrenches act on bodies with parts)
            if (lifted or outside.wrenches.shape[0] > 0) and _moves_weight(moved, k):
                _driven_otherwise(L, W, G, D, moved, k, start, outside, h, rates, acts)
        elif route == COM:
            b = moved.target[k]
            com_column(L, W, G, D, b, moved.axis[k], h, rates)
            if follows:
                _com_motion(W, G, b, moved.axis[k], h)
                _moved_drive(L, W, G, D, moved, k, start, outside, h, rates, acts)
        elif route == JOINT:
            j = moved.target[k]
            if j < 0:
                continue
            joint_column(L, W, G, D, moved, k, j, start.qpos, start.qvel, h, here, before, joint_rates, rates)
            if k + 1 == out.shape[0] or moved.route[k + 1] != JOINT or moved.target[k + 1] != j:
                start_joint(L, W, j)
            if follows:
                subtree_motion(L, W, G, L.child[j], here, before, True, h)
                if paths:
                    drive(L, T, moved.V, G.bodies, start, h)  # restore servos' laws after differences
                    _moved_paths(L, W, G, D, moved.V, j, joint_rates, h, rates)
                _moved_drive(L, W, G, D, moved, k, start, outside, h, rates, acts)
        elif route == PLACES:
            drive(L, T, moved.V, G.bodies, start, h)
            closure_rows_column(L, W, G, moved, k, h)
            _pull_column(G, D, rates)
            _driven_otherwise(L, W, G, D, moved, k, start, outside, h, rates, acts)
        elif route == PLANE:
            plane_column(L, P, Q, W, D, moved, k, h, rates)
        elif route == ACTUATOR:
            _driven_otherwise(L, W, G, D, moved, k, start, outside, h, rates, acts)
        else:
            timestep_column(L, W, G, D, start.qvel, h, rates)
            if paths:
                drive(L, T, moved.V, G.bodies, start, h)
                _paths_longer(L, W, G, D, moved, k, start.qpos, start.qvel, h, rates)
            _driven_longer(L, W, G, D, moved, k, follows, start, outside, h, rates, acts)
    next_coordinates(L, W, h, out)
    for k in range(out.shape[0]):
        if moved.route[k] == TIMESTEP:
            subtract_rates(L, W, h, out[k, nv : 2 * nv])


@kernel
def _moves_weight(moved, k):
    """Whether datum k moves a mass or an acceleration by gravity, as the shares that are compensated do."""
    for m in range(moved.start[k], moved.start[k + 1]):
        if moved.column[m] == MASS or moved.column[m] == GRAVITY:
            return True
    return False


@kernel
def _has_paths(L):
    """Whether spatial tendons act."""
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_PATH:
            return True
    return False


@kernel
def _moved_paths(L, W, G, D, V, j, rates, h, out):
    """out (nv,) += what spatial tendons do as bodies move (G.moved, G.under) because joint j changes, by rates (6,).

    G's first column is work.
    """
    G.columns[:, :, 0] = 0.0
    path_columns(L, W, V, G, -1, 0, 0, h)
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_LENGTHS:
            _, slope, _ = lengths_slope(L, W, e, h)
            for side in range(2):
                t = L.eq_tendons[e, side]
                if t >= 0 and L.eq_kind[t] == EQ_TENDON:
                    _held_length(L, W, G, e, t, side, 1.0 if side == 0 else -slope, j, rates, h)
    _pull_column(G, D, out)


@kernel
def _held_length(L, W, G, e, t, side, factor, j, rates, h):
    """Row of equality e through fixed tendon t: its length changes by the rates (6,) of joint j, not by the bodies' motion."""
    v, change, first = scratch(6), 0.0, L.eq_tendons[e, 2] if side == 1 else 0
    for slot in range(L.eq_bodies.shape[1] - first):
        b = L.eq_bodies[t, slot]
        if b >= 0 and G.under[b] == 1:
            as_velocity(W, G, b, G.moved[b], h, v)
            for i in range(6):
                change += W.Ceq[e, first + slot, 0, i] * v[i]
    for k in range(L.eq_terms[t, 0], L.eq_terms[t, 1]):
        if L.dof_joint[L.term_dof[k]] == j:
            change -= factor * L.term_coef[k] * rates[L.dof_row[L.term_dof[k]]]
    G.columns[L.place_node[L.node_joint.shape[0] - L.eq_kind.shape[0] + e], 0, 0] += change


@kernel
def _paths_longer(L, W, G, D, moved, k, qpos, qvel, h, out):
    """Change of the old rates of spatial tendons with the time step: differences of their lengths at two poses of given
    coordinates.
    """
    first, V = L.node_joint.shape[0] - L.eq_kind.shape[0], moved.V
    G.columns[:, :, 0] = 0.0
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] != EQ_PATH:
            continue
        before = 0.0
        for side in range(2):
            amount = moved.step[k] if side == 0 else -moved.step[k]
            to_maximal(L, qpos, qvel, h + amount, G.next_bodies)
            _, rate = path_state(L, e, V, G.next_bodies, h + amount)
            before += 0.5 * rate / amount
        tendon_law_change(L, W, V.servos, G, e, first + e, 0.0, before, 0.0, 0, h)
    _pull_column(G, D, out)


@kernel
def _pull_column(G, D, out):
    """out (nv,) += the first column of right-hand sides."""
    for place in range(G.columns.shape[0]):
        for row in range(D.y.shape[1]):
            value = G.columns[place, row, 0]
            if value != 0.0:
                pull_one(D.y[place, row], value, out)


@kernel
def _numbers(L, P, Q, W, D, moved, k, h, out):
    """Column of datum k, whose numbers act each by itself (flat.py)."""
    for m in range(moved.start[k], moved.start[k + 1]):
        column, row, value = moved.column[m], moved.row[m], moved.values[m]
        if column == OTHER:
            continue
        if column == MASS or column == INERTIA or column == GRAVITY or column == WRENCH:
            body_number(L, W, D, column, row, moved.part[m], value, h, out)
        elif column == POINT:
            arm_column(L, P, W, D, row, moved.part[m], value, h, out)
        elif column == RADIUS:
            arm_column(L, P, W, D, row, 3, value, h, out)
        elif column == ELLIPSOID:
            ellipsoid_column(L, P, W, D, row, moved.part[m], value, out)
        elif column == FRICTION:
            friction_column(W, D, row, value, out)
        elif column == RATIO:
            ratio_column(W, D, row, moved.part[m], value, out)
        elif column in (PAIR_FRICTION, PAIR_RATIO, SHAPE, PAIR_RADIUS, SIZE, CENTRE):
            _pair_number(L, P, Q, W, D, column, row, moved.part[m], value, h, out)
        elif column == REST:
            rest_number(L, W, D, row, moved.part[m], value, h, out)
        elif column == BOUND:
            bound_number(L, W, D, row, value, h, out)
        else:
            dof_number(L, W, D, moved.L, column, row, value, h, out)


@kernel
def _pair_number(L, P, Q, W, D, column, row, part, value, h, out):
    """Column of a number of a pair, or of a geom's shape: through all features that it is part of."""
    for f in range(W.n_features[NOW]):
        candidate = P.body.shape[0] + f
        if column == PAIR_FRICTION or column == PAIR_RATIO:
            if W.fpair[f] == row and column == PAIR_FRICTION:
                friction_column(W, D, candidate, value, out)
            elif W.fpair[f] == row:
                ratio_column(W, D, candidate, part, value, out)
            continue
        for side in range(2):
            if W.fshape[f, side] != row or D.slot[candidate] < 0:
                continue
            if column == SIZE:
                size_column(L, P, Q, W, D, D.slot[candidate], side, part, value, h, out)
            elif (W.fpair[f] < Q.rounds[0]) != (column == CENTRE):  # (round pairs have centres of their own: SHAPE)
                of_radius = column == PAIR_RADIUS
                place = side if of_radius else 3 * side + part
                pair_column(L, P, Q, W, D, D.slot[candidate], of_radius, place, value, h, out)


@kernel
def _com_motion(W, G, b, axis, h):
    """G.moved: the centre of body b moves along an axis of its frame, both where the step starts and one interval before."""
    G.moved[:, :] = 0.0
    for i in range(3):
        G.moved[b, i] = W.R[b, i, axis]
        G.moved[b, 6 + i] = (W.R[b, i, axis] - G.R_before[b, i, axis]) / h


@kernel
def _moved_drive(L, W, G, D, moved, k, start, outside, h, out, acts):
    """Column through the wrenches on the bodies, as datum k moves the bodies by G.moved."""
    clear_drive(D)
    for side in range(2):
        amount = SHORTER * moved.step[k] if side == 0 else -SHORTER * moved.step[k]
        factor = 0.5 / amount
        move_by(moved, k, amount)
        displaced(G, G.bodies, amount, G.next_bodies)
        add_drive(moved.L, moved.T, moved.M, moved.V, W, D, G.next_bodies, start, outside, h, h, factor)
    move_back(moved, k)
    drive_column(L, W, moved.V.servos, D, out)
    act_column(D, acts)


@kernel
def _driven_otherwise(L, W, G, D, moved, k, start, outside, h, out, acts):
    """Column through the actuators as datum k changes their numbers, such as gears."""
    clear_drive(D)
    for side in range(2):
        factor = move(moved, k, side)
        set_gears(moved.T, moved.V)
        add_drive(moved.L, moved.T, moved.M, moved.V, W, D, G.bodies, start, outside, h, h, factor)
    move_back(moved, k)
    set_gears(moved.T, moved.V)
    drive_column(L, W, moved.V.servos, D, out)
    act_column(D, acts)


@kernel
def _driven_longer(L, W, G, D, moved, k, follows, start, outside, h, out, acts):
    """Column through the actuators and outside wrenches as the time step changes."""
    clear_drive(D)
    for side in range(2):
        amount = moved.step[k] if side == 0 else -moved.step[k]
        bodies = G.bodies
        if follows:
            bodies = G.next_bodies
            to_maximal(L, start.qpos, start.qvel, h + amount, bodies)
        add_drive(L, moved.T, moved.M, moved.V, W, D, bodies, start, outside, h + amount, h, 0.5 / amount)
    drive_column(L, W, moved.V.servos, D, out)
    act_column(D, acts)
