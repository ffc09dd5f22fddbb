"""Features and gap of a pair of geoms that is not round: height fields by terrain.py, all others as convex shapes."""

from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.manifold import find_convex
from dojo_py.collision.pair_gap import convex_distance
from dojo_py.collision.terrain import find_terrain
from dojo_py.collision.terrain_gap import terrain_nearest
from dojo_py.jit import kernel


@kernel
def find_features(Q, W, k, x, R, reach):
    """As `manifold.find_convex`, for any pair k that is not round: (gap, number of features added)."""
    if Q.shape_kind[Q.geom[k, 1]] == HFIELD:
        return find_terrain(Q, W, k, x, R, reach)
    return find_convex(Q, W, k, x, R, reach)


@kernel
def pair_distance(Q, W, k, x, R, reach):
    """Gap [m] of pair k at poses x (nb + 1, 3), R (nb + 1, 3, 3); a lower bound if above reach [m]."""
    if Q.shape_kind[Q.geom[k, 1]] == HFIELD:
        return terrain_nearest(Q, W, k, x, R, reach)[0]
    return convex_distance(Q, W, k, x, R, reach)
