"""Derivatives of the gap, normal and point of every kind of feature, against central differences of the values.

The kernels run as plain Python here, in a process of their own, so that a feature can be written down without a model.
"""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dojo_py.collision.convex_shapes import BOX, CYLINDER, ELLIPSOID
from dojo_py.collision.epa import polytope
from dojo_py.collision.features import (
    BALL_FEATURE,
    CROSSING,
    EDGE_EDGE,
    EDGE_OVER,
    ELLIPSOID_PLANE,
    NEAREST,
    POINT_PLANE,
    RIM_EDGE,
    RIM_PLANE,
    RIM_RIM,
)
from dojo_py.collision.height_fields import HFIELD
from dojo_py.hard.elements.feature_geometry import FAR, feature_geometry

KINDS = {
    "ball": BALL_FEATURE, "crossing": CROSSING, "point over plane": POINT_PLANE, "edges": EDGE_EDGE, "edge over edge": EDGE_OVER,
    "rim over plane": RIM_PLANE, "nearest points": NEAREST, "rim and edge": RIM_EDGE, "rim and wall": RIM_EDGE, "rims": RIM_RIM,
    "ellipsoid over plane": ELLIPSOID_PLANE, "ellipsoid and terrain": NEAREST,
}  # fmt: skip
DIFFERENCE = 1e-6


def _random_feature(name, sign, rng):
    """Tables with one feature at row 0, of bodies near the origin."""
    kind = KINDS[name]
    axes = Rotation.random(2, rng=rng).as_matrix()
    W = SimpleNamespace(
        fkind=np.array([kind]), fcentre=0.1 * rng.normal(size=(1, 2, 3)), faxes=axes[None], fhalf=np.full((1, 2, 3), 0.1),
        fradius=np.array([[0.04, 0.03]]), fsign=np.array([sign]), fshape=np.array([[0, 1]]), polytope=polytope(), kappa=np.ones(1),
        softness=np.array([1.0, 0.0]),
        fpair=np.zeros(1, int),
    )  # fmt: skip
    if kind == CROSSING:
        W.fhalf[:, :, :2] = 0.0
    if kind == RIM_EDGE or kind == RIM_RIM:
        W.fhalf[:, :, 0], W.fhalf[:, :, 1] = rng.uniform(-np.pi, np.pi, (1, 2)), rng.choice([-1.0, 1.0])
    if name == "rim and edge":
        W.fradius[0, 1 if sign > 0 else 0] = 0.0
    kinds = rng.permutation([BOX, CYLINDER, ELLIPSOID])[:2]
    if name.startswith("ellipsoid"):
        kinds = np.array([ELLIPSOID, HFIELD])
    Q = SimpleNamespace(
        shape_kind=kinds, shape_size=rng.uniform(0.05, 0.15, (2, 3)), shape_hull=np.zeros((2, 2), int),
        shape_centre=W.fcentre[0], shape_axes=axes, corner=np.zeros((0, 3)), first=np.zeros(1, int), neighbour=np.zeros(0, int),
        fade=np.array([0.4]),
    )  # fmt: skip
    return Q, W


def _evaluate(Q, W, poses):
    """(gap, n, c) and their derivatives (7, 12) at poses [(x, R), (x, R)], in plain Python."""
    n, c, dgap, dn, dc = np.zeros(3), np.zeros(3), np.zeros(12), np.zeros((3, 12)), np.zeros((3, 12))
    (xa, Ra), (xb, Rb) = poses
    gap = feature_geometry(Q, W, 0, xa, Ra, xb, Rb, n, c, dgap, dn, dc)
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


def _largest_difference(kind, sign):
    rng, worst = np.random.default_rng(7), 0.0
    for _ in range(5):
        Q, W = _random_feature(kind, sign, rng)
        turns = Rotation.random(2, rng=rng).as_matrix()
        poses = [(np.zeros(3), turns[0]), (np.array([0.0, 0.1, 0.5]), turns[1])]
        derivatives = _evaluate(Q, W, poses)[1]
        for k in range(12):
            up, down = (_evaluate(Q, W, _moved(poses, k, s * DIFFERENCE))[0] for s in (1, -1))
            worst = max(worst, np.abs(derivatives[:, k] - (up - down) / (2 * DIFFERENCE)).max())
    return worst


@pytest.fixture(scope="module")
def differences():
    """Largest differences by kind and sign, from a process without compilation."""
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, __file__], env=variables, capture_output=True, text=True, timeout=300, check=True)
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", list(KINDS))
def test_derivatives_of_features_are_those_of_their_values(differences, kind, sign):
    """Central differences, step 1e-6; measured: 1.1e-7 (two edges of 0.05 rad: the error of the difference), the others 1e-9."""
    assert differences[f"{kind} {sign}"] < 1e-6


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["edges", "edge over edge"])
def test_edges_that_are_parallel_do_not_meet(differences, kind, sign):
    """They crossed where the feature was found, and are parallel in a later part of the step: that made the whole step NaN."""
    assert differences[f"{kind} parallel {sign}"] == FAR


def _gap_of_parallel(kind, sign):
    """The gap of two edges along the same axis; NaN where a derivative is not finite."""
    Q, W = _random_feature(kind, sign, np.random.default_rng(7))
    W.faxes[:] = np.eye(3)
    poses = [(np.zeros(3), np.eye(3)), (np.array([0.0, 0.1, 0.5]), np.eye(3))]
    if kind == "edge over edge":  # (an edge along the face's own)
        W.faxes[0, 0 if sign > 0 else 1] = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]).T
        W.faxes[0, 0 if sign > 0 else 1, :, 2] = [0.0, 1.0, 0.0]
    values, derivatives = _evaluate(Q, W, poses)
    return values[0] if np.isfinite(values).all() and np.isfinite(derivatives).all() else np.nan


if __name__ == "__main__":
    for kind in ("edges", "edge over edge"):
        for sign in (1, -1):
            print(kind, "parallel", sign, _gap_of_parallel(kind, float(sign)))
    for kind in KINDS:
        for sign in (1, -1):
            print(kind, sign, _largest_difference(kind, float(sign)))
