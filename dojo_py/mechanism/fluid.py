"""Numbers of a geom's ellipsoid in a medium: array `geom_fluid` (12).

    1 (the model is used), drag coefficients blunt, slender, angular, lift coefficients Kutta, Magnus,
    virtual masses (3) and virtual moments (3) per density of the medium [m³, m⁵]

Virtual masses: Lamb's integrals κ_x = ∫ a³bc / sqrt((a² + λ)³ (b² + λ) (c² + λ)) dλ by Gauss and Kronrod's rule of 15 points in
λ = x³/(1 - x)², with the rounded weights of the wheel.  Source: fluid forces chapter; Tuckerman (1925).
"""

from __future__ import annotations

import math

import numpy as np

from .enums import GeomType

Array = np.ndarray
DEFAULT = (0.5, 0.25, 1.5, 1.0, 1.0)
"""Coefficients blunt, slender, angular, Kutta, Magnus."""
NUMBERS = 12
SMALL = 1e-14
_HALF = (0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107)
_WEIGHTS = np.array([*_HALF, *_HALF[6::-1]])
_LAMBDAS = np.array(
    [7.865151709349917e-08, 1.7347976913907274e-05, 0.0003548008144506193, 0.002846636252924549, 0.014094260903596077,
     0.053063261727396636, 0.17041978741317773, 0.5, 1.4036301548686991, 3.9353484827022642, 11.644841677041734,
     39.53187807410903, 177.5711362220801, 1429.4772912937397, 54087.416549217705]
)  # fmt: skip
_SLOPES = np.array(
    [5.538677720489877e-05, 0.002080868285293228, 0.016514126520723166, 0.07261900344370877, 0.23985243401862602,
     0.6868318249020725, 1.8551129519182894, 5.0, 14.060031152313941, 43.28941239611009, 156.58546376397112,
     747.9826085305024, 5827.4042950027115, 116754.0197944512, 25482945.327264845]
)  # fmt: skip


def semi_axes(shape: int, size: Array) -> Array:
    """(3,) of the ellipsoid that stands for a shape with MuJoCo's half sizes [m]."""
    if shape == GeomType.SPHERE:
        return np.array([size[0], size[0], size[0]])
    if shape == GeomType.CAPSULE:
        return np.array([size[0], size[0], size[0] + size[1]])
    if shape == GeomType.CYLINDER:
        return np.array([size[0], size[0], size[1]])
    return np.array(size, dtype=float)


def fluid_numbers(shape: int, size: Array, coefficients: Array) -> Array:
    """Row (12) of `geom_fluid` for a geom that is an ellipsoid to the medium."""
    if not np.all(semi_axes(shape, size)):  # a plane without ends: it does not move, and nothing acts on it
        return np.array([1.0, *coefficients, *np.zeros(6)])
    a, b, c = (float(x) for x in semi_axes(shape, size))
    volume = 4.0 / 3.0 * math.pi * a * b * c
    k = np.array([_kappa(a, b, c), _kappa(b, c, a), _kappa(c, a, b)])
    masses = volume * k / np.maximum(SMALL, 2.0 - k)
    moments = [volume / 5.0 * _moment(*sides) for sides in ((b, c, k[1], k[2]), (c, a, k[2], k[0]), (a, b, k[0], k[1]))]
    return np.array([1.0, *coefficients, *masses, *moments])


def _kappa(a: float, b: float, c: float) -> float:
    scale = (a**3 * b * c) ** 0.4
    x = scale * _LAMBDAS
    root = np.sqrt((1 + x / a**2) * (1 + x / b**2) * (1 + x / c**2))
    return float(np.sum(scale * _SLOPES * _WEIGHTS / ((1 + x / a**2) * root)) / a**2)


def _moment(b: float, c: float, kb: float, kc: float) -> float:
    """About the axis across b and c, per a fifth of the volume."""
    away = b * b - c * c
    return float(away**2 * abs(kc - kb) / max(SMALL, abs(2.0 * away + (b * b + c * c) * (kb - kc))))
