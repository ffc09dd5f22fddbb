"""A ball on body A against a rounded box on body B: a sphere against a sphere, a capsule or a box.

    y = Qᵀ (c_A - o),  z = clamp(y, -half, half),  gap = |y - z| - r_A - r_B,  normal Q (y - z)/|y - z|,  from B to A

Q, o: orientation and centre of the box. Inside the box the nearest face gives the normal: it comes from the shape, never from
the difference of two points that nearly coincide. Where the ball leaves the side of the box, |y_i| = half_i, the normal begins to
turn with y_i: its derivative there is the mean of both sides, as that of a central difference. Two equal capsules side by side are
there with all their ends, and moving one along the other takes two ends inside and two outside.
"""

import math

from dojo_py.jit import kernel

TINY = 1e-9
"""Distance [m] from the box below which the normal is that of the nearest face: the direction to the box would be round-off."""
AT_EDGE = 1e-12
"""Of half a side: distance from where it ends within which a ball is there."""


@kernel
def _outside(y, half):
    """1 beyond a side, where the nearest point stays and the normal turns, 0 within it, half where it ends. Without length: 1."""
    if half > 0.0 and abs(abs(y) - half) <= AT_EDGE * half:
        return 0.5
    return 1.0 * (abs(y) >= half)


@kernel
def ball_against_box(y, half, m, dm):
    """Signed distance from y (3,) to the box, unit normal m (3,) and dm/dy (3, 3), in its frame [m]. half (3,): its half sizes."""
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
                # directions along which the nearest point follows do not turn the normal
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
