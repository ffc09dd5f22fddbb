"""Actuators: transmission (length, velocity, moment arms), activation dynamics, force.

Length l(q), moment = dl/dq, velocity = moment . qvel; force p = gain * (activation or control) + bias;
joint force = moment^T p. Source: computation chapter, "Actuation model".
"""

import numpy as np

from dojo_py.actuation.controlled import GAIN_DCMOTOR, controlled_law, count_states, is_controlled
from dojo_py.actuation.muscle import muscle_bias, muscle_gain, muscle_rate
from dojo_py.actuation.orientation import asked_for, keep_within_pi
from dojo_py.actuation.short_way import turns_too_many
from dojo_py.actuation.wrapping import slider_crank
from dojo_py.algebra.quaternions import exponential, short_way
from dojo_py.arrays import scratch, zeros
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import BiasType, DisableBit, DynType, GainType, TrnType
from dojo_py.soft.kinematics import BALL, FREE, dof_count
from dojo_py.soft.spatial import normalize_quaternion, quaternion_to_rotation_vector, relative_rotation
from dojo_py.soft.workspace import NCON

TRN_JOINTINPARENT, TRN_SLIDERCRANK, TRN_TENDON, TRN_BODY, TRN_SO3 = (
    int(kind) for kind in (TrnType.JOINTINPARENT, TrnType.SLIDERCRANK, TrnType.TENDON, TrnType.BODY, TrnType.SO3)
)
DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE, *_ = map(int, DynType)
GAIN_AFFINE, BIAS_AFFINE = int(GainType.AFFINE), int(BiasType.AFFINE)
GAIN_MUSCLE, BIAS_MUSCLE = int(GainType.MUSCLE), int(BiasType.MUSCLE)
GAIN_SO3 = int(GainType.SO3)
DISABLE_ACTUATION = int(DisableBit.ACTUATION)


@kernel
def joint_transmission(a, s, j, qpos, moment, i):
    """Joint and jointinparent transmissions: scalar joints by gear[0]; ball and free joints by the gear's axis."""
    v = j.dofadr
    if j.type > BALL:
        s.length = a.gear[0] * qpos[j.qposadr]
        moment[i, v] = a.gear[0]
        return
    q = scratch(4)
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
    f = scratch(6)
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
    clear_common(rowadr, colind, last, last2, moment, i)


@kernel
def crank_transmission(a, s, m, pose, moment, i):
    """A slider-crank: gear along its length; unit force on the pin (first site), the opposite and a torque on the slider's body."""
    pin, slider = pose.sites[a.trnid[0]], pose.sites[a.trnid[1]]
    body, other = m.sites[a.trnid[0]].bodyid, m.sites[a.trnid[1]].bodyid
    dx, dy, dz = (pin.xpos[0] - slider.xpos[0], pin.xpos[1] - slider.xpos[1], pin.xpos[2] - slider.xpos[2])
    R, gear, f = slider.xmat, a.gear[0], zeros(6)
    length, push, turn = slider_crank(dx, dy, dz, R[0, 2], R[1, 2], R[2, 2], a.cranklength)
    s.length = gear * length
    for c in range(moment.shape[1]):
        moment[i, c] = 0.0
    f[0], f[1], f[2] = gear * push[0], gear * push[1], gear * push[2]
    site_wrench(m.M_rowadr, m.M_colind, pose.cdof, m.bodies[body].lastdof, pose.bodies[body].com, pin.xpos, f, 1.0, moment, i)
    f[3], f[4], f[5] = -gear * turn[0], -gear * turn[1], -gear * turn[2]
    last = m.bodies[other].lastdof
    site_wrench(m.M_rowadr, m.M_colind, pose.cdof, last, pose.bodies[other].com, slider.xpos, f, -1.0, moment, i)


@kernel
def orientation_transmission(a, m, pose, forces, qpos):
    """Three rows: axes of a ball joint or of a site beside a reference site; lengths: the rotation vector."""
    moment, first, f = forces.moment, a.outadr, zeros(6)
    for k in range(3):
        for c in range(moment.shape[1]):
            moment[first + k, c] = 0.0
    if a.trnid[1] < 0:
        j, q = m.joints[a.trnid[0]], scratch(4)
        for k in range(4):
            q[k] = qpos[j.qposadr + k]
        normalize_quaternion(q)
        x, y, z = quaternion_to_rotation_vector(q[0], q[1], q[2], q[3])
        for k in range(3):
            moment[first + k, j.dofadr + k] = 1.0
    else:
        site, ref = pose.sites[a.trnid[0]], pose.sites[a.trnid[1]]
        one, two = m.sites[a.trnid[0]].bodyid, m.sites[a.trnid[1]].bodyid
        x, y, z = relative_rotation(site.xquat, ref.xquat)
        for k in range(3):
            for c in range(3):
                f[3 + c] = site.xmat[c, k]
            for b, sign in ((one, 1.0), (two, -1.0)):
                last, com = m.bodies[b].lastdof, pose.bodies[b].com
                site_wrench(m.M_rowadr, m.M_colind, pose.cdof, last, com, site.xpos, f, sign, moment, first + k)
            clear_common(m.M_rowadr, m.M_colind, m.bodies[one].lastdof, m.bodies[two].lastdof, moment, first + k)
    forces.actuators[first].length = x
    forces.actuators[first + 1].length = y
    forces.actuators[first + 2].length = z


@kernel
def clear_common(rowadr, colind, last, last2, moment, i):
    """Dofs that move both sites at once do not change their relative pose: their moment arms vanish."""
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
    for n in range(len(m.actuators)):
        a = m.actuators[n]
        i = a.outadr
        s = forces.actuators[i]
        if a.trntype == TRN_SO3:
            orientation_transmission(a, m, pose, forces, qpos)
            for row in range(i, i + 3):
                speed = 0.0
                for k in range(nv):
                    speed += moment[row, k] * qvel[k]
                forces.actuators[row].velocity = speed
            continue
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
        elif a.trntype == TRN_SLIDERCRANK:
            crank_transmission(a, s, m, pose, moment, i)
        elif a.trntype == TRN_BODY:
            continue
        else:
            site_transmission(a, s, m.sites, m.bodies, m.M_rowadr, m.M_colind, pose.bodies, pose.sites, pose.cdof, moment, i)
        s.velocity = 0.0
        for k in range(nv):
            s.velocity += moment[i, k] * qvel[k]


@kernel
def adhesion_transmissions(m, pose, forces, rows, qvel):
    """Adhesion pulls at the contacts of a body: moment = -mean of their normals' Jacobians, after the contacts are found."""
    for n in range(len(m.actuators)):
        a = m.actuators[n]
        i = a.outadr
        if a.trntype != TRN_BODY:
            continue
        s, moment, f, count = forces.actuators[i], forces.moment, zeros(6), 0
        for c in range(moment.shape[1]):
            moment[i, c] = 0.0
        for k in range(rows.counts[NCON]):
            con = rows.contacts[k]
            b1, b2 = m.geoms[con.geom1].bodyid, m.geoms[con.geom2].bodyid
            if a.trnid[0] != b1 and a.trnid[0] != b2 or m.bodies[b1].lastdof == m.bodies[b2].lastdof:
                continue
            count += 1
            for c in range(3):
                f[c] = con.frame[0, c]
            for b, sign in ((b1, 1.0), (b2, -1.0)):
                last = m.bodies[b].lastdof
                site_wrench(m.M_rowadr, m.M_colind, pose.cdof, last, pose.bodies[b].com, con.pos, f, sign, moment, i)
        s.length = s.velocity = 0.0
        for c in range(moment.shape[1]):
            moment[i, c] /= max(1, count)
            s.velocity += moment[i, c] * qvel[c]


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
def controlled_force(a, s, forces, act, h):
    """Force of a servo or motor before clamping, what a motor adds to it, their slopes by the velocity; rates of its activations.

    The slopes are the wheel's, without that of friction by the bristles' state.
    """
    rates, start = forces.act_rate, a.actadr
    F, _, by_velocity, beyond, _, _ = controlled_law(
        a.gaintype, a.dynprm, a.gainprm, a.biasprm, a.ctrlspec, a.actearly, forces.control, a.ctrladr, act, start, s.length,
        s.velocity, h, rates, a.turn, scratch(2), False,
    )  # fmt: skip
    if a.disabled:
        for k in range(count_states(a.gaintype, a.dynprm, a.gainprm)):
            rates[start + k] = 0.0
        return
    s.force, s.beyond, s.slope = F, beyond, by_velocity
    if a.gaintype == GAIN_DCMOTOR and a.dynprm[5] > 0.0:
        s.own_slope = -a.dynprm[6]


@kernel
def orientation_force(a, forces, act, h):
    """Torques of a servo of an orientation, within their bound; rates of its activations."""
    o, asked = a.outadr, scratch(3)
    for k in range(3):
        s = forces.actuators[o + k]
        s.force = s.beyond = s.slope = s.own_slope = 0.0
        if a.dyntype != DYN_NONE:
            forces.act_rate[a.actadr + k] = 0.0 if a.disabled else forces.control[a.ctrladr + k]
    if a.disabled:
        return
    if a.dyntype != DYN_NONE:
        for k in range(3):
            asked[k] = act[a.actadr + k]
        if a.actearly:
            next_rotation(a, asked, 0, forces.act_rate, a.actadr, h)
        p = exponential(asked[0], asked[1], asked[2])
    else:
        p = asked_for(a.ctrlspec, forces.control, a.ctrladr)
    x, y, z = forces.actuators[o].length, forces.actuators[o + 1].length, forces.actuators[o + 2].length
    error, size = short_way(exponential(x, y, z), p), 0.0
    for k in range(3):
        s = forces.actuators[o + k]
        s.force = a.gainprm[0] * error[k] + a.biasprm[2] * s.velocity
        size += s.force * s.force
    size = np.sqrt(size)
    free = not a.forcelimited or size < a.forcerange[1]
    for k in range(3):
        s = forces.actuators[o + k]
        s.slope = a.biasprm[2] if free else 0.0
        if a.forcelimited and size > a.forcerange[1]:
            s.force *= a.forcerange[1] / size


@kernel
def next_rotation(a, act, first, rates, first_rate, h):
    """Three integrated controls after h [s], within their range and within π, in place."""
    for k in range(3):
        act[first + k] += h * rates[first_rate + k]
        if a.actlimited:
            act[first + k] = min(max(act[first + k], a.actrange[0]), a.actrange[1])
    keep_within_pi(act, first)


@kernel
def actuator_forces(m, forces, act, control):
    """Controls (nu,) and activations (na,) to actuator forces and to forces.actuator (nv,) [N, N m]."""
    out, driven = forces.actuator, not m.options[0].disableflags & DISABLE_ACTUATION
    for k in range(len(out)):
        out[k] = 0.0
    if driven:
        for k in range(len(control)):
            forces.control[k] = min(max(control[k], m.control_range[k, 0]), m.control_range[k, 1])
        for i in range(len(m.actuators)):
            actuator_force(m.actuators[i], forces, act, m.options[0].timestep)
        for t in range(len(m.tendons)):
            if m.tendons[t].actfrclimited:
                limit_tendon_force(m.actuators, forces.actuators, t, m.tendons[t].actfrcrange)
        for i in range(len(m.actuators)):
            push_joints(m, m.actuators[i], forces)
    else:
        for i in range(len(forces.actuators)):
            forces.actuators[i].force = 0.0
        for k in range(len(act)):
            forces.act_rate[k] = 0.0
    limit_joint_forces(m, forces, driven and len(m.actuators) > 0)


@kernel
def actuator_force(a, forces, act, h):
    """Force of one actuator before clamping, and the rates of its activations."""
    if a.gaintype == GAIN_SO3:
        orientation_force(a, forces, act, h)
        return
    s = forces.actuators[a.outadr]
    s.force = s.beyond = s.slope = s.own_slope = 0.0
    if is_controlled(a.gaintype):
        controlled_force(a, s, forces, act, h)
        return
    s.ctrl = forces.control[a.ctrladr]
    signal, rate = s.ctrl, 0.0
    if a.dyntype != DYN_NONE:
        rate = activation_rate(a, s.ctrl, act[a.actadr])
        forces.act_rate[a.actadr] = 0.0 if a.disabled else rate
        signal = next_activation(a, s.length, act[a.actadr], rate, h) if a.actearly else act[a.actadr]
    if not a.disabled:
        s.force = gain_and_bias(a, s, signal)


@kernel
def activation_rate(a, control, activation):
    """Rate [1/s] of an actuator's activation under this control."""
    if a.dyntype == DYN_INTEGRATOR:
        return control
    if a.dyntype == DYN_MUSCLE:
        return muscle_rate(control, activation, a.dynprm)
    error = control - activation
    if a.turn > 0.0:
        error -= a.turn * turns_too_many(error, a.turn)
    return error / max(1e-15, a.dynprm[0])


@kernel
def gain_and_bias(a, s, signal):
    """gain * signal + bias; a servo that takes the short way round has its signal moved by whole turns to the length's side."""
    gain = a.gainprm[0]
    if a.gaintype == GAIN_AFFINE:
        gain += a.gainprm[1] * s.length + a.gainprm[2] * s.velocity
    elif a.gaintype == GAIN_MUSCLE:
        gain, _, _ = muscle_gain(s.length, s.velocity, a.gainprm, a.lengthrange, a.acc0)
    if a.turn > 0.0:
        signal -= a.turn * turns_too_many(signal - s.length, a.turn)
    if a.biastype == BIAS_AFFINE:
        return gain * signal + (a.biasprm[0] + a.biasprm[1] * s.length + a.biasprm[2] * s.velocity)
    if a.biastype == BIAS_MUSCLE:
        bias, _ = muscle_bias(s.length, a.biasprm, a.lengthrange, a.acc0)
        return gain * signal + bias
    return gain * signal


@kernel
def push_joints(m, a, forces):
    """Add momentᵀ force of one actuator, within its range, to forces.actuator (nv,)."""
    out, first = forces.actuator, a.outadr
    if a.gaintype == GAIN_SO3:
        for row in range(first, first + 3):
            for k in range(len(out)):
                out[k] += forces.moment[row, k] * forces.actuators[row].force
        return
    s = forces.actuators[first]
    if a.forcelimited:
        s.force = min(max(s.force, a.forcerange[0]), a.forcerange[1])
        if s.force <= a.forcerange[0] or s.force >= a.forcerange[1]:
            s.slope = 0.0
    s.force += s.beyond
    s.slope += s.own_slope
    if s.force == 0.0:
        return
    if a.trntype <= TRN_JOINTINPARENT and m.joints[a.trnid[0]].type > BALL:
        out[m.joints[a.trnid[0]].dofadr] += a.gear[0] * s.force
        return
    for k in range(len(out)):
        out[k] += forces.moment[first, k] * s.force


@kernel
def limit_joint_forces(m, forces, driven):
    """Gravity compensation that counts as an actuator's force, then the joints' force ranges; nothing where no actuator acts."""
    out, compensates = forces.actuator, m.options[0].has_gravcomp
    if not driven:
        return
    for n in range(len(m.joints)):
        j = m.joints[n]
        k = j.dofadr
        if compensates and j.actgravcomp:
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
            total += actuators[m_actuators[i].outadr].force
    bound = min(max(total, limits[0]), limits[1])
    if bound != total:
        for i in range(len(m_actuators)):
            if m_actuators[i].trntype == TRN_TENDON and m_actuators[i].trnid[0] == t:
                actuators[m_actuators[i].outadr].force *= bound / total
