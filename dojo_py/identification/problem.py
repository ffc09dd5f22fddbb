"""The least-squares problem: residuals and Jacobian of all stretches, by parameters alone or with the initial states.

One-step prediction (horizon 1, states as measured) is cheap and convex-like, but noise in the states biases it. Multiple shooting
(horizon N, free_states) makes each stretch's initial state unknown too and asks successive stretches to join: unbiased.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from dojo_py.identification.data import Recording
from dojo_py.identification.segments import Segment, cut, measured_state, predict, rotation_slopes
from dojo_py.identification.unknowns import Unknowns

Array = np.ndarray
HUGE = 1e12
"""Residuals of impossible values."""


class Problem:
    """Vector of unknowns: z (n,), then for free states the tangent offsets (2 nv) of each stretch's start from the measured one."""

    def __init__(
        self,
        recordings: list[Recording],
        unknowns: Unknowns,
        kappa: float,
        horizon: int,
        weights: Array,
        free_states: bool,
        continuity: float,
        every: int = 1,
        choose: Any = None,
        prior: float = 0.0,
    ):
        self.recordings, self.unknowns, self.kappa = recordings, unknowns, kappa
        self.weights, self.free_states, self.continuity, self.prior = weights, free_states, continuity, prior
        self._rows = 0
        self.sim = unknowns.sim
        self.segments = cut(recordings, horizon, every, choose)
        if not self.segments:
            raise ValueError("there is nothing to predict: no recording has two successive samples, or none was chosen")
        nv = self.sim.model.nv
        self.size = len(unknowns) + (2 * nv * len(self.segments) if free_states else 0)
        self.unsolved = 0
        self._cache: tuple[bytes, Any] = (b"", None)
        # the least misfit of the start: two measured poses for the pose and velocity of an interval
        h = self.sim.timestep
        one = np.eye(nv)
        self._start_rows = np.block([[one, 0 * one], [one, -h * one]]) * np.tile(weights, 2)[:, None]

    def start(self) -> Array:
        """First guess."""
        return np.concatenate([self.unknowns.start, np.zeros(self.size - len(self.unknowns))])

    def bounds(self) -> tuple[Array, Array]:
        """Of all unknowns."""
        rest = np.full(self.size - len(self.unknowns), np.inf)
        return np.concatenate([self.unknowns.lower, -rest]), np.concatenate([self.unknowns.upper, rest])

    def _begin(self, y: Array, i: int) -> tuple[Array, Array, Array]:
        """(qpos, qvel, offset) at the start of stretch i."""
        segment: Segment = self.segments[i]
        qpos, qvel = measured_state(self.recordings[segment.recording], self.sim, segment.start)
        if not self.free_states:
            return qpos, qvel, np.zeros(0)
        nv = len(qvel)
        offset = y[len(self.unknowns) + 2 * nv * i :][: 2 * nv]
        return self.sim.model.integrate(qpos, offset[:nv]), qvel + offset[nv:], offset

    def _joins(self, i: int) -> bool:
        """Whether stretch i + 1 goes on where stretch i ends."""
        if not (self.free_states and self.continuity > 0 and i + 1 < len(self.segments)):
            return False
        a, b = self.segments[i], self.segments[i + 1]
        return a.recording == b.recording and a.start + a.length == b.start

    def residuals(self, y: Array) -> Array:
        """(m,); huge where the values are impossible, so that an optimiser takes a shorter step."""
        try:
            return self._evaluate(y, False)[0]
        except (ValueError, FloatingPointError):
            if not self._rows:
                raise
            return np.full(self._rows, HUGE)

    def jacobian(self, y: Array) -> Any:
        """(m, size), sparse with free states."""
        return self._evaluate(y, True)[1]

    def _evaluate(self, y: Array, differentiate: bool) -> Any:
        key, kept = self._cache
        if key == y.tobytes() and (kept[1] is not None or not differentiate):
            return kept
        n, nv = len(self.unknowns), self.sim.model.nv
        with np.errstate(over="raise", invalid="raise"):
            sim, z = self.unknowns.simulator(y[:n]), y[:n]
        residuals, rows = [], Rows(self.size)
        self.unsolved = 0
        for i, segment in enumerate(self.segments):
            qpos, qvel, offset = self._begin(y, i)
            recording = self.recordings[segment.recording]
            p = predict(sim, recording, segment, (qpos, qvel), self.kappa, self.unknowns if differentiate else None, z)
            self.unsolved += not p.solved
            residuals.append((p.misfit * self.weights).ravel())
            mine = n + 2 * nv * i
            if differentiate:
                w = self.weights[:, None]
                blocks = [(0, (p.by_unknown * w).reshape(-1, n))]
                # the offset's rotation is a tangent at the measured pose, by_state's at the start itself
                if self.free_states:
                    blocks.append((mine, (p.by_state * w).reshape(-1, 2 * nv) @ self._turn(offset)))
                rows.add(blocks)
            if self.free_states:
                residuals.append(self._start_rows @ offset)
                if differentiate:
                    rows.add([(mine, self._start_rows)])
            if self._joins(i):
                after, rate, later = self._begin(y, i + 1)
                gap = np.concatenate([sim.model.difference(p.end[0], after), sim.timestep * (p.end[1] - rate)])
                scale = self.continuity * np.tile(self.weights, 2)[:, None]
                residuals.append(gap * scale[:, 0])
                if differentiate:
                    unit = np.diag(np.repeat([1.0, sim.timestep], nv))
                    left = unit.copy()
                    left[:nv, :nv] = rotation_slopes(sim.model, gap[:nv])
                    right = unit.copy()
                    right[:nv, :nv] = rotation_slopes(sim.model, -gap[:nv])
                    rows.add([
                        (0, scale * (left @ p.end_by_unknown)), (mine, scale * (left @ p.end_by_state @ self._turn(offset))),
                        (mine + 2 * nv, -scale * (right @ self._turn(later))),
                    ])  # fmt: skip
        if self.prior > 0:
            residuals.append(self.prior * (z - self.unknowns.start))
            if differentiate:
                rows.add([(0, self.prior * np.eye(n))])
        jacobian = (rows.sparse() if self.free_states else rows.dense()) if differentiate else None
        self._cache = (y.tobytes(), (np.concatenate(residuals), jacobian))
        self._rows = len(self._cache[1][0])
        return self._cache[1]

    def _turn(self, offset: Array) -> Array:
        """(2 nv, 2 nv) derivative of the start's tangent by the offset: right Jacobians of its rotations."""
        nv = len(offset) // 2
        out = np.eye(2 * nv)
        out[:nv, :nv] = np.linalg.inv(rotation_slopes(self.sim.model, offset[:nv]))
        return out


class Rows:
    """Collects blocks of rows of a sparse matrix."""

    def __init__(self, width: int):
        self.width, self.height = width, 0
        self._parts: list[tuple[Array, Array, Array]] = []

    def add(self, blocks: list[tuple[int, Array]]) -> None:
        """Blocks side by side, each (first column, matrix), all of the same height."""
        height = len(blocks[0][1])
        for first, block in blocks:
            i, j = np.indices(block.shape)
            self._parts.append(((i + self.height).ravel(), (j + first).ravel(), block.ravel()))
        self.height += height

    def sparse(self) -> Any:
        """As a scipy matrix."""
        i, j, v = (np.concatenate([p[k] for p in self._parts]) for k in range(3))
        return csr_matrix((v, (i, j)), shape=(self.height, self.width))

    def dense(self) -> Array:
        """As an array."""
        return self.sparse().toarray()
