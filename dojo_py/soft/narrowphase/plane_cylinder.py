"""Plane and cylinder: the lowest rim point of the nearer cap, its mirror on the farther cap, and two more points of the nearer rim.

The two extra points make an equilateral triangle with the first on the nearer rim, so that a standing cylinder is stable.
"""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import write


@kernel
def plane_cylinder(plane, cylinder, size, reach, out):
    """size: the cylinder's (3,) = (radius, half-length, -). Returns the number of contacts, 0 to 4."""
    nx, ny, nz = plane.xmat[0, 2], plane.xmat[1, 2], plane.xmat[2, 2]
    ax, ay, az = cylinder.xmat[0, 2], cylinder.xmat[1, 2], cylinder.xmat[2, 2]
    slope = nx * ax + ny * ay + nz * az
    if slope > 0.0:  # the axis towards the plane
        ax, ay, az, slope = -ax, -ay, -az, -slope
    x, y, z = cylinder.xpos[0] - plane.xpos[0], cylinder.xpos[1] - plane.xpos[1], cylinder.xpos[2] - plane.xpos[2]
    height = x * nx + y * ny + z * nz
    # steepest descent direction within the cap
    vx, vy, vz = ax * slope - nx, ay * slope - ny, az * slope - nz
    norm = np.sqrt(vx * vx + vy * vy + vz * vz)
    if norm < 1e-12:  # cap parallel to the plane: any direction, the cylinder's own x axis
        vx, vy, vz = cylinder.xmat[0, 0] * size[0], cylinder.xmat[1, 0] * size[0], cylinder.xmat[2, 0] * size[0]
    else:
        s = size[0] / norm
        vx, vy, vz = vx * s, vy * s, vz * s
    fall = vx * nx + vy * ny + vz * nz
    ax, ay, az, slope = ax * size[1], ay * size[1], az * size[1], slope * size[1]
    cx, cy, cz = cylinder.xpos[0], cylinder.xpos[1], cylinder.xpos[2]
    n = 0
    dist = height + slope + fall
    if dist > reach:
        return 0
    h = 0.5 * dist
    write(out, n, dist, cx + ax + vx - h * nx, cy + ay + vy - h * ny, cz + az + vz - h * nz, nx, ny, nz)
    n += 1
    dist = height - slope + fall
    if dist <= reach:
        h = 0.5 * dist
        write(out, n, dist, cx - ax + vx - h * nx, cy - ay + vy - h * ny, cz - az + vz - h * nz, nx, ny, nz)
        n += 1
    dist = height + slope - 0.5 * fall
    if dist <= reach:
        # sideways: v × axis, scaled so that the three points of the rim are 120 degrees apart
        sx, sy, sz = vy * az - vz * ay, vz * ax - vx * az, vx * ay - vy * ax
        s = np.sqrt(3.0) * 0.5 * size[0] / np.sqrt(sx * sx + sy * sy + sz * sz)
        h = 0.5 * dist
        for side in range(2):
            t = s if side == 0 else -s
            write(
                out, n, dist, cx + ax - 0.5 * vx + t * sx - h * nx, cy + ay - 0.5 * vy + t * sy - h * ny,
                cz + az - 0.5 * vz + t * sz - h * nz, nx, ny, nz,
            )  # fmt: skip
            n += 1
    return n
