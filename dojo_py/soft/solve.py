"""Constraint forces with the solver of the model's option: 0 PGS, 1 CG, 2 Newton."""

from dojo_py.soft.jit import stage
from dojo_py.soft.newton import newton
from dojo_py.soft.workspace import NEFC


@stage
def solve_constraints(m, pose, forces, rows, sol, warm):
    """Fill sol.qacc, sol.force and forces.constraint. Returns (iterations, scaled gradient); -1 iterations: failed."""
    opt = m.options[0]
    if rows.count[NEFC] == 0:
        for k in range(len(sol.qacc)):
            sol.qacc[k] = forces.qacc_smooth[k]
            forces.constraint[k] = 0.0
        return 0, 0.0
    return newton(m, pose, forces, rows, sol, warm)
