"""Plan: the result of the planners, and its file format."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any

import numpy as np

from dojo_py.planning.differences import difference, move
from dojo_py.planning.log import Iteration, log_text, write_log
from dojo_py.planning.picture import drawn
from dojo_py.planning.status import PlanStatus
from dojo_py.simulate.arguments import state_of
from dojo_py.simulate.results import State
from dojo_py.simulate.trajectory import PLACED, Trajectory, arrays_of, trajectory_of
from dojo_py.simulate.values import count, file_of, having, path_of, real_number
from dojo_py.whole_file import write_arrays

Array = np.ndarray

FORMAT = "dojo_py plan 2"
FORMATS = ("dojo_py plan 1", FORMAT)
"""Formats that `load_plan` reads; plans of the first one have no hard motion."""
HARD = "hard_trajectory_"
"""Prefix of the names of the hard trajectory's arrays in the file."""
OF_STATES = (*PLACED, "history")
"""What the file keeps of each state beside coordinates and time, where the first one has it."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Controls, the trajectory they lead to, and the feedback policy around it: u = controls[k] + gains[k] (x ⊖ states[k])."""

    controls: Array
    """(T, nu)"""
    states: list[State]
    """T + 1"""
    gains: Array
    """(T, nu, 2 nv + na) of the last backward pass, zero rows for controls at a limit."""
    feedforward: Array
    """(T, nu) of the last backward pass; 0 at a stationary point."""
    cost: float
    """Cost of `states` without constraint terms; in the motion in which the planner stopped, relaxed unless `harden` completed."""
    violation: float
    """Largest violation of a constraint by `states`."""
    gap: float
    """Sum of the gaps between states and dynamics; 0 unless the planner stopped before closing those of an infeasible start."""
    status: PlanStatus
    log: list[Iteration]
    timestep: float
    hard_cost: float = float("nan")
    """Cost of `hard_trajectory`; infinite if a step of it fails, NaN in plans of old files, which have none."""
    hard_violation: float = float("nan")
    """Largest violation of a constraint by `hard_trajectory`."""
    hard_trajectory: Trajectory | None = None
    """Roll-out of the plan in the hard limit: with or without feedback, whichever is better (smaller violation beyond the
    tolerance, then smaller cost). Its `control` (T, nu) is what was applied."""
    hard_feedback: bool = False
    """Whether `hard_trajectory` was rolled out with feedback."""
    message: str = ""
    """What the status means for this plan, where it is more than the status's own sentence (BAD_START: which step fails; a
    constraint that the initial state violates)."""

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.log)

    @property
    def qpos(self) -> Array:
        """(T + 1, nq)"""
        return np.array([s.qpos for s in self.states])

    @property
    def qvel(self) -> Array:
        """(T + 1, nv)"""
        return np.array([s.qvel for s in self.states])

    @property
    def act(self) -> Array:
        """(T + 1, na) activations of stateful actuators."""
        return np.array([s.act for s in self.states])

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time by part of the work."""
        parts = {"simulate and gradients": "simulate", "backward pass": "backward", "line search": "search"}
        return {name: sum(getattr(r, f"seconds_{part}") for r in self.log) for name, part in parts.items()}

    def control(self, k: int, state: State, model: Any, part: float = 0.0) -> Array:
        """(nu,) control of knot k with feedback, not clipped, about states[k], or `part` (0 to 1) of the way to states[k + 1]."""
        last = len(self.controls) - 1
        if not -last - 1 <= (k := count("k", k, least=-last - 1, what="a knot's number")) <= last:
            raise ValueError(f"k={k} is not one of the knots 0 … {last}")
        part = real_number("part", part, least=0.0, most=1.0)
        having("model", model, ("difference", "integrate"), "a Model, as load_model returns it")
        target, k = self.states[k % (last + 1)], k % (last + 1)
        state_of(state)
        if part:
            target = move(model, target, part * difference(model, self.states[k + 1], target))
        return self.controls[k] + self.gains[k] @ difference(model, state, target)

    def save(self, path: str | PathLike) -> None:
        """Write an .npz file: arrays, the log by columns, and scalars as JSON text."""
        columns = {f"log_{f.name}": np.array([getattr(r, f.name) for r in self.log]) for f in fields(Iteration)}
        text = json.dumps(
            {
                "format": FORMAT, "cost": self.cost, "violation": self.violation, "gap": self.gap,
                "status": self.status.name, "timestep": self.timestep, "hard_cost": self.hard_cost,
                "hard_violation": self.hard_violation, "hard_feedback": self.hard_feedback,
            } | ({"message": self.message} if self.message else {}),
            sort_keys=True,
        )  # fmt: skip
        arrays = {"controls": self.controls, "gains": self.gains, "feedforward": self.feedforward}
        motion = {"qpos": self.qpos, "qvel": self.qvel, "time": np.array([s.time for s in self.states])}
        if self.act.size:
            motion["act"] = self.act
        for name in OF_STATES:
            if getattr(self.states[0], name) is not None:
                motion[name] = np.array([getattr(s, name) for s in self.states])
        hard = _hard_arrays(self.hard_trajectory)
        write_arrays(path_of("path", path), {"metadata": np.array(text), **arrays, **motion, **columns, **hard})

    def __str__(self) -> str:
        """A summary in a few lines: status, costs and violations of both motions, where the time went."""
        violated = bool(self.violation or self.hard_violation)
        limits = f", violation {self.violation:.2g} (hard {self.hard_violation:.2g})" if violated else ""
        how = "controls with feedback" if self.hard_feedback else "controls as they are"
        spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        unsolved = 0 if self.hard_trajectory is None else self.hard_trajectory.unsolved
        return (
            f"{self.status.name}: {self.message or self.status.value}\n"
            f"{len(self.controls)} steps of {self.timestep:g} s, {self.iterations} iterations ({spent})\n"
            f"cost {self.cost:.6g} (hard {self.hard_cost:.6g}){limits}; hard motion by {how}, {unsolved} unsolved steps"
        )

    def log_text(self) -> str:
        """The log as a text table."""
        return log_text(self.log)

    def plot(self, model: Any = None, rows: Any = None, path: str | PathLike | None = None) -> Any:
        """A matplotlib figure (extra `plot`): coordinates in both motions, controls, cost and violation by iteration.

        model: for the coordinates' and actuators' names. rows: the coordinates drawn, indices of qpos; all by default. path: also
        write the picture there.
        """
        return drawn(self, model, rows, path)

    def write_log(self, path: str | PathLike) -> None:
        """Write the log as CSV."""
        write_log(self.log, path)


def _hard_arrays(trajectory: Trajectory | None) -> dict[str, Array]:
    """The hard trajectory by the names in the file; without its model."""
    if trajectory is None:
        return {}
    arrays, header = arrays_of(trajectory)
    named = {HARD + name: values for name, values in arrays.items()}
    return {HARD + "metadata": np.array(json.dumps(header, sort_keys=True)), **named}


def _hard_trajectory(path: Any, values: dict[str, Array]) -> Trajectory | None:
    """The inverse of `_hard_arrays`."""
    found = {name.removeprefix(HARD): value for name, value in values.items() if name.startswith(HARD)}
    return trajectory_of(path, found, json.loads(str(found.pop("metadata")))) if found else None


def load_plan(path: str | PathLike) -> Plan:
    """Read a file of `Plan.save`. ValueError if it is not a plan file."""
    kinds: dict[str, Any] = {f.name: (int if f.type == "int" else float) for f in fields(Iteration)}
    file_of("path", path)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            values = {name: file[name] for name in file.files}
        head = json.loads(str(values["metadata"]))
        if head.pop("format") not in FORMATS:
            raise ValueError("another format")
        count = len(values["log_iteration"])
        log = [Iteration(**{n: kind(values[f"log_{n}"][i]) for n, kind in kinds.items()}) for i in range(count)]
        act = values.get("act", np.zeros((len(values["qpos"]), 0)))
        motion = zip(values["qpos"], values["qvel"], act, values["time"], strict=True)
        placed = {name: values[name] for name in OF_STATES if name in values}
        states = [
            State(q, v, w, float(t), **{name: rows[k] for name, rows in placed.items()}) for k, (q, v, w, t) in enumerate(motion)
        ]
        status = PlanStatus[head.pop("status")]
        arrays = values["controls"], states, values["gains"], values["feedforward"]
        return Plan(*arrays, status=status, log=log, hard_trajectory=_hard_trajectory(path, values), **head)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, EOFError, OSError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path}: not a plan file ({error})") from error
