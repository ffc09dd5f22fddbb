"""The active contacts of a step: what is fixed at its start, and their rows at the next poses.

Rows: the gap; sliding along two tangents; spinning about the normal; rolling about the tangents. Those of friction are scaled
by the ratios r of their coefficients to the one of reference (collision/friction.py), and so are the impulses along them: f = r ξ,
η = r v. So sqrt(Σ (f_k/μ_k)²) ≤ γ is |ξ| ≤ μ γ, and the power f·v is ξ·η.
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, matrix, plus, row, turned
from dojo_py.arrays import body_row, copy, scratch
from dojo_py.collision.participation import AT_START, OF_STEP
from dojo_py.collision.plane import reach_of
from dojo_py.friction_laws import FRICTIONLESS, PYRAMID
from dojo_py.hard.compiled_apart import BEFORE, START, distance_of_shapes, feature_place, pair_contact_rows
from dojo_py.hard.elements.contact_size import square_of_length
from dojo_py.hard.elements.far_pairs import full_distance, share
from dojo_py.hard.elements.limits import UNSURE
from dojo_py.hard.elements.pair_contacts import tangents
from dojo_py.hard.elements.plane_contacts import plane_rows, plane_spin_rows
from dojo_py.hard.elements.rolling_sides import keep_rolling
from dojo_py.hard.elements.start_normals import BY_GAP, BY_SQUARE, SHARE, SQUARE, touching_share
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS
from dojo_py.solver.cones.standoff import FARTHEST, NEAREST

SAME, SCALED, UNEQUAL = 0, 1, 2
"""How a contact's coefficients of friction differ: not at all; from row to row; or between the two tangents, too, so that friction
depends on the rotation of the contact's frame about its normal, as that of a pyramid does."""

OVERLAP = 1e-9
"""Where violations at the start of a step are larger [m, rad], a step in which they may stay is tried if it fails otherwise."""

ROUND_OFF_GAP = 1e-12
"""How much larger the standoff is for every metre of a contact's coordinates: well above the round-off of its gap."""


@kernel
def plane_gap(P, i, x, R):
    """Gap [m] of plane candidate i at poses x (nb + 1, 3), R (nb + 1, 3, 3)."""
    b = P.body[i]
    n = P.normal[i]
    gap = n[0] * x[b, 0] + n[1] * x[b, 1] + n[2] * x[b, 2] - P.radius[i] - P.offset[i]
    M, point = P.shape[i], P.point[i]
    n0 = R[b, 0, 0] * n[0] + R[b, 1, 0] * n[1] + R[b, 2, 0] * n[2]
    n1 = R[b, 0, 1] * n[0] + R[b, 1, 1] * n[1] + R[b, 2, 1] * n[2]
    n2 = R[b, 0, 2] * n[0] + R[b, 1, 2] * n[1] + R[b, 2, 2] * n[2]
    gap += n0 * point[0] + n1 * point[1] + n2 * point[2]
    if P.curved[i]:
        m0 = M[0, 0] * n0 + M[0, 1] * n1 + M[0, 2] * n2
        m1 = M[1, 0] * n0 + M[1, 1] * n1 + M[1, 2] * n2
        m2 = M[2, 0] * n0 + M[2, 1] * n1 + M[2, 2] * n2
        gap -= math.sqrt(m0 * n0 + m1 * n1 + m2 * n2)
    return gap


@kernel
def candidate_gap(L, P, Q, W, candidate, poses):
    """Gap [m] of a candidate, a plane or a feature, at poses START or BEFORE of compiled_apart.py; a feature's normal in
    W.feature.
    """
    planes = P.body.shape[0]
    if candidate >= planes:
        return feature_place(L, P, Q, W, candidate - planes, poses)
    if poses == BEFORE:
        return plane_gap(P, candidate, W.x_before, W.R_before)
    return plane_gap(P, candidate, W.x, W.R)


@kernel
def add_contact(P, Q, W, candidate):
    """Append one candidate (plane i, or number of planes + feature) to the active contacts."""
    c = W.n_active[0]
    W.n_active[0] = c + 1
    W.active[c] = candidate
    W.cheld[c] = W.cimpact[c] = 0
    planes = P.body.shape[0]
    if candidate < planes:
        W.cbody[c, 0], W.cbody[c, 1] = P.body[candidate], -1
        W.cmu[c], W.crestitution[c] = P.friction[candidate], P.restitution[candidate]
        _take_ratios(W, c, P.ratio[candidate], P.law[candidate])
    else:
        i = candidate - planes
        W.cbody[c, 0], W.cbody[c, 1] = W.fbody[i, 0], W.fbody[i, 1]
        pair = W.fpair[i]
        W.cmu[c], W.crestitution[c] = W.ffriction[i], Q.restitution[pair]
        _take_ratios(W, c, Q.ratio[pair], W.flaw[i])


@kernel
def _take_ratios(W, c, ratio, law):
    """Set the ratios of contact c, ratio (5,), and which of SAME, SCALED and UNEQUAL holds for the rows of its friction law."""
    W.cscaled[c] = SAME
    for i in range(5):
        W.cratio[c, i] = ratio[i]
    for i in range(ROWS[law] - 1):
        if ratio[i] != 1.0 and W.cscaled[c] == SAME:
            W.cscaled[c] = SCALED
        if (i == 1 or i == 4) and ratio[i] != ratio[i - 1]:
            W.cscaled[c] = UNEQUAL


@kernel
def feels_frame(W, c):
    """Whether the friction of contact c changes when its tangents rotate about the normal."""
    return W.claw[c] == PYRAMID or (W.cscaled[c] == UNEQUAL and W.claw[c] != FRICTIONLESS)


@kernel
def physical_impulse(W, c, F, out):
    """out (nr,) = impulses [N s, N m s] along the unscaled rows of contact c, from F = (γ, ξ) (nr,)."""
    for r in range(F.shape[0]):
        out[r] = F[r]
    if W.cscaled[c] != SAME:
        for r in range(1, F.shape[0]):
            out[r] *= W.cratio[c, r - 1]


@kernel
def pushed(W, c, side, F):
    """(f, moment of f about the world's origin) [N s, N m s], world axes, of F = (γ, ξ) (nr,) of contact c on its body of one side.

    Without the torques of spinning and rolling.
    """
    b, B, f, torque = W.cbody[c, side], W.cB[c, side], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for r in range(min(ROWS[W.claw[c]], 3)):
        f = along(f, F[r], (B[r, 0], B[r, 1], B[r, 2]))
        torque = along(torque, F[r], (B[r, 3], B[r, 4], B[r, 5]))
    return f, plus(turned(matrix(W.R[b]), torque), cross(row(W.x, b), f))


@kernel
def scale_rows(W, c, rows):
    """Multiply rows (nr, …) of contact c's motion by the ratios, in place, so that one friction bound holds for all of them."""
    if W.cscaled[c] != SAME:
        for r in range(1, ROWS[W.claw[c]]):
            for k in range(rows.shape[1]):
                rows[r, k] *= W.cratio[c, r - 1]


@kernel
def allowance(gap, recovery, nearest, in_hard_limit):
    """Allowed penetration of a gap that is `gap` [m, rad] at the start of a step, which undoes at most `recovery` of an overlap.

    With it an overlap that stays counts as the smallest gap that has arrived (`beyond_standoff`): with less there would be no
    interior for a ball wedged between two planes, with more the overlap could grow from step to step. In the hard limit (1, else 0)
    the same holds for gaps that touch: a wedged body may not be able to move up to the standoff.
    """
    left = -gap - recovery
    if left > OVERLAP:
        return left + nearest
    return max(left, 0.0) + in_hard_limit * max(nearest - max(gap, 0.0), 0.0)


@kernel
def start_gap(L, P, Q, W, candidate):
    """Gap [m] of a candidate where the step starts, and a feature's normal in W.feature.

    The gap of a feature that was added, or held, at the end of a solve may be negative at the start, where its point is beside the
    face, by more than its shapes overlap. No more penetration is allowed than these overlap; where they are apart the gap is 0.
    """
    return allowed_gap(L, P, Q, W, candidate, candidate_gap(L, P, Q, W, candidate, START))


@kernel
def allowed_gap(L, P, Q, W, candidate, gap):
    """`start_gap` from a feature's own gap there [m]."""
    i = candidate - P.body.shape[0]
    if i >= 0 and gap < -OVERLAP and (i >= W.n_features[AT_START] or W.free_kind[i] > 0):
        return max(gap, min(distance_of_shapes(L, P, Q, W, i, START), 0.0))
    return gap


@kernel
def _round_off(x):
    """A bound of the round-off in the gap of a body at x (3,) [m]: gaps are kept above it, so that none is below zero."""
    return UNSURE * (1.0 + abs(x[0]) + abs(x[1]) + abs(x[2]))


@kernel
def start_contact(L, P, Q, W, c, recovery):
    """Set what active contact c keeps from the start of a step: its friction law, its frame, and its allowed penetration.

    recovery: overlap undone at most [m]. Returns the gap there.
    """
    candidate, planes = W.active[c], P.body.shape[0]
    W.cweight[c], W.cslope[c], W.csoft[c] = 1.0, 0.0, 0.0
    if candidate < planes:
        W.claw[c], body = P.law[candidate], P.body[candidate]
    else:
        i = candidate - planes
        W.claw[c], body = W.flaw[i], W.fbody[i, 0]
    own = candidate_gap(L, P, Q, W, candidate, START)
    gap = allowed_gap(L, P, Q, W, candidate, own)
    W.cbeyond[c] = 0.0
    if candidate >= planes:
        W.cbeyond[c] = W.beyond[0]
        copy(W.beyond[1:], W.cbeyond_by[c])
        copy(W.feature.normal, W.cframe[c, 0])
        tangents(W.cframe[c, 0], W.cframe[c, 1:3])
        keep_rolling(Q, W, c, i)
        copy(W.feature.point, W.cpoint[c])
        W.ctouch[c, SQUARE] = square_of_length(Q, W, i)
        W.ctouch[c, SHARE], W.ctouch[c, BY_GAP], W.ctouch[c, BY_SQUARE] = touching_share(own, W.ctouch[c, SQUARE])
        if W.kappa[0] > 0.0 and W.fwanted[i] == OF_STEP:
            W.cweight[c], W.cslope[c] = share(gap, full_distance(Q, W.fpair[i], W.kappa[0]))
    standoff, hard = W.solver.standoff + ROUND_OFF_GAP * _extent(P, Q, W, c), W.in_hard_limit[0]
    W.standoff[c] = hard * standoff
    W.rest_gap[c] = hard * gap if standoff <= gap <= FARTHEST * standoff else 0.0
    W.contact_allowance[c] = allowance(gap, recovery, NEAREST * standoff, hard) - _round_off(W.x[body_row(W.x, body)])
    if W.cimpact[c] == 1:
        # (never faster than Newton's law of restitution: what rests there is at the standoff)
        W.contact_allowance[c] = min(W.contact_allowance[c], FARTHEST * standoff - W.cend[c])
    return gap


@kernel
def _extent(P, Q, W, c):
    """Scale [m] of the round-off in contact c's gap: the largest coordinate of its bodies plus the reach of its shapes."""
    extent, i = 0.0, W.active[c]
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            for k in range(3):
                extent = max(extent, abs(W.x[b, k]))
    if i < P.body.shape[0]:
        point = P.point[i]
        return extent + abs(point[0]) + abs(point[1]) + abs(point[2]) + P.radius[i] + reach_of(P.shape[i])
    i -= P.body.shape[0]
    if W.fpair[i] < Q.rounds[0]:
        return extent + max(_bound(W, i, 0), _bound(W, i, 1))
    for side in range(2):
        for k in range(3):
            extent = max(extent, abs(W.fcentre[i, side, k]))
    return extent


@kernel
def _bound(W, i, side):
    """Distance from the centre of mass to the farthest point of one side of feature i, of a round pair [m]."""
    c, half = W.fcentre[i, side], W.fhalf[i, side]
    size = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) + W.fradius[i, side]
    return math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) + size


@kernel
def evaluate_contact(L, P, Q, W, c, impulse, h):
    """Rows of active contact c at the next poses into W.cval, W.cC, W.cB, W.cH. impulse (6,): its present (γ, ξ)."""
    candidate, rows = W.active[c], ROWS[W.claw[c]]
    planes = P.body.shape[0]
    if W.cscaled[c] != SAME:
        physical = scratch(MOST_ROWS)
        physical_impulse(W, c, impulse, physical)
        impulse = physical
    if candidate < planes:
        i, b = candidate, P.body[candidate]
        gap, first, second = plane_rows(
            P, i, W, matrix(W.hG[b]), h, 1.0, (impulse[0], impulse[1], impulse[2]), W.cC[c, 0], W.cB[c, 0],
            W.cH[c, 0, 3:6, 3:6],
        )  # fmt: skip
        v = row(W.v, b)
        W.cval[c, 0] = gap + W.contact_allowance[c] + W.csoft[c] * impulse[0]
        W.cval[c, 1], W.cval[c, 2] = first + dot(row(P.tangent[i], 0), v), second + dot(row(P.tangent[i], 1), v)
        if rows > 3:
            plane_spin_rows(rows, P.normal[i], P.tangent[i], W.R[b], W.v[b], W.cval[c], W.cC[c, 0], W.cB[c, 0])
        _scale(W, c)
        return
    pair_contact_rows(L, P, Q, W, c, h)
    W.cval[c, 0] += W.contact_allowance[c] + W.cbeyond[c] + W.csoft[c] * impulse[0]
    _scale(W, c)


@kernel
def _scale(W, c):
    """Values, derivatives and impulse maps of contact c times its ratios."""
    if W.cscaled[c] == SAME:
        return
    for r in range(1, ROWS[W.claw[c]]):
        W.cval[c, r] *= W.cratio[c, r - 1]
    for side in range(2):
        scale_rows(W, c, W.cC[c, side])
        scale_rows(W, c, W.cB[c, side])
