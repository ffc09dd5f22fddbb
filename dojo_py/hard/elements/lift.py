"""Gravity compensation beyond what the layout's reduced gravity does: off the bodies' centres of mass, and through actuators.

Compensation lifts a body with -c m g at its own centre of mass. The layout's gravity contains that force, acting at the centre of
mass of the merged body; where the parts of one are compensated differently, a torque is left:

    τ = -m (R a) × g,     a = Σ c m r / m      r: from the merged body's centre of mass

On joints with actuatorgravcomp compensation is a force of the actuators (MuJoCo), along coordinate i with the screw (u, ψ)

    Q_i = Σ u·F + ψ·((x - x_child) × F + τ)    over the bodies below, see coordinate_forces.py;  F = -c m g

The reduced gravity contains it already, so that it matters only where it is bounded: a bound on the sum of the actuators' forces
leaves [lower - Q, upper - Q] to the others. Without actuation there is no compensation along these joints: -Q is added. Poses are
those at the start of the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.algebra.rotations import turn_back, turn_vector
from dojo_py.arrays import scratch
from dojo_py.hard.elements.coordinate_forces import chain_work, load_on, sum_below
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.mechanism.quaternion import matrix

PASSED, ACTS = 0, 1
"""Entries of L.lift_flags. PASSED: there is something to compute in every step. ACTS: the motion depends on it."""


def lift_tables(model: Any, where: Any, com: Any, mass: Any) -> dict[str, Any]:
    """The layout's fields about gravity and its compensation. com (nb, 3), mass (nb,): of the merged bodies."""
    nb = len(mass)
    share, arm = np.zeros(nb), np.zeros((nb, 3))
    comp, masses = np.asarray(model.body_gravcomp, float), np.asarray(model.body_mass, float)
    for node in range(nb):
        parts = np.flatnonzero(np.asarray(where.node) == node)
        share[node] = np.sum(masses[parts] * comp[parts]) / mass[node]
        heavy = parts[masses[parts] > 0.0]
        if np.ptp(comp[heavy]) > 0.0:  # else it acts at the centre
            for b in heavy:
                centre = where.pos[b] + matrix(where.quat[b]) @ np.asarray(model.body_ipos[b], float)
                arm[node] += masses[b] * comp[b] / mass[node] * (centre - com[node])
    through = np.zeros(model.nv, np.int64)
    for j in np.flatnonzero(np.asarray(model.jnt_actgravcomp, bool)):
        through[np.asarray(model.dof_jntid) == j] = 1
    bounded = np.asarray(model.jnt_actgravcomp, bool) & np.asarray(model.jnt_actfrclimited, bool)
    acts = bool(np.any(arm) or np.any(bounded) or (np.any(through) and not driven(model)))
    gravity = np.array(model.opt.gravity, float)
    return {
        "gravity": (1.0 - share)[:, None] * gravity,
        "lift_flags": np.array([bool(np.any(arm) or np.any(through)), acts], np.int64),
        "lift_share": share,
        "lift_arm": arm,
        "lift_gravity": gravity,
        "lift_driven": np.array([driven(model)], np.int64),
        "dof_lifted": through,
    }


def driven(model: Any) -> bool:
    """Whether actuators act at all; where none does, joints with actuatorgravcomp are not compensated."""
    return bool(int(model.nactuator)) and not int(model.opt.disableflags) & DisableBit.ACTUATION


@kernel
def lift_forces(L, V, bodies, qpos):
    """V.lift (nd,) = Q of the coordinates with actuatorgravcomp; add what acts off the centres of mass to V.wrench."""
    if not L.lift_flags[PASSED]:
        return
    load, g, nb = V.load, L.lift_gravity, L.mass.shape[0]
    r, F, M = scratch(3), scratch(3), scratch(3)
    for b in range(nb):
        m = L.mass[b]
        turn_vector(bodies[b, 6:10], L.lift_arm[b], r)
        for i in range(3):
            F[i], M[i] = -m * L.lift_share[b] * g[i], -m * g[i]
        for i in range(3):
            k, n = (i + 1) % 3, (i + 2) % 3
            torque = r[k] * M[n] - r[n] * M[k]
            V.wrench[b, 3 + i] += torque
            load[b, i], load[b, 3 + i] = F[i], torque + bodies[b, k] * F[n] - bodies[b, n] * F[k]
    sum_below(L, load)
    for j in range(L.kind.shape[0]):
        if _lifted(L, j):
            _joint_lift(L, V, bodies, qpos, j)


@kernel
def _lifted(L, j):
    """Whether gravity compensation along a coordinate of joint j is a force of the actuators (actuatorgravcomp)."""
    for i in range(L.vadr[j], L.vadr[j] + L.ndof[j]):
        if L.dof_lifted[i]:
            return True
    return False


@kernel
def _joint_lift(L, V, bodies, qpos, j):
    """V.lift of the coordinates of joint j, from the loads on its child."""
    b, first, n = L.child[j], L.vadr[j], L.ndof[j]
    q, F, M, r = bodies[b, 6:10], scratch(3), scratch(3), scratch(3)
    out = V.lift[first : first + n]
    load_on(L, bodies, V.load, j, F, M)
    if L.kind[j] == FREE or L.kind[j] == BALL:
        free = L.kind[j] == FREE
        if free and not L.lift_driven[0]:
            for i in range(3):
                V.wrench[b, i] -= F[i]
                V.wrench[b, 3 + i] -= M[i]
            return
        turn_vector(q, L.com[b] if free else L.anchor[j], r)
        sign = 1.0 if free else -1.0  # from the origin or the anchor to the centre
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            M[i] += sign * (r[k] * F[m] - r[m] * F[k])
        turn_back(q, M, r)
        for i in range(3):
            out[n - 3 + i] = r[i]
            if free:
                out[i] = F[i]
        return
    chain_work(L, j, bodies, qpos, F, M, out)
    for i in range(n):
        if not L.dof_lifted[first + i]:
            out[i] = 0.0
