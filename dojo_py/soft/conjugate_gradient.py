"""Nonlinear conjugate gradients on the primal cost, preconditioned by M, Polak–Ribière+ with exact line search.

Source: computation chapter, "Algorithms".
"""

import numpy as np

from dojo_py.arrays import inner
from dojo_py.jit import kernel
from dojo_py.soft.inertia import solve_inertia
from dojo_py.soft.newton import given_up, move
from dojo_py.soft.primal import duality_gap, start, update


@kernel
def precondition(m, pose, sol):
    """Mgrad = M^-1 grad."""
    for k in range(len(sol.grad)):
        sol.Mgrad[k] = sol.grad[k]
    solve_inertia(m.M_rowadr, m.M_colind, pose.LD, sol.Mgrad)


@kernel
def conjugate_gradient(m, pose, forces, rows, sol, warm):
    """Solve for sol.qacc and forces.constraint. Returns (iterations, scaled gradient norm)."""
    opt = m.options[0]
    nv = len(sol.qacc)
    scale = 1.0 / (opt.meaninertia * max(1, nv))
    start(m, pose, forces, rows, sol, warm)
    gradient = scale * np.sqrt(inner(sol.grad, sol.grad))
    if scale * duality_gap(m, pose, sol) < opt.tolerance:
        return 0, gradient
    old, old_M = sol.vec[1], sol.vec[2]
    precondition(m, pose, sol)
    for k in range(nv):
        sol.search[k] = -sol.Mgrad[k]
    for iteration in range(opt.iterations):
        for k in range(nv):
            old[k] = sol.grad[k]
            old_M[k] = sol.Mgrad[k]
        slope = inner(sol.search, sol.grad)
        alpha = move(m, pose, rows, sol, forces, scale)
        if alpha == 0.0:
            return given_up(opt, iteration, -0.5 * scale * slope), gradient
        update(m, forces, rows, sol)
        gradient = scale * np.sqrt(inner(sol.grad, sol.grad))
        if gradient < opt.tolerance or -0.5 * scale * alpha * slope < opt.tolerance:
            return iteration + 1, gradient
        precondition(m, pose, sol)
        top = 0.0
        bottom = 0.0
        for k in range(nv):
            top += sol.grad[k] * (sol.Mgrad[k] - old_M[k])
            bottom += old[k] * old_M[k]
        beta = max(0.0, top / max(1e-300, bottom))
        descent = 0.0
        for k in range(nv):
            sol.search[k] = beta * sol.search[k] - sol.Mgrad[k]
            descent += sol.search[k] * sol.grad[k]
        if descent >= 0.0:
            for k in range(nv):
                sol.search[k] = -sol.Mgrad[k]
    return opt.iterations, gradient
