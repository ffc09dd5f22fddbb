"""Plane and sphere: one contact below the centre."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import plane_point


@kernel
def plane_sphere(plane, sphere, size, reach, out):
    """size: the sphere's (3,). Returns the number of contacts, 0 or 1."""
    return plane_point(plane, sphere.xpos[0], sphere.xpos[1], sphere.xpos[2], size[0], reach, out, 0)
