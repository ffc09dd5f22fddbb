"""Unit quaternions (w, x, y, z) as four numbers, body to world, and rotation vectors as three [rad].

q ⊗ p,   q* ⊗ p,   exp,   log,   Jr⁻¹(v) = I + ½ [v]ₓ + k(|v|) [v]ₓ²:  log(q ⊗ exp(δ)) ≈ log q + Jr⁻¹(log q) δ
"""

import math

from dojo_py.algebra.vectors import dot
from dojo_py.jit import kernel


@kernel
def quaternion(array):
    """An array (4,) as four numbers."""
    return array[0], array[1], array[2], array[3]


@kernel
def product(a, b):
    """a ⊗ b, four numbers each."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def seen_from(q, p):
    """q* ⊗ p: orientation p (4) as q (4) sees it."""
    return (
        q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3],
        q[0] * p[1] - q[1] * p[0] - q[2] * p[3] + q[3] * p[2],
        q[0] * p[2] - q[2] * p[0] - q[3] * p[1] + q[1] * p[3],
        q[0] * p[3] - q[3] * p[0] - q[1] * p[2] + q[2] * p[1],
    )


@kernel
def exponential(x, y, z):
    """Unit quaternion of a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    s = math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), s * x, s * y, s * z


@kernel
def logarithm(q):
    """Rotation vector of q, shorter than 2π: those of q and -q differ by a whole turn."""
    w, x, y, z = q
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 0.0 else 0.0
    return scale * x, scale * y, scale * z


@kernel
def this_way(q, p):
    """Rotation vector from q to p, shorter than 2π; of the two senses of rotation that which the quaternions' signs give."""
    return logarithm(seen_from(q, p))


@kernel
def short_way(q, p):
    """Rotation vector, three numbers, from orientation q (4) to p (4), of at most π."""
    w, x, y, z = seen_from(q, p)
    sine = math.sqrt(x * x + y * y + z * z)
    if sine == 0.0:
        return 0.0, 0.0, 0.0
    scale = 2.0 * math.atan2(sine, abs(w)) / sine
    if w < 0.0:
        scale = -scale
    return scale * x, scale * y, scale * z


@kernel
def bend(v):
    """k of Jr⁻¹(v) = I + ½ [v]ₓ + k [v]ₓ²."""
    a2 = dot(v, v)
    if a2 < 1e-8:
        return 1.0 / 12.0 + a2 / 720.0
    a = math.sqrt(a2)
    return 1.0 / a2 - 0.5 / (a * math.tan(0.5 * a))


@kernel
def inverse_jacobian(v, s):
    """s Jr⁻¹(v) as nine numbers."""
    x, y, z = v
    k = bend(v)
    return (
        s * (1.0 - k * (y * y + z * z)), s * (k * x * y - 0.5 * z), s * (k * x * z + 0.5 * y),
        s * (k * x * y + 0.5 * z), s * (1.0 - k * (x * x + z * z)), s * (k * y * z - 0.5 * x),
        s * (k * x * z - 0.5 * y), s * (k * y * z + 0.5 * x), s * (1.0 - k * (x * x + y * y)),
    )  # fmt: skip
