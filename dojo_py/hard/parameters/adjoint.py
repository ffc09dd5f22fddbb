"""The next rates by all right-hand sides of a step at once, so that a column costs no solve of its own.

    A δw = x,   δq̇₊ = C δw + e     →     δq̇₊ = Yᵀ x + e,   Aᵀ Y = Cᵀ            x: right-hand sides, e: what acts directly

Y has one column a rate (nv), while there are hundreds of parameters whose x have a few entries each. Right-hand sides are minus
the change of the residuals with the unknowns held, or with unknowns that are told to move along (see the files of columns).

A contact's equations are eliminated, F = f - K y with its motion y = (gap, tangential velocity): right-hand side Bᵀ (δf - K δy).
"""

from dojo_py.hard.gradients.screws import invert
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel
from dojo_py.rotation import log_jacobian, rotation_vector
from dojo_py.solver.transposed_rows import solve_transposed_rows


@kernel
def pull(y, x, out):
    """out (nv,) += yᵀ x. y (6, nv), x (6,)."""
    x0, x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4], x[5]
    for i in range(out.shape[0]):
        out[i] += x0 * y[0, i] + x1 * y[1, i] + x2 * y[2, i] + x3 * y[3, i] + x4 * y[4, i] + x5 * y[5, i]


@kernel
def pull_three(y, x, out):
    """out (nv,) += yᵀ x. y (3, nv), x (3,)."""
    x0, x1, x2 = x[0], x[1], x[2]
    for i in range(out.shape[0]):
        out[i] += x0 * y[0, i] + x1 * y[1, i] + x2 * y[2, i]


@kernel
def pull_one(y, x, out):
    """out (nv,) += x y. y (nv,), x a number."""
    for i in range(out.shape[0]):
        out[i] += x * y[i]


@kernel
def solve_adjoint(L, W, D, h):
    """D.y and what the contacts make of it, on the factorisation of the step."""
    _rate_rows(L, W, D.y, h)
    solve_transposed_rows(W.pattern, W.blocks, D.y)
    for i in range(D.slot.shape[0]):
        D.slot[i] = -1
    for c in range(W.n_active[0]):
        D.slot[W.active[c]] = c
        _contact_adjoint(L, W, D, c)


@kernel
def _rate_rows(L, W, Y, h):
    """Y (N, 6, nv) = derivative of the next rates by the velocities."""
    Y[:, :, :] = 0.0
    for j in range(L.kind.shape[0]):
        n, k, first, a, b = L.node[j], L.ndof[j], L.vadr[j], L.parent[j], L.child[j]
        if L.kind[j] == FREE:
            _free_rate_rows(W.Rn[b], W.hG[b], L.com[b], first, h, Y[L.place_body[b]])
            continue
        for i in range(k):
            for m in range(6):
                Y[L.place_body[b], m, first + i] = W.Cb[n, 6 - k + i, m]
                if a >= 0:
                    Y[L.place_body[a], m, first + i] = W.Ca[n, 6 - k + i, m]


@kernel
def _free_rate_rows(R, hG, com, first, h, y):
    """The origin of a free body moves with v - R₊ (Γω × com), and its turn over h is Γω (next_coordinates makes rates of it)."""
    for i in range(3):
        y[i, first + i] = 1.0
        # R [com]x
        c0 = R[i, 1] * com[2] - R[i, 2] * com[1]
        c1 = R[i, 2] * com[0] - R[i, 0] * com[2]
        c2 = R[i, 0] * com[1] - R[i, 1] * com[0]
        for m in range(3):
            y[3 + m, first + i] = (c0 * hG[0, m] + c1 * hG[1, m] + c2 * hG[2, m]) / h
            y[3 + m, first + 3 + i] = hG[i, m] / h


@kernel
def _contact_adjoint(L, W, D, c):
    """D.impulse and D.motion of active contact c."""
    K, F, M = W.cK[c], D.impulse[c], D.motion[c]
    F[:, :] = 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            for r in range(3):
                pull(D.y[L.place_body[b]], W.cB[c, side, r], F[r])
    for i in range(F.shape[1]):
        M[0, i] = -(K[0, 0] * F[0, i] + K[1, 0] * F[1, i] + K[2, 0] * F[2, i])
        M[1, i] = -(K[1, 1] * F[1, i] + K[2, 1] * F[2, i])
        M[2, i] = -(K[1, 2] * F[1, i] + K[2, 2] * F[2, i])


@kernel
def next_coordinates(L, W, h, out, s):
    """out (p, 2 nv): from the rates in its second half, the change of the next coordinates and rates. s: work (12, 12)."""
    nv = L.dof_joint.shape[0]
    vector, J, Jr, U = s[0, 0:3], s[1:4, 0:3], s[4:7, 0:3], s[7:10, 0:3]
    for j in range(L.kind.shape[0]):
        n, k, first = L.node[j], L.ndof[j], L.vadr[j]
        for column in range(out.shape[0]):
            for i in range(first, first + k):
                out[column, i] = h * out[column, nv + i]
        if L.kind[j] == FREE:  # from the turn h Γω to the rate of its rotation vector
            rotation_vector(W.p[L.child[j]], vector)
            log_jacobian(vector, J)
            _turn_columns(J, nv + first + 3, out)
        elif L.kind[j] == BALL:  # from the rotation vector's rate to the turn
            for i in range(3):
                vector[i] = h * W.rows[n, 3 + i]
            log_jacobian(vector, J)
            invert(J, Jr, U)
            _turn_columns(Jr, first, out)


@kernel
def _turn_columns(J, first, out):
    """Entries first … first + 2 of every row of out (p, 2 nv) times J (3, 3)."""
    for column in range(out.shape[0]):
        x = out[column]
        t0, t1, t2 = x[first], x[first + 1], x[first + 2]
        for i in range(3):
            x[first + i] = J[i, 0] * t0 + J[i, 1] * t1 + J[i, 2] * t2


@kernel
def subtract_rates(L, W, h, out, s):
    """out (nv,) -= next rates / h. s: work (1, 3)."""
    turn = s[0, 0:3]
    for j in range(L.kind.shape[0]):
        n, k, first, b = L.node[j], L.ndof[j], L.vadr[j], L.child[j]
        if L.kind[j] == FREE:
            rotation_vector(W.p[b], turn)
            for i in range(3):
                moved = W.xn[b, i] - W.x[b, i]
                for r in range(3):
                    moved -= (W.Rn[b, i, r] - W.R[b, i, r]) * L.com[b, r]
                out[first + i] -= moved / (h * h)
                out[first + 3 + i] -= turn[i] / (h * h)
            continue
        for i in range(k):
            out[first + i] -= W.rows[n, 6 - k + i] / h
