"""Capsule and box."""

from dojo_py.soft.jit import kernel
from dojo_py.soft.narrowphase.sphere_box import sphere_box_at


@kernel
def capsule_box(capsule, size_c, box, size_b, reach, out):
    """Returns the number of contacts, 0 to 2."""
    n = 0
    R = capsule.xmat
    for side in range(2):
        s = -size_c[1] if side == 0 else size_c[1]
        n = sphere_box_at(
            capsule.xpos[0] + s * R[0, 2], capsule.xpos[1] + s * R[1, 2], capsule.xpos[2] + s * R[2, 2], size_c[0], box,
            size_b, reach, out, n,
        )  # fmt: skip
    return n
