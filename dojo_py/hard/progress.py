"""How far a point is from the solution, and how far a step may go."""

import math

from dojo_py.arrays import body_row
from dojo_py.hard.ball_servos import inside_ball_ranges
from dojo_py.hard.closures import LEFT_OPEN, TENDON_ROW
from dojo_py.hard.creep import least_dry_product, least_product
from dojo_py.hard.dof_rows import not_across, servo_force, spring_weights
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES, in_span
from dojo_py.hard.limits import UNSURE
from dojo_py.hard.orientations import inside_orientation_bounds
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_TENDON, JOINTED_TURN
from dojo_py.jit import kernel
from dojo_py.solver.cones import orthant
from dojo_py.solver.cones.contact import friction_complementarity, friction_residual, step_length
from dojo_py.solver.cones.orthant import FAR
from dojo_py.solver.cones.standoff import FARTHEST, beyond_standoff


@kernel
def largest_step(W):
    """Largest α ≤ FAR that keeps all cone variables in their cones (Dojo, Algorithm 1)."""
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


SMALL = 0.02
"""Radius of gyration [m] of bodies below which tolerances depend on size. At this radius rotations of smaller bodies are as
accurate in m/s as those of bodies of this size: with one tolerance in rad/s links of 0.5 mm have to be accurate to 1e-14 m/s."""

WHOLE, BEYOND_ROUND_OFF, BEYOND_IMPULSES = range(3)
"""What a residual counts of its rows. WHOLE: all. BEYOND_ROUND_OFF: what exceeds the round-off of a row's terms and the part that
no impulse can change (W.unmet). BEYOND_IMPULSES: of joints' rows only what also exceeds the error of velocities by the round-off of
impulses."""


@kernel
def residual_of(L, W, h, counted):
    """Largest row, as a velocity [m/s, rad/s]: momentum rows over mass or inertia (of small bodies over more: SMALL),
    constraint rows over h (Dojo, eq. 49).

    counted: WHOLE, BEYOND_ROUND_OFF or BEYOND_IMPULSES.
    """
    residual, floors = 0.0, 1.0 if counted >= BEYOND_ROUND_OFF else 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        force = max(W.size[b, 0], W.size[b, 1], W.size[b, 2])
        for i in range(6):
            weight, size = L.mass[b], W.size[b, i]
            if i >= 3:  # (a torque is the difference of products of forces and levers)
                weight, size = top * max(1.0, SMALL * math.sqrt(L.mass[b] / top)), max(size, force * math.sqrt(top / L.mass[b]))
            residual = _worse(residual, max(abs(W.rb[b, i]) - floors * 1e-14 * size, 0.0 * W.rb[b, i]) / weight)
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        j = L.node_joint[n]
        nc, unsure, first = 6, 0.0, 0
        if j < 0 and L.eq_kind[-1 - j] == EQ_ORIENTATION:
            residual = _worse(residual, _orientation_residual(L, W, n, -1 - j, h, floors))
            continue
        if j < 0 and L.eq_kind[-1 - j] >= EQ_TENDON:
            nc, first = TENDON_ROW, L.eq_dof[-1 - j]
        if j >= 0:
            nc, first = 6 - L.ndof[j], L.vadr[j]
            parent = body_row(W.body_extent, L.parent[j])
            unsure = floors * UNSURE / abs(h) * (1.0 + W.body_extent[L.child[j]] + W.body_extent[parent])
            if counted == BEYOND_IMPULSES:
                unsure += min(_unclear_velocity(L, W, L.child[j]) + _unclear_velocity(L, W, L.parent[j]), LEFT_OPEN / abs(h))
        for r in range(nc):
            residual = _worse(residual, max(abs(W.rn[n, r]) - unsure - floors * W.unmet[n, r], 0.0 * W.rn[n, r]))
        for r in range(nc, 6):
            dof = first + r - nc
            size = abs(W.lam[n, r]) + abs(W.drive[dof, 0]) + abs(W.drive[dof, 1] * W.rows[n, r])
            slope = abs(W.drive[dof, 1])
            if j >= 0 and L.dof_vector[dof] >= 0:
                size, slope = size + abs(W.pull[j, r, 3]), slope + _slope_of_vector(W, j, r)
            unclear = floors * (1e-14 * size + slope * UNSURE / abs(h))  # (of the rate, a difference of angles)
            row = max(abs(W.rn[n, r]) - unclear, 0.0 * W.rn[n, r])
            residual = _worse(residual, row / (L.dof_inertia[dof] + abs(W.lam[n, r])))
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        row = W.lgap[m] - W.lim[m, 1]
        unsure = floors * UNSURE * (1.0 + abs(L.limit_bound[W.limit_active[m]]) + abs(W.lgap[m]))
        residual = _worse(residual, max(abs(row) - unsure, 0.0 * row) / h)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        if W.bound[dof] > 0.0:
            rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
            residual = _worse(residual, abs(rate - W.fric[dof, 1] + W.fric[dof, 2]))
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        row = abs(W.cval[c, 0] - W.con[c, 1])
        unsure = floors * UNSURE * max(_extent(W, c), abs(W.cval[c, 0]))  # (far off where it takes no part, `OUT_OF_REACH`)
        residual = _worse(residual, max(row - unsure, 0.0 * row) / h)
        residual = _worse(residual, friction_residual(W.claw[c], W.cmu[c], W.con[c], W.cval[c]))
    return residual


@kernel
def _slope_of_vector(W, j, r):
    """Derivative of the impulse along row r of joint j's springs and servos of balls by its rates: sum of sizes."""
    return abs(W.pull[j, r, 0]) + abs(W.pull[j, r, 1]) + abs(W.pull[j, r, 2])


@kernel
def _unclear_velocity(L, W, b):
    """Error of the velocity of body b by the round-off of the impulses on it [m/s, rad/s]; 0 of the world (-1)."""
    if b < 0:
        return 0.0
    top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
    force = max(W.size[b, 0], W.size[b, 1], W.size[b, 2])
    torque = max(W.size[b, 3], W.size[b, 4], W.size[b, 5], force * math.sqrt(top / L.mass[b]))
    return 1e-14 * max(force / L.mass[b], torque / top)


@kernel
def _orientation_residual(L, W, n, e, h, floors):
    """Largest row of a servo of an orientation, as a velocity, beyond the round-off of its torque and of the orientations in it
    (times floors).
    """
    residual = 0.0
    for r in range(3):
        unclear = 1e-14 * abs(W.lam[n, r])
        for side in range(2):
            C = W.Ceq[e, side, r]
            unclear += (abs(C[3]) + abs(C[4]) + abs(C[5])) * UNSURE / abs(h)
        row = max(abs(W.rn[n, r]) - floors * unclear, 0.0 * W.rn[n, r])
        residual = _worse(residual, row / (L.eq_inertia[e] + abs(W.lam[n, r])))
    return residual


@kernel
def _extent(W, c):
    """Largest coordinate of the bodies of contact c [m]: the round-off of its gap is relative to this."""
    extent = 0.0
    for side in range(2):
        if W.cbody[c, side] >= 0:
            extent = max(extent, W.body_extent[W.cbody[c, side]])
    return extent


@kernel
def _worse(a, b):
    """The larger of two; not a number when either is not (max would drop it)."""
    return a if a > b or a != a else b


@kernel
def centring(W, kn, kf, alpha, out):
    """Complementarity after alpha times the step in W.d… (0: here). out (6,), normal pairs and limits, then friction
    (Dojo, eq. 50-53):

    0, 3: largest |b∘c - k e|; 1, 4: Σ b·c; 2, 5: degree.       [N s m], [N s m/s]

    Gaps count beyond their standoff, friction's products beyond those of what sticks at the end of the path (creep.py).
    """
    out[:] = 0.0
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        gamma, s = W.lim[m, 0] + alpha * W.dlim[m, 0], W.lim[m, 1] + alpha * W.dlim[m, 1]
        _add_pair(out, gamma, s, W.limit_standoff[W.limit_active[m]], kn)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        bound = W.bound[dof]
        if bound > 0.0:
            f, d = W.fric[dof], W.dfric[dof]
            beta = f[0] + alpha * d[0]
            least = least_dry_product(W, dof, beta)
            for product in ((bound + beta) * (f[1] + alpha * d[1]), (bound - beta) * (f[2] + alpha * d[2])):
                out[3] = _worse(out[3], abs(product - max(kf, least)) - least)
                out[4] += max(product - least, 0.0)
                out[5] += 1.0
    z = W.state
    for m in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, m]
        for k in range(z.shape[0]):
            z[k] = W.con[c, k] + alpha * W.dcon[c, k] if alpha > 0.0 else W.con[c, k]
        _add_pair(out, z[0], z[1], W.standoff[c], kn)
        least = least_product(W, c, z)
        worst, total, degree = friction_complementarity(W.claw[c], W.cmu[c], z, max(kf, least))
        out[3] = _worse(out[3], worst - least)
        out[4] += max(total - degree * least, 0.0)
        out[5] += degree


@kernel
def _add_pair(out, b, c, standoff, k):
    """Add one product b c with target k to the first three of out; the gap c counts beyond its standoff."""
    excess = b * (c - standoff) - k
    out[0] = _worse(out[0], excess - (FARTHEST - 1.0) * b * standoff if excess > 0.0 else k - b * c)
    out[1] += max(b * beyond_standoff(c, standoff), 0.0)
    out[2] += 1.0


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
