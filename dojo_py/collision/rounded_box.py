"""A ball on body A against a rounded box on body B: a sphere against a sphere, a capsule or a box.

    y = Qᵀ (c_A - o),  z = clamp(y, -half, half),  gap = |y - z| - r_A - r_B,  normal Q (y - z)/|y - z|,  from B to A

Q, o: orientation and centre of the box. Inside the box the normal is that of the nearest face, never computed from two points that
nearly coincide. At |y_i| = half_i, where the ball passes the end of a face, the derivative of the normal by y_i jumps: the mean of
both sides is used, as in a central difference. All ends of two equal capsules side by side are at that place, and moving one along
the other takes two ends inside and two outside.
"""

import math

from dojo_py.jit import kernel

TINY = 1e-9
"""Distance [m] from the box below which the normal is that of the nearest face: the direction to the box would be round-off."""
AT_EDGE = 1e-12
"""Tolerance of |y_i| = half_i, over half_i."""


@kernel
def _outside(y, half):
    """d(y_i - z_i)/dy_i: 1 beyond the side, where z_i is clamped, 0 within it, 0.5 at its end; 1 if half is 0."""
    if half > 0.0 and abs(abs(y) - half) <= AT_EDGE * half:
        return 0.5
    return 1.0 * (abs(y) >= half)


@kernel
def ball_against_box(y, half, m, dm):
    """Signed distance [m] of y (3,) from the box; writes unit normal m (3,), dm/dy (3, 3). Box frame; half (3,): half sizes."""
    s = 0.0
    for i in range(3):
        z = min(max(y[i], -half[i]), half[i])
        m[i] = y[i] - z
        s += m[i] * m[i]
    distance = math.sqrt(s)
    for i in range(3):
        for j in range(3):
            dm[i, j] = 0.0
    if distance > TINY:
        inv = 1.0 / distance
        for i in range(3):
            m[i] *= inv
        for i in range(3):
            for j in range(3):
                # along axes on which the nearest point follows y, the normal does not change
                dm[i, j] = -m[i] * m[j] * inv * _outside(y[j], half[j])
            dm[i, i] += inv * _outside(y[i], half[i])
        return distance
    best, axis = math.inf, 2
    for i in range(3):
        depth = half[i] - abs(y[i])
        if depth < best:
            best, axis = depth, i
    for i in range(3):
        m[i] = 0.0
    m[axis] = 1.0 if y[axis] >= 0.0 else -1.0
    return -best
