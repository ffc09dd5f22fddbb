"""What sensors are read from: the states of T steps, the accelerations that began there, and the forces that acted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ContactRows:
    """n contacts of all steps. The force acts on the second geom, its opposite on the first."""

    step: Array
    """(n,)"""
    geoms: Array
    """(n, 2)"""
    position: Array
    """(n, 3) world [m]"""
    applied: Array
    """(n, 3) a point on the line of the force, at the poses where the step starts [m]: `position`, but in the hard mode."""
    frame: Array
    """(n, 3, 3) rows: normal from the first geom to the second, two tangents; world."""
    force: Array
    """(n, 6) force, torque in that frame [N, N m]."""
    dist: Array
    """(n,) distance of the surfaces, negative where they overlap [m]."""


@dataclass(frozen=True, eq=False)
class Tie:
    """A wrench that two bodies apply to each other, as connects and welds do."""

    bodies: tuple[int, int]
    points: Array
    """(2, 3) in the frames of the two bodies; the wrench acts on each at its own point [m]."""
    wrench: Array
    """(T, 6) world force and torque on the first, their opposite on the second [N, N m]."""


@dataclass(frozen=True, eq=False)
class Change:
    """What steps of finite length do to the bodies, where accelerations at one instant are not known: the hard mode."""

    linear: Array
    """(T, nbody, 3) change of velocity of the centre of mass over h, world axes [m/s²]."""
    spread: Array
    """(T, nbody, 3, 3) what a point at r from there, in the body's frame, has beyond that: spread r [1/s²]."""
    angular: Array
    """(T, nbody, 3) change of angular velocity over h, world axes [rad/s²]."""
    torque: Array
    """(T, nbody, 3) change of spin about the centre of mass over h, world axes [N m]."""


@dataclass(frozen=True, eq=False)
class Rows:
    """T steps; forces are those of the step, everything else belongs to its start."""

    time: Array
    """(T,) [s]"""
    qpos: Array
    """(T, nq)"""
    qvel: Array
    """(T, nv)"""
    qacc: Array
    """(T, nv)"""
    actuator: Array
    """(T, nout, 3) length, velocity, force."""
    joint_actuator: Array
    """(T, nv) actuator forces along the coordinates [N, N m]."""
    tendon: Array
    """(T, ntendon, 2) length, velocity."""
    limit: Array
    """(T, njnt + ntendon, 3) distance to the bound, its rate, force; zero while a limit does not act."""
    energy: Array
    """(T, 2) potential, kinetic [J]."""
    wrenches: Array
    """(1 or T, nbody, 6) world force and torque about the centres of mass from outside [N, N m]."""
    ties: tuple[Tie, ...]
    tension: Array
    """(T, ntendon) force along each spatial tendon, by which what acts on it would lengthen it [N]."""
    contacts: ContactRows
    body_pos: Array
    """(nbody, 3) of the bodies in their parents; mocap bodies where they are."""
    body_quat: Array
    change: Change | None = None
    """None: bodies are accelerated by `qacc`."""
