"""What the soft mode recorded of a motion as rows for the sensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import DisableBit
from dojo_py.sensors.read import read_sensors
from dojo_py.sensors.rows import ContactRows, Rows, Tie
from dojo_py.sensors.ties import KINDS, anchors
from dojo_py.simulate.arguments import Outside, Placed, mocap_bodies
from dojo_py.simulate.readings import Before, Readings, places_of
from dojo_py.soft.noted import Noted, allocate_noted

Array = np.ndarray
ROOM = 4
"""Contacts a step for which there is room at first."""


def wanted(model: Any) -> bool:
    """Whether there is anything to read."""
    return int(getattr(model, "nsensor", 0)) > 0 and not int(model.opt.disableflags) & DisableBit.SENSOR


def room_for(model: Any, steps: int, contacts: int) -> Noted:
    """A Noted for a number of steps of which none has more than so many contacts; without rows where there is nothing to read."""
    return allocate_noted(model, steps, ROOM * steps + contacts) if wanted(model) else allocate_noted(model, 0, 0)


def larger(noted: Noted, contacts: int) -> Noted:
    """The same with more room for contacts."""
    more = np.zeros((len(noted.contacts) + contacts, noted.contacts.shape[1]))
    return noted._replace(contacts=np.concatenate([noted.contacts, more]))


def readings_of(
    model: Any,
    placed: Placed,
    noted: Noted,
    time: Array,
    qpos: Array,
    qvel: Array,
    outside: Outside,
    before: Before | None = None,
) -> Readings | None:
    """The sensors of T steps from states (T, …), unread."""
    steps = len(noted.qacc)
    if steps == 0:
        width = int(getattr(model, "nsensordata", 0))
        nothing = np.zeros((len(time), width))
        return Readings(places_of(model), lambda: nothing, before) if width or before is not None else None
    wrenches = outside.wrenches if len(outside.wrenches) else np.zeros((1, int(model.nbody), 6))
    rows = Rows(
        time, qpos, qvel, noted.qacc, noted.actuator, noted.joint_actuator, noted.tendon, noted.limit, noted.energy[:, :2],
        wrenches, _ties(model, noted), noted.tension, _contacts(noted), *_placed_bodies(model, placed),
    )  # fmt: skip
    return Readings(places_of(model), lambda: read_sensors(model, rows), before)


def _placed_bodies(model: Any, placed: Placed) -> tuple[Array, Array]:
    """Poses of all bodies in their parents, with the mocap bodies where they are."""
    pos, quat, moved = np.array(model.body_pos, float), np.array(model.body_quat, float), mocap_bodies(model)
    pos[moved], quat[moved] = placed.mocap_pos, placed.mocap_quat
    return pos, quat


def _ties(model: Any, noted: Noted) -> tuple[Tie, ...]:
    found = [e for e in range(int(model.neq)) if int(model.eq_type[e]) in KINDS]
    return tuple(Tie(*anchors(model, e), noted.equality[:, e]) for e in found)


def _contacts(noted: Noted) -> ContactRows:
    table = noted.contacts[: int(noted.first[-1])]
    step = np.repeat(np.arange(len(noted.first) - 1), np.diff(noted.first))
    frame, force = table[:, 5:14].reshape(-1, 3, 3), table[:, 14:20]
    return ContactRows(step, table[:, :2].astype(int), table[:, 2:5], table[:, 2:5], frame, force, table[:, 20])
