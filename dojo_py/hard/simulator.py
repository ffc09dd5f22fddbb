"""HardSimulator: rigid-body dynamics with hard contact behind the simulator interface that both modes share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.announce import FirstUse
from dojo_py.hard import checks, measures
from dojo_py.hard.gradients.reverse import RolloutGradient, cotangents_of, pull_back
from dojo_py.hard.options import HardOptions
from dojo_py.hard.warm_start import warm_size
from dojo_py.hard.world import WorkPool, build_world
from dojo_py.simulate.results import Contacts, Exact, Linearization, State, Step
from dojo_py.simulate.status import Status
from dojo_py.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from dojo_py.hard.parameters.registry import Parameter

Array = np.ndarray

DEFAULT_KAPPA = 3e-4
"""Central-path parameter of derivatives unless another is asked for [N m s] (Dojo, section VI)."""

_first_use = FirstUse()


class HardSimulator:
    """Simulates a model with hard contact: a variational integrator and an interior-point method for every step.

    timestep [s] replaces the model's. friction: "cone" (Coulomb), "pyramid" (its linearisation) or "none". unsupported: "error"
    refuses what the hard mode does not simulate, by name; "warn" and "skip" leave it out. May be shared between threads.
    """

    def __init__(
        self,
        model: Any,
        timestep: float | None = None,
        friction: str = "cone",
        options: HardOptions | None = None,
        unsupported: str = "error",
    ):
        timestep = float(model.opt.timestep if timestep is None else timestep)
        if not (np.isfinite(timestep) and timestep > 0):
            raise ValueError(f"timestep={timestep!r} must be positive [s]")
        self.model = model
        self.timestep = timestep
        self.friction = friction
        self.options = options or HardOptions()
        self.world = build_world(model, friction, unsupported)
        self._settings = self.options.as_array()
        self._pool = WorkPool(self.world, model)
        self._jacobians: dict[tuple[str, ...], Any] = {}
        self._kinematics = 0
        self._warm = warm_size(self.world.layout, self.world.planes, self.world.pairs)

    # states and inputs

    def initial_state(
        self, qpos: Array | None = None, qvel: Array | None = None, act: Array | None = None, keyframe: str | int | None = None
    ) -> State:
        """State at time 0: the given coordinates, else those of the keyframe, else the model's initial pose at rest.

        qvel (nv,) is the difference of the coordinates over the interval that led to qpos. Raises ValueError when a body would
        turn by half a turn or more within it.
        """
        m = self.model
        start = [m.qpos0, np.zeros(m.nv), np.zeros(m.na), 0.0]
        if keyframe is not None:
            k = m.key_id(keyframe) if isinstance(keyframe, str) else range(m.nkey)[keyframe]
            start = [m.key_qpos[k], m.key_qvel[k], m.key_act[k], float(m.key_time[k])]
        given = [default if value is None else value for value, default in zip((qpos, qvel, act), start, strict=False)]
        return self._checked(State(given[0], given[1], given[2], start[3]))

    def _checked(self, state: State) -> State:
        """A fresh state with its exact part, made from qpos and qvel unless it already belongs to them."""
        m = self.model
        qvel = checks.vector("qvel", state.qvel, (m.nv,))
        act = checks.vector("act", state.act, (m.na,))
        time = float(checks.vector("time", state.time, ()))
        exact, nb = state.exact, len(self.world.layout.mass)
        if exact is not None and exact.bodies.shape == (nb, 13):
            same = np.array_equal(exact.qpos, state.qpos) and np.array_equal(exact.qvel, qvel)
            fits = exact.qpos.shape == (m.nq,) and exact.impulses.shape == (self._warm,) and exact.kinematics == self._kinematics
            if same and fits and np.all(np.isfinite(exact.bodies)):
                return State(np.array(state.qpos), qvel, act, time, state.maximal, exact)
        qpos = checks.configuration(m, state.qpos)
        bodies = self._bodies(qpos, qvel)
        return State(qpos, qvel, act, time, self._expand(bodies), self._exact(bodies, np.zeros(self._warm), qpos, qvel))

    def _exact(self, bodies: Array, impulses: Array, qpos: Array, qvel: Array) -> Exact:
        return Exact(bodies, impulses, qpos, qvel, self._kinematics)

    def _bodies(self, qpos: Array, qvel: Array) -> Array:
        """(nb, 13) from minimal coordinates, or ValueError."""
        from dojo_py.hard.coordinates import HALF_TURN, maximal_from_minimal

        bodies = np.zeros((len(self.world.layout.mass), 13))
        self._load()
        cosine = maximal_from_minimal(self._pool.tables()[0], qpos, qvel, self.timestep, bodies, np.zeros((96, 12)))
        if not cosine > HALF_TURN:
            raise ValueError(
                f"qvel: a body turns half a turn or more within the timestep {self.timestep:g} s, the domain is |ω| < 2/timestep = "
                f"{2 / self.timestep:g} rad/s; reduce the timestep or the velocity"
            )
        if not np.all(np.isfinite(bodies)):
            raise ValueError("qpos, qvel: the bodies' poses overflow")
        return bodies

    def _expand(self, bodies: Array) -> Array:
        """(nbody, 13) maximal state of the model's bodies."""
        from dojo_py.hard.body_table import expand_once

        out = np.zeros((self.model.nbody, 13))
        expand_once(self._pool.tables()[4], bodies, self.timestep, out, np.zeros((8, 12)))
        return out

    def _control(self, control: Any) -> Array:
        return np.zeros(self.model.nu) if control is None else checks.vector("control", control, (self.model.nu,))

    # simulation

    def step(
        self, state: State, control: Array | None = None, kappa: float | None = None, wrenches: Array | None = None
    ) -> Step:
        """One step with control (nu,) and wrenches (nbody, 6): world force and torque about the bodies' centres of mass [N, N m].

        kappa [N m s] solves the relaxed problem b∘c = κ e to the central path, None the hard limit. A step that fails returns
        the last finite state and a Status that says why.
        """
        start, u = self._checked(state), self._control(control)
        outside = checks.wrenches_of(wrenches, self.model.nbody, 1)
        record = self._run(start, u[None], outside, checks.kappa_of(kappa), True, True)
        report = record.reports[0]
        end = self._end(start, record)
        status = Status(int(report[0]))
        return Step(end, status, int(report[1]), float(report[2]), float(report[3]), self._contacts(record.contacts))

    def _end(self, start: State, record: Any) -> State:
        """The state after the one step of a record."""
        return State(
            record.qpos[1], record.qvel[1], record.act[1], start.time + self.timestep, record.maximal[1],
            self._exact(record.bodies[1], record.impulses[1], record.qpos[1], record.qvel[1]),
        )  # fmt: skip

    def _contacts(self, table: Array) -> Contacts:
        """The contact table of the kernels under the model's names."""
        m = self.model
        geoms = np.concatenate([self.world.planes.geom, self.world.pairs.geom])
        bodies = np.asarray(m.geom_bodyid, int)[geoms].reshape(-1, 2)
        return Contacts(
            bodies, geoms, table[:, 4:7], table[:, 7:16].reshape(-1, 3, 3), table[:, 0], table[:, 1:4], m.body_names, m.geom_names
        )

    def _load(self) -> None:
        """Compile the kernels or load them from the cache, before anything is timed or threaded."""

        def use() -> None:
            m = self.model
            self._run(self.initial_state(m.qpos0), np.zeros((0, m.nu)), np.zeros((0, m.nbody, 6)), 0.0)

        _first_use.once(use)

    def _run(
        self,
        start: State,
        controls: Array,
        wrenches: Array,
        kappa: float,
        maximal: bool = False,
        contacts: bool = False,
        gradient_kappa: float | None = None,
        then: Callable[[Any, Any], None] | None = None,
    ) -> Any:
        """Record of a rollout from a checked state, with derivatives when there is a gradient_kappa.

        then(work, record) is called while the work arrays still hold the last step.
        """
        from dojo_py.hard.rollout import roll_out

        record = self._start_record(start, len(controls), maximal, contacts, gradient_kappa is not None)
        with self._pool.borrow() as mine:
            roll_out(*mine.handles, record, controls, wrenches, self.timestep, kappa, gradient_kappa or 0.0, self._settings)
            if then is not None:
                then(mine, record)
        return record

    def _start_record(self, start: State, steps: int, maximal: bool, contacts: bool, linearize: bool) -> Any:
        """An empty record with a checked state in its first rows."""
        from dojo_py.hard.rollout import allocate_record

        assert start.exact is not None
        record = allocate_record(self.model, self.world, steps, maximal, contacts, linearize)
        record.qpos[0], record.qvel[0], record.act[0] = start.qpos, start.qvel, start.act
        record.bodies[0], record.impulses[0] = start.exact.bodies, start.exact.impulses
        return record

    def rollout(
        self,
        state: State,
        controls: Array,
        wrenches: Array | None = None,
        kappa: float | None = None,
        maximal: bool = True,
        linearize: bool = False,
        gradient_kappa: float | None = None,
    ) -> Trajectory:
        """Steps with controls (T, nu) and wrenches (nbody, 6) or (T, nbody, 6); the same numbers as T calls of `step`.

        maximal: record the maximal states too. After an unsolved step the rollout goes on from the last finite state.
        linearize: also record A (T, 2nv, 2nv) and B (T, 2nv, nu) of every step, differentiated at gradient_kappa [N m s]; by
        default that is kappa, and DEFAULT_KAPPA when the simulation is in the hard limit.
        """
        start = self._checked(state)
        u = checks.vector("controls", controls, (len(controls), self.model.nu))
        outside = checks.wrenches_of(wrenches, self.model.nbody, len(u))
        at = self._gradient_kappa(linearize, kappa, gradient_kappa)
        return self._trajectory(start, u, outside, checks.kappa_of(kappa), maximal, at)

    def _gradient_kappa(self, linearize: bool, kappa: Any, gradient_kappa: Any) -> float | None:
        if not linearize:
            return None
        chosen = kappa if gradient_kappa is None else gradient_kappa
        return DEFAULT_KAPPA if chosen is None else checks.kappa_of(chosen)

    def _trajectory(
        self, start: State, controls: Array, wrenches: Array, kappa: float, maximal: bool, gradient_kappa: float | None = None
    ) -> Trajectory:
        record = self._run(start, controls, wrenches, kappa, maximal, False, gradient_kappa)
        reports = record.reports
        gradients = (None, None, None)
        if gradient_kappa is not None:
            gradients = (record.A, record.B, record.gradients[:, 0].astype(np.int64))
        # added up like the times of single steps, so that both are the same numbers
        time = np.add.accumulate(np.concatenate([[start.time], np.full(len(controls), self.timestep)]))
        return Trajectory(
            time, record.qpos, record.qvel, record.act, controls, reports[:, 0].astype(np.int64), reports[:, 1].astype(np.int64),
            reports[:, 2].copy(), reports[:, 3].copy(), reports[:, 4].copy(), record.maximal if maximal else None, record.bodies,
            record.impulses,
            self._metadata(kappa), *gradients,
        )  # fmt: skip

    def _metadata(self, kappa: float) -> dict[str, Any]:
        data = {"mode": "hard", "model": self.model.name, "timestep": self.timestep, "friction": self.friction, "kappa": kappa}
        return {**data, "kinematics": self._kinematics} if self._kinematics else data

    def rollout_batch(
        self,
        states: Sequence[State] | State,
        controls: Array,
        threads: int | None = None,
        wrenches: Array | None = None,
        kappa: float | None = None,
        maximal: bool = False,
        linearize: bool = False,
        gradient_kappa: float | None = None,
    ) -> list[Trajectory]:
        """B rollouts with controls (B, T, nu), from B states or from one; bit-identical to B calls of `rollout`.

        threads: at most so many at a time, all cores by default. The rest as in `rollout`, the same for all.
        """
        u = np.array(controls, dtype=float)
        if u.ndim != 3:
            raise ValueError(f"controls has shape {u.shape}, expected (B, T, {self.model.nu})")
        u = checks.vector("controls", u, (*u.shape[:2], self.model.nu))
        starts = [states] * len(u) if isinstance(states, State) else list(states)
        if len(starts) != len(u):
            raise ValueError(f"{len(starts)} states for {len(u)} rollouts")
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads!r} must be at least 1")
        outside, k = checks.wrenches_of(wrenches, self.model.nbody, u.shape[1]), checks.kappa_of(kappa)
        differentiate = self._gradient_kappa(linearize, kappa, gradient_kappa)
        checked = [self._checked(s) for s in starts]

        def run(b: int) -> Trajectory:
            return self._trajectory(checked[b], u[b], outside, k, maximal, differentiate)

        threads = min(threads or os.cpu_count() or 1, max(1, len(u)))
        if threads == 1:
            return [run(b) for b in range(len(u))]
        with ThreadPoolExecutor(threads) as pool:  # the kernel releases the interpreter lock
            return list(pool.map(run, range(len(u))))

    def linearize(
        self,
        state: State,
        control: Array | None = None,
        kappa: float | None = DEFAULT_KAPPA,
        parameters: Sequence[str] | None = None,
        wrenches: Array | None = None,
    ) -> Linearization:
        """A (2nv, 2nv) and B (2nv, nu) of the step at kappa [N m s], in the tangents of `model.difference`; next_state: its end.

        The smaller kappa, the closer to the hard limit and the stiffer: 1e-1 … 1e-8. parameters: names ("mass", "friction:floor",
        see `parameter`); .parameters[name] (2nv, p) is the derivative by their p numbers, qpos and qvel held.
        """
        start, u = self._checked(state), self._control(control)
        k = checks.kappa_of(DEFAULT_KAPPA if kappa is None else kappa)
        outside = checks.wrenches_of(wrenches, self.model.nbody, 1)
        columns: dict[str, Array] = {}
        jacobian = self._parameter_jacobian(tuple(parameters)) if parameters else None

        def differentiate(hands: Any, record: Any) -> None:
            if jacobian is not None:
                scheme = int(self._settings[3])
                columns.update(jacobian.columns(hands, start, u, outside, self.timestep, scheme, record.qpos[1]))

        record = self._run(start, u[None], outside, k, True, False, k, differentiate)
        report = record.gradients[0]
        end, status = self._end(start, record), Status(int(report[0]))
        return Linearization(record.A[0], record.B[0], end, columns, k, float(report[2]), float(report[3]), status)

    # parameters

    def parameter(self, name: str) -> Parameter:
        """Labels, unit and present values of the parameters of a name: a kind, or kind:object.

        Kinds: mass, inertia, com, gravity, friction, contact_point, contact_radius, joint_anchor, joint_axis, damping, stiffness,
        springref, armature, frictionloss, gear, timestep. Objects: bodies, joints, geoms, actuators.
        """
        from dojo_py.hard.parameters.registry import parameter

        return parameter(self.world, self.model, self.timestep, name)

    def with_parameters(self, values: dict[str, Any]) -> HardSimulator:
        """A simulator with other values, by names as in `parameter`; nothing is compiled anew and `model` stays what it was."""
        from dojo_py.hard.parameters.change import with_parameters

        return with_parameters(self, values)

    def _parameter_jacobian(self, names: tuple[str, ...]) -> Any:
        from dojo_py.hard.parameters.differentiate import ParameterJacobian

        if names not in self._jacobians:
            self._jacobians[names] = ParameterJacobian(self.world, self.model, self.timestep, names)
        return self._jacobians[names]

    def rollout_vjp(
        self, trajectory: Trajectory, cotangents: Array, kappa: float | None = None, wrenches: Array | None = None
    ) -> RolloutGradient:
        """Gradient of a scalar by a trajectory's first state and its controls, by reverse mode through its A and B.

        cotangents: the scalar's derivative by the final state (2nv,), or by every state (T + 1, 2nv), tangents [δq, δv]. A
        trajectory that holds A, B is taken as it is; another one is rolled out again with its own wrenches, the same numbers, and
        differentiated at kappa (default: the one it was simulated with, DEFAULT_KAPPA in the hard limit).
        """
        if self.model.na:
            raise ValueError("rollout_vjp: A and B do not hold this model's activations, the chain rule would miss them")
        run = trajectory
        if run.A is None or run.B is None or run.gradient_status is None:
            simulated = float(run.metadata.get("kappa", 0.0)) or None
            run = self.rollout(
                run.state(0), run.control, wrenches, simulated, maximal=False, linearize=True, gradient_kappa=kappa
            )
            if not np.array_equal(run.qpos, trajectory.qpos):
                raise ValueError(
                    "trajectory: this simulator makes other states from its first one and its controls; pass the wrenches it had, "
                    "or record it with linearize=True"
                )
        assert run.A is not None and run.B is not None and run.gradient_status is not None
        given = cotangents_of(cotangents, len(run), self.model.nv)
        return RolloutGradient(*pull_back(run.A, run.B, given), run.gradient_status)

    def trace(self, state: State, control: Array | None = None, kappa: float | None = None) -> Array:
        """(iterations + 1, 6) the iterations of one step's solve, of its last one when it took several.

        Columns: residual [m/s], complementarity [N m s], its mean, step length, affine step length, centring σ; the last three
        are 0 in the final row.
        """
        from dojo_py.hard.rollout import roll_out

        start, u = self._checked(state), self._control(control)
        record = self._start_record(start, 1, False, False, False)
        with self._pool.borrow() as mine:
            trace = mine.work.trace
            trace[:] = np.nan
            roll_out(
                *mine.handles, record, u[None], np.zeros((0, self.model.nbody, 6)), self.timestep,
                checks.kappa_of(kappa), 0.0, self._settings,
            )  # fmt: skip
            done = int(np.argmin(np.isfinite(trace[:, 0]))) or len(trace)
            return np.nan_to_num(trace[:done])

    # measures

    def energy(self, state: State) -> float:
        """Kinetic plus potential energy [J], springs and rotors included, taken mid-step: half a step before the state's pose."""
        s = self._checked(state)
        assert s.exact is not None
        return measures.energy(self.world.layout, s.exact.bodies, s.qpos, s.qvel, self.timestep)

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) [kg m²/s] momentum about the centre of mass, world axes: what a step conserves."""
        s = self._checked(state)
        assert s.exact is not None
        return measures.momentum(self.world.layout, s.exact.bodies, self.timestep)
