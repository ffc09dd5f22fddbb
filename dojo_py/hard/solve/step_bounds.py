"""How far a step may go: inside the cones, the domain of rotations, and the ranges of servos."""

from dojo_py.hard.elements.ball_servos import inside_ball_ranges
from dojo_py.hard.elements.dof_rows import not_across, servo_force, spring_weights
from dojo_py.hard.elements.orientations import inside_orientation_bounds
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, in_span
from dojo_py.hard.terms import JOINTED_TURN
from dojo_py.jit import kernel
from dojo_py.solver.cones import orthant
from dojo_py.solver.cones.contact import step_length
from dojo_py.solver.cones.orthant import FAR


@kernel
def largest_step(W):
    """Largest α ≤ FAR that keeps all cone variables in their cones (Dojo, Algorithm 1). Above 1 it tells how far the boundary lies
    beyond a full step.
    """
    alpha = FAR
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        for i in range(2):
            alpha = orthant.largest_step(W.lim[m, i], W.dlim[m, i], alpha)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        bound = W.bound[dof]
        if bound > 0.0:
            beta, db = W.fric[dof, 0], W.dfric[dof, 0]
            alpha = orthant.largest_step(bound + beta, db, alpha)
            alpha = orthant.largest_step(bound - beta, -db, alpha)
            for i in range(1, 3):
                alpha = orthant.largest_step(W.fric[dof, i], W.dfric[dof, i], alpha)
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        alpha = min(alpha, step_length(W.claw[c], W.cmu[c], W.con[c], W.dcon[c]))
    return alpha


@kernel
def inside_rotation_domain(W, h, alpha):
    """alpha, halved until every |ω| h is below JOINTED_TURN; 0 where that does not succeed."""
    bound = (JOINTED_TURN / h) ** 2
    for _ in range(40):
        ok = True
        for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
            b = W.members[BODIES, k]
            s = 0.0
            for i in range(3, 6):
                w = W.v[b, i] + alpha * W.dv[b, i]
                s += w * w
            if not s < bound:
                ok = False
                break
        if ok:
            return alpha
        alpha *= 0.5
    return 0.0


@kernel
def inside_servo_ranges(L, W, A, h, alpha):
    """alpha, reduced where a servo's force would go from beyond one end of its range to beyond the other: only to the middle.

    Within its range a servo is stiff, beyond it not at all: Newton's method would jump over the range in alternating directions.
    h < 0: servos do nothing (`dof_law`).
    """
    if h < 0.0:
        return alpha
    w_new, w_old = spring_weights(W.options.springs, h)
    for a in range(A.servo_dof.shape[0]):
        dof, lower, upper = A.servo_dof[a], A.servo_range[a, 0], A.servo_range[a, 1]
        if in_span(W, L.dof_body[dof]):
            rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
            here, slope = servo_force(A, a, w_new, w_old, W.angle0[dof], rate, W.rate_prev[dof])
            alpha = not_across(alpha, here, slope * W.drate[dof], lower, upper)
    return inside_orientation_bounds(L, W, A, h, inside_ball_ranges(L, W, A, h, alpha))
