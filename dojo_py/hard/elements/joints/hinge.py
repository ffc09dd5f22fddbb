"""Hinge: the child rotates about one axis fixed in the parent. 5 constraint rows, 1 coordinate.

0 = d + E p_b - p_a             rows 0-2 [m]   anchors, parent's frame
0 = n_i · (E a_b),  i = 1, 2    rows 3-4 [-]   n_i: normals of the axis in the parent, a_b: the axis in the child
θ = atan2(m · E e, n · E e)     row 5 [rad]    displacement since the start of the step, e: a normal of a_b
"""

import math

from dojo_py.hard.elements.joints.anchors import anchor_rows
from dojo_py.jit import kernel


@kernel
def hinge_rows(E, d, anchor_parent, anchor_child, frame, child, start, c, J):
    """Rows c (6,), J (6, 6 or more), overwritten, at the pose E (3, 3), d (3,) in the parent.

    anchor_parent, anchor_child (3,) [m]; frame, child (3, 3): rows axis, two normals; in parent and child.

    start: angle at the start of the step, measured from the zero of `frame` [rad].
    """
    anchor_rows(E, d, anchor_parent, anchor_child, c, J)
    a0, a1, a2 = child[0, 0], child[0, 1], child[0, 2]
    e0, e1, e2 = child[1, 0], child[1, 1], child[1, 2]
    n0 = E[0, 0] * frame[1, 0] + E[1, 0] * frame[1, 1] + E[2, 0] * frame[1, 2]
    n1 = E[0, 1] * frame[1, 0] + E[1, 1] * frame[1, 1] + E[2, 1] * frame[1, 2]
    n2 = E[0, 2] * frame[1, 0] + E[1, 2] * frame[1, 1] + E[2, 2] * frame[1, 2]
    m0 = E[0, 0] * frame[2, 0] + E[1, 0] * frame[2, 1] + E[2, 0] * frame[2, 2]
    m1 = E[0, 1] * frame[2, 0] + E[1, 1] * frame[2, 1] + E[2, 1] * frame[2, 2]
    m2 = E[0, 2] * frame[2, 0] + E[1, 2] * frame[2, 1] + E[2, 2] * frame[2, 2]
    c[3] = n0 * a0 + n1 * a1 + n2 * a2
    J[3, 3] = a1 * n2 - a2 * n1
    J[3, 4] = a2 * n0 - a0 * n2
    J[3, 5] = a0 * n1 - a1 * n0
    c[4] = m0 * a0 + m1 * a1 + m2 * a2
    J[4, 3] = a1 * m2 - a2 * m1
    J[4, 4] = a2 * m0 - a0 * m2
    J[4, 5] = a0 * m1 - a1 * m0
    cosine = n0 * e0 + n1 * e1 + n2 * e2
    sine = m0 * e0 + m1 * e1 + m2 * e2
    scale = 1.0 / (sine * sine + cosine * cosine)
    sc, ss = cosine * scale, sine * scale
    J[5, 3] = sc * (e1 * m2 - e2 * m1) - ss * (e1 * n2 - e2 * n1)
    J[5, 4] = sc * (e2 * m0 - e0 * m2) - ss * (e2 * n0 - e0 * n2)
    J[5, 5] = sc * (e0 * m1 - e1 * m0) - ss * (e0 * n1 - e1 * n0)
    # The rotation since the start, in (-π, π]: the angle itself may be many revolutions.
    cs, sn = math.cos(start), math.sin(start)
    c[5] = math.atan2(sine * cs - cosine * sn, cosine * cs + sine * sn)
