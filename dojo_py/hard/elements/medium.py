"""Forces of a medium on the bodies, from the velocities over the step and the orientation at its start.

    momentum rows   - h R F(u),  - h T(u),      u = (Rᵀ (v - wind), ω)          (F, T): wrench about the centre of mass, body axes

Every box and ellipsoid of fluid/ sees u at its own centre, in its own axes: (F, T) = Σ Xᵀ f(X u).
"""

from dojo_py.arrays import scratch
from dojo_py.fluid.box import box_wrench
from dojo_py.fluid.ellipsoid import ellipsoid_wrench
from dojo_py.jit import kernel


@kernel
def in_medium(L, b):
    """Whether the medium acts on body b."""
    return L.medium_first[b + 1] > L.medium_first[b]


@kernel
def medium_wrench(L, b, R, v, f, K):
    """f (6,) = force, torque on body b about its centre, body axes [N, N m]; K (6, 6) = its derivative by u.

    R (3, 3), v (6,): orientation, velocities (v, ω) of the body.
    """
    u, local, g, J, X, Y = scratch(6), scratch(6), scratch(6), scratch((6, 6)), scratch((6, 6)), scratch((6, 6))
    for i in range(3):
        u[i], u[3 + i] = 0.0, v[3 + i]
        for k in range(3):
            u[i] += R[k, i] * (v[k] - L.medium[2 + k])
    for i in range(6):
        f[i] = 0.0
        for k in range(6):
            K[i, k] = 0.0
    for m in range(L.medium_first[b], L.medium_first[b + 1]):
        _seen_from(L.medium_axes[m], L.medium_pos[m], X)
        for i in range(6):
            local[i] = 0.0
            for k in range(6):
                local[i] += X[i, k] * u[k]
        if L.medium_ellipsoid[m]:
            ellipsoid_wrench(L.medium_numbers[m], L.medium[0], L.medium[1], local, g, J)
        else:
            box_wrench(L.medium_numbers[m], local, g, J)
        for i in range(6):
            for k in range(6):
                f[i] += X[k, i] * g[k]
                Y[i, k] = 0.0
                for l in range(6):
                    Y[i, k] += J[i, l] * X[l, k]
        for i in range(6):
            for k in range(6):
                for l in range(6):
                    K[i, k] += X[l, i] * Y[l, k]


@kernel
def _seen_from(A, r, X):
    """X (6, 6): velocity of the point r in the axes of A (3, 3) from the body's velocity in its own axes."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            X[i, m], X[i, 3 + m], X[3 + i, m], X[3 + i, 3 + m] = A[m, i], 0.0, 0.0, A[m, i]
    for i in range(3):  # a · (ω × r) = ω · (r × a)
        for m in range(3):
            j, k = (m + 1) % 3, (m + 2) % 3
            X[i, 3 + m] = r[j] * A[k, i] - r[k] * A[j, i]


@kernel
def resist(L, W, b, h):
    """The medium's part of the momentum rows of body b, into W.rb and W.inertia."""
    R, f, K = W.R[b], scratch(6), scratch((6, 6))
    medium_wrench(L, b, R, W.v[b], f, K)
    r, D = W.rb[b], W.inertia[b]
    for i in range(3):
        r[3 + i] -= h * f[3 + i]
        for k in range(3):
            r[i] -= h * R[i, k] * f[k]
            D[3 + i, 3 + k] -= h * K[3 + i, 3 + k]
            for m in range(3):
                D[3 + i, k] -= h * K[3 + i, m] * R[k, m]
                D[i, 3 + k] -= h * R[i, m] * K[m, 3 + k]
                for n in range(3):
                    D[i, k] -= h * R[i, m] * K[m, n] * R[k, n]


@kernel
def medium_longer(L, W, b, row):
    """row (6,) += derivative of h (R F, T) by h, the poses at both ends held: velocities are displacements over h."""
    R, v, f, K, u = W.R[b], W.v[b], scratch(6), scratch((6, 6)), scratch(6)
    medium_wrench(L, b, R, v, f, K)
    for i in range(3):
        u[i], u[3 + i] = R[0, i] * v[0] + R[1, i] * v[1] + R[2, i] * v[2], v[3 + i]
    for i in range(6):
        for k in range(6):
            f[i] -= K[i, k] * u[k]
    for i in range(3):
        row[i] += R[i, 0] * f[0] + R[i, 1] * f[1] + R[i, 2] * f[2]
        row[3 + i] += f[3 + i]


@kernel
def wind_columns(L, W, G, b, h, x, column):
    """Right-hand side x (6, m) of body b that rotates by G.moved: the wind does not rotate with it."""
    f, K, d = scratch(6), scratch((6, 6)), scratch(3)
    medium_wrench(L, b, W.R[b], W.v[b], f, K)
    p, R = G.moved[b, 3:6], W.R[b]
    for i in range(3):
        d[i] = 0.0
        for k in range(3):
            j, l = (k + 1) % 3, (k + 2) % 3
            d[i] += R[k, i] * (p[j] * L.medium[2 + l] - p[l] * L.medium[2 + j])
    for i in range(6):
        f[i] = K[i, 0] * d[0] + K[i, 1] * d[1] + K[i, 2] * d[2]
    for i in range(3):
        x[3 + i, column] += h * f[3 + i]
        for k in range(3):
            x[i, column] += h * R[i, k] * f[k]
