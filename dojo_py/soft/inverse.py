"""Inverse dynamics: the joint forces that, with the constraint forces, produce a given acceleration. Analytic: no solver.

qfrc = M qacc + bias - passive - J^T f(J qacc - aref). Source: computation chapter, "Inverse dynamics".
"""

from dojo_py.jit import kernel
from dojo_py.soft.cost import add_JT, multiply_J, row_costs
from dojo_py.soft.inertia import multiply_M
from dojo_py.soft.workspace import NEFC


@kernel
def inverse_dynamics(m, w, qacc, out):
    """out (nv,) = applied plus actuator force [N, N m] for qacc (nv,) at the state of the last forward pass."""
    f, rows, sol = w.forces, w.rows, w.solver
    for k in range(len(out)):
        f.constraint[k] = 0.0
    multiply_J(rows, qacc, sol.jar)
    for i in range(rows.counts[NEFC]):
        sol.jar[i] -= rows.rows[i].aref
    row_costs(m, rows, sol.jar, sol.force)
    add_JT(rows, sol.force, f.constraint)
    multiply_M(m.M_rowadr, m.M_colind, w.pose.M, qacc, out)
    for k in range(len(out)):
        out[k] += f.bias[k] - f.passive[k] - f.constraint[k]
