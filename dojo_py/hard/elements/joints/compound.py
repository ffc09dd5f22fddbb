"""Several joints in one body: the relative pose must lie on the surface f(θ) that the chain of their k coordinates sweeps.

    e(θ) = ( d - p_f(θ),  2 vec(q_f(θ)* ⊗ q) )          (6,) error of the pose, q: child in parent
    0 = Pᵀ e(θ)      defines θ      P: orthonormal basis of S = -∂e/∂θ at the start of the step
    0 = Nᵀ e(θ)      6 - k rows     N: orthonormal complement of S

Orthonormal where rotations count with a lever of length L.lever (joint_table.py).

θ is found by a short Newton iteration inside the row evaluation, so rows and coordinates are functions of the pose alone, and
their Jacobians follow from the implicit function theorem. The joints move in document order, as in MuJoCo: hinges and slides, and a
ball after which no joint rotates. Its three coordinates are the rotation vector Δ from a given orientation, exp(Δ) beside it.
"""

import math

from dojo_py.algebra.rotations import exp_jacobian, quat_conj_mul, quat_exp, quat_mul, turn_vector
from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.solver.octet import load, minus, store, times

QUARTER = 0.5 * math.pi
"""Most by which a Newton step changes an angle [rad], see `_shorten`."""
MOST = 40
"""Most Newton steps to the coordinates. Three are usual; near poses at which these depend on each other steps are shortened. (With
12 some were not found, and the step went on from wrong ones.)"""
CLOSE = 1e-9
"""Error of a pose [m, rad] after which one more Newton step needs no new screws."""


@kernel
def chain_pose(L, j, theta, turn, p, q, S):
    """Pose of the child's centre of mass in the parent's frame, p (3,), q (4,), and the screws of joint j's coordinates there.

    theta (k,): angles and displacements from the joints' zero; of a ball the rotation vector from the orientation turn (4,).
    S (6, k) out: rows 0-2 velocity of the centre of mass in the parent's frame, rows 3-5 angular velocity in the child's frame,
    per unit rate.
    """
    k, first, com = theta.shape[0], L.vadr[j], L.com[L.child[j]]
    a, b, in_parent = scratch(4), scratch(4), scratch(3)
    for r in range(3):
        p[r] = L.base_pos[j, r]
    for r in range(4):
        q[r] = L.base_quat[j, r]
    at_anchor = False  # whether p is the anchor of the hinge before, which this one shares
    for i in range(k):
        dof = first + i
        axis, pos, ball = L.dof_axis[dof], L.dof_anchor[dof], L.dof_vector[dof] >= 0
        if ball and L.dof_vector[dof] != dof:  # its second or third coordinate
            continue
        turn_vector(q, axis, b)
        if L.dof_slide[dof]:
            for r in range(3):
                S[r, i] = b[r]
                S[3 + r, i] = 0.0
                p[r] += theta[i] * b[r]
            continue
        for r in range(3):
            S[3 + r, i] = b[r]  # a hinge: the axis in the parent's frame, for now
        if not at_anchor:
            turn_vector(q, pos, b)
            for r in range(3):
                p[r] += b[r]
        for r in range(3):
            S[r, i] = p[r]  # the anchor, for now
        if ball:
            quat_mul(q, turn, b)
            quat_exp(theta[i : i + 3], 1.0, a)
            for r in range(4):
                q[r] = b[r]
            exp_jacobian(theta[i : i + 3], S[3:6, i : i + 3])
        else:
            half = 0.5 * theta[i]
            s = math.sin(half)
            a[0], a[1], a[2], a[3] = math.cos(half), s * axis[0], s * axis[1], s * axis[2]
        quat_mul(q, a, b)
        for r in range(4):
            q[r] = b[r]
        at_anchor = not ball and i + 1 < k and not L.dof_slide[dof + 1] and _equal(pos, L.dof_anchor[dof + 1])
        if not at_anchor:
            turn_vector(q, pos, b)
            for r in range(3):
                p[r] -= b[r]
    turn_vector(q, com, b)
    for r in range(3):
        p[r] += b[r]
    a[0], a[1], a[2], a[3] = q[0], -q[1], -q[2], -q[3]
    for i in range(k):
        dof = first + i
        if L.dof_vector[dof] == dof:
            _ball_screws(p, q, a, S[:, i : i + 3])
        if L.dof_slide[dof] or L.dof_vector[dof] >= 0:
            continue
        n0, n1, n2 = S[3, i], S[4, i], S[5, i]
        r0, r1, r2 = p[0] - S[0, i], p[1] - S[1, i], p[2] - S[2, i]
        S[0, i], S[1, i], S[2, i] = n1 * r2 - n2 * r1, n2 * r0 - n0 * r2, n0 * r1 - n1 * r0
        if i + 1 == k:  # no later joint rotates the axis
            axis = L.dof_axis[dof]
            S[3, i], S[4, i], S[5, i] = axis[0], axis[1], axis[2]
            continue
        in_parent[0], in_parent[1], in_parent[2] = n0, n1, n2
        turn_vector(a, in_parent, b)
        S[3, i], S[4, i], S[5, i] = b[0], b[1], b[2]


@kernel
def _ball_screws(p, q, back, S):
    """Velocities of the centre of mass into rows 0-2 of S (6, 3), angular velocities in rows 3-5; its anchor in S[0:3, 0].

    v = E (ω × Eᵀ (p - anchor)). back (4,) = q*.
    """
    u, arm, v = scratch(3), scratch(3), scratch(3)
    for r in range(3):
        u[r] = p[r] - S[r, 0]
    turn_vector(back, u, arm)
    for i in range(3):
        for r in range(3):
            n, m = (r + 1) % 3, (r + 2) % 3
            u[r] = S[3 + n, i] * arm[m] - S[3 + m, i] * arm[n]
        turn_vector(q, u, v)
        for r in range(3):
            S[r, i] = v[r]


@kernel
def _equal(a, b):
    """Whether two vectors (3,) are the same."""
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2]


@kernel
def _pivot(A, i, k):
    """Exchange rows of A (k, k) so that the largest of A[i:k, i] is the pivot of row i; divide row i by it. Returns (its old row,
    1/pivot).
    """
    best, row = abs(A[i, i]), i
    for r in range(i + 1, k):
        if abs(A[r, i]) > best:
            best, row = abs(A[r, i]), r
    if row != i:
        for c in range(k):
            A[i, c], A[row, c] = A[row, c], A[i, c]
    pivot = A[i, i]
    if abs(pivot) < 1e-12:
        pivot = 1e-12 if pivot >= 0.0 else -1e-12
    inv = 1.0 / pivot
    for c in range(k):
        A[i, c] *= inv
    return row, inv


@kernel
def _eliminate(A, i, r, k):
    """Subtract a multiple of row i of A (k, k) from row r, so that A[r, i] becomes 0. Returns the factor."""
    f = A[r, i]
    for c in range(k):
        A[r, c] -= f * A[i, c]
    return f


@kernel
def solve_small(A, B, k, m):
    """Solve A X = B in place by elimination with row pivoting; A (k, k or more) is destroyed, B (k, m) becomes X."""
    for i in range(k):
        row, inv = _pivot(A, i, k)
        if row != i:
            for c in range(m):
                B[i, c], B[row, c] = B[row, c], B[i, c]
        for c in range(m):
            B[i, c] *= inv
        for r in range(k):
            if r != i:
                f = _eliminate(A, i, r, k)
                for c in range(m):
                    B[r, c] -= f * B[i, c]


@kernel
def _solve_rows(A, J, n, k):
    """`solve_small` for rows n … n + k - 1 of J, octets."""
    for i in range(k):
        row, inv = _pivot(A, i, k)
        if row != i:
            upper, lower = load(J, n + i, 0), load(J, n + row, 0)
            store(lower, J, n + i, 0)
            store(upper, J, n + row, 0)
        own = times(load(J, n + i, 0), inv)
        store(own, J, n + i, 0)
        for r in range(k):
            if r != i:
                store(minus(load(J, n + r, 0), _eliminate(A, i, r, k), own), J, n + r, 0)


@kernel
def compound_basis(S, k, lever, basis, follow):
    """basis (6, 6): rows 0 … 5-k the complement N, rows 6-k … 5 an orthonormal basis of the screws S (6, k), rotations times lever.

    follow: N is the complement nearest to the rows in `basis`, so that it varies smoothly with S; else it is chosen afresh from
    unit vectors, where ties are decided by the last digits of S.
    """
    # Gram-Schmidt of the screws; the coordinates come last.
    for i in range(k):
        row = 6 - k + i
        for r in range(3):
            basis[row, r], basis[row, 3 + r] = S[r, i], lever * S[3 + r, i]
        for _ in range(2):  # the second removes what round-off left
            for j in range(6 - k, row):
                s = 0.0
                for r in range(6):
                    s += basis[row, r] * basis[j, r]
                for r in range(6):
                    basis[row, r] -= s * basis[j, r]
        s = 0.0
        for r in range(6):
            s += basis[row, r] * basis[row, r]
        s = 1.0 / max(math.sqrt(s), 1e-9)
        for r in range(6):
            basis[row, r] *= s
    # Complete with the unit vectors that have the largest components outside the span so far.
    for i in range(6 - k):
        for r in range(3):
            basis[i, 3 + r] /= lever
        if not follow:
            best, pick = -1.0, 0
            for u in range(6):
                s = 1.0
                for j in range(6 - k, 6):
                    s -= basis[j, u] * basis[j, u]
                for j in range(i):
                    s -= basis[j, u] * basis[j, u]
                if s > best + 1e-9:
                    best, pick = s, u
            for r in range(6):
                basis[i, r] = 0.0
            basis[i, pick] = 1.0
        for _ in range(2):  # the second removes what round-off left
            for j in range(6):
                if j < i or j >= 6 - k:
                    s = 0.0
                    for r in range(6):
                        s += basis[i, r] * basis[j, r]
                    for r in range(6):
                        basis[i, r] -= s * basis[j, r]
        s = 0.0
        for r in range(6):
            s += basis[i, r] * basis[i, r]
        s = 1.0 / math.sqrt(s)
        for r in range(6):
            basis[i, r] *= s
    for i in range(6):
        for r in range(3):
            basis[i, 3 + r] *= lever


@kernel
def _shorten(L, j, step):
    """Scale a Newton step (6, 1) of the coordinates of joint j so that no angle changes by more than a quarter of a revolution.

    Near a pose at which the coordinates depend on each other Newton's steps are of any length; beyond a quarter of a revolution the
    linearised rows have the wrong sign, and the angles would end many revolutions away.
    """
    largest = 0.0
    for i in range(L.ndof[j]):
        if not L.dof_slide[L.vadr[j] + i]:
            largest = max(largest, abs(step[i, 0]))
    if largest > QUARTER:
        for i in range(L.ndof[j]):
            step[i, 0] *= QUARTER / largest


@kernel
def compound_rows(L, j, q_rel, d, theta, start, turn, basis, c, J):
    """Rows c (6,), J (6, 8 or more), overwritten; theta (k,) in: guess, out: coordinates; start (k,): at the step's start.

    q_rel (4,), d (3,): pose of the child of joint j in the parent. turn (4,): orientation of its ball there, from which theta and
    start count. basis (6, 6) from `compound_basis`.
    """
    k = theta.shape[0]
    n = 6 - k
    S, p, q, err = scratch((6, 6))[:, 0:k], scratch(3), scratch(4), scratch(4)
    A, step = scratch((6, 6)), scratch((6, 1))
    last = math.inf
    for _ in range(MOST):
        chain_pose(L, j, theta, turn, p, q, S)
        _pose_error(q, q_rel, d, p, basis, err, c)
        _screws_to_error_rates(err, S)
        residual = 0.0
        for i in range(k):
            residual = max(residual, abs(c[n + i]))
        if residual < 1e-15 or (residual < 1e-12 and residual > 0.25 * last):
            break
        last = residual
        _project(basis, S, n, k, A)
        for i in range(k):
            step[i, 0] = c[n + i]
        solve_small(A, step, k, 1)
        _shorten(L, j, step)
        for i in range(k):
            theta[i] += step[i, 0]
        if residual < CLOSE:  # the next error is the square of this one: update the rows linearly, keep the screws
            for i in range(n):
                for j in range(k):
                    for r in range(6):
                        c[i] -= basis[i, r] * S[r, j] * step[j, 0]
            break
    # Jacobian of the transformed error in (δd, δφ), then θ eliminated by the implicit function theorem
    for i in range(6):
        b3, b4, b5 = basis[i, 3], basis[i, 4], basis[i, 5]
        for r in range(3):
            J[i, r] = basis[i, r]
        J[i, 6] = J[i, 7] = 0.0  # (rows are octets below)
        # (w I + [v]x)ᵀ b
        J[i, 3] = err[0] * b3 - (err[2] * b5 - err[3] * b4)
        J[i, 4] = err[0] * b4 - (err[3] * b3 - err[1] * b5)
        J[i, 5] = err[0] * b5 - (err[1] * b4 - err[2] * b3)
    _project(basis, S, n, k, A)
    _solve_rows(A, J, n, k)
    for i in range(n):
        row = load(J, i, 0)
        for j in range(k):
            s = 0.0
            for r in range(6):
                s += basis[i, r] * S[r, j]
            row = minus(row, s, load(J, n + j, 0))
        store(row, J, i, 0)
    for i in range(k):
        c[n + i] = theta[i] - start[i]


@kernel
def _pose_error(q, q_rel, d, p, basis, err, c):
    """c = basis e(θ); err: the error quaternion, with w ≥ 0."""
    quat_conj_mul(q, q_rel, err)
    if err[0] < 0.0:
        for r in range(4):
            err[r] = -err[r]
    for i in range(6):
        s = 0.0
        for r in range(3):
            s += basis[i, r] * (d[r] - p[r]) + basis[i, 3 + r] * 2.0 * err[1 + r]
        c[i] = s


@kernel
def _screws_to_error_rates(err, S):
    """Angular rows of S (6, k) become -∂e_r/∂θ = (w I - [v]x) S_r, (w, v) = err."""
    for i in range(S.shape[1]):
        s0, s1, s2 = S[3, i], S[4, i], S[5, i]
        S[3, i] = err[0] * s0 - (err[2] * s2 - err[3] * s1)
        S[4, i] = err[0] * s1 - (err[3] * s0 - err[1] * s2)
        S[5, i] = err[0] * s2 - (err[1] * s1 - err[2] * s0)


@kernel
def _project(basis, S, n, k, A):
    """A, its first k rows and columns, = Pᵀ S."""
    for i in range(k):
        for j in range(k):
            s = 0.0
            for r in range(6):
                s += basis[n + i, r] * S[r, j]
            A[i, j] = s
