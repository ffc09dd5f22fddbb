"""Derivatives of the smooth forces with respect to velocity, for the implicit integrators.

D = d(passive + actuator)/dv: joint and tendon dampers, actuators with velocity gain, drag. The bias force's derivative d c/dv is
found one dof at a time by differentiating recursive Newton–Euler over the dof's subtree.
Source: computation chapter, "Numerical integration".
"""

import numpy as np

from dojo_py.actuation.controlled import is_controlled
from dojo_py.actuation.muscle import muscle_gain
from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.actuation import (
    BIAS_AFFINE,
    DISABLE_ACTUATION,
    DYN_NONE,
    GAIN_AFFINE,
    GAIN_MUSCLE,
    GAIN_SO3,
    TRN_JOINTINPARENT,
    TRN_TENDON,
    next_activation,
)
from dojo_py.soft.fluid import add_fluid
from dojo_py.soft.inertia import add_outer
from dojo_py.soft.kinematics import BALL, FREE, SLIDE
from dojo_py.soft.passive import DISABLE_DAMPER, all_passive_off, damper_slope
from dojo_py.soft.spatial import cross_force, cross_motion, multiply_inertia


@kernel
def at_limit(force, limits):
    """Whether a clamped force has reached one of its limits (2,), up to round-off."""
    slack = 1e-15 * max(1.0, abs(force))
    return force <= limits[0] + slack or force >= limits[1] - slack


@kernel
def target_at_limit(m, forces, a):
    """Whether the joint or tendon that actuator a drives has as much force from its actuators as it may."""
    if a.trntype <= TRN_JOINTINPARENT:
        j = m.joints[a.trnid[0]]
        return j.actfrclimited and j.type > BALL and at_limit(forces.actuator[j.dofadr], j.actfrcrange)
    if a.trntype == TRN_TENDON and m.tendons[a.trnid[0]].actfrclimited:
        total = 0.0
        for i in range(len(m.actuators)):
            if m.actuators[i].trntype == TRN_TENDON and m.actuators[i].trnid[0] == a.trnid[0]:
                one = forces.actuators[m.actuators[i].outadr]
                total += one.force - one.beyond
        return at_limit(total, m.tendons[a.trnid[0]].actfrcrange)
    return False


@kernel
def actuator_slope(m, forces, s, a, act):
    """d force / d velocity of actuator a; zero while its force, or that on its joint or tendon, is at a limit."""
    if a.gaintype == GAIN_SO3:
        return 0.0 if a.disabled else s.slope
    if is_controlled(a.gaintype):
        if a.disabled:
            return 0.0
        bounded = target_at_limit(m, forces, a)
        return (s.own_slope if a.trntype == TRN_TENDON else 0.0) if bounded else s.slope
    slope = 0.0
    if a.biastype == BIAS_AFFINE:
        slope += a.biasprm[2]
    if a.gaintype == GAIN_AFFINE or a.gaintype == GAIN_MUSCLE:
        signal = s.ctrl
        if a.dyntype != DYN_NONE:
            signal = act[a.actadr]
            if a.actearly:
                signal = next_activation(a, s.length, signal, forces.act_rate[a.actadr], m.options[0].timestep)
        by_velocity = a.gainprm[2]
        if a.gaintype == GAIN_MUSCLE:
            _, _, by_velocity = muscle_gain(s.length, s.velocity, a.gainprm, a.lengthrange, a.acc0)
        slope += by_velocity * signal
    if a.disabled or (a.forcelimited and (s.force <= a.forcerange[0] or s.force >= a.forcerange[1])):
        return 0.0
    return 0.0 if target_at_limit(m, forces, a) else slope


@kernel
def smooth_derivative(m, pose, forces, qvel, act, rows, D):
    """D (nC,) = d(passive + actuator)/d qvel in the pattern of M (lower triangle of a symmetric matrix). rows: work (6, nv)."""
    opt = m.options[0]
    for a in range(len(D)):
        D[a] = 0.0
    if not opt.disableflags & DISABLE_DAMPER:
        for i in range(len(qvel)):
            D[m.M_rowadr[i + 1] - 1] -= damper_slope(m.dofs[i].damping, qvel[i])
        for t in range(len(m.tendons)):
            slope = damper_slope(m.tendons[t].damping, forces.tendons[t].velocity)
            if slope != 0.0:
                add_outer(m.M_rowadr, m.M_colind, forces.tendon_J[t], -slope, D)
    if not opt.disableflags & DISABLE_ACTUATION:
        for i in range(len(m.actuators)):
            a = m.actuators[i]
            slope = actuator_slope(m, forces, forces.actuators[a.outadr], a, act)
            if slope != 0.0:
                for row in range(a.outadr, a.outadr + a.outnum):
                    add_outer(m.M_rowadr, m.M_colind, forces.moment[row], slope, D)
    if (opt.density > 0.0 or opt.viscosity > 0.0) and not all_passive_off(opt.disableflags):
        add_fluid(m, pose, rows, D)


@kernel
def body_sensitivity(m, pose, work, i, j, qvel):
    """Rows i of work (nbody, 18) = d[velocity 6, acceleration 6, force 6]/d qvel_j of body i; its parent's row is ready."""
    mb = m.bodies[i]
    b = pose.bodies[i]
    dv, da, t = scratch(6), scratch(6), scratch(6)
    for k in range(6):
        dv[k] = work[mb.parentid, k]
        da[k] = work[mb.parentid, 6 + k]
    for n in range(mb.jntadr, mb.jntadr + mb.jntnum):
        kind = m.joints[n].type
        r = m.joints[n].dofadr
        if kind == FREE:
            if r <= j < r + 3:
                for k in range(6):
                    dv[k] += pose.cdof[j, k]
            r += 3
        count = 1 if kind >= SLIDE else 3
        for c in range(r, r + count):  # d(cdof_dot) = dv_before × cdof
            cross_motion(dv, pose.cdof[c], t)
            for k in range(6):
                da[k] += t[k] * qvel[c]
        for c in range(r, r + count):
            if c == j:
                for k in range(6):
                    da[k] += pose.cdof_dot[c, k]
                    dv[k] += pose.cdof[c, k]
    f = work[i, 12:18]
    multiply_inertia(b.cinert, da, f)
    multiply_inertia(b.cinert, b.cvel, t)
    cross_force(dv, t, f)
    multiply_inertia(b.cinert, dv, t)
    cross_force(b.cvel, t, f)
    for k in range(6):
        work[i, k] = dv[k]
        work[i, 6 + k] = da[k]


@kernel
def bias_column(m, pose, work, j, qvel, column):
    """column (nv,) = d bias / d qvel_j. work: (nbody, 18) scratch."""
    first = np.int64(m.dofs[j].bodyid)
    n = len(m.bodies)
    for k in range(12):
        work[m.bodies[first].parentid, k] = 0.0
    last = int(first)
    body_sensitivity(m, pose, work, first, j, qvel)
    for i in range(first + 1, n):  # depth-first order: the subtree is contiguous
        if m.bodies[i].parentid < first:
            break
        body_sensitivity(m, pose, work, i, j, qvel)
        last = i
    for i in range(last, first, -1):
        p = m.bodies[i].parentid
        for k in range(12, 18):
            work[p, k] += work[i, k]
    for i in range(len(column)):
        column[i] = 0.0
    for i in range(first, last + 1):
        for r in range(m.bodies[i].dofadr, m.bodies[i].dofadr + m.bodies[i].dofnum):
            for k in range(6):
                column[r] += pose.cdof[r, k] * work[i, 12 + k]
    root = m.bodies[m.bodies[first].parentid].lastdof
    if root >= 0:
        for a in range(m.M_rowadr[root], m.M_rowadr[root + 1]):
            r = m.M_colind[a]
            for k in range(6):
                column[r] += pose.cdof[r, k] * work[first, 12 + k]
