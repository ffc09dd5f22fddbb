"""Random directions and orientations of the family `gradients`, at times exactly along the world's axes."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray

AXES = np.eye(3)


def text(values: Any) -> str:
    """Numbers as an attribute."""
    return " ".join(repr(float(v)) for v in np.ravel(values))


def some(rng: Any, share: float) -> bool:
    """True with this chance."""
    return bool(rng.random() < share)


def unit(rng: Any, exact: bool) -> Array:
    """A direction: along an axis or a diagonal of the world if exact."""
    if exact:
        v = AXES[rng.integers(3)] if some(rng, 0.6) else rng.integers(-1, 2, 3) + 0.0
        v = v if np.any(v) else AXES[2]
        return v * rng.choice([-1.0, 1.0]) / np.linalg.norm(v)
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def beside(n: Array) -> tuple[Array, Array]:
    """Two unit vectors across n."""
    a = np.cross(n, AXES[int(np.argmin(np.abs(n)))])
    a /= np.linalg.norm(a)
    return a, np.cross(n, a)


def quaternion_to(axis: Array) -> Array:
    """(4,) the smallest rotation from z to a unit vector."""
    if axis[2] < -0.999999:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return q / np.linalg.norm(q)


def any_quaternion(rng: Any, exact: bool) -> Array:
    """(4,) of any rotation; exact: by right angles."""
    if exact:
        turns = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1.0]])
        q = np.eye(4)[0] if some(rng, 0.5) else turns[rng.integers(4)]
    else:
        q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q: Array) -> Array:
    """(3, 3) of a unit quaternion."""
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew
