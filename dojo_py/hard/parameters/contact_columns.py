"""Columns of contacts: friction, points and radii against planes in closed form, features of pairs by central differences.

The cone's law knows μ only in the product ξ₁ = μγ, so  ∂ξ/∂μ = (γ/μ) ∂ξ/∂γ. The arm δa of a contact with a plane, in the body's
frame at the next pose, moves with the point, and with the radius by -n_b:

    δgap = n_b · δa,    δv_t = t_b · (ω × δa),    δtorque = S (δa × F_b)          S = Rᵀ R₊;  _b: in that frame

and where an overlap is let be, its gap where the step starts is let be too.
"""

from dojo_py.hard.contact_rows import pair_gap
from dojo_py.hard.gradients.contact_change import evaluate_pair
from dojo_py.hard.parameters.adjoint import pull, pull_one, pull_three
from dojo_py.hard.parameters.moves import move, move_back
from dojo_py.hard.terms import FRICTIONLESS
from dojo_py.jit import kernel
from dojo_py.solver.cones import impulse_of


@kernel
def friction_column(W, D, candidate, value, out):
    """out (nv,) += column of the friction of a candidate times value."""
    c = D.slot[candidate]
    if c < 0 or W.claw[c] == FRICTIONLESS:
        return
    K = W.cK[c]
    share = value * W.con[c, 0] / (W.cmu[c] * K[0, 0])
    pull_one(D.impulse[c, 1], share * K[1, 0], out)
    pull_one(D.impulse[c, 2], share * K[2, 0], out)


@kernel
def arm_column(L, P, W, D, i, axis, value, out):
    """out (nv,) += column of the point (axis 0 … 2) or the radius (axis 3) of plane candidate i times value."""
    c = D.slot[i]
    if c < 0:
        return
    s = D.scratch
    b, n, t = P.body[i], P.normal[i], P.tangent[i]
    F, a, frame, y, f, x = s[0, 0:3], s[1, 0:3], s[2:5, 0:3], s[5, 0:3], s[6, 0:3], s[7, 0:3]
    R, w, S = W.Rn[b], W.v[b, 3:6], W.turn[b]
    impulse_of(W.claw[c], W.con[c], F)
    for r in range(3):
        frame[0, r] = R[0, r] * n[0] + R[1, r] * n[1] + R[2, r] * n[2]
        frame[1, r] = R[0, r] * t[0, 0] + R[1, r] * t[0, 1] + R[2, r] * t[0, 2]
        frame[2, r] = R[0, r] * t[1, 0] + R[1, r] * t[1, 1] + R[2, r] * t[1, 2]
        f[r] = frame[0, r] * F[0] + frame[1, r] * F[1] + frame[2, r] * F[2]
        a[r] = -value * frame[0, r] if axis == 3 else (value if axis == r else 0.0)
    u0, u1, u2 = w[1] * a[2] - w[2] * a[1], w[2] * a[0] - w[0] * a[2], w[0] * a[1] - w[1] * a[0]
    y[0] = frame[0, 0] * a[0] + frame[0, 1] * a[1] + frame[0, 2] * a[2]
    y[1] = frame[1, 0] * u0 + frame[1, 1] * u1 + frame[1, 2] * u2
    y[2] = frame[2, 0] * u0 + frame[2, 1] * u1 + frame[2, 2] * u2
    if W.cgrace[c] > 0.0:
        R0 = W.R[b]
        y[0] -= -value if axis == 3 else value * (R0[0, axis] * n[0] + R0[1, axis] * n[1] + R0[2, axis] * n[2])
    pull_three(D.motion[c], y, out)
    t0, t1, t2 = a[1] * f[2] - a[2] * f[1], a[2] * f[0] - a[0] * f[2], a[0] * f[1] - a[1] * f[0]
    for r in range(3):
        x[r] = S[r, 0] * t0 + S[r, 1] * t1 + S[r, 2] * t2
    pull_three(D.y[L.place_body[b], 3:6], x, out)


@kernel
def pair_column(L, P, Q, W, D, moved, k, c, h, out):
    """out (nv,) += column of pair contact c for a datum k that moves its features. moved: a Moved."""
    s = D.scratch
    F, y, f = s[0, 0:3], s[1, 0:3], s[2:4, 0:6]
    impulse_of(W.claw[c], W.con[c], F)
    y[:] = 0.0
    f[:, :] = 0.0
    whole = 0.0  # gap at the start plus what of it is let be, which stays
    if W.cgrace[c] > 0.0:
        whole = W.cgrace[c] + pair_gap(Q, W.active[c] - P.body.shape[0], W.x, W.R, W.cframe[c, 0], W.scratch)
    for turn in range(2):
        factor = move(moved, k, turn)
        evaluate_pair(P, moved.Q, W, c, F, whole, h, W.scratch)
        for i in range(3):
            y[i] += factor * W.cval[c, i]
        for side in range(2):
            for i in range(6):
                f[side, i] += factor * (W.cB[c, side, 0, i] * F[0] + W.cB[c, side, 1, i] * F[1] + W.cB[c, side, 2, i] * F[2])
    move_back(moved, k)
    evaluate_pair(P, Q, W, c, F, whole, h, W.scratch)
    pull_three(D.motion[c], y, out)
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            pull(D.y[L.place_body[b]], f[side], out)
