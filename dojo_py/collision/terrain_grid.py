"""The surface of a height field by its grid: on which triangle, edge or point a place is, what is a normal there.

A cell is (row, column, half), as `height_fields.terrain_triangle` has it. Places and normals are in the field's frame. Triangles,
edges and points of the grid have numbers.
"""

from dojo_py.algebra.vectors import cross, dot, length, minus, times, unit
from dojo_py.collision.height_fields import grid_point, terrain_triangle
from dojo_py.jit import kernel

ON_EDGE = 1e-7
"""Barycentric coordinate below which a point counts as lying on an edge of its triangle."""
FLAT = 1e-9
"""Sine of the angle between adjacent triangles below which the terrain is flat."""
PARALLEL = 1e-6
"""Sine of the angle by which a neighbour may rise above the plane through q, for round-off."""


@kernel
def triangle_in_field(Q, b, cell):
    """(corners, outward normal) of a triangle in the field's frame."""
    corners = terrain_triangle(Q, Q.shape_faces[b, 0], cell[0], cell[1], cell[2])
    m = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])))
    return corners, m if m[2] > 0.0 else times(-1.0, m)


@kernel
def _grid_place(cell, i):
    """(row, column) of corner i of a triangle, in the order of `terrain_triangle`."""
    r, c, half = cell
    if half == 0:
        return (r + 1, c) if i == 0 else (r, c) if i == 1 else (r + 1, c + 1)
    return (r, c) if i == 0 else (r + 1, c + 1) if i == 1 else (r, c + 1)


@kernel
def _beyond(Q, f, cell, i):
    """(whether there is a neighbour across the edge opposite to corner i, its corner that is not on that edge)."""
    r, c, half = cell
    rows, columns = Q.field_grid[f, 0], Q.field_grid[f, 1]
    if half == 0:  # corners (r + 1, c), (r, c), (r + 1, c + 1)
        y, z = (r, c + 1) if i == 0 else (r + 2, c + 1) if i == 1 else (r, c - 1)
    else:  # corners (r, c), (r + 1, c + 1), (r, c + 1)
        y, z = (r + 1, c + 2) if i == 0 else (r - 1, c) if i == 1 else (r + 1, c)
    if 0 <= y < rows and 0 <= z < columns:
        return True, grid_point(Q, f, y, z)
    return False, (0.0, 0.0, 0.0)


@kernel
def bends_out(Q, f, cell, corners, m, i):
    """Whether the edge opposite to corner i is on the border of the field, or the terrain is convex there."""
    there, w = _beyond(Q, f, cell, i)
    e = minus(w, corners[(i + 1) % 3])
    return not there or dot(m, e) < -FLAT * length(e)


@kernel
def is_peak(Q, f, cell, i):
    """Whether the terrain is convex at some edge at corner i, or the corner is on the border."""
    r, c = _grid_place(cell, i)
    p = grid_point(Q, f, r, c)
    for k in range(6):
        ok1, one = _ring_point(Q, f, r, c, k)
        ok2, two = _ring_point(Q, f, r, c, (k + 1) % 6)
        ok3, three = _ring_point(Q, f, r, c, (k + 2) % 6)
        if not (ok1 and ok2 and ok3):
            return True  # on the border
        m = unit(cross(minus(one, p), minus(two, p)))
        e = minus(three, p)
        if dot(m, e) < -FLAT * length(e):
            return True
    return False


@kernel
def _ring_point(Q, f, r, c, k):
    """Point k of the six neighbours of a point of the grid, anticlockwise; False where there is none."""
    y = r + (1 if k == 1 or k == 2 else -1 if k == 4 or k == 5 else 0)
    z = c + (1 if k == 0 or k == 1 else -1 if k == 3 or k == 4 else 0)
    if 0 <= y < Q.field_grid[f, 0] and 0 <= z < Q.field_grid[f, 1]:
        return True, grid_point(Q, f, y, z)
    return False, (0.0, 0.0, 0.0)


@kernel
def shares_of(corners, q):
    """Barycentric coordinates of a point, in the field's frame, in a triangle, projected along z."""
    a, b, c = corners
    det = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    v = ((q[0] - a[0]) * (c[1] - a[1]) - (q[1] - a[1]) * (c[0] - a[0])) / det
    w = ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0])) / det
    return 1.0 - v - w, v, w


@kernel
def part_of_triangle(shares):
    """Part of a triangle on which a point lies: (3, -1) its interior, (2, i) the edge opposite to corner i, (1, i) corner i."""
    zero, at = 0, -1
    for i in range(3):
        if shares[i] < ON_EDGE:
            zero += 1
            at = i
    if zero == 0:
        return 3, -1
    if zero == 1:
        return 2, at
    best = 0
    for i in range(1, 3):
        if shares[i] > shares[best]:
            best = i
    return 1, best


@kernel
def is_normal_above(Q, f, cell, n, q, part):
    """Whether n, out of the terrain and no triangle's normal, is a normal of the terrain at its point q (in the field's frame)."""
    size, i = part
    if size == 3:
        return False
    if size == 2:
        there, w = _beyond(Q, f, cell, i)
        e = minus(w, q)
        return not there or dot(n, e) <= PARALLEL * length(e)
    r, c = _grid_place(cell, i)
    for k in range(6):
        there, w = _ring_point(Q, f, r, c, k)
        e = minus(w, q)
        if there and dot(n, e) > PARALLEL * length(e):
            return False
    return True


@kernel
def is_normal_below(Q, f, cell, n, q):
    """Whether n, out of a prism at its point q below the terrain, is a normal of the whole field there.

    It is if no other prism that contains q rises above the plane at q.
    """
    for r in range(max(cell[0] - 1, 0), min(cell[0] + 2, Q.field_grid[f, 0] - 1)):
        for c in range(max(cell[1] - 1, 0), min(cell[1] + 2, Q.field_grid[f, 1] - 1)):
            for half in range(2):
                corners = terrain_triangle(Q, f, r, c, half)
                shares = shares_of(corners, q)
                if min(shares[0], shares[1], shares[2]) < -ON_EDGE:
                    continue
                for i in range(3):
                    e = minus(corners[i], q)
                    low = (e[0], e[1], -Q.field_size[f, 3] - q[2])
                    if dot(n, e) > PARALLEL * length(e) or dot(n, low) > PARALLEL * length(low):
                        return False
    return True


@kernel
def triangle_number(Q, f, cell):
    """Number of a triangle of field f."""
    return 2 * (cell[0] * (Q.field_grid[f, 1] - 1) + cell[1]) + cell[2]


@kernel
def point_number(Q, f, cell, i):
    """Number of the point of the grid at corner i of a triangle."""
    r, c = _grid_place(cell, i)
    return r * Q.field_grid[f, 1] + c


@kernel
def edge_number(Q, f, cell, i):
    """Number of the edge opposite to corner i, the same from both triangles: 4 × point + 0, 1 or 2 (+ 3: points, in terrain.py)."""
    r1, c1 = _grid_place(cell, (i + 1) % 3)
    r2, c2 = _grid_place(cell, (i + 2) % 3)
    direction = 0 if r1 == r2 else 1 if c1 == c2 else 2
    return 4 * (min(r1, r2) * Q.field_grid[f, 1] + min(c1, c2)) + direction
