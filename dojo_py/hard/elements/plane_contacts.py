"""Rows of one contact between a body and a fixed plane: gap, tangential velocity, their Jacobians and the impulse maps.

    gap = n · (x₊ + R₊ p) - r - offset                         normal row [m]
    v_t = T (v + (R₊ c - R c)/h + R₊ ω × (ρ + ρ')/2)            tangential rows [m/s], p' = p - r n_b,  n_b = R₊ᵀ n
    impulse on the body: F = γ n + Tᵀ ξ,  torque in the frame at the start of the step: Rᵀ ((R c + ρ') × F),  ρ = R₊ (p' - c)

c is the point of the body behind the contact: a corner, the centre of a ball, an end of an axis; ρ rolls about it. The impulse
acts where c is at the start, as those of joints do: with its arm at the end, a body that rotates about a corner that stays
would gain energy, of first order in h (docs/contact.md). The slip of c is its displacement in the step over h, not its velocity
at the end: a corner that sticks stays where it is, consistent with the gap. With the velocity v + R₊ (ω × c) a corner that the
body rotates about would drift at h ω² c / 2, and a body wedged between two corners could not rotate about the line through
them: no impulses that let both stick would solve the step. A surface that is round about c rolls: the slip of its point
relative to c is a velocity. ρ' is ρ of a ball, whose ρ does not change; of ellipsoids see rolling_arms.py.

    spinning, rolling: d · R ω, d: n, then T          rows 3, then 4 and 5 [rad/s]; R ω = R₊ ω, as a step turns about ω; torque Rᵀ d

The rest is evaluated at the next pose (Dojo, section IV-A; there the arms are, too); Jacobians are with respect to the velocity
(v, ω) of the step.
"""

from dojo_py.algebra.vectors import ZERO, X, Y, Z, along, cross, dot, matrix, minus, plus, put, row, times, turned, turned_back
from dojo_py.collision.plane import square_of, touching_point
from dojo_py.hard.elements.rolling_arms import IDENTITY, from_start, halfway, rolling_arm
from dojo_py.jit import kernel


@kernel
def plane_rows(P, i, W, hG, h, turning, impulse, C, B, H):
    """Candidate i at the next pose of its body. hG: h Γ, nine numbers; impulse: (γ, ξ₂, ξ₃) [N s]. Returns (gap, v_t - T v).

    turning: 1, or 0 for derivatives with ω held in the body's frame. Out: C (3, 6); B (3, 6); H (3, 3): derivative of the torque at
    fixed impulse by ω.
    """
    b, radius, curved = P.body[i], P.radius[i], P.curved[i]
    R, S, x, w = matrix(W.Rn[b]), matrix(W.turn[b]), row(W.xn, b), (W.v[b, 3], W.v[b, 4], W.v[b, 5])
    n, t1, t2 = row(P.normal, i), row(P.tangent[i], 0), row(P.tangent[i], 1)
    n_b, t1_b, t2_b = turned_back(R, n), turned_back(R, t1), turned_back(R, t2)
    p, Q = _point(P, i, n_b)
    centre = row(P.point, i)
    rolling = minus(along(p, -radius, n_b), centre)
    # in the axes at the end: of c at the start, of what rolls see rolling_arms.py
    arm, middle, M = plus(turned_back(S, centre), rolling), rolling, IDENTITY
    if curved:
        at_start, _ = touching(P, i, W.R[b])
        pushed, M = rolling_arm(turned_back(S, minus(at_start, centre)), rolling, square_of(P.shape[i]))
        arm, middle = plus(turned_back(S, centre), pushed), times(0.5, plus(rolling, pushed))
    gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] + n_b[0] * p[0] + n_b[1] * p[1] + n_b[2] * p[2] - radius - P.offset[i]
    # normal row: δgap = n·δx + δφ · ((p + Pᵀ n_b) × n_b)
    _put_row(C, 0, times(h, n), turned_back(hG, cross(plus(p, turned_back(Q, n_b)) if curved else p, n_b)))
    _put_row(B, 0, n, turned(S, cross(arm, n_b)))
    _put_row(B, 1, t1, turned(S, cross(arm, t1_b)))
    _put_row(B, 2, t2, turned(S, cross(arm, t2_b)))
    # tangential rows: of (R₊ c - R c)/h by δφ: c × t_b / h
    moved = times(1.0 / h, minus(turned(R, centre), turned(matrix(W.R[b]), centre)))
    by_turn1, by_turn2 = times(1.0 / h, cross(centre, t1_b)), times(1.0 / h, cross(centre, t2_b))
    first, second = dot(t1, moved), dot(t2, moved)
    if curved or radius > 0.0:
        u = cross(w, middle)
        first, second = first + dot(t1_b, u), second + dot(t2_b, u)
        by_turn1 = plus(by_turn1, _rolling_by_turn(t1_b, n_b, w, rolling, middle, M, radius, curved, Q))
        by_turn2 = plus(by_turn2, _rolling_by_turn(t2_b, n_b, w, rolling, middle, M, radius, curved, Q))
        _put_row(C, 1, t1, along(turned_back(hG, by_turn1), turning, cross(middle, t1_b)))
        _put_row(C, 2, t2, along(turned_back(hG, by_turn2), turning, cross(middle, t2_b)))
    else:
        _put_row(C, 1, t1, turned_back(hG, by_turn1))
        _put_row(C, 2, t2, turned_back(hG, by_turn2))
    if not curved:  # a corner, or a ball, whose arm the end of the step does not change
        put(H, 0, ZERO)
        put(H, 1, ZERO)
        put(H, 2, ZERO)
        return gap, first, second
    # torque at fixed impulse: δρ' × F_b in the next frame, δρ' = M (δφ × ρ + P' (n_b × δφ)):  -[F_b]ₓ M X δφ
    F = plus(plus(times(impulse[0], n_b), times(impulse[1], t1_b)), times(impulse[2], t2_b))
    e = rolling
    X0, X1, X2 = (0.0, e[2], -e[1]), (-e[2], 0.0, e[0]), (e[1], -e[0], 0.0)  # -[ρ]ₓ + P' [n_b]ₓ
    X0, X1, X2 = plus(X0, cross(Q[0:3], n_b)), plus(X1, cross(Q[3:6], n_b)), plus(X2, cross(Q[6:9], n_b))
    X0, X1, X2 = _sum(M[0:3], X0, X1, X2), _sum(M[3:6], X0, X1, X2), _sum(M[6:9], X0, X1, X2)
    Y0 = turned_back(hG, minus(times(F[2], X1), times(F[1], X2)))
    Y1 = turned_back(hG, minus(times(F[0], X2), times(F[2], X0)))
    Y2 = turned_back(hG, minus(times(F[1], X0), times(F[0], X1)))
    for r in range(3):
        put(H, r, plus(plus(times(S[3 * r], Y0), times(S[3 * r + 1], Y1)), times(S[3 * r + 2], Y2)))
    return gap, first, second


@kernel
def _rolling_by_turn(t_b, n_b, w, rolling, middle, M, radius, curved, Q):
    """Derivative of t · (ω × a) by δφ, t and ρ₀ fixed in the world, a = (ρ + ρ')/2:  ω × (a × t) + ρ × q + (P'ᵀ q) × n_b.

    q = (1 + M)/2 (t × ω);  P' = P - r 1, of a ball -r 1.
    """
    q = cross(t_b, w)
    if curved:
        q = turned(halfway(M), q)
        z = turned_back(Q, q)
    else:
        z = times(-radius, q)
    return plus(cross(w, cross(middle, t_b)), _two_crosses(rolling, q, z, n_b))


@kernel
def _sum(a, x, y, z):
    """a₀ x + a₁ y + a₂ z."""
    return plus(plus(times(a[0], x), times(a[1], y)), times(a[2], z))


@kernel
def touching(P, i, R):
    """p of candidate i where its body has the rotation R (3, 3), and its derivative by n_b, nine numbers."""
    return _point(P, i, turned_back(matrix(R), row(P.normal, i)))


@kernel
def rolling_by_start(P, i, W):
    """(1 - M, δρ₀ by a rotation of the body where the step starts) of a curved candidate, world axes, nine numbers each."""
    b, n = P.body[i], row(P.normal, i)
    R, Rn, centre = matrix(W.R[b]), matrix(W.Rn[b]), row(P.point, i)
    p, D = touching(P, i, W.R[b])
    end, _ = touching(P, i, W.Rn[b])
    start = turned(R, minus(p, centre))
    _, M = rolling_arm(start, turned(Rn, minus(end, centre)), square_of(P.shape[i]))
    x, y, z = _start_change(R, D, n, start, X), _start_change(R, D, n, start, Y), _start_change(R, D, n, start, Z)
    return from_start(M), (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def _start_change(R, D, n, start, turn):
    """ψ × ρ₀ + R P' Rᵀ (n × ψ)."""
    return plus(cross(turn, start), turned(R, turned(D, turned_back(R, cross(n, turn)))))


@kernel
def _point(P, i, n_b):
    """p of candidate i and, of a curved one, its derivative by n_b (3,), nine numbers."""
    if not P.curved[i]:
        return row(P.point, i), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return touching_point(n_b, P.point[i], P.shape[i])


@kernel
def _put_row(A, r, linear, angular):
    """Row r of A (…, 6 or more) = (linear, angular)."""
    A[r, 0], A[r, 1], A[r, 2] = linear
    A[r, 3], A[r, 4], A[r, 5] = angular


@kernel
def _two_crosses(a, b, c, d):
    """a × b + c × d."""
    return (
        a[1] * b[2] - a[2] * b[1] + c[1] * d[2] - c[2] * d[1],
        a[2] * b[0] - a[0] * b[2] + c[2] * d[0] - c[0] * d[2],
        a[0] * b[1] - a[1] * b[0] + c[0] * d[1] - c[1] * d[0],
    )


@kernel
def plane_spin_rows(rows, n, T, R, v, value, C, B):
    """Rows 3 … rows - 1 of a contact with a plane. R (3, 3): at the start; v (6,): velocities; n (3,), T (2, 3).

    value (rows,), C and B (rows, 6), which are the same, are written.
    """
    for r in range(3, rows):
        d = n if r == 3 else T[r - 4]
        value[r] = 0.0
        for i in range(3):
            along = R[0, i] * d[0] + R[1, i] * d[1] + R[2, i] * d[2]
            C[r, i] = B[r, i] = 0.0
            C[r, 3 + i] = B[r, 3 + i] = along
            value[r] += along * v[3 + i]
