"""Capsule and box: spheres at one or two points of the capsule's segment against the box.

First point: the nearest among the segment's ends that lie inside the box or over one of its faces, and the points of the segment
nearest to the box's twelve edges. Second point: the segment is followed in one direction until it ends or leaves the face.
  end over a face     towards the other end, until a coordinate along the face leaves the box's range
  near an edge        when one of the two coordinates across the edge moves inwards and the other outwards: the way on which the
                      inward part is the larger; until the inward coordinate has crossed the box or the one along the edge leaves it
  near a corner       the same with the three coordinates from the corner, none of which can leave
A point counts as near a corner when the two straight lines come closest beyond the edge's end.

In the box's frame: c, a (3,) the segment's middle and direction, half its half length, size (3,) the box's half sizes [m].
"""

import numpy as np

from dojo_py.arrays import scratch, zeros
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.sphere_box import sphere_box_at

PARALLEL = 1e-12
"""Squared sine below which a segment counts as parallel to an edge."""


@kernel
def edge_nearest(c, a, half, k, s, q):
    """Nearest points of the segment c + t a, |t| <= half, and the edge q + u e_k, |u| <= s.

    Returns t, the squared distance, and ±1 where the lines come closest beyond that end of the edge, else 0.
    """
    w = c[k] - q[k]
    dot = 0.0
    for i in range(3):
        dot += a[i] * (c[i] - q[i])
    det = 1.0 - a[k] * a[k]
    if det < PARALLEL:  # an edge across finds the corner at its end
        return 0.0, 1e300, 0.0
    t = (a[k] * w - dot) / det
    u = a[k] * t + w
    beyond = 1.0 if u > s else -1.0 if u < -s else 0.0
    t = min(max(t, -half), half)
    u = min(max(a[k] * t + w, -s), s)
    t = min(max(a[k] * u - dot, -half), half)
    u = min(max(a[k] * t + w, -s), s)
    if abs(u) >= s:  # the nearest point is the corner itself
        beyond = 1.0 if u > 0.0 else -1.0
    d2 = 0.0
    for i in range(3):
        d = c[i] + t * a[i] - q[i] - (u if i == k else 0.0)
        d2 += d * d
    return t, d2, beyond


@kernel
def nearest(c, a, half, size, side):
    """Parameter t of the segment's first point. side (3,): sign of the face, edge or corner it is near to; 0 along it."""
    best, t_best = 1e300, 0.0
    q, sign = scratch(3), scratch(3)
    for end in range(2):
        t = -half if end == 0 else half
        d2 = 0.0
        outside = 0
        for i in range(3):
            x = c[i] + t * a[i]
            sign[i] = 1.0 if x > size[i] else -1.0 if x < -size[i] else 0.0
            if sign[i] != 0.0:
                outside += 1
                d2 += (x - sign[i] * size[i]) ** 2
        if outside < 2 and d2 < best:
            best, t_best = d2, t
            for i in range(3):
                side[i] = sign[i]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for corner in range(4):
            sign[i] = 1.0 if corner & 1 else -1.0
            sign[j] = 1.0 if corner & 2 else -1.0
            q[i], q[j], q[k] = sign[i] * size[i], sign[j] * size[j], 0.0
            t, d2, sign[k] = edge_nearest(c, a, half, k, size[k], q)
            if d2 < best:
                best, t_best = d2, t
                for n in range(3):
                    side[n] = sign[n]
    return t_best


@kernel
def second(c, a, half, size, side, t):
    """Signed way from t to the segment's second point, or nan when there is none."""
    inwards, outwards = 0.0, 0.0
    near, ins = 0, 0
    for i in range(3):
        if side[i] != 0.0:
            near += 1
            if (a[i] > 0.0) != (side[i] > 0.0):  # a zero counts as negative
                inwards += a[i] * a[i]
                ins += 1
            else:
                outwards += a[i] * a[i]
    if near == 0:
        return np.nan
    if near == 1:
        d = -1.0 if t > 0.0 else 1.0
    elif ins == near or ins == 0:
        return np.nan
    else:
        d = 1.0 if inwards > outwards else -1.0
    way = half - d * t
    for i in range(3):
        v = d * a[i]
        if side[i] == 0.0:
            if v != 0.0:
                way = min(way, ((size[i] if v > 0.0 else -size[i]) - c[i] - t * a[i]) / v)
        elif near > 1 and v * side[i] < 0.0:
            way = min(way, 2.0 * size[i] / abs(v))
    return d * way


@kernel
def capsule_box(capsule, size_c, box, size_b, reach, out):
    """size_c: (radius, half-length, -), size_b: half-sizes (3,). Returns the number of contacts, 0 to 2."""
    R, C = box.xmat, capsule.xmat
    c, a, side = scratch(3), scratch(3), zeros(3)
    dx, dy, dz = capsule.xpos[0] - box.xpos[0], capsule.xpos[1] - box.xpos[1], capsule.xpos[2] - box.xpos[2]
    for i in range(3):
        c[i] = R[0, i] * dx + R[1, i] * dy + R[2, i] * dz
        a[i] = R[0, i] * C[0, 2] + R[1, i] * C[1, 2] + R[2, i] * C[2, 2]
    t = nearest(c, a, size_c[1], size_b, side)
    way = second(c, a, size_c[1], size_b, side, t)
    n = 0
    for point in range(2):
        if point == 1:
            if np.isnan(way):
                break
            t += way
        n = sphere_box_at(
            capsule.xpos[0] + t * C[0, 2], capsule.xpos[1] + t * C[1, 2], capsule.xpos[2] + t * C[2, 2], size_c[0], box, size_b,
            reach, out, n,
        )  # fmt: skip
    return n
