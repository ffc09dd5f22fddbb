"""Writing one contact point, and spheres: what most pairs reduce to."""

import numpy as np

from dojo_py.jit import kernel


@kernel
def write(out, n, dist, px, py, pz, nx, ny, nz):
    """Contact n of out: distance, position, normal; no preferred tangent."""
    out[n, 0] = dist
    out[n, 1] = px
    out[n, 2] = py
    out[n, 3] = pz
    out[n, 4] = nx
    out[n, 5] = ny
    out[n, 6] = nz
    out[n, 7] = 0.0
    out[n, 8] = 0.0
    out[n, 9] = 0.0


@kernel
def plane_point(plane, x, y, z, radius, reach, out, n):
    """Contact n of a plane and a sphere of `radius` at (x, y, z) if closer than reach; returns the new count."""
    nx, ny, nz = plane.xmat[0, 2], plane.xmat[1, 2], plane.xmat[2, 2]
    dist = (x - plane.xpos[0]) * nx + (y - plane.xpos[1]) * ny + (z - plane.xpos[2]) * nz - radius
    if dist > reach:
        return n
    s = radius + 0.5 * dist
    write(out, n, dist, x - s * nx, y - s * ny, z - s * nz, nx, ny, nz)
    return n + 1


@kernel
def spheres(ax, ay, az, ra, bx, by, bz, rb, A, B, reach, out, n):
    """Contact n of two spheres if closer than reach; returns the new count.

    Coincident centres: the normal is across the z axes of the orientations A and B (3, 3), +x if these are parallel.
    """
    dx, dy, dz = bx - ax, by - ay, bz - az
    d = np.sqrt(dx * dx + dy * dy + dz * dz)
    if d - ra - rb > reach:
        return n
    if d < 1e-15:
        dx = A[1, 2] * B[2, 2] - A[2, 2] * B[1, 2]
        dy = A[2, 2] * B[0, 2] - A[0, 2] * B[2, 2]
        dz = A[0, 2] * B[1, 2] - A[1, 2] * B[0, 2]
        s = np.sqrt(dx * dx + dy * dy + dz * dz)
        if s < 1e-15:
            dx, dy, dz, s = 1.0, 0.0, 0.0, 1.0
        dx, dy, dz = dx / s, dy / s, dz / s
    else:
        dx, dy, dz = dx / d, dy / d, dz / d
    dist = d - ra - rb
    s = ra + 0.5 * dist
    write(out, n, dist, ax + s * dx, ay + s * dy, az + s * dz, dx, dy, dz)
    return n + 1
