"""Simulator: the methods that both modes have, with the same names, arguments, defaults and errors.

Beyond its first arguments every method takes keywords only. What has no meaning in a mode is None by default and refused by name
when it is given: κ and derivatives by parameters in the soft mode, the width of finite differences in the hard one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dojo_py.simulate.poses import PointJacobian, Poses
from dojo_py.simulate.results import Linearization, State, Step
from dojo_py.simulate.reverse import ParameterGradient, RolloutGradient
from dojo_py.simulate.trajectory import Trajectory

Array = np.ndarray


class Stepping(Protocol):
    """What makes steps of a model: the part of a Simulator that planners cannot do without."""

    model: Any
    """The Model; in the soft mode a mujoco.MjModel, too."""
    timestep: float
    """[s]"""

    def step(
        self,
        state: State,
        control: Array | None = None,
        *,
        kappa: float | None = None,
        wrenches: Array | None = None,
        joint_forces: Array | None = None,
    ) -> Step:
        """One step with control (nu,), zero by default.

        kappa [N m s]: hard mode: solve the relaxed problem b∘c = κ e; None: the hard limit. wrenches (nbody, 6): world force
        and torque about the bodies' centres of mass [N, N m]. joint_forces (nv,): along the joints' coordinates [N, N m].
        """


@runtime_checkable
class Simulator(Stepping, Protocol):
    """What HardSimulator and SoftSimulator have in common; n = 2nv + na, tangents are [δq, δv, δact] of `model.difference`.

    A step that fails (`Status`) leaves the state as it was and takes no time; a roll-out tries again from there with its next
    control. Nothing is NaN, and no call changes its arguments. Raises ValueError, before any kernel runs, for arrays of other
    shapes, numbers that are not finite, and for arguments that have no meaning in the mode; TypeError for what is no State,
    Trajectory or list of names. What follows from the models of contact stays different: the hard mode refuses quaternions that
    are not unit ones and velocities that turn a body by half a turn within a step, the soft one scales the former, as MuJoCo does.
    """

    @property
    def mode(self) -> str:
        """`hard` or `soft`."""

    def initial_state(
        self,
        qpos: Array | None = None,
        qvel: Array | None = None,
        *,
        act: Array | None = None,
        keyframe: str | int | None = None,
    ) -> State:
        """State at qpos (nq,), qvel (nv,), act (na,): what is given, else the keyframe's, else the model's initial pose at rest."""

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
        """T steps with controls (T, nu); wrenches (nbody, 6) or (T, nbody, 6), joint_forces (nv,) or (T, nv).

        linearize: record A (T, n, n), B (T, n, nu) of every step, and their gradient_status (T,), too. Hard mode: maximal: record
        the maximal states, by default True; gradient_kappa [N m s]: of the derivatives; parameters: names as in `linearize`.
        """

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
        """B roll-outs with controls (B, T, nu), from B states or from one; bit-identical to B calls of `rollout`.

        threads: at most so many at a time, all cores by default. maximal: by default False. The rest as in `rollout`, for all.
        """

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
        """A (n, n) and B (n, nu) of one step; next_state: its end. Derivatives that are not numbers are zero; the status says so.

        Hard mode, exact: kappa [N m s], by default 3e-4; parameters: names whose columns (n, p) are wanted, too; coordinates:
        "minimal" or "maximal". Soft mode, by differences of the step: epsilon: their width, each in its own unit, by default 1e-6;
        centred: by default True.
        """

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

        cotangents: the scalar's derivative by the final state (n,), or by every state (T + 1, n). A trajectory that holds A, B is
        taken as it is; another one is simulated again with the wrenches and joint forces it had. ValueError when that does not
        lead to its states.
        """

    def loop(self, steps: int, *, contacts: bool = False) -> Any:
        """Memory for roll-outs of so many steps whose controls a compiled function decides while they run.

        contacts: keep the table of the latest step's contacts. A HardLoop or a SoftLoop.
        """

    def poses(self, state: State) -> Poses:
        """Frames of bodies, geoms and sites in the world: positions, orientations, velocities (`simulate/poses.py`)."""

    def jacobian(
        self,
        state: State,
        *,
        body: str | int | None = None,
        geom: str | int | None = None,
        site: str | int | None = None,
        point: Any = (0.0, 0.0, 0.0),
    ) -> PointJacobian:
        """How the point (3,) [m] in the frame of a body, geom or site moves with qvel: linear and angular (3, nv), world axes."""

    def energy(self, state: State) -> float:
        """Kinetic plus potential energy [J]: gravity, springs and rotors. Hard mode: half a step before the state's pose."""

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) [kg m²/s] momentum about the centre of mass, world axes."""


def refuse(mode: str, why: str, **arguments: Any) -> None:
    """ValueError for the first argument that is given: it has no meaning in this mode."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{name}: it has no meaning in the {mode} mode: {why}; leave it out")


def kappa_of_mode(sim: Any, kappa: float | None) -> float | None:
    """κ where the simulator has a central path, None in the soft mode.

    For plans, policies and tasks of either mode, whose κ is a setting of the hard one.
    """
    return None if getattr(sim, "mode", "hard") == "soft" else kappa
