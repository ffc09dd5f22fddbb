"""Volume, centre and moments of inertia of triangle meshes, by MuJoCo's four recipes, for a density of 1.

A mesh is taken apart into pyramids from the centroid of its surface (the centre, once that is known) to its faces:

    V = Σ v_f,   c = Σ v_f c_f / V,   P_ij = Σ v_f / 20 (2 Σ_k x_k,i x_k,j + Σ_k≠l x_k,i x_l,j),   I = tr(P) 1 - P

"exact", "convex": signed volumes v_f (of the hull for "convex"). "legacy": |v_f|, for meshes that are not closed or whose faces are
not oriented. "shell": areas in the place of volumes, and 12 for 20. Sums run in the order of the faces: equal moments leave the
axes to round-off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray

NOT_CLOSED = "the mesh is not closed, or its faces are not oriented outwards"
INERTIA_TYPES = ("convex", "exact", "legacy", "shell")
SMALLEST = 1e-15
"""Area [m^2] and volume [m^3] below which a mesh is flat or empty (MuJoCo's mjMINVAL)."""
AXES_TOLERANCE = 1e-7
"""Product of inertia, and difference of moments, over the largest entry of the tensor, that do not count (MuJoCo's for meshes)."""
QUARTER_TURN = 0.707106781186548


class MeshInertia(NamedTuple):
    """For a density of 1: volume (shell: area), centre, axes, principal moments (3), half sizes of the box with these moments."""

    volume: float
    centre: Array
    quat: Array
    moments: Array
    box: Array


def mesh_inertia(vertices: Array, faces: Array, kind: str, surface: Array | None = None) -> MeshInertia | str:
    """Of triangles `faces` (m, 3) of vertices (n, 3); `surface`: faces whose centroid is the tip. Or what is wrong, as text."""
    tip, area = _centroid(vertices, faces if surface is None else surface)
    if area < SMALLEST:
        return "the surface area is zero: all faces are degenerate"
    weight, centre, _ = _pyramids(vertices, faces, kind, tip)
    middle = centre * 0.75 + tip * 0.25
    volume = float(_sum(weight))
    if volume < SMALLEST:
        if volume < -SMALLEST:
            return f"the volume is negative ({volume:g} m^3): the faces are oriented inwards, or the mesh is not closed"
        return f"the volume is zero ({volume:g} m^3): the mesh is flat; accepted with inertia='shell', or as a primitive shape"
    centre_of_mass = _sum(weight[:, None] * middle) / volume
    volume, products = _products(vertices - centre_of_mass, faces, kind)
    tensor = np.diag([products[1] + products[2], products[0] + products[2], products[0] + products[1]])
    for (i, j), product in zip(((0, 1), (0, 2), (1, 2)), products[3:], strict=True):
        tensor[i, j] = tensor[j, i] = -product
    moments, quat = principal_frame(tensor)
    a, b, c = moments[2], moments[1], moments[0]
    if a <= 0.0:
        return f"the moments of inertia ({c:g} {b:g} {a:g}) are not positive: {NOT_CLOSED}"
    if a + b < c * (1.0 - 1e-6) - 1e-9:
        return f"the moments of inertia ({c:g} {b:g} {a:g}) violate A + B >= C: {NOT_CLOSED}"
    half = [moments.sum() - 2.0 * moments[i] for i in range(3)]
    box = 0.5 * np.sqrt(np.maximum(0.0, 6.0 * np.array(half) / volume))
    return MeshInertia(volume, centre_of_mass, quat, moments, box)


def _triangles(corners: Array) -> tuple[Array, Array, Array]:
    """Areas (m), unit normals and centres (m, 3); corners (m, 3, 3). A face without area has no unit normal."""
    d, e, f = corners[:, 0], corners[:, 1], corners[:, 2]
    b, c = e - d, f - d
    normal = b[:, [1, 2, 0]] * c[:, [2, 0, 1]] - b[:, [2, 0, 1]] * c[:, [1, 2, 0]]
    length = np.sqrt(_dot(normal, normal))
    good = length >= SMALLEST
    normal = np.where(good[:, None], normal / np.where(good, length, 1.0)[:, None], normal)
    return np.where(good, 0.5 * length, 0.0), normal, (d + e + f) / 3.0


def _centroid(vertices: Array, faces: Array) -> tuple[Array, float]:
    area, _, centre = _triangles(vertices[faces])
    total = float(_sum(area))
    return (_sum(area[:, None] * centre) / total if total >= SMALLEST else np.zeros(3)), total


def _pyramids(vertices: Array, faces: Array, kind: str, tip: Array) -> tuple[Array, Array, Array]:
    """Volumes (shell: areas) of the pyramids with this tip, centres of their bases, normals."""
    area, normal, centre = _triangles(vertices[faces])
    if kind == "shell":
        return area, centre, normal
    volume = _dot(centre - tip, normal) * area / 3.0
    return (np.abs(volume) if kind == "legacy" else volume), centre, normal


def _products(vertices: Array, faces: Array, kind: str) -> tuple[float, Array]:
    """Volume and the six products P_xx P_yy P_zz P_xy P_xz P_yz about the origin."""
    weight, _, _ = _pyramids(vertices, faces, kind, np.zeros(3))
    d, e, f = (vertices[faces[:, k]] for k in range(3))
    out = []
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        same = 2.0 * (d[:, i] * d[:, j] + e[:, i] * e[:, j] + f[:, i] * f[:, j])
        mixed = same + d[:, i] * e[:, j] + d[:, j] * e[:, i] + d[:, i] * f[:, j] + d[:, j] * f[:, i]
        mixed = mixed + e[:, i] * f[:, j] + e[:, j] * f[:, i]
        out.append(_sum(weight / (12.0 if kind == "shell" else 20.0) * mixed))
    return float(_sum(weight)), np.array(out)


def principal_frame(tensor: Array) -> tuple[Array, Array]:
    """Principal moments, largest first, and their axes as a quaternion, by MuJoCo's iteration and with its tolerance.

    Jacobi's method on a quaternion. That of `inertia.principal_axes` goes on to round-off; here it stops where the wheel stops,
    because the vertices of a mesh are turned into this frame.
    """
    tolerance = AXES_TOLERANCE * float(np.abs(tensor).max())
    q = np.array([1.0, 0.0, 0.0, 0.0])
    d = tensor
    for _ in range(500):
        axes = _matrix(q)
        d = _multiply(_multiply(axes.T, tensor), axes)
        i, j = _largest_off_diagonal(d)
        if abs(d[i, j]) <= tolerance:
            break
        tau = (d[j, j] - d[i, i]) / (2.0 * d[i, j])
        root = np.sqrt(1.0 + tau * tau)
        tangent = 1.0 / (tau + root) if tau >= 0.0 else -1.0 / (-tau + root)
        half = tangent / (1.0 + np.sqrt(1.0 + tangent * tangent))  # tangent of half the angle
        axis = 3 - i - j
        cosine = 1.0 / np.sqrt(1.0 + half * half)
        q = _turned(q, axis, cosine, (half if axis == 1 else -half) * cosine)
    moments = np.diag(d).copy()
    for i in (0, 1, 0):
        if moments[i] + tolerance < moments[i + 1]:
            moments[[i, i + 1]] = moments[[i + 1, i]]
            q = _turned(q, (i + 2) % 3, QUARTER_TURN, QUARTER_TURN)  # exchanges two axes
    return moments, q


def _largest_off_diagonal(d: Array) -> tuple[int, int]:
    xy, xz, yz = abs(d[0, 1]), abs(d[0, 2]), abs(d[1, 2])
    if xy > xz and xy > yz:
        return 0, 1
    return (0, 2) if xz > yz else (1, 2)


def _turned(q: Array, axis: int, cosine: float, sine: float) -> Array:
    """q times the quaternion (cosine, sine about the axis), of unit length."""
    turn = np.zeros(4)
    turn[0], turn[1 + axis] = cosine, sine
    a, b = q, turn
    out = np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    )
    return out / np.sqrt(_dot(out, out))


def _matrix(q: Array) -> Array:
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def _multiply(a: Array, b: Array) -> Array:
    """The product of two 3 x 3 matrices, summed from left to right (BLAS may fuse)."""
    return a[:, 0:1] * b[0] + a[:, 1:2] * b[1] + a[:, 2:3] * b[2]


def _dot(a: Array, b: Array) -> Array:
    """Products of rows, summed from left to right."""
    out = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        out = out + a[..., k] * b[..., k]
    return out


def _sum(values: Array) -> Array:
    """The sum over the first axis, one after the other (np.sum goes by pairs)."""
    return np.cumsum(values, axis=0)[-1] if len(values) else np.zeros(values.shape[1:])
