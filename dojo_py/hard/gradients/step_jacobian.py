"""A and B of one step: [δq, δv] after = A [δq, δv] before + B δcontrol."""

from dojo_py.hard.gradients.implicit import factorise_at, state_and_control_columns
from dojo_py.hard.gradients.next_state import column_scale, next_change, starts
from dojo_py.hard.gradients.residual_change import move, residuals_at
from dojo_py.jit import kernel, stage
from dojo_py.solver.block_ldu import solve_many

EPSILON = 1e-5
"""Step of the central differences of residuals and coordinate maps: their errors are then near 1e-10."""


@stage
def step_jacobian(L, P, Q, T, M, W, V, G, qpos, qvel, act, control, wrenches, step, h, kappa, scheme, reference, A, B):
    """A (2 nv, 2 nv), B (2 nv, nu) of the step whose solution is in W, from qpos, qvel. Returns whether the matrix is regular.

    reference (nq,): the next coordinates.
    """
    nv, nu = qvel.shape[0], control.shape[0]
    for b in range(G.v.shape[0]):
        for i in range(6):
            G.v[b, i] = W.v[b, i]
    residuals_at(L, P, Q, T, M, W, V, qpos, qvel, act, control, wrenches, step, h, scheme, G.bodies)
    regular = factorise_at(L, W, G, h, kappa)
    if regular:
        state_and_control_columns(L, P, Q, T, M, W, V, G, qpos, qvel, act, control, wrenches, step, h, scheme, EPSILON)
        solve_many(W.pattern, W.blocks, G.columns)
        for j in range(L.kind.shape[0]):
            for i in range(L.ndof[j]):
                dof = L.vadr[j] + i
                for part in range(2):
                    _state_row(L, W, V, G, qpos, qvel, j, i, part, part * nv + dof, h, reference, A)
        starts(L, V, h, qpos, qvel, G.start[0])
        starts(L, V, h, qpos, qvel, G.start[1])
        for i in range(nu):
            column = 2 * nv + i
            delta = column_scale(L, G, column, h, EPSILON)
            next_change(L, W, V, G, G.start, column, delta, h, reference, B[:, i])
    return regular


@kernel
def _state_row(L, W, V, G, qpos, qvel, j, i, part, column, h, reference, A):
    """Column of A for coordinate (part 0) or rate (part 1) i of joint j."""
    delta = column_scale(L, G, column, h, EPSILON)
    for side in range(2):
        G.qpos[:] = qpos
        G.qvel[:] = qvel
        sign = delta if side == 0 else -delta
        if part == 0:
            move(L, G.qpos, j, i, sign)
        else:
            G.qvel[L.vadr[j] + i] += sign
        starts(L, V, h, G.qpos, G.qvel, G.start[side])
    next_change(L, W, V, G, G.start, column, delta, h, reference, A[:, column])
