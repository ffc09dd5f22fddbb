"""Joint-space inertia matrix by the composite-rigid-body algorithm, and its sparse factorisation M = L^T D L.

Row i of the lower triangle holds the chain of dofs from the root to i (`M_colind[M_rowadr[i]:M_rowadr[i + 1]]`, the diagonal last);
the first entries of a descendant's row are its ancestor's columns, so that elimination from the leaves makes no fill.
Source: Featherstone, Rigid Body Dynamics Algorithms (2008), secs. 6.2 and 6.5.
"""

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.spatial import multiply_inertia


@kernel
def body_inertias(m_bodies, bodies):
    """Cinert of every body: its spatial inertia about the tree's centre of mass, world axes."""
    for i in range(1, len(m_bodies)):
        b = bodies[i]
        I = m_bodies[i].inertia
        R = b.ximat
        mass = m_bodies[i].mass
        x, y, z = b.xipos[0] - b.com[0], b.xipos[1] - b.com[1], b.xipos[2] - b.com[2]
        c = b.cinert
        c[0] = R[0, 0] * R[0, 0] * I[0] + R[0, 1] * R[0, 1] * I[1] + R[0, 2] * R[0, 2] * I[2] + mass * (y * y + z * z)
        c[1] = R[1, 0] * R[1, 0] * I[0] + R[1, 1] * R[1, 1] * I[1] + R[1, 2] * R[1, 2] * I[2] + mass * (x * x + z * z)
        c[2] = R[2, 0] * R[2, 0] * I[0] + R[2, 1] * R[2, 1] * I[1] + R[2, 2] * R[2, 2] * I[2] + mass * (x * x + y * y)
        c[3] = R[0, 0] * R[1, 0] * I[0] + R[0, 1] * R[1, 1] * I[1] + R[0, 2] * R[1, 2] * I[2] - mass * x * y
        c[4] = R[0, 0] * R[2, 0] * I[0] + R[0, 1] * R[2, 1] * I[1] + R[0, 2] * R[2, 2] * I[2] - mass * x * z
        c[5] = R[1, 0] * R[2, 0] * I[0] + R[1, 1] * R[2, 1] * I[1] + R[1, 2] * R[2, 2] * I[2] - mass * y * z
        c[6] = mass * x
        c[7] = mass * y
        c[8] = mass * z
        c[9] = mass


@kernel
def inertia_matrix(m_bodies, m_dofs, rowadr, colind, bodies, cdof, M):
    """M (nC,): composite inertias from the leaves, then M_ij = c_i . I_i c_j for every ancestor j of i; plus armature."""
    n = len(m_bodies)
    for i in range(n):
        for k in range(10):
            bodies[i].crb[k] = bodies[i].cinert[k]
    for i in range(n - 1, 0, -1):
        p = m_bodies[i].parentid
        if p > 0:
            for k in range(10):
                bodies[p].crb[k] += bodies[i].crb[k]
    f = scratch(6)
    for i in range(len(m_dofs)):
        multiply_inertia(bodies[m_dofs[i].bodyid].crb, cdof[i], f)
        f0, f1, f2, f3, f4, f5 = f[0], f[1], f[2], f[3], f[4], f[5]
        for a in range(rowadr[i], rowadr[i + 1]):
            j = colind[a]
            M[a] = f0 * cdof[j, 0] + f1 * cdof[j, 1] + f2 * cdof[j, 2] + f3 * cdof[j, 3] + f4 * cdof[j, 4] + f5 * cdof[j, 5]
        M[rowadr[i + 1] - 1] += m_dofs[i].armature


@kernel
def add_outer(rowadr, colind, row, scale, D):
    """D (nC,) += scale * row row^T, row (nv,), within the pattern of M."""
    for i in range(len(row)):
        if row[i] != 0.0:
            for a in range(rowadr[i], rowadr[i + 1]):
                D[a] += scale * row[i] * row[colind[a]]


@kernel
def tendon_inertia(tendons, J, rowadr, colind, M):
    """M (nC,) += J^T armature J of all tendons, within the pattern of M (MuJoCo leaves out what couples separate branches)."""
    for t in range(len(tendons)):
        if tendons[t].armature > 0.0:
            add_outer(rowadr, colind, J[t], tendons[t].armature, M)


@kernel
def factorize(rowadr, colind, LD):
    """L^T D L of the tree-sparse matrix in LD (nC,), in place: strict lower part L, diagonal 1 / D."""
    for k in range(len(rowadr) - 2, -1, -1):
        start = rowadr[k]
        end = rowadr[k + 1] - 1
        inverse = 1.0 / LD[end]
        LD[end] = inverse
        for a in range(end - 1, start - 1, -1):
            ratio = LD[a] * inverse
            target = rowadr[colind[a]]
            for b in range(a - start + 1):
                LD[target + b] -= ratio * LD[start + b]
        for a in range(start, end):
            LD[a] *= inverse


@kernel
def solve_inertia(rowadr, colind, LD, x):
    """X (nv,) <- M^-1 x with the factor from `factorize`."""
    n = len(rowadr) - 1
    for k in range(n - 1, -1, -1):
        xk = x[k]
        if xk != 0.0:
            for a in range(rowadr[k], rowadr[k + 1] - 1):
                x[colind[a]] -= LD[a] * xk
    for k in range(n):
        s = x[k] * LD[rowadr[k + 1] - 1]
        for a in range(rowadr[k], rowadr[k + 1] - 1):
            s -= LD[a] * x[colind[a]]
        x[k] = s


@kernel
def multiply_M(rowadr, colind, M, x, out):
    """Out (nv,) = M x."""
    n = len(rowadr) - 1
    for i in range(n):
        out[i] = 0.0
    for i in range(n):
        end = rowadr[i + 1] - 1
        xi = x[i]
        s = M[end] * xi
        for a in range(rowadr[i], end):
            j = colind[a]
            s += M[a] * x[j]
            out[j] += M[a] * xi
        out[i] += s
