"""SoftLoop: memory for a roll-out whose controls are decided while it runs, kept from one run to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.collision.contact_columns import WIDTH
from dojo_py.simulate.arguments import outside_of, refuse_late_controls, state_of
from dojo_py.simulate.results import Contacts, State
from dojo_py.simulate.simulator import refuse
from dojo_py.simulate.status import LOST

Array = np.ndarray

FIRST_ROOM = 16
"""Contacts that the table of a loop holds at first; a step with more of them waits until it is larger."""


class SoftLoop:
    """Rows of `steps` steps of a SoftSimulator, of states (steps + 1) and controls, which a function fills while the kernel runs.

    The function is given by its address (by_address.py). contacts: keep the table of the latest step's contacts, which `grown` is
    told of when it is replaced by a larger one. Loops of one simulator may run beside each other.
    """

    def __init__(self, simulator: Any, steps: int, contacts: bool = False):
        from dojo_py.soft.noted import allocate_noted
        from dojo_py.soft.workspace import NCON

        refuse_late_controls(simulator.model, "loop")
        simulator._load()
        self.simulator = sim = simulator
        m, z = sim.model, np.zeros
        self.qpos, self.qvel, self.act = z((steps + 1, m.nq)), z((steps + 1, m.nv)), z((steps + 1, m.na))
        self.bodies, self.impulses = z((0, 0, 13)), z((0, 0))
        self.control = z((steps, m.nu))
        self.contacts = z((FIRST_ROOM * contacts, WIDTH))
        """(n, width) of the latest step, see contact_table.py."""
        self.grown: Callable[[], int] | None = None
        """Called when `contacts` is another array: returns where the function's data are from now on."""
        self.fixed = z((0, 2), np.int64)
        self.cotangents, self.by_control, self.by_contacts = z((0, 2 * m.nv)), z((0, m.nu)), z((0, WIDTH))
        kernels = sim._kernels
        self._states = kernels.States(self.qpos, self.qvel, self.act)
        self._outcomes = kernels.Outcomes(z(steps, np.int64), z(steps, np.int64), z(steps), z(steps))
        self._no_extras = kernels.Extras(z(0), z(0), z(0))
        self._noted, self._none = allocate_noted(m, 0, 0), outside_of(m, None, None, 0)
        self._handle: Any = sim._model_handle
        self._contact_count = NCON
        self._start: State | None = None
        self._time = 0.0

    def at(self, state: State) -> SoftLoop:
        """The loop for a state: this one, wherever its mocap bodies are."""
        return self

    def start(self, state: State) -> None:
        """Row 0 is this state."""
        sim = self.simulator
        s = self._start = sim._checked(state_of(state))
        self._handle = sim._handle_of(s)
        self.qpos[0], self.qvel[0], self.act[0], self._time = s.qpos, s.qvel, s.act, s.time

    def run(self, decide: int, data: int, kappa: float = 0.0, moved: Any = None) -> int:
        """The steps from row 0 until the function stops them; returns how many. kappa is refused, and no table moves."""
        refuse("soft", "its contacts have no central path", kappa=kappa or None)
        sim = self.simulator
        workspace = sim._free_workspaces.pop() if sim._free_workspaces else sim._kernels.ThreadWorkspace(sim._packed)
        workspace.work.rows.counts[:] = 0  # (another run left them: this one may stop before a step)
        done, again = -1, True
        while again:
            done = int(
                sim._kernels.run(
                    self._handle, workspace.handle, self._states, self.control, self._none, self._noted, done, self._outcomes,
                    self._no_extras, self.contacts, decide, data,
                )
            )  # fmt: skip
            again = done < len(self.control) and workspace.grow()
            found = workspace.work.rows.counts[self._contact_count]
            if not again and 0 < len(self.contacts) < found:
                self.contacts, again = np.zeros((2 * found, self.contacts.shape[1])), True
                data = data if self.grown is None else self.grown()
        sim._free_workspaces.append(workspace)
        return done

    def state(self, row: int) -> State:
        """The state of a row."""
        m, h, s = self.simulator.model, self.simulator.timestep, self._start
        time = self._time + h * self._moved(row)
        where: dict[str, Any] = {}
        if s is not None:
            where = {"mocap_pos": s.mocap_pos, "mocap_quat": s.mocap_quat, "eq_active": s.eq_active}
        return State(self.qpos[row].copy(), self.qvel[row].copy(), self.act[row].copy(), time, model=m, **where)

    def go_on(self, row: int) -> None:
        """What the next run starts from is this row: its time, as the caller moves the numbers."""
        self._time += self.simulator.timestep * self._moved(row)

    def _moved(self, row: int) -> int:
        """Of the steps before a row, those that took time."""
        return row - sum(status in LOST for status in self._outcomes.status[:row].tolist())

    def contacts_of(self, table: Array) -> Contacts:
        """What `contacts` held at some time (n, width), under the model's names."""
        return self.simulator._kernels.contacts_of(self.simulator.model, table)
