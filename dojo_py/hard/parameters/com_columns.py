"""Columns of a body's centre of mass. Its velocity is changed with it, so that every material point moves as before.

Let a₋, a, a₊ be the displacement of the centre, world axes, one interval before, where the step starts and at its end (R₋ e, R e,
R₊ e). With δv = (a₊ - a)/h no joint, gap or closure changes, and forces act at the same points as before. The body's rows change by

    momentum      m (a₊ - 2 a + a₋)/h
    torque        -a × F of what is applied where the step starts (joints, closures), -a₊ × F of contacts with planes,
                  -(a₊ - α (a₊ - a)) × F of contacts between bodies, whose common point moves with it, α as in
                  feature_rows.py, and -(1 - α)(a₊ - a) × F on the other body

The points behind contacts move as before, and what rolls about a shape's centre does not depend on that of the mass.
The impulse F of joints and closures is the remainder of the body's momentum row.
"""

from dojo_py.arrays import scratch, zeros
from dojo_py.hard.elements.feature_rows import shift_share
from dojo_py.hard.parameters.adjoint import pull_three
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def com_column(L, Q, W, G, D, b, axis, h, out):
    """out (nv,) += column of one coordinate of body b's centre of mass; without the effects of outside wrenches and actuators."""
    before, here, after = scratch(3), scratch(3), scratch(3)
    F, x, t = scratch(3), scratch(3), scratch(3)
    v, y = W.v[b], D.y[L.place_body[b]]
    for i in range(3):
        before[i], here[i], after[i] = G.R_before[b, i, axis], W.R[b, i, axis], W.Rn[b, i, axis]
        x[i] = -L.mass[b] * (after[i] - 2.0 * here[i] + before[i]) / h
        F[i] = L.mass[b] * v[i] - G.force[b, i]  # (G.force includes the impulses of planes)
        t[i] = 0.0
    pull_three(y[0:3], x, out)
    for c in range(W.n_active[0]):
        for side in range(2):
            if W.cbody[c, side] == b:
                _contact(L, Q, W, D, c, side, here, after, F, t, out)
    _add_cross(F, here, t)
    _pull_torque(W.R[b], t, y, out)


@kernel
def _contact(L, Q, W, D, c, side, here, after, rest, t, out):
    """Contact c of the body, on one side: t (3,) += torque, world axes; rest (3,) -= the impulse of a contact between bodies."""
    force, F, arm = scratch(MOST_ROWS), scratch(3), scratch(3)
    B = W.cB[c, side]
    impulse_of(W.claw[c], W.con[c], force)
    for i in range(3):
        F[i] = 0.0
        for r in range(ROWS[W.claw[c]]):
            F[i] += B[r, i] * force[r]
    if c < W.n_active[1]:
        _add_cross(F, after, t)
        return
    other = W.cbody[c, 1 - side]
    share = shift_share(Q, W.cbody[c, side], other)
    for i in range(3):
        rest[i] -= F[i]
        arm[i] = after[i] + share * (here[i] - after[i])
    _add_cross(F, arm, t)
    if other >= 0:
        turn = zeros(3)
        for i in range(3):
            arm[i] = (1.0 - share) * (here[i] - after[i])  # (the opposite impulse)
        _add_cross(F, arm, turn)
        _pull_torque(W.R[other], turn, D.y[L.place_body[other]], out)


@kernel
def _add_cross(a, b, out):
    """out (3,) += a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@kernel
def _pull_torque(R, t, y, out):
    """out (nv,) += column of the angular impulse t (3,), world axes, on a body. y (6, m)."""
    x = scratch(3)
    for i in range(3):
        x[i] = R[0, i] * t[0] + R[1, i] * t[1] + R[2, i] * t[2]
    pull_three(y[3:6], x, out)
