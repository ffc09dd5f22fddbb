"""Quaternions and spatial vectors for the soft mode's kernels.

Quaternions are (w, x, y, z), body to world. Spatial vectors are [rotation 3, translation 3], world axes, taken about the centre
of mass of the kinematic tree. Spatial inertias are packed as ten numbers: [xx, yy, zz, xy, xz, yz, m dx, m dy, m dz, m].
Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 2.
"""

import numpy as np

from dojo_py.jit import kernel


@kernel
def normalize_quaternion(q):
    """Scale q (4,) to unit length, in place; a null quaternion becomes the identity."""
    n = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if n < 1e-15:
        q[0] = 1.0
        q[1] = 0.0
        q[2] = 0.0
        q[3] = 0.0
    else:
        for k in range(4):
            q[k] /= n


@kernel
def axis_angle_to_quaternion(axis, angle, out):
    """Out (4,): rotation by angle [rad] about the unit axis (3,)."""
    s = np.sin(0.5 * angle)
    out[0] = np.cos(0.5 * angle)
    out[1] = s * axis[0]
    out[2] = s * axis[1]
    out[3] = s * axis[2]


@kernel
def integrate_quaternion(q, wx, wy, wz, h):
    """Turn q (4,) in place by the body-frame angular velocity (wx, wy, wz) [rad/s] held for h [s]; q ends at unit length."""
    normalize_quaternion(q)  # a null quaternion stands for the identity
    speed = np.sqrt(wx * wx + wy * wy + wz * wz)
    if speed > 1e-15:
        s = np.sin(0.5 * h * speed) / speed
        c = np.cos(0.5 * h * speed)
        x, y, z = s * wx, s * wy, s * wz
        a, b, d, e = q[0], q[1], q[2], q[3]
        q[0] = a * c - b * x - d * y - e * z
        q[1] = a * x + b * c + d * z - e * y
        q[2] = a * y - b * z + d * c + e * x
        q[3] = a * z + b * y - d * x + e * c
    normalize_quaternion(q)


@kernel
def quaternion_to_rotation_vector(w, x, y, z):
    """Rotation vector (3 numbers) [rad] of the unit quaternion, angle in (-pi, pi]."""
    s = np.sqrt(x * x + y * y + z * z)
    if s < 1e-15:
        return 0.0, 0.0, 0.0
    angle = 2.0 * np.arctan2(s, w)
    if angle > np.pi:
        angle -= 2.0 * np.pi
    return angle * x / s, angle * y / s, angle * z / s


@kernel
def relative_rotation(a, b):
    """Rotation vector (3 numbers) [rad] that takes b (4,) to a (4,), in b's frame: log(conj(b) ⊗ a)."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = b[0] * a[1] - b[1] * a[0] - b[2] * a[3] + b[3] * a[2]
    y = b[0] * a[2] + b[1] * a[3] - b[2] * a[0] - b[3] * a[1]
    z = b[0] * a[3] - b[1] * a[2] + b[2] * a[1] - b[3] * a[0]
    return quaternion_to_rotation_vector(w, x, y, z)


@kernel
def multiply_inertia(I, v, out):
    """Out (6,) = packed spatial inertia I (10,) times the motion vector v (6,)."""
    out[0] = I[0] * v[0] + I[3] * v[1] + I[4] * v[2] - I[8] * v[4] + I[7] * v[5]
    out[1] = I[3] * v[0] + I[1] * v[1] + I[5] * v[2] + I[8] * v[3] - I[6] * v[5]
    out[2] = I[4] * v[0] + I[5] * v[1] + I[2] * v[2] - I[7] * v[3] + I[6] * v[4]
    out[3] = I[8] * v[1] - I[7] * v[2] + I[9] * v[3]
    out[4] = I[6] * v[2] - I[8] * v[0] + I[9] * v[4]
    out[5] = I[7] * v[0] - I[6] * v[1] + I[9] * v[5]


@kernel
def cross_motion(a, b, out):
    """Out (6,) = a × b for motion vectors a, b (6,): the rate of b carried along with a."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[3] = a[1] * b[5] - a[2] * b[4] + a[4] * b[2] - a[5] * b[1]
    out[4] = a[2] * b[3] - a[0] * b[5] + a[5] * b[0] - a[3] * b[2]
    out[5] = a[0] * b[4] - a[1] * b[3] + a[3] * b[1] - a[4] * b[0]


@kernel
def cross_force(a, f, out):
    """Out (6,) += a ×* f for a motion vector a and a force vector f [torque 3, force 3] (6,)."""
    out[0] += a[1] * f[2] - a[2] * f[1] + a[4] * f[5] - a[5] * f[4]
    out[1] += a[2] * f[0] - a[0] * f[2] + a[5] * f[3] - a[3] * f[5]
    out[2] += a[0] * f[1] - a[1] * f[0] + a[3] * f[4] - a[4] * f[3]
    out[3] += a[1] * f[5] - a[2] * f[4]
    out[4] += a[2] * f[3] - a[0] * f[5]
    out[5] += a[0] * f[4] - a[1] * f[3]
