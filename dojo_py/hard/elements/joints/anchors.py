"""Two points that coincide, one fixed in the parent and one in the child: rows of balls, hinges, connects and welds.

0 = d + E p_b - p_a          [m]   parent's frame;   by (δd, δφ):  1,  -E [p_b]ₓ
"""

from dojo_py.jit import kernel


@kernel
def anchor_rows(E, d, p_a, p_b, c, J):
    """Rows 0-2 of c (6,) and of J (6, 6 or more), overwritten; rows 3-5 of J become zero. p_a, p_b (3,): anchors [m].

    E (3, 3), d (3,): the child in the parent.
    """
    for i in range(3):
        c[i] = d[i] - p_a[i]
        for k in range(3):
            c[i] += E[i, k] * p_b[k]
            J[i, k] = 0.0
        for k in range(6):
            J[3 + i, k] = 0.0
        J[i, i] = 1.0
        J[i, 3] = E[i, 2] * p_b[1] - E[i, 1] * p_b[2]
        J[i, 4] = E[i, 0] * p_b[2] - E[i, 2] * p_b[0]
        J[i, 5] = E[i, 1] * p_b[0] - E[i, 0] * p_b[1]
