"""What sensors need of every step beyond its state: accelerations and forces of the forward pass at the step's start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.arrays import clear_rows
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import EqualityType
from dojo_py.soft.actuation import TRN_TENDON
from dojo_py.soft.contact_force import contact_force
from dojo_py.soft.energy import energy_momentum
from dojo_py.soft.equality import TENDON, polynomial, weld_torque
from dojo_py.soft.limits import FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON
from dojo_py.soft.passive import spring_and_damper
from dojo_py.soft.tendons import lengthening
from dojo_py.soft.workspace import NCON, NE, NEFC

CONNECT, WELD = int(EqualityType.CONNECT), int(EqualityType.WELD)
WIDTH = 21
"""Of a contact's row: two geoms, position 3, frame 9 by rows, force 3 and torque 3 on the second geom in the frame, distance."""


class Noted(NamedTuple):
    """One row for each of T steps; without rows where nothing is to be noted."""

    qacc: np.ndarray  # (T, nv)
    actuator: np.ndarray  # (T, nout, 3) length, velocity, force
    joint_actuator: np.ndarray  # (T, nv) actuator forces along the coordinates
    tendon: np.ndarray  # (T, ntendon, 2) length, velocity
    limit: np.ndarray  # (T, njnt + ntendon, 3) distance beyond the margin, velocity, force; zero while it does not act
    equality: np.ndarray  # (T, neq, 6) force, torque of connects and welds on their first body, world [N, N m]
    tension: np.ndarray  # (T, ntendon) force along a spatial tendon by which everything on it would lengthen it [N]
    energy: np.ndarray  # (T, 8) of energy_momentum
    contacts: np.ndarray  # (room, WIDTH)
    first: np.ndarray  # (T + 1,) first contact of each step


def allocate_noted(model: Any, steps: int, room: int) -> Noted:
    """Room for a number of steps and of contacts."""
    z = np.zeros
    tendons, equalities = int(getattr(model, "ntendon", 0)), int(model.neq)
    return Noted(
        z((steps, model.nv)), z((steps, model.nout, 3)), z((steps, model.nv)), z((steps, tendons, 2)),
        z((steps, model.njnt + tendons, 3)), z((steps, equalities, 6)), z((steps, tendons)), z((steps, 8)), z((room, WIDTH)),
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
    _note_tensions(m, w, qvel, N.tension[t])
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
            if kind == WELD:
                weld_torque(m, w.pose, m.equalities[e], equality[e, 3:6])
        i += count


@kernel
def _note_tensions(m, w, qvel, out):
    """Spring, damper, rotor, actuators, dry friction, limits and equalities of every spatial tendon."""
    f, rows = w.forces, w.rows.rows
    for t in range(len(m.tendons)):
        tendon = m.tendons[t]
        out[t] = 0.0
        if not tendon.spatial:
            continue
        out[t] = spring_and_damper(tendon, f.tendons[t], m.options[0].disableflags)
        if tendon.armature > 0.0:
            rate = lengthening(m, w.pose, t, qvel)
            for i in range(len(qvel)):
                rate += f.tendon_J[t, i] * w.solver.qacc[i]
            out[t] -= tendon.armature * rate
    for i in range(len(m.actuators)):
        a = m.actuators[i]
        if a.trntype == TRN_TENDON and m.tendons[a.trnid[0]].spatial:
            out[a.trnid[0]] += a.gear[0] * f.actuators[a.outadr].force
    for i in range(w.rows.counts[NEFC]):
        r, force = rows[i], w.solver.force[i]
        if r.type == FRICTION_TENDON or r.type == LIMIT_TENDON:
            t = r.id
            if m.tendons[t].spatial:
                along = w.rows.J[i, 0] * f.tendon_J[t, w.rows.J_colind[r.block, 0]]  # (of an upper bound: against its arms)
                out[t] += force if along > 0.0 else -force
        elif i < w.rows.counts[NE] and m.equalities[r.id].type == TENDON:
            _note_tied(m, f, m.equalities[r.id], force, out)


@kernel
def _note_tied(m, f, e, force, out):
    """Add the force of equality e of one or two tendons, (length of the first) - polynomial(length of the second)."""
    one, two = e.obj1id, e.obj2id
    if m.tendons[one].spatial:
        out[one] += force
    if two >= 0 and m.tendons[two].spatial:
        _, slope = polynomial(e.coef, f.tendons[two].length - m.tendons[two].length0)
        out[two] -= slope * force


@kernel
def _note_contact(m, w, c, out):
    """Row (WIDTH,) of one contact: without force where it does not act."""
    out[0], out[1] = c.geom1, c.geom2
    for k in range(3):
        out[2 + k] = c.pos[k]
        for n in range(3):
            out[5 + 3 * k + n] = c.frame[k, n]
    contact_force(m, w, c, out[14:20])
    out[20] = c.dist
