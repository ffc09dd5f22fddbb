"""Gap of a convex shape and a height field at any distance: the least of its gaps from the field's prisms (height_fields.py).

Prisms whose bounding box is farther from the shape's than the gap found so far are left out, blocks of them at once.
"""

from dojo_py.algebra.vectors import minus, plus, turned, unit
from dojo_py.arrays import body_row
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import MESH
from dojo_py.collision.height_fields import BLOCK, between_boxes, block_box, box_in_field, middle_of, terrain_triangle
from dojo_py.collision.height_fields import CORNERS as PRISM
from dojo_py.collision.shown_polygons import pose_of, shape_of
from dojo_py.jit import kernel


@kernel
def prism_at(Q, b, r, c, half, corners, pose_b):
    """(shape, pose) of the prism below a triangle of geom b."""
    f = Q.shape_faces[b, 0]
    middle, size = middle_of(Q, f, corners)
    number = 2 * (r * (Q.field_grid[f, 1] - 1) + c) + half
    first = Q.shape_hull[b, 0] + PRISM * number
    return (MESH, size, first, PRISM), (plus(pose_b[0], turned(pose_b[1], middle)), pose_b[1])


@kernel
def terrain_nearest(Q, W, k, x, R, reach):
    """(gap [m], normal from the shape to the field, witness point of the shape, of the field) of pair k at poses x, R.

    Where the gap is not below reach [m]: reach, a lower bound of it, and both centres.
    """
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    A, pose_a, pose_b = shape_of(Q, a), pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    f, best = Q.shape_faces[b, 0], (reach, unit(minus(pose_b[0], pose_a[0])), pose_a[0], pose_b[0])
    box = box_in_field(A, pose_a, pose_b, 0.0, Q)
    # The block below the shape first: its gap rules out most of the others.
    rows, columns = Q.field_grid[f, 0] - 1, Q.field_grid[f, 1] - 1
    first_row, first_column = _block_below(box, 1, Q.field_size[f, 1], rows), _block_below(box, 0, Q.field_size[f, 0], columns)
    best = _nearest_in_block(Q, W, A, pose_a, b, pose_b, box, first_row, first_column, best)
    for r in range(0, rows, BLOCK):
        for c in range(0, columns, BLOCK):
            seen = r == first_row and c == first_column
            if not seen and between_boxes(box, block_box(Q, f, r, c)) <= max(best[0], 0.0):
                best = _nearest_in_block(Q, W, A, pose_a, b, pose_b, box, r, c, best)
    return best


@kernel
def _block_below(box, axis, half, cells):
    """First cell, along x (axis 0) or y (1), of the block that is nearest to the middle of a box in the field's axes.

    half [m]: half width of the field along that axis; cells: how many it has.
    """
    cell = (0.5 * (box[0][axis] + box[1][axis]) + half) / (2.0 * half) * cells
    return int(min(max(0.0, cell), cells - 1.0)) // BLOCK * BLOCK  # (in this order 0 where it is NaN)


@kernel
def _nearest_in_block(Q, W, A, pose_a, b, pose_b, box, first_row, first_column, best):
    """The nearer of `best` (gap, normal, points) and what the prisms of a block have, the box being that about the shape A."""
    f = Q.shape_faces[b, 0]
    for r in range(first_row, min(first_row + BLOCK, Q.field_grid[f, 0] - 1)):
        for c in range(first_column, min(first_column + BLOCK, Q.field_grid[f, 1] - 1)):
            for half in range(2):
                corners = terrain_triangle(Q, f, r, c, half)
                middle, size = middle_of(Q, f, corners)
                if between_boxes(box, (minus(middle, size), plus(middle, size))) <= max(best[0], 0.0):
                    B, place = prism_at(Q, b, r, c, half, corners, pose_b)
                    gap, n, p, q, _, _ = nearest(A, pose_a, B, place, minus(place[0], pose_a[0]), Q, W.polytope, best[0])
                    if gap < best[0]:
                        best = gap, n, p, q
    return best
