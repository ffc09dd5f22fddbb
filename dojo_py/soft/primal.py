"""What Newton and CG share: the cost 1/2 (qacc - qacc_smooth)^T M (qacc - qacc_smooth) + s(J qacc - aref), its gradient, the start.

Source: computation chapter, "Reduced primal problem" and "Warmstart".
"""

from dojo_py.jit import kernel
from dojo_py.soft.cost import add_JT, multiply_J, row_costs
from dojo_py.soft.inertia import multiply_M, solve_inertia
from dojo_py.soft.workspace import NEFC


@kernel
def evaluate(m, pose, forces, rows, sol):
    """Ma = M qacc and jar = J qacc - aref at sol.qacc; returns the cost, with forces and states filled."""
    multiply_M(m.M_rowadr, m.M_colind, pose.M, sol.qacc, sol.Ma)
    multiply_J(rows, sol.qacc, sol.jar)
    for i in range(rows.counts[NEFC]):
        sol.jar[i] -= rows.rows[i].aref
    return update(m, forces, rows, sol)


@kernel
def update(m, forces, rows, sol):
    """Cost at the present qacc, Ma, jar; fills forces.constraint = J^T force and grad = Ma - qfrc_smooth - J^T force."""
    cost = row_costs(m, rows, sol.jar, sol.force)
    out = forces.constraint
    nv = len(out)
    for k in range(nv):
        out[k] = 0.0
    add_JT(rows, sol.force, out)
    gauss = 0.0
    for k in range(nv):
        d = sol.Ma[k] - forces.smooth[k]
        gauss += d * (sol.qacc[k] - forces.qacc_smooth[k])
        sol.grad[k] = d - out[k]
    return cost + 0.5 * gauss


@kernel
def start(m, pose, forces, rows, sol, warm):
    """Start from the warm acceleration already in sol.qacc if it costs less than qacc_smooth; returns the cost."""
    nv = len(sol.qacc)
    if warm:
        cost = evaluate(m, pose, forces, rows, sol)
        multiply_J(rows, forces.qacc_smooth, sol.jv)
        for i in range(rows.counts[NEFC]):
            sol.jv[i] -= rows.rows[i].aref
        smooth_cost = row_costs(m, rows, sol.jv, sol.trial)
        if cost <= smooth_cost:
            return update(m, forces, rows, sol)
    for k in range(nv):
        sol.qacc[k] = forces.qacc_smooth[k]
    return evaluate(m, pose, forces, rows, sol)


@kernel
def duality_gap(m, pose, sol):
    """1/2 g^T M^-1 g: no point costs less than the present one by more than this."""
    x = sol.vec[0]
    for k in range(len(x)):
        x[k] = sol.grad[k]
    solve_inertia(m.M_rowadr, m.M_colind, pose.LD, x)
    s = 0.0
    for k in range(len(x)):
        s += x[k] * sol.grad[k]
    return 0.5 * s
