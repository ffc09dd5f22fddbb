"""Velocities where the length of a step changes: those with the same discrete momentum.

A step of length h leaves the discrete momentum p(v; h) of its velocities (bodies.py). Steps of another length h' go on from
velocities v' with p(v'; h') = p(v; h), not from v: what a free group conserves is p.
"""

from dojo_py.arrays import copy, copy_rows, scratch
from dojo_py.hard.elements.bodies import old_momentum, spin_of_momentum
from dojo_py.hard.elements.closures import start_closures
from dojo_py.hard.elements.coordinates import HALF_TURN
from dojo_py.hard.elements.joint_rows import start_joints
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, NODES
from dojo_py.hard.solve.first_point import hold_cones, start_motion
from dojo_py.hard.solve.goal import motion_alone
from dojo_py.hard.solve.interior_point import iterate
from dojo_py.hard.solve.residuals import evaluate_motion
from dojo_py.hard.solve.start import load_state, start_step
from dojo_py.hard.solve.start_impulses import COLD, guess_impulses
from dojo_py.hard.statuses import SOLVED
from dojo_py.hard.step.attempts import SOLVE_LIMIT
from dojo_py.hard.step.fast_rotation import in_shorter_intervals, parts_of_rotation, rotation_in
from dojo_py.hard.terms import FAST_PARTS
from dojo_py.jit import kernel


@kernel
def rescale_to_interval(L, W, h, to):
    """Velocities in W.sub_bodies over an interval h become those over the interval `to` with the same momentum."""
    momentum, v = scratch(6), scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            v[i], v[3 + i] = W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i]
        old_momentum(L.mass[b], L.inertia[b], v, h, momentum)
        spin_of_momentum(L.inertia[b], momentum, to, W.sub_bodies[b, 10:13])


@kernel
def take_carried(W):
    """Bodies that carry a momentum which no velocity over a step has start with it; none is carried on yet."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.next_carried[b] = 0.0
        W.unmatched[b] = 0
        if W.carried[b] > 0.0:
            copy(W.carry[b], W.begin[b])


@kernel
def start_parts(L, W, h, parts):
    """W.sub… = the start of the step. In parts, velocities are those over a part that have the same momentum.

    Where a body rotates too fast for a whole step, its momentum is that over a shorter interval, in which it rotates by the same
    fraction of the rotation (fast_rotation.py); velocities of joined bodies are those of fast_start.py then.
    """
    momentum = scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.start_bodies[b], W.sub_bodies[b])
        if parts > 1:
            v = W.v_prev[b]
            for i in range(3):
                v[i], v[3 + i] = W.start_bodies[b, 3 + i], W.start_bodies[b, 10 + i]
            if W.carried[b] > 0.0:
                copy(W.carry[b], momentum)
            elif W.fast[b] == 1:
                for i in range(3):
                    v[i], v[3 + i] = W.fast_bodies[b, 3 + i], W.fast_bodies[b, 10 + i]
                    W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = v[i], v[3 + i]
                old_momentum(L.mass[b], L.inertia[b], v, h / FAST_PARTS, momentum)
            else:
                own = parts_of_rotation(rotation_in(v, h), L.most_turn[b], parts)
                in_shorter_intervals(v, h, own)
                old_momentum(L.mass[b], L.inertia[b], v, h / own, momentum)
                for i in range(3):
                    W.sub_bodies[b, 10 + i] = v[3 + i]
            spin_of_momentum(L.inertia[b], momentum, h / parts, W.sub_bodies[b, 10:13])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        W.sub_angle[i], W.sub_rate[i] = W.start_angle[i], W.start_rate[i]


@kernel
def begin_whole(L, P, Q, W, h, recovery):
    """Where the whole step of the islands starts. recovery: how fast an initial violation is undone at most [m/s, rad/s]."""
    start_parts(L, W, h, 1)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    take_carried(W)
    start_step(L, P, Q, W, h, recovery)


@kernel
def next_part(L, W, h):
    """The state after one part of a subdivided step becomes the start of the next."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            W.sub_bodies[b, i], W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            W.sub_bodies[b, 6 + i] = W.qn[b, i]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        W.sub_rate[dof] = W.rows[L.dof_node[dof], L.dof_row[dof]]
        W.sub_angle[dof] += h * W.sub_rate[dof]


@kernel
def match_momentum(L, P, Q, A, W, h, part_h):
    """W.v = velocities over the whole step h that have the momentum at the end of its last part, of length part_h.

    The momentum at the end of an interval is that at the start of the interval run backwards (bodies.py with -h): a step of length
    -h from the end, with that momentum and no forces and contacts, has these velocities; joints hold at the poses one interval
    before. Bodies that rotate by more than they may in one part have no such velocity: their momentum is carried on beside the
    velocities, with h/part_h as its flag, and energy_momentum.py computes velocities from both where they are asked for.
    """
    found = end_velocities(L, P, Q, A, W, h, part_h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.next_carry[b])
        W.next_carried[b] = 0.0 if found else h / part_h
        W.unmatched[b] = 0 if found else 1
        if not found:
            copy(W.v_prev[b], W.v[b])
        copy(W.x[b], W.xn[b])
        copy(W.q[b], W.qn[b])
        copy_rows(W.R[b], W.Rn[b])


@kernel
def pose_differences(W, old, h, new):
    """Velocities of bodies whose step was in parts and whose momentum no velocity over h has: differences of their poses over h.

    old, new (nb, 13): before and after the step. Returns whether all these bodies have one: not from half a revolution on.
    """
    found = True
    for b in range(old.shape[0]):
        if W.parts[b] <= 1 or not W.unmatched[b]:
            continue
        q, p = old[b, 6:10], new[b, 6:10]
        cosine = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3]
        if abs(cosine) <= HALF_TURN:  # half a turn and more has no velocity over h: those over the last part stay
            found = False
            continue
        scale = 2.0 / h if cosine > 0.0 else -2.0 / h
        for i in range(3):
            j, k = 1 + (i + 1) % 3, 1 + (i + 2) % 3
            new[b, 3 + i] = (new[b, i] - old[b, i]) / h
            # vec(q* ⊗ p)
            new[b, 10 + i] = scale * (q[0] * p[1 + i] - p[0] * q[1 + i] - (q[j] * p[k] - q[k] * p[j]))
    return found


@kernel
def end_velocities(L, P, Q, A, W, h, part_h):
    """W.v of `match_momentum`. Returns whether all bodies have such velocities and rotate by no more than they may in one part."""
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, part_h)
    found = _free_velocities(L, W, h) if W.span[NODES, 1] == W.span[NODES, 0] else _joined_velocities(L, P, Q, A, W, h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        found = found and rotation_in(W.v[b], h) <= L.most_turn[b]
    return found


@kernel
def _free_velocities(L, W, h):
    """W.v of `match_momentum` for bodies without joints, each by itself. Returns whether all have such a velocity."""
    found, momentum = True, scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.v_prev[b], W.v[b])
        spin_of_momentum(L.inertia[b], W.begin[b], h, W.v[b, 3:6])
        old_momentum(L.mass[b], L.inertia[b], W.v[b], h, momentum)
        for i in range(3, 6):
            size = abs(W.begin[b, 3]) + abs(W.begin[b, 4]) + abs(W.begin[b, 5])
            found = found and abs(momentum[i] - W.begin[b, i]) <= 1e-13 * size
    return found


@kernel
def _joined_velocities(L, P, Q, A, W, h):
    """W.v of `match_momentum` for bodies with joints, by a step of length -h. Returns whether that was solved."""
    contacts, limits = W.span[CONTACTS, 1], W.span[LIMITS, 1]
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = W.span[CONTACTS, 0], W.span[LIMITS, 0]
    start_joints(L, W)
    start_closures(L, W)
    guess_impulses(W, COLD)
    start_motion(L, W)
    hold_cones(W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.momentum[b])
    evaluate_motion(L, A, W, -h)
    status, _, _, _ = iterate(L, P, Q, A, W, -h, motion_alone(W.options.residual_tolerance, W.solver.at_rest, SOLVE_LIMIT))
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = contacts, limits
    return status == SOLVED
