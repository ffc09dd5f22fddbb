"""SoftSimulator: MuJoCo's soft-contact dynamics behind the simulator interface that both modes share."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from dojo_py.announce import FirstUse
from dojo_py.collision.contact_columns import WIDTH
from dojo_py.simulate.arguments import (
    Outside,
    batch_of,
    control_of,
    controls_of,
    coordinates_of,
    late_controls,
    mocap_bodies,
    names_of,
    options_of,
    outside_of,
    placed_of,
    refuse_late_controls,
    spread,
    start_of,
    state_of,
    timestep_of,
    usual_placement,
    vector,
)
from dojo_py.simulate.arrivals import Arrivals
from dojo_py.simulate.history import sent, split_by_delay
from dojo_py.simulate.poses import HasPoses
from dojo_py.simulate.readings import NOTHING
from dojo_py.simulate.results import Contacts, Linearization, State, Step
from dojo_py.simulate.reverse import (
    ParameterGradient,
    RolloutGradient,
    check_same_states,
    check_timestep,
    cotangents_of,
    pull_back,
    recorded_gradient,
)
from dojo_py.simulate.simulator import refuse
from dojo_py.simulate.status import LOST, Status
from dojo_py.simulate.trajectory import Trajectory, kept_model
from dojo_py.simulate.values import count, having, real_number, truth_of
from dojo_py.soft import differences
from dojo_py.soft.options import SoftOptions

Array = np.ndarray

_first_use = FirstUse("the soft mode")
NO_TABLE = np.zeros((0, WIDTH))
"""Where contacts of the latest step are not asked for."""


def refuse_hard(*, parameters: Any = None, maximal: Any = None, **kappas: Any) -> None:
    """ValueError for arguments of the hard mode, by name: κ's, parameters, the record of maximal states."""
    refuse("soft", "its contacts have no central path", **kappas)
    refuse("soft", "it has no derivatives by parameters", parameters=names_of("parameters", parameters) or None)
    wanted = maximal is not None and truth_of("maximal", maximal)
    refuse("soft", "its states are joint coordinates", maximal=wanted or None)


class SoftSimulator(HasPoses):
    """Simulates a model (dojo_py.Model, mujoco.MjModel, or what `load_model` takes: a file, a shipped name) with soft contact.

    timestep [s] and options replace the model's own. Raises ModelError for what the soft mode does not simulate, by name.
    May be shared between threads; calls then wait for each other, but for `rollout_batch`. Methods: as in `Simulator`.
    """

    mode = "soft"

    def __init__(self, model: Any, timestep: float | None = None, *, options: SoftOptions | None = None):
        from dojo_py.soft import kernels
        from dojo_py.soft.packing import pack

        if isinstance(model, (str, bytes, PathLike)):
            from dojo_py.formats import load_model

            model = load_model(model)
        self.model = model
        self.timestep = timestep = timestep_of(model, timestep)
        self.options = options_of(SoftOptions, options)
        self._usual = usual_placement(model)
        self._packed = pack(model, timestep, self.options.integrator_code)
        self.options.apply(self._packed.options[0], int(model.nv))
        self._kernels = kernels
        self._lock = threading.Lock()
        self._model_handle = kernels.handle(self._packed)
        self._workspace = kernels.ThreadWorkspace(self._packed)
        self._free_workspaces: list[Any] = []
        """Further work arrays, for loops that run beside each other."""

    @property
    def work(self) -> Any:
        """All intermediate results of the last evaluation, under MuJoCo's names (workspace.Work)."""
        return self._workspace.work

    def _load(self) -> None:
        """Compile the kernels or load them from the cache, before anything is timed or threaded."""
        if self._packed.options[0]["sparse"]:
            self._kernels.load_cholmod(self._packed, self._workspace.work)
        _first_use.once(lambda: self._run(self._workspace, self.initial_state(), np.zeros((0, self.model.nu))))

    # states and inputs

    def initial_state(
        self,
        qpos: Array | None = None,
        qvel: Array | None = None,
        *,
        act: Array | None = None,
        keyframe: str | int | None = None,
    ) -> State:
        """State at time 0: qpos (nq,), qvel (nv,), act (na,) as given, else the keyframe's, else the model's pose at rest."""
        return self._checked(start_of(self.model, qpos, qvel, act, keyframe))

    def _checked(self, state: State) -> State:
        m, state = self.model, state_of(state, model=self.model)
        act = np.zeros(0) if state.act is None else state.act
        coordinates = vector("qpos", state.qpos, (m.nq,)), vector("qvel", state.qvel, (m.nv,)), vector("act", act, (m.na,))
        fresh = State(*coordinates, float(vector("time", state.time, ())), model=m, history=state.history)
        return placed_of(self._usual, state).put(fresh)

    def _handle_of(self, state: State) -> Any:
        """The kernels' model with the mocap bodies and equalities of a checked state."""
        placed = placed_of(self._usual, state)
        if not placed.key(self._usual):
            return self._model_handle
        bodies, equalities = self._packed.bodies.copy(), self._packed.equalities.copy()
        moved = mocap_bodies(self.model)
        bodies["pos"][moved], bodies["quat"][moved], equalities["active"] = placed.mocap_pos, placed.mocap_quat, placed.eq_active
        return self._kernels.handle(self._packed._replace(bodies=bodies, equalities=equalities))

    # simulation

    def step(
        self,
        state: State,
        control: Array | None = None,
        *,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
    ) -> Step:
        """One time step with control (nu,) held, and wrenches (nbody, 6): world force and torque about the bodies' centres of mass
        [N, N m], and joint_forces (nv,) along the joints' coordinates.

        The solver starts at zero acceleration, whatever was simulated before. A step whose solver ends at its iteration limit is
        INEXACT. One that fails leaves the state as it was, and its contacts carry nothing.

        kappa is refused, here and below: soft contact has no central path.
        """
        refuse_hard(kappa=kappa)
        start, u = self._checked(state), control_of(self.model, control)[None]
        outside = outside_of(self.model, wrenches, joint_forces, 1)
        with self._lock:
            traj = self._run(self._workspace, start, u, outside)
            contacts = self._contacts()
        status, end = Status(int(traj.status[0])), replace(traj.state(1), model=self.model)
        if status in LOST:
            contacts = replace(contacts, impulse=np.zeros_like(contacts.impulse), torque=np.zeros_like(contacts.torque))
        return Step(
            end, status, int(traj.iterations[0]), float(traj.residual[0]), 0.0, contacts, int(status not in LOST),
            readings=traj.readings or NOTHING,
        )  # fmt: skip

    def _contacts(self) -> Contacts:
        """Contacts of the last evaluation, the geom that the normal points to first; impulse = force * timestep."""
        table = np.zeros((int(self.work.rows.counts[self._kernels.NCON]), WIDTH))
        self._kernels.fill_contacts_once(self._model_handle, self._workspace.handle, table)
        return self._kernels.contacts_of(self.model, table)

    def _run(
        self, workspace: Any, state: State, controls: Array, outside: Outside | None = None, sense: bool = True,
        arrived: bool = False, measure: bool = False,
    ) -> Trajectory:  # fmt: skip
        """arrived: the controls are those that act, where they come late. measure: the smallest gaps are asked for; without it they
        are infinite.
        """
        from dojo_py.by_address import Callback  # not on import: the compiler comes with it
        from dojo_py.soft.noted import allocate_noted
        from dojo_py.soft.readings import larger, readings_of, room_for

        T = len(controls)
        m = self.model
        outside = outside_of(m, None, None, T) if outside is None else outside
        states = self._kernels.States(np.empty((T + 1, m.nq)), np.empty((T + 1, m.nv)), np.empty((T + 1, m.na)))
        qpos, qvel, act = states
        qpos[0], qvel[0], act[0] = state.qpos, state.qvel, state.act
        outcomes = self._kernels.Outcomes(
            np.zeros(T, np.int64), np.zeros(T, np.int64), np.zeros(T), np.full(T + 1 if measure else T, np.inf)
        )
        status, iterations, residual, gaps = outcomes
        none = np.zeros(0)
        no_extras = self._kernels.Extras(none, none, none)
        arrivals = None if arrived else Arrivals(m, self.timestep, state, controls)
        acting, asked = controls if arrivals is None else arrivals.acting, None
        if arrivals is not None and arrivals.waiting:
            asked = Callback(lambda t, last: arrivals.begin(t, last not in LOST))
        self._load()
        most = len(workspace.work.rows.contacts)
        model_handle = self._handle_of(state)
        noted, done = room_for(m, T, most) if sense else allocate_noted(m, 0, 0), -1
        while True:
            done = self._kernels.run(
                model_handle, workspace.handle, states, acting, outside, noted, done, outcomes, no_extras, NO_TABLE,
                0 if asked is None else asked.address, 0,
            )  # fmt: skip
            if asked is not None:
                asked.check()
            if done == T and not (measure and np.isnan(gaps[T])):
                break
            if workspace.grow():
                most = len(workspace.work.rows.contacts)
            else:
                noted = larger(noted, most + len(noted.contacts))
        moved = ~np.isin(status, LOST)
        time = np.add.accumulate(np.concatenate([[state.time], self.timestep * moved]))  # as single steps add it up
        after = gaps[1:] if measure else np.full(T, np.inf)
        before = None if arrivals is None else arrivals.complete(moved)
        metadata = {"model": str(getattr(m, "name", "")), "timestep": self.timestep, "mode": "soft"}
        readings = readings_of(m, placed_of(self._usual, state), noted, time[:T], qpos[:T], qvel[:T], outside, before)
        return Trajectory(
            time, qpos, qvel, act, controls, status, iterations, residual, np.zeros(T), after, metadata=metadata,
            model=kept_model(m), mocap_pos=state.mocap_pos, mocap_quat=state.mocap_quat, eq_active=state.eq_active,
            readings=readings, substeps=moved.astype(np.int64),
        )  # fmt: skip

    def rollout(
        self,
        state: State,
        controls: Array,
        *,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
        maximal: bool | None = None,
        linearize: bool = False,
        gradient_kappa: float | None = None,
        parameters: Sequence[str] | None = None,
    ) -> Trajectory:
        """Steps with controls (T, nu), wrenches (nbody, 6) or (T, nbody, 6) and joint_forces (nv,) or (T, nv).

        Each step but the first starts its solver at the previous acceleration, one after a step that failed at zero.

        linearize: record A, B and gradient_status of every step too, by centred differences as `linearize` takes them.
        """
        refuse_hard(kappa=kappa, gradient_kappa=gradient_kappa, parameters=parameters, maximal=maximal)
        s, linearize = self._checked(state), truth_of("linearize", linearize)
        u = controls_of(self.model, controls)
        outside = outside_of(self.model, wrenches, joint_forces, len(u))
        with self._lock:
            return self._rollout(self._workspace, s, u, linearize, outside)

    def _rollout(self, workspace: Any, state: State, controls: Array, linearize: bool, outside: Outside) -> Trajectory:
        trajectory = self._run(workspace, state, controls, outside, measure=True)
        if not linearize:
            return trajectory
        refuse_late_controls(self.model, "linearize")

        def step_at(t: int) -> differences.Stepper:
            return lambda s, u: self._run(workspace, s, u[None], outside.at(t), False)

        A, B, status = differences.along(self.model, step_at, trajectory)
        return replace(trajectory, A=A, B=B, gradient_status=status)

    def loop(self, steps: int, *, contacts: bool = False) -> Any:
        """SoftLoop: memory for roll-outs of so many steps whose controls a function decides while they run (soft/loop.py)."""
        from dojo_py.soft.loop import SoftLoop

        return SoftLoop(self, count("steps", steps), truth_of("contacts", contacts))

    def rollout_batch(
        self,
        states: Sequence[State] | State,
        controls: Array,
        *,
        threads: int | None = None,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
        maximal: bool | None = None,
        linearize: bool = False,
        gradient_kappa: float | None = None,
        parameters: Sequence[str] | None = None,
    ) -> list[Trajectory]:
        """B rollouts with controls (B, T, nu), from B states or from one; bit-identical to B calls of `rollout`.

        threads: at most so many at a time, all cores by default. The rest as in `rollout`, the same for all.
        """
        refuse_hard(kappa=kappa, gradient_kappa=gradient_kappa, parameters=parameters, maximal=maximal)
        linearize = truth_of("linearize", linearize)
        starts, u, count = batch_of(self.model, states, controls, threads)
        outside = outside_of(self.model, wrenches, joint_forces, u.shape[1])
        checked = [self._checked(s) for s in starts]
        results: list[Any] = [None] * len(u)
        self._load()

        def run(offset: int) -> None:  # a thread keeps one set of work arrays for all its worlds
            workspace = self._kernels.ThreadWorkspace(self._packed)
            for b in range(offset, len(u), count):
                results[b] = self._rollout(workspace, checked[b], u[b], linearize, outside)

        spread(run, count, count)
        return results

    # derivatives

    def linearize(
        self,
        state: State,
        control: Array | None = None,
        *,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
        parameters: Sequence[str] | None = None,
        coordinates: str = "minimal",
        epsilon: float | None = None,
        centred: bool | None = None,
    ) -> Linearization:
        """A (n, n) and B (n, nu) of one step by differences, n = 2nv + na, tangents [δq, δv, δact]; control limits are respected.

        epsilon: displacement of each coordinate, velocity, activation and control, in its own unit, by default 1e-6. centred: by
        default True; False: one-sided. Where the step, or one beside it, fails, A and B are zero and .status says why.
        Where controls come late, on_their_way holds what those on their way do, and widened() A and B with them.
        """
        refuse_hard(kappa=kappa, parameters=parameters)
        if coordinates_of(coordinates) == "maximal":
            refuse("soft", "its states are joint coordinates", coordinates=coordinates)
        centred = centred is None or truth_of("centred", centred)
        epsilon = differences.EPSILON if epsilon is None else real_number("epsilon", epsilon, above=0.0, most=0.1)
        start, u = self._checked(state), control_of(self.model, control)
        outside = outside_of(self.model, wrenches, joint_forces, 1)
        arrivals = Arrivals(self.model, self.timestep, start, u[None])
        with self._lock:
            found = differences.linearize(
                self.model, lambda s, v: self._run(self._workspace, s, v[None], outside, False, True), start, arrivals.acting[0],
                epsilon, centred,
            )  # fmt: skip
            if arrivals.first is None:
                return found
            found = replace(found, next_state=self._run(self._workspace, start, u[None], outside).state(1))
        if not late_controls(self.model):
            return found
        B, line = split_by_delay(self.model, arrivals.first, start.time, found.B)
        return replace(found, B=B, on_their_way=line)

    def rollout_vjp(
        self,
        trajectory: Trajectory,
        cotangents: Array,
        *,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
        parameters: Sequence[str] | None = None,
    ) -> RolloutGradient | ParameterGradient:
        """Gradient of a scalar by a trajectory's first state and its controls, in reverse mode on A and B of its steps.

        cotangents: the scalar's derivative by the final state (2nv + na,), or by every state (T + 1, 2nv + na), tangents
        [δq, δv, δact]; the gradient by the first state is one of these. A trajectory that holds A, B is taken as it is. Of another
        one every step is differentiated by centred differences, as `linearize` does, with the wrenches and joint forces it had.
        Controls are those that were sent, where they come late too. Raises ValueError when these steps do not lead to the
        trajectory's states.
        """
        having("trajectory", trajectory, ("qpos", "A", "metadata", "state"), "a Trajectory")
        refuse_hard(kappa=kappa, parameters=parameters)
        model, T = self.model, len(trajectory)
        given = cotangents_of(cotangents, T, 2 * model.nv + model.na)
        if trajectory.A is not None and trajectory.B is not None:
            return recorded_gradient(trajectory, given)
        check_timestep(trajectory, self.timestep)
        start, outside = self._checked(trajectory.state(0)), outside_of(model, wrenches, joint_forces, T)
        controls = controls_of(model, trajectory.control)
        arrivals = Arrivals(model, self.timestep, start, controls)
        before = arrivals.complete(np.diff(trajectory.time) > 0.0)
        with self._lock:
            check_same_states(self._run(self._workspace, start, controls, outside), trajectory)

            def step_at(t: int) -> differences.Stepper:
                return lambda s, u: self._run(self._workspace, s, u[None], outside.at(t), False, True)

            A, B, status = differences.along(model, step_at, replace(trajectory, control=arrivals.acting))
        found = pull_back(A, B, given, status)
        if before is None:
            return found
        return found._replace(control=sent(model, before.history[0], before.time, before.moved, found.control))

    def _evaluate(self, state: State, control: Any, qacc: Array, inverse: Array, energy: Array) -> None:
        """Forward pass at the state, with the extras of `run`: results in `work`."""
        from dojo_py.soft.noted import allocate_noted

        s, u = self._checked(state), control_of(self.model, control)
        states, extras = self._kernels.States(s.qpos[None], s.qvel[None], s.act[None]), self._kernels.Extras(qacc, inverse, energy)
        no_outcomes = self._kernels.Outcomes(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        self._load()
        with self._lock:
            model_handle, again = self._handle_of(s), True
            while again:
                self._kernels.run(
                    model_handle, self._workspace.handle, states, u[None], outside_of(self.model, None, None, 1),
                    allocate_noted(self.model, 0, 0), -1, no_outcomes, extras, NO_TABLE, 0, 0,
                )  # fmt: skip
                again = self._workspace.grow()

    def inverse(self, state: State, qacc: Array) -> Array:
        """(nv,) force [N, N m] by actuators and from outside that makes the acceleration qacc (nv,), contacts included."""
        out = np.zeros(self.model.nv)
        self._evaluate(state, None, vector("qacc", qacc, (self.model.nv,)), out, np.zeros(0))
        return out

    def acceleration(self, state: State, control: Array | None = None) -> Array:
        """(nv,) forward dynamics: the acceleration at this state, constraint forces included. All results stay in `work`."""
        self._evaluate(state, control, np.zeros(self.model.nv), np.zeros(0), np.zeros(0))
        return self.work.solver.qacc.copy()

    def energy(self, state: State) -> float:
        """Kinetic plus potential energy [J]: gravity and springs."""
        out = np.zeros(8)
        self._evaluate(state, None, np.zeros(self.model.nv), np.zeros(0), out)
        return float(out[:2].sum())

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear momentum (3,) [kg m/s] and angular momentum (3,) [kg m²/s] about the centre of mass, world frame."""
        out = np.zeros(8)
        self._evaluate(state, None, np.zeros(self.model.nv), np.zeros(0), out)
        return out[2:5], out[5:8]
