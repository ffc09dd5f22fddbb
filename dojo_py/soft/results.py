"""What a soft simulation returns: state, step, trajectory, linearisation, status."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class Status(IntEnum):
    """Why a step stopped. Everything but SOLVED says what to try."""

    SOLVED = 0
    MAX_ITERATIONS = 1
    NOT_FINITE = 2
    TOO_MANY_CONTACTS = 3
    SINGULAR = 4

    @property
    def message(self) -> str:
        """One sentence for the user."""
        return _MESSAGES[self]


_MESSAGES = {
    Status.SOLVED: "converged",
    Status.MAX_ITERATIONS: "iteration limit of the constraint solver: raise option iterations, or use Newton",
    Status.NOT_FINITE: "the motion diverged (beyond 1e10); the state before the step is kept: reduce the timestep, soften solref, or use "
    "an implicit integrator",
    Status.TOO_MANY_CONTACTS: "contacts beyond the work arrays were dropped: the result ignores them",
    Status.SINGULAR: "the constraint Hessian is not positive definite: look for bodies without mass or armature",
}


@dataclass(frozen=True)
class State:
    """State of the simulation."""

    qpos: np.ndarray
    """(nq,) joint coordinates"""
    qvel: np.ndarray
    """(nv,) joint velocities"""
    act: np.ndarray
    """(na,) activations of stateful actuators"""
    time: float = 0.0
    """[s]"""


@dataclass(frozen=True)
class Step:
    """One step's outcome."""

    state: State
    status: Status
    iterations: int
    residual: float
    """scaled norm of the cost's gradient (Newton, CG) or last improvement (PGS)"""
    complementarity: float
    """not defined for soft contact: 0"""
    contacts: np.ndarray
    """one record per detected contact: bodies, geoms, position, frame, gap [m], impulse (normal, tangent 2) [N s]"""


@dataclass(frozen=True)
class Trajectory:
    """States at T + 1 times and the outcome of T steps."""

    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    status: np.ndarray
    iterations: np.ndarray
    residual: np.ndarray
    min_gap: np.ndarray
    """(T,) smallest contact distance [m]; inf where nothing is near"""


@dataclass(frozen=True)
class Linearization:
    """next tangent state [dq, dv] = A [dq, dv] + B du around one step."""

    A: np.ndarray
    """(2nv, 2nv)"""
    B: np.ndarray
    """(2nv, nu)"""
    next_state: State
