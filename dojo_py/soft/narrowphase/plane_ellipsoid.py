"""Plane and ellipsoid: one contact at the ellipsoid's support point against the plane's normal."""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import plane_point


@kernel
def plane_ellipsoid(plane, ellipsoid, size, reach, out):
    """size: semi-axes (3,). Returns the number of contacts, 0 or 1."""
    R = ellipsoid.xmat
    d = scratch(3)
    for k in range(3):
        d[k] = -size[k] * (R[0, k] * plane.xmat[0, 2] + R[1, k] * plane.xmat[1, 2] + R[2, k] * plane.xmat[2, 2])
    norm = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    for k in range(3):
        d[k] *= size[k] / norm
    x = ellipsoid.xpos[0] + R[0, 0] * d[0] + R[0, 1] * d[1] + R[0, 2] * d[2]
    y = ellipsoid.xpos[1] + R[1, 0] * d[0] + R[1, 1] * d[1] + R[1, 2] * d[2]
    z = ellipsoid.xpos[2] + R[2, 0] * d[0] + R[2, 1] * d[1] + R[2, 2] * d[2]
    return plane_point(plane, x, y, z, 0.0, reach, out, 0)
