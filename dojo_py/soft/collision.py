"""Collision detection: sweep and prune, bounding spheres, the pair's own narrow phase; contacts in the order of all pairs.

A contact is listed when its distance is below margin + gap, and makes constraint rows when it is below margin.
Source: computation chapter, "Collision detection"; frames found from the wheel.
"""

import numpy as np

from dojo_py.collision.sweep import find_near, set_box
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, PLANE, SPHERE
from dojo_py.soft.narrowphase.box_box import box_box
from dojo_py.soft.narrowphase.capsule_box import capsule_box
from dojo_py.soft.narrowphase.capsule_capsule import capsule_capsule
from dojo_py.soft.narrowphase.convex import DISABLE_MULTICCD, convex
from dojo_py.soft.narrowphase.height_field import height_field
from dojo_py.soft.narrowphase.plane_box import plane_box
from dojo_py.soft.narrowphase.plane_capsule import plane_capsule
from dojo_py.soft.narrowphase.plane_cylinder import plane_cylinder
from dojo_py.soft.narrowphase.plane_ellipsoid import plane_ellipsoid
from dojo_py.soft.narrowphase.plane_sphere import plane_sphere
from dojo_py.soft.narrowphase.sphere_box import sphere_box
from dojo_py.soft.narrowphase.sphere_capsule import sphere_capsule
from dojo_py.soft.narrowphase.sphere_cylinder import sphere_cylinder
from dojo_py.soft.narrowphase.sphere_sphere import sphere_sphere
from dojo_py.soft.workspace import FULL, NCON

PLANE_SPHERE, PLANE_CAPSULE, PLANE_ELLIPSOID, PLANE_CYLINDER, PLANE_BOX = (
    10 * PLANE + kind for kind in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX)
)
SPHERE_SPHERE, SPHERE_CAPSULE, SPHERE_CYLINDER, SPHERE_BOX = (10 * SPHERE + kind for kind in (SPHERE, CAPSULE, CYLINDER, BOX))
CAPSULE_CAPSULE, CAPSULE_BOX, BOX_BOX = 10 * CAPSULE + CAPSULE, 10 * CAPSULE + BOX, 10 * BOX + BOX
"""Pairs with a function of their own, by the number that `pairs` gives them."""


@kernel
def too_far(m_geoms, geoms, g1, g2, reach):
    """Whether the bounding spheres (or a plane and a bounding sphere) are farther apart than reach."""
    a, b = geoms[g1].xpos, geoms[g2].xpos
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    bound = m_geoms[g1].rbound + m_geoms[g2].rbound + reach
    if m_geoms[g1].type == PLANE:
        R = geoms[g1].xmat
        return x * R[0, 2] + y * R[1, 2] + z * R[2, 2] > bound
    return x * x + y * y + z * z > bound * bound


@kernel
def collide(kind, a, size_a, b, size_b, reach, out):
    """Contacts of two shapes into out (MAX_CONTACTS, 10); kind: the pair's number, 10 * type of a + type of b.

    Returns their number; -1: the pair has no function of its own.
    """
    if kind == PLANE_SPHERE:
        return plane_sphere(a, b, size_b, reach, out)
    if kind == PLANE_CAPSULE:
        return plane_capsule(a, b, size_b, reach, out)
    if kind == PLANE_ELLIPSOID:
        return plane_ellipsoid(a, b, size_b, reach, out)
    if kind == PLANE_CYLINDER:
        return plane_cylinder(a, b, size_b, reach, out)
    if kind == PLANE_BOX:
        return plane_box(a, b, size_b, reach, out)
    if kind == SPHERE_SPHERE:
        return sphere_sphere(a, size_a, b, size_b, reach, out)
    if kind == SPHERE_CAPSULE:
        return sphere_capsule(a, size_a, b, size_b, reach, out)
    if kind == SPHERE_CYLINDER:
        return sphere_cylinder(a, size_a, b, size_b, reach, out)
    if kind == SPHERE_BOX:
        return sphere_box(a, size_a, b, size_b, reach, out)
    if kind == CAPSULE_CAPSULE:
        return capsule_capsule(a, size_a, b, size_b, reach, out)
    if kind == CAPSULE_BOX:
        return capsule_box(a, size_a, b, size_b, reach, out)
    if kind == BOX_BOX:
        return box_box(a, size_a, b, size_b, reach, out)
    return -1


@kernel
def make_frame(point, frame):
    """Right-handed frame (3, 3), rows normal and tangents, from the narrow phase's normal and preferred tangent."""
    nx, ny, nz = point[4], point[5], point[6]
    tx, ty, tz = point[7], point[8], point[9]
    if tx * tx + ty * ty + tz * tz < 0.25:  # none: the world's y axis, or z when the normal is close to y
        tx, ty, tz = 0.0, 0.0, 0.0
        if abs(ny) < 0.5:
            ty = 1.0
        else:
            tz = 1.0
    s = nx * tx + ny * ty + nz * tz
    tx, ty, tz = tx - s * nx, ty - s * ny, tz - s * nz
    s = np.sqrt(tx * tx + ty * ty + tz * tz)
    if s < 1e-15:  # the preferred tangent is the normal, as of a capsule that stands upright on a plane: MuJoCo takes x
        tx, ty, tz, s = 1.0, 0.0, 0.0, 1.0
    tx, ty, tz = tx / s, ty / s, tz / s
    frame[0, 0] = nx
    frame[0, 1] = ny
    frame[0, 2] = nz
    frame[1, 0] = tx
    frame[1, 1] = ty
    frame[1, 2] = tz
    frame[2, 0] = ny * tz - nz * ty
    frame[2, 1] = nz * tx - nx * tz
    frame[2, 2] = nx * ty - ny * tx


@kernel
def detect(m, pose, rows):
    """Fill rows.contacts with all contacts of the present pose."""
    points = rows.points
    several = not m.options[0].disableflags & DISABLE_MULTICCD
    near = rows.sweep
    for i in range(len(m.by_geoms.box_geom)):
        g = m.by_geoms.box_geom[i]
        at = pose.geoms[g].xpos
        set_box(near, i, at[0], at[1], at[2], m.geoms[g].rbound + m.box_reach[i])
    find_near(m.by_geoms, near)
    rows.counts[FULL] = near.found[1] > 0
    n = 0
    for q in range(near.found[0]):
        p = near.near[q]
        pair = m.pairs[p]
        g1, g2 = pair.geom1, pair.geom2
        reach = pair.margin + pair.gap
        if too_far(m.geoms, pose.geoms, g1, g2, reach):
            continue
        found = collide(pair.type, pose.geoms[g1], m.geoms[g1].sizes, pose.geoms[g2], m.geoms[g2].sizes, reach, points)
        a, b = pose.geoms[g1], pose.geoms[g2]
        if m.geoms[g1].type == HFIELD:
            found = height_field(a, m.geoms[g1], b, m.geoms[g2], reach, m.fields, rows.hulls, rows.polytope, points)
        elif found < 0:
            found = convex(
                a, m.geoms[g1], b, m.geoms[g2], reach, rows.hulls, m.polygons, several, rows.polytope, rows.clipping, points
            )
        for k in range(found):
            if n == len(rows.contacts):
                rows.counts[FULL] = 1
                break
            c = rows.contacts[n]
            c.dist = points[k, 0]
            for i in range(3):
                c.pos[i] = points[k, 1 + i]
            make_frame(points[k], c.frame)
            c.pair = p
            c.geom1 = g1
            c.geom2 = g2
            c.dim = pair.dim
            c.efc_address = -1
            n += 1
    rows.counts[NCON] = n
