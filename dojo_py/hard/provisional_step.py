"""One step with start, contact choice and solve in a row."""

import numpy as np

from dojo_py.hard.step import choose_contacts, plane_gap, solve_step, start_step
from dojo_py.jit import kernel


@kernel
def hard_step(L, P, Q, A, W, bodies, angle, rate, force, wrench, h, kappa, settings, report):
    """See dojo_py.hard.step."""
    start_step(L, W, bodies, angle, rate, wrench, h)
    for i in range(force.shape[0]):
        W.force[i] = force[i]
    choose_contacts(L, P, Q, W, h, kappa > 0.0, settings[5])
    n = int(settings[2])
    trace = np.zeros((n + 1, 6))
    tol = kappa / 100.0 if kappa > 0.0 else settings[1]
    status, it, res, comp = solve_step(L, P, Q, A, W, h, int(settings[3]), kappa, settings[0], tol, n, 1.0, True, trace)
    report[0], report[1], report[2], report[3] = status, it, res, comp
    gap = np.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    report[4] = gap
