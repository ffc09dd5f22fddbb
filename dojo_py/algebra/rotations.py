"""Quaternions (w, x, y, z), body to world, and the rotation update of the variational integrator, as numba kernels.

    q_next = q ⊗ φ(ω),   φ(ω) = (sqrt(1 - h²|ω|²/4), h ω/2)                     (Dojo, eq. 18; Manchester 2016)
    δφ     = h Γ(ω) δω,  Γ = p₀ I + p pᵀ/p₀ - [p]ₓ,  (p₀, p) = φ(ω)

δφ is the rotation vector of a change of orientation in the body frame: R(q ⊗ exp(δφ)) ≈ R (I + [δφ]ₓ).
Arrays are written into the last argument; every kernel also runs with `NUMBA_DISABLE_JIT=1`.
"""

import math

from dojo_py.algebra.quaternions import inverse_jacobian, product
from dojo_py.jit import kernel


@kernel
def quat_mul(a, b, out):
    """out = a ⊗ b. a, b, out: (4,); out may be a or b."""
    out[0], out[1], out[2], out[3] = product(a, b)


@kernel
def quat_conj_mul(a, b, out):
    """out = a* ⊗ b, the rotation from a to b seen in the frame of a. a, b, out: (4,)."""
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    out[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    out[2] = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    out[3] = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]


@kernel
def quat_normalise(q):
    """Scale q (4,) to unit length in place."""
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] *= s


@kernel
def quat_to_matrix(q, R):
    """R (3, 3), body to world, of the unit quaternion q (4,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    R[0, 0] = w * w + x * x - y * y - z * z
    R[1, 1] = w * w - x * x + y * y - z * z
    R[2, 2] = w * w - x * x - y * y + z * z
    R[0, 1] = 2.0 * (x * y - w * z)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 1] = 2.0 * (y * z + w * x)


@kernel
def rotation_vector(q, out):
    """out (3,) = the rotation vector of the unit quaternion q (4,), of length at most π. [rad]"""
    sign = 1.0 if q[0] >= 0.0 else -1.0
    w = sign * q[0]
    s = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    # angle / sin(angle / 2), in the form that stays exact as the angle vanishes
    scale = 2.0 / w * (1.0 - s * s / (3.0 * w * w)) if s < 1e-6 * w else 2.0 * math.atan2(s, w) / s
    for i in range(3):
        out[i] = sign * scale * q[i + 1]


@kernel
def quat_exp(v, scale, out):
    """out (4,) = the unit quaternion of the rotation vector scale * v, v (3,) [rad]."""
    x, y, z = scale * v[0], scale * v[1], scale * v[2]
    half = 0.5 * math.sqrt(x * x + y * y + z * z)
    k = 0.5 * (1.0 - half * half / 6.0) if half < 1e-4 else 0.5 * math.sin(half) / half
    out[0] = math.cos(half)
    out[1] = k * x
    out[2] = k * y
    out[3] = k * z


@kernel
def log_jacobian(v, out):
    """Inverse right Jacobian of the rotation group: d rotvec(q ⊗ exp(δ)) = out δ at rotvec(q) = v. v (3,), out (3, 3)."""
    J = inverse_jacobian((v[0], v[1], v[2]), 1.0)
    for i in range(3):
        out[i, 0], out[i, 1], out[i, 2] = J[3 * i], J[3 * i + 1], J[3 * i + 2]


@kernel
def exp_jacobian(v, out):
    """Right Jacobian of the rotation group: exp(v + δ) ≈ exp(v) ⊗ exp(out δ), the inverse of `log_jacobian`. v (3,), out (3, 3).

    sin a/a I + (a - sin a)/a³ v vᵀ - (1 - cos a)/a² [v]ₓ,   a = |v|
    """
    a2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if a2 < 1e-8:
        along, across = (1.0 - a2 / 20.0) / 6.0, 0.5 * (1.0 - a2 / 12.0)
    else:
        a = math.sqrt(a2)
        s = math.sin(0.5 * a)
        along, across = (a - math.sin(a)) / (a * a2), 2.0 * s * s / a2
    for i in range(3):
        for k in range(3):
            out[i, k] = along * v[i] * v[k]
        out[i, i] += 1.0 - along * a2
    out[0, 1] += across * v[2]
    out[1, 0] -= across * v[2]
    out[0, 2] -= across * v[1]
    out[2, 0] += across * v[1]
    out[1, 2] += across * v[0]
    out[2, 1] -= across * v[0]


@kernel
def step_quaternion(w, h, out):
    """out (4,) = φ(ω), the rotation over one step h [s] at body-frame angular velocity w (3,) [rad/s]; needs |w| < 2/h."""
    x, y, z = 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2]
    out[0] = math.sqrt(max(1.0 - x * x - y * y - z * z, 0.0))
    out[1] = x
    out[2] = y
    out[3] = z


@kernel
def step_tangent(p, out):
    """out (3, 3) = Γ of the step quaternion p (4,): the body-frame tangent at the next orientation is h Γ δω."""
    p0 = p[0]
    i0 = 1.0 / p0
    for i in range(3):
        for j in range(3):
            out[i, j] = p[i + 1] * p[j + 1] * i0
        out[i, i] += p0
    out[0, 1] += p[3]
    out[0, 2] -= p[2]
    out[1, 0] -= p[3]
    out[1, 2] += p[1]
    out[2, 0] += p[2]
    out[2, 1] -= p[1]


@kernel
def rotate(R, v, out):
    """out = R v. R (3, 3), v, out (3,)."""
    for i in range(3):
        out[i] = R[i, 0] * v[0] + R[i, 1] * v[1] + R[i, 2] * v[2]


@kernel
def cross(a, b, out):
    """out = a × b. All (3,); out may not alias a or b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def turn_vector(q, v, out):
    """out (3,) = v (3,) turned by the unit quaternion q (4,): v + 2 u × (u × v + w v), q = (w, u); out may be v."""
    t0 = q[2] * v[2] - q[3] * v[1] + q[0] * v[0]
    t1 = q[3] * v[0] - q[1] * v[2] + q[0] * v[1]
    t2 = q[1] * v[1] - q[2] * v[0] + q[0] * v[2]
    x = v[0] + 2.0 * (q[2] * t2 - q[3] * t1)
    y = v[1] + 2.0 * (q[3] * t0 - q[1] * t2)
    z = v[2] + 2.0 * (q[1] * t1 - q[2] * t0)
    out[0], out[1], out[2] = x, y, z


@kernel
def turn_back(q, v, out):
    """out (3,) = v (3,) turned by the inverse of q (4,); out may be v."""
    t0 = -(q[2] * v[2] - q[3] * v[1]) + q[0] * v[0]
    t1 = -(q[3] * v[0] - q[1] * v[2]) + q[0] * v[1]
    t2 = -(q[1] * v[1] - q[2] * v[0]) + q[0] * v[2]
    x = v[0] - 2.0 * (q[2] * t2 - q[3] * t1)
    y = v[1] - 2.0 * (q[3] * t0 - q[1] * t2)
    z = v[2] - 2.0 * (q[1] * t1 - q[2] * t0)
    out[0], out[1], out[2] = x, y, z
