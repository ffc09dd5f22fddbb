"""Model → candidates for contact: every pair of geoms that MuJoCo's filters let collide, as points on planes or pairs of geoms.

Against a fixed plane a sphere is one point with a radius, a capsule two, a box its 8 corners, an ellipsoid its lowest point. Other
candidates are pairs of geoms; each step chooses the near ones and their features. Round pairs (sphere-sphere, sphere-capsule,
sphere-box, capsule-capsule) have fixed features (hard/contacts/round_pairs.py); all others, also cylinders and meshes on planes,
have those of a contact manifold (manifold.py).
"""

from typing import NamedTuple

import numpy as np

from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE
from dojo_py.collision.convex_table import frames, has_hull, shape_table
from dojo_py.collision.friction import coefficients, laws
from dojo_py.collision.height_fields import HFIELD, height_fields
from dojo_py.collision.pair_filter import colliding_pairs
from dojo_py.collision.restitution import restitutions, solrefs
from dojo_py.collision.sweep import pair_index
from dojo_py.mechanism.errors import ErrorRecord, ModelError
from dojo_py.mechanism.source import MOST_NAMED, name_of, place_of

SHAPE_NAMES = {0: "plane", 1: "hfield", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh", 8: "sdf"}


class PlaneCandidates(NamedTuple):
    """Points of bodies against fixed planes, n rows. Frames: the body's at its centre of mass, and the world."""

    body: np.ndarray  # (n,)
    point: np.ndarray  # (n, 3) centre of the ball or of the ellipsoid, body frame [m]
    radius: np.ndarray  # (n,) of the ball about the point [m]
    curved: np.ndarray  # (n,) 1 if the contact point moves over the shape: an ellipsoid
    shape: np.ndarray  # (n, 3, 3) M of an ellipsoid (plane.py) [m²]; else zeros
    normal: np.ndarray  # (n, 3) world
    tangent: np.ndarray  # (n, 2, 3) world
    offset: np.ndarray  # (n,) n · (a point of the plane) [m]
    friction: np.ndarray  # (n,) reference coefficient μ, see friction.py
    law: np.ndarray  # (n,) see friction.py
    geom: np.ndarray  # (n, 2) geom of the body, plane
    ratio: np.ndarray  # (n, 5) all coefficients over μ [1, 1, m, m, m]
    restitution: np.ndarray  # (n,)


class PairCandidates(NamedTuple):
    """Pairs of geoms of two bodies that may touch (one body may be the world, -1): m pairs, the round ones first.

    Shapes are in the bodies' frames at the centre of mass, as above, g rows, one for each geom of the model. Round pairs take
    spheres, capsules and boxes as rounded boxes: the Minkowski sum of a box with these half extents and a ball of this radius.
    The last five fields are the index of pairs by geoms (`sweep.PairIndex`).
    """

    geom: np.ndarray  # (m, 2) first a sphere, if there is one, else a geom that moves
    friction: np.ndarray  # (m,) reference coefficient μ
    law: np.ndarray  # (m,)
    ratio: np.ndarray  # (m, 5) as for planes
    restitution: np.ndarray  # (m,)
    fade: np.ndarray  # (m,) distance d₁ of hard/elements/far_pairs.py over the square root of κ [m / sqrt(N m s)]
    rounds: np.ndarray  # (1,) number of round pairs
    room: np.ndarray  # (1,) initial room for features; a step that needs more asks for it
    round_centre: np.ndarray  # (g, 3) of the rounded box [m]
    round_half: np.ndarray  # (g, 3) half extents; a capsule has only the third [m]
    round_radius: np.ndarray  # (g,) [m]
    shape_fade: np.ndarray  # (g,) `fade` by its own body's mass, times AROUND if it has pairs that are not round; enlarges its box
    shape_inner: np.ndarray  # (g,) radius of a ball about the centre inside the shape [m]
    shape_scale: np.ndarray  # (g,) the same, as built: scale of relaxed nearest points (relaxed_points.py) [m]
    shape_node: np.ndarray  # (g,) body
    ease: np.ndarray  # (nb + 1,) inverse of each body's least moment of inertia [1/(kg m²)], as built; 0 for the world, last
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
    field_size: np.ndarray  # these four: `height_fields.HeightFields`; `shape_faces` of a height field holds its number
    field_grid: np.ndarray
    field_height: np.ndarray
    field_top: np.ndarray
    box_geom: np.ndarray
    partner_start: np.ndarray
    partner: np.ndarray
    pair_number: np.ndarray
    boundless: np.ndarray


ROOM, ROOM_A_BODY, ROOM_A_PAIR, ROOM_A_ROUND_PAIR = 32, 4, 20, 5
"""Initial room for features: ROOM and so many for each body, but no more than so many for each pair, for each round pair."""


MOST_POINTS = 250_000
"""Largest number of points of a height field: its prisms take 300 bytes a point."""


def _points_against_plane(kind, size, centre, axes):
    """Rows (point, radius, curved, M) of one geom against a plane."""
    zero = np.zeros((3, 3))
    if kind == SPHERE:
        return [(centre, size[0], 0, zero)]
    if kind == CAPSULE:
        return [(centre + s * size[1] * axes[:, 2], size[0], 0, zero) for s in (-1, 1)]
    if kind == BOX:
        corners = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        return [(centre + axes @ (np.array(s) * size), 0.0, 0, zero) for s in corners]
    return [(centre, 0.0, 1, axes @ np.diag(size**2) @ axes.T)]


def build_candidates(model, where, com, turning, timestep, skip_unsupported=False):
    """PlaneCandidates and PairCandidates of a Model. Raises ModelError naming all pairs of shapes that have no routine.

    com (nb, 3), turning (nb,): centres of mass of the merged bodies [m], least moments of inertia [kg m²]. timestep [s]: of the
    simulator, which need not be the model's.
    """
    node, centre, axes = frames(where, model, com)
    may = colliding_pairs(model)
    law, mu, ratio = laws(coefficients(model, may.geoms, may.listed), may.condim)
    rubbing = law, mu, ratio, restitutions(solrefs(model, may.geoms, may.listed))
    kind = np.asarray(model.geom_type, np.int64)
    simple = np.isin(kind, (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX))
    hull = np.array([kind[g] == MESH and has_hull(model, g) for g in range(model.ngeom)], bool)
    moves = node >= 0
    pair = may.geoms
    pair = np.where((kind[pair[:, 1]] == PLANE)[:, None], pair[:, ::-1], pair)
    (a, b), acts = pair.T, moves[pair].any(axis=1)
    on_plane = acts & (kind[a] == PLANE) & ~moves[a]
    round_pair = acts & _is_round(kind[a], kind[b])
    solid = simple | hull
    chosen = hull | (kind == CYLINDER)  # these have a manifold on a plane, too
    convex = acts & ~round_pair & (solid[a] & solid[b] | on_plane & chosen[b])
    fields = _small_fields(model) & ~moves
    convex |= acts & (fields[a] & solid[b] | fields[b] & solid[a])
    on_plane &= simple[b] & ~chosen[b]
    refused = pair[acts & ~(on_plane | round_pair | convex)].tolist()
    if refused and not skip_unsupported:
        raise ModelError(_no_routine(model, refused))
    first = np.where(round_pair, (kind[a] == SPHERE) | (kind[b] != SPHERE), moves[a])
    pair = np.where((first | on_plane)[:, None], pair, pair[:, ::-1])
    rows = np.concatenate([np.flatnonzero(round_pair), np.flatnonzero(convex)])
    listed = pair[rows], *(values[rows] for values in rubbing)
    bodies = int(where.node.max()) + 1
    mass = np.bincount(where.node + 1, np.asarray(model.body_mass, float), minlength=bodies + 1)[1:]
    planes = _plane_candidates(model, np.flatnonzero(on_plane), pair, rubbing, (node, centre, axes))
    ease = np.append(1.0 / turning, 0.0)
    return planes, _pair_candidates(model, listed, int(round_pair.sum()), mass, ease, (node, centre, axes), timestep)


def _small_fields(model):
    """Which geoms are height fields of at most MOST_POINTS points."""
    field = np.asarray(model.geom_type) == HFIELD
    if field.any():
        points = np.asarray(model.hfield_nrow) * np.asarray(model.hfield_ncol)
        field[field] = points[np.asarray(model.geom_dataid)[field]] <= MOST_POINTS
    return field


def _is_round(first, second):
    """Which pairs of kinds of geoms (n,) are round pairs."""
    flat = np.isin(first, (SPHERE, CAPSULE, BOX)) & np.isin(second, (SPHERE, CAPSULE, BOX))
    return flat & ((first == SPHERE) | (second == SPHERE) | ((first == CAPSULE) & (second == CAPSULE)))


def _plane_candidates(model, rows, pair, rubbing, shapes):
    """PlaneCandidates of the pairs (plane, other) in some rows of pair (n, 2) and rubbing, four arrays of n rows."""
    (law, mu, ratio, bounce), (node, centre, axes), found = rubbing, shapes, []
    for row in rows.tolist():
        g, k = pair[row].tolist()
        n, r = axes[g][:, 2], ratio[row]
        T = axes[g][:, :2].T if r[0] == r[1] and r[3] == r[4] else default_tangents(n)
        for point in _points_against_plane(int(model.geom_type[k]), np.asarray(model.geom_size[k], float), centre[k], axes[k]):
            found.append((node[k], *point, n, T, n @ centre[g], mu[row], law[row], (k, g), r, bounce[row]))
    return _stack_planes(found)


def default_tangents(n):
    """(2, 3) MuJoCo's tangents t, n × t of a normal n; t: the world's y axis, or z if n is near y, made perpendicular to n."""
    axis = np.eye(3)[1 if abs(n[1]) < 0.5 else 2]
    first = axis - (axis @ n) * n
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)])


def _no_routine(model, pairs):
    """The error record of pairs (n, 2) of geoms without a contact routine."""
    shown = lambda g: f"'{name_of(model, 'geom', g)}' ({SHAPE_NAMES[int(model.geom_type[g])]})"  # noqa: E731
    names = sorted({f"{shown(g)} - {shown(k)}" for g, k in pairs})
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    message = "the hard mode has no contact routine for these pairs of geoms: "
    message += "; ".join(names[:MOST_NAMED] + more) + "; exclude them by contype/conaffinity or <exclude>"
    where = place_of(model, "geom", pairs[0][0])
    return ErrorRecord(where.path, where.line, "contact", "", "", message, unsupported=True)


def _stack_planes(rows):
    n = len(rows)
    col = lambda i, shape, dtype=float: np.array([r[i] for r in rows], dtype).reshape(n, *shape)  # noqa: E731
    return PlaneCandidates(
        body=col(0, (), np.int64),
        point=col(1, (3,)),
        radius=col(2, ()),
        curved=col(3, (), np.int64),
        shape=col(4, (3, 3)),
        normal=col(5, (3,)),
        tangent=col(6, (2, 3)),
        offset=col(7, ()),
        friction=col(8, ()),
        law=col(9, (), np.int64),
        geom=col(10, (2,), np.int64),
        ratio=col(11, (5,)),
        restitution=col(12, ()),
    )


AROUND = 2.4
"""Convex shapes may be apart by this many d₂ (hard/elements/far_pairs.py) while a feature of theirs has a gap below d₂, √(1 + 2 ·
1.5²): the gap is measured along a normal, and a point beside its face by up to 1.5 gaps in two directions has not faded
(overhang.py)."""
FELT = 1e-2
"""ε of hard/elements/far_pairs.py: the impulse κ/d₁ of a pair at the distance d₁ moves the lighter body by this fraction of d₁ in a
step."""


def _inner_radii(kind, size, table):
    """(g,) radii of balls about the centres inside the shapes [m]; 0 for planes, height fields, meshes in no pair."""
    inner = np.where(kind == CYLINDER, size[:, :2].min(axis=1), np.where(kind <= HFIELD, 0.0, size.min(axis=1)))
    inner = np.where((kind == SPHERE) | (kind == CAPSULE), size[:, 0], inner)
    for g in np.flatnonzero(kind == MESH):
        first, count = table.faces[g]
        corner = table.corner[table.ring_corner[table.ring[first : first + count]]]
        inner[g] = max(np.sum(table.normal[first : first + count] * corner, axis=1).min(initial=np.inf), 0.0) if count else 0.0
    return inner


HULL_ARRAYS = ("corner", "first", "neighbour", "around", "around_face", "face_normal", "ring", "ring_corner")
"""Fields of PairCandidates that are arrays of the table of shapes as they are."""
OF_TABLE = {"face_normal": "normal"}
"""Name in `ShapeTable`, where it is another."""


def _pair_candidates(model, listed, rounds, mass, ease, shapes, timestep):
    """PairCandidates of pairs of geoms, their laws, coefficients, ratios, restitutions: the first `rounds` of them are round."""
    (geoms, law, mu, ratio, bounce), (node, at, directions) = listed, shapes
    kind, size = np.asarray(model.geom_type), np.asarray(model.geom_size, float).reshape(-1, 3)
    half, radius = np.zeros((model.ngeom, 3)), np.where((kind == SPHERE) | (kind == CAPSULE), size[:, 0], 0.0)
    half[kind == CAPSULE, 2], half[kind == BOX] = size[kind == CAPSULE, 1], size[kind == BOX]
    table = shape_table(model, geoms[rounds:].ravel())
    reach = table.reach.copy()
    touching = np.unique(geoms[:rounds])
    reach[touching] = np.maximum(reach[touching], np.linalg.norm(half[touching], axis=-1) + radius[touching])
    heavy = np.where(node >= 0, mass[node] if len(mass) else np.inf, np.inf)
    fade = np.sqrt(timestep / (FELT * np.maximum(heavy, 1e-12)))
    convex, around = len(geoms) - rounds, fade.copy()
    around[np.unique(geoms[rounds:])] *= AROUND
    inner = _inner_radii(kind, size, table)
    room = min(ROOM_A_ROUND_PAIR * rounds + ROOM_A_PAIR * convex, ROOM + ROOM_A_BODY * len(mass))
    return PairCandidates(
        geom=geoms,
        friction=mu,
        law=law.astype(np.int64),
        ratio=ratio,
        restitution=bounce,
        fade=fade[geoms].max(axis=1, initial=0.0),
        rounds=np.array([rounds], np.int64),
        room=np.array([room], np.int64),
        round_centre=at.copy(),
        round_half=half,
        round_radius=radius,
        shape_fade=around,
        shape_inner=inner,
        shape_scale=inner.copy(),
        shape_node=node,
        ease=ease,
        shape_centre=at,
        shape_axes=directions,
        shape_kind=table.kind,
        shape_size=table.size,
        shape_hull=table.hull,
        shape_faces=table.faces,
        shape_reach=reach,
        **{name: getattr(table, OF_TABLE.get(name, name)) for name in HULL_ARRAYS},
        **height_fields(model)._asdict(),
        **pair_index(geoms, ~np.isfinite(reach))._asdict(),
    )
