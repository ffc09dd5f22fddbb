"""Trajectory: everything a rollout returns, and its file: numpy arrays and one JSON text, never pickle."""

from __future__ import annotations

import json
import warnings
import zipfile
from dataclasses import MISSING, dataclass, field, fields
from os import PathLike
from typing import Any

import numpy as np

from dojo_py.mechanism.archive import pack_model, unpack_model
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.model import Model
from dojo_py.simulate.readings import NOTHING, Readings
from dojo_py.simulate.results import Exact, State
from dojo_py.simulate.values import count, file_of, having, path_of
from dojo_py.whole_file import write_arrays

Array = np.ndarray

FORMAT = "dojo_py trajectory 1"
PLACED = ("mocap_pos", "mocap_quat", "eq_active")
"""What a roll-out keeps as its first state has it."""
PER_STATE = {"time": 1, "qpos": 2, "qvel": 2, "act": 2, "maximal": 3, "bodies": 3, "impulses": 2}
"""Arrays with one row a state, and how many axes they have."""
PER_STEP = {
    "control": 2, "status": 1, "iterations": 1, "residual": 1, "complementarity": 1, "min_gap": 1, "substeps": 1, "attempts": 1,
    "round_off": 1, "ending": 1, "A": 3, "B": 3, "gradient_status": 1,
}  # fmt: skip
"""Arrays with one row a step, likewise; the tables of `parameters` have one, too. Other fields are the same in all steps."""
PARAMETER = "parameter "
"""Before the names of parameters in the file."""
MODEL = "the model: "
"""Before the names of the model's arrays in the file; its other values stand under this word in the JSON text."""
SENSORS = "sensors"
"""Word of the sensors' names and places in the JSON text."""


class NoSuchState(ValueError, IndexError):
    """The number of a state that a trajectory does not have."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """T steps and the T + 1 states around them. Row k of the controls and of the steps' figures leads from state k to k + 1."""

    time: Array
    """(T + 1,) [s]"""
    qpos: Array
    """(T + 1, nq)"""
    qvel: Array
    """(T + 1, nv)"""
    act: Array
    """(T + 1, na)"""
    control: Array
    """(T, nu)"""
    status: Array
    """(T,) values of `Status`."""
    iterations: Array
    """(T,)"""
    residual: Array
    """(T,) as in `Step`."""
    complementarity: Array
    """(T,) as in `Step`."""
    min_gap: Array
    """(T,) smallest gap over all candidate contacts after the step [m]; infinite where there are none. Soft mode: of what is within
    `margin`.
    """
    maximal: Array | None = None
    """(T + 1, nbody, 13) as in `State`, when it was recorded."""
    bodies: Array | None = field(default=None, repr=False)
    """(T + 1, nb, 13) hard mode: the exact states of the moving bodies."""
    impulses: Array | None = field(default=None, repr=False)
    """(T + 1, n) hard mode: impulses from which the next step's solve starts."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Model name, timestep, mode and options: numbers and texts."""
    A: Array | None = field(default=None, repr=False)
    """(T, n, n), n = 2nv + na: derivative of each state by the one before, tangents as in `Linearization`, when asked for."""
    B: Array | None = field(default=None, repr=False)
    """(T, n, nu) derivative of each state by the control before it."""
    gradient_status: Array | None = None
    """(T,) values of `Status` of the steps that were differentiated."""
    parameters: dict[str, Array] = field(default_factory=dict, repr=False)
    """Name -> (T, n, p) derivative of each state by a parameter that acts in the step before it, when asked for."""

    substeps: Array | None = None
    """(T,) as in `Step`."""
    attempts: Array | None = None
    """(T,) as in `Step`."""
    round_off: Array | None = None
    """(T,) as in `Step`; zeros in the soft mode."""
    ending: Array | None = None
    """(T,) values of `Ending`: where the end of each step comes from; -1, UNKNOWN, in the soft mode."""
    model: Any = field(default=None, repr=False)
    """The Model that was simulated; None for a mujoco.MjModel, and for a file that was saved without one."""

    mocap_pos: Array | None = None
    """(nmocap, 3) of all states, as in `State`; likewise below. None: the model's."""
    mocap_quat: Array | None = None
    eq_active: Array | None = None
    readings: Readings | None = field(default=None, repr=False)
    """The sensors, unread; None where the model has none."""

    def __post_init__(self) -> None:
        steps = len(self.status)
        ones, zeros = np.ones(steps, np.int64), np.zeros(steps)
        for name, default in (("substeps", ones), ("attempts", ones), ("round_off", zeros), ("ending", -ones)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, default)

    def __len__(self) -> int:
        return len(self.status)

    @property
    def sensordata(self) -> Array:
        """(T, nsensordata) outputs of the sensors, a row for each step: of its first state, and of the forces in it."""
        return np.zeros((len(self), 0)) if self.readings is None else self.readings.data

    def sensor(self, name: str) -> Array:
        """(T, dim) outputs of one sensor."""
        return (self.readings or NOTHING).sensor(name)

    @property
    def unsolved(self) -> int:
        """Number of steps that did not meet their tolerances."""
        return int(np.count_nonzero(self.status))

    def state(self, k: int) -> State:
        """State k of 0 … T (negative: from the end); a simulator goes on from it exactly."""
        last = len(self.time) - 1
        k = count("k", k, least=-(2**62), what="the number of a state")
        if not -last - 1 <= k <= last:
            raise NoSuchState(f"k={k} is not the number of a state: there are 0 … {last}, or -{last + 1} … -1 from the end")
        k %= last + 1
        exact = None
        if self.bodies is not None and self.impulses is not None:
            exact = Exact(self.bodies[k], self.impulses[k], self.qpos[k], self.qvel[k], int(self.metadata.get("kinematics", 0)))
        maximal = None if self.maximal is None else self.maximal[k]
        placed = (self.mocap_pos, self.mocap_quat, self.eq_active)
        history = None if self.readings is None else self.readings.history_at(k)
        return State(self.qpos[k], self.qvel[k], self.act[k], float(self.time[k]), maximal, exact, self.model, *placed, history)

    @property
    def final_state(self) -> State:
        """The state after the last step."""
        return self.state(-1)

    def save(self, path: str | PathLike, model: Any = None) -> None:
        """Write an .npz file: the arrays, and the metadata as JSON text.

        The file keeps the model too (12 to 90 kB for the shipped ones, meshes more), so that it can be drawn and simulated on
        without the model's own file. model: another Model to keep; False: none.
        """
        kept = self.model if model is None else None if model is False else model
        arrays, header = arrays_of(self)
        header = {"format": FORMAT, **header}
        if kept is not None:
            numbers, values = pack_model(having("model", kept, ("geom_rgba", "source", "opt"), "a Model, as load_model returns it"))
            arrays |= {MODEL + name: table for name, table in numbers.items()}
            header[MODEL] = values
        text = json.dumps(header, sort_keys=True)
        write_arrays(path_of("path", path), {"metadata": np.array(text), **arrays})


def kept_model(model: Any) -> Model | None:
    """The model if a file can keep it: dojo_py's own. All trajectories of a simulator share it, and so does a pickle of several."""
    return model if isinstance(model, Model) else None


def arrays_of(trajectory: Trajectory) -> tuple[dict[str, Array], dict[str, Any]]:
    """(arrays by name, numbers and texts for JSON): what files keep of a trajectory beside its model."""
    named = {name: getattr(trajectory, name) for name in (*PER_STATE, *PER_STEP, *PLACED)}
    arrays = {name: values for name, values in named.items() if values is not None}
    arrays |= {PARAMETER + name: table for name, table in trajectory.parameters.items()}
    header = dict(trajectory.metadata)
    if trajectory.readings is not None:
        arrays["sensordata"], header[SENSORS] = trajectory.sensordata, trajectory.readings.places
        if trajectory.readings.history is not None:
            arrays["history"] = trajectory.readings.history
    return arrays, header


def trajectory_of(path: Any, arrays: dict[str, Array], header: dict[str, Any], model: Model | None = None) -> Trajectory:
    """The inverse of `arrays_of`; other arrays are left out. ValueError, which begins with the path, where rows do not fit."""
    header, of_states = dict(header), {*PER_STATE, "history"}
    values = {name: arrays[name] for name in (*PER_STATE, *PER_STEP, *PLACED, "sensordata", "history") if name in arrays}
    parameters = {name.removeprefix(PARAMETER): table for name, table in arrays.items() if name.startswith(PARAMETER)}
    _check_axes(path, values, header)
    steps = len(values["status"])
    for name, value in (values | parameters).items():
        if name in PLACED and value.dtype.kind in "fb":
            continue
        if value.dtype.kind not in "fiu":
            raise ValueError(f"{path}: {name} holds {value.dtype}, not numbers")
        if len(value) != steps + (name in of_states):
            raise ValueError(f"{path}: {name} has {len(value)} rows for {steps} steps")
    readings = _readings(path, header.pop(SENSORS, None), values.pop("sensordata", None), values.pop("history", None))
    return Trajectory(**values, metadata=header, parameters=parameters, model=model, readings=readings)


def load_trajectory(path: str | PathLike) -> Trajectory:
    """Read what `Trajectory.save` wrote. Raises ValueError when the file is something else."""
    file_of("path", path)
    with open(path, "rb") as probe:
        if not zipfile.is_zipfile(probe):
            raise ValueError(f"{path}: not a trajectory file (not an .npz file)")
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            missing = sorted(NEEDED - set(file.files))
            arrays = {} if missing else {name: file[name] for name in file.files}
        metadata = None if missing else json.loads(str(arrays.pop("metadata")))
    except (ValueError, TypeError, KeyError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: not a trajectory file ({error})") from error
    if missing:
        raise ValueError(f"{path}: not a trajectory file (it has no {missing})")
    if not isinstance(metadata, dict) or metadata.pop("format", None) != FORMAT:
        raise ValueError(f"{path}: not a trajectory of this version ({FORMAT!r})")
    described = metadata.pop(MODEL, None)
    model = None
    if described is not None:
        numbers = {name.removeprefix(MODEL): table for name, table in arrays.items() if name.startswith(MODEL)}
        try:
            model = unpack_model(numbers, described)
        except (ModelError, TypeError) as error:
            warnings.warn(f"{path}: {error}; the trajectory is loaded without it", stacklevel=2)
    return trajectory_of(path, arrays, metadata, model)


def _check_axes(path: Any, values: dict[str, Array], metadata: dict[str, Any]) -> None:
    """ValueError for arrays of other shapes, times that do not go on, and a time step that is no number."""
    for name, axes in (PER_STATE | PER_STEP).items():
        if name in values and values[name].ndim != axes:
            raise ValueError(f"{path}: {name} has shape {values[name].shape}, expected {axes} axes")
    time, step = values["time"], metadata.get("timestep")
    if time.dtype.kind in "fiu" and not (np.isfinite(time).all() and (np.diff(time) >= 0.0).all()):
        raise ValueError(f"{path}: time does not go on")
    if step is not None and (isinstance(step, bool) or not isinstance(step, (int, float)) or not step > 0.0):
        raise ValueError(f"{path}: timestep={step!r} is no time step")


def _readings(path: Any, places: Any, data: Array | None, history: Array | None) -> Readings | None:
    """The sensors of a file, or ValueError."""
    if data is None:
        return None
    try:
        found = {str(name): (int(first), int(number)) for name, (first, number) in dict(places or {}).items()}
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a trajectory file (sensors: {error})") from error
    if data.ndim != 2 or any(first < 0 or number < 0 or first + number > data.shape[1] for first, number in found.values()):
        raise ValueError(f"{path}: not a trajectory file (sensors beyond their data)")
    return Readings(found, data, history)


NEEDED = {"metadata"} | {f.name for f in fields(Trajectory) if f.default is MISSING and f.default_factory is MISSING}
"""What every file has."""
