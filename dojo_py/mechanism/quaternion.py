"""Quaternion arithmetic (w, x, y, z) in numpy, for reading and compiling models without compiling kernels.

Arrays may carry leading axes: q (..., 4), v (..., 3).
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def _parts(q: Array) -> tuple[Array, Array, Array, Array]:
    """w, x, y, z, each (...)."""
    return q[..., 0], q[..., 1], q[..., 2], q[..., 3]


def _join(entries: list, axes: int) -> Array:
    """Lists of arrays (...), nested `axes` deep, as one array whose last `axes` axes they are.

    Of single quaternions, the usual case, the entries are numbers: np.stack takes ten times as long on them.
    """
    joined = np.array(entries)
    return np.moveaxis(joined, range(axes), range(-axes, 0)) if joined.ndim > axes else joined


def multiply(a: Array, b: Array) -> Array:
    """The product a b: first b, then a. (..., 4)."""
    aw, ax, ay, az = _parts(a)
    bw, bx, by, bz = _parts(b)
    return _join(
        [
            aw * bw - (ax * bx + ay * by + az * bz),
            aw * bx + bw * ax + (ay * bz - az * by),
            aw * by + bw * ay + (az * bx - ax * bz),
            aw * bz + bw * az + (ax * by - ay * bx),
        ],
        1,
    )


def conjugate(q: Array) -> Array:
    """The inverse of a unit quaternion. (..., 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: Array) -> Array:
    """Unit length; a zero quaternion becomes the identity, and one of unit length stays bit by bit, as in MuJoCo. (..., 4)."""
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    divisor = np.where((norm < 1e-15) | (np.abs(norm - 1.0) <= 1e-15), 1.0, norm)
    return np.where(norm < 1e-15, np.array([1.0, 0.0, 0.0, 0.0]), q / divisor)


def matrix(q: Array) -> Array:
    """Rotation matrix, body to parent, of unit quaternions. (..., 3, 3)."""
    w, x, y, z = _parts(q)
    return _join(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ],
        2,
    )


def rotate(q: Array, v: Array) -> Array:
    """The vectors v turned by q. (..., 3)."""
    return np.einsum("...ij,...j->...i", matrix(q), v)


def exponential(v: Array) -> Array:
    """Unit quaternion of a rotation vector [rad]. (..., 3) -> (..., 4)."""
    half = 0.5 * np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * v * np.sinc(half / np.pi)], axis=-1)


def logarithm(q: Array) -> Array:
    """Rotation vector [rad], of length at most pi, of unit quaternions. (..., 4) -> (..., 3)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    # angle / sine tends to 2 as the rotation vanishes
    return q[..., 1:] * np.where(sine > 1e-150, angle / np.where(sine > 1e-150, sine, 1.0), 2.0)


def skew(v: Array) -> Array:
    """[v]×, which takes u to the cross product v × u. (..., 3) -> (..., 3, 3)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    none = np.zeros_like(x)
    return _join([[none, -z, y], [z, none, -x], [-y, x, none]], 2)


def log_jacobian(v: Array) -> Array:
    """Derivative of the rotation vector of exp(v) exp(δ) by δ at 0, the inverse right Jacobian. (..., 3) [rad] -> (..., 3, 3).

    I + ½ [v]× + c [v]×²,  c = (1 − (θ/2) cot(θ/2)) / θ²,  θ = |v|  (Chirikjian 2012, section 10.8; Solà 2018, eq. 144).
    """
    angle2 = np.sum(v * v, axis=-1)
    small = angle2 < 1e-6
    half = 0.5 * np.sqrt(np.where(small, 1.0, angle2))
    c = np.where(small, 1.0 / 12.0 + angle2 / 720.0, (1.0 - half / np.tan(half)) / np.where(small, 1.0, angle2))
    cross = skew(v)
    return np.eye(3) + 0.5 * cross + c[..., None, None] * cross @ cross


def from_axis_angle(axis: Array, angle: float) -> Array:
    """Turn by `angle` [rad] about a unit axis (3). (4)."""
    return np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * np.asarray(axis)])


def from_z_axis(direction: Array) -> Array:
    """The smallest turn that takes (0, 0, 1) to `direction` (3), of any non-zero length. (4)."""
    x, y, z = direction / np.linalg.norm(direction)
    sine = np.hypot(x, y)
    if sine < 1e-10:  # along z: no turn, or half a turn about x
        return np.array([1.0, 0.0, 0.0, 0.0]) if z > 0.0 else np.array([0.0, 1.0, 0.0, 0.0])
    return from_axis_angle(np.array([-y / sine, x / sine, 0.0]), np.arctan2(sine, z))


def from_matrix(rotation: Array) -> Array:
    """Unit quaternion: w positive where the trace is, else the largest of x, y, z positive. (3, 3) -> (4).

    Of several that are the largest it is the last, as in MuJoCo.
    """
    r = rotation
    # 4 q_i q_j for all pairs; a row with a large diagonal is well conditioned
    k = np.array(
        [
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ]
    )
    return normalise(k[0] if np.trace(r) > 0.0 else k[3 - int(np.argmax(np.diag(r)[::-1]))])
