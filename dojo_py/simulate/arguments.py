"""Arguments that both simulators take: checked before any kernel runs, copied so that nothing of the caller's changes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.views import numbered
from dojo_py.simulate.history import late_actuators
from dojo_py.simulate.results import State
from dojo_py.simulate.values import count, having, real_array, real_number, shown, vector

Array = np.ndarray

__all__ = [
    "Outside", "batch_of", "control_of", "controls_of", "coordinates_of", "late_controls", "mocap_bodies", "names_of",
    "options_of", "outside_of", "placed_of", "refuse_late_controls", "spread", "start_of",
    "state_of", "timestep_of", "usual_placement", "vector",
]  # fmt: skip


def timestep_of(model: Any, timestep: float | None) -> float:
    """The given time step, else the model's [s]. TypeError when the model is none."""
    having("model", model, ("opt", "nq", "body_mass"), "a Model, as load_model returns it")
    return real_number("timestep", model.opt.timestep if timestep is None else timestep, above=0.0, most=1e6, unit="s")


def options_of(kind: type, options: Any) -> Any:
    """The given options, else the default ones; TypeError for anything else."""
    if options is None:
        return kind()
    if not isinstance(options, kind):
        raise TypeError(f"options={shown(options)} is a {type(options).__name__}, expected {kind.__name__} or None")
    return options


def state_of(state: Any, name: str = "state", model: Any = None) -> State:
    """The state itself, or TypeError; ValueError for one that knows its model and is of another size than this one's."""
    if not isinstance(state, State):
        raise TypeError(f"{name} is a {type(state).__name__}, expected a State, as initial_state and step return it")
    if model is not None and state.model is not None and state.model is not model:
        _refuse_another_models(state, name, model)
    return state


def _refuse_another_models(state: State, name: str, model: Any) -> None:
    """ValueError where a state has the sizes of its own model, and not of this one."""
    theirs, mine = ([int(getattr(one, size, one.nv)) for size in ("nq", "nv")] for one in (state.model, model))
    if theirs != mine and [np.size(state.qpos), np.size(state.qvel)] == theirs:
        told = [f"'{getattr(one, 'name', '')}' with nq {one.nq}, nv {one.nv}" for one in (state.model, model)]
        raise ValueError(f"{name} is of another model, {told[0]}; the simulator's is {told[1]}")


def control_of(model: Any, control: Any) -> Array:
    """(nu,) the given control, else zero."""
    return np.zeros(model.nu) if control is None else vector("control", control, (model.nu,))


def controls_of(model: Any, controls: Any) -> Array:
    """(T, nu)"""
    u = real_array("controls", controls)
    if u.ndim != 2 or u.shape[1] != model.nu:
        hint = f", a row for each step: np.zeros((100, {model.nu})) for 100 steps without control" if u.ndim == 0 else ""
        raise ValueError(f"controls has shape {u.shape}, expected (T, {model.nu}){hint}")
    return vector("controls", u, u.shape)


class Outside(NamedTuple):
    """What acts from outside: none, the same in all steps, or a row for each step."""

    wrenches: Array
    """(0 | 1 | T, nbody, 6) world force and torque about the bodies' centres of mass [N, N m]; MuJoCo's xfrc_applied."""
    joint_forces: Array
    """(0 | 1 | T, nv) along the joints' coordinates [N, N m]; MuJoCo's qfrc_applied."""

    def at(self, t: int) -> Outside:
        """Those of step t alone."""
        return Outside(*(rows[min(t, len(rows) - 1) :][:1] for rows in self))


def outside_of(model: Any, wrenches: Any, joint_forces: Any, steps: int) -> Outside:
    """Wrenches from None, (nbody, 6) or (steps, nbody, 6); joint forces from None, (nv,) or (steps, nv)."""
    return Outside(
        _rows("wrenches", wrenches, (int(model.nbody), 6), steps), _rows("joint_forces", joint_forces, (int(model.nv),), steps)
    )


def _rows(name: str, value: Any, shape: tuple[int, ...], steps: int) -> Array:
    if value is None:
        return np.zeros((0, *shape))
    given = real_array(name, value)
    if given.ndim == len(shape) + 1:
        return vector(name, given, (steps, *shape))
    return vector(name, given, shape)[None]


def names_of(name: str, names: Any) -> tuple[str, ...]:
    """Several texts, or TypeError; None: none."""
    if names is None:
        return ()
    if isinstance(names, (str, bytes)) or not isinstance(names, Sequence) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"{name}={shown(names)}, expected a list of names")
    return tuple(str(n) for n in names)


def coordinates_of(coordinates: Any) -> str:
    """In which coordinates derivatives are wanted: "minimal" or "maximal"."""
    if coordinates not in ("minimal", "maximal"):
        raise ValueError(f"coordinates={shown(coordinates)}, accepted: 'minimal', 'maximal'")
    return str(coordinates)


def start_of(model: Any, qpos: Any, qvel: Any, act: Any, keyframe: str | int | None) -> State:
    """What is given, else the keyframe's, else the model's initial pose at rest; unchecked. model: ours or mujoco.MjModel."""
    start = [model.qpos0, np.zeros(model.nv), np.zeros(model.na), 0.0]
    if keyframe is not None:
        k = _keyframe(model, keyframe)
        start = [model.key_qpos[k], model.key_qvel[k], model.key_act[k], float(model.key_time[k])]
    given = [default if value is None else value for value, default in zip((qpos, qvel, act), start, strict=False)]
    mocap: list[Any] = [None, None]
    if keyframe is not None and nmocap_of(model):
        mocap = [np.reshape(model.key_mpos[k], (-1, 3)), np.reshape(model.key_mquat[k], (-1, 4))]
    return State(given[0], given[1], given[2], start[3], mocap_pos=mocap[0], mocap_quat=mocap[1])


def nmocap_of(model: Any) -> int:
    """How many mocap bodies it has."""
    return int(getattr(model, "nmocap", 0))


class Placed(NamedTuple):
    """What a state says beside the coordinates; checked."""

    mocap_pos: Array
    mocap_quat: Array
    eq_active: Array

    def put(self, state: State) -> State:
        """The state with it."""
        return dataclasses.replace(state, mocap_pos=self.mocap_pos, mocap_quat=self.mocap_quat, eq_active=self.eq_active)

    def key(self, usual: Placed) -> bytes:
        """What tells apart placements; empty for the model's own."""
        same = self is usual or all(np.array_equal(a, b) for a, b in zip(self, usual, strict=True))
        return b"" if same else b"".join(np.ascontiguousarray(part).tobytes() for part in self)


def usual_placement(model: Any) -> Placed:
    """The model's own; read-only, since all states that say nothing else share it."""
    bodies = mocap_bodies(model)
    active = np.array(getattr(model, "eq_active0", np.zeros(0)), bool)
    usual = Placed(np.array(model.body_pos, float)[bodies], np.array(model.body_quat, float)[bodies], active)
    for part in usual:
        part.setflags(write=False)
    return usual


def mocap_bodies(model: Any) -> Array:
    """Bodies by mocap number."""
    ids = np.asarray(getattr(model, "body_mocapid", np.full(int(model.nbody), -1)), int)
    return np.array([int(np.flatnonzero(ids == k)[0]) for k in range(nmocap_of(model))], int)


def placed_of(usual: Placed, state: State) -> Placed:
    """What a state says of mocap bodies and equalities, else the usual; ValueError where it does not fit."""
    said = state.mocap_pos, state.mocap_quat, state.eq_active
    if all(part is None or part is own for part, own in zip(said, usual, strict=True)):
        return usual
    n = len(usual.mocap_pos)
    pos = usual.mocap_pos if state.mocap_pos is None else vector("mocap_pos", state.mocap_pos, (n, 3))
    quat = usual.mocap_quat if state.mocap_quat is None else vector("mocap_quat", state.mocap_quat, (n, 4))
    norms = np.linalg.norm(quat, axis=1, keepdims=True)
    if np.any(norms < 1e-10):
        raise ValueError("mocap_quat has a quaternion of length zero")
    if state.mocap_quat is not None:
        quat = quat / norms
    active = usual.eq_active
    if state.eq_active is not None:
        active = np.array(state.eq_active)
        if active.shape != usual.eq_active.shape or active.dtype.kind not in "bui":
            raise ValueError(f"eq_active has shape {active.shape} of {active.dtype}, expected {usual.eq_active.shape} truth values")
        active = active.astype(bool)
    return Placed(pos, quat, active)


def refuse_late_controls(model: Any, what: str) -> None:
    """ValueError where controls are delayed: those on their way are no part of a trajectory's A, B, nor of compiled loops."""
    if late := late_controls(model):
        raise ValueError(
            f"{what}: controls {late} of this model come late (`delay`), and the controls on their way are no part of it; "
            "`step`, `rollout` and `rollout_batch` simulate them, `linearize` and `rollout_vjp` differentiate them"
        )


def late_controls(model: Any) -> list[int]:
    """First controls of the actuators whose controls are delayed."""
    return [late.address for late in late_actuators(model) if late.delay > 0.0]


def _keyframe(model: Any, keyframe: Any) -> int:
    """Number of a keyframe by its name or number."""
    there = int(model.nkey)
    if isinstance(keyframe, str):
        if hasattr(model, "key_id"):
            return int(model.key_id(keyframe))
        names = [model.key(k).name for k in range(there)]
        if keyframe not in names:
            raise ValueError(f"keyframe={keyframe!r} is not one of {names}")
        return names.index(keyframe)
    k = count("keyframe", keyframe, least=-there, what="a keyframe's name or number")
    if not -there <= k < there:
        names = [name for name in getattr(model, "key_names", ()) if name]
        raise ValueError(
            f"keyframe={keyframe!r}: the model has {numbered(there, 'keyframes')}" + (f", named {names}" if names else "")
        )
    return k % there


def batch_of(model: Any, states: Sequence[State] | State, controls: Any, threads: int | None) -> tuple[list[State], Array, int]:
    """B unchecked states, controls (B, T, nu), and how many threads to use for them."""
    u = real_array("controls", controls)
    if u.ndim != 3:
        raise ValueError(f"controls has shape {u.shape}, expected (B, T, {model.nu})")
    u = vector("controls", u, (*u.shape[:2], model.nu))
    if not isinstance(states, (State, Sequence)) or isinstance(states, (str, bytes)):
        raise TypeError(f"states is a {type(states).__name__}, expected a State or a list of them")
    starts = [states] * len(u) if isinstance(states, State) else [state_of(s, f"states[{i}]") for i, s in enumerate(states)]
    if len(starts) != len(u):
        raise ValueError(f"states: {len(starts)} states for {len(u)} rollouts")
    limit = os.cpu_count() or 1 if threads is None else count("threads", threads)
    return starts, u, min(limit, max(1, len(u)))


def spread(run: Callable[[int], Any], items: int, threads: int) -> list[Any]:
    """[run(0), …, run(items - 1)], so many at a time; the kernels release the interpreter lock."""
    if threads == 1:
        return [run(i) for i in range(items)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(items)))
