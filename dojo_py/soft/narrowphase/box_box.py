"""Two boxes: the separating axis of least penetration, then one face clipped by the other, or the point where two edges cross.

Axes: the six face normals and the nine cross products of edges; of a box pair with distance d between the centres, the separation
along a unit axis n is |d·n| - Σ size_a |a_i·n| - Σ size_b |b_j·n|. An edge pair must be better than the best face by a millionth of
its separation, by a twentieth where its axis lies within 8 degrees (cosine 0.99) of that face's normal.
Face: the other box's most opposed face, clipped by the four side planes of the reference face (Sutherland & Hodgman 1974), its
points below the reach. Edges: midway between the nearest points of the two edges; the distance is that along the axis.
"""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import write

CLOSE, CLOSE_MARGIN, MARGIN = 0.99, 0.05, 1e-6
"""Cosine from which an edge pair's axis counts as close to a face normal; relative improvements asked for."""
PARALLEL = 1e-16
"""Squared sine below which two edges make no axis."""


@kernel
def face_axis(R1, size_1, R2, size_2, d, best, n):
    """Largest separation along box 1's face normals, if it is above `best`: (separation, index or -1). n (3,): axis along d."""
    index = -1
    for i in range(3):
        along = d[0] * R1[0, i] + d[1] * R1[1, i] + d[2] * R1[2, i]
        other = 0.0
        for j in range(3):
            other += size_2[j] * abs(R1[0, i] * R2[0, j] + R1[1, i] * R2[1, j] + R1[2, i] * R2[2, j])
        s = abs(along) - size_1[i] - other
        if s > best:
            best, index = s, i
            sign = 1.0 if along >= 0.0 else -1.0
            for k in range(3):
                n[k] = sign * R1[k, i]
    return best, index


@kernel
def edge_axis(A, size_a, B, size_b, d, n):
    """Largest separation along a cross product of edges: (separation, 3 i + j, or -1 if all are parallel). n (3,): axis along d."""
    best, index = -1e300, -1
    x = scratch(3)
    for i in range(3):
        for j in range(3):
            x[0] = A[1, i] * B[2, j] - A[2, i] * B[1, j]
            x[1] = A[2, i] * B[0, j] - A[0, i] * B[2, j]
            x[2] = A[0, i] * B[1, j] - A[1, i] * B[0, j]
            length = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
            if length < PARALLEL:
                continue
            length = np.sqrt(length)
            along = (d[0] * x[0] + d[1] * x[1] + d[2] * x[2]) / length
            s = abs(along)
            for k in range(3):
                s -= size_a[k] * abs(x[0] * A[0, k] + x[1] * A[1, k] + x[2] * A[2, k]) / length
                s -= size_b[k] * abs(x[0] * B[0, k] + x[1] * B[1, k] + x[2] * B[2, k]) / length
            if s > best:
                best, index = s, 3 * i + j
                sign = 1.0 if along >= 0.0 else -1.0
                for k in range(3):
                    n[k] = sign * x[k] / length
    return best, index


@kernel
def clip(polygon, count, other, axis, sign, size):
    """Part of polygon (8, 3) with sign * x[axis] <= size, through the scratch `other`. Returns its number of points."""
    m = 0
    for p in range(count):
        q = p + 1 if p + 1 < count else 0
        here, there = sign * polygon[p, axis] - size, sign * polygon[q, axis] - size
        if here <= 0.0:
            for k in range(3):
                other[m, k] = polygon[p, k]
            m += 1
        if (here <= 0.0) != (there <= 0.0):
            s = here / (here - there)
            for k in range(3):
                other[m, k] = polygon[p, k] + s * (polygon[q, k] - polygon[p, k])
            m += 1
    for p in range(m):
        for k in range(3):
            polygon[p, k] = other[p, k]
    return m


@kernel
def opposed_face(ref, axis, side, inc, size, polygon):
    """Corners (4, 3) in ref's frame of that face of `inc` which is most opposed to ref's face `axis` on the side ±1."""
    R, P = ref.xmat, inc.xmat
    opposed, steepest = 0, 0.0
    for k in range(3):
        s = side * (R[0, axis] * P[0, k] + R[1, axis] * P[1, k] + R[2, axis] * P[2, k])
        if abs(s) > abs(steepest):
            opposed, steepest = k, s
    u, v = (opposed + 1) % 3, (opposed + 2) % 3
    c = -size[opposed] if steepest > 0.0 else size[opposed]
    for k in range(3):
        centre, along_u, along_v = 0.0, 0.0, 0.0
        for i in range(3):
            centre += R[i, k] * (inc.xpos[i] - ref.xpos[i]) + c * R[i, k] * P[i, opposed]
            along_u += R[i, k] * P[i, u]
            along_v += R[i, k] * P[i, v]
        for p in range(4):
            a = size[u] if p == 0 or p == 3 else -size[u]
            b = size[v] if p < 2 else -size[v]
            polygon[p, k] = centre + a * along_u + b * along_v


@kernel
def face_contacts(ref, size_r, axis, inc, size_i, normal, order, reach, out):
    """Contacts of ref's face `axis`. normal (3,): from the first geom to the second; order: 1 when ref is the first, else -1."""
    R = ref.xmat
    along = normal[0] * R[0, axis] + normal[1] * R[1, axis] + normal[2] * R[2, axis]
    side = order if along > 0.0 else -order
    polygon, other = scratch((8, 3)), scratch((8, 3))
    opposed_face(ref, axis, side, inc, size_i, polygon)
    count = 4
    for plane in range(4):
        k = (axis + 1 + plane // 2) % 3
        count = clip(polygon, count, other, k, 1.0 if plane % 2 == 0 else -1.0, size_r[k])
    n = 0
    for p in range(count):
        dist = side * polygon[p, axis] - size_r[axis]
        if dist <= reach:
            polygon[p, axis] -= 0.5 * side * dist
            x, y, z = polygon[p, 0], polygon[p, 1], polygon[p, 2]
            write(
                out, n, dist, ref.xpos[0] + R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
                ref.xpos[1] + R[1, 0] * x + R[1, 1] * y + R[1, 2] * z, ref.xpos[2] + R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
                normal[0], normal[1], normal[2],
            )  # fmt: skip
            n += 1
    return n


@kernel
def edge_contact(a, size_a, i, b, size_b, j, normal, dist, out):
    """The contact of edge direction i of a and j of b that support the axis `normal` (3,)."""
    A, B = a.xmat, b.xmat
    p, w = scratch(3), scratch(3)
    for k in range(3):
        p[k], w[k] = a.xpos[k], b.xpos[k]
    for m in range(3):
        s = normal[0] * A[0, m] + normal[1] * A[1, m] + normal[2] * A[2, m]
        t = normal[0] * B[0, m] + normal[1] * B[1, m] + normal[2] * B[2, m]
        for k in range(3):
            if m != i:
                p[k] += (size_a[m] if s > 0.0 else -size_a[m]) * A[k, m]
            if m != j:
                w[k] -= (size_b[m] if t > 0.0 else -size_b[m]) * B[k, m]
    c, du, dv = 0.0, 0.0, 0.0
    for k in range(3):
        c += A[k, i] * B[k, j]
        du += (w[k] - p[k]) * A[k, i]
        dv += (w[k] - p[k]) * B[k, j]
    # nearest points of two segments: clamp one parameter, project, clamp the other, project back
    s = min(max((du - c * dv) / (1.0 - c * c), -size_a[i]), size_a[i])
    t = min(max(c * s - dv, -size_b[j]), size_b[j])
    s = min(max(du + c * t, -size_a[i]), size_a[i])
    for k in range(3):
        p[k] = 0.5 * (p[k] + s * A[k, i] + w[k] + t * B[k, j])
    write(out, 0, dist, p[0], p[1], p[2], normal[0], normal[1], normal[2])
    return 1


@kernel
def box_box(a, size_a, b, size_b, reach, out):
    """size: half-sizes (3,). Returns the number of contacts, 0 to 8."""
    d, n, e = scratch(3), scratch(3), scratch(3)
    for k in range(3):
        d[k] = b.xpos[k] - a.xpos[k]
    face, i = face_axis(a.xmat, size_a, b.xmat, size_b, d, -1e300, n)
    better, j = face_axis(b.xmat, size_b, a.xmat, size_a, d, face, n)
    face = max(face, better)
    if face > reach:
        return 0
    edge, ij = edge_axis(a.xmat, size_a, b.xmat, size_b, d, e)
    if edge > reach:
        return 0
    close = abs(n[0] * e[0] + n[1] * e[1] + n[2] * e[2]) > CLOSE
    if ij >= 0 and edge > face + (CLOSE_MARGIN if close else MARGIN) * abs(face):
        return edge_contact(a, size_a, ij // 3, b, size_b, ij % 3, e, edge, out)
    if j >= 0:
        return face_contacts(b, size_b, j, a, size_a, n, -1.0, reach, out)
    return face_contacts(a, size_a, i, b, size_b, n, 1.0, reach, out)
