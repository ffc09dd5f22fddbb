"""One coordinate moved along its tangent."""

import math

from dojo_py.jit import kernel


@kernel
def move(L, qpos, j, i, delta):
    """Move coordinate i of joint j in qpos (nq,) by the tangent delta; rotations by rotation vectors in the body frame."""
    adr, r = L.dof_qadr[L.vadr[j] + i], L.rotation[j]
    if adr >= 0:
        qpos[adr] += delta
        return
    _turn_about(qpos[L.qadr[j] + r : L.qadr[j] + r + 4], i - r, delta)


@kernel
def _turn_about(q, axis, angle):
    """q (4,) becomes q ⊗ exp(angle e_axis)."""
    half = 0.5 * angle
    c, s = math.cos(half), math.sin(half)
    w, x, y, z = q[0], q[1], q[2], q[3]
    if axis == 0:
        q[0], q[1], q[2], q[3] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    elif axis == 1:
        q[0], q[1], q[2], q[3] = c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x
    else:
        q[0], q[1], q[2], q[3] = c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w
