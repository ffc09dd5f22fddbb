"""Geometry of a feature of two bodies, and motion of a contact there: work arrays that are overwritten for each feature.

Derivatives are by (δx_A, δθ_A, δx_B, δθ_B), world axes.
"""

from typing import NamedTuple

import numpy as np

NORMAL, POINT, GAP, ALONG, FORCE, TORQUE, PLACE, DERIVATIVES = 0, 3, 6, 7, 10, 13, 16, 19
"""Rows of the derivatives of a contact, W.by_moves: of n, c, the gap, e, F, the torque along the rows of spin, c*."""


class FeaturePlace(NamedTuple):
    """Geometry of one feature at the poses of its bodies, see `feature_geometry`."""

    normal: np.ndarray  # (3,) from B to A
    point: np.ndarray  # (3,) [m]
    dgap: np.ndarray  # (12,)
    dn: np.ndarray  # (3, 12)
    dc: np.ndarray  # (3, 12)


class PairMotion(NamedTuple):
    """Motion of one contact at the next poses, see `pair_motion`: its geometry there, and the parts of its rows."""

    normal: np.ndarray
    point: np.ndarray
    dgap: np.ndarray
    dn: np.ndarray
    dc: np.ndarray
    along: np.ndarray  # (3,) e, along which the contact pushes (start_normals.py)
    by_normal: np.ndarray  # (2, 3, 3) derivatives of e by the normals where the step ends and starts, M and M₀
    by_touch: np.ndarray  # (3,) that by how far the bodies are in touch at the start, W.ctouch
    tangents: np.ndarray  # (2, 3) T, across e
    arms: np.ndarray  # (2, 3) of the application point c* from both bodies [m]
    slip: np.ndarray  # (3,) relative slip velocity u_A - u_B [m/s]
    force: np.ndarray  # (3,) F, the impulse on A [N s]
    behind: np.ndarray  # (2, 3) Q m, arms of both bodies' points behind the contact, rotated back to the start of the step [m]
    half_gap: np.ndarray  # (1,) [m]
    carried: np.ndarray  # (2, 3) Q m', arms of what both bodies carry of their points p, seen from the start of the step [m]
    placed: np.ndarray  # (3, 3) N of start_points.py, derivative of c* by p
    place_by: np.ndarray  # (2, 3) derivatives of c* by s of start_normals.py, and by L² of contact_size.py
    mixed: np.ndarray  # (2, 3, 3) M of rolling_arms.py of both sides, 1 where nothing rolls


def allocate_place() -> FeaturePlace:
    """Work arrays."""
    return FeaturePlace(np.zeros(3), np.zeros(3), np.zeros(12), np.zeros((3, 12)), np.zeros((3, 12)))


def allocate_motion() -> PairMotion:
    """Work arrays."""
    z = np.zeros
    return PairMotion(
        *allocate_place(), along=z(3), by_normal=z((2, 3, 3)), by_touch=z(3), tangents=z((2, 3)), arms=z((2, 3)),
        slip=z(3), force=z(3), behind=z((2, 3)), half_gap=z(1), carried=z((2, 3)), placed=z((3, 3)),
        place_by=z((2, 3)), mixed=z((2, 3, 3)),
    )  # fmt: skip
