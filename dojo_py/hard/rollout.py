"""The loop over steps, inside one compiled entry: actuation, the step, coordinates, records."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.body_table import expand, gather_wrenches
from dojo_py.hard.contact_rows import pair_gap, plane_gap
from dojo_py.hard.contact_table import WIDTH, fill_contacts
from dojo_py.hard.coordinates import to_minimal
from dojo_py.hard.drives import advance_activations, drive
from dojo_py.hard.step import hard_step
from dojo_py.hard.warm_start import load_warm, save_warm, warm_size
from dojo_py.hard.world import World
from dojo_py.jit import entry, kernel
from dojo_py.rotation import quat_to_matrix

STATUS, ITERATIONS, RESIDUAL, COMPLEMENTARITY, MIN_GAP = range(5)
"""Entries of a step's report (8,)."""
MOVED_UNSOLVED = (1, 2)
"""Statuses (iteration limit, stalled) after which the best point found is kept when it is finite."""


class Record(NamedTuple):
    """What a rollout of T steps writes. Row 0 of the first three is the start, given by the caller."""

    qpos: np.ndarray  # (T + 1, nq)
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)
    bodies: np.ndarray  # (T + 1, nb, 13); row 0 given too
    impulses: np.ndarray  # (T + 1, warm_size); row 0 given too
    reports: np.ndarray  # (T, 8)
    maximal: np.ndarray  # (T + 1, nbody, 13), or (0, nbody, 13)
    contacts: np.ndarray  # (number of candidates, WIDTH) after the last step, or (0, WIDTH)


def allocate_record(model: Any, world: World, steps: int, maximal: bool, contacts: bool) -> Record:
    """Empty records for a number of steps; maximal, contacts: whether these tables are wanted."""
    z, nb, rows = np.zeros, len(world.layout.mass), steps + 1
    candidates = len(world.planes.body) + len(world.pairs.kind)
    return Record(
        z((rows, model.nq)), z((rows, model.nv)), z((rows, model.na)), z((rows, nb, 13)),
        z((rows, warm_size(world.layout, world.planes, world.pairs))), z((steps, 8)),
        z((rows * maximal, model.nbody, 13)), z((candidates * contacts, WIDTH)),
    )  # fmt: skip


@kernel
def load_angles(L, qpos, angle):
    """angle (nv,) = coordinates of hinges and slides at the places of their rates."""
    for j in range(L.kind.shape[0]):
        if L.ndof[j] == L.count[j]:  # one rate a joint: hinges and slides
            for i in range(L.count[j]):
                angle[L.vadr[j] + i] = qpos[L.qadr[j] + i]


@kernel
def finite(W, nb):
    """The next poses and velocities are numbers."""
    total = 0.0
    for b in range(nb):
        for i in range(6):
            total += abs(W.v[b, i])
        for i in range(3):
            total += abs(W.xn[b, i])
        for i in range(4):
            total += abs(W.qn[b, i])
    return math.isfinite(total)


@kernel
def _stay(P, Q, W, bodies, report):
    """After a step that cannot be used: what W and the report say is the state before it, without impulses, in numbers."""
    for b in range(bodies.shape[0]):
        for i in range(3):
            W.xn[b, i] = bodies[b, i]
        for i in range(4):
            W.qn[b, i] = bodies[b, 6 + i]
        quat_to_matrix(W.qn[b], W.Rn[b])
    W.n_active[0] = 0
    W.n_active[1] = 0
    gap = math.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    for i in range(Q.kind.shape[0]):
        gap = min(gap, pair_gap(Q, i, W.xn, W.Rn, W.scratch[101, 0:3], W.scratch))
    report[MIN_GAP] = gap
    for i in (RESIDUAL, COMPLEMENTARITY):
        if not math.isfinite(report[i]):
            report[i] = math.inf


@entry
def roll_out(L, P, Q, T, M, W, V, Z, controls, wrenches, h, kappa, settings):
    """T steps from row 0 of the Record Z. controls (T, nu); wrenches (0 | 1 | T, nbody, 6); kappa 0: the hard limit.

    L, P, Q: layout and contact candidates; T: ActuatorTable; M: BodyTable; W: Work; V: Drive. A step that fails repeats its state.
    """
    nb, s, scratch = L.mass.shape[0], V.scratch, V.coordinates
    W.n_edges[1] = -1  # nothing of earlier rollouts may show: the contact graph is analysed anew
    if Z.maximal.shape[0] > 0:
        expand(M, Z.bodies[0], h, Z.maximal[0], s)
    for t in range(controls.shape[0]):
        bodies, qpos, qvel, act, report = Z.bodies[t], Z.qpos[t], Z.qvel[t], Z.act[t], Z.reports[t]
        gather_wrenches(M, bodies, wrenches, t, V.wrench, s)
        drive(L, T, V, bodies, qpos, qvel, act, controls[t], h)
        load_angles(L, qpos, V.angle)
        load_warm(W, Z.impulses[t])
        hard_step(L, P, Q, V.servos, W, bodies, V.angle, qvel, V.force, V.wrench, h, kappa, settings, report)
        save_warm(W, Z.impulses[t + 1])
        status = int(report[STATUS])
        new = Z.bodies[t + 1]
        moved = (status == 0 or status == MOVED_UNSOLVED[0] or status == MOVED_UNSOLVED[1]) and finite(W, nb)
        if moved:
            for b in range(nb):
                for i in range(3):
                    new[b, i], new[b, 3 + i], new[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
                for i in range(4):
                    new[b, 6 + i] = W.qn[b, i]
            to_minimal(L, new, h, qpos, Z.qpos[t + 1], Z.qvel[t + 1], scratch)
            advance_activations(T, V, act, h, Z.act[t + 1])
        else:
            new[:, :] = bodies
            Z.qpos[t + 1, :] = qpos
            Z.qvel[t + 1, :] = qvel
            Z.act[t + 1, :] = act
            if status == 0:
                report[STATUS] = 5.0
            _stay(P, Q, W, bodies, report)
        if Z.maximal.shape[0] > 0:
            expand(M, new, h, Z.maximal[t + 1], s)
    if Z.contacts.shape[0] > 0:
        fill_contacts(P, Q, W, Z.contacts)
