"""One step, whole rollouts, and evaluations of a single state: the loop of a simulation, compiled, without an allocation inside.

There is one entry, because every entry is compiled together with all that it calls.
"""

import math

import numpy as np

from dojo_py.arrays import are_numbers, clear, clear_rows, copy, copy_rows
from dojo_py.by_address import FRESH, STOP, call_back
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.enums import DisableBit, Integrator
from dojo_py.simulate.status import LOST, Status
from dojo_py.soft.contact_table import fill_contacts
from dojo_py.soft.energy import energy_momentum
from dojo_py.soft.euler import euler
from dojo_py.soft.forward import forward, position_stage
from dojo_py.soft.implicit import implicit, implicitfast
from dojo_py.soft.inverse import inverse_dynamics
from dojo_py.soft.noted import note
from dojo_py.soft.runge_kutta import begin, finish, next_stage
from dojo_py.soft.workspace import FULL, NCON, NEFC

EULER, RK4, IMPLICIT, IMPLICITFAST, _ = map(int, Integrator)
DISABLE_WARMSTART = int(DisableBit.WARMSTART)
SOLVED, INEXACT, TOO_MANY_CONTACTS, SINGULAR, NOT_FINITE = (
    int(status) for status in (Status.SOLVED, Status.INEXACT, Status.TOO_MANY_CONTACTS, *LOST)
)


@kernel
def finite(x):
    """Whether every entry of x (n,) is finite and below 1e10, the bound beyond which a simulation has diverged."""
    for k in range(len(x)):
        if not abs(x[k]) < 1e10:
            return False
    return True


@kernel
def smallest_gap(rows):
    """Smallest contact distance [m] of the last forward pass; inf without contacts."""
    gap = np.inf
    for i in range(rows.counts[NCON]):
        gap = min(gap, rows.contacts[i].dist)
    return gap


@kernel
def integrate(m, w, qpos, qvel, act):
    """The step's end for every integrator; state in place."""
    kind = m.options[0].integrator
    if kind == EULER:
        euler(m, w, qpos, qvel, act)
    elif kind == IMPLICITFAST:
        implicitfast(m, w, qpos, qvel, act)
    elif kind == IMPLICIT:
        implicit(m, w, qpos, qvel, act)
    else:
        finish(m, w, qpos, qvel, act, w.rk)


@kernel
def outcome(m, w, iterations, gradient, qpos, qvel, act):
    """Status of a finished step."""
    opt = m.options[0]
    if iterations < 0:
        return SINGULAR
    numbers = finite(qvel) and finite(qpos) and are_numbers(act)
    if not (numbers and math.isfinite(gradient)):  # (the solver has nothing to go by where forces overflow)
        return NOT_FINITE
    if w.rows.counts[FULL]:
        return TOO_MANY_CONTACTS
    if w.rows.counts[NEFC] > 0 and iterations >= opt.iterations and (opt.iterations > 0 or gradient > opt.tolerance):
        return INEXACT
    return SOLVED


@kernel
def extras(m, w, qpos, qvel, qacc, inverse, energy):
    """After a forward pass, what is asked for (not of length 0): inverse (nv,) for qacc (nv,); energy and momentum (8,)."""
    if len(energy) > 0:
        energy_momentum(m, w, qpos, qvel, energy)
    if len(inverse) > 0:
        inverse_dynamics(m, w, qacc, inverse)


@kernel
def take_outside(w, outside, t):
    """What acts from outside in step t, into w."""
    if outside.wrenches.shape[0] > 0:
        copy_rows(outside.wrenches[min(t, outside.wrenches.shape[0] - 1)], w.wrench)
    else:
        clear_rows(w.wrench)
    if outside.joint_forces.shape[0] > 0:
        copy(outside.joint_forces[min(t, outside.joint_forces.shape[0] - 1)], w.joint_force)
    else:
        clear(w.joint_force)


@kernel
def begin_row(m, w, qpos, qvel, act, outside, t):
    """Row t + 1 of a run starts as row t, with its solver at the acceleration of the step before. Returns that row."""
    last = min(t + 1, len(qpos) - 1)
    copy(qpos[t], qpos[last])
    copy(qvel[t], qvel[last])
    copy(act[t], act[last])
    copy(w.solver.qacc, w.solver.warm)
    take_outside(w, outside, t)
    if m.options[0].integrator == RK4:
        begin(m, qvel[last], w.rk)
    return last


@kernel
def lacks_room(w, table):
    """Whether the last forward pass found more contacts than the work arrays, which may grow, or the table have room for."""
    return (w.rows.counts[FULL] and w.rows.may_grow[0]) or 0 < table.shape[0] < w.rows.counts[NCON]


@kernel
def end_row(m, w, qpos, qvel, act, t, ok, worst, count, gradient):
    """Row t + 1 of a run from its accelerations; it repeats row t where the step fails. Returns its status.

    ok: the accelerations are numbers; worst: the least of what the solves of all stages returned, below 0 where a matrix is
    singular; count, gradient: iterations of the first stage, and what is left of the gradient.
    """
    q, v, a = qpos[t + 1], qvel[t + 1], act[t + 1]
    regular = worst >= 0
    if ok and regular:
        integrate(m, w, q, v, a)
    status = outcome(m, w, count if regular else worst, gradient, q, v, a) if ok or not regular else NOT_FINITE
    if status == NOT_FINITE or status == SINGULAR:
        copy(qpos[t], q)
        copy(qvel[t], v)
        copy(act[t], a)
        clear(w.solver.qacc)
    return status


@kernel
def _goes_on(w, t, begin_at, noted, status, decide, data):
    """Whether step t is taken: what decides on the controls does not stop, and there is room to note the step."""
    if decide != 0 and t > begin_at:
        answer = call_back(decide, t, status[t - 1] if t > 0 else SOLVED, data)
        if answer == STOP:
            return False
        if answer == FRESH:
            clear(w.solver.qacc)
    return noted.qacc.shape[0] == 0 or noted.first[t] + len(w.rows.contacts) <= noted.contacts.shape[0]


@kernel
def take_steps(
    m, w, qpos, qvel, act, controls, outside, noted, begin_at, status, iterations, residual, gaps, qacc, inverse, energy,
    table, decide, data,
):  # fmt: skip
    """What `run` does; see there for the arguments."""
    stages = 4 if m.options[0].integrator == RK4 else 1
    warm = 0 if m.options[0].disableflags & DISABLE_WARMSTART else 1
    if begin_at < 0:
        clear(w.solver.qacc)
    notes = noted.qacc.shape[0] > 0
    for t in range(max(begin_at, 0), len(controls)):
        if not _goes_on(w, t, begin_at, noted, status, decide, data):
            return t
        last = begin_row(m, w, qpos, qvel, act, outside, t)
        q, v, a = qpos[last], qvel[last], act[last]
        worst, count, gradient, gap, ok = 0, 0, 0.0, np.inf, True
        qs, vs, acts = q, v, a
        for part in range(stages):
            n, g = forward(m, w, qs, vs, acts, controls[t], warm)
            if lacks_room(w, table):
                if not (w.rows.counts[FULL] and w.rows.may_grow[0]):
                    copy(w.solver.warm, w.solver.qacc)  # (where this step began)
                return t
            worst = min(worst, n)
            if part == 0:
                count, gradient, gap, ok = n, g, smallest_gap(w.rows), finite(w.solver.qacc)
                if len(status) == 0:
                    extras(m, w, q, v, qacc, inverse, energy)
                    return 0
                if notes:
                    note(m, w, t, q, v, noted)
            if part < stages - 1:
                next_stage(m, w, part, q, v, a, w.rk)
                qs, vs, acts = w.rk[8, : len(q)], w.rk[9, : len(v)], w.rk[10, : len(a)]
        status[t] = end_row(m, w, qpos, qvel, act, t, ok, worst, count, gradient)
        iterations[t] = max(count, 0)
        residual[t] = gradient if math.isfinite(gradient) else math.inf
        gaps[t] = gap
        if table.shape[0] > 0:
            fill_contacts(m, w, table)
    if gaps.shape[0] > len(controls):
        position_stage(m, w, qpos[len(controls)], qvel[len(controls)])
        gaps[len(controls)] = np.nan if lacks_room(w, table) else smallest_gap(w.rows)
        if math.isnan(gaps[len(controls)]):
            return len(controls)
    if decide != 0:
        call_back(decide, len(controls), status[len(controls) - 1] if len(controls) > 0 else SOLVED, data)
    return len(controls)


@entry
def run(
    m, w, qpos, qvel, act, controls, outside, noted, begin_at, status, iterations, residual, gaps, qacc, inverse, energy,
    table, decide, data,
):  # fmt: skip
    """T steps from row 0 of qpos (T + 1, nq), qvel, act with controls (T, nu); or, with an empty status, one evaluation of row 0.

    A step that fails (not finite, singular) repeats its state, and the next one is tried from there.
    A step starts its solver at the previous acceleration; the first, and one after a step that failed, at zero. outside: an
    Outside.
    noted: a Noted, filled where it has rows. When its contacts may not fit, or those of the work arrays while these may grow, the
    run stops. begin_at: the step at which a run goes on, -1 for one that begins. Returns how many steps are done.
    decide: address of a function that is asked before every step and after the last one (by_address.py); 0: none. It may write
    controls[t], and is not asked again about the step at which a run goes on. gaps (T,) or (T + 1,): the smallest gap of each
    state; of T + 1, the last is nan where there was no room for its contacts. table (n, WIDTH): the contacts of the latest step,
    for it, and the run stops at a step that has more; or (0, WIDTH).
    """
    return take_steps(
        m, w, qpos, qvel, act, controls, outside, noted, begin_at, status, iterations, residual, gaps, qacc, inverse, energy, table,
        decide, data,
    )  # fmt: skip
