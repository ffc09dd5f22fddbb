"""Engine: the kernels of one world at one time step, with work arrays to call them with. Checked states in, records out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.announce import FirstUse
from dojo_py.hard.body_table import show_last_parts
from dojo_py.hard.checks import refuse_relaxed_adhesion
from dojo_py.hard.flags import acting_model
from dojo_py.hard.options import HardOptions
from dojo_py.hard.readings import readings_of, wanted
from dojo_py.hard.report import ATTEMPTS, COUNT, ENDED, MIN_GAP, MOVED, PARTS, RESIDUAL, ROUND_OFF, STATUS, WORST
from dojo_py.hard.terms import EQ_PATH, FAST_PARTS, FREE_TURN
from dojo_py.hard.warm_start import carried_flags, row_shape
from dojo_py.hard.world import WorkPool, World, kinematics_of
from dojo_py.simulate.arguments import Outside, outside_of
from dojo_py.simulate.arrivals import Arrivals
from dojo_py.simulate.readings import Readings
from dojo_py.simulate.results import Exact, State
from dojo_py.simulate.status import OutOfDomain, Status
from dojo_py.simulate.trajectory import Trajectory, kept_model

if TYPE_CHECKING:
    from dojo_py.hard.parameters.differentiate import ParameterJacobian

Array = np.ndarray

_first_use = FirstUse("the hard mode")


def usable(record: Any) -> Array:
    """(T,) whether A and B of a step are valid, so that its other derivatives can be computed from them."""
    known = ~np.isin(record.gradients[:, STATUS], (Status.SINGULAR, Status.NOT_FINITE))
    return known & np.isfinite(record.A).all(axis=(1, 2)) & np.isfinite(record.B).all(axis=(1, 2))


def refuse_parts(record: Any) -> Array:
    """(T,) whether a step was solved in parts, for which A and B are the only derivatives; their status becomes TOO_FAST."""
    parts: Array = record.gradients[:, PARTS] > 1.0
    record.gradients[parts & (record.gradients[:, STATUS] == Status.SOLVED), STATUS] = Status.TOO_FAST
    return parts


def _name_lost(record: Any, lost: Array) -> None:
    """Derivatives of these steps (T,) are NOT_FINITE; of steps that are TOO_FAST they have no meaning, and keep that status."""
    record.gradients[lost & (record.gradients[:, STATUS] != Status.TOO_FAST), STATUS] = Status.NOT_FINITE


def _keep_finite(record: Any) -> None:
    """Set derivatives of a step that are not all finite to zero, and their status to NOT_FINITE."""
    by_parameters = record.by_parameters
    if len(by_parameters) > 0:
        by_parameters[~usable(record) | refuse_parts(record)] = 0.0
        lost = ~np.isfinite(by_parameters).all(axis=(1, 2))
        by_parameters[lost] = 0.0
        _name_lost(record, lost)
    lost = ~(np.isfinite(record.A).all(axis=(1, 2)) & np.isfinite(record.B).all(axis=(1, 2)))
    record.A[lost], record.B[lost] = 0.0, 0.0
    _name_lost(record, lost)


class Engine:
    """Runs the hard mode's kernels. May be shared between threads.

    label: what trajectories record about their simulator.
    """

    def __init__(
        self, model: Any, world: World, timestep: float, options: HardOptions, label: dict[str, Any],
        acting: Any = None, sensed: Callable[[], Any] | None = None,
    ):  # fmt: skip
        self.model, self.world, self.timestep, self.options = model, world, timestep, options
        self.kinematics = kinematics_of(world, timestep)
        self.acting = acting_model(model) if acting is None else acting
        self._sensed = sensed or (lambda: self.acting)
        self._label = {**label, "kinematics": self.kinematics}
        self._pool = WorkPool(world, model, options)
        self.rows = row_shape(*world[:3])
        self._differentiates = False
        self._nothing: Any = None

    def with_world(self, world: World, timestep: float, sensed: Callable[[], Any], acting: Any = None) -> Engine:
        """The same model with other tables. sensed: gives the model that sensors read."""
        label = {**self._label, "timestep": timestep}
        return Engine(self.model, world, timestep, self.options, label, acting or self.acting, sensed)

    # states

    def owns(self, exact: Exact | None) -> bool:
        """Whether an exact state is one of this engine's, from which it can continue."""
        if exact is None or exact.bodies.shape != (len(self.world.layout.mass), 13) or exact.kinematics != self.kinematics:
            return False
        fits = exact.qpos.shape == (self.model.nq,) and exact.impulses.ndim == 1 and self.rows.room(exact.impulses) >= 0
        return fits and bool(np.isfinite(exact.bodies).all())

    @property
    def room(self) -> int:
        """For how many features of pairs steps have room now."""
        return self._pool.room

    def state(self, qpos: Array, qvel: Array, act: Array, time: float) -> State:
        """State of checked coordinates with its exact part, or ValueError when a body rotates too far."""
        bodies = self._bodies(qpos, qvel)
        exact = Exact(bodies, np.zeros(self.rows.own), qpos, qvel, self.kinematics)
        return State(qpos, qvel, act, time, self._expand(bodies), exact, self.model)

    def end(self, start: State, record: Any, history: Array | None = None) -> State:
        """The state after the one step of a record."""
        exact = Exact(record.bodies[1], self.rows.used_part(record.impulses[1]), record.qpos[1], record.qvel[1], self.kinematics)
        time = start.time + self.timestep * bool(record.reports[0, MOVED] > 0)  # a step that failed took no time
        self._show_last_parts(record)
        return State(
            exact.qpos, exact.qvel, record.act[1], time, record.maximal[1], exact, self.model,
            start.mocap_pos, start.mocap_quat, start.eq_active, history,
        )  # fmt: skip

    def tendon_lengths(self, bodies: Array) -> Array:
        """(nt, 2) lengths of the spatial tendons that act and their rates over the last interval; zero for fixed ones."""
        from dojo_py.handles import handle
        from dojo_py.hard.elements.drives import allocate_drive
        from dojo_py.hard.elements.tendon_paths import path_lengths

        layout, nv = self.world.layout, int(self.model.nv)
        if not np.any(layout.eq_kind == EQ_PATH):
            return np.zeros((len(layout.dof_node) - nv, 2))
        drive = allocate_drive(self.world.actuators, layout, int(self.model.na))
        path_lengths(self._pool.tables()[0], handle(drive), bodies, self.timestep)
        return np.stack([drive.angle[nv:], drive.rate[nv:]], axis=1)

    def over_fast_parts(self, state: State) -> Array | None:
        """Bodies (nb, 13) of a checked state with velocities over a part of a step, from which its parts start (fast_start.py).

        None unless jointed bodies rotate by more than a whole step may and have no carried momentum (warm_start.py).
        """
        from dojo_py.hard.elements.coordinates import maximal_from_minimal

        assert state.exact is not None
        bodies, most = state.exact.bodies, self.world.layout.most_turn
        turns = self.timestep * np.linalg.norm(bodies[:, 10:13], axis=1)
        fast = (turns > most) & (most > FREE_TURN) & (carried_flags(state.exact.impulses, len(most)) == 0.0)
        if not fast.any():
            return None
        out = np.zeros_like(bodies)
        maximal_from_minimal(self._pool.tables()[0], state.qpos, state.qvel, self.timestep / FAST_PARTS, out)
        return np.where((most > FREE_TURN)[:, None], out, bodies)

    def _bodies(self, qpos: Array, qvel: Array) -> Array:
        """(nb, 13) from minimal coordinates."""
        from dojo_py.hard.elements.coordinates import HALF_TURN, maximal_from_minimal

        bodies = np.zeros((len(self.world.layout.mass), 13))
        self._load()
        cosine = maximal_from_minimal(self._pool.tables()[0], qpos, qvel, self.timestep, bodies)
        if not cosine > HALF_TURN:
            raise OutOfDomain(
                f"qvel: a body turns half a turn or more within the timestep {self.timestep:g} s, the domain is |ω| < 2/timestep = "
                f"{2 / self.timestep:g} rad/s; reduce the timestep or the velocity"
            )
        if not np.all(np.isfinite(bodies)):
            raise OutOfDomain("qpos, qvel: the bodies' poses overflow")
        return bodies

    def _expand(self, bodies: Array) -> Array:
        """(nbody, 13) maximal state of the model's bodies."""
        from dojo_py.hard.body_table import expand_once

        out = np.zeros((self.model.nbody, 13))
        expand_once(self._pool.tables()[4], bodies, self.timestep, out)
        return out

    def _show_last_parts(self, record: Any) -> None:
        """In a record's maximal states, velocities of bodies that carry a momentum are those over the last part of their step."""
        world = self.world
        show_last_parts(world.bodies, world.layout, record.bodies, self.timestep, record.impulses, record.maximal)

    # runs

    def _load(self) -> None:
        """Compile the kernels or load them from the cache."""

        def use() -> None:
            m = self.model
            rest = self.state(np.array(m.qpos0, float), np.zeros(m.nv), np.zeros(m.na), 0.0)
            self.run(rest, np.zeros((0, m.nu)), outside_of(m, None, None, 0), 0.0)

        _first_use.once(use)

    def load_derivatives(self, mine: Any) -> None:
        """What derivatives of steps need besides (compiled_apart.py), compiled or loaded. mine: a ThreadWorkspace."""
        if not self._differentiates:
            from dojo_py.hard.gradients.derivatives import load_derivatives

            load_derivatives(*mine.handles)
            self._differentiates = True

    def _start_record(
        self, start: State, steps: int, maximal: bool, contacts: bool, linearize: bool, sense: bool = False, data: int = 0
    ) -> Any:
        """An empty record with a checked state in its first rows."""
        from dojo_py.hard.rollout import allocate_record

        assert start.exact is not None
        sensors, impulses = sense and wanted(self.model), start.exact.impulses
        room = max(self._pool.room, self.rows.room(impulses))
        if self._nothing is None:
            self._nothing = allocate_record(self.model, self.world, 0, False, False, shape=self.rows)
        record = allocate_record(
            self.model, self.world, steps, maximal, contacts, linearize, sensors=sensors, room=room, shape=self.rows,
            empty=self._nothing, data=data,
        )  # fmt: skip
        record.qpos[0], record.qvel[0], record.act[0] = start.qpos, start.qvel, start.act
        record.bodies[0], record.impulses[0, : len(impulses)] = start.exact.bodies, impulses
        return record

    def wide_enough(self, record: Any, impulses: Array) -> Any:
        """The record, with room for these impulses in its first row."""
        from dojo_py.hard.rollout import with_room

        room = self.rows.room(impulses)
        return with_room(record, self.world, self.rows, room) if room > self.rows.room(record.impulses[0]) else record

    def roomy(self, record: Any, then: Callable[[Any, Any, int], int]) -> Any:
        """Call then(workspace, record, done) until its steps have enough room for their features of pairs; returns the record.

        done: what `then` returned last, how many steps are done; -1 in the first call. The record grows with the workspace.
        """
        from dojo_py.hard.rollout import with_room

        done = -1
        while True:
            self._pool.grow(self.rows.room(record.impulses[0]))
            with self._pool.borrow() as mine:
                if len(record.A) > 0 or len(record.cotangents) > 0:
                    self.load_derivatives(mine)
                if mine.room > self.rows.room(record.impulses[0]):
                    record = with_room(record, self.world, self.rows, mine.room)
                done, needed = then(mine, record, done), mine.needed()
            if not needed:
                return record
            self._pool.grow(needed)

    def run(
        self,
        start: State,
        controls: Array,
        outside: Outside,
        kappa: float,
        maximal: bool = False,
        contacts: bool = False,
        gradient_kappa: float | None = None,
        parameters: ParameterJacobian | None = None,
        sense: bool = False,
        then: Callable[[Any, Any], None] | None = None,
        arrivals: Arrivals | None = None,
    ) -> Any:
        """Record of a rollout from a checked state, with derivatives when there is a gradient_kappa.

        Derivatives that overflow are zero, their status is NOT_FINITE. then(workspace, record) is called at the end, while the
        work arrays still hold the last step. arrivals: whose `acting` the controls are, where they come late.
        """
        from dojo_py.by_address import Callback
        from dojo_py.hard.rollout import roll_out

        for k in (kappa, gradient_kappa):
            refuse_relaxed_adhesion(self.world, k)
        data = 0 if parameters is None else parameters.size
        record = self._start_record(start, len(controls), maximal, contacts, gradient_kappa is not None, sense, data)
        asked, reports = None, record.reports
        if arrivals is not None and arrivals.waiting:
            asked = Callback(lambda t, _: arrivals.begin(t, bool(reports[t - 1, MOVED] > 0)))
        numbers = self.timestep, kappa, gradient_kappa or 0.0, 0 if asked is None else asked.address, 0

        def steps(mine: Any, record: Any, done: int) -> int:
            with nullcontext(mine.handles) if parameters is None else parameters.handles(mine) as handles:
                done = int(roll_out(*handles, record, controls, outside, *numbers, done))
            if asked is not None:
                asked.check()
            if then is not None and not mine.needed():
                then(mine, record)
            return done

        record = self.roomy(record, steps)
        if gradient_kappa is not None:
            _keep_finite(record)
        return record

    def pull_back(
        self, trajectory: Trajectory, controls: Array, outside: Outside, kappa: float, gradient_kappa: float, cotangents: Array
    ) -> Any:
        """Record of a trajectory of this engine, differentiated backwards: each step is solved again from its recorded state.

        controls (T, nu): as they arrived. cotangents (T + 1, 2nv + na): of all states; in the record they are accumulated from the
        last state to the first. Where they overflow they are zero, and the status is NOT_FINITE.
        """
        from dojo_py.hard.rollout import allocate_record, roll_out

        refuse_relaxed_adhesion(self.world, gradient_kappa)
        assert trajectory.impulses is not None
        room = max(self._pool.room, self.rows.room(trajectory.impulses[0]))
        record = allocate_record(self.model, self.world, len(trajectory), False, False, backwards=True, room=room)
        record.impulses[:, : trajectory.impulses.shape[1]] = trajectory.impulses
        for name in ("qpos", "qvel", "act", "bodies"):
            getattr(record, name)[:] = getattr(trajectory, name)
        record.cotangents[:] = cotangents
        numbers = self.timestep, kappa, gradient_kappa, 0, 0
        record = self.roomy(
            record,
            lambda mine, record, done: int(roll_out(*mine.handles, record, controls, outside, *numbers, done)),
        )
        lost = ~(np.isfinite(record.cotangents[:-1]).all(axis=1) & np.isfinite(record.by_control).all(axis=1))
        record.cotangents[:-1][lost], record.by_control[lost] = 0.0, 0.0
        _name_lost(record, lost)
        return record

    def trajectory(
        self, start: State, controls: Array, outside: Outside, kappa: float, maximal: bool, gradient_kappa: float | None = None,
        parameters: ParameterJacobian | None = None,
    ) -> Trajectory:  # fmt: skip
        """As `run`, but returns a Trajectory."""
        arrivals = Arrivals(self.model, self.timestep, start, controls)
        record = self.run(
            start, arrivals.acting, outside, kappa, maximal, False, gradient_kappa, parameters, True, arrivals=arrivals
        )
        if maximal:
            self._show_last_parts(record)
        reports = record.reports
        gradients: tuple[Any, Any, Any] = (None, None, None)
        if gradient_kappa is not None:
            gradients = (record.A, record.B, self._chained(record))

        label = {**self._label, "kappa": kappa} | ({} if gradient_kappa is None else {"gradient_kappa": gradient_kappa})

        def part(column: int) -> Array:
            return np.array(reports[:, column])

        def whole(column: int) -> Array:
            return part(column).astype(np.int64)

        # added up like the times of single steps, so that both are the same numbers
        time = np.add.accumulate(np.concatenate([[start.time], self.timestep * (reports[:, MOVED] > 0)]))
        return Trajectory(
            time, record.qpos, record.qvel, record.act, controls, whole(STATUS), whole(COUNT), part(RESIDUAL), part(WORST),
            part(MIN_GAP), record.maximal if maximal else None, record.bodies, self.rows.used_part(record.impulses),
            label, *gradients, substeps=whole(PARTS), attempts=whole(ATTEMPTS),
            round_off=part(ROUND_OFF), ending=whole(ENDED), model=kept_model(self.model),
            mocap_pos=start.mocap_pos, mocap_quat=start.mocap_quat, eq_active=start.eq_active,
            readings=self.readings(arrivals, time[:-1], record, outside),
            parameters={} if parameters is None else parameters.by_name(record.by_parameters, len(controls)),
        )  # fmt: skip

    def _chained(self, record: Any) -> Array:
        """(T,) Status of derivatives that are to be multiplied with each other: TOO_FAST where a step starts from a carried
        momentum, which A of the step before does not contain.
        """
        status: Array = record.gradients[:, STATUS].astype(np.int64)
        carried = carried_flags(record.impulses[:-1], len(self.world.layout.mass))
        status[(status == Status.SOLVED) & (carried > 0.0).any(axis=1)] = Status.TOO_FAST
        return status

    def readings(self, arrivals: Arrivals | None, time: Array, record: Any, outside: Outside) -> Readings | None:
        """The sensors of a record's steps, not evaluated yet; None where the model has none. arrivals: where it has samples."""
        before = None if arrivals is None else arrivals.complete(record.reports[:, MOVED] > 0)
        return readings_of(self.acting, self._sensed, self.world, record, time, self.timestep, outside, before)

    def trace(self, start: State, control: Array, kappa: float) -> Array:
        """(iterations + 1, 6) the iterations of one step's last solve, see workspace.Work.trace."""
        from dojo_py.hard.rollout import roll_out

        refuse_relaxed_adhesion(self.world, kappa)
        record, found = self._start_record(start, 1, False, False, False), np.zeros((0, 6))
        none = outside_of(self.model, None, None, 1)

        def step(mine: Any, record: Any, done: int) -> int:
            nonlocal found
            mine.work.traced[0] = 0
            done = int(roll_out(*mine.handles, record, control[None], none, self.timestep, kappa, 0.0, 0, 0, done))
            found = mine.work.trace[: mine.work.traced[0]].copy()
            return done

        self.roomy(record, step)
        return np.nan_to_num(found)
