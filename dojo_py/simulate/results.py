"""State, Step, Contacts, Linearization: frozen records of numpy arrays, the same for both modes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dojo_py.mechanism.views import coordinates_of
from dojo_py.simulate.ending import Ending
from dojo_py.simulate.history import DelayLine
from dojo_py.simulate.readings import NOTHING, Readings
from dojo_py.simulate.status import Status

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Exact:
    """The hard mode's own numbers behind a state, so that going on from it loses nothing; valid for that qpos and qvel only."""

    bodies: Array
    """(nb, 13) [x, v, q, ω] of the moving bodies at their centres of mass."""
    impulses: Array
    """What the last step left for the next one's first guess; zeros for a cold start."""
    qpos: Array
    qvel: Array
    kinematics: int = 0
    """Tells apart simulators in which the same coordinates mean other poses or motions of bodies: other models and time steps."""


@dataclass(frozen=True, eq=False)
class State:
    """State of the simulation. `dataclasses.replace(state, qpos=...)` makes another one."""

    qpos: Array
    """(nq,) joint coordinates."""
    qvel: Array
    """(nv,) joint velocities; in the hard mode the difference of the coordinates over the last interval."""
    act: Array
    """(na,) activations of stateful actuators."""
    time: float = 0.0
    """[s]"""
    maximal: Array | None = None
    """Hard mode: (nbody, 13) rows [x, v, q, ω] of the model's bodies at their own centres of mass, body-frame axes; x, v in the
    world [m, m/s], q body to world, ω in the body [rad/s]; velocities over the interval that led to the pose, after steps in parts
    from which bodies carry a momentum over its last part (docs/algorithm.md). Row 0: the world."""
    exact: Exact | None = field(default=None, repr=False)
    model: Any = field(default=None, repr=False)
    """What was simulated, for `joint`; states that you make yourself have none unless you give it."""
    mocap_pos: Array | None = None
    """(nmocap, 3) where the mocap bodies are, world [m]. None: as in the model; likewise below."""
    mocap_quat: Array | None = None
    """(nmocap, 4) their orientations, body to world."""
    eq_active: Array | None = None
    """(neq,) bool: the equality constraints that hold."""
    history: Array | None = field(default=None, repr=False)
    """(nhistory,) samples of sensors that come late or seldom, as MuJoCo's `data.history`. None: at its start nothing was there."""

    def joint(self, key: str | int) -> JointState:
        """Coordinates of one joint by its name or number: `state.joint("knee").qpos`."""
        if self.model is None:
            raise ValueError("this state knows no model: take it from a simulator, or make it with State(..., model=model)")
        for name, size in (("qpos", self.model.nq), ("qvel", self.model.nv)):
            if np.shape(getattr(self, name)) != (size,):
                raise ValueError(
                    f"{name} has shape {np.shape(getattr(self, name))}, expected ({size},): the state's model is another"
                )
        qpos, qvel = coordinates_of(self.model, key)
        return JointState(self.qpos[qpos], self.qvel[qvel])


@dataclass(frozen=True, eq=False)
class JointState:
    """Coordinates of one joint; arrays also for a hinge or a slide, which has one."""

    qpos: Array
    """(1 to 7,) [rad, m]"""
    qvel: Array
    """(1 to 6,) [rad/s, m/s]"""


@dataclass(frozen=True, eq=False)
class Contacts:
    """One row per candidate contact, n rows; candidates that took no part in the step have impulse 0.

    The impulse acts on the first body, its opposite on the second: impulse[0] along the normal, [1:] along the tangents.
    """

    bodies: Array
    """(n, 2) bodies of the model; 0 is the world."""
    geoms: Array
    """(n, 2)"""
    position: Array
    """(n, 3) midway between the surfaces, world [m]."""
    frame: Array
    """(n, 3, 3) rows: normal from the second body to the first, two tangents; world."""
    gap: Array
    """(n,) distance of what touches after the step [m]: of a point from the plane of a face, which goes on beyond the face. The
    distance of the surfaces is `Trajectory.min_gap`, of all pairs. Soft mode: position, frame and gap where the step starts, as in
    `mjData.contact`.
    """
    impulse: Array
    """(n, 3) [N s]"""
    body_table: tuple[str, ...] = field(default=(), repr=False)
    geom_table: tuple[str, ...] = field(default=(), repr=False)
    torque: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(n, 3) of torsional and rolling friction on the first body [N m s]: about the normal and the tangents."""

    def __len__(self) -> int:
        return len(self.gap)

    @property
    def body_names(self) -> list[tuple[str, str]]:
        """Names of the two bodies of each row."""
        return [(self.body_table[a], self.body_table[b]) for a, b in self.bodies]

    @property
    def geom_names(self) -> list[tuple[str, str]]:
        """Names of the two geoms of each row; empty where a geom has none."""
        return [(self.geom_table[a], self.geom_table[b]) for a, b in self.geoms]

    @property
    def world_impulse(self) -> Array:
        """(n, 3) impulse on the first body in world axes [N s]."""
        return np.einsum("ni,nij->nj", self.impulse, self.frame)


@dataclass(frozen=True, eq=False)
class Step:
    """One step's outcome."""

    state: State
    status: Status
    iterations: int
    """Newton iterations, one factorisation each: all attempts, shorter steps and repetitions. Of several islands the most."""
    residual: float
    """Hard mode: largest residual as a velocity [m/s, rad/s]. Soft mode: scaled norm of the cost's gradient."""
    complementarity: float
    """Hard mode: largest violation of b∘c = κ e [SI]; without κ gaps count beyond twice their standoff (1e-10 m). Soft mode: 0."""
    contacts: Contacts
    substeps: int = 1
    """Parts in which the step was solved, the most of any island of bodies; 1: whole. 0: it failed, the state is as it was."""
    attempts: int = 1
    """Solves that it took, the most of any island of bodies."""
    round_off: float = 0.0
    """Hard mode: how much of `residual` the round-off of poses, angles and impulses explains: residual - round_off meets the
    tolerance of a step that is SOLVED [m/s, rad/s]."""
    readings: Readings = field(default=NOTHING, repr=False)
    ending: Ending = Ending.UNKNOWN
    """Hard mode: where the end of the step comes from: why it is INEXACT (`Ending.message`)."""

    @property
    def sensordata(self) -> Array:
        """(nsensordata,) outputs of the sensors: of the state before the step, and of the forces in it (docs/sensors.md)."""
        return self.readings.data[0]

    def sensor(self, name: str) -> Array:
        """(dim,) output of one sensor."""
        return self.readings.sensor(name)[0]

    @property
    def solved(self) -> bool:
        """The step met its tolerances."""
        return self.status is Status.SOLVED


@dataclass(frozen=True, eq=False)
class Linearization:
    """[δq, δv, δact] after a step = A [δq, δv, δact] before + B δcontrol; tangents as in `model.difference`."""

    A: Array
    """(2 nv + na, 2 nv + na)"""
    B: Array
    """(2 nv + na, nu)"""
    next_state: State
    parameters: dict[str, Array] = field(default_factory=dict)
    """Name of a parameter -> (2 nv + na, p): of [δq, δv, δact]."""
    kappa: float = 0.0
    """Central-path parameter at which the derivatives hold [N m s]."""
    residual: float = 0.0
    """Of the step that was differentiated [m/s, rad/s]."""
    centring: float = 0.0
    """Largest |b∘c - κ e| of that step [N m s]."""
    status: Status = Status.SOLVED
    """Of that step: the derivatives are those of its last iterate when it is not SOLVED."""
    on_their_way: DelayLine | None = None
    """Where controls come late (`delay`): how the step depends on those on their way; B holds what is sent, which does nothing yet.
    None where none does."""

    def widened(self) -> tuple[Array, Array]:
        """(A, B) with the controls on their way behind the state: [δq, δv, δact, δsamples], n more rows and columns."""
        return (self.A, self.B) if self.on_their_way is None else self.on_their_way.widened(self.A, self.B)
