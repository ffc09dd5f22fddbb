"""From the derivative of a step's velocities to that of the next coordinates and rates."""

from dojo_py.algebra.rotations import log_jacobian
from dojo_py.arrays import scratch
from dojo_py.hard.gradients.rates import turn_after, vector_rate
from dojo_py.hard.terms import FREE
from dojo_py.jit import kernel


@kernel
def next_rows(L, W, G, h, first, dof, out):
    """out (2 nv and more rows, m): change of the next coordinates and rates in the solved columns first … first + m - 1.

    These are the columns of coordinates dof, dof + 1, … up to the last one, then columns of data that move no coordinate.
    """
    for j in range(L.kind.shape[0]):
        next_joint(L, W, G, j, h, first, dof, out)


@kernel
def next_joint(L, W, G, j, h, first, dof, out):
    """The rows of joint j in `next_rows`, written into its `out`."""
    if L.kind[j] == FREE:
        _free_rows(L, W, G, j, h, first, dof, out)
        return
    nv = L.dof_joint.shape[0]
    n, k, own, b, a = L.node[j], L.ndof[j], L.vadr[j], L.child[j], L.parent[j]
    for i in range(k):
        r = 6 - k + i
        coordinate, rate = out[own + i], out[nv + own + i]
        for c in range(out.shape[1]):
            rate[c] = 0.0
        for c in range(max(own - dof, 0), min(own + k - dof, out.shape[1])):
            rate[c] = G.own[dof + c, r]
        _add_product(W.Cb[n, r], G.columns[L.place_body[b]], first, rate)
        if a >= 0:
            _add_product(W.Ca[n, r], G.columns[L.place_body[a]], first, rate)
        for c in range(out.shape[1]):
            coordinate[c] = h * rate[c]
        if 0 <= own + i - dof < out.shape[1]:
            coordinate[own + i - dof] += 1.0
    if L.rotation[j] >= 0:
        _ball_rows(L, W, G, j, h, dof, out)


@kernel
def _add_product(row, x, first, out):
    """out (m,) += row (6,) times columns first … first + m - 1 of x (6, …)."""
    last = first + out.shape[0]
    x0, x1, x2 = x[0, first:last], x[1, first:last], x[2, first:last]
    x3, x4, x5 = x[3, first:last], x[4, first:last], x[5, first:last]
    for c in range(out.shape[0]):
        t = out[c] + row[0] * x0[c] + row[1] * x1[c] + row[2] * x2[c]
        out[c] = t + row[3] * x3[c] + row[4] * x4[c] + row[5] * x5[c]


@kernel
def _ball_rows(L, W, G, j, h, dof, out):
    """Change of the next orientation: q₊ = q exp(Δ)  →  exp(-Δ) δφ + Jr(Δ) δΔ."""
    own, nv = L.vadr[j] + L.rotation[j], L.dof_joint.shape[0]
    vector, J, Jr = scratch(3), scratch((3, 3)), scratch((3, 3))
    turn_after(L, W, j, h, Jr)
    for i in range(3):
        vector[i] = -h * W.rows[L.node[j], L.dof_row[own] + i]
    log_jacobian(vector, J)  # Jr⁻¹(-Δ) = Jl⁻¹(Δ)
    for i in range(3):
        for c in range(out.shape[1]):
            t = 0.0
            for k in range(3):
                t += Jr[i, k] * h * out[nv + own + k, c]
            axis = dof + c - own
            if 0 <= axis < 3:  # exp(-Δ) = Jr(Δ) Jl⁻¹(Δ)
                t += Jr[i, 0] * J[0, axis] + Jr[i, 1] * J[1, axis] + Jr[i, 2] * J[2, axis]
            out[own + i, c] = t


@kernel
def _free_rows(L, W, G, j, h, first, dof, out):
    """A body without a parent: origin and orientation from its own pose."""
    nv, b, at, J = L.dof_joint.shape[0], L.child[j], L.vadr[j], scratch((3, 3))
    R, v, com, hG, x = W.Rn[b], W.v[b], L.com[b], W.hG[b], G.columns[L.place_body[b]]
    vector_rate(L, W, j, J)
    for c in range(out.shape[1]):
        own, k = dof + c - at, first + c
        p = _screw(G.here, dof + c, 0 <= own < 6)
        # δx₊ = u + h ψ × v + h δṽ,  δφ₊ = R₊ᵀ ψ + hΓ δω
        w0 = hG[0, 0] * x[3, k] + hG[0, 1] * x[4, k] + hG[0, 2] * x[5, k]
        w1 = hG[1, 0] * x[3, k] + hG[1, 1] * x[4, k] + hG[1, 2] * x[5, k]
        w2 = hG[2, 0] * x[3, k] + hG[2, 1] * x[4, k] + hG[2, 2] * x[5, k]
        t0 = R[0, 0] * p[3] + R[1, 0] * p[4] + R[2, 0] * p[5] + w0
        t1 = R[0, 1] * p[3] + R[1, 1] * p[4] + R[2, 1] * p[5] + w1
        t2 = R[0, 2] * p[3] + R[1, 2] * p[4] + R[2, 2] * p[5] + w2
        c0 = t1 * com[2] - t2 * com[1]
        c1 = t2 * com[0] - t0 * com[2]
        c2 = t0 * com[1] - t1 * com[0]
        out[at, c] = p[0] + h * (p[4] * v[2] - p[5] * v[1] + x[0, k]) - (R[0, 0] * c0 + R[0, 1] * c1 + R[0, 2] * c2)
        out[at + 1, c] = p[1] + h * (p[5] * v[0] - p[3] * v[2] + x[1, k]) - (R[1, 0] * c0 + R[1, 1] * c1 + R[1, 2] * c2)
        out[at + 2, c] = p[2] + h * (p[3] * v[1] - p[4] * v[0] + x[2, k]) - (R[2, 0] * c0 + R[2, 1] * c1 + R[2, 2] * c2)
        out[at + 3, c], out[at + 4, c], out[at + 5, c] = t0, t1, t2
        for i in range(3):
            held = 1.0 if own == i else 0.0
            out[nv + at + i, c] = (out[at + i, c] - held) / h
            out[nv + at + 3 + i, c] = (J[i, 0] * w0 + J[i, 1] * w1 + J[i, 2] * w2) / h


@kernel
def _screw(screws, dof, moves):
    """The screw (6,) of a coordinate that moves, else zeros."""
    if not moves:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    x = screws[dof]
    return x[0], x[1], x[2], x[3], x[4], x[5]
