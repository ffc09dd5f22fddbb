"""The next coordinates and rates as functions of a step's velocities: the same chain rule, forwards and transposed.

    δq̇₊ = C δw,     δq₊ = h δq̇₊,     of free bodies and balls with the tangent rotation in place of h δq̇₊

A free body's six rates are here those of its origin and its rotation over h; the rates of its rotation vector follow by a Jacobian.
"""

from dojo_py.algebra.rotations import exp_jacobian, log_jacobian, rotation_vector
from dojo_py.arrays import scratch
from dojo_py.hard.terms import FREE
from dojo_py.jit import kernel


@kernel
def rates_transposed(L, W, weights, h, out):
    """out (N, 6, p) = Cᵀ weights, weights (nv, p)."""
    out[:, :, :] = 0.0
    for j in range(L.kind.shape[0]):
        n, k, first, a, b = L.node[j], L.ndof[j], L.vadr[j], L.parent[j], L.child[j]
        if L.kind[j] == FREE:
            _free_transposed(W.Rn[b], W.hG[b], L.com[b], weights[first : first + 6], h, out[L.place_body[b]])
            continue
        for i in range(k):
            for m in range(6):
                _add(W.Cb[n, 6 - k + i, m], weights[first + i], out[L.place_body[b], m])
                if a >= 0:
                    _add(W.Ca[n, 6 - k + i, m], weights[first + i], out[L.place_body[a], m])


@kernel
def _free_transposed(R, hG, com, weights, h, out):
    """The origin moves with v - R₊ (Γω × com), the rotation over h is Γω. weights, out (6, p)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        _add(1.0, weights[i], out[i])
        for m in range(3):
            _add(hG[i, m] / h, weights[3 + i], out[3 + m])
            for r in range(3):
                # (Rᵀ g × com)_i with g the weights of the origin
                _add(hG[i, m] / h * (R[r, j] * com[k] - R[r, k] * com[j]), weights[r], out[3 + m])


@kernel
def _add(factor, x, out):
    """out (p,) += factor x."""
    for p in range(out.shape[0]):
        out[p] += factor * x[p]


@kernel
def coordinates_transposed(L, W, after, h, out):
    """out (nv,): the weights of the rates that are equivalent to weights `after` (2 nv,) of the next coordinates and rates: the
    transpose of `next_coordinates`.
    """
    nv = L.dof_joint.shape[0]
    J = scratch((3, 3))
    for j in range(L.kind.shape[0]):
        first = L.vadr[j]
        for i in range(first, first + L.ndof[j]):
            out[i] = h * after[i] + after[nv + i]
        if L.kind[j] == FREE:
            vector_rate(L, W, j, J)
            for i in range(first + 3, first + 6):
                out[i] = h * after[i]
                for r in range(3):
                    out[i] += J[r, i - first - 3] * after[nv + first + 3 + r]
        elif L.rotation[j] >= 0:
            turn_after(L, W, j, h, J)
            ball = first + L.rotation[j]
            for i in range(3):
                out[ball + i] = after[nv + ball + i]
                for r in range(3):
                    out[ball + i] += h * J[r, i] * after[ball + r]


@kernel
def next_coordinates(L, W, h, out):
    """out (p, 2 nv): from the rates in its second half, the change of the next coordinates and rates."""
    nv = L.dof_joint.shape[0]
    J = scratch((3, 3))
    for j in range(L.kind.shape[0]):
        first = L.vadr[j]
        for column in range(out.shape[0]):
            for i in range(first, first + L.ndof[j]):
                out[column, i] = h * out[column, nv + i]
        if L.kind[j] == FREE:
            vector_rate(L, W, j, J)
            _turn_columns(J, nv + first + 3, out)
        elif L.rotation[j] >= 0:
            turn_after(L, W, j, h, J)
            _turn_columns(J, first + L.rotation[j], out)


@kernel
def vector_rate(L, W, j, J):
    """J (3, 3): from the rotation of free body j over h to the rate of its rotation vector."""
    vector = scratch(3)
    rotation_vector(W.p[L.child[j]], vector)
    log_jacobian(vector, J)


@kernel
def turn_after(L, W, j, h, J):
    """J (3, 3): from the change of the rotation vector of joint j's ball over the step to the rotation of its next orientation."""
    vector = scratch(3)
    for i in range(3):
        vector[i] = h * W.rows[L.node[j], L.dof_row[L.vadr[j] + L.rotation[j]] + i]
    exp_jacobian(vector, J)


@kernel
def _turn_columns(J, first, out):
    """Entries first … first + 2 of every row of out (p, 2 nv) times J (3, 3)."""
    for column in range(out.shape[0]):
        x = out[column]
        t0, t1, t2 = x[first], x[first + 1], x[first + 2]
        for i in range(3):
            x[first + i] = J[i, 0] * t0 + J[i, 1] * t1 + J[i, 2] * t2
