"""The bound of all forces of actuators along the coordinate of a hinge or slide (actuatorfrcrange).

Actuators of the joint itself add to V.force, or are servos. Others reach the coordinate through the bodies: on sites and
slider-cranks, on tendons. Along it they do

    Q = Σ coef·F (fixed tendons) + the work of wrenches on the bodies below (coordinate_forces.py; of spatial tendons F ∂l/∂pose)

with the forces at the start of the step. The bound leaves [lower - Q, upper - Q] to the joint's own actuators, and where Q is
outside the bound, a force along the coordinate takes it back. Adhesion and servos of orientations are not counted: their forces
are found within the step.
"""

from __future__ import annotations

import math

import numpy as np

from dojo_py.actuation.force import clamp
from dojo_py.actuation.table import ActuatorTable
from dojo_py.actuation.transmission import CRANK, SITE, TENDON
from dojo_py.hard.elements.coordinate_forces import about_origin, along_chains
from dojo_py.hard.elements.layout import Layout
from dojo_py.hard.elements.tendon_paths import ROW, path_length, poses_at
from dojo_py.hard.terms import EQ_PATH, EQ_TENDON
from dojo_py.jit import kernel


def reached_coordinates(table: ActuatorTable, layout: Layout) -> np.ndarray:
    """The bounded coordinates along which actuators of sites, slider-cranks and tendons act, too."""
    nv = len(layout.dof_joint)
    bounded = np.isfinite(table.dof_range[:nv]).any(axis=1)
    above = dict(zip(layout.child.tolist(), layout.parent.tolist(), strict=True))
    moved: set[int] = set()
    reached = np.zeros(nv, bool)
    for i in np.flatnonzero(table.enabled):
        if table.transmission[i] in (SITE, CRANK):
            moved |= {int(b) for b in table.body[i]}
        elif table.transmission[i] == TENDON:
            for e in np.flatnonzero(layout.eq_dof == table.dof[i]):
                if layout.eq_kind[e] == EQ_PATH:
                    moved |= {int(b) for b in layout.eq_bodies[e]}
                elif layout.eq_kind[e] == EQ_TENDON:
                    reached[layout.term_dof[layout.eq_terms[e, 0] : layout.eq_terms[e, 1]]] = True
    for body in moved:
        while body >= 0:
            reached |= layout.child[layout.dof_joint] == body
            body = above[body]
    return np.flatnonzero(bounded & reached).astype(np.int64)


@kernel
def is_bounded(T, dof):
    """Whether the sum of the actuator forces on a coordinate is bounded."""
    return T.dof_range[dof, 0] > -math.inf or T.dof_range[dof, 1] < math.inf


@kernel
def bound_forces(L, T, V, bodies, qpos):
    """Keep the sums of the actuators' forces along coordinates and tendons in their ranges, after all have been applied."""
    nv = L.dof_joint.shape[0]
    for dof in range(nv, T.dof_range.shape[0]):
        bound_sum(T, V, dof, 0.0)
    if T.reached.shape[0] > 0:
        forces_from_elsewhere(L, V, bodies, qpos)
    for dof in range(nv):
        bound_sum(T, V, dof, V.lift[dof] + V.elsewhere[dof])


@kernel
def bound_sum(T, V, dof, others):
    """Keep the sum along a coordinate or tendon in its range: V.force, its servos, and others, which leave the servos the rest."""
    if not is_bounded(T, dof):
        return
    S = V.servos
    lower, upper = T.dof_range[dof, 0] - others, T.dof_range[dof, 1] - others
    servo = _join_servos(S, dof)
    if servo < 0:
        V.force[dof] = clamp(V.force[dof], lower, upper)
        return
    gear = S.servo_gear[servo]
    a, b = (lower - V.force[dof]) / gear, (upper - V.force[dof]) / gear
    a, b = min(a, b), max(a, b)
    low, high = max(a, S.servo_range[servo, 0]), min(b, S.servo_range[servo, 1])
    if low > high:  # no force of the servo brings the sum into the range: fix it at its lower bound and clamp the others' force
        low = high = S.servo_range[servo, 0]
        V.force[dof] = clamp(V.force[dof] + gear * low, lower, upper) - gear * low
    S.servo_range[servo, 0], S.servo_range[servo, 1] = low, high


@kernel
def _join_servos(S, dof):
    """Make one servo of all on a coordinate whose sum is bounded: that with the largest gear does what all did, g F = Σ gₖ Fₖ.

    Their laws are affine and have no ranges of their own (`drives.check_servos`), so that their sum is affine, too. Returns its
    number, -1: there is none with a gear.
    """
    servo = -1
    for k in range(S.servo_dof.shape[0]):
        if S.servo_dof[k] == dof and S.servo_gear[k] != 0.0:
            if servo < 0 or abs(S.servo_gear[k]) > abs(S.servo_gear[servo]):
                servo = k
    for k in range(S.servo_dof.shape[0]):
        if S.servo_dof[k] == dof and k != servo and servo >= 0:
            ratio = S.servo_gear[k] / S.servo_gear[servo]
            S.servo_force[servo] += ratio * S.servo_force[k]
            S.servo_b1[servo] += ratio * ratio * S.servo_b1[k]
            S.servo_b2[servo] += ratio * ratio * S.servo_b2[k]
            S.servo_force[k] = S.servo_b1[k] = S.servo_b2[k] = 0.0
    return servo


@kernel
def wrenches_of_actuators(V):
    """V.of_actuators (nb, 6) = the wrenches that actuators added to V.wrench. Returns whether there are any."""
    any_acts = False
    for b in range(V.wrench.shape[0]):
        for i in range(6):
            V.of_actuators[b, i] = V.wrench[b, i] - V.given[b, i]
            any_acts = any_acts or V.of_actuators[b, i] != 0.0
    return any_acts


@kernel
def forces_from_elsewhere(L, V, bodies, qpos):
    """V.elsewhere (nd,) = Q, from the actuators' wrenches (V.wrench beyond V.given) and their forces along tendons."""
    wrenches_of_actuators(V)
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_PATH:
            _pull_by_path(L, V, bodies, e, _tension(V, L.eq_dof[e]))
    about_origin(bodies, V.of_actuators, V.load)
    along_chains(L, bodies, qpos, V.load, V.elsewhere)
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_TENDON:
            force = _tension(V, L.eq_dof[e])
            for t in range(L.eq_terms[e, 0], L.eq_terms[e, 1]):
                V.elsewhere[L.term_dof[t]] += L.term_coef[t] * force


@kernel
def _tension(V, dof):
    """Force of the actuators along a tendon at the start of the step, in the direction in which its length grows."""
    S, force = V.servos, V.force[dof]
    for k in range(S.servo_dof.shape[0]):
        if S.servo_dof[k] == dof:
            gear = S.servo_gear[k]
            own = S.servo_force[k] + gear * (S.servo_b1[k] * V.angle[dof] + S.servo_b2[k] * V.rate[dof])
            force += gear * clamp(own, S.servo_range[k, 0], S.servo_range[k, 1])
    return force


@kernel
def _pull_by_path(L, V, bodies, e, force):
    """V.of_actuators += the wrenches of the spatial tendon of closure e on its bodies: force times the derivative of its length."""
    poses_at(L, e, V, bodies, 1.0, False)
    path_length(L, e, V.path_x, V.path_R, V.path_G)
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b < 0:
            continue
        row, R = V.path_G[slot, ROW], V.path_R[b]
        for i in range(3):
            V.of_actuators[b, i] += force * row[i]
            V.of_actuators[b, 3 + i] += force * (R[i, 0] * row[3] + R[i, 1] * row[4] + R[i, 2] * row[5])
