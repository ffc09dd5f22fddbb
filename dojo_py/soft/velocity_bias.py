"""dJ/dt qvel of the equality rows connect and weld: the part of their acceleration that qacc does not make.

Contacts, limits and couplings leave it out, as MuJoCo does. Source: computation chapter, "Dual problem" (4.0).
"""

from dojo_py.algebra.rotations import quat_mul
from dojo_py.arrays import scratch, zeros
from dojo_py.jit import kernel
from dojo_py.soft.equality import CONNECT, EQUALITY, WELD, attachment, weld_ends
from dojo_py.soft.workspace import NE


@kernel
def bias_acceleration(m, pose, body, point, qvel, out):
    """Out (9,) = [linear 3, angular 3] acceleration of the point on the body at qacc = 0, then its angular velocity 3."""
    for k in range(9):
        out[k] = 0.0
    last = m.bodies[body].lastdof
    if last < 0:
        return
    A = zeros(6)
    for a in range(m.M_rowadr[last], m.M_rowadr[last + 1]):
        i = m.M_colind[a]
        for k in range(6):
            A[k] += pose.cdof_dot[i, k] * qvel[i]
    b = pose.bodies[body]
    v = b.cvel
    x, y, z = point[0] - b.com[0], point[1] - b.com[1], point[2] - b.com[2]
    vx = v[3] + v[1] * z - v[2] * y
    vy = v[4] + v[2] * x - v[0] * z
    vz = v[5] + v[0] * y - v[1] * x
    out[0] = A[3] + A[1] * z - A[2] * y + v[1] * vz - v[2] * vy
    out[1] = A[4] + A[2] * x - A[0] * z + v[2] * vx - v[0] * vz
    out[2] = A[5] + A[0] * y - A[1] * x + v[0] * vy - v[1] * vx
    for k in range(3):
        out[3 + k] = A[k]
        out[6 + k] = v[k]


@kernel
def add_pure_product(a, wx, wy, wz, b, scale, out):
    """Out (4,) += scale * a ⊗ (0, w) ⊗ b."""
    t = scratch(4)
    t[0] = 0.0
    t[1] = wx
    t[2] = wy
    t[3] = wz
    quat_mul(a, t, t)
    quat_mul(t, b, t)
    for k in range(4):
        out[k] += scale * t[k]


@kernel
def subtract_velocity_bias(m, pose, rows, qvel):
    """Aref of every connect and weld row -= dJ/dt qvel."""
    i = 0
    p1, p2 = scratch(3), scratch(3)
    q1, q2 = scratch(4), scratch(4)
    a1, a2 = scratch(9), scratch(9)
    total = scratch(4)
    while i < rows.counts[NE]:
        e = m.equalities[rows.rows[i].id]
        if rows.rows[i].type != EQUALITY or (e.type != CONNECT and e.type != WELD):
            i += 1
            continue
        b1 = attachment(m, pose, e, 1, p1, q1)
        b2 = attachment(m, pose, e, 2, p2, q2)
        bias_acceleration(m, pose, b1, p1, qvel, a1)
        bias_acceleration(m, pose, b2, p2, qvel, a2)
        for k in range(3):
            rows.rows[i + k].aref -= a1[k] - a2[k]
        i += 3
        if e.type == CONNECT:
            continue
        weld_ends(e, q1, q2)
        _orientation_bias(q1, q2, a1, a2, total)
        for k in range(3):
            rows.rows[i + k].aref -= 0.5 * e.coef[10] * total[1 + k]
        i += 3


@kernel
def _orientation_bias(q1, q2, a1, a2, total):
    """total (4,): its vector is the second derivative of 2 Im(conj(q2) q1) at no acceleration; q2 (4,) is conjugated already.

    dr/dt = ½ Im(conj(q2) w q1) with w = w1 - w2, differentiated once more. a1, a2 (9,): bias of both ends, see bias_acceleration.
    """
    w, left = scratch(4), scratch(4)
    for k in range(4):
        total[k] = 0.0
    wx, wy, wz = a1[6] - a2[6], a1[7] - a2[7], a1[8] - a2[8]
    add_pure_product(q2, a1[3] - a2[3], a1[4] - a2[4], a1[5] - a2[5], q1, 1.0, total)
    w[0] = 0.0
    for k in range(3):
        w[1 + k] = a2[6 + k]
    quat_mul(q2, w, left)
    add_pure_product(left, wx, wy, wz, q1, -0.5, total)
    for k in range(3):
        w[1 + k] = a1[6 + k]
    quat_mul(w, q1, w)
    add_pure_product(q2, wx, wy, wz, w, 0.5, total)
