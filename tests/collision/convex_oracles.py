"""Support functions in numpy, and the distances of MuJoCo and coal, for the convex shapes of the tests."""

import mujoco
import numpy as np

from dojo_py.mechanism.quaternion import exponential, matrix, multiply, normalise

CORNERS = np.random.default_rng(0).normal(size=(40, 3)) * 0.25
FIRST = {
    "sphere": (0.3,), "capsule": (0.1, 0.4), "ellipsoid": (0.2, 0.3, 0.5), "cylinder": (0.3, 0.4), "box": (0.2, 0.3, 0.4),
    "mesh": CORNERS,
}  # fmt: skip
SECOND = {
    "sphere": (0.2,), "capsule": (0.2, 0.3), "ellipsoid": (0.4, 0.3, 0.35), "cylinder": (0.2, 0.5), "box": (0.3, 0.1, 0.5),
    "mesh": -0.7 * CORNERS,
}  # fmt: skip
NAMES = tuple(FIRST)
PAIRS = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i:]]


def reach(name, size, n):
    """h(n) (k) of a shape in its own frame; n (k, 3)."""
    n, s = np.asarray(n), np.asarray(size, float)
    if name == "sphere":
        return np.full(len(n), s[0])
    if name == "capsule":
        return s[0] + s[1] * np.abs(n[:, 2])
    if name == "ellipsoid":
        return np.sqrt(((n * s) ** 2).sum(axis=1))
    if name == "cylinder":
        return s[0] * np.hypot(n[:, 0], n[:, 1]) + s[1] * np.abs(n[:, 2])
    return np.abs(n) @ s if name == "box" else (n @ s.T).max(axis=1)


def bound(first, pose_a, second, pose_b, n):
    """n · (x_B - x_A) - h_A(n) - h_B(-n): what the gap is not less than, by normals n (k, 3) from A to B; poses with k rows."""
    a, b = (np.einsum("kji,kj->ki", matrix(pose[1]), n) for pose in (pose_a, pose_b))
    return np.einsum("ki,ki->k", n, pose_b[0] - pose_a[0]) - reach(*first, a) - reach(*second, -b)


def outside(shape, pose, points):
    """How far points (k, 3) lie outside a shape, by 2000 of its supporting planes [m]."""
    n = np.random.default_rng(1).normal(size=(2000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    local = np.einsum("kji,kj->ki", matrix(pose[1]), points - pose[0])
    return (local @ n.T - reach(*shape, n)).max(axis=1)


def random_poses(rng, count, far=1.6):
    """Two times (positions (count, 3), quaternions): one shape about the other, apart or overlapping."""
    away = rng.normal(size=(count, 3))
    away *= rng.uniform(0.0, far, (count, 1)) / np.linalg.norm(away, axis=1)[:, None]
    x = rng.normal(size=(count, 3))
    q = normalise(rng.normal(size=(2, count, 4)))
    return (x, q[0]), (x + away, q[1])


def moved(pose, k, step):
    """A pose (rows) moved along coordinate k of 6: world position, then body rotation."""
    x, q = pose[0].copy(), pose[1]
    if k < 3:
        x[:, k] += step
        return x, q
    turn = np.zeros(3)
    turn[k - 3] = step
    return x, multiply(q, exponential(turn)[None])


class Wheel:
    """`mj_geomDistance` with its tolerances drawn tight."""

    def __init__(self, first, second):
        geoms, assets = "", ""
        for k, (name, size) in enumerate((first, second)):
            numbers = " ".join(f"{x!r}" for x in np.ravel(size).tolist())
            if name == "mesh":
                assets += f'<mesh name="m{k}" vertex="{numbers}"/>'
                geoms += f'<geom type="mesh" mesh="m{k}"/>'
            else:
                geoms += f'<geom type="{name}" size="{numbers}"/>'
        option = '<option ccd_tolerance="1e-12" ccd_iterations="500"/>'
        text = f"<mujoco>{option}<asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>"
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def distances(self, pose_a, pose_b):
        """Gaps (k) and unit normals (k, 3), zero where its points coincide, for rows of poses."""
        count = len(pose_a[0])
        gaps, ends, ray = np.zeros(count), np.zeros((count, 6)), np.zeros(6)
        turns = [matrix(pose[1]).reshape(count, 9) for pose in (pose_a, pose_b)]
        places = []
        for g, (pose, turn) in enumerate(zip((pose_a, pose_b), turns, strict=True)):
            # a mesh stands in its principal axes
            own, shift = matrix(self.model.geom_quat[g]), self.model.geom_pos[g]
            R = turn.reshape(count, 3, 3)
            places.append((pose[0] + R @ shift, (R @ own).reshape(count, 9)))
        for k in range(count):
            for g, (x, R) in enumerate(places):
                self.data.geom_xpos[g], self.data.geom_xmat[g] = x[k], R[k]
            gaps[k] = mujoco.mj_geomDistance(self.model, self.data, 0, 1, 100.0, ray)
            ends[k] = ray
        part = ends[:, 3:] - ends[:, :3]
        size = np.linalg.norm(part, axis=1)
        return gaps, np.where(size[:, None] > 1e-6, part / np.maximum(size, 1e-300)[:, None] * np.sign(gaps)[:, None], 0.0)


def coal_shape(coal, name, size):
    """A shape of coal, which counts full lengths."""
    if name == "mesh":
        points = coal.StdVec_Vec3s()
        for p in size:
            points.append(np.array(p, float))
        return coal.Convex.convexHull(points, True, "Qt")
    if name == "box":
        return coal.Box(*(2.0 * x for x in size))
    if name == "sphere":
        return coal.Sphere(*size)
    if name == "ellipsoid":
        return coal.Ellipsoid(*size)
    return (coal.Capsule if name == "capsule" else coal.Cylinder)(size[0], 2.0 * size[1])


def coal_distances(coal, first, second, pose_a, pose_b):
    """Gaps (k) and normals (k, 3) of coal."""
    one, two = coal_shape(coal, *first), coal_shape(coal, *second)
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.epa_tolerance = 1e-12, 1e-10
    request.gjk_max_iterations, request.epa_max_iterations = 1000, 1000
    gaps, normals = np.zeros(len(pose_a[0])), np.zeros((len(pose_a[0]), 3))
    turns = [matrix(pose[1]) for pose in (pose_a, pose_b)]
    for k in range(len(gaps)):
        result = coal.DistanceResult()
        at = [coal.Transform3s(turn[k], pose[0][k]) for turn, pose in zip(turns, (pose_a, pose_b), strict=True)]
        gaps[k] = coal.distance(one, at[0], two, at[1], request, result)
        normals[k] = result.normal
    return gaps, normals
