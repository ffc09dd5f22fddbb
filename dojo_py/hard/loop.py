"""HardLoop: memory for a roll-out whose controls are decided while it runs, kept from one run to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.contact_table import GEOMS
from dojo_py.simulate.arguments import outside_of, state_of
from dojo_py.simulate.results import Contacts, Exact, State

Array = np.ndarray


class HardLoop:
    """Rows of `steps` steps of a HardSimulator, of states (steps + 1) and controls, which a function fills while the kernel runs.

    The function is given by its address (by_address.py). contacts: keep the table of the latest step's contacts.
    """

    def __init__(self, simulator: Any, steps: int, contacts: bool = False):
        from dojo_py.hard.rollout import allocate_record

        simulator._engine._load()
        self.simulator, self._engine = simulator, simulator._engine
        model, world = simulator.model, simulator.world
        self._record = allocate_record(model, world, steps, False, contacts)
        self._backwards: Any = None
        r = self._record
        self.qpos, self.qvel, self.act, self.bodies, self.impulses = r.qpos, r.qvel, r.act, r.bodies, r.impulses
        self.contacts = r.contacts
        """(n, width) of the latest step, see contact_table.py."""
        self.fixed = np.concatenate([world.planes.geom, world.pairs.geom]).reshape(-1, 2).astype(np.int64)
        """(m, 2) geoms of its first rows; -1 is never among them."""
        self.control = np.zeros((steps, model.nu))
        self.cotangents = np.zeros((steps + 1, 2 * model.nv))
        """(steps + 1, 2nv) of the states on the way back, tangents [δq, δv]."""
        self.by_control = np.zeros((steps, model.nu))
        self._none = outside_of(model, None, None, 0)
        self._time = 0.0

    def start(self, state: State) -> None:
        """Row 0 is this state; ValueError for one with other mocap bodies or equalities than the model's."""
        sim = self.simulator
        if sim._at(state_of(state)) is not sim:
            raise ValueError("state: a closed loop runs with the model's own mocap poses and equalities, this state has others")
        s = sim._checked(state)
        self.qpos[0], self.qvel[0], self.act[0], self._time = s.qpos, s.qvel, s.act, s.time
        self.bodies[0], self.impulses[0] = s.exact.bodies, s.exact.impulses

    def run(self, decide: int, data: int, kappa: float = 0.0) -> int:
        """The steps from row 0 until the function stops them, in the hard limit or at κ; returns how many."""
        from dojo_py.hard.rollout import roll_out

        with self._engine._pool.borrow() as mine:
            return int(
                roll_out(
                    *mine.handles, self._record, self.control, self._none, self._engine.timestep, kappa, 0.0, decide, data
                )
            )

    def run_back(self, decide: int, data: int, steps: int, kappa: float) -> Array:
        """The first `steps` steps of the last run, which was at κ, backwards: cotangents are summed up. Returns their statuses."""
        from dojo_py.hard.rollout import roll_out

        record = self._record._replace(
            cotangents=self.cotangents, by_control=self.by_control, contacts=self._record.contacts[:0]
        )
        with self._engine._pool.borrow() as mine:
            roll_out(
                *mine.handles, record, self.control[:steps], self._none, self._engine.timestep, kappa, kappa, decide, data
            )
        return record.gradients[:steps, 0].astype(np.int64)

    def state(self, row: int) -> State:
        """The state of a row."""
        e = self._engine
        exact = Exact(
            self.bodies[row].copy(), self.impulses[row].copy(), self.qpos[row].copy(), self.qvel[row].copy(), e.kinematics
        )
        moved = np.count_nonzero(self._record.reports[:row, 7] > 0)
        time = self._time + e.timestep * moved
        maximal = e._expand(exact.bodies)
        return State(exact.qpos, exact.qvel, self.act[row].copy(), time, maximal, exact, e.model)

    def go_on(self, row: int) -> None:
        """What the next run starts from is this row: its time, as the caller moves the numbers."""
        self._time += self._engine.timestep * int(np.count_nonzero(self._record.reports[:row, 7] > 0))

    def contacts_of(self, table: Array) -> Contacts:
        """What `contacts` held at some time (n, width), under the model's names."""
        return self.simulator._contacts(table.copy())


assert GEOMS == 16  # (the loops of policies read the same columns)
