"""Which side of a feature of two bodies rolls, about what, and on which the impulse acts (feature_rows.py, rolling_arms.py)."""

from dojo_py.algebra.vectors import matrix, minus, put, row, three, turned
from dojo_py.arrays import body_row
from dojo_py.collision.convex_shapes import CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from dojo_py.collision.features import EDGE_OVER, ELLIPSOID_PLANE, NEAREST, POINT_PLANE, RIM_EDGE, RIM_PLANE, RIM_RIM
from dojo_py.jit import kernel


@kernel
def rolls(Q, W, f, side):
    """Whether one side of feature f rolls about its shape's centre: a rim, an ellipsoid, a cylinder at nearest points."""
    kind = W.fkind[f]
    if kind == RIM_PLANE or kind == RIM_EDGE or kind == ELLIPSOID_PLANE:  # (fsign tells whether the rim is A's)
        return (W.fsign[f] > 0.0) == (side == 0)
    if kind == NEAREST:
        shape = Q.shape_kind[W.fshape[f, side]]
        return shape == ELLIPSOID or shape == CYLINDER
    return kind == RIM_RIM


@kernel
def rounding_of(Q, W, f, side):
    """Radius [m] of the rounding of one side of feature f; 0 where it rolls about its shape's centre."""
    if rolls(Q, W, f, side):
        return 0.0
    if W.fkind[f] != NEAREST:
        return W.fradius[f, side]
    g = W.fshape[f, side]
    return Q.shape_size[g, 0] if Q.shape_kind[g] == SPHERE or Q.shape_kind[g] == CAPSULE else 0.0


@kernel
def runs_on_both(Q, W, f):
    """Whether the point of contact may run along both sides of feature f, one of which is round (start_points.py)."""
    known = _on_a_face(W.fkind[f]) or _is_known(Q, W, f, 0) or _is_known(Q, W, f, 1)
    return not known and (_is_round(Q, W, f, 0) or _is_round(Q, W, f, 1))


@kernel
def _is_known(Q, W, f, side):
    """Whether the point of contact at the start follows from that at the end on one side: of spheres and of what rolls."""
    return rolls(Q, W, f, side) or Q.shape_kind[W.fshape[f, side]] == SPHERE


@kernel
def _on_a_face(kind):
    """Whether a point, an edge, a rim or an ellipsoid of one body meets a face of the other."""
    return kind == POINT_PLANE or kind == EDGE_OVER or kind == RIM_PLANE or kind == ELLIPSOID_PLANE


@kernel
def place_share(Q, W, f):
    """β of feature f: how much of the application point is on A."""
    kind = W.fkind[f]
    if _on_a_face(kind):
        return 1.0 if kind == ELLIPSOID_PLANE or W.fsign[f] > 0.0 else 0.0
    known_a, known_b = _is_known(Q, W, f, 0), _is_known(Q, W, f, 1)
    if known_a != known_b:
        return 1.0 if known_a else 0.0
    round_a, round_b = _is_round(Q, W, f, 0), _is_round(Q, W, f, 1)
    if round_a != round_b:
        return 1.0 if round_a else 0.0
    ease_a, ease_b = Q.ease[body_row(Q.ease, W.fbody[f, 0])], Q.ease[body_row(Q.ease, W.fbody[f, 1])]
    return ease_a / (ease_a + ease_b)


@kernel
def _is_round(Q, W, f, side):
    """Whether one side of feature f is round."""
    return rolls(Q, W, f, side) or rounding_of(Q, W, f, side) > 0.0


@kernel
def square_of_size(Q, W, f, side):
    """L² of rolling_arms.py [m²] of what rolls on one side of feature f."""
    g = W.fshape[f, side]
    size = Q.shape_size[g]
    return 2.0 * size[0] ** 2 if Q.shape_kind[g] == CYLINDER else size[0] ** 2 + size[1] ** 2 + size[2] ** 2


@kernel
def square_by_size(Q, W, f, side, k):
    """Its derivative by size k of the shape [m]."""
    g = W.fshape[f, side]
    if Q.shape_kind[g] == CYLINDER:
        return 4.0 * Q.shape_size[g, 0] if k == 0 else 0.0
    return 2.0 * Q.shape_size[g, k]


@kernel
def keep_rolling(Q, W, c, f):
    """Keep ρ₀ of contact c, feature f, from its point in W.feature where the step starts."""
    for side in range(2):
        if rolls(Q, W, f, side):
            b = body_row(W.x, W.fbody[f, side])
            centre = turned(matrix(W.R[b]), row(Q.shape_centre, W.fshape[f, side]))
            put(W.crolling[c], side, minus(minus(three(W.feature.point), row(W.x, b)), centre))
