"""Sphere and cylinder: against the side, a cap, or the rim, wherever the sphere's centre lies."""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import spheres, write


@kernel
def sphere_cylinder(sphere, size_s, cylinder, size_c, reach, out):
    """size_c: (radius, half-length, -). Returns the number of contacts, 0 or 1."""
    R = cylinder.xmat
    ax, ay, az = R[0, 2], R[1, 2], R[2, 2]
    sx, sy, sz = sphere.xpos[0], sphere.xpos[1], sphere.xpos[2]
    cx, cy, cz = cylinder.xpos[0], cylinder.xpos[1], cylinder.xpos[2]
    dx, dy, dz = sx - cx, sy - cy, sz - cz
    t = dx * ax + dy * ay + dz * az
    px, py, pz = dx - t * ax, dy - t * ay, dz - t * az
    radial = np.sqrt(px * px + py * py + pz * pz)
    inside_height = abs(t) < size_c[1]
    inside_radius = radial < size_c[0]
    if inside_height and inside_radius:  # centre inside: leave through the nearer of cap and side
        to_side = size_c[0] - radial
        to_cap = size_c[1] - abs(t)
        inside_height = to_side <= to_cap
        inside_radius = not inside_height
    if inside_height:
        return spheres(sx, sy, sz, size_s[0], cx + t * ax, cy + t * ay, cz + t * az, size_c[0], sphere.xmat, R, reach, out, 0)
    sign = 1.0 if t > 0.0 else -1.0
    if inside_radius:
        dist = sign * t - size_c[1] - size_s[0]
        if dist > reach:
            return 0
        s = size_s[0] + 0.5 * dist
        nx, ny, nz = -sign * ax, -sign * ay, -sign * az
        write(out, 0, dist, sx + s * nx, sy + s * ny, sz + s * nz, nx, ny, nz)
        return 1
    k = size_c[0] / max(radial, 1e-15)
    h = sign * size_c[1]
    return spheres(
        sx, sy, sz, size_s[0], cx + k * px + h * ax, cy + k * py + h * ay, cz + k * pz + h * az, 0.0, sphere.xmat, R, reach,
        out, 0,
    )  # fmt: skip
