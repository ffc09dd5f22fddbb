"""HardSimulator: rigid-body dynamics with hard contact behind the simulator interface that both modes share."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.hard import checks, energy_momentum
from dojo_py.hard.contact_table import FRAME, GAP, IMPULSE, POSITION, TORQUE, geoms_of, used_rows
from dojo_py.hard.engine import Engine
from dojo_py.hard.flags import acting_model, placed_model
from dojo_py.hard.largest_kappa import largest_kappa
from dojo_py.hard.linearized import linearized
from dojo_py.hard.options import HardOptions
from dojo_py.hard.placement import MOST_PLACED, placed_simulator
from dojo_py.hard.report import ATTEMPTS, COUNT, ENDED, PARTS, RESIDUAL, ROUND_OFF, STATUS, WORST
from dojo_py.hard.rollout_gradient import gradient_by_controls, gradient_by_parameters
from dojo_py.hard.world import World, build_world
from dojo_py.simulate.arguments import (
    Outside,
    batch_of,
    control_of,
    controls_of,
    coordinates_of,
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
from dojo_py.simulate.ending import Ending
from dojo_py.simulate.history import history_size
from dojo_py.simulate.poses import HasPoses
from dojo_py.simulate.readings import NOTHING
from dojo_py.simulate.results import Contacts, Linearization, State, Step
from dojo_py.simulate.reverse import (
    ParameterGradient,
    RolloutGradient,
    check_gradient_kappa,
    check_timestep,
    cotangents_of,
    recorded_gradient,
)
from dojo_py.simulate.simulator import refuse
from dojo_py.simulate.status import Status
from dojo_py.simulate.trajectory import Trajectory
from dojo_py.simulate.values import count, having, truth_of

if TYPE_CHECKING:
    from dojo_py.hard.parameters.registry import Parameter

Array = np.ndarray

DEFAULT_KAPPA = 3e-4
"""Central-path parameter of derivatives unless another is asked for [N m s] (Dojo, section VI)."""


def _same(a: Array, b: Any) -> bool:
    """Whether two arrays are one, or hold the same numbers."""
    return a is b or np.array_equal(a, b)


class HardSimulator(HasPoses):
    """Simulates a model with hard contact: a variational integrator and an interior-point method for every step.

    model: a dojo_py.Model, or what `load_model` takes (a file, the name of a shipped model).
    timestep [s] replaces the model's. friction: "cone" (Coulomb), "pyramid" (its linearisation) or "none". unsupported: "error"
    refuses what the hard mode does not simulate, by name; "warn" and "skip" leave it out. May be shared between threads. Methods:
    as in `Simulator`, and those about parameters and the central path.
    """

    mode = "hard"

    def __init__(
        self,
        model: Any,
        timestep: float | None = None,
        *,
        friction: str = "cone",
        options: HardOptions | None = None,
        unsupported: str = "error",
    ):
        if isinstance(model, (str, bytes, PathLike)):
            from dojo_py.formats import load_model

            model = load_model(model)
        accepted = "a Model, as load_model returns it, or what load_model takes (SoftSimulator takes a mujoco.MjModel)"
        self.model = having("model", model, ("opt", "nq", "body_mass", "replace"), accepted)
        self.timestep = timestep_of(model, timestep)
        self._acting = acting_model(model)
        self.friction = friction
        self.options = options_of(HardOptions, options)
        self._first_timestep = self.timestep  # (`with_parameters` does not change how far impulses reach at kappa)
        self.world: World = build_world(self._acting, friction, unsupported, self.timestep)
        label = {"mode": "hard", "model": model.name, "timestep": self.timestep, "friction": friction}
        self._engine = Engine(model, self.world, self.timestep, self.options, label)
        self._plane_geoms = self.world.planes.geom.astype(int).reshape(-1, 2)
        self._geom_body = np.asarray(model.geom_bodyid, int)
        self._jacobians: dict[tuple[str, ...], Any] = {}
        self._scale: tuple[World, float] | None = None
        self._usual = usual_placement(model)
        self._remembers, self._quiet = history_size(model) > 0, outside_of(model, None, None, 1)
        self._root, self._placement = self, b""
        self._values: list[dict[str, Any]] = []
        self._frames: Any = None
        self._sensed: Any = None
        self._placed_as: Any = None
        self._placed: dict[bytes, HardSimulator] = {}
        self._lock = threading.Lock()

    def _at(self, state: State) -> HardSimulator:
        """The simulator of the world in which a state's mocap bodies and equalities are: this one, or one like it."""
        placed = placed_of(self._usual, state_of(state, model=self.model))
        key, root = placed.key(self._usual), self._root
        if key == self._placement:
            return self
        if not key:
            return root
        with root._lock:
            found = root._placed.pop(key, None)
            if found is None:
                found = placed_simulator(root, placed, key)
            root._placed[key] = found  # (the latest is the last)
            while len(root._placed) > MOST_PLACED:
                root._placed.pop(next(iter(root._placed)))
        return found

    # states and inputs

    def initial_state(
        self,
        qpos: Array | None = None,
        qvel: Array | None = None,
        *,
        act: Array | None = None,
        keyframe: str | int | None = None,
    ) -> State:
        """State at time 0: the given coordinates, else those of the keyframe, else the model's initial pose at rest.

        qvel (nv,) is the difference of the coordinates over the interval that led to qpos. Raises ValueError when a body would
        turn by half a turn or more within it.
        """
        start = start_of(self.model, qpos, qvel, act, keyframe)
        return self._at(start)._checked(start)

    def _checked(self, state: State) -> State:
        """A fresh state with its exact part, made from qpos and qvel unless it already belongs to them."""
        m, exact = self.model, state_of(state, model=self.model).exact
        qvel, act = vector("qvel", state.qvel, (m.nv,)), vector("act", state.act, (m.na,))
        time = state.time if type(state.time) is float and isfinite(state.time) else float(vector("time", state.time, ()))
        if exact is not None and self._engine.owns(exact):
            qpos = vector("qpos", state.qpos, (m.nq,))
            if _same(exact.qpos, state.qpos) and _same(exact.qvel, state.qvel):
                placed = placed_of(self._usual, state)
                return State(qpos, qvel, act, time, state.maximal, exact, m, *placed, state.history)
        fresh = self._engine.state(checks.configuration(m, state.qpos), qvel, act, time)
        return placed_of(self._usual, state).put(replace(fresh, history=state.history))

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
        """One step with control (nu,), wrenches (nbody, 6): world force and torque about the bodies' centres of mass [N, N m], and
        joint_forces (nv,) along the joints' coordinates, beside the actuators'.

        kappa [N m s] solves the relaxed problem b∘c = κ e to the central path, None the hard limit. Bodies that joints, loops or
        contacts connect are solved apart from the others; those that cannot be solved end at the best point found (INEXACT) or,
        where none is usable, stay as they are while a Status says why. When nothing moved the state is the one before.
        """
        if (at := self._at(state)) is not self:
            return at.step(state, control, kappa=kappa, wrenches=wrenches, joint_forces=joint_forces)
        start, u = self._checked(state), control_of(self.model, control)
        quiet = wrenches is None and joint_forces is None
        outside = self._quiet if quiet else outside_of(self.model, wrenches, joint_forces, 1)
        arrivals = Arrivals(self.model, self.timestep, start, u[None]) if self._remembers else None
        record = self._engine.run(
            start, u[None] if arrivals is None else arrivals.acting, outside, checks.kappa_of(kappa), True, True, sense=True
        )
        report = record.reports[0].tolist()
        readings = self._engine.readings(arrivals, np.array([start.time]), record, outside) or NOTHING
        end = self._engine.end(start, record, readings.history_at(1))
        return Step(
            end, Status(int(report[STATUS])), int(report[COUNT]), report[RESIDUAL], report[WORST], self._contacts(record.contacts),
            int(report[PARTS]), int(report[ATTEMPTS]), report[ROUND_OFF], readings, Ending(int(report[ENDED])),
        )  # fmt: skip

    def _contacts(self, table: Array) -> Contacts:
        """The contact table of the kernels under the model's names."""
        m, planes = self.model, self._plane_geoms
        table = used_rows(self.world, table)
        geoms = planes.copy() if len(table) == len(planes) else geoms_of(self.world, np.arange(len(table)), table)
        bodies = self._geom_body[geoms]
        return Contacts(
            bodies, geoms, table[:, POSITION : POSITION + 3], table[:, FRAME : FRAME + 9].reshape(-1, 3, 3), table[:, GAP],
            table[:, IMPULSE : IMPULSE + 3], m.body_names, m.geom_names, table[:, TORQUE : TORQUE + 3],
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
        """Steps with controls (T, nu), wrenches (nbody, 6) or (T, nbody, 6) and joint_forces (nv,) or (T, nv); the same numbers as
        T calls of `step`.

        kappa [N m s]: simulate the relaxed problem; above `largest_kappa()` the motion means nothing, and a UserWarning says so.
        maximal: record the maximal states too, by default True. After an unsolved step the rollout goes on from the state that it
        left.
        linearize: also record A (T, n, n) and B (T, n, nu), n = 2nv + na, of every step, differentiated at gradient_kappa [N m s];
        by default that is kappa, and DEFAULT_KAPPA when the simulation is in the hard limit. gradient_status: of these derivatives;
        a step whose A or B overflow has zeros there and NOT_FINITE; TOO_FAST where A of the step before does not multiply with it
        (see `linearize`). parameters: names as in `linearize`, which this switches on;
        also record parameters[name] (T, n, p) of every step.
        """
        if (other := self._at(state)) is not self:
            return other.rollout(
                state, controls, kappa=kappa, wrenches=wrenches, joint_forces=joint_forces, maximal=maximal, linearize=linearize,
                gradient_kappa=gradient_kappa, parameters=parameters,
            )  # fmt: skip
        start = self._checked(state)
        u, names = controls_of(self.model, controls), names_of("parameters", parameters)
        outside = outside_of(self.model, wrenches, joint_forces, len(u))
        k = checks.motion_kappa_of(kappa, self.largest_kappa)
        maximal = maximal is None or truth_of("maximal", maximal)
        at = self._gradient_kappa(truth_of("linearize", linearize) or bool(names), kappa, gradient_kappa)
        return self._trajectory(start, u, outside, k, maximal, at, names)

    def _trajectory(
        self, start: State, controls: Array, outside: Outside, kappa: float, maximal: bool, gradient_kappa: float | None,
        names: tuple[str, ...],
    ) -> Trajectory:  # fmt: skip
        """A roll-out from a checked state; with derivatives by parameters where they have names."""
        jacobian = self._parameter_jacobian(names) if names else None
        return self._engine.trajectory(start, controls, outside, kappa, maximal, gradient_kappa, jacobian)

    def loop(self, steps: int, *, contacts: bool = False) -> Any:
        """HardLoop: memory for roll-outs of so many steps whose controls a function decides while they run (hard/loop.py)."""
        from dojo_py.hard.loop import HardLoop

        return HardLoop(self, count("steps", steps), truth_of("contacts", contacts))

    def _gradient_kappa(self, linearize: bool, kappa: Any, gradient_kappa: Any) -> float | None:
        """Where a roll-out is differentiated, None where it is not; ValueError where it cannot be."""
        chosen = None if gradient_kappa is None else checks.gradient_kappa_of(gradient_kappa, "gradient_kappa")
        if not linearize:
            return None
        refuse_late_controls(self.model, "linearize")
        if chosen is not None:
            return chosen
        return DEFAULT_KAPPA if kappa is None else checks.gradient_kappa_of(kappa)

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

        threads: at most so many at a time, all cores by default. maximal: by default False. The rest as in `rollout`, the same for
        all.
        """
        starts, u, threads = batch_of(self.model, states, controls, threads)
        names = names_of("parameters", parameters)
        outside = outside_of(self.model, wrenches, joint_forces, u.shape[1])
        k = checks.motion_kappa_of(kappa, self.largest_kappa)
        at = self._gradient_kappa(truth_of("linearize", linearize) or bool(names), kappa, gradient_kappa)
        maximal = maximal is not None and truth_of("maximal", maximal)
        sims = [self._at(s) for s in starts]
        checked = [sim._checked(s) for sim, s in zip(sims, starts, strict=True)]
        for sim in sims if names else ():
            sim._parameter_jacobian(names)

        def run(b: int) -> Trajectory:
            return sims[b]._trajectory(checked[b], u[b], outside, k, maximal, at, names)

        return spread(run, len(u), threads)

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
        """A (n, n) and B (n, nu), n = 2nv + na, of the step at kappa [N m s], by default DEFAULT_KAPPA; next_state: its end.
        Tangents [δq, δv, δact]: of `model.difference`, then of the activations of stateful actuators.

        The smaller kappa, the closer to the hard limit and the stiffer: 1e-1 … 1e-8; where round-off hides it .status is INEXACT.
        parameters: names ("mass", "friction:floor", see `parameter`); .parameters[name] (n, p) is the derivative of [δq, δv, δact]
        by their p numbers, the state held. No entry is ever NaN: derivatives that overflow are zero and .status is NOT_FINITE.

        With delayed controls on_their_way holds the derivatives by those on their way; widened(): A and B with these as states.
        coordinates: "maximal" gives A (12 nbody, 12 nbody) and B (12 nbody, nu) of the step between maximal states instead: 12 rows
        a body, tangents [δx, δv, δφ, δω] of `State.maximal`, zero for what is fixed to the world, activations left out. The step
        reads the joints' coordinates from the bodies that carry them, so what violates a joint has no effect.
        epsilon, centred are refused: these derivatives are exact.

        A step in parts has A and B, with the number of its parts held; a momentum that its state carries beside qvel is held in the
        body's axes, so that A of the step before and this one do not multiply (`rollout_vjp` follows it). TOO_FAST, with zeros:
        parameters and maximal coordinates of such a step, and where forces rotate with bodies (docs/algorithm.md).
        """
        refuse("hard", "its derivatives are exact, not differences", epsilon=epsilon, centred=centred)
        if (other := self._at(state)) is not self:
            return other.linearize(
                state, control, kappa=kappa, wrenches=wrenches, joint_forces=joint_forces, parameters=parameters,
                coordinates=coordinates,
            )  # fmt: skip
        coordinates, names = coordinates_of(coordinates), names_of("parameters", parameters)
        if coordinates == "maximal" and names:
            raise ValueError("parameters: their derivatives are in minimal coordinates; ask for them in a call of its own")
        start, u = self._checked(state), control_of(self.model, control)
        k = checks.gradient_kappa_of(DEFAULT_KAPPA if kappa is None else kappa)
        outside = outside_of(self.model, wrenches, joint_forces, 1)
        return linearized(self, start, u, k, outside, names, coordinates)

    # parameters

    def parameter(self, name: str) -> Parameter:
        """Labels, unit and present values of the parameters of a name: a kind, or kind:object.

        Kinds: docs/parameters.md, `dojo_py.hard.parameters.registry.PARAMETER_NAMES`. Objects: bodies, joints, geoms, tendons,
        sites, equalities, actuators.
        """
        from dojo_py.hard.parameters.registry import parameter

        return parameter(self.world, self._acting, self.timestep, name)

    def with_parameters(self, values: dict[str, Any]) -> HardSimulator:
        """A simulator with other values, by names as in `parameter`; nothing is compiled anew and `model` stays what it was:
        `to_model` gives one that has the values.
        """
        from dojo_py.hard.parameters.change import with_parameters

        return with_parameters(self, values)

    def _model_of_poses(self) -> Any:
        """With the frames that `with_parameters` gave; made once."""
        from dojo_py.hard.parameters.to_model import FRAMES, changed_model, with_own_centres

        if self._frames is None:
            self._frames = with_own_centres(self, changed_model(self, FRAMES)) if self._values else self.model
        return self._frames

    def _model_of_sensors(self) -> Any:
        """The one that acts, with the values that `with_parameters` gave; made once."""
        from dojo_py.hard.parameters.to_model import SENSED, SHAPES, changed_model

        if not self._values:
            return self._acting
        if self._sensed is None:
            try:
                changed = changed_model(self, SENSED)
            except ValueError as error:  # (a step may read sensors, and must not fail for them)
                warnings.warn(f"sensors know of other frames and sizes only, not of masses and springs: {error}", stacklevel=2)
                changed = changed_model(self, SHAPES)
            acting = acting_model(changed)
            self._sensed = acting if self._placed_as is None else placed_model(acting, self._placed_as)
        return self._sensed

    def to_model(self) -> Any:
        """The model with the values that `with_parameters` gave this simulator: for `save_mjcf`, the soft mode, a new simulator.

        Parts that are joined rigidly to a body keep their masses, the body itself takes what changed. Friction is written to the
        geoms, whose larger coefficient counts, or to listed pairs. Raises ValueError for what no model can hold: restitution,
        corners of a box moved one by one, coefficients of friction that geoms cannot share, a body lighter than its parts.
        """
        from dojo_py.hard.parameters.to_model import changed_model

        return changed_model(self)

    def _parameter_jacobian(self, names: tuple[str, ...]) -> Any:
        from dojo_py.hard.parameters.differentiate import ParameterJacobian

        if names not in self._jacobians:
            self._jacobians[names] = ParameterJacobian(self.world, self._acting, self.timestep, names)
        return self._jacobians[names]

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
        """Gradient of a scalar by a trajectory's first state and its controls, in reverse mode.

        cotangents: the scalar's derivative by the final state (2nv + na,), or by every state (T + 1, 2nv + na), tangents
        [δq, δv, δact]; the gradient by the first state is one of these. A trajectory that holds A, B is taken as it is; another
        kappa than theirs is refused. Of another one every step is solved again, from the last to the first, with the wrenches and
        joint forces it had, and differentiated at kappa (default: the one it was simulated with, DEFAULT_KAPPA in the hard limit)
        by one transposed solve, without A and B. Controls are those that were sent, where they come late too. Raises ValueError
        when these steps do not lead to the trajectory's states.

        parameters: names as in `linearize`; the gradient then has `.parameters`, name -> (p,). The steps are solved again, with A,
        B and the derivatives by the parameters; a trajectory that holds A, B must hold these, too. Where controls come late,
        "timestep" is refused: it moves their samples.
        """
        having("trajectory", trajectory, ("qpos", "A", "metadata", "state"), "a Trajectory")
        at = None if kappa is None else checks.gradient_kappa_of(kappa)
        given = cotangents_of(cotangents, len(trajectory), 2 * self.model.nv + self.model.na)
        names = names_of("parameters", parameters)
        if trajectory.A is not None and trajectory.B is not None:
            if at is not None:
                check_gradient_kappa(trajectory, at)
            return recorded_gradient(trajectory, given, None if parameters is None else names)
        if (other := self._at(trajectory.state(0))) is not self:
            return other.rollout_vjp(
                trajectory, cotangents, kappa=kappa, wrenches=wrenches, joint_forces=joint_forces, parameters=parameters
            )
        check_timestep(trajectory, self.timestep)
        simulated = checks.kappa_of(trajectory.metadata.get("kappa"))
        at = at or simulated or DEFAULT_KAPPA
        outside = outside_of(self.model, wrenches, joint_forces, len(trajectory))
        if parameters is not None:
            return gradient_by_parameters(self, trajectory, given, names, outside, simulated, at)
        return gradient_by_controls(self, trajectory, given, outside, simulated, at)

    def trace(self, state: State, control: Array | None = None, *, kappa: float | None = None) -> Array:
        """(iterations + 1, 6) the iterations of one step's solve, of its last one when it took several.

        Columns: residual [m/s], complementarity [N m s], its mean, step length, affine step length, centring σ; the last three
        are 0 in the final row.
        """
        at = self._at(state)
        start = at._checked(state)
        arrivals = Arrivals(self.model, self.timestep, start, control_of(self.model, control)[None])
        return at._engine.trace(start, arrivals.acting[0], checks.kappa_of(kappa))

    # measures

    def largest_kappa(self) -> float:
        """Central-path parameter above which a roll-out has no meaning [N m s]: contacts carry the weight at a distance as large as
        the model (hard/largest_kappa.py). In a roll-out at κ the model floats at κ / largest_kappa() times its size.
        """
        if self._scale is None or self._scale[0] is not self.world:
            self._scale = self.world, largest_kappa(self.model, self.world, self.timestep)
        return self._scale[1]

    def energy(self, state: State) -> float:
        """Kinetic plus potential energy [J], springs and rotors included, taken mid-step: half a step before the state's pose."""
        s = self._at(state)._checked(state)
        assert s.exact is not None
        paths = self._engine.tendon_lengths(s.exact.bodies)
        left, fast = s.exact.impulses, self._engine.over_fast_parts(s)
        return energy_momentum.energy(self.world.layout, s.exact.bodies, s.qpos, s.qvel, self.timestep, paths, left, fast)

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) [kg m²/s] momentum about the centre of mass, world axes: what a step conserves."""
        s = self._at(state)._checked(state)
        assert s.exact is not None
        left, fast = s.exact.impulses, self._engine.over_fast_parts(s)
        return energy_momentum.momentum(self.world.layout, s.exact.bodies, self.timestep, left, fast)
