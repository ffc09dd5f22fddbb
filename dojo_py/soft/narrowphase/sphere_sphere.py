"""Two spheres: one contact on the line between the centres."""

from dojo_py.jit import counted_kernel as kernel
from dojo_py.soft.narrowphase.points import spheres


@kernel
def sphere_sphere(a, size_a, b, size_b, reach, out):
    """Returns the number of contacts, 0 or 1."""
    return spheres(a.xpos[0], a.xpos[1], a.xpos[2], size_a[0], b.xpos[0], b.xpos[1], b.xpos[2], size_b[0], reach, out, 0)
