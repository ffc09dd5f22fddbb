"""Actuators: transmission (length, velocity, moment arms), activation dynamics, force.

Length l(q), moment = dl/dq, velocity = moment . qvel; force p = gain * (activation or control) + bias;
joint force = moment^T p. Source: computation chapter, "Actuation model".
"""

import numpy as np

from dojo_py.actuation.muscle import muscle_bias, muscle_gain, muscle_rate
from dojo_py.actuation.short_way import turns_too_many
from dojo_py.jit import counted_kernel as kernel
from dojo_py.soft.kinematics import BALL, FREE, dof_count
from dojo_py.soft.spatial import normalize_quaternion, quaternion_to_rotation_vector, relative_rotation

TRN_JOINT, TRN_JOINTINPARENT, TRN_TENDON, TRN_SITE = 0, 1, 3, 4
DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE = range(5)
GAIN_AFFINE, BIAS_AFFINE = 1, 1
GAIN_MUSCLE, BIAS_MUSCLE = 2, 2
DISABLE_CLAMPCTRL, DISABLE_ACTUATION = 1 << 8, 1 << 11


@kernel
def joint_transmission(a, s, j, qpos, moment, i):
    """Joint and jointinparent transmissions: scalar joints by gear[0]; ball and free joints by the gear's axis."""
    v = j.dofadr
    if j.type > BALL:
        s.length = a.gear[0] * qpos[j.qposadr]
        moment[i, v] = a.gear[0]
        return
    q = np.empty(4)
    adr = j.qposadr
    if j.type == FREE:
        s.length = 0.0
        for k in range(3):
            moment[i, v + k] = a.gear[k]
        adr += 3
        v += 3
    for k in range(4):
        q[k] = qpos[adr + k]
    normalize_quaternion(q)
    g0, g1, g2 = a.gear[0], a.gear[1], a.gear[2]
    if j.type == FREE:
        g0, g1, g2 = a.gear[3], a.gear[4], a.gear[5]
    if a.trntype == TRN_JOINTINPARENT:  # the gear's axis turned from the parent's frame into the child's
        x, y, z = -q[1], -q[2], -q[3]
        tx, ty, tz = 2.0 * (y * g2 - z * g1), 2.0 * (z * g0 - x * g2), 2.0 * (x * g1 - y * g0)
        h0 = g0 + q[0] * tx + y * tz - z * ty
        h1 = g1 + q[0] * ty + z * tx - x * tz
        h2 = g2 + q[0] * tz + x * ty - y * tx
        g0, g1, g2 = h0, h1, h2
    if j.type == BALL:
        x, y, z = quaternion_to_rotation_vector(q[0], q[1], q[2], q[3])
        s.length = g0 * x + g1 * y + g2 * z
    moment[i, v] = g0
    moment[i, v + 1] = g1
    moment[i, v + 2] = g2


@kernel
def site_wrench(rowadr, colind, cdof, last, com, point, f, sign, moment, i):
    """moment[i] += sign * J^T f for the wrench f (6,) = [force, torque] at `point` on the body whose last dof is `last`."""
    if last < 0:
        return
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    t0 = f[3] + y * f[2] - z * f[1]
    t1 = f[4] + z * f[0] - x * f[2]
    t2 = f[5] + x * f[1] - y * f[0]
    for a in range(rowadr[last], rowadr[last + 1]):
        c = colind[a]
        moment[i, c] += sign * (
            cdof[c, 0] * t0 + cdof[c, 1] * t1 + cdof[c, 2] * t2 + cdof[c, 3] * f[0] + cdof[c, 4] * f[1] + cdof[c, 5] * f[2]
        )


@kernel
def site_transmission(a, s, m_sites, m_bodies, rowadr, colind, bodies, sites, cdof, moment, i):
    """Wrench gear (6,) in the site's frame, or in the reference site's; with a reference, length is the pose difference."""
    f = np.empty(6)
    site = sites[a.trnid[0]]
    body = m_sites[a.trnid[0]].bodyid
    for c in range(moment.shape[1]):
        moment[i, c] = 0.0
    ref = a.trnid[1]
    R = site.xmat if ref < 0 else sites[ref].xmat
    for k in range(3):
        f[k] = R[k, 0] * a.gear[0] + R[k, 1] * a.gear[1] + R[k, 2] * a.gear[2]
        f[3 + k] = R[k, 0] * a.gear[3] + R[k, 1] * a.gear[4] + R[k, 2] * a.gear[5]
    s.length = 0.0
    last = m_bodies[body].lastdof
    if ref < 0:
        site_wrench(rowadr, colind, cdof, last, bodies[body].com, site.xpos, f, 1.0, moment, i)
        return
    other = sites[ref]
    body2 = m_sites[ref].bodyid
    last2 = m_bodies[body2].lastdof
    if a.gear[0] != 0.0 or a.gear[1] != 0.0 or a.gear[2] != 0.0:
        for k in range(3):
            s.length += f[k] * (site.xpos[k] - other.xpos[k])
    if a.gear[3] != 0.0 or a.gear[4] != 0.0 or a.gear[5] != 0.0:
        x, y, z = relative_rotation(site.xquat, other.xquat)
        s.length += a.gear[3] * x + a.gear[4] * y + a.gear[5] * z
    site_wrench(rowadr, colind, cdof, last, bodies[body].com, site.xpos, f, 1.0, moment, i)
    site_wrench(rowadr, colind, cdof, last2, bodies[body2].com, other.xpos, f, -1.0, moment, i)
    # dofs that move both sites at once do not change their relative pose
    p, q = last, last2
    while p >= 0 and q >= 0 and p != q:
        if p > q:
            p = parent_dof(rowadr, colind, p)
        else:
            q = parent_dof(rowadr, colind, q)
    if p >= 0 and p == q:
        for k in range(rowadr[p], rowadr[p + 1]):
            moment[i, colind[k]] = 0.0


@kernel
def parent_dof(rowadr, colind, i):
    """The dof before i on the path from the root; -1 for the first."""
    return colind[rowadr[i + 1] - 2] if rowadr[i + 1] - rowadr[i] > 1 else -1


@kernel
def transmissions(m, pose, forces, qpos, qvel):
    """Length, moment arms and velocity of every actuator; those of the tendons are there."""
    moment = forces.moment
    nv = moment.shape[1]
    for i in range(len(m.actuators)):
        a = m.actuators[i]
        s = forces.actuators[i]
        if a.trntype <= TRN_JOINTINPARENT:
            j = m.joints[a.trnid[0]]
            joint_transmission(a, s, j, qpos, moment, i)
            if j.type > BALL:
                s.velocity = a.gear[0] * qvel[j.dofadr]
                continue
        elif a.trntype == TRN_TENDON:
            t = a.trnid[0]
            s.length = a.gear[0] * forces.tendons[t].length
            for k in range(nv):
                moment[i, k] = a.gear[0] * forces.tendon_J[t, k]
        else:
            site_transmission(
                a, s, m.sites, m.bodies, m.M_rowadr, m.M_colind, pose.bodies, pose.sites, pose.cdof, moment, i
            )
        s.velocity = 0.0
        for k in range(nv):
            s.velocity += moment[i, k] * qvel[k]


@kernel
def next_activation(a, length, act, act_dot, h):
    """Activation after h [s]: Euler, or the exact exponential for filterexact; clamped to actrange.

    That of a servo which takes the short way round is then moved by whole turns to the length's side.
    """
    if a.dyntype == DYN_FILTEREXACT:
        tau = max(1e-15, a.dynprm[0])
        act += act_dot * tau * (1.0 - np.exp(-h / tau))
    else:
        act += act_dot * h
    if a.actlimited:
        act = min(max(act, a.actrange[0]), a.actrange[1])
    if a.turn > 0.0:
        act -= a.turn * turns_too_many(act - length, a.turn)
    return act


@kernel
def actuator_forces(m, forces, act, control):
    """Controls (nu,) and activations (na,) to actuator forces and to forces.actuator (nv,) [N, N m]."""
    opt = m.options[0]
    out = forces.actuator
    nv = len(out)
    for k in range(nv):
        out[k] = 0.0
    if opt.disableflags & DISABLE_ACTUATION:
        for i in range(len(m.actuators)):
            forces.actuators[i].force = 0.0
            forces.actuators[i].act_dot = 0.0
    else:
        for i in range(len(m.actuators)):
            a = m.actuators[i]
            s = forces.actuators[i]
            u = control[i]
            if a.ctrllimited and not opt.disableflags & DISABLE_CLAMPCTRL:
                u = min(max(u, a.ctrlrange[0]), a.ctrlrange[1])
            s.ctrl = u
            s.act_dot = 0.0
            s.force = 0.0
            if a.dyntype == DYN_INTEGRATOR:
                s.act_dot = u
            elif a.dyntype == DYN_MUSCLE:
                s.act_dot = muscle_rate(u, act[a.actadr], a.dynprm)
            elif a.dyntype != DYN_NONE:
                error = u - act[a.actadr]
                if a.turn > 0.0:
                    error -= a.turn * turns_too_many(error, a.turn)
                s.act_dot = error / max(1e-15, a.dynprm[0])
            if a.disabled:
                s.act_dot = 0.0
                continue
            signal = u
            if a.dyntype != DYN_NONE:
                signal = act[a.actadr]
                if a.actearly:
                    signal = next_activation(a, s.length, signal, s.act_dot, opt.timestep)
            gain = a.gainprm[0]
            if a.gaintype == GAIN_AFFINE:
                gain += a.gainprm[1] * s.length + a.gainprm[2] * s.velocity
            elif a.gaintype == GAIN_MUSCLE:
                gain, _, _ = muscle_gain(s.length, s.velocity, a.gainprm, a.lengthrange, a.acc0)
            if a.turn > 0.0:
                signal -= a.turn * turns_too_many(signal - s.length, a.turn)
            s.force = gain * signal
            if a.biastype == BIAS_AFFINE:
                s.force += a.biasprm[0] + a.biasprm[1] * s.length + a.biasprm[2] * s.velocity
            elif a.biastype == BIAS_MUSCLE:
                bias, _ = muscle_bias(s.length, a.biasprm, a.lengthrange, a.acc0)
                s.force += bias
        for t in range(len(m.tendons)):
            if m.tendons[t].actfrclimited:
                limit_tendon_force(m.actuators, forces.actuators, t, m.tendons[t].actfrcrange)
        for i in range(len(m.actuators)):
            a = m.actuators[i]
            s = forces.actuators[i]
            if a.forcelimited:
                s.force = min(max(s.force, a.forcerange[0]), a.forcerange[1])
            if s.force == 0.0:
                continue
            if a.trntype <= TRN_JOINTINPARENT and m.joints[a.trnid[0]].type > BALL:
                out[m.joints[a.trnid[0]].dofadr] += a.gear[0] * s.force
            else:
                for k in range(nv):
                    out[k] += forces.moment[i, k] * s.force
    driven = len(m.actuators) > 0 and not opt.disableflags & DISABLE_ACTUATION
    for n in range(len(m.joints)):
        j = m.joints[n]
        k = j.dofadr
        if driven and j.actgravcomp and opt.has_gravcomp:
            for i in range(k, k + dof_count(j.type)):
                out[i] += forces.gravcomp[i]
        if j.actfrclimited and j.type > BALL:
            out[k] = min(max(out[k], j.actfrcrange[0]), j.actfrcrange[1])


@kernel
def limit_tendon_force(m_actuators, actuators, t, limits):
    """Scale the forces of all actuators on tendon t so that their sum stays within limits (2,)."""
    total = 0.0
    for i in range(len(m_actuators)):
        if m_actuators[i].trntype == TRN_TENDON and m_actuators[i].trnid[0] == t:
            total += actuators[i].force
    bound = min(max(total, limits[0]), limits[1])
    if bound != total:
        for i in range(len(m_actuators)):
            if m_actuators[i].trntype == TRN_TENDON and m_actuators[i].trnid[0] == t:
                actuators[i].force *= bound / total
