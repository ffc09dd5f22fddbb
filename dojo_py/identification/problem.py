"""The residuals of a fit: predictions of stretches, from states as measured or from unknown ones, against the samples.

From states as measured (`free_states=False`) predictions of a few steps are cheap, but errors of the states are blamed on the
parameters: noise, and, with hard contact, any sample that overlaps the ground, as real and soft bodies do: the next step pushes
the body out, whatever it weighs, so that masses come out far too small. Multiple shooting
(free states) makes the stretches' initial states unknown too and asks that successive stretches join:

    r = (q_k ⊖ q̂_k) / σ                              samples, each once (those between stretches apart: once for each)
    d = (x_end ⊖ x_next, h (v_end - v_next)) / τ      joins

Source: Bock (1983), "Recent advances in parameter identification techniques for ODE".
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.activations import Activations, all_activations
from dojo_py.identification.data import Recording, measured_state
from dojo_py.identification.elimination import Rows
from dojo_py.identification.noise import MEDIAN
from dojo_py.identification.segments import Kappas, cut, predict, rotation_slopes
from dojo_py.identification.unknowns import Unknowns
from dojo_py.simulate.arguments import spread
from dojo_py.sweeps import Recipe, pieces
from dojo_py.workers import Workers

Array = np.ndarray


OVERLAID = 10.0
"""Error of κ over the noise of a coordinate from which on it takes the noise's place: the samples then say nothing that κ does not
overlay. (24 drawn boxes that slide, with noise in their positions and little or none in their rotations: in 24 cases the truth lies
in the 95 % interval with 0, in 23 with 10, in half of 10 cases with 100, where mass comes out up to 5 times too large. The cube's
samples have noise, and κ is off by 1 to 8 times that: with 0 unseen tosses are predicted to 13.4 % of its width, with 10 to
11.8 %.)"""

ROUND_OFF = 1e-12
"""Derivatives of the motion by an unknown that say nothing, over those by the one that it feels most, each in its own size."""


class Point(NamedTuple):
    """Values of the unknowns."""

    z: Array
    """(n,) free numbers of the parameters."""
    states: tuple[tuple[Array, Array], ...]
    """(qpos, qvel) at the start of each stretch; empty when these are taken as measured."""


class Noise(NamedTuple):
    """Deviations that residuals are divided by."""

    samples: Array
    """(nv,) of the coordinates of a sample [m, rad]."""
    joins: Array
    """(2 nv,) of the gaps between stretches: coordinates, and velocities times the time step."""


class Problem:
    """Rows of residuals at a point, for one κ and one idea of the noise."""

    def __init__(
        self, recordings: list[Recording], unknowns: Unknowns, horizon: int, free_states: bool, joined: bool, every: int = 1,
        choose: Any = None, prior: float = 0.0, threads: int = 1, workers: Workers | None = None,
    ):  # fmt: skip
        self.recordings, self.unknowns, self.prior, self.threads = recordings, unknowns, prior, threads
        self.workers = workers
        self.sim, self.free_states = unknowns.sim, free_states
        self.nv = self.sim.model.nv
        self.segments = cut(recordings, horizon, every, choose, measured=not free_states)
        if not self.segments:
            raise ValueError("there is nothing to predict: no recording has two successive samples, or none was chosen")
        self._joined = free_states and joined
        self.kappa = 0.0
        self.refusal = ""  # why the last point was impossible
        self.rollout_kappa: float | Literal["gradient"] | None = "gradient"
        self.noise = Noise(np.ones(self.nv), np.ones(2 * self.nv))

    @property
    def kappas(self) -> Kappas:
        """Of the motion and of its derivatives."""
        return Kappas(self.kappa if isinstance(self.rollout_kappa, str) else self.rollout_kappa, self.kappa)

    def start(self) -> Point:
        """First guess: states as measured."""
        return Point(self.unknowns.start, self._measured() if self.free_states else ())

    def move(self, point: Point, change: Array, states: Array) -> Point:
        """The point moved by tangents (n,) and (stretches, 2 nv)."""
        nv, integrate = self.nv, self.sim.model.integrate
        moved = [(integrate(q, d[:nv]), v + d[nv:]) for (q, v), d in zip(point.states, states, strict=False)]
        return Point(np.clip(point.z + change, self.unknowns.lower, self.unknowns.upper), tuple(moved))

    def joins(self, i: int) -> bool:
        """Whether stretch i + 1 goes on where stretch i ends."""
        if not self._joined or i < 0 or i + 1 >= len(self.segments):
            return False
        a, b = self.segments[i], self.segments[i + 1]
        return a.recording == b.recording and a.start + a.length == b.start

    def rows(self, point: Point) -> list[Rows] | None:
        """All residuals over their deviations, with derivatives; None where the values are impossible."""
        try:
            with np.errstate(over="raise", invalid="raise"):
                sim = self.unknowns.simulator(point.z)
            starts = point.states if self.free_states else self._measured()
            parts = self._predictions(sim, point.z, starts)
        except (ValueError, FloatingPointError) as error:
            self.refusal = str(error)
            return None
        rows = [row for part in parts for row in part]
        self._leave_out_round_off(rows)
        return rows + self._prior_rows(point.z)

    def _leave_out_round_off(self, rows: list[Rows]) -> None:
        """Set to zero the derivatives by unknowns of which all that the motion feels is round-off.

        (A box that slides along x does not feel gravity along y, and its derivative is 1e-32. Taken for an effect, it asks for a
        change of 1e31 m/s², which no simulator takes, so that the other unknowns stayed where they began, too.)
        """
        effect = sum(np.sum(row.by_unknown**2, axis=0) for row in rows) * self.unknowns.sizes(self.unknowns.start) ** 2
        nothing = effect <= ROUND_OFF**2 * np.max(effect)
        if np.any(nothing):
            for row in rows:
                row.by_unknown = np.where(nothing, 0.0, row.by_unknown)  # (what another process has found is read-only)

    def has_error_of_kappa(self) -> bool:
        """Whether κ shows in the motion: contacts carry something, and the motion is not hard itself."""
        return self.kappas.motion is not None and bool(np.isfinite(self.sim.largest_kappa()))

    def error_of_kappa(self, point: Point, relaxed: list[Rows] | None) -> Array:
        """(nv,) how far the stretches at κ are from those in the hard limit [m, rad], by the median of all samples, where that is
        more than OVERLAID times the noise, else 0.

        relaxed: `rows` of this point. 0 also where there are none, or the hard motion is impossible here.
        """
        hard = None if relaxed is None else self.changed(rollout_kappa=None).rows(point)
        if relaxed is None or hard is None:
            return np.zeros(self.nv)
        apart = [(a.residual - b.residual).reshape(-1, self.nv) for a, b in zip(relaxed, hard, strict=True) if a.kind == "measured"]
        deviations = np.median(np.abs(np.concatenate(apart)), axis=0) / MEDIAN
        return np.where(deviations > OVERLAID, deviations * self.noise.samples, 0.0)

    def changed(self, **fields: Any) -> Problem:
        """A copy with other values of some fields."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **fields)
        return other

    def first_activations(self, sim: HardSimulator, z: Array) -> list[Activations | None]:
        """Activations where each stretch starts; None where the model has none."""
        if not self.sim.model.na:
            return [None] * len(self.segments)

        def of_recording(i: int) -> list[Activations]:
            return all_activations(sim, self.recordings[i], self.unknowns, z, self.kappa)

        found = spread(of_recording, len(self.recordings), self.threads)
        return [found[s.recording][s.start] for s in self.segments]

    def _measured(self) -> tuple[tuple[Array, Array], ...]:
        return tuple(measured_state(self.recordings[s.recording], self.sim, s.start) for s in self.segments)

    def _predictions(self, sim: HardSimulator, z: Array, starts: Any) -> list[list[Rows]]:
        """Of all stretches, by threads here or by workers elsewhere."""
        acts = self.first_activations(sim, z)
        if self.workers is None:
            return spread(lambda i: self._predict(sim, z, starts, acts, i), len(self.segments), self.threads)
        jobs = [_Stretches(self, z, starts, acts, part.tolist()) for part in pieces(len(self.segments))]
        return [one for part in self.workers.map(_predict_all, jobs) for one in part]

    def __getstate__(self) -> dict[str, Any]:
        """For a worker: the simulator as its recipe."""
        return {**self.__dict__, "sim": None, "workers": None, "unknowns": (Recipe.of(self.unknowns.sim), self.unknowns.parts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        recipe, parts = state["unknowns"]
        self.__dict__.update(state)
        self.sim = recipe.simulator()
        self.unknowns = Unknowns(self.sim, parts)

    def _predict(self, sim: HardSimulator, z: Array, starts: Any, acts: list[Activations | None], i: int) -> list[Rows]:
        """Rows of stretch i."""
        segment, nv, n = self.segments[i], self.nv, len(self.unknowns)
        recording, sigma = self.recordings[segment.recording], self.noise.samples
        try:
            p = predict(sim, recording, segment, starts[i], self.kappas, self.unknowns, z, acts[i])
        except ValueError as error:
            raise ValueError(f"'{recording.name}' from sample {segment.start} on: {error}") from error
        w = 1.0 / sigma[:, None]
        places = np.tile(np.arange(nv), segment.length)
        by_unknown = (p.by_unknown * w).reshape(-1, n)
        measured = Rows("measured", (p.misfit / sigma).ravel(), places, by_unknown, stretch=i, solved=p.solved)
        rows = [measured]
        if self.free_states:
            measured.by_state = {i: (p.by_state * w).reshape(-1, 2 * nv)}
            if not self.joins(i - 1):
                rows.append(self._first_rows(recording.qpos[segment.start], starts[i], i))
            if self.joins(i):
                rows.append(self._join(p, starts[i + 1], i))
        return rows

    def _first_rows(self, measured: Array, state: tuple[Array, Array], i: int) -> Rows:
        """The sample that stretch i starts from."""
        model, nv, sigma = self.sim.model, self.nv, self.noise.samples
        r = model.difference(state[0], measured)
        slope = np.hstack([rotation_slopes(model, r), np.zeros((nv, nv))]) / sigma[:, None]
        return Rows("measured", r / sigma, np.arange(nv), np.zeros((nv, len(self.unknowns))), {i: slope}, stretch=i)

    def _join(self, p: Any, after: tuple[Array, Array], i: int) -> Rows:
        """The gap between the end of stretch i and the start of the next."""
        model, nv, h, tau = self.sim.model, self.nv, self.sim.timestep, self.noise.joins
        gap = np.concatenate([model.difference(p.end[0], after[0]), h * (p.end[1] - after[1])])
        left, right = (np.diag(np.repeat([1.0, h], nv)) for _ in range(2))
        left[:nv, :nv], right[:nv, :nv] = rotation_slopes(model, gap[:nv]), rotation_slopes(model, -gap[:nv])
        left, right = left / tau[:, None], right / tau[:, None]
        by_state = {i: left @ p.end_by_state, i + 1: -right}
        return Rows("defect", gap / tau, np.arange(2 * nv), left @ p.end_by_unknown, by_state, stretch=i)

    def _prior_rows(self, z: Array) -> list[Rows]:
        """What is known beforehand: of free numbers in general, and of single unknowns."""
        residual, slope = self.unknowns.prior_rows(z)
        if self.prior > 0:
            residual = np.concatenate([residual, self.prior * (z - self.unknowns.start)])
            slope = np.concatenate([slope, self.prior * np.eye(len(z))])
        return [Rows("prior", residual, np.zeros(len(residual), int), slope)] if len(residual) else []


class _Stretches(NamedTuple):
    """Some stretches of a problem to predict."""

    problem: Problem
    z: Array
    starts: Any
    acts: list[Activations | None]
    which: list[int]


def _predict_all(job: _Stretches) -> list[list[Rows]]:
    problem = job.problem
    sim = problem.unknowns.simulator(job.z)
    return [problem._predict(sim, job.z, job.starts, job.acts, i) for i in job.which]
