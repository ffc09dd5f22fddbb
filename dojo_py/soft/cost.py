"""The penalty s(J qacc - aref) of the reduced primal problem: its value, force -s', and second derivatives.

Rows: quadratic (equality), Huber (dry friction), half-quadratic (limit, frictionless and pyramidal contact). Elliptic contact,
with N = mu x_0, U_j = mu_j x_j, T = |U|: zero if N >= mu T; quadratic in every row if mu N + T <= 0; between the two
D_0 (N - mu T)^2 / (2 mu^2 (1 + mu^2)).
Source: computation chapter, "Reduced primal problem"; Todorov (2011), A convex, smooth and invertible contact model.
"""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.row_kinds import RowKind
from dojo_py.soft.workspace import NE, NEFC, NF

SATISFIED, QUADRATIC, LINEARNEG, LINEARPOS, CONE = range(5)
ELLIPTIC = int(RowKind.ELLIPTIC)


@kernel
def cone_cost(m, rows, i, jar, force):
    """Cost of the elliptic contact whose first row is i; fills its forces, states and, in the middle zone, the Hessian."""
    con = rows.contacts[rows.rows[i].id]
    friction = m.pairs[con.pair].friction
    dim = con.dim
    mu = con.mu
    N = mu * jar[i]
    T = 0.0
    for j in range(1, dim):
        u = friction[j - 1] * jar[i + j]
        T += u * u
    T = np.sqrt(T)
    cost = 0.0
    if N >= mu * T or (T <= 0.0 and N >= 0.0):
        for j in range(dim):
            force[i + j] = 0.0
            rows.rows[i + j].state = SATISFIED
        return 0.0
    if mu * N + T <= 0.0 or (T <= 0.0 and N < 0.0):
        for j in range(dim):
            r = rows.rows[i + j]
            force[i + j] = -r.D * jar[i + j]
            cost -= 0.5 * force[i + j] * jar[i + j]
            r.state = QUADRATIC
        return cost
    D = rows.rows[i].D / (mu * mu * (1.0 + mu * mu))
    s = N - mu * T
    force[i] = -D * s * mu
    rows.rows[i].state = CONE
    for j in range(1, dim):
        force[i + j] = -force[i] / T * friction[j - 1] * friction[j - 1] * jar[i + j]
        rows.rows[i + j].state = CONE
    _cone_hessian(con.H, friction, jar, i, dim, mu, D, N, T)
    return 0.5 * D * s * s


@kernel
def _cone_hessian(H, friction, jar, i, dim, mu, D, N, T):
    """H (dim, dim) of the cost ½ D (N - mu T)², N = mu jar, T: length of the scaled tangential part; first row i of the contact."""
    H[0, 0] = D * mu * mu
    for j in range(1, dim):
        fj = friction[j - 1]
        uj = fj * jar[i + j]
        H[0, j] = -D * mu * mu * uj / T * fj
        H[j, 0] = H[0, j]
        for k in range(1, j + 1):
            fk = friction[k - 1]
            uk = fk * jar[i + k]
            h = D * mu * N * uj * uk / (T * T * T)
            if j == k:
                h += D * (mu * mu - mu * N / T)
            H[j, k] = h * fj * fk
            H[k, j] = H[j, k]


@kernel
def row_costs(m, rows, jar, force):
    """Total penalty at jar (nefc,) = J qacc - aref; fills force (nefc,) and every row's state."""
    cost = 0.0
    ne = rows.counts[NE]
    nf = rows.counts[NF]
    nefc = rows.counts[NEFC]
    for i in range(nefc):
        r = rows.rows[i]
        x = jar[i]
        if i < ne:
            force[i] = -r.D * x
            cost += 0.5 * r.D * x * x
            r.state = QUADRATIC
        elif i < ne + nf:
            f = r.frictionloss
            if x <= -r.R * f:
                cost += f * (-0.5 * r.R * f - x)
                force[i] = f
                r.state = LINEARNEG
            elif x >= r.R * f:
                cost += f * (-0.5 * r.R * f + x)
                force[i] = -f
                r.state = LINEARPOS
            else:
                cost += 0.5 * r.D * x * x
                force[i] = -r.D * x
                r.state = QUADRATIC
        elif r.type == ELLIPTIC:
            if i == rows.contacts[r.id].efc_address:
                cost += cone_cost(m, rows, i, jar, force)
        elif x >= 0.0:
            force[i] = 0.0
            r.state = SATISFIED
        else:
            cost += 0.5 * r.D * x * x
            force[i] = -r.D * x
            r.state = QUADRATIC
    return cost


@kernel
def multiply_J(rows, x, out):
    """Out (nefc,) = J x, x (nv,)."""
    J = rows.J
    col = rows.J_colind
    for i in range(rows.counts[NEFC]):
        n = rows.rows[i].nnz
        b = rows.rows[i].block
        s = 0.0
        for k in range(n):
            s += J[i, k] * x[col[b, k]]
        out[i] = s


@kernel
def add_JT(rows, force, out):
    """Out (nv,) += J^T force."""
    J = rows.J
    col = rows.J_colind
    for i in range(rows.counts[NEFC]):
        f = force[i]
        if f != 0.0:
            b = rows.rows[i].block
            for k in range(rows.rows[i].nnz):
                out[col[b, k]] += J[i, k] * f
