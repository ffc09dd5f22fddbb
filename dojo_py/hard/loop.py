"""HardLoop: memory for a roll-out whose controls are decided while it runs, kept from one run to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.hard.checks import refuse_relaxed_adhesion
from dojo_py.hard.report import MOVED, STATUS
from dojo_py.simulate.arguments import outside_of, placed_of, refuse_late_controls, state_of
from dojo_py.simulate.results import Contacts, Exact, State

Array = np.ndarray


class HardLoop:
    """Rows of `steps` steps of a HardSimulator, of states (steps + 1) and controls, which a function fills while the kernel runs.

    The function is given by its address (by_address.py). contacts: keep the table of the latest step's contacts.
    """

    def __init__(self, simulator: Any, steps: int, contacts: bool = False):
        from dojo_py.hard.rollout import allocate_record

        refuse_late_controls(simulator.model, "loop")
        simulator._engine._load()
        self.simulator, self._engine = simulator, simulator._engine
        model, world = simulator.model, simulator.world
        self._record = allocate_record(model, world, steps, False, contacts, room=self._engine.room)
        r = self._record
        self.qpos, self.qvel, self.act, self.bodies, self.impulses = r.qpos, r.qvel, r.act, r.bodies, r.impulses
        self.contacts = r.contacts
        """(n, width) of the latest step, see contact_table.py; with `impulses` replaced by a larger one where a step needs it."""
        self.by_contacts = np.zeros_like(r.contacts)
        """(n, width) in a run backwards: cotangents of the contact table of the step that is pulled back next."""
        self.fixed = world.planes.geom.astype(np.int64)
        """(m, 2) geoms of the first rows of `contacts`; -1 is never among them."""
        self.control = np.zeros((steps, model.nu))
        self.cotangents = np.zeros((steps + 1, 2 * model.nv + model.na))
        """(steps + 1, 2nv + na) of the states in a run backwards, tangents [δq, δv, δact]."""
        self.by_control = np.zeros((steps, model.nu))
        self._none = outside_of(model, None, None, 0)
        self._time = 0.0
        self._placed = simulator._usual

    def at(self, state: State) -> HardLoop:
        """The loop for a state: this one, or a new one where its mocap bodies are elsewhere or other equalities hold."""
        there = self.simulator._at(state_of(state))
        return self if there is self.simulator else HardLoop(there, len(self.control), len(self._record.contacts) > 0)

    def start(self, state: State) -> None:
        """Row 0 is this state, whose mocap bodies and equalities are those of the loop (`at`)."""
        sim = self.simulator
        s = sim._checked(state)
        self._placed = placed_of(sim._usual, s)
        self.qpos[0], self.qvel[0], self.act[0], self._time = s.qpos, s.qvel, s.act, s.time
        self._record = self._engine.wide_enough(self._record, s.exact.impulses)
        self.bodies[0], self._record.impulses[0] = s.exact.bodies, 0.0
        self._record.impulses[0, : len(s.exact.impulses)] = s.exact.impulses

    def run(self, decide: int, data: int, kappa: float = 0.0, moved: Callable[[], int] | None = None) -> int:
        """The steps from row 0 until the function stops them, in the hard limit or at κ; returns how many.

        moved(): called after `impulses` and `contacts` were replaced by larger ones, returns the data's new address.
        """
        from dojo_py.hard.rollout import roll_out

        refuse_relaxed_adhesion(self.simulator.world, kappa)
        done = 0

        def steps(mine: Any, record: Any, before: int) -> int:
            nonlocal data, done
            data = self._take(record, data, moved)
            numbers = self._engine.timestep, kappa, 0.0, decide, data, before
            done = int(roll_out(*mine.handles, record, self.control, self._none, *numbers))
            return done

        self._engine.roomy(self._record, steps)
        return done

    def _take(self, record: Any, data: int, moved: Callable[[], int] | None) -> int:
        """Take over the tables of a record that has been replaced by a larger one. Returns the address of the function's data."""
        if record.impulses is self.impulses:
            return data
        self._record, self.impulses, self.contacts = record, record.impulses, record.contacts
        self.by_contacts = np.zeros_like(record.contacts)
        return data if moved is None else moved()

    def run_back(self, decide: int, data: int, steps: int, kappa: float, moved: Callable[[], int] | None = None) -> Array:
        """The first `steps` steps of the last run, which was at κ, backwards, accumulating cotangents. Returns their statuses."""
        from dojo_py.hard.rollout import roll_out

        refuse_relaxed_adhesion(self.simulator.world, kappa)

        def back(mine: Any, record: Any, before: int) -> int:
            nonlocal data
            data = self._take(record, data, moved)
            self._engine.load_derivatives(mine)
            mine_too = {"cotangents": self.cotangents, "by_control": self.by_control, "by_contacts": self.by_contacts}
            record = record._replace(contacts=record.contacts[:0], **mine_too)
            numbers = self._engine.timestep, kappa, kappa, decide, data, before
            return int(roll_out(*mine.handles, record, self.control[:steps], self._none, *numbers))

        self._engine.roomy(self._record, back)
        return self._record.gradients[:steps, STATUS].astype(np.int64)

    def state(self, row: int) -> State:
        """The state of a row."""
        e = self._engine
        impulses = e.rows.used_part(self.impulses[row].copy())
        exact = Exact(self.bodies[row].copy(), impulses, self.qpos[row].copy(), self.qvel[row].copy(), e.kinematics)
        moved = np.count_nonzero(self._record.reports[:row, MOVED] > 0)
        time = self._time + e.timestep * moved
        maximal = e._expand(exact.bodies)
        return self._placed.put(State(exact.qpos, exact.qvel, self.act[row].copy(), time, maximal, exact, e.model))

    def go_on(self, row: int) -> None:
        """Advance the time to that of this row, from which the next run starts; its numbers are copied by the caller."""
        self._time += self._engine.timestep * int(np.count_nonzero(self._record.reports[:row, MOVED] > 0))

    def contacts_of(self, table: Array) -> Contacts:
        """Contacts from a copy of `contacts` (n, width), under the model's names."""
        return self.simulator._contacts(table.copy())
