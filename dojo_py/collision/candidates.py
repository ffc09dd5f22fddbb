"""Model → candidates for contact: every pair of geoms that MuJoCo's filters let collide, taken apart into points.

Against a plane: a sphere is one point with a radius, a capsule two, a box its 8 corners, an ellipsoid its lowest point; a
cylinder has four fixed points and the lowest point on each rim. Between bodies the features of sphere-sphere, sphere-capsule,
sphere-box and capsule-capsule (its four ends against the other's axis, and the two axes crossing) are fixed too. All other convex
pairs choose theirs at the start of every step (manifold.py): they are listed as pairs of geoms.
"""

from typing import NamedTuple

import numpy as np

from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE
from dojo_py.collision.convex_table import frames, has_hull, shape_table
from dojo_py.collision.features import BALL_FEATURE, CROSSING
from dojo_py.collision.friction import coefficients, laws
from dojo_py.collision.pair_filter import colliding_pairs
from dojo_py.collision.restitution import restitution, solrefs
from dojo_py.mechanism.errors import ModelError

SHAPE_NAMES = {0: "plane", 1: "hfield", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh", 8: "sdf"}


class PlaneCandidates(NamedTuple):
    """Points of bodies against fixed planes. n rows; frames: the body's frame at its centre of mass, the world."""

    body: np.ndarray  # (n,)
    point: np.ndarray  # (n, 3) centre of the ball, of the rim or of the ellipsoid, body frame [m]
    radius: np.ndarray  # (n,) of the ball about the point [m]
    curved: np.ndarray  # (n,) 1 where the touching point moves over the shape
    shape: np.ndarray  # (n, 3, 3) curved: the point is  point - size M n / sqrt(nᵀ M n + ε²), n the plane's normal in the body
    size: np.ndarray  # (n,) curved: factor k [m for rims, 1 for ellipsoids, whose M is in m²]
    soft: np.ndarray  # (n,) curved: ε²
    normal: np.ndarray  # (n, 3) world
    tangent: np.ndarray  # (n, 2, 3) world
    offset: np.ndarray  # (n,) n · (a point of the plane) [m]
    friction: np.ndarray  # (n,) of reference
    law: np.ndarray  # (n,) see friction.py
    geom: np.ndarray  # (n, 2) geom of the body, plane
    ratio: np.ndarray  # (n, 5) all coefficients over the one of reference [1, 1, m, m, m]
    restitution: np.ndarray  # (n,)


class PairCandidates(NamedTuple):
    """What of two bodies may touch (one of them may be the world, -1): n pairs of features, then m pairs of whole geoms.

    Frames of features as above; those of the g shapes: the geoms' own (`convex_table.ShapeTable`).
    """

    kind: np.ndarray  # (n,)
    body: np.ndarray  # (n, 2)
    centre: np.ndarray  # (n, 2, 3) in the two bodies' frames [m]
    axes: np.ndarray  # (n, 2, 3, 3) columns: axes of the feature in the body's frame
    half: np.ndarray  # (n, 2, 3) half extents along these axes; a segment has only the third [m]
    radius: np.ndarray  # (n, 2) rounding [m]
    bound: np.ndarray  # (n, 2) distance from the centre of mass to the feature's farthest point [m]
    friction: np.ndarray  # (n,)
    law: np.ndarray  # (n,)
    geom: np.ndarray  # (n, 2)
    ratio: np.ndarray  # (n, 5) as of planes
    restitution: np.ndarray  # (n,)
    convex: np.ndarray  # (m, 2) geoms whose features are chosen at the start of a step
    convex_friction: np.ndarray  # (m,)
    convex_law: np.ndarray  # (m,)
    convex_ratio: np.ndarray  # (m, 5)
    convex_restitution: np.ndarray  # (m,)
    convex_fade: np.ndarray  # (m,) distance d₁ of hard/far_pairs.py over the square root of κ [m / sqrt(N m s)]
    room: np.ndarray  # (1,) most features of all of them together
    shape_node: np.ndarray  # (g,) body
    shape_centre: np.ndarray  # (g, 3) of the geom in the body's frame [m]
    shape_axes: np.ndarray  # (g, 3, 3)
    shape_kind: np.ndarray
    shape_size: np.ndarray
    shape_hull: np.ndarray
    shape_faces: np.ndarray
    shape_reach: np.ndarray
    corner: np.ndarray
    first: np.ndarray
    neighbour: np.ndarray
    around: np.ndarray
    around_face: np.ndarray
    face_normal: np.ndarray
    ring: np.ndarray
    ring_corner: np.ndarray


ROOM, ROOM_A_BODY, ROOM_A_PAIR = 64, 32, 20
"""Features that a model has room for: in all, and for each body; no more than for each pair."""


def feature_rows(pairs):
    """Rows of the table of features: those that never change, then room for those that are chosen."""
    return len(pairs.kind) + int(pairs.room[0])


RIM_SOFTNESS = 1e-3
"""Tilt below which the lowest point of a rim retreats to the cap's centre: where the cap is parallel to the plane it is
undefined, and the four fixed points carry the cylinder. Costs 5e-7 of the radius when the cylinder lies on its side."""


def _points_against_plane(kind, size, centre, axes):
    """Rows (point, radius, curved, M, k, ε²) for one geom against a plane."""
    zero = np.zeros((3, 3))
    if kind == SPHERE:
        return [(centre, size[0], 0, zero, 0.0, 0.0)]
    if kind == CAPSULE:
        return [(centre + s * size[1] * axes[:, 2], size[0], 0, zero, 0.0, 0.0) for s in (-1, 1)]
    if kind == BOX:
        corners = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        return [(centre + axes @ (np.array(s) * size), 0.0, 0, zero, 0.0, 0.0) for s in corners]
    if kind == ELLIPSOID:
        return [(centre, 0.0, 1, axes @ np.diag(size**2) @ axes.T, 1.0, 0.0)]
    rows = []
    axis = axes[:, 2]
    for s in (-1, 1):
        cap = centre + s * size[1] * axis
        for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            rows.append((cap + size[0] * (x * axes[:, 0] + y * axes[:, 1]), 0.0, 0, zero, 0.0, 0.0))
        rows.append((cap, 0.0, 1, np.eye(3) - np.outer(axis, axis), size[0], RIM_SOFTNESS**2))
    return rows


def _box_feature(kind, size):
    """Half extents and rounding of a geom as a rounded box, or None."""
    return {
        SPHERE: (np.zeros(3), size[0]),
        CAPSULE: (np.array([0.0, 0.0, size[1]]), size[0]),
        BOX: (np.array(size, float), 0.0),
    }.get(kind)


def build_candidates(model, where, com, skip_unsupported=False):
    """PlaneCandidates and PairCandidates of a Model. Raises ModelError naming all pairs of shapes that have no routine."""
    node, centre, axes = frames(where, model, com)
    planes, pairs, convex, refused = [], [], [], []
    may = colliding_pairs(model)
    all_laws = laws(coefficients(model, may.geoms, may.listed), may.condim)
    bounces = [restitution(ref) for ref in solrefs(model, may.geoms, may.listed)]
    for (g, k), law, mu, ratio, e in zip(may.geoms.tolist(), *(values.tolist() for values in all_laws), bounces, strict=True):
        if node[g] < 0 and node[k] < 0:
            continue
        tg, tk = int(model.geom_type[g]), int(model.geom_type[k])
        if tk == PLANE:
            g, k, tg, tk = k, g, tk, tg
        if tg == PLANE:
            if node[g] < 0 and tk == MESH and has_hull(model, k):
                convex.append((k, g, mu, law, ratio, e))
                continue
            if node[g] >= 0 or tk not in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX):
                refused.append((g, k))
                continue
            n = axes[g][:, 2]
            T = axes[g][:, :2].T if ratio[0] == ratio[1] and ratio[3] == ratio[4] else default_tangents(n)
            for row in _points_against_plane(tk, np.asarray(model.geom_size[k], float), centre[k], axes[k]):
                planes.append((node[k], *row, n, T, n @ centre[g], mu, law, (k, g), ratio, e))
            continue
        rows = _pair_rows(tg, tk, g, k, model, node, centre, axes)
        if rows is not None:
            pairs += [(*row, mu, law, ratio, e) for row in rows]
        elif _is_convex(model, g) and _is_convex(model, k):
            convex.append((g, k, mu, law, ratio, e) if node[g] >= 0 else (k, g, mu, law, ratio, e))  # one that moves first
        else:
            refused.append((g, k))
    if refused and not skip_unsupported:
        names = sorted(
            {
                f"{_name(model, g)} ({SHAPE_NAMES[int(model.geom_type[g])]}) - "
                f"{_name(model, k)} ({SHAPE_NAMES[int(model.geom_type[k])]})"
                for g, k in refused
            }
        )
        raise ModelError(
            "the hard mode has no contact routine for these pairs of geoms: "
            + "; ".join(names)
            + '. Exclude them (contype/conaffinity or <exclude>), or pass unsupported="skip"'
        )
    bodies = int(where.node.max()) + 1
    mass = np.bincount(where.node + 1, np.asarray(model.body_mass, float), minlength=bodies + 1)[1:]
    return _stack_planes(planes), _stack_pairs(pairs, convex, (model, mass), (node, centre, axes))


def default_tangents(n):
    """(2, 3) MuJoCo's tangents of a normal: the world's y axis, or z where the normal is near y, made perpendicular; n × it."""
    axis = np.eye(3)[1 if abs(n[1]) < 0.5 else 2]
    first = axis - (axis @ n) * n
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)])


def _is_convex(model, g):
    kind = int(model.geom_type[g])
    return kind in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX) or (kind == MESH and has_hull(model, g))


def _name(model, g):
    name = model.geom_names[g] if hasattr(model, "geom_names") else ""
    return f"'{name}'" if name else f"geom {g}"


def _pair_rows(tg, tk, g, k, model, node, centre, axes):
    """Feature pairs of two geoms, the ball (or first segment) first; None where there is no routine."""
    shapes = {}
    for i, t in ((g, tg), (k, tk)):
        feature = _box_feature(t, np.asarray(model.geom_size[i], float))
        if feature is None:
            return None
        shapes[i] = feature

    def row(kind, a, b, at=None):
        (ha, ra), (hb, rb) = shapes[a], shapes[b]
        ca = centre[a] if at is None else at
        return (kind, (node[a], node[b]), (ca, centre[b]), (axes[a], axes[b]), (ha * (kind == CROSSING), hb), (ra, rb), (a, b))

    if tg == SPHERE or tk == SPHERE:
        a, b = (g, k) if tg == SPHERE else (k, g)
        return [row(BALL_FEATURE, a, b)]
    if tg == CAPSULE and tk == CAPSULE:
        rows = [row(CROSSING, g, k)]
        for a, b in ((g, k), (k, g)):
            for s in (-1, 1):
                rows.append(row(BALL_FEATURE, a, b, centre[a] + s * shapes[a][0][2] * axes[a][:, 2]))
        return rows
    return None


def _stack_planes(rows):
    n = len(rows)
    col = lambda i, shape, dtype=float: np.array([r[i] for r in rows], dtype).reshape(n, *shape)  # noqa: E731
    return PlaneCandidates(
        body=col(0, (), np.int64),
        point=col(1, (3,)),
        radius=col(2, ()),
        curved=col(3, (), np.int64),
        shape=col(4, (3, 3)),
        size=col(5, ()),
        soft=col(6, ()),
        normal=col(7, (3,)),
        tangent=col(8, (2, 3)),
        offset=col(9, ()),
        friction=col(10, ()),
        law=col(11, (), np.int64),
        geom=col(12, (2,), np.int64),
        ratio=col(13, (5,)),
        restitution=col(14, ()),
    )


FELT = 1e-4
"""Share of its distance by which a pair whose impulse on the central path acts fully may move the lighter body in a step."""


def _fade(mass, timestep, nodes):
    """d₁ / sqrt(κ) of pairs of bodies (m, 2), the world -1; mass (nb,) [kg], timestep [s]."""
    lighter = np.where(nodes >= 0, mass[nodes] if len(mass) else np.inf, np.inf).min(axis=1, initial=np.inf)
    return np.sqrt(timestep / (FELT * np.maximum(lighter, 1e-12)))


def _stack_pairs(rows, convex, bodies, shapes):
    model, mass = bodies
    n, m = len(rows), len(convex)
    geoms = np.array([r[:2] for r in convex], np.int64).reshape(m, 2)
    room = min(ROOM_A_PAIR * m, ROOM + ROOM_A_BODY * len(mass))
    node, at, directions = shapes
    col = lambda i, shape, dtype=float: np.array([r[i] for r in rows], dtype).reshape(n, *shape)  # noqa: E731
    centre, half, radius = col(2, (2, 3)), col(4, (2, 3)), col(5, (2,))
    return PairCandidates(
        kind=col(0, (), np.int64),
        body=col(1, (2,), np.int64),
        centre=centre,
        axes=col(3, (2, 3, 3)),
        half=half,
        radius=radius,
        bound=np.linalg.norm(centre, axis=-1) + np.linalg.norm(half, axis=-1) + radius,
        geom=col(6, (2,), np.int64),
        friction=col(7, ()),
        law=col(8, (), np.int64),
        ratio=col(9, (5,)),
        restitution=col(10, ()),
        convex=geoms,
        convex_friction=np.array([r[2] for r in convex], float),
        convex_law=np.array([r[3] for r in convex], np.int64),
        convex_ratio=np.array([r[4] for r in convex], float).reshape(m, 5),
        convex_restitution=np.array([r[5] for r in convex], float),
        convex_fade=_fade(mass, float(model.opt.timestep), node[geoms]),
        room=np.array([room], np.int64),
        shape_node=node,
        shape_centre=at,
        shape_axes=directions,
        **dict(zip(PairCandidates._fields[-13:], shape_table(model, geoms.ravel()), strict=True)),
    )
