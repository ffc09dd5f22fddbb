"""From the derivative of a step's velocities to that of the next coordinates and rates."""

from dojo_py.hard.gradients.rates import turn_after, vector_rate
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel
from dojo_py.rotation import log_jacobian


@kernel
def next_rows(L, W, G, h, column, dof, part, out):
    """out (2 nv,): change of the next coordinates and rates in a solved column.

    dof: the coordinate that moved, -1: none (a control).
    """
    for j in range(L.kind.shape[0]):
        next_joint(L, W, G, j, h, column, dof, part, out)


@kernel
def next_joint(L, W, G, j, h, column, dof, part, out):
    """The entries of joint j in out (2 nv,)."""
    nv = L.dof_joint.shape[0]
    own = part == 0 and dof >= 0 and L.dof_joint[dof] == j
    if L.kind[j] == FREE:
        _free_rows(L, W, G, j, h, column, dof, part, out)
        return
    n, k, first, b, a = L.node[j], L.ndof[j], L.vadr[j], L.child[j], L.parent[j]
    for i in range(k):
        r = 6 - k + i
        rate = G.own[dof, r] if own else 0.0
        for m in range(6):
            rate += W.Cb[n, r, m] * G.columns[L.place_body[b], m, column]
        if a >= 0:
            for m in range(6):
                rate += W.Ca[n, r, m] * G.columns[L.place_body[a], m, column]
        out[nv + first + i] = rate
        out[first + i] = h * rate
        if own and first + i == dof:
            out[first + i] += 1.0
    if L.kind[j] == BALL:
        _ball_rows(L, W, G, j, first, h, dof - first if own else -1, out, nv)


@kernel
def _ball_rows(L, W, G, j, first, h, axis, out, nv):
    """Turn of the next orientation: q₊ = q exp(Δ)  →  exp(-Δ) δφ + Jr(Δ) δΔ."""
    s = G.scratch
    vector, J, Jr = s[80, 0:3], s[81:84, 0:3], s[84:87, 0:3]
    turn_after(L, W, j, h, Jr, s[87:91])
    for i in range(3):
        t = 0.0
        for k in range(3):
            t += Jr[i, k] * h * out[nv + first + k]
        out[first + i] = t
    if axis >= 0:
        # exp(-Δ) = Jr(Δ) Jl⁻¹(Δ)
        for i in range(3):
            vector[i] = -h * W.rows[L.node[j], 3 + i]
        log_jacobian(vector, J)  # Jr⁻¹(-Δ) = Jl⁻¹(Δ)
        for i in range(3):
            t = 0.0
            for k in range(3):
                t += Jr[i, k] * J[k, axis]
            out[first + i] += t


@kernel
def _free_rows(L, W, G, j, h, column, dof, part, out):
    """A body without a parent: origin and orientation from its own pose."""
    nv, b, first = L.dof_joint.shape[0], L.child[j], L.vadr[j]
    s = G.scratch
    turn, w, J, d, p = s[80, 0:3], s[81, 0:3], s[82:85, 0:3], s[85, 0:6], s[86, 0:6]
    own = part == 0 and dof >= 0 and L.dof_joint[dof] == j
    for i in range(6):
        p[i] = G.here[dof, i] if own else 0.0
        d[i] = G.columns[L.place_body[b], i, column]
    R, v, com = W.Rn[b], W.v[b], L.com[b]
    # δx₊ = u + h ψ × v + h δṽ,  δφ₊ = R₊ᵀ ψ + hΓ δω
    for i in range(3):
        turn[i] = R[0, i] * p[3] + R[1, i] * p[4] + R[2, i] * p[5]
        w[i] = W.hG[b, i, 0] * d[3] + W.hG[b, i, 1] * d[4] + W.hG[b, i, 2] * d[5]
        turn[i] += w[i]
    c0 = turn[1] * com[2] - turn[2] * com[1]
    c1 = turn[2] * com[0] - turn[0] * com[2]
    c2 = turn[0] * com[1] - turn[1] * com[0]
    x0 = p[0] + h * (p[4] * v[2] - p[5] * v[1] + d[0])
    x1 = p[1] + h * (p[5] * v[0] - p[3] * v[2] + d[1])
    x2 = p[2] + h * (p[3] * v[1] - p[4] * v[0] + d[2])
    out[first] = x0 - (R[0, 0] * c0 + R[0, 1] * c1 + R[0, 2] * c2)
    out[first + 1] = x1 - (R[1, 0] * c0 + R[1, 1] * c1 + R[1, 2] * c2)
    out[first + 2] = x2 - (R[2, 0] * c0 + R[2, 1] * c1 + R[2, 2] * c2)
    for i in range(3):
        held = 1.0 if own and dof == first + i else 0.0
        out[nv + first + i] = (out[first + i] - held) / h
        out[first + 3 + i] = turn[i]
    vector_rate(L, W, j, J, turn)
    for i in range(3):
        out[nv + first + 3 + i] = (J[i, 0] * w[0] + J[i, 1] * w[1] + J[i, 2] * w[2]) / h
