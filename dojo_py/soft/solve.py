"""Constraint forces with the solver of the model's option: 0 PGS, 1 CG, 2 Newton; noslip afterwards if asked for."""

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import SolverType
from dojo_py.soft.conjugate_gradient import conjugate_gradient
from dojo_py.soft.dual import projected_gauss_seidel
from dojo_py.soft.newton import newton
from dojo_py.soft.noslip import noslip
from dojo_py.soft.workspace import NEFC

PGS, CG, NEWTON = map(int, SolverType)


@kernel
def solve_constraints(m, pose, forces, rows, sol, warm):
    """Fill sol.qacc, sol.force and forces.constraint. Returns (iterations, scaled gradient); -1 iterations: failed."""
    opt = m.options[0]
    if rows.counts[NEFC] == 0:
        for k in range(len(sol.qacc)):
            sol.qacc[k] = forces.qacc_smooth[k]
            forces.constraint[k] = 0.0
        return 0, 0.0
    if opt.solver == NEWTON:
        iterations, gradient = newton(m, pose, forces, rows, sol, warm)
    elif opt.solver == CG:
        iterations, gradient = conjugate_gradient(m, pose, forces, rows, sol, warm)
    else:
        iterations, gradient = projected_gauss_seidel(m, pose, forces, rows, sol, warm)
    if opt.noslip_iterations > 0:
        noslip(m, pose, forces, rows, sol)
    return iterations, gradient
