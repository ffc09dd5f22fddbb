"""Columns of contacts in closed form: friction of all, and the points, radii and ellipsoids of those with planes.

In the cone's equations μ enters only by the product ξ₁ = μγ, so  ∂ξ/∂μ = (γ/μ) ∂ξ/∂γ. A ratio r of a coefficient to μ scales
a row, η = r v, and the impulse along it, f = r ξ:  δη = η δr/r,  and the impulse changes by ξ δr/r along the scaled row. The arm of
a contact with a plane changes by δa, in the body's frame, with the point, and with the radius by -n_b:

    δgap = n_b · δa,    δv_t = t_b · (1 - R₊ᵀ R) δa/h of a point, t_b · (ω × δa) of what rolls (plane_contacts.py),
    δtorque = δa × Rᵀ F of a point, S (δa × R₊ᵀ F) of what rolls          S = Rᵀ R₊;  _b: in the frame R₊ of the next pose

less, where an overlap may stay, the change of the gap where the step starts.
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, matrix, minus, plus, row, times, turned, turned_back
from dojo_py.arrays import scratch
from dojo_py.collision.plane import square_of
from dojo_py.friction_laws import FRICTIONLESS
from dojo_py.hard.elements.contact_rows import physical_impulse
from dojo_py.hard.elements.plane_contacts import touching
from dojo_py.hard.elements.rolling_arms import by_square, from_start, rolling_arm
from dojo_py.hard.parameters.adjoint import pull_one, pull_three
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def friction_column(W, D, candidate, value, out):
    """out (nv,) += column of the friction of a candidate times value."""
    c = D.slot[candidate]
    if c < 0 or W.claw[c] == FRICTIONLESS:
        return
    K = W.cK[c]
    share = value * W.con[c, 0] / (W.cmu[c] * K[0, 0])
    for r in range(1, ROWS[W.claw[c]]):
        pull_one(D.impulse[c, r], share * K[r, 0], out)


@kernel
def ratio_column(W, D, candidate, k, value, out):
    """out (nv,) += column of ratio k of a candidate times value."""
    c = D.slot[candidate]
    if c < 0 or k + 1 >= ROWS[W.claw[c]]:
        return
    F = scratch(MOST_ROWS)
    impulse_of(W.claw[c], W.con[c], F)
    share = value / W.cratio[c, k]
    pull_one(D.motion[c, 1 + k], share * W.cval[c, 1 + k], out)
    pull_one(D.impulse[c, 1 + k], share * F[1 + k], out)


@kernel
def arm_column(L, P, W, D, i, axis, value, h, out):
    """out (nv,) += column of the point (axis 0 … 2) or the radius (axis 3) of plane candidate i times value."""
    if D.slot[i] < 0:
        return
    b, n = P.body[i], row(P.normal, i)
    R, w = W.Rn[b], W.v[b]
    if axis == 3:
        arm = times(-value, turned_back(matrix(R), n))
        _arm_column(L, P, W, D, i, arm, cross((w[3], w[4], w[5]), arm), -value, turned(matrix(W.turn[b]), arm), out)
    else:  # (R₊ c - R c)/h in the body's axes at the end
        arm = (value * (axis == 0), value * (axis == 1), value * (axis == 2))
        before = value * (W.R[b, 0, axis] * n[0] + W.R[b, 1, axis] * n[1] + W.R[b, 2, axis] * n[2])
        _arm_column(L, P, W, D, i, arm, _moved_in_body(R, W.R[b], axis, value / h), before, arm, out)


@kernel
def ellipsoid_column(L, P, W, D, i, entry, value, out):
    """out (nv,) += column of an entry (0 … 8) of M of plane candidate i times value.

    p = p_c - M n_b / s,  s² = n_b · M n_b,  hence δp = -δM n_b / s + (n_b · δM n_b) M n_b / (2 s³);  the whole arm p - p_c rolls,
    where the step starts, too (rolling_arms.py).
    """
    if D.slot[i] < 0:
        return
    b, n, shape, centre = P.body[i], row(P.normal, i), matrix(P.shape[i]), row(P.point, i)
    w, S, square = W.v[b], matrix(W.turn[b]), square_of(P.shape[i])
    arm, _ = _lowest_by_entry(shape, turned_back(matrix(W.Rn[b]), n), entry, value)
    start, before = _lowest_by_entry(shape, turned_back(matrix(W.R[b]), n), entry, value)
    (p, _), (p0, _) = touching(P, i, W.Rn[b]), touching(P, i, W.R[b])
    rolling, rolling0 = minus(p, centre), turned_back(S, minus(p0, centre))
    _, M = rolling_arm(rolling0, rolling, square)
    pushed = plus(turned(M, arm), turned(from_start(M), turned_back(S, start)))
    if entry % 4 == 0:  # (of L², the trace)
        pushed = along(pushed, value, by_square(rolling0, rolling, square))
    slip = cross((w[3], w[4], w[5]), times(0.5, plus(arm, pushed)))
    _arm_column(L, P, W, D, i, arm, slip, before, turned(S, pushed), out)


@kernel
def _lowest_by_entry(M, n, entry, value):
    """(δp, n · δp) of the lowest point of an ellipsoid for value times the change of one entry of M; n (3,): n_b."""
    r, c = entry // 3, entry % 3
    u = turned(M, n)
    s = math.sqrt(dot(u, n))
    change = times(-value * n[c] / s, (1.0 * (r == 0), 1.0 * (r == 1), 1.0 * (r == 2)))
    change = along(change, 0.5 * value * n[r] * n[c] / (s * s * s), u)
    return change, dot(n, change)


@kernel
def _arm_column(L, P, W, D, i, arm, slip, before, lever, out):
    """out (nv,) += column of plane candidate i whose arm changes by `arm` (3,), in the body's frame at the next pose.

    slip (3,): change of the velocity of its point, in that frame; before: change of its gap where the step starts [m]; lever (3,):
    change of the arm of its impulse, in the body's frame at the start.
    """
    c, b = D.slot[i], P.body[i]
    impulse, F, y, x = scratch(MOST_ROWS), scratch(MOST_ROWS), scratch(3), scratch(3)
    R = matrix(W.Rn[b])
    impulse_of(W.claw[c], W.con[c], impulse)
    physical_impulse(W, c, impulse, F)
    n, t1, t2 = turned_back(R, row(P.normal, i)), turned_back(R, row(P.tangent[i], 0)), turned_back(R, row(P.tangent[i], 1))
    y[0], y[1], y[2] = dot(n, arm), W.cratio[c, 0] * dot(t1, slip), W.cratio[c, 1] * dot(t2, slip)
    if W.contact_allowance[c] > 0.0:
        y[0] -= before
    pull_three(D.motion[c, 0:3], y, out)
    force = along(along(times(F[0], n), F[1], t1), F[2], t2)
    x[0], x[1], x[2] = cross(lever, turned(matrix(W.turn[b]), force))
    pull_three(D.y[L.place_body[b], 3:6], x, out)


@kernel
def _moved_in_body(R, R0, axis, amount):
    """amount (1 - R₊ᵀ R) e: how far the step's rotation moves a point on axis e of a body, in its axes R₊ at the end."""
    e, back = (1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)), (R0[0, axis], R0[1, axis], R0[2, axis])
    return times(amount, minus(e, turned_back(matrix(R), back)))
