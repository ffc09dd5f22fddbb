"""How far a point is from the rows' solution: the largest residual as a velocity."""

import math

from dojo_py.arrays import body_row
from dojo_py.hard.elements.closures import LEFT_OPEN, TENDON_ROW
from dojo_py.hard.elements.limits import UNSURE
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import friction_residual

UNCLEAR = 1e-14
"""Round-off of a difference, relative to its terms."""

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
    floors = 1.0 if counted >= BEYOND_ROUND_OFF else 0.0
    residual = worse(_of_momenta(L, W, floors), _of_nodes(L, W, h, counted, floors))
    residual = worse(residual, _of_limits(L, W, h, floors))
    residual = worse(residual, _of_dry_friction(L, W))
    return worse(residual, _of_contacts(W, h, floors))


@kernel
def _of_momenta(L, W, floors):
    """Largest row of the bodies' momenta, over mass or inertia."""
    residual = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        force = max(W.size[b, 0], W.size[b, 1], W.size[b, 2])
        for i in range(6):
            weight, size = L.mass[b], W.size[b, i]
            if i >= 3:  # (a torque is the difference of products of forces and levers)
                weight, size = top * max(1.0, SMALL * math.sqrt(L.mass[b] / top)), max(size, force * math.sqrt(top / L.mass[b]))
            residual = worse(residual, max(abs(W.rb[b, i]) - floors * UNCLEAR * size, 0.0 * W.rb[b, i]) / weight)
    return residual


@kernel
def _of_nodes(L, W, h, counted, floors):
    """Largest row of joints, closures and tendons. Rows of the law of a coordinate, impulses, count over its inertia plus the size
    of the impulse times 1 s/rad (1 s/m): where that is large, the law holds to the tolerance relative to it.
    """
    residual = 0.0
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        j = L.node_joint[n]
        nc, unsure, first = 6, 0.0, 0
        if j < 0 and L.eq_kind[-1 - j] == EQ_ORIENTATION:
            residual = worse(residual, _orientation_residual(L, W, n, -1 - j, h, floors))
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
            residual = worse(residual, max(abs(W.rn[n, r]) - unsure - floors * W.unmet[n, r], 0.0 * W.rn[n, r]))
        for r in range(nc, 6):
            residual = worse(residual, _of_law(L, W, n, j, r, first + r - nc, h, floors))
    return residual


@kernel
def _of_law(L, W, n, j, r, dof, h, floors):
    """Row r of node n, the law of coordinate dof of joint j (negative: of a tendon), as `_of_nodes` counts it."""
    size = abs(W.lam[n, r]) + abs(W.drive[dof, 0]) + abs(W.drive[dof, 1] * W.rows[n, r])
    slope = abs(W.drive[dof, 1])
    if j >= 0 and L.dof_vector[dof] >= 0:
        size, slope = size + abs(W.pull[j, r, 3]), slope + _slope_of_vector(W, j, r)
    unclear = floors * (UNCLEAR * size + slope * UNSURE / abs(h))  # (of the rate, a difference of angles)
    row = max(abs(W.rn[n, r]) - unclear, 0.0 * W.rn[n, r])
    return row / (L.dof_inertia[dof] + abs(W.lam[n, r]))


@kernel
def _of_limits(L, W, h, floors):
    """Largest difference of a limit's distance and its slack, over h."""
    residual = 0.0
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        row = W.lgap[m] - W.lim[m, 1]
        unsure = floors * UNSURE * (1.0 + abs(L.limit_bound[W.limit_active[m]]) + abs(W.lgap[m]))
        residual = worse(residual, max(abs(row) - unsure, 0.0 * row) / h)
    return residual


@kernel
def _of_dry_friction(L, W):
    """Largest difference of a coordinate's rate and the slip of its dry friction."""
    residual = 0.0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        if W.bound[dof] > 0.0:
            rate = W.rows[L.dof_node[dof], L.dof_row[dof]]
            residual = worse(residual, abs(rate - W.fric[dof, 1] + W.fric[dof, 2]))
    return residual


@kernel
def _of_contacts(W, h, floors):
    """Largest difference of a contact's gap and its slack, over h, or of its motion and its slip."""
    residual = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        row = abs(W.cval[c, 0] - W.con[c, 1])
        unsure = floors * UNSURE * max(_extent(W, c), abs(W.cval[c, 0]))  # (far off where it takes no part, `OUT_OF_REACH`)
        residual = worse(residual, max(row - unsure, 0.0 * row) / h)
        residual = worse(residual, friction_residual(W.claw[c], W.cmu[c], W.con[c], W.cval[c]))
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
    return UNCLEAR * max(force / L.mass[b], torque / top)


@kernel
def _orientation_residual(L, W, n, e, h, floors):
    """Largest row of a servo of an orientation, as a velocity, beyond the round-off of its torque and of the orientations in it
    (times floors).
    """
    residual = 0.0
    for r in range(3):
        unclear = UNCLEAR * abs(W.lam[n, r])
        for side in range(2):
            C = W.Ceq[e, side, r]
            unclear += (abs(C[3]) + abs(C[4]) + abs(C[5])) * UNSURE / abs(h)
        row = max(abs(W.rn[n, r]) - floors * unclear, 0.0 * W.rn[n, r])
        residual = worse(residual, row / (L.eq_inertia[e] + abs(W.lam[n, r])))
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
def worse(a, b):
    """The larger of two; not a number when either is not (max would drop it)."""
    return a if a > b or a != a else b
