"""Mass, centre of mass and inertia of a body as ten free numbers that are always physically consistent.

    P = [[Σ, m c], [m cᵀ, m]] = U Uᵀ,   Σ = tr(I)/2 1 - I,  I about the body frame's origin
    U = e^α [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]]

Source: Rucker and Wensing (2022), "Smooth parameterization of rigid-body inertia". Any (α, d, s, t) gives a positive definite
pseudo-inertia P: positive mass and principal moments that obey the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
LABELS = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
STEP = 1e-30
"""Of the complex step that takes derivatives to round-off."""


def to_free(mass: float, com: Array, inertia: Array) -> Array:
    """(10,) free numbers of a body: mass [kg], com (3,) [m], inertia (6,) about it [kg m²], order xx yy zz xy xz yz."""
    moments = _matrix(inertia) + mass * (com @ com * np.eye(3) - np.outer(com, com))
    P = np.zeros((4, 4))
    P[:3, :3] = 0.5 * np.trace(moments) * np.eye(3) - moments
    P[:3, 3] = P[3, :3] = mass * com
    P[3, 3] = mass
    try:
        U = np.linalg.cholesky(P[::-1, ::-1])[::-1, ::-1]  # P = U Uᵀ with U upper triangular
    except np.linalg.LinAlgError:
        raise ValueError("mass, com and inertia belong to no body: the principal moments break the triangle inequality") from None
    alpha = np.log(U[3, 3])
    U = U / U[3, 3]
    return np.array([alpha, *np.log(np.diag(U)[:3]), U[0, 1], U[1, 2], U[0, 2], *U[:3, 3]])


def to_body(free: Array) -> Array:
    """(10,) mass, com 3, inertia 6 (as in `to_free`) of free numbers (10,)."""
    a, d1, d2, d3, s12, s23, s13, t1, t2, t3 = free
    U = np.exp(a) * np.array([[np.exp(d1), s12, s13, t1], [0, np.exp(d2), s23, t2], [0, 0, np.exp(d3), t3], [0, 0, 0, 1.0]])
    return to_com(linear_of(U @ U.T))


def linear_of(P: Array) -> Array:
    """(10,) linear parameters of a pseudo-inertia (4, 4): m, m c, I about the origin."""
    moments = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    return np.array([P[3, 3], *P[:3, 3], *(moments[i, j] for i, j in ORDER)])


def to_com(linear: Array) -> Array:
    """(10,) mass, com, inertia about it, from linear parameters: m, m c, I about the origin."""
    m, c = linear[0], linear[1:4] / linear[0]
    moments = _matrix(linear[4:]) - m * (np.sum(c * c) * np.eye(3) - np.outer(c, c))
    return np.array([m, *c, *(moments[i, j] for i, j in ORDER)])


def to_linear(body: Array) -> Array:
    """(10,) linear parameters m, m c, I about the origin, of mass, com, inertia about it; motion is linear in them."""
    m, c = body[0], body[1:4]
    moments = _matrix(body[4:]) + m * (np.sum(c * c) * np.eye(3) - np.outer(c, c))
    return np.array([m, *(m * c), *(moments[i, j] for i, j in ORDER)])


def slope(function: Callable[[Array], Array], at: Array) -> Array:
    """(n, 10) exact derivative of a function of ten numbers by complex steps."""
    columns = []
    for k in range(len(at)):
        z = np.array(at, complex)
        z[k] += 1j * STEP
        columns.append(np.imag(function(z)) / STEP)
    return np.stack(columns, axis=1)


def _matrix(six: Array) -> Array:
    out = np.zeros((3, 3), np.asarray(six).dtype)
    for k, (i, j) in enumerate(ORDER):
        out[i, j] = out[j, i] = six[k]
    return out
