"""Quaternion arithmetic (w, x, y, z) in numpy, for reading and compiling models without compiling kernels.

Arrays may carry leading axes: q (..., 4), v (..., 3).
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

NEXT, LAST = [1, 2, 0], [2, 0, 1]
"""The other two of the axes x, y, z, in turn."""


def multiply(a: Array, b: Array) -> Array:
    """The product a b: first b, then a. (..., 4)."""
    a, b = np.broadcast_arrays(a, b)
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    cross = av[..., NEXT] * bv[..., LAST] - av[..., LAST] * bv[..., NEXT]  # np.cross takes ten times as long on one vector
    return np.concatenate([scalar, aw * bv + bw * av + cross], axis=-1)


def conjugate(q: Array) -> Array:
    """The inverse of a unit quaternion. (..., 4)."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: Array) -> Array:
    """Unit length; a zero quaternion becomes the identity, as in MuJoCo. (..., 4)."""
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(norm < 1e-15, np.array([1.0, 0.0, 0.0, 0.0]), q / np.where(norm < 1e-15, 1.0, norm))


def matrix(q: Array) -> Array:
    """Rotation matrix, body to parent, of unit quaternions. (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


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
