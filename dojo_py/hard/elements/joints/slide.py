"""Slide: the child moves along one axis fixed in the parent and does not rotate. 5 constraint rows, 1 coordinate.

0 = n_i · (d + E p_b - p_a),  i = 1, 2                      rows 0-1 [m]   n_i: normals of the axis
0 = n · E a_b,  m · E n_b,  a · E m_b                       rows 2-4 [-]   a, n, m: axis and normals; _b: in the child
θ = a · (d + E p_b - p_a)                                   row 5 [m]      displacement since the start of the step
"""

from dojo_py.jit import kernel


@kernel
def slide_rows(E, d, anchor_parent, anchor_child, frame, child, start, c, J):
    """Rows c (6,), J (6, 6 or more), overwritten, at the pose E (3, 3), d (3,) in the parent.

    anchor_parent, anchor_child (3,) [m]; frame, child (3, 3): rows axis, two normals; in parent and child.

    start: coordinate at the start of the step, measured from coinciding anchors [m].
    """
    for row in range(3):
        axis = (row + 1) % 3  # normals first, the axis itself last
        out = row if row < 2 else 5
        f0, f1, f2 = frame[axis, 0], frame[axis, 1], frame[axis, 2]
        g0 = E[0, 0] * f0 + E[1, 0] * f1 + E[2, 0] * f2
        g1 = E[0, 1] * f0 + E[1, 1] * f1 + E[2, 1] * f2
        g2 = E[0, 2] * f0 + E[1, 2] * f1 + E[2, 2] * f2
        p0, p1, p2 = anchor_child[0], anchor_child[1], anchor_child[2]
        c[out] = (
            f0 * (d[0] - anchor_parent[0])
            + f1 * (d[1] - anchor_parent[1])
            + f2 * (d[2] - anchor_parent[2])
            + g0 * p0
            + g1 * p1
            + g2 * p2
        )
        J[out, 0], J[out, 1], J[out, 2] = f0, f1, f2
        J[out, 3] = p1 * g2 - p2 * g1
        J[out, 4] = p2 * g0 - p0 * g2
        J[out, 5] = p0 * g1 - p1 * g0
        # orientation: direction `axis` of the parent is orthogonal to direction axis - 1 of the child
        b0, b1, b2 = child[row, 0], child[row, 1], child[row, 2]
        turn = 2 + row
        c[turn] = g0 * b0 + g1 * b1 + g2 * b2
        J[turn, 3] = b1 * g2 - b2 * g1
        J[turn, 4] = b2 * g0 - b0 * g2
        J[turn, 5] = b0 * g1 - b1 * g0
        J[turn, 0], J[turn, 1], J[turn, 2] = 0.0, 0.0, 0.0
    c[5] -= start
