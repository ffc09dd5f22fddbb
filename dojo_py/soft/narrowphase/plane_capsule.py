"""Plane and capsule: the two end spheres; tangents along the capsule's axis."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import plane_point


@kernel
def plane_capsule(plane, capsule, size, reach, out):
    """size: the capsule's (3,) = (radius, half-length, -). Returns the number of contacts, 0 to 2."""
    n = 0
    ax, ay, az = capsule.xmat[0, 2], capsule.xmat[1, 2], capsule.xmat[2, 2]
    for side in range(2):
        s = size[1] if side == 0 else -size[1]
        n = plane_point(plane, capsule.xpos[0] + s * ax, capsule.xpos[1] + s * ay, capsule.xpos[2] + s * az, size[0], reach, out, n)
    for i in range(n):
        out[i, 7] = ax
        out[i, 8] = ay
        out[i, 9] = az
    return n
