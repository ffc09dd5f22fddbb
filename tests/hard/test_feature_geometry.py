"""Derivatives of the gap, normal and point of every kind of feature, against central differences of the values."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dojo_py.collision.convex_shapes import BOX, CYLINDER, ELLIPSOID
from dojo_py.collision.epa import polytope
from dojo_py.collision.features import BALL_FEATURE, CROSSING, EDGE_EDGE, EDGE_OVER, NEAREST, POINT_PLANE, RIM_PLANE
from dojo_py.hard import feature_geometry
from dojo_py.jit import entry

KINDS = {
    "ball": BALL_FEATURE, "crossing": CROSSING, "point over plane": POINT_PLANE, "edges": EDGE_EDGE, "edge over edge": EDGE_OVER,
    "rim over plane": RIM_PLANE, "nearest points": NEAREST,
}  # fmt: skip
DIFFERENCE = 1e-6


@entry
def _values(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, s):
    return feature_geometry.feature_geometry(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, s)


def _random_feature(kind, sign, rng):
    """Tables with one feature at row 0, of bodies near the origin."""
    axes = Rotation.random(2, rng=rng).as_matrix()
    W = SimpleNamespace(
        fkind=np.array([kind]), fcentre=0.1 * rng.normal(size=(1, 2, 3)), faxes=axes[None], fhalf=np.full((1, 2, 3), 0.1),
        fradius=np.array([[0.04, 0.03]]), fsign=np.array([sign]), fshape=np.array([[0, 1]]), polytope=polytope(),
    )  # fmt: skip
    if kind == CROSSING:
        W.fhalf[:, :, :2] = 0.0
    kinds = rng.permutation([BOX, CYLINDER, ELLIPSOID])[:2]
    Q = SimpleNamespace(
        shape_kind=kinds, shape_size=rng.uniform(0.05, 0.15, (2, 3)), shape_hull=np.zeros((2, 2), int),
        shape_centre=W.fcentre[0], shape_axes=axes, corner=np.zeros((0, 3)), first=np.zeros(1, int), neighbour=np.zeros(0, int),
    )  # fmt: skip
    return Q, W


def _evaluate(Q, W, poses):
    """(gap, n, c) and their derivatives (7, 12) at poses [(x, R), (x, R)], in plain Python."""
    n, c, dgap, dn, dc = np.zeros(3), np.zeros(3), np.zeros(12), np.zeros((3, 12)), np.zeros((3, 12))
    (xa, Ra), (xb, Rb) = poses
    call = getattr(feature_geometry.feature_geometry, "py_func", feature_geometry.feature_geometry)
    gap = call(Q, W, 0, xa, Ra, xb, Rb, n, c, dgap, dn, dc, np.zeros((96, 12)))
    return np.concatenate([[gap], n, c]), np.vstack([dgap, dn, dc])


def _moved(poses, k, step):
    """The poses with column k of (δx_A, δθ_A, δx_B, δθ_B) moved."""
    out = [list(pose) for pose in poses]
    body, turn, axis = k // 6, (k % 6) >= 3, k % 3
    if turn:
        out[body][1] = Rotation.from_rotvec(step * np.eye(3)[axis]).as_matrix() @ out[body][1]
    else:
        out[body][0] = out[body][0] + step * np.eye(3)[axis]
    return out


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("kind", list(KINDS))
def test_derivatives_of_features_are_those_of_their_values(kind, sign):
    """Central differences, step 1e-6; measured: 4e-9."""
    rng = np.random.default_rng(7)
    for _ in range(5):
        Q, W = _random_feature(KINDS[kind], sign, rng)
        turns = Rotation.random(2, rng=rng).as_matrix()
        poses = [(np.zeros(3), turns[0]), (np.array([0.0, 0.1, 0.5]), turns[1])]
        derivatives = _evaluate(Q, W, poses)[1]
        for k in range(12):
            up, down = (_evaluate(Q, W, _moved(poses, k, s * DIFFERENCE))[0] for s in (1, -1))
            assert np.allclose(derivatives[:, k], (up - down) / (2 * DIFFERENCE), atol=1e-7), k
