"""The loop over steps, inside one compiled entry: actuation, the step, coordinates, records."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dojo_py.arrays import are_numbers, copy, copy_rows
from dojo_py.by_address import STOP, call_back
from dojo_py.collision.participation import NO_ROOM
from dojo_py.hard.body_table import add_joint_forces, expand, gather_wrenches, joint_force_levers, wrench_levers
from dojo_py.hard.compiled_apart import BACKWARDS, FORWARDS, differentiate, differentiate_by_parameters
from dojo_py.hard.contact_table import empty_table, fill_contacts
from dojo_py.hard.contacts.passing import any_passing
from dojo_py.hard.divided_derivative import differentiate_parts, lost_momenta
from dojo_py.hard.elements.coordinates import to_minimal
from dojo_py.hard.elements.drives import Start, drive
from dojo_py.hard.elements.next_activations import advance_activations
from dojo_py.hard.island_memory import FAILED
from dojo_py.hard.noted import Noted, allocate_noted, note_drive, note_step
from dojo_py.hard.report import COLUMNS, ENDED, ENDED_NOWHERE, MOVED, PARTS, RESIDUAL, STATUS, WORST
from dojo_py.hard.solve.goal import CENTRED
from dojo_py.hard.statuses import INEXACT, NOT_FINITE, SINGULAR, SOLVED, TOO_FAST
from dojo_py.hard.step.fast_rotation import rotation_in
from dojo_py.hard.step.fast_start import find_fast_trees
from dojo_py.hard.step.momentum_matching import pose_differences
from dojo_py.hard.step.step import hard_step
from dojo_py.hard.warm_start import RowShape, any_carried, load_carried, load_warm, row_shape, save_warm
from dojo_py.hard.world import World
from dojo_py.jit import entry, kernel


class Record(NamedTuple):
    """What a rollout of T steps writes. Row 0 of the first three is the start, given by the caller."""

    qpos: np.ndarray  # (T + 1, nq)
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)
    bodies: np.ndarray  # (T + 1, nb, 13); row 0 given too
    impulses: np.ndarray  # (T + 1, n) see warm_start.py; row 0 given too
    reports: np.ndarray  # (T, COLUMNS) report.py
    maximal: np.ndarray  # (T + 1, nbody, 13), or (0, nbody, 13)
    contacts: np.ndarray  # (number of candidates, WIDTH) after the last step, or (0, WIDTH)
    A: np.ndarray  # (T, n, n) derivatives of the steps, n = 2 nv + na, or (0, …)
    B: np.ndarray  # (T, n, nu), or (0, …)
    by_parameters: np.ndarray  # (T, p, n) derivatives by p data, transposed, or (0, …)
    gradients: np.ndarray  # (T, COLUMNS) reports of the steps that were differentiated
    cotangents: np.ndarray  # (T + 1, n) of a run backwards: given by the states, then summed up; or (0, …)
    by_control: np.ndarray  # (T, nu) cotangents of the controls, found by the run backwards; or (0, …)
    by_contacts: np.ndarray  # (number of candidates, WIDTH) cotangents of the contact table of the present step, or (0, WIDTH)
    noted: Noted  # for sensors


def allocate_record(
    model: Any, world: World, steps: int, maximal: bool, contacts: bool, linearize: bool = False, backwards: bool = False,
    sensors: bool = False, room: int = 0, shape: RowShape | None = None, empty: Record | None = None, data: int = 0,
) -> Record:  # fmt: skip
    """Empty records for a number of steps; maximal, contacts, linearize, backwards, sensors: whether these tables are wanted.

    room: for features of pairs in each step; shape: of the rows of impulses, if it is known. empty: a record of no steps, whose
    tables the new one takes for those that are not wanted. data: how many parameters there are derivatives by.
    """
    shape = row_shape(world.layout, world.planes, world.pairs) if shape is None else shape
    z, nb, rows, n = np.zeros, len(world.layout.mass), steps + 1, 2 * model.nv + model.na
    if empty is not None and not (backwards or sensors):
        return empty._replace(
            qpos=z((rows, model.nq)), qvel=z((rows, model.nv)), act=z((rows, model.na)), bodies=z((rows, nb, 13)),
            impulses=z((rows, shape.size(room))), reports=z((steps, COLUMNS)), gradients=z((steps, COLUMNS)),
            A=z((steps, n, n)) if linearize else empty.A, B=z((steps, n, model.nu)) if linearize else empty.B,
            by_parameters=z((steps, data, n)) if data else empty.by_parameters,
            maximal=z((rows, model.nbody, 13)) if maximal else empty.maximal,
            contacts=empty_table(world, room) if contacts else empty.contacts,
        )  # fmt: skip
    return Record(
        z((rows, model.nq)), z((rows, model.nv)), z((rows, model.na)), z((rows, nb, 13)),
        z((rows, shape.size(room))), z((steps, COLUMNS)),
        z((rows * maximal, model.nbody, 13)), empty_table(world, room)[: None if contacts else 0],
        z((steps * linearize, n, n)), z((steps * linearize, n, model.nu)), z((steps * bool(data), data, n)), z((steps, COLUMNS)),
        z((rows * backwards, n)), z((steps * backwards, model.nu)), empty_table(world, 0)[:0],
        allocate_noted(world, steps * sensors, room),
    )  # fmt: skip


def with_room(record: Record, world: World, shape: RowShape, room: int) -> Record:
    """The same record with more room for features of pairs; tables that need none are shared."""
    table = empty_table(world, room)
    impulses = np.zeros((len(record.impulses), shape.size(room)))
    impulses[:, : record.impulses.shape[1]] = record.impulses
    noted = np.zeros((len(record.noted.contacts), *table.shape))
    noted[:, : record.noted.contacts.shape[1]] = record.noted.contacts
    contacts = table if len(record.contacts) else record.contacts
    return record._replace(impulses=impulses, contacts=contacts, noted=record.noted._replace(contacts=noted))


@kernel
def finite(W, nb):
    """Whether the next poses, velocities and carried momenta are finite."""
    total = 0.0
    for b in range(nb):
        for i in range(6):
            total += abs(W.v[b, i]) + abs(W.carry[b, i])
        for i in range(3):
            total += abs(W.xn[b, i])
        for i in range(4):
            total += abs(W.qn[b, i])
    return math.isfinite(total)


@kernel
def _expect(L, W, qpos, h, out):
    """out (nq,) = qpos, with hinges and slides advanced by the rates that the step solved for."""
    copy(qpos, out)
    for dof in range(L.dof_joint.shape[0]):
        parts = W.parts[L.dof_body[dof]]
        if L.dof_vector[dof] >= 0 or parts <= 0:
            continue
        if parts > 1:
            out[L.dof_qadr[dof]] = W.sub_angle[dof]
        else:
            out[L.dof_qadr[dof]] += h * W.rows[L.dof_node[dof], L.dof_row[dof]]


@kernel
def _go_on_at_last_rates(L, W, qvel):
    """qvel (nv,) of hinges and slides whose bodies end with a momentum that no velocity over the step has: rates of its last part.

    Over the whole step they may rotate by more than half a revolution, which differences of poses cannot show.
    """
    for dof in range(L.dof_joint.shape[0]):
        b = L.dof_body[dof]
        if L.dof_vector[dof] < 0 and W.parts[b] > 1 and W.unmatched[b]:
            qvel[dof] = W.sub_rate[dof]


@kernel
def _take_step(L, T, M, W, V, Z, t, h):
    """Row t + 1 of the record from a step's solution in W; what did not move repeats its state, all of it when nothing moved."""
    nb, report = L.mass.shape[0], Z.reports[t]
    bodies, qpos, qvel, act = Z.bodies[t], Z.qpos[t], Z.qvel[t], Z.act[t]
    save_warm(W, Z.impulses[t + 1])
    new = Z.bodies[t + 1]
    advance_activations(T, V, act, h, Z.act[t + 1])
    if report[MOVED] > 0.0 and finite(W, nb) and are_numbers(Z.act[t + 1]):
        for b in range(nb):
            for i in range(3):
                new[b, i], new[b, 3 + i], new[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
            for i in range(4):
                new[b, 6 + i] = W.qn[b, i]
        pose_differences(W, bodies, h, new)
        _expect(L, W, qpos, h, Z.qpos[t + 1])
        before = qpos[0:0] if report[PARTS] > 1.0 else qpos
        to_minimal(L, new, h, Z.qpos[t + 1], before, Z.qpos[t + 1], Z.qvel[t + 1])
        _go_on_at_last_rates(L, W, Z.qvel[t + 1])
    else:
        copy_rows(bodies, new)
        copy(qpos, Z.qpos[t + 1])
        copy(qvel, Z.qvel[t + 1])
        copy(act, Z.act[t + 1])
        copy(Z.impulses[t], Z.impulses[t + 1])
        Z.impulses[t + 1, 0:nb] = FAILED  # (what fails twice in a row stops)
        if report[STATUS] == SOLVED or report[STATUS] == INEXACT:  # (neither may end where nothing moved)
            report[STATUS] = NOT_FINITE
        report[MOVED], report[ENDED] = 0.0, ENDED_NOWHERE
    for i in (RESIDUAL, WORST):
        if not math.isfinite(report[i]):
            report[i] = math.inf
    if Z.maximal.shape[0] > 0:
        expand(M, new, h, Z.maximal[t + 1])


@kernel
def _roll_out(L, P, Q, T, M, W, V, G, K, Z, controls, outside, h, kappa, gradient_kappa, decide, data, done):
    """T steps from row 0 of the Record Z. controls (T, nu); outside: an Outside; kappa 0: the hard limit. Returns the steps done.

    L, P, Q: layout and contact candidates; T: ActuatorTable; M: BodyTable; W: Work; V: Drive; G: Tangent; K: Parametric. A step
    that fails repeats its state. When Z has room for derivatives, every step is solved again at gradient_kappa (unless that is
    kappa) and differentiated there, by the parameters of K, too, when it has room for these. When it holds cotangents, its states
    are those of an earlier rollout, and the steps run from the last to the first to pull them back.

    decide: address of a function that is asked before every step and after the last one (by_address.py); 0: none. It may write
    controls[t]; on the way back it may add to the cotangents of state t + 1, which is 0 at the last call, and write by_contacts.

    Where a step finds no room for all features of pairs (NO_ROOM) the number of the steps before it is returned:
    with more room the run goes on from there when it is given as `done`, which is -1 for one that begins.
    """
    W.n_features[NO_ROOM] = 0
    G.division.carried[:, :] = 0.0
    W.n_edges[1] = -1  # nothing of earlier rollouts may show: the contact graph is analysed anew
    backwards = Z.cotangents.shape[0] > 0
    linearize = Z.A.shape[0] > 0 or backwards
    last, steps = 0, controls.shape[0]
    if Z.maximal.shape[0] > 0:
        expand(M, Z.bodies[0], h, Z.maximal[0])
    for i in range(max(done, 0), steps):
        t = steps - 1 - i if backwards else i
        if decide != 0 and i != done and call_back(decide, t, last, data) == STOP:
            return i
        for solution in range(2 if linearize and gradient_kappa != kappa else 1):  # (one call of every large kernel)
            report, now = (Z.reports[t], kappa) if solution == 0 else (Z.gradients[t], gradient_kappa)
            if not _solve_row(L, P, Q, T, M, W, V, Z, controls[t], outside, t, h, now, solution == 0, report):
                return i
            if solution == 0:
                _record_row(L, P, Q, T, M, W, V, Z, t, h, linearize or decide != 0 or t == steps - 1)
                last = int(report[STATUS])
            if linearize and now == gradient_kappa:
                copy(report, Z.gradients[t])
                _differentiate_row(L, P, Q, T, M, W, V, G, K, Z, controls[t], outside, t, h, now, decide != 0)
    if Z.contacts.shape[0] > 0 and steps == 0:
        fill_contacts(L, P, Q, W, Z.contacts)
    if decide != 0:
        call_back(decide, -1 if backwards else steps, last, data)
    return steps


@kernel
def _solve_row(L, P, Q, T, M, W, V, Z, control, outside, t, h, kappa, noted, report):
    """The step from row t of the record, at kappa; its solution stays in W. Returns whether there was room for all features.

    noted: whether what the actuators do goes into the record.
    """
    bodies, qpos, qvel, act = Z.bodies[t], Z.qpos[t], Z.qvel[t], Z.act[t]
    gather_wrenches(M, bodies, outside.wrenches, t, V.wrench)
    drive(L, T, V, bodies, Start(qpos, qvel, act, control), h)
    if noted and _has_notes(Z):
        note_drive(L, T, V, bodies, qpos, Z.noted, t)
    add_joint_forces(L, bodies, outside.joint_forces, t, V.force, V.wrench)
    load_warm(W, Z.impulses[t])
    find_fast_trees(L, W, bodies, qpos, qvel, h)
    return hard_step(L, P, Q, V.servos, W, bodies, V.angle, V.rate, V.force, V.wrench, h, kappa, report)


@kernel
def _record_row(L, P, Q, T, M, W, V, Z, t, h, shows_contacts):
    """The solution in W becomes row t + 1 of the record. shows_contacts: somebody may look at its contacts."""
    _take_step(L, T, M, W, V, Z, t, h)
    if _has_notes(Z):
        note_step(L, P, Q, T, W, V, h, Z.noted, t)
    if Z.contacts.shape[0] > 0 and shows_contacts:
        fill_contacts(L, P, Q, W, Z.contacts)


@kernel
def _has_notes(Z):
    """Whether the record has room for what sensors read."""
    return Z.noted.limit.shape[0] > 0


@kernel
def _differentiate_row(L, P, Q, T, M, W, V, G, K, Z, control, outside, t, h, kappa, watched):
    """The derivatives of step t, whose solution at kappa is in W. The status in Z.gradients[t] tells whether they are valid.

    Where the record holds cotangents they are pulled back instead. watched: a function sees the cotangents between the steps.
    A step in parts has none by parameters.
    """
    report, backwards = Z.gradients[t], Z.cotangents.shape[0] > 0
    wrench_levers(M, Z.bodies[t], outside.wrenches, t, G.lever)
    joint_force_levers(L, Z.bodies[t], outside.joint_forces, t, G.lever)
    regular, known = finite(W, L.mass.shape[0]), not any_passing(W)
    if report[PARTS] > 1.0:
        load_carried(W, Z.impulses[t])
        alone = not watched or not any_carried(W)  # (cotangents of carried momenta are not among those that the function sees)
        known = known and regular and int(report[STATUS]) == SOLVED and alone and not _shown(Z)
        known = known and differentiate_parts(L, P, Q, T, M, W, V, G, Z, control, outside, t, h, kappa, backwards)
    elif regular:
        regular = differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, BACKWARDS if backwards else FORWARDS)
        if regular and Z.by_parameters.shape[0] > 0:
            differentiate_by_parameters(L, P, Q, T, W, G, K, Z, control, outside, t, h)
        known = known and not lost_momenta(G)
    if not known:
        lost_momenta(G)
    solved = int(report[STATUS])
    if not regular:
        report[STATUS] = TOO_FAST if solved == TOO_FAST or _rotates_too_fast(L, W, h) else SINGULAR
    elif not known and (solved == SOLVED or solved == INEXACT):
        report[STATUS] = TOO_FAST
    elif report[WORST] > CENTRED * kappa and solved == SOLVED:
        report[STATUS] = INEXACT


@kernel
def _rotates_too_fast(L, W, h):
    """Whether a body in W rotates by more than a step of one part has a momentum for: |ω| h of 2, where matrices have no root."""
    for b in range(L.mass.shape[0]):
        if rotation_in(W.v[b], h) >= 2.0:
            return True
    return False


@kernel
def _shown(Z):
    """Whether there are cotangents of the contact table of the present step."""
    total = 0.0
    for i in range(Z.by_contacts.shape[0]):
        for k in range(Z.by_contacts.shape[1]):
            total += abs(Z.by_contacts[i, k])
    return total != 0.0


@entry
def roll_out(L, P, Q, T, M, W, V, G, K, Z, controls, outside, h, kappa, gradient_kappa, decide, data, done):
    """`_roll_out` for Python, which counts references."""
    return _roll_out(L, P, Q, T, M, W, V, G, K, Z, controls, outside, h, kappa, gradient_kappa, decide, data, done)
