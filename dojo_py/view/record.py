"""What a replay shows of a trajectory: poses, contact forces and curves at its frames.

A trajectory holds states, no contacts: each step before a frame is solved again from the state where it began, which in the hard
mode gives the same numbers bit for bit. A step that leads elsewhere (wrenches, options or parameters that the trajectory does not
name) has its contacts left out, and the page says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dojo_py.drawing.poses import body_poses, moved_by_joints, moving_mass
from dojo_py.mechanism.errors import ModelError
from dojo_py.simulate.arguments import placed_of, usual_placement
from dojo_py.simulate.simulator import Simulator

Array = np.ndarray

SAME = 1e-4
"""A step solved again ends in the same state when its velocities differ by less than this [m/s, rad/s], plus this part of the
largest; likewise its impulses. The hard mode repeats them bit for bit; the soft mode starts its solver elsewhere."""
SLACK = 1e-9
"""Of a number of steps between two frames: times are sums of steps."""
CUT = 1.5
"""The longest arrow, in sizes of the model."""
WEIGHT = 2.0
"""The arrow of a force as large as the model's weight, in sizes of the model."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A number along the trajectory."""

    title: str
    unit: str
    time: Array
    """(n,) [s] from the start."""
    value: Array
    """(n,); not finite where there is none."""
    logarithmic: bool = False


@dataclass(frozen=True, eq=False)
class Record:
    """A replay's numbers: F frames."""

    time: Array
    """(F,) [s] from the start."""
    position: Array
    """(F, nbody, 3) body frames [m]."""
    rotation: Array
    """(F, nbody, 4) body to world."""
    arrows: list[Array]
    """Of each frame (n, 2, 3): contact points, and these plus the force times the scale [m]."""
    between: list[Array]
    """Of each frame (n,): whether both bodies can move."""
    scale: float
    """[m/N] of the arrows."""
    curves: list[Curve]
    failed: Array
    """Times of the steps that were not solved [s] from the start."""
    notes: list[str] = field(default_factory=list)
    """What could not be shown, and why."""


def frames_of(trajectory: Any, fps: float) -> Array:
    """Numbers of the states that are shown: at most `fps` a second of simulated time, the first and the last among them."""
    states = len(trajectory.time)
    span = float(trajectory.time[-1] - trajectory.time[0])
    stride = max(1, int(np.ceil((states - 1) / max(1.0, span * fps) - SLACK)))
    return np.unique(np.append(np.arange(0, states, stride), states - 1))


def simulator_of(model: Any, trajectory: Any) -> tuple[Any, Any]:
    """(model, simulator): the given simulator, or the one that a trajectory's metadata describe; (model, None) if it is refused."""
    if hasattr(model, "rollout"):
        return model.model, model
    if trajectory.metadata.get("timestep") is None:
        return model, None
    try:
        return model, described(model, trajectory.metadata)
    except (ModelError, ValueError, TypeError, AttributeError):
        return model, None


def mode_of(metadata: dict[str, Any]) -> str:
    """The mode in which a trajectory was simulated."""
    return "soft" if metadata.get("mode") == "soft" else "hard"


def described(model: Any, metadata: dict[str, Any], mode: str | None = None, timestep: float | None = None) -> Any:
    """The simulator of a model that a trajectory's metadata describe; in another mode, with another time step [s] where given.

    What the hard mode does not simulate is left out, as it may have been when the trajectory was made.
    """
    timestep = metadata.get("timestep") if timestep is None else timestep
    if (mode or mode_of(metadata)) == "soft":
        from dojo_py.soft import SoftSimulator

        return SoftSimulator(model, timestep)
    from dojo_py.hard.simulator import HardSimulator

    return HardSimulator(model, timestep, friction=metadata.get("friction", "cone"), unsupported="skip" if metadata else "error")


def check_fits(model: Any, trajectory: Any) -> None:
    """ValueError when the trajectory is not one of this model."""
    for size, table in (("nq", "qpos"), ("nv", "qvel"), ("na", "act"), ("nu", "control")):
        width, wanted = getattr(trajectory, table).shape[1], int(getattr(model, size))
        if width != wanted:
            raise ValueError(f"trajectory: its {table} has {width} columns, the model's {size} is {wanted}: it is of another model")
    if not np.all(np.isfinite(trajectory.qpos)):
        raise ValueError("trajectory: qpos has entries that are not finite")


def record(model: Any, trajectory: Any, chosen: Array, size: float, contacts: bool = True, curves: bool = True) -> Record:
    """Everything to show. model: a Model or the simulator that made the trajectory. chosen: numbers of the states shown. size: of
    the model [m], scales the arrows.
    """
    model, sim = simulator_of(model, trajectory)
    check_fits(model, trajectory)
    x, q = body_poses(model, trajectory.qpos[chosen], placed_of(usual_placement(model), trajectory.state(0)))
    notes: list[str] = []
    forces: list[Any] = [None] * len(chosen)
    if sim is None:
        notes.append("no energy and no contacts: no simulator takes this model and what the trajectory says of its simulation")
    elif contacts:
        forces = [_forces(model, sim, trajectory, int(k)) for k in chosen]
        lost = sum(found is None for found, k in zip(forces, chosen, strict=True) if k > 0)
        if lost:
            notes.append(f"contacts of {lost} of {len(chosen)} frames are left out: solved again, their steps lead elsewhere")
    scale = _scale(model, forces, size)
    arrows = [_arrows(found, scale, CUT * size) for found in forces]
    between = [np.zeros(0, bool) if found is None else found[2] for found in forces]
    start = float(trajectory.time[0])
    failed = trajectory.time[1:][np.asarray(trajectory.status) != 0] - start
    drawn = _curves(trajectory, sim, chosen) if curves else []
    return Record(trajectory.time[chosen] - start, x, q, arrows, between, scale, drawn, failed, notes)


def _forces(model: Any, sim: Simulator, trajectory: Any, k: int) -> Any:
    """(points (n, 3), forces (n, 3) [N], between bodies (n,)) of the step that ends in state k; None when it ends elsewhere."""
    if k == 0:
        return None
    kappa = trajectory.metadata.get("kappa") or None
    contacts = solved_again(sim, trajectory.state(k - 1), trajectory.control[k - 1], trajectory.state(k), kappa)
    return None if contacts is None else contact_forces(model, contacts, sim.timestep)


def solved_again(sim: Simulator, before: Any, control: Array, after: Any, kappa: float | None = None) -> Any:
    """The contacts of the step from one state to another, or None when the step ends elsewhere."""
    try:
        step = sim.step(before, control, kappa=kappa)
    except ValueError:
        return None
    same = _close(step.state.qvel, after.qvel, 1.0) and _same_impulses(step.state.exact, after.exact)
    return step.contacts if same else None


def _same_impulses(found: Any, recorded: Any) -> bool:
    """A wrench on a body at rest changes no velocity, but what holds the body."""
    if found is None or recorded is None:
        return True
    shared = min(len(found.impulses), len(recorded.impulses))  # (what a longer one has besides is zero)
    return _close(found.impulses[:shared], recorded.impulses[:shared], 1e-6)


def _close(found: Array, recorded: Array, floor: float) -> bool:
    return bool(np.all(np.abs(found - recorded) <= SAME * (floor + np.abs(recorded).max(initial=0.0))))


def weight_of(model: Any) -> float:
    """Of what joints move [N]; a table that is fixed in the world may weigh a thousand times as much."""
    return float(np.sum(moving_mass(model)) * np.linalg.norm(model.opt.gravity))


def pushing_contacts(model: Any, contacts: Any, timestep: float) -> Array:
    """(n,) which contacts carry more than 1e-4 of the weight: in the hard mode even open ones have an impulse, 1e-12 N s."""
    weight = weight_of(model)
    return np.asarray(np.linalg.norm(contacts.impulse, axis=1) > 1e-4 * weight * timestep + 1e-11)


def contact_forces(model: Any, contacts: Any, timestep: float) -> tuple[Array, Array, Array]:
    """Points (n, 3) [m], forces (n, 3) on the first body [N] and whether both bodies move (n,), of contacts that push."""
    force = contacts.world_impulse / timestep
    pushing = pushing_contacts(model, contacts, timestep)
    moving = moved_by_joints(model)[contacts.bodies]
    upward = np.where(moving[:, :1], 1.0, -1.0)  # on the body that moves
    return contacts.position[pushing], (upward * force)[pushing], moving.all(axis=1)[pushing]


def force_scale(model: Any, largest: float, size: float) -> float:
    """[m/N] Of arrows; where nothing has weight the largest force is one size of the model long."""
    weight = weight_of(model)
    return WEIGHT * size / weight if weight > 0.0 else size / largest if largest > 0.0 else 0.0


def _scale(model: Any, forces: list[Any], size: float) -> float:
    largest = max((float(np.linalg.norm(found[1], axis=1).max(initial=0.0)) for found in forces if found is not None), default=0.0)
    return force_scale(model, largest, size)


def _arrows(found: Any, scale: float, longest: float) -> Array:
    if found is None:
        return np.zeros((0, 2, 3))
    return arrows_of(found[0], found[1], scale, longest)


def arrows_of(points: Array, forces: Array, scale: float, longest: float) -> Array:
    """(n, 2, 3) from each point along its force, no longer than `longest` [m]."""
    along = scale * forces
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along * np.minimum(1.0, longest / np.maximum(length, 1e-30))
    return np.stack([points, points + along], axis=1)


def _curves(trajectory: Any, sim: Simulator, chosen: Array) -> list[Curve]:
    start, end = trajectory.time[chosen] - trajectory.time[0], trajectory.time[1:] - trajectory.time[0]
    curves = []
    if sim is not None:
        curves.append(Curve("energy", "J", start, np.array([_energy(sim, trajectory, int(k)) for k in chosen])))
    soft = trajectory.metadata.get("mode") == "soft"
    curves.append(Curve("smallest gap", "m", end, np.asarray(trajectory.min_gap, float)))
    curves.append(Curve("residual", "" if soft else "m/s", end, np.asarray(trajectory.residual, float), logarithmic=True))
    curves.append(Curve("iterations", "", end, np.asarray(trajectory.iterations, float)))
    return [curve for curve in curves if np.isfinite(curve.value).any()]


def _energy(sim: Simulator, trajectory: Any, k: int) -> float:
    try:
        return float(sim.energy(trajectory.state(k)))
    except ValueError:
        return np.nan
