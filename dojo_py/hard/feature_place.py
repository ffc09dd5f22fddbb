"""Where a feature of two bodies is, and how a contact at it moves: arrays that are written anew for each.

Derivatives are by (δx_A, δθ_A, δx_B, δθ_B), world axes.
"""

from typing import NamedTuple

import numpy as np


class FeaturePlace(NamedTuple):
    """Of one feature at the poses of its bodies, see `feature_geometry`."""

    normal: np.ndarray  # (3,) from B to A
    point: np.ndarray  # (3,) [m]
    dgap: np.ndarray  # (12,)
    dn: np.ndarray  # (3, 12)
    dc: np.ndarray  # (3, 12)


class PairMotion(NamedTuple):
    """Of one contact at the next poses, see `pair_motion`: its place there, and what its rows are made of."""

    normal: np.ndarray
    point: np.ndarray
    dgap: np.ndarray
    dn: np.ndarray
    dc: np.ndarray
    tangents: np.ndarray  # (2, 3) T
    arms: np.ndarray  # (2, 3) of the application point c* from both bodies [m]
    slip: np.ndarray  # (3,) u, what of both slides [m/s]
    force: np.ndarray  # (3,) F, the impulse on A [N s]
    behind: np.ndarray  # (2, 3) Q m, the arms of both bodies' points behind the contact, turned back to where the step starts [m]


def allocate_place() -> FeaturePlace:
    """Work arrays."""
    return FeaturePlace(np.zeros(3), np.zeros(3), np.zeros(12), np.zeros((3, 12)), np.zeros((3, 12)))


def allocate_motion() -> PairMotion:
    """Work arrays."""
    z = np.zeros
    return PairMotion(*allocate_place(), z((2, 3)), z((2, 3)), z(3), z(3), z((2, 3)))
