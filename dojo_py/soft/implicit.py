"""Implicit-in-velocity integrators: (M - h D) a = smooth + constraint.

implicitfast: D = d(passive + actuator)/dv, symmetric; the gyroscopic terms and the rest of those of a medium are put back for
standalone free bodies only.
implicit: D = d(passive + actuator - bias)/dv, solved by elimination in reverse order, which makes no fill on a tree.
Source: computation chapter, "Integrators" and "Gyroscopic derivatives for free bodies".
"""

from dojo_py.jit import kernel
from dojo_py.soft.derivatives import bias_column, smooth_derivative
from dojo_py.soft.euler import advance
from dojo_py.soft.fluid import add_asymmetric
from dojo_py.soft.inertia import factorize, solve_inertia
from dojo_py.soft.passive import all_passive_off


@kernel
def solve_unsymmetric(A, n, b):
    """b (n,) <- A^-1 b by elimination from the last row, without pivoting; A (n, n) is overwritten, zeros are skipped."""
    for k in range(n - 1, -1, -1):
        inverse = 1.0 / A[k, k]
        for i in range(k):
            s = A[i, k] * inverse
            if s != 0.0:
                for j in range(k):
                    A[i, j] -= s * A[k, j]
                b[i] -= s * b[k]
    for k in range(n):
        s = b[k]
        for j in range(k):
            s -= A[k, j] * b[j]
        b[k] = s / A[k, k]


@kernel
def in_medium(m):
    """Whether a medium's forces act."""
    opt = m.options[0]
    return (opt.density > 0.0 or opt.viscosity > 0.0) and not all_passive_off(opt.disableflags)


@kernel
def free_body(m, w, h, D, first, qvel, qacc):
    """Solve the decoupled six rows of a standalone free body again, with the exact derivatives of its bias and a medium's force."""
    A = w.solver.H
    rhs, column = w.solver.vec[2], w.solver.vec[3]
    for i in range(6):
        row = m.M_rowadr[first + i]
        for j in range(i + 1):
            A[i, j] = w.pose.M[row + j] - h * D[row + j]
            A[j, i] = A[i, j]
        rhs[i] = w.forces.smooth[first + i] + w.forces.constraint[first + i]
    for j in range(6):
        bias_column(m, w.pose, w.body_work, first + j, qvel, column)
        for i in range(6):
            A[i, j] += h * column[first + i]
    if in_medium(m):
        add_asymmetric(m, w.pose, -h, w.rows.jac, first, 6, A)
    solve_unsymmetric(A, 6, rhs)
    for i in range(6):
        qacc[first + i] = rhs[i]


@kernel
def implicitfast(m, w, qpos, qvel, act):
    """One step from the accelerations of `forward`; state in place."""
    h = m.options[0].timestep
    D, H = w.integ[0], w.integ[1]
    qacc = w.solver.vec[1]
    smooth_derivative(m, w.pose, w.forces, qvel, act, w.rows.jac, D)
    for a in range(len(w.pose.M)):
        H[a] = w.pose.M[a] - h * D[a]
    factorize(m.M_rowadr, m.M_colind, H)
    for k in range(len(qvel)):
        qacc[k] = w.forces.smooth[k] + w.forces.constraint[k]
    solve_inertia(m.M_rowadr, m.M_colind, H, qacc)
    for i in range(1, len(m.bodies)):
        if m.bodies[i].standalone:
            free_body(m, w, h, D, m.bodies[i].dofadr, qvel, qacc)
    advance(m, w, qacc, qpos, qvel, act)


@kernel
def implicit(m, w, qpos, qvel, act):
    """One step from the accelerations of `forward`; state in place."""
    h = m.options[0].timestep
    nv = len(qvel)
    D, A = w.integ[0], w.solver.H
    qacc, column = w.solver.vec[1], w.solver.vec[3]
    smooth_derivative(m, w.pose, w.forces, qvel, act, w.rows.jac, D)
    for j in range(nv):
        bias_column(m, w.pose, w.body_work, j, qvel, column)
        for i in range(nv):
            A[i, j] = h * column[i]
        qacc[j] = w.forces.smooth[j] + w.forces.constraint[j]
    for i in range(nv):
        end = m.M_rowadr[i + 1] - 1
        for a in range(m.M_rowadr[i], end + 1):
            value = w.pose.M[a] - h * D[a]
            A[i, m.M_colind[a]] += value
            if a < end:
                A[m.M_colind[a], i] += value
    if in_medium(m):
        add_asymmetric(m, w.pose, -h, w.rows.jac, 0, nv, A)
    solve_unsymmetric(A, nv, qacc)
    advance(m, w, qacc, qpos, qvel, act)
