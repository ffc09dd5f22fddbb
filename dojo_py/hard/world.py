"""World: everything the kernels need to know of a model, and the work arrays that one thread uses."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.table import ActuatorTable
from dojo_py.collision.candidates import PairCandidates, PlaneCandidates, build_candidates
from dojo_py.friction_laws import CONE, FRICTIONLESS, PYRAMID
from dojo_py.handles import handles
from dojo_py.hard.body_table import BodyTable, build_body_table
from dojo_py.hard.elements.drives import allocate_drive, build_drives, check_servos
from dojo_py.hard.elements.layout import Layout, build_layout
from dojo_py.hard.flags import acting_model
from dojo_py.hard.gradients.workspace import Tangent, allocate_tangent
from dojo_py.hard.options import HardOptions
from dojo_py.hard.support import handle_unsupported, refuse_dependent_joints, unsupported_features
from dojo_py.hard.workspace import Work, allocate_work, contact_rows
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.source import refusal
from dojo_py.simulate.values import text_of

FRICTION = {"cone": CONE, "pyramid": PYRAMID, "none": FRICTIONLESS}


class World(NamedTuple):
    """The constants of a model in the hard mode."""

    layout: Layout
    planes: PlaneCandidates
    pairs: PairCandidates
    actuators: ActuatorTable
    bodies: BodyTable


def _plain(table: Any) -> Any:
    """The named tuple with C-contiguous, writeable arrays, so that the kernels are compiled for one type."""
    return table._replace(**{name: np.array(value, order="C") for name, value in table._asdict().items()})


def _laws(laws: Any, friction: str) -> Any:
    """Friction laws of contacts, with the cone that `friction` names; frictionless ones stay so."""
    return laws if friction == "cone" else np.where(laws == FRICTIONLESS, laws, FRICTION[friction])


def build_world(model: Any, friction: str, unsupported: str, timestep: float) -> World:
    """The World of a Model, for steps of this length [s]. Raises ModelError for what the hard mode does not simulate, unless
    `unsupported` says otherwise.
    """
    text_of("friction", friction, FRICTION)
    text_of("unsupported", unsupported)
    model = acting_model(model)
    refuse_dependent_joints(model)
    records = unsupported_features(model)
    layout, where = build_layout(model)
    turning = np.linalg.eigvalsh(layout.inertia)[:, 0]
    try:
        planes, pairs = build_candidates(model, where, layout.com, turning, timestep)
    except ModelError as error:
        records += error.errors
        planes, pairs = build_candidates(model, where, layout.com, turning, timestep, skip_unsupported=True)
    table = build_drives(model, layout, where)
    try:
        check_servos(model, table)
    except ModelError as error:
        records += error.errors
    wide = contact_rows(planes, pairs) > 3
    if wide and friction == "pyramid":
        message = 'torsional and rolling friction (condim 4, 6) of pyramids: friction="cone" has them; pyramids leave them out'
        records.append(refusal(model, "option", (), "friction", message))
    handle_unsupported(records, unsupported)
    planes = planes._replace(law=_laws(planes.law, friction))
    pairs = pairs._replace(law=_laws(pairs.law, friction))
    bodies = build_body_table(model, layout, where)
    return World(_plain(layout), _plain(planes), _plain(pairs), _plain(table), _plain(bodies))


class ThreadWorkspace(NamedTuple):
    """Work arrays of one thread, and their handles for kernels."""

    work: Work
    tangent: Tangent
    handles: tuple[Any, ...]
    """Of the world's five tables, the work, the drive, the tangent, and of no parameters: the first arguments of `roll_out`."""
    room: int  # for features of pairs

    def needed(self) -> int:
        """The room for features with which the last run is to be repeated; 0: it had enough."""
        there, missing, *_ = self.work.n_features.tolist()
        return max(MORE_ROOM * self.room, there + missing) if missing else 0


MORE_ROOM = 2
"""By which factor room for features grows at least."""


def _load_pairs(mine: ThreadWorkspace) -> None:
    """What steps of a model with pairs of bodies need besides (compiled_apart.py), compiled or loaded."""
    from dojo_py.hard.contacts.pair_tasks import load_pairs

    L, P, Q, _, _, W, *_ = mine.handles
    load_pairs(L, P, Q, W)


class WorkPool:
    """Work arrays, one set per thread at a time, kept for later use; with as much room for features as a step has needed."""

    def __init__(self, world: World, model: Any, options: HardOptions):
        self._world, self._model, self._options = world, model, options
        self._free: list[ThreadWorkspace] = []
        self._lock = threading.Lock()
        self._tables: Any = None
        self.room = int(world.pairs.room[0])

    def grow(self, room: int) -> None:
        """At least so much room from now on."""
        with self._lock:
            if room > self.room:
                self.room = room
                self._free.clear()

    @contextmanager
    def borrow(self) -> Iterator[ThreadWorkspace]:
        """A set of work arrays that nobody else uses meanwhile."""
        with self._lock:
            mine = self._free.pop() if self._free else None
            room = self.room
        if mine is None:
            from dojo_py.hard.parameters.parametric import no_parameters

            world = self._world
            numbers = self._options.numbers(), self._options.constants()
            work = allocate_work(world.layout, world.planes, world.pairs, *numbers, room)
            drive = allocate_drive(world.actuators, world.layout, self._model.na)
            servos, columns = len(drive.servos.servo_dof), 2 * self._model.nv + self._model.na + self._model.nu
            tangent = allocate_tangent(self._model, world.layout, world.planes, room, servos, len(drive.servos.orient_law), columns)
            structs = *self.tables(), *handles((work, drive, tangent)), no_parameters(world, self._model)
            mine = ThreadWorkspace(work, tangent, structs, room)
            if len(world.pairs.geom) > 0:
                _load_pairs(mine)
        try:
            yield mine
        finally:
            with self._lock:
                if mine.room == self.room:
                    self._free.append(mine)

    def tables(self) -> Any:
        """Handles of the world's tables."""
        if self._tables is None:
            self._tables = handles(self._world)
        return self._tables


def kinematics_of(world: World, timestep: float) -> int:
    """A number that differs between simulators in which the same coordinates mean other poses or motions of the centres of mass."""
    layout = world.layout
    tables = (layout.com, layout.dof_anchor, layout.dof_axis, layout.base_pos, layout.base_quat)
    text = b"".join(np.ascontiguousarray(a).tobytes() for a in tables)
    return 1 + zlib.crc32(text + np.float64(timestep).tobytes())
