"""Lengths and moment arms of tendons: fixed ones are linear in joint coordinates, spatial ones follow sites, wrapping and pulleys.

    length  l = Σ (straight pieces + pieces on objects) / divisor,    J = ∂l/∂q = Σ (ẋ_b - ẋ_a) · (b - a)/|b - a| / divisor

A rotor of inertia a on it adds a J Jᵀ to the inertia matrix and  a J (dJ/dt · q̇)  to the bias.

Source: computation chapter, "Kinematics"; the wrap itself: mechanism/wrapping.py.
"""

import numpy as np

from dojo_py.actuation.wrapping import unit3, wrap
from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import WrapType
from dojo_py.soft.velocity_bias import bias_acceleration

_, WRAP_PULLEY, WRAP_SITE, _, WRAP_CYLINDER = map(int, WrapType)


@kernel
def point_row(rowadr, colind, cdof, last, com, point, direction, scale, out):
    """out (nv,) += scale * direction . velocity of `point` on the body whose last dof is `last`."""
    if last < 0:
        return
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    d0, d1, d2 = direction
    for a in range(rowadr[last], rowadr[last + 1]):
        i = colind[a]
        out[i] += scale * (
            d0 * (cdof[i, 3] + cdof[i, 1] * z - cdof[i, 2] * y)
            + d1 * (cdof[i, 4] + cdof[i, 2] * x - cdof[i, 0] * z)
            + d2 * (cdof[i, 5] + cdof[i, 0] * y - cdof[i, 1] * x)
        )


@kernel
def piece(m, pose, a, body_a, b, body_b, divisor, out):
    """Straight piece from point a (3,) on body_a to b (3,) on body_b: its moment arms to out (nv,). Returns its length."""
    d = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if m.bodies[body_a].lastdof != m.bodies[body_b].lastdof:  # (what moves as one has no length to change)
        unit = unit3(d)
        at_a, at_b = pose.bodies[body_a], pose.bodies[body_b]
        point_row(m.M_rowadr, m.M_colind, pose.cdof, m.bodies[body_b].lastdof, at_b.com, b, unit, 1.0 / divisor, out)
        point_row(m.M_rowadr, m.M_colind, pose.cdof, m.bodies[body_a].lastdof, at_a.com, a, unit, -1.0 / divisor, out)
    return length / divisor


@kernel
def local_point(g, p):
    """Point p (3,) in the frame of g."""
    x, y, z = p[0] - g.xpos[0], p[1] - g.xpos[1], p[2] - g.xpos[2]
    R = g.xmat
    return (
        R[0, 0] * x + R[1, 0] * y + R[2, 0] * z,
        R[0, 1] * x + R[1, 1] * y + R[2, 1] * z,
        R[0, 2] * x + R[1, 2] * y + R[2, 2] * z,
    )


@kernel
def world_point(g, p):
    """Point p (3,) of the frame of g in the world."""
    R, o = g.xmat, g.xpos
    return (
        o[0] + R[0, 0] * p[0] + R[0, 1] * p[1] + R[0, 2] * p[2],
        o[1] + R[1, 0] * p[0] + R[1, 1] * p[1] + R[1, 2] * p[2],
        o[2] + R[2, 0] * p[0] + R[2, 1] * p[1] + R[2, 2] * p[2],
    )


@kernel
def position(frame):
    """Position of a site or geom."""
    return frame.xpos[0], frame.xpos[1], frame.xpos[2]


@kernel
def spatial_length(m, pose, t, out):
    """Length of spatial tendon t, its moment arms in out (nv,)."""
    first, last = m.tendons[t].adr, m.tendons[t].adr + m.tendons[t].num - 1
    divisor, length, w = 1.0, 0.0, first
    while w < last:
        if m.wraps[w].type == WRAP_PULLEY:
            divisor = m.wraps[w].prm
        if m.wraps[w].type == WRAP_PULLEY or m.wraps[w + 1].type == WRAP_PULLEY:
            w += 1
            continue
        s0 = m.wraps[w].objid
        a, body_a = position(pose.sites[s0]), m.sites[s0].bodyid
        kind = m.wraps[w + 1].type
        s1 = m.wraps[w + 1].objid if kind == WRAP_SITE else m.wraps[w + 2].objid
        b, body_b = position(pose.sites[s1]), m.sites[s1].bodyid
        curve = -1.0
        if kind != WRAP_SITE:
            geom = m.wraps[w + 1].objid
            frame, side_site = pose.geoms[geom], int(np.round(m.wraps[w + 1].prm))
            side = (0.0, 0.0, 0.0)
            if side_site >= 0:
                side = local_point(frame, position(pose.sites[side_site]))
            curve, on_a, on_b = wrap(
                local_point(frame, a), local_point(frame, b), m.geoms[geom].sizes[0], kind == WRAP_CYLINDER, side_site >= 0, side
            )
            if curve >= 0.0:
                p, q, body = world_point(frame, on_a), world_point(frame, on_b), m.geoms[geom].bodyid
                length += piece(m, pose, a, body_a, p, body, divisor, out) + curve / divisor
                length += piece(m, pose, q, body, b, body_b, divisor, out)
        if curve < 0.0:
            length += piece(m, pose, a, body_a, b, body_b, divisor, out)
        w += 1 if kind == WRAP_SITE else 2
    return length


@kernel
def tendon_lengths(m, pose, forces, qpos, qvel):
    """Length, velocity and moment arms of all tendons."""
    tendons, J = forces.tendons, forces.tendon_J
    for t in range(len(tendons)):
        for i in range(J.shape[1]):
            J[t, i] = m.tendon_J[t, i]
        if m.tendons[t].spatial:
            tendons[t].length = spatial_length(m, pose, t, J[t])
        else:
            length = 0.0
            for w in range(m.tendons[t].adr, m.tendons[t].adr + m.tendons[t].num):
                length += m.wraps[w].prm * qpos[m.joints[m.wraps[w].objid].qposadr]
            tendons[t].length = length
        velocity = 0.0
        for i in range(J.shape[1]):
            velocity += J[t, i] * qvel[i]
        tendons[t].velocity = velocity


@kernel
def point_velocity(b, point):
    """Velocity of a point of the body with state b."""
    v = b.cvel
    x, y, z = point[0] - b.com[0], point[1] - b.com[1], point[2] - b.com[2]
    return v[3] + v[1] * z - v[2] * y, v[4] + v[2] * x - v[0] * z, v[5] + v[0] * y - v[1] * x


@kernel
def lengthening(m, pose, t, qvel):
    """dJ/dt · qvel of the spatial tendon t, which passes sites and pulleys only: how fast it accelerates at qacc = 0."""
    first, last = m.tendons[t].adr, m.tendons[t].adr + m.tendons[t].num - 1
    divisor, total = 1.0, 0.0
    from_a, from_b = scratch(9), scratch(9)
    for w in range(first, last):
        if m.wraps[w].type == WRAP_PULLEY:
            divisor = m.wraps[w].prm
        if m.wraps[w].type != WRAP_SITE or m.wraps[w + 1].type != WRAP_SITE:
            continue
        s0, s1 = m.wraps[w].objid, m.wraps[w + 1].objid
        body_a, body_b = m.sites[s0].bodyid, m.sites[s1].bodyid
        if body_a == body_b:
            continue
        a, b = position(pose.sites[s0]), position(pose.sites[s1])
        d = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        length = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        u = unit3(d)
        va, vb = point_velocity(pose.bodies[body_a], a), point_velocity(pose.bodies[body_b], b)
        bias_acceleration(m, pose, body_a, a, qvel, from_a)
        bias_acceleration(m, pose, body_b, b, qvel, from_b)
        rate, square, along = 0.0, 0.0, 0.0
        for k in range(3):
            apart = vb[k] - va[k]
            rate += u[k] * apart
            square += apart * apart
            along += u[k] * (from_b[k] - from_a[k])
        if length > 0.0:
            along += (square - rate * rate) / length
        total += along / divisor
    return total


@kernel
def add_rotor_bias(m, pose, forces, qvel, out):
    """Out (nv,) += bias of the rotors on spatial tendons."""
    for t in range(len(m.tendons)):
        if m.tendons[t].armature > 0.0 and m.tendons[t].spatial:
            force = m.tendons[t].armature * lengthening(m, pose, t, qvel)
            for i in range(len(out)):
                out[i] += forces.tendon_J[t, i] * force
