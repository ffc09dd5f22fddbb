"""Sphere and box: the nearest point of the box, or the nearest face when the centre is inside."""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import write


@kernel
def sphere_box_at(x, y, z, radius, box, size, reach, out, n):
    """Contact n of the sphere of `radius` at (x, y, z) and the box of half-sizes `size` (3,); returns the new count."""
    R = box.xmat
    c = scratch(3)
    p = scratch(3)
    d = scratch(3)
    x0, y0, z0 = x - box.xpos[0], y - box.xpos[1], z - box.xpos[2]
    gap2 = 0.0
    for k in range(3):
        c[k] = R[0, k] * x0 + R[1, k] * y0 + R[2, k] * z0
        p[k] = min(max(c[k], -size[k]), size[k])
        d[k] = p[k] - c[k]
        gap2 += d[k] * d[k]
    gap = np.sqrt(gap2)
    if gap - radius > reach:
        return n
    if gap > 1e-15:
        dist = gap - radius
        for k in range(3):
            d[k] /= gap
    else:
        best = 0
        depth = 1e300
        sign = 1.0
        for k in range(3):  # leave through the nearest face
            for side in range(2):
                s = 1.0 if side else -1.0
                e = abs(s * size[k] - c[k])
                if e < depth:
                    depth, best, sign = e, k, s
        for k in range(3):
            d[k] = 0.0
        d[best] = -sign
        dist = -depth - radius
    # midway between the two surfaces, along the normal from the sphere's centre
    s = radius + 0.5 * dist
    nx = R[0, 0] * d[0] + R[0, 1] * d[1] + R[0, 2] * d[2]
    ny = R[1, 0] * d[0] + R[1, 1] * d[1] + R[1, 2] * d[2]
    nz = R[2, 0] * d[0] + R[2, 1] * d[1] + R[2, 2] * d[2]
    write(out, n, dist, x + s * nx, y + s * ny, z + s * nz, nx, ny, nz)
    return n + 1


@kernel
def sphere_box(sphere, size_s, box, size_b, reach, out):
    """Returns the number of contacts, 0 or 1."""
    return sphere_box_at(sphere.xpos[0], sphere.xpos[1], sphere.xpos[2], size_s[0], box, size_b, reach, out, 0)
