"""What sensors need of every step beyond its state: accelerations and forces of the forward pass at the step's start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.arrays import clear_rows
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import Cone, EqualityType
from dojo_py.soft.energy import energy_momentum
from dojo_py.soft.limits import LIMIT_JOINT, LIMIT_TENDON
from dojo_py.soft.workspace import NCON, NE, NEFC

CONNECT, WELD, ELLIPTIC = int(EqualityType.CONNECT), int(EqualityType.WELD), int(Cone.ELLIPTIC)
WIDTH = 21
"""Of a contact's row: two geoms, position 3, frame 9 by rows, force 3 and torque 3 on the second geom in the frame, distance."""


class Noted(NamedTuple):
    """One row for each of T steps; without rows where nothing is to be noted."""

    qacc: np.ndarray  # (T, nv)
    actuator: np.ndarray  # (T, nout, 3) length, velocity, force
    joint_actuator: np.ndarray  # (T, nv) actuator forces along the coordinates
    tendon: np.ndarray  # (T, ntendon, 2) length, velocity
    limit: np.ndarray  # (T, njnt + ntendon, 3) distance beyond the margin, velocity, force; zero while it does not act
    equality: np.ndarray  # (T, neq, 6) force, torque of connects and welds as their rows have them
    energy: np.ndarray  # (T, 8) of energy_momentum
    contacts: np.ndarray  # (room, WIDTH)
    first: np.ndarray  # (T + 1,) first contact of each step


def allocate_noted(model: Any, steps: int, room: int) -> Noted:
    """Room for a number of steps and of contacts."""
    z = np.zeros
    tendons, equalities = int(getattr(model, "ntendon", 0)), int(model.neq)
    return Noted(
        z((steps, model.nv)), z((steps, model.nout, 3)), z((steps, model.nv)), z((steps, tendons, 2)),
        z((steps, model.njnt + tendons, 3)), z((steps, equalities, 6)), z((steps, 8)), z((room, WIDTH)),
        np.zeros(steps + 1, np.int64),
    )  # fmt: skip


@kernel
def note(m, w, t, qpos, qvel, N):
    """Row t of N from the forward pass that w holds, at this state."""
    f = w.forces
    for i in range(len(qvel)):
        N.qacc[t, i] = w.solver.qacc[i]
        N.joint_actuator[t, i] = f.actuator[i]
    for i in range(len(f.actuators)):
        s = f.actuators[i]
        N.actuator[t, i, 0], N.actuator[t, i, 1], N.actuator[t, i, 2] = s.length, s.velocity, s.force
    for i in range(len(m.tendons)):
        N.tendon[t, i, 0], N.tendon[t, i, 1] = f.tendons[i].length, f.tendons[i].velocity
    energy_momentum(m, w, qpos, qvel, N.energy[t])
    _note_rows(m, w, N.limit[t], N.equality[t])
    last = N.first[t]
    for c in range(w.rows.counts[NCON]):
        _note_contact(m, w, w.rows.contacts[c], N.contacts[last])
        last += 1
    N.first[t + 1] = last


@kernel
def _note_rows(m, w, limit, equality):
    """Limits and equalities from the constraint rows."""
    rows, force = w.rows.rows, w.solver.force
    for i in range(limit.shape[0]):
        limit[i, 0] = limit[i, 1] = limit[i, 2] = 0.0
    for i in range(w.rows.counts[NEFC] - 1, w.rows.counts[NE] - 1, -1):  # (of two rows of one joint the first counts)
        r = rows[i]
        if r.type == LIMIT_JOINT or r.type == LIMIT_TENDON:
            k = r.id if r.type == LIMIT_JOINT else len(m.joints) + r.id
            limit[k, 0], limit[k, 1], limit[k, 2] = r.pos - r.margin, r.vel, force[i]
    clear_rows(equality)
    i = 0
    while i < w.rows.counts[NE]:
        e = rows[i].id
        kind = m.equalities[e].type
        count = 6 if kind == WELD else 3 if kind == CONNECT else 1
        if count > 1:
            for k in range(count):
                equality[e, k] = force[i + k]
        i += count


@kernel
def _note_contact(m, w, c, out):
    """Row (WIDTH,) of one contact: without force where it does not act."""
    out[0], out[1] = c.geom1, c.geom2
    for k in range(3):
        out[2 + k] = c.pos[k]
        for n in range(3):
            out[5 + 3 * k + n] = c.frame[k, n]
    f, force, friction = out[14:20], w.solver.force, m.pairs[c.pair].friction
    for k in range(6):
        f[k] = 0.0
    out[20] = c.dist
    a = c.efc_address
    if a < 0:
        return
    if c.dim == 1:
        f[0] = force[a]
    elif m.options[0].cone == ELLIPTIC:
        for k in range(c.dim):
            f[k] = force[a + k]
    else:
        for k in range(c.dim - 1):
            f[0] += force[a + 2 * k] + force[a + 2 * k + 1]
            f[1 + k] = friction[k] * (force[a + 2 * k] - force[a + 2 * k + 1])
