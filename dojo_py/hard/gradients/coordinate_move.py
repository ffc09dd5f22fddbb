"""One coordinate moved along its tangent."""

import math

from dojo_py.jit import kernel


@kernel
def move(L, qpos, j, i, delta):
    """Move coordinate i of joint j in qpos (nq,) by the tangent delta; rotations by rotation vectors in the body frame."""
    adr, k = L.qadr[j], L.ndof[j]
    free = k == 6
    if L.count[j] == k:  # hinges and slides, or one of them
        qpos[adr + i] += delta
        return
    if free and i < 3:
        qpos[adr + i] += delta
        return
    first = adr + 3 if free else adr
    _turn_about(qpos[first : first + 4], i - 3 if free else i, delta)


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
