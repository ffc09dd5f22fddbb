"""A height field and a convex shape: one contact for every prism of the grid that is near, by rows and columns of the cells.

The prisms are those below the box about the shape, along the axes of the field (collision/height_fields.py). As in MuJoCo, each
stands for itself: a shape over an edge of the terrain touches the prisms on both sides, and one that is deep is pushed out of
prisms sideways.
"""

from dojo_py.algebra.vectors import along, minus, plus, turned, unit
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.height_fields import box_in_field, cells_below, put_prism, terrain_triangle
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase import MAX_CONTACTS
from dojo_py.soft.narrowphase.convex import _pose, _shape
from dojo_py.soft.narrowphase.points import write


@kernel
def height_field(a, geom_a, b, geom_b, reach, fields, hulls, polytope, out):
    """Contacts of a height field with a convex geom (records) at the frames a, b; at most MAX_CONTACTS.

    hulls: with room for a prism; polytope: scratch. Returns the number of contacts.
    """
    field, pose, B, pose_b = geom_a.hull[0], _pose(a), _shape(geom_b), _pose(b)
    low, high = box_in_field(B, pose_b, pose, reach, hulls)
    found = 0
    first_row, rows, first_column, columns = cells_below(fields, field, low, high)
    for r in range(first_row, rows):
        for c in range(first_column, columns):
            for half in range(2):
                corners = terrain_triangle(fields, field, r, c, half)
                if max(corners[0][2], corners[1][2], corners[2][2]) < low[2]:
                    continue
                A, middle = put_prism(fields, field, corners, hulls)
                pose_a = (plus(pose[0], turned(pose[1], middle)), pose[1])
                gap, n, p, q, _, _ = nearest(A, pose_a, B, pose_b, unit(minus(pose_b[0], pose_a[0])), hulls, polytope, reach)
                if gap < reach:
                    at = along(p, 0.5, minus(q, p))
                    write(out, found, gap, at[0], at[1], at[2], n[0], n[1], n[2])
                    found += 1
                    if found == MAX_CONTACTS:
                        return found
    return found
