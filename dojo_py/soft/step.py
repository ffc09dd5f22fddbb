"""One step and whole rollouts: the loop of a simulation, compiled, without an allocation inside."""

import numpy as np

from dojo_py.soft.euler import euler
from dojo_py.soft.forward import forward
from dojo_py.soft.implicit import implicit, implicitfast
from dojo_py.soft.jit import entry, kernel, stage
from dojo_py.soft.runge_kutta import runge_kutta
from dojo_py.soft.workspace import FULL, NCON

EULER, RK4, IMPLICIT, IMPLICITFAST = range(4)
SOLVED, MAX_ITERATIONS, NOT_FINITE, TOO_MANY_CONTACTS, SINGULAR = range(5)


@kernel
def finite(x):
    """Whether every entry of x is finite and below 1e10, the bound beyond which a simulation has diverged."""
    for k in range(len(x)):
        if not abs(x[k]) < 1e10:
            return False
    return True


@stage
def step(m, w, qpos, qvel, act, control, warm):
    """One time step; the state changes in place unless it fails. Returns (status, iterations, scaled gradient)."""
    iterations, gradient = forward(m, w, qpos, qvel, act, control, warm)
    if iterations < 0:
        return SINGULAR, 0, gradient
    if not finite(w.solver.qacc):
        return NOT_FINITE, iterations, gradient
    kind = m.options[0].integrator
    if kind == EULER:
        euler(m, w, qpos, qvel, act)
    elif kind == IMPLICITFAST:
        implicitfast(m, w, qpos, qvel, act)
    elif kind == IMPLICIT:
        implicit(m, w, qpos, qvel, act)
    elif runge_kutta(m, w, qpos, qvel, act, control) < 0:
        return SINGULAR, iterations, gradient
    if not (finite(qvel) and finite(qpos)):
        return NOT_FINITE, iterations, gradient
    if w.rows.count[FULL]:
        return TOO_MANY_CONTACTS, iterations, gradient
    return SOLVED, iterations, gradient


@kernel
def smallest_gap(rows):
    """Smallest contact distance [m] of the last forward pass; inf without contacts."""
    gap = np.inf
    for i in range(rows.count[NCON]):
        gap = min(gap, rows.contacts[i].dist)
    return gap


@entry
def rollout(m, w, qpos, qvel, act, controls, status, iterations, gradient, gaps):
    """Steps 1 .. T; qpos (T + 1, nq), qvel, act: row 0 is the start. A failed step ends the rollout; the rest repeats its state."""
    failed = 0
    for t in range(len(controls)):
        for k in range(qpos.shape[1]):
            qpos[t + 1, k] = qpos[t, k]
        for k in range(qvel.shape[1]):
            qvel[t + 1, k] = qvel[t, k]
        for k in range(act.shape[1]):
            act[t + 1, k] = act[t, k]
        if failed:
            status[t] = failed
            continue
        s, n, g = step(m, w, qpos[t + 1], qvel[t + 1], act[t + 1], controls[t], t > 0)
        status[t] = s
        iterations[t] = n
        gradient[t] = g
        gaps[t] = smallest_gap(w.rows)
        if s == NOT_FINITE or s == SINGULAR:
            failed = s
            for k in range(qpos.shape[1]):
                qpos[t + 1, k] = qpos[t, k]
            for k in range(qvel.shape[1]):
                qvel[t + 1, k] = qvel[t, k]
            for k in range(act.shape[1]):
                act[t + 1, k] = act[t, k]
