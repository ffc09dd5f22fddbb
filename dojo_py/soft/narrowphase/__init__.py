"""Contact points of two shapes in MuJoCo's convention: the normal points from the first geom to the second, the point lies midway.

One file per pair of shapes; a pair's types are in ascending order of MuJoCo's geom type. Every function writes its contacts into
`out` (n, 10): distance [m], position 3 [m], normal 3, first tangent 3 (zero: the frame is completed from the normal), and returns
their number. A pair that is not in `SUPPORTED` is refused when the simulator is built.
"""

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
SHAPE_NAMES = ("plane", "height field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")

SUPPORTED = {
    (PLANE, SPHERE),
    (PLANE, CAPSULE),
    (PLANE, ELLIPSOID),
    (PLANE, CYLINDER),
    (PLANE, BOX),
    (SPHERE, SPHERE),
    (SPHERE, CAPSULE),
    (SPHERE, CYLINDER),
    (SPHERE, BOX),
    (CAPSULE, CAPSULE),
    (CAPSULE, BOX),
    (BOX, BOX),
}

MAX_CONTACTS = 8
"""Most contacts that one pair of geoms makes."""
