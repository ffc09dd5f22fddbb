"""Columns of a body's centre of mass. Its velocity is changed with it, so that every material point moves as before.

Let a₋, a, a₊ be the displacement of the centre, world axes, one interval before, where the step starts and at its end (R₋ e, R e,
R₊ e). With δv = (a₊ - a)/h no joint, gap or closure changes, and forces act at the same points as before. The body's rows change by

    momentum      m (a₊ - 2 a + a₋)/h
    torque        -a × F,  F the sum of all impulses

All impulses act where the step starts. F is the remainder of the body's momentum row, and the impulses of planes, which G.force
contains. The points behind contacts move as before, and what rolls about a shape's centre does not depend on that of the mass.
"""

from dojo_py.arrays import scratch
from dojo_py.hard.parameters.adjoint import pull_three
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def com_column(L, W, G, D, b, axis, h, out):
    """out (nv,) += column of one coordinate of body b's centre of mass; without the effects of outside wrenches and actuators."""
    F, a, x, impulse = scratch(3), scratch(3), scratch(3), scratch(MOST_ROWS)
    v, y, R = W.v[b], D.y[L.place_body[b]], W.R[b]
    for i in range(3):
        a[i] = R[i, axis]
        x[i] = -L.mass[b] * (W.Rn[b, i, axis] - 2.0 * a[i] + G.R_before[b, i, axis]) / h
        F[i] = L.mass[b] * v[i] - G.force[b, i]
    pull_three(y[0:3], x, out)
    for c in range(W.n_active[1]):
        if W.cbody[c, 0] == b:
            impulse_of(W.claw[c], W.con[c], impulse)
            for i in range(3):
                for r in range(ROWS[W.claw[c]]):
                    F[i] += W.cB[c, 0, r, i] * impulse[r]
    t = (F[1] * a[2] - F[2] * a[1], F[2] * a[0] - F[0] * a[2], F[0] * a[1] - F[1] * a[0])
    for i in range(3):
        x[i] = R[0, i] * t[0] + R[1, i] * t[1] + R[2, i] * t[2]
    pull_three(y[3:6], x, out)
