"""One step, whole rollouts, and evaluations of a single state: the loop of a simulation, compiled, without an allocation inside.

There is one entry, because every entry is compiled together with all that it calls.
"""

import math
from typing import NamedTuple

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


class States(NamedTuple):
    """A run's states, the first of which is given."""

    qpos: np.ndarray  # (T + 1, nq)
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)


class Outcomes(NamedTuple):
    """What a run tells of its T steps; without entries, one evaluation of row 0 is asked for instead of a run."""

    status: np.ndarray  # (T,)
    iterations: np.ndarray  # (T,)
    residual: np.ndarray  # (T,) what is left of the solver's scaled gradient, inf where it is not finite
    gaps: np.ndarray  # (T,) or (T + 1,) smallest contact distance at each state [m]; of T + 1, the last is nan without room


class Extras(NamedTuple):
    """What an evaluation is asked for beyond accelerations: what has entries."""

    qacc: np.ndarray  # (nv,) an acceleration, given
    inverse: np.ndarray  # (nv,) or (0,) the forces that make it
    energy: np.ndarray  # (8,) or (0,) of energy_momentum


class Solved(NamedTuple):
    """How the constraint solver fared in the forward passes of a step."""

    room: bool
    """False: a pass lacked room for its contacts, and the step is to be taken again."""
    worst: int
    """The least of what the solves return, below 0 where a matrix is singular."""
    iterations: int
    """Of the first pass, as all that follows."""
    gradient: float
    """What is left of the scaled gradient."""
    gap: float
    """Smallest contact distance [m]."""
    numbers: bool
    """Whether the accelerations are numbers."""


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
def begin_row(m, w, states, outside, t):
    """Row t + 1 of a run starts as row t, with its solver at the acceleration of the step before. Returns it, (q, v, a)."""
    q, v, a = states.qpos[t + 1], states.qvel[t + 1], states.act[t + 1]
    copy(states.qpos[t], q)
    copy(states.qvel[t], v)
    copy(states.act[t], a)
    copy(w.solver.qacc, w.solver.warm)
    take_outside(w, outside, t)
    if m.options[0].integrator == RK4:
        begin(m, v, w.rk)
    return q, v, a


@kernel
def lacks_room(w, table):
    """Whether the last forward pass found more contacts than the work arrays, which may grow, or the table have room for."""
    return (w.rows.counts[FULL] and w.rows.may_grow[0]) or 0 < table.shape[0] < w.rows.counts[NCON]


@kernel
def warm_starts(m):
    """1 where solvers start at the last acceleration, 0 where the model forbids it."""
    return 0 if m.options[0].disableflags & DISABLE_WARMSTART else 1


@kernel
def accelerations(m, w, t, q, v, a, control, noted, table):
    """The forward passes of step t at all stages of the integrator; the first is noted for sensors. Returns a Solved."""
    stages = 4 if m.options[0].integrator == RK4 else 1
    worst, count, gradient, gap, numbers = 0, 0, 0.0, np.inf, True
    qs, vs, acts = q, v, a
    for stage in range(stages):
        n, g = forward(m, w, qs, vs, acts, control, warm_starts(m))
        if lacks_room(w, table):
            return Solved(False, worst, count, gradient, gap, numbers)
        worst = min(worst, n)
        if stage == 0:
            count, gradient, gap, numbers = n, g, smallest_gap(w.rows), finite(w.solver.qacc)
            if noted.qacc.shape[0] > 0:
                note(m, w, t, q, v, noted)
        if stage < stages - 1:
            next_stage(m, w, stage, q, v, a, w.rk)
            qs, vs, acts = w.rk[8, : len(q)], w.rk[9, : len(v)], w.rk[10, : len(a)]
    return Solved(True, worst, count, gradient, gap, numbers)


@kernel
def end_row(m, w, states, t, solved):
    """Row t + 1 of a run from its accelerations; it repeats row t where the step fails. Returns its status."""
    q, v, a = states.qpos[t + 1], states.qvel[t + 1], states.act[t + 1]
    regular = solved.worst >= 0
    if solved.numbers and regular:
        integrate(m, w, q, v, a)
    status = NOT_FINITE
    if solved.numbers or not regular:
        status = outcome(m, w, solved.iterations if regular else solved.worst, solved.gradient, q, v, a)
    if status == NOT_FINITE or status == SINGULAR:
        copy(states.qpos[t], q)
        copy(states.qvel[t], v)
        copy(states.act[t], a)
        clear(w.solver.qacc)
    return status


@kernel
def goes_on(w, t, begin_at, noted, status, decide, data):
    """Whether step t is taken: what decides on the controls does not stop, and there is room to note the step."""
    if decide != 0 and t > begin_at:
        answer = call_back(decide, t, status[t - 1] if t > 0 else SOLVED, data)
        if answer == STOP:
            return False
        if answer == FRESH:
            clear(w.solver.qacc)
    return noted.qacc.shape[0] == 0 or noted.first[t] + len(w.rows.contacts) <= noted.contacts.shape[0]


@kernel
def gap_at_the_end(m, w, states, steps, gaps, table):
    """The smallest gap of the last state, into its entry. Returns whether there is room for its contacts; without, it is nan."""
    position_stage(m, w, states.qpos[steps], states.qvel[steps])
    room = not lacks_room(w, table)
    gaps[steps] = smallest_gap(w.rows) if room else np.nan
    return room


@kernel
def take_steps(m, w, states, controls, outside, noted, begin_at, outcomes, table, decide, data):
    """The steps of `run`; see there for the arguments. Returns how many are done."""
    steps, status, gaps = len(controls), outcomes.status, outcomes.gaps
    if begin_at < 0:
        clear(w.solver.qacc)
    for t in range(max(begin_at, 0), steps):
        if not goes_on(w, t, begin_at, noted, status, decide, data):
            return t
        q, v, a = begin_row(m, w, states, outside, t)
        solved = accelerations(m, w, t, q, v, a, controls[t], noted, table)
        if not solved.room:
            if not (w.rows.counts[FULL] and w.rows.may_grow[0]):
                copy(w.solver.warm, w.solver.qacc)  # only the table is too small: the step starts again with these work arrays
            return t
        status[t] = end_row(m, w, states, t, solved)
        outcomes.iterations[t] = max(solved.iterations, 0)
        outcomes.residual[t] = solved.gradient if math.isfinite(solved.gradient) else math.inf
        gaps[t] = solved.gap
        if table.shape[0] > 0:
            fill_contacts(m, w, table)
    if gaps.shape[0] > steps and not gap_at_the_end(m, w, states, steps, gaps, table):
        return steps
    if decide != 0:
        call_back(decide, steps, status[steps - 1] if steps > 0 else SOLVED, data)
    return steps


@kernel
def evaluate(m, w, states, control, outside, extras):
    """One forward pass at row 0, whose results stay in w; after it what is asked for, unless the contacts lack room."""
    q, v = states.qpos[0], states.qvel[0]
    clear(w.solver.qacc)
    clear(w.solver.warm)
    take_outside(w, outside, 0)
    forward(m, w, q, v, states.act[0], control, warm_starts(m))
    if w.rows.counts[FULL] and w.rows.may_grow[0]:
        return
    if len(extras.energy) > 0:
        energy_momentum(m, w, q, v, extras.energy)
    if len(extras.inverse) > 0:
        inverse_dynamics(m, w, extras.qacc, extras.inverse)


@entry
def run(m, w, states, controls, outside, noted, begin_at, outcomes, extras, table, decide, data):
    """T steps from row 0 of the states with controls (T, nu); or, with outcomes that are empty, one evaluation of row 0.

    A step that fails (not finite, singular) repeats its state, and the next one is tried from there.
    A step starts its solver at the previous acceleration; the first, and one after a step that failed, at zero. outside: an
    Outside.
    noted: a Noted, filled where it has rows. When its contacts may not fit, or those of the work arrays while these may grow, the
    run stops. begin_at: the step at which a run goes on, -1 for one that begins. Returns how many steps are done.
    decide: address of a function that is asked before every step and after the last one (by_address.py); 0: none. It may write
    controls[t], and is not asked again about the step at which a run goes on. table (n, WIDTH): the contacts of the latest step,
    for it, and the run stops at a step that has more; or (0, WIDTH).
    """
    if len(outcomes.status) == 0 and len(controls) > 0:
        evaluate(m, w, states, controls[0], outside, extras)
        return 0
    return take_steps(m, w, states, controls, outside, noted, begin_at, outcomes, table, decide, data)
