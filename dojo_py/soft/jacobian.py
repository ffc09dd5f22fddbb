"""Jacobians of points on bodies, stored only in the columns of the dofs that move them."""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.actuation import parent_dof


@kernel
def add_point_columns(cdof, i, com, point, sign, jac, n):
    """Column n of jac (6, .) += sign * [translation 3, rotation 3] of the point when dof i moves at unit velocity."""
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    jac[0, n] += sign * (cdof[i, 3] + cdof[i, 1] * z - cdof[i, 2] * y)
    jac[1, n] += sign * (cdof[i, 4] + cdof[i, 2] * x - cdof[i, 0] * z)
    jac[2, n] += sign * (cdof[i, 5] + cdof[i, 0] * y - cdof[i, 1] * x)
    jac[3, n] += sign * cdof[i, 0]
    jac[4, n] += sign * cdof[i, 1]
    jac[5, n] += sign * cdof[i, 2]


@kernel
def relative_jacobian(rowadr, colind, cdof, last1, com1, point1, last2, com2, point2, jac, columns, block):
    """Jac (6, n) = Jacobian of point2 on body 2 minus that of point1 on body 1; columns[block, :n] = its dofs, ascending.

    last1, last2: last dof that moves each body (-1: none). Returns n. Dofs that move both bodies are included.
    """
    n = np.int64(0)
    p, q = np.int64(last1), np.int64(last2)
    while p >= 0 or q >= 0:  # from the leaves, merging the two chains
        i = max(p, q)
        for k in range(6):
            jac[k, n] = 0.0
        if q == i:
            add_point_columns(cdof, i, com2, point2, 1.0, jac, n)
            q = np.int64(parent_dof(rowadr, colind, i))
        if p == i:
            add_point_columns(cdof, i, com1, point1, -1.0, jac, n)
            p = np.int64(parent_dof(rowadr, colind, i))
        columns[block, n] = i
        n += 1
    for a in range(n // 2):  # ascending order
        b = n - 1 - a
        t = columns[block, a]
        columns[block, a] = columns[block, b]
        columns[block, b] = t
        for k in range(6):
            s = jac[k, a]
            jac[k, a] = jac[k, b]
            jac[k, b] = s
    return n
