"""Plane and box: the corners below the plane's reach, at most four, in the order of the corners' sign bits."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import plane_point


@kernel
def plane_box(plane, box, size, reach, out):
    """size: half-sizes (3,). Returns the number of contacts, 0 to 4."""
    R = box.xmat
    n = 0
    # only corners on the plane's side of the centre: the others are farther than the centre
    for corner in range(8):
        a = size[0] if corner & 1 else -size[0]
        b = size[1] if corner & 2 else -size[1]
        c = size[2] if corner & 4 else -size[2]
        x = R[0, 0] * a + R[0, 1] * b + R[0, 2] * c
        y = R[1, 0] * a + R[1, 1] * b + R[1, 2] * c
        z = R[2, 0] * a + R[2, 1] * b + R[2, 2] * c
        if x * plane.xmat[0, 2] + y * plane.xmat[1, 2] + z * plane.xmat[2, 2] > 0.0:
            continue
        n = plane_point(plane, box.xpos[0] + x, box.xpos[1] + y, box.xpos[2] + z, 0.0, reach, out, n)
        if n == 4:
            break
    return n
