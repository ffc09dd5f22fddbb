"""The real cube: friction, corners, moment of inertia and centre of mass from recorded tosses (Dojo, Figure 12: the first two).

Recordings: ContactNets (Pfrommer, Halm, Posa, 2020), one CSV file a toss at 148 Hz, lengths in half widths of the cube. Free
flight in them shows 183.45 half widths/s² of gravity instead of 9.81/0.0524 = 187.2; by default lengths are therefore scaled
so that gravity is right (`length_unit`), which also brings the resting height to the nominal half width.

The centre of mass is not in the middle of the cube, where it was published to be: roll-outs of 200 tosses put it 6.5 mm up the
body's z axis (those of their halves 7.0 and 3.6 mm; one-step predictions of these 6.4 and 6.8; free flight alone 5.1 ± 2.0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dojo_py.identification.data import Recording, read_recording
from dojo_py.identification.fit import Result, identify
from dojo_py.identification.segments import Segment
from dojo_py.identification.unknowns import Unknown
from dojo_py.identification.validate import RolloutErrors, rollout_errors

Array = np.ndarray
HALF = 0.0524
"""Nominal half width [m]."""
EDGE = 2 * HALF
MASS, INERTIA, FRICTION, RATE, GRAVITY = 0.37, 0.00081, 0.18, 148.0, 9.81
"""Published mass [kg], inertia about each axis [kg m²], friction; samples a second; gravity [m/s²]."""
KAPPAS = (1e-5, 1e-6, 1e-7)
"""Central-path parameters of the fit, one after another [N m s]: a tenth of a step's weight times 1e-2 … 1e-4 half widths."""
NEAR = 0.02
"""Samples whose nominal corners all stay higher than this say nothing about contact [m]."""
TEXT = """
<mujoco model="cube"><option timestep="{h}" gravity="0 0 -{g}"/><worldbody>
  <geom name="table" type="plane" size="0 0 1" friction="{mu} 0 0"/>
  <body name="cube" pos="0 0 {a}"><freejoint name="cube"/>
    <inertial pos="0 0 0" mass="{m}" diaginertia="{J} {J} {J}"/>
    <geom name="cube" type="box" size="{a} {a} {a}" friction="{mu} 0 0"/></body>
</worldbody></mujoco>"""
SIGNS = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
"""Of the corners, in the order of `contact_point`."""


def nominal_cube(timestep: float = 1 / RATE, half: float = HALF, friction: float = FRICTION) -> Any:
    """Simulator of the cube as published."""
    from dojo_py import HardSimulator, load_model

    model = load_model(TEXT.format(h=timestep, g=GRAVITY, mu=friction, a=half, m=MASS, J=INERTIA))
    return HardSimulator(model, timestep)


def free_fall(folder: Path) -> float:
    """Gravity in the recordings' length unit [1/s²]: median second difference of heights while the cube flies."""
    falls: list[Array] = []
    for file in toss_files(folder):
        table = np.loadtxt(file, delimiter=",", usecols=range(7))
        fall = np.diff(table[:, 2], 2) * RATE**2
        high = table[:, 2] > 1.9  # farther than half a diagonal from the table
        falls.append(fall[high[:-2] & high[1:-1] & high[2:]])
    together = np.concatenate(falls)
    if not len(together):
        raise ValueError(f"{folder}: no toss flies freely, give the length unit")
    return float(-np.mean(together))


def toss_files(folder: Path) -> list[Path]:
    """The tosses of a folder in numeric order."""
    files = sorted((f for f in Path(folder).glob("*.csv") if f.stem.isdigit()), key=lambda f: int(f.stem))
    if not files:
        raise ValueError(f"{folder}: no toss files (0.csv, 1.csv, …)")
    return files


def read_tosses(folder: Path, length_unit: float) -> list[Recording]:
    """All tosses, lengths times length_unit [m]."""
    units = {"qpos": [length_unit] * 3 + [1.0] * 4}
    return [read_recording(file, {"qpos": range(7)}, units) for file in toss_files(folder)]


def touches(recording: Recording, segment: Segment) -> bool:
    """Whether a nominal corner comes near the table in the stretch."""
    q = recording.qpos[segment.start : segment.start + segment.length + 1]
    w, x, y, z = q[:, 3:7].T
    down = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    lowest = q[:, 2] - HALF * np.abs(down).sum(axis=1)
    return bool(lowest.min() < NEAR)


LONG = 50
"""Tosses, spread over those fitted, whose longer predictions are fitted."""
COARSE = 20
"""Tosses (or a tenth, if more) on which the first guess is improved before all are used."""


def unknowns(friction: Any, corners: Any) -> list[Unknown]:
    """Friction and 24 corner coordinates (or a half width) [m], bounded as in the paper's scripts: 0.8, [0.05, 1.5] half widths."""
    limits = np.sort(np.stack([0.05 * HALF * SIGNS, 1.5 * HALF * SIGNS]), axis=0)
    return [
        Unknown("friction", friction, 1e-3, 0.8),
        Unknown("contact_point", corners * SIGNS if np.ndim(corners) == 0 else corners, limits[0], limits[1]),
    ]  # fmt: skip


def edges(corners: Array) -> Array:
    """(12,) distances of neighbouring corners (8, 3)."""
    pairs = [(a, b) for a in range(8) for b in range(a) if np.count_nonzero(SIGNS[a] != SIGNS[b]) == 1]
    return np.array([np.linalg.norm(corners[a] - corners[b]) for a, b in pairs])


SETTLED = {"friction": 0.03, "inertia": 0.2, "com": 0.03}
"""What whole roll-outs settle, and the first changes tried: parts of the value, of a half width for the centre of mass."""


def settle(sim: Any, tosses: list[Recording], trials: int = 100) -> Any:
    """The simulator with the friction, moment of inertia and centre of mass of the best whole roll-outs (Nelder-Mead).

    Their error: mean position over that of the given simulator, plus the same of rotation. Single steps hardly see the inertia,
    as a toss does; over predictions of some steps noise of the initial velocity passes for friction.
    """
    before = rollout_errors(sim, tosses)
    given = {name: sim.parameter(name).value for name in SETTLED}
    unit = {name: HALF if name == "com" else value for name, value in given.items()}
    widths = np.concatenate([np.full(3 if name == "com" else 1, width) for name, width in SETTLED.items()])

    def changed(y: Array) -> Any:
        parts = {"friction": y[0], "inertia": y[1], "com": y[None, 2:]}
        return sim.with_parameters({name: given[name] + parts[name] * unit[name] for name in SETTLED})

    def error(y: Array) -> float:
        after = rollout_errors(changed(y), tosses)
        return float(sum(mine.mean() / other.mean() for mine, other in zip(after[:2], before[:2], strict=True)))

    simplex = np.vstack([np.zeros_like(widths), np.diag(widths)])
    options = {"initial_simplex": simplex, "maxfev": trials, "xatol": 1e-3, "fatol": 1e-4}
    return changed(minimize(error, simplex[0], method="Nelder-Mead", options=options).x)


@dataclass(frozen=True, eq=False)
class CubeReport:
    """The cube found, and its held-out errors beside the nominal one's."""

    result: Result
    """Of the corners, with the friction of the last fit of both."""
    friction: float
    """That of the roll-outs of the fitted tosses."""
    inertia: float
    """Likewise: moment of inertia about each axis [kg m²]."""
    com: Array
    """Likewise: centre of mass (3,) from the origin of the recorded frame [m]."""
    simulator: Any
    """The cube found."""
    length_unit: float
    fitted: RolloutErrors
    nominal: RolloutErrors
    tosses: tuple[int, int]

    @property
    def edges(self) -> Array:
        """(12,) [m]"""
        return edges(self.result.values["contact_point"])

    @property
    def holds(self) -> bool:
        """Edges within 5 % of the truth, friction in [0.12, 0.22], roll-outs better than the nominal cube's."""
        near = np.all(np.abs(self.edges / EDGE - 1) < 0.05) and 0.12 <= self.friction <= 0.22
        better = [mine.mean() < other.mean() for mine, other in zip(self.fitted[:2], self.nominal[:2], strict=True)]
        return bool(near and all(better))

    def __str__(self) -> str:
        half = np.diff(self.result.interval(), axis=1)[:, 0] / 2
        lengths, predicted = self.edges, float(self.result.values["friction"][0])
        lines = [
            f"{self.tosses[0]} tosses fitted, {self.tosses[1]} held out; length unit {self.length_unit:.5f} m",
            f"friction  {self.friction:.4f} (by predictions {predicted:.4f} ± {half[0]:.1g})   published 0.15 - 0.18",
            f"inertia   {self.inertia:.6f} kg m^2   published {INERTIA}",
            "mass at   " + ", ".join(f"{x * 1e3:.2f}" for x in self.com) + " mm   published 0, 0, 0",
            f"edges     mean {lengths.mean():.4f} m, from {lengths.min():.4f} to {lengths.max():.4f}   nominal {EDGE} m",
            f"corners   ± {half[1:].max() * 1e3:.2g} mm at most (95 %)",
            "held-out roll-outs      position [cube widths]   rotation [deg]",
        ]
        for name, errors in (("fitted cube", self.fitted), ("nominal cube", self.nominal)):
            lines.append(f"  {name:<20}  {errors.position.mean() / EDGE:22.4f}   {errors.rotation.mean():14.2f}")
        gains = [mine - other for mine, other in zip(self.fitted[:2], self.nominal[:2], strict=True)]
        (position, p), (rotation, r) = ((d.mean(), d.std() / np.sqrt(len(d))) for d in gains)
        lines.append(f"  {'difference':<20} {position / EDGE:+13.4f} ± {p / EDGE:.4f}   {rotation:+7.2f} ± {r:.2f}")
        return "\n".join(lines)


def identify_cube(
    folder: Path,
    fit: int = 200,
    validate: int = 85,
    start: tuple[Any, Any] = (0.4, 0.7 * HALF),
    length_unit: float | None = None,
    kappas: tuple[float, ...] = KAPPAS,
    every: int = 4,
    horizon: int = 1,
    progress: Callable[[str], None] | None = None,
) -> CubeReport:
    """Fit the first `fit` tosses, roll out the next `validate`. start: friction and half width [m] of the first guess.

    One-step predictions give the corners (as in the paper); they judge a cube at rest by the fall of a single step, h² g = 0.4 mm,
    so that overlaps in the recordings of impacts make it 2 % too small. Predictions over `horizon` > 1 steps may follow; over whole
    tosses, whose landings part, they find worse corners. Friction, inertia and centre of mass come from whole roll-outs at last.
    """
    unit = GRAVITY / free_fall(folder) if length_unit is None else length_unit
    tosses = read_tosses(folder, unit)
    if len(tosses) < fit + validate:
        raise ValueError(f"{folder}: {len(tosses)} tosses, {fit} + {validate} were asked for")
    sim = nominal_cube()
    result = None
    few = max(min(fit, COARSE), fit // 10)
    for levels, some, step in ((kappas[:-1], tosses[:few], max(every, 2)), (kappas[-1:], tosses[:fit], every)):
        if result is not None:
            start = (result.values["friction"], result.values["contact_point"])
        if levels:
            result = identify(
                sim, some, unknowns(*start), levels, weights=WEIGHTS, loss="soft_l1", every=step, choose=touches,
                progress=progress, xtol=1e-5, ftol=1e-5,
            )  # fmt: skip
    assert result is not None
    if horizon > 1:
        some = tosses[: fit : max(1, fit // LONG)]
        near = unknowns(result.values["friction"], result.values["contact_point"])
        result = identify(
            sim, some, near, kappas[-1:], horizon=horizon, weights=WEIGHTS / 4, loss="soft_l1", choose=touches, progress=progress,
            xtol=1e-4, ftol=1e-4, max_nfev=8,
        )  # fmt: skip
    found = settle(result.simulator, tosses[:fit])
    friction, inertia = (float(found.parameter(name).value.flat[0]) for name in ("friction", "inertia"))
    com = found.parameter("com").value[0]
    held = tosses[fit : fit + validate]
    errors = [rollout_errors(one, held) for one in (found, sim)]
    return CubeReport(result, friction, inertia, com, found, unit, errors[0], errors[1], (fit, validate))


WEIGHTS = np.array([1 / 3e-4] * 3 + [1 / 6e-3] * 3)
"""Inverse deviations of a one-step prediction: 0.3 mm, 0.35 deg."""
