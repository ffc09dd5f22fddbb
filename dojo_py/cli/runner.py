"""Runs a simulation in chunks, so that progress can be shown, and sums it up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.simulate.ending import counted
from dojo_py.simulate.readings import Readings
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.trajectory import PER_STATE, PER_STEP

if TYPE_CHECKING:
    from dojo_py.mechanism.model import Model

CHUNKS = 50
"""Rollouts a simulation is cut into."""


def make_simulator(model: Model, mode: str, timestep: float, friction: str | None) -> Simulator:
    """The simulator of this mode."""
    if mode == "soft":
        from dojo_py import SoftSimulator

        return SoftSimulator(model, timestep=timestep)
    from dojo_py import HardSimulator

    return HardSimulator(model, timestep=timestep, friction=friction or "cone")


def roll_out(sim: Simulator, state: Any, controls: np.ndarray, advance: Callable[[int], None]) -> tuple[Any, Any]:
    """(trajectory, last state) of all controls (T, nu); calls `advance` with the steps done since the last call."""
    size = max(1, -(-len(controls) // CHUNKS))
    parts = []
    for i in range(0, len(controls), size):
        part = sim.rollout(state, controls[i : i + size])
        state = part.final_state
        parts.append(part)
        advance(len(part.status))
    return join(parts), state


def join(parts: Sequence[Any]) -> Any:
    """One trajectory from consecutive ones: a state that ends one part and starts the next is kept once."""
    joined: dict[str, Any] = {"readings": _joined_readings([part.readings for part in parts])}
    for name in (*PER_STEP, *PER_STATE):
        values = [getattr(part, name) for part in parts]
        if isinstance(values[0], np.ndarray):
            values = _widened(values) if name == "impulses" else values
            joined[name] = np.concatenate(values) if name in PER_STEP else _joined_states(values)
    return dataclasses.replace(parts[-1], **joined)


def _joined_states(values: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([values[0], *(value[1:] for value in values[1:])])


def _widened(values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Tables of impulses (n, columns) with as many columns as the widest, which has one for each contact; zeros for the others."""
    widest = max(value.shape[1] for value in values)
    return [np.pad(value, ((0, 0), (0, widest - value.shape[1]))) for value in values]


def _joined_readings(parts: Sequence[Readings | None]) -> Readings | None:
    """The sensors of all parts, read when somebody asks; None where the model has none."""
    there = [part for part in parts if part is not None]
    if not there:
        return None
    samples = [part.history for part in there if part.history is not None]
    return Readings(
        there[0].places, lambda: np.concatenate([part.data for part in there]), _joined_states(samples) if samples else None
    )


def summarise(sim: Simulator, first: Any, last: Any, trajectory: Any, wall: float, prepared: float) -> list[tuple[str, str]]:
    """The table under a simulation: name, figure with unit."""
    steps = len(trajectory.status)
    simulated = float(trajectory.time[-1] - trajectory.time[0])
    gap = float(np.min(trajectory.min_gap)) if steps else np.inf
    before, after = float(sim.energy(first)), float(sim.energy(last))
    moved = [np.linalg.norm(b - a) for a, b in zip(sim.momentum(first), sim.momentum(last), strict=True)]
    iterations = np.asarray(trajectory.iterations)
    soft = trajectory.metadata.get("mode") == "soft"
    rows = [
        ("simulated", f"{simulated:g} s, {steps} steps of {sim.timestep:g} s"),
        ("wall time", f"{wall:.3f} s, {simulated / wall:.3g} x real time, {steps / wall:.0f} steps/s"),
        ("prepared in", f"{prepared:.3f} s (reading, compiling or loading kernels)"),
        ("iterations", f"median {np.median(iterations):g}, max {iterations.max()}"),
        ("worst gap", f"{gap:.3e} m" if np.isfinite(gap) else "no contact"),
        ("worst residual", f"{np.max(trajectory.residual):.2e}" + ("" if soft else " m/s")),
    ]
    if not soft:
        rows.append(("worst complementarity", f"{np.max(trajectory.complementarity):.2e} N m s"))
    rows += [
        ("energy", f"{before:.6g} J -> {after:.6g} J, change {after - before:+.3e} J"),
        ("momentum change", f"linear {moved[0]:.3e} N s, angular {moved[1]:.3e} N m s"),
        ("unsolved steps", _unsolved(trajectory)),
    ]
    return rows


def _unsolved(trajectory: Any) -> str:
    """How many steps are not solved, and in the hard mode how these ended."""
    lost = np.asarray(trajectory.status) != 0
    named = lost.any() and trajectory.metadata.get("mode") != "soft"
    return str(int(np.count_nonzero(lost))) + (f" ({counted(trajectory.ending[lost])})" if named else "")
