"""Sphere and capsule: the sphere against the sphere at the nearest point of the capsule's segment."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import spheres


@kernel
def sphere_capsule(sphere, size_s, capsule, size_c, reach, out):
    """size_c: (radius, half-length, -). Returns the number of contacts, 0 or 1."""
    R = capsule.xmat
    x, y, z = sphere.xpos[0], sphere.xpos[1], sphere.xpos[2]
    t = (x - capsule.xpos[0]) * R[0, 2] + (y - capsule.xpos[1]) * R[1, 2] + (z - capsule.xpos[2]) * R[2, 2]
    t = min(max(t, -size_c[1]), size_c[1])
    return spheres(
        x, y, z, size_s[0], capsule.xpos[0] + t * R[0, 2], capsule.xpos[1] + t * R[1, 2], capsule.xpos[2] + t * R[2, 2],
        size_c[0], sphere.xmat, R, reach, out, 0,
    )  # fmt: skip
