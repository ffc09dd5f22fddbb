"""The derivative of a step in parts: the step is solved once more, island by island and part by part, and each part differentiated.

Parts are not recorded when a step is first solved, as few steps are in parts; the same parts, from the same start, give the same
numbers. The derivative of each is computed in gradients/divided_step.py, compiled apart.
"""

from dojo_py.arrays import copy, copy_rows
from dojo_py.hard.body_table import add_joint_forces, gather_wrenches
from dojo_py.hard.compiled_apart import (
    BEGIN_PARTS,
    FIRST_PART,
    GIVE,
    GIVE_BACK,
    MATCHED_END,
    NEXT_PART,
    OPEN_END,
    WHOLE_ISLAND,
    differentiate,
)
from dojo_py.hard.elements.coordinates import to_minimal
from dojo_py.hard.elements.drives import Start, drive
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, take_islands
from dojo_py.hard.outcome import begin_attempts, is_solved
from dojo_py.hard.solve.first_point import hold_cones
from dojo_py.hard.solve.residuals import evaluate
from dojo_py.hard.solve.start_impulses import COLD, HERE
from dojo_py.hard.step.momentum_matching import end_velocities, next_part, pose_differences, start_parts
from dojo_py.hard.step.parts import one_part
from dojo_py.jit import kernel


@kernel
def differentiate_parts(L, P, Q, T, M, W, V, G, Z, control, outside, t, h, kappa, backwards):
    """Derivatives of step t of the Record Z, which was just solved in parts: see `apart.differentiate`.

    W.carried is that of its start. Returns whether they exist: else rows of A and B are zero, and nothing is pulled back.
    """
    islands = W.taken[1]
    known = differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, BEGIN_PARTS)
    copy_rows(W.start_bodies, W.sub_bodies)
    for k in range(islands):
        if not known:
            break
        take_islands(W, k, k + 1)
        _load_forces(L, T, M, W, V, Z, control, outside, t, h)
        if W.parts[W.members[BODIES, W.span[BODIES, 0]]] > 1:
            known = _follow_parts(L, P, Q, T, M, W, V, G, Z, control, outside, t, h, kappa)
            continue
        for i in range(2):
            W.span[MOVED_CONTACTS, i], W.span[MOVED_LIMITS, i] = W.span[CONTACTS, i], W.span[LIMITS, i]
        known = differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, WHOLE_ISLAND)
    take_islands(W, 0, islands)
    if known:
        differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, GIVE_BACK if backwards else GIVE)
    return known


@kernel
def lost_momenta(G):
    """Whether there were cotangents of carried momenta, which are zero from now on."""
    total = 0.0
    for b in range(G.division.carried.shape[0]):
        for i in range(6):
            total += abs(G.division.carried[b, i])
    G.division.carried[:, :] = 0.0
    return total != 0.0


@kernel
def _load_forces(L, T, M, W, V, Z, control, outside, t, h):
    """Set forces of actuators and from outside to those at the start of step t (differentiation overwrites them)."""
    bodies = Z.bodies[t]
    gather_wrenches(M, bodies, outside.wrenches, t, V.wrench)
    drive(L, T, V, bodies, Start(Z.qpos[t], Z.qvel[t], Z.act[t], control), h)
    add_joint_forces(L, bodies, outside.joint_forces, t, V.force, V.wrench)


@kernel
def _follow_parts(L, P, Q, T, M, W, V, G, Z, control, outside, t, h, kappa):
    """Solve and differentiate the island in W.span part by part. Returns whether it has derivatives."""
    D, b = G.division, W.members[BODIES, W.span[BODIES, 0]]
    parts = W.parts[b]
    D.parts[0], D.lengths[0], D.lengths[1] = parts, h, h / parts
    copy(V.angle, W.start_angle)
    copy(V.rate, W.start_rate)
    start_parts(L, W, h, parts)
    copy(Z.qpos[t], D.qpos)
    copy(Z.qvel[t], D.qvel)
    for k in range(parts):
        if k > 0:
            _load_forces(L, T, M, W, V, Z, control, outside, t, h)
        copy_rows(V.wrench, G.wrench)
        copy_rows(V.wrench, W.wrench)
        finest, source = parts == 1 << int(W.options.subdivisions), COLD if k == 0 else HERE
        begin_attempts(W, W.options.max_iterations)
        one_part(L, P, Q, V.servos, W, D.lengths[1], W.options.recovery_speed, kappa, source, k == 0, finest, False, False)
        task = FIRST_PART if k == 0 else NEXT_PART
        if not is_solved(W) or not differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, task):
            return False
        next_part(L, W, D.lengths[1])
        D.lengths[0] = D.lengths[1]
        _part_coordinates(L, W, V, D)
    return _end(L, P, Q, T, W, V, G, Z, control, t, h, kappa)


@kernel
def _part_coordinates(L, W, V, D):
    """D.qpos, D.qvel: coordinates and rates over the last part where it ends."""
    for dof in range(L.dof_joint.shape[0]):
        if L.dof_vector[dof] < 0:
            D.qpos[L.dof_qadr[dof]] = W.sub_angle[dof]
    to_minimal(L, W.sub_bodies, D.lengths[1], D.qpos, D.qpos[0:0], D.qpos, D.qvel)


@kernel
def _end(L, P, Q, T, W, V, G, Z, control, t, h, kappa):
    """Derivative of the velocities at the end: those over the whole step with the last part's momentum, or pose differences."""
    D = G.division
    if not end_velocities(L, P, Q, V.servos, W, h, D.lengths[1]):
        for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
            W.unmatched[W.members[BODIES, k]] = 1
        if not pose_differences(W, W.start_bodies, h, W.sub_bodies):
            return False
        to_minimal(L, W.sub_bodies, h, D.qpos, D.qpos[0:0], D.qpos, D.rates)
        return differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, OPEN_END)
    contacts, limits = W.span[CONTACTS, 1], W.span[LIMITS, 1]
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = W.span[CONTACTS, 0], W.span[LIMITS, 0]
    hold_cones(W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.momentum[b])
    evaluate(L, P, Q, V.servos, W, -h)
    known = differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, MATCHED_END)
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = contacts, limits
    return known
