"""Two spheres: one contact on the line between the centres."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import spheres


@kernel
def sphere_sphere(a, size_a, b, size_b, reach, out):
    """Returns the number of contacts, 0 or 1."""
    p, q = a.xpos, b.xpos
    return spheres(p[0], p[1], p[2], size_a[0], q[0], q[1], q[2], size_b[0], a.xmat, b.xmat, reach, out, 0)
