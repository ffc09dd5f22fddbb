"""The real cube: friction, corners, moment of inertia, centre of mass and restitution from recorded tosses (Dojo, Figure 12: the
first two).

Recordings: tosses.py.

The centre of mass is not in the middle of the cube, where it was published to be: multiple shooting puts it 5 mm up the body's z
axis (free flight alone 5.1 ± 2.0).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.identification.bounces import HUBER, fit_restitution
from dojo_py.identification.data import Recording
from dojo_py.identification.fit import Result, identify
from dojo_py.identification.segments import Segment
from dojo_py.identification.starts import with_estimated_starts
from dojo_py.identification.tosses import GRAVITY, RATE, free_fall, read_poses, read_tosses
from dojo_py.identification.unknowns import Part, Tied, Unknown
from dojo_py.identification.validate import RolloutErrors, rollout_errors

Array = np.ndarray
HALF = 0.0524
"""Nominal half width [m]."""
EDGE = 2 * HALF
MASS, INERTIA, FRICTION = 0.37, 0.00081, 0.18
"""Published mass [kg], inertia about each axis [kg m²], friction."""
FIRST_KAPPAS, KAPPA = (1e-5, 1e-6), 1e-6
"""Central-path parameters of one-step predictions, one after another, and of multiple shooting [N m s]: a tenth of a step's weight
times 1e-2 … 1e-3 half widths."""
FLIGHT = 8
"""First samples that give the state from which a roll-out starts: nearly all tosses fly for ten or more."""
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


def touches(recording: Recording, segment: Segment) -> bool:
    """Whether a nominal corner comes near the table in the stretch."""
    q = recording.qpos[segment.start : segment.start + segment.length + 1]
    w, x, y, z = q[:, 3:7].T
    down = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    lowest = q[:, 2] - HALF * np.abs(down).sum(axis=1)
    return bool(lowest.min() < NEAR)


COARSE = 40
"""Tosses, spread over those fitted, of the one-step predictions from which the fit starts."""


def unknowns(friction: Any, corners: Any) -> list[Part]:
    """Friction and 24 corner coordinates (or a half width) [m], bounded as in the paper's scripts: 0.8, [0.05, 1.5] half widths."""
    limits = np.sort(np.stack([0.05 * HALF * SIGNS, 1.5 * HALF * SIGNS]), axis=0)
    return [
        Unknown("friction", friction, 1e-3, 0.8),
        Unknown("contact_point", corners * SIGNS if np.ndim(corners) == 0 else corners, limits[0], limits[1]),
    ]  # fmt: skip


def mass_unknowns() -> list[Part]:
    """Moment of inertia about each axis, one factor, between those of a solid cube, m a²/6, and of one with all mass in its faces,
    5 m a²/18; centre of mass, within 2 cm of the middle.
    """
    solid, hollow = (share * MASS * EDGE**2 / INERTIA for share in (1 / 6, 5 / 18))
    return [Tied(("inertia",), 1.0, solid, hollow), Unknown("com", lower=-0.02, upper=0.02)]


def edges(corners: Array) -> Array:
    """(12,) distances of neighbouring corners (8, 3)."""
    pairs = [(a, b) for a in range(8) for b in range(a) if np.count_nonzero(SIGNS[a] != SIGNS[b]) == 1]
    return np.array([np.linalg.norm(corners[a] - corners[b]) for a, b in pairs])


@dataclass(frozen=True, eq=False)
class CubeReport:
    """The cube found, and its held-out errors beside the nominal one's."""

    result: Result
    """Of friction, corners, moment of inertia and centre of mass, by derivatives, of a cube that does not rebound."""
    simulator: Any
    """The cube found: that of `result`, with restitution and friction by whole roll-outs."""
    length_unit: float
    fitted: RolloutErrors
    nominal: RolloutErrors
    tosses: tuple[int, int]

    @property
    def friction(self) -> float:
        """Coefficient of friction."""
        return float(self.simulator.parameter("friction").value[0])

    @property
    def inertia(self) -> float:
        """Moment of inertia about each axis [kg m²]."""
        return float(self.result.values["inertia"][0, 0])

    @property
    def com(self) -> Array:
        """Centre of mass (3,) from the origin of the recorded frame [m]."""
        return self.result.values["com"][0]

    @property
    def restitution(self) -> float:
        """Coefficient of restitution."""
        return float(self.simulator.parameter("restitution").value[0])

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
        lengths = self.edges
        lines = [
            f"{self.tosses[0]} tosses fitted, {self.tosses[1]} held out; length unit {self.length_unit:.5f} m",
            f"friction  {self.friction:.4f}; without rebounds {self.result.values['friction'][0]:.4f} ± {half[0]:.1g}"
            "   published 0.15 - 0.18",
            f"inertia   {self.inertia:.6f} ± {half[25] * INERTIA:.1g} kg m^2   published {INERTIA}",
            "mass at   " + ", ".join(f"{x * 1e3:.2f}" for x in self.com) + f" mm ± {half[26:].max() * 1e3:.2g}   published 0, 0, 0",
            f"restitution {self.restitution:.2f}",
            f"edges     mean {lengths.mean():.4f} m, from {lengths.min():.4f} to {lengths.max():.4f}   nominal {EDGE} m",
            f"corners   ± {half[1:25].max() * 1e3:.2g} mm at most (95 %)",
            f"held-out roll-outs, started from the state at sample {FLIGHT} that the samples up to it give",
            "                        position [cube widths]   rotation [deg]",
        ]
        for name, errors in (("fitted cube", self.fitted), ("nominal cube", self.nominal)):
            lines.append(f"  {name:<20}  {errors.position.mean() / EDGE:22.4f}   {errors.rotation.mean():14.2f}")
        gains = [mine - other for mine, other in zip(self.fitted[:2], self.nominal[:2], strict=True)]
        (position, p), (rotation, r) = ((d.mean(), d.std() / np.sqrt(len(d))) for d in gains)
        lines.append(f"  {'difference':<20} {position / EDGE:+13.4f} ± {p / EDGE:.4f}   {rotation:+7.2f} ± {r:.2f}")
        return "\n".join(lines)


def identify_cube(
    folder: Path | None = None,
    fit: int = 200,
    validate: int = 85,
    start: tuple[Any, Any] = (0.4, 0.7 * HALF),
    length_unit: float | None = None,
    every: int = 4,
    horizon: int = 20,
    kappa: float = KAPPA,
    max_iterations: int = 15,
    threads: int = 1,
    progress: bool | None = False,
) -> CubeReport:
    """Fit every `every`-th of the first `fit` tosses, roll out the next `validate`. start: guess of friction and half width [m].

    One-step predictions from the recorded states give corners and friction to some percent, as in the paper. They judge a cube at
    rest by the fall of a single step, h² g = 0.4 mm, and take noise of the velocities for friction. Multiple shooting from there
    finds them, the moment of inertia and the centre of mass together, of a cube that does not rebound. Restitution, and with it
    friction anew, is found last, by roll-outs of all of the first `fit` tosses (bounces.py). Roll-outs start from the state that
    the first FLIGHT samples give, of held-out tosses too, and are compared with the later samples.
    """
    unit = GRAVITY / free_fall(read_poses(folder)) if length_unit is None else length_unit
    tosses = read_tosses(folder, unit)
    if len(tosses) < fit + validate:
        raise ValueError(f"{folder or 'shipped tosses'}: {len(tosses)} tosses, {fit} + {validate} were asked for")
    sim = nominal_cube()
    first = identify(
        sim, tosses[: fit : max(1, fit // COARSE)], unknowns(*start), FIRST_KAPPAS, horizon=1, free_states=False, weights=WEIGHTS,
        loss="soft_l1", every=4, choose=touches, tolerance=1e-3, threads=threads, progress=progress,
    )  # fmt: skip
    near = unknowns(first.values["friction"], first.values["contact_point"])
    result = identify(
        sim, tosses[:fit:every], [*near, *mass_unknowns()], kappa, horizon=horizon, loss="huber", loss_scale=HUBER, tolerance=1e-4,
        max_iterations=max_iterations, threads=threads, progress=progress,
    )  # fmt: skip
    starts = partial(with_estimated_starts, samples=FLIGHT, noise=result.noise.samples, threads=threads)
    thrown = starts(result.simulator, tosses[:fit])
    found, _ = fit_restitution(result.simulator, thrown, result.noise.samples, threads=threads, friction=True)
    held = tosses[fit : fit + validate]
    errors = [rollout_errors(one, starts(one, held)) for one in (found, sim)]
    return CubeReport(result, found, unit, errors[0], errors[1], (len(tosses[:fit:every]), validate))


WEIGHTS = np.array([1 / 3e-4] * 3 + [1 / 6e-3] * 3)
"""Inverse deviations of a one-step prediction: 0.3 mm, 0.35 deg."""
