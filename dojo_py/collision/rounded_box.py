"""A ball on body A against a rounded box on body B: a sphere against a sphere, a capsule or a box.

    y = Qᵀ (c_A - o),  z = clamp(y, -half, half),  gap = |y - z| - r_A - r_B,  normal Q (y - z)/|y - z|,  from B to A

Q, o: orientation and centre of the box. Inside the box the nearest face gives the normal: it comes from the shape, never from
the difference of two points that nearly coincide.
"""

import math

from dojo_py.jit import kernel

TINY = 1e-9
"""Distance [m] from the box below which the normal is that of the nearest face: the direction to the box would be round-off."""


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
                if not (-half[j] < y[j] < half[j]):
                    dm[i, j] = -m[i] * m[j] * inv
            if not (-half[i] < y[i] < half[i]):
                dm[i, i] += inv
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
