"""Contact points of two shapes in MuJoCo's convention: the normal points from the first geom to the second, the point lies midway.

One file per pair of shapes that MuJoCo has a function for, `height_field`, `convex` for all others; a pair's types are in ascending
order of MuJoCo's geom type. Every function writes its contacts into `out` (n, 10): distance [m], position 3 [m], normal 3, first
tangent 3 (zero: the frame is completed from the normal), and returns their number. A pair that is not in `SUPPORTED` is refused
when the simulator is built.

Arguments: the two shapes' records (xpos (3,) [m], xmat (3, 3)); size, size_a, … (3,): MuJoCo's sizes, half lengths and radii [m];
reach: distance up to which contacts are listed [m].
"""

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
SHAPE_NAMES = ("plane", "height field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")

CONTACTS = {
    **{(HFIELD, kind): 50 for kind in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH)},
    (PLANE, SPHERE): 1,
    (PLANE, CAPSULE): 2,
    (PLANE, ELLIPSOID): 1,
    (PLANE, CYLINDER): 4,
    (PLANE, BOX): 4,
    (SPHERE, SPHERE): 1,
    (SPHERE, CAPSULE): 1,
    (SPHERE, ELLIPSOID): 1,
    (SPHERE, CYLINDER): 1,
    (SPHERE, BOX): 1,
    (CAPSULE, CAPSULE): 2,
    (CAPSULE, ELLIPSOID): 1,
    (CAPSULE, CYLINDER): 2,
    (CAPSULE, BOX): 2,
    (ELLIPSOID, ELLIPSOID): 1,
    (ELLIPSOID, CYLINDER): 1,
    (ELLIPSOID, BOX): 1,
    (CYLINDER, CYLINDER): 4,
    (CYLINDER, BOX): 4,
    (BOX, BOX): 8,
    (PLANE, MESH): 4,
    (SPHERE, MESH): 1,
    (CAPSULE, MESH): 2,
    (ELLIPSOID, MESH): 1,
    (CYLINDER, MESH): 4,
    (BOX, MESH): 4,
    (MESH, MESH): 4,
}
"""Pairs of shapes that are simulated, and the most contacts that each makes."""
SUPPORTED = set(CONTACTS)
SEARCHED_PAIRS = {
    (i, j)
    for i, j in SUPPORTED
    if i == HFIELD or (i != PLANE and (ELLIPSOID in (i, j) or MESH in (i, j) or (CYLINDER in (i, j) and i != SPHERE)))
}
"""Pairs without a function of their own, in MuJoCo as here: it searches for their nearest points."""

MAX_CONTACTS = 50
"""Most contacts that one pair of geoms makes."""
