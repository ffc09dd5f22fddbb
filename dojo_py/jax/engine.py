"""What JAX calls back: batches of rollouts by the simulator, numpy arrays in and out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from dojo_py.hard.parameters.shared import shared_number
from dojo_py.hard.simulator import DEFAULT_KAPPA, HardSimulator
from dojo_py.jax.tangents import Tangents
from dojo_py.simulate.arguments import names_of, refuse_late_controls
from dojo_py.simulate.results import State
from dojo_py.simulate.status import Status
from dojo_py.simulate.values import count, real_number, text_of

Array = np.ndarray

UNSOLVED = ("warn", "raise", "ignore")
"""What to do about steps that did not meet their tolerances."""


class Engine:
    """Rollouts of one simulator for batches of state vectors, controls and parameter values, derivatives included."""

    def __init__(
        self,
        simulator: HardSimulator,
        kappa: float | None,
        gradient_kappa: float | None,
        parameters: Sequence[str],
        threads: int | None,
        unsolved: str,
    ):
        model = simulator.model
        refuse_late_controls(model, f"model '{model.name}'")
        text_of("unsolved", unsolved, UNSOLVED)
        if kappa is not None:
            kappa = real_number("kappa", kappa, above=0.0, unit="N m s")
        if gradient_kappa is not None:
            gradient_kappa = real_number("gradient_kappa", gradient_kappa, above=0.0, unit="N m s")
        if threads is not None:
            threads = count("threads", threads)
        if parameters is None:
            raise TypeError("parameters=None, expected a list of names, perhaps empty")
        for name in names_of("parameters", parameters):
            if not simulator.parameter(name).size:
                raise ValueError(f"the model has no {name}")
        twice = shared_number(simulator, names_of("parameters", parameters))
        if twice is not None:
            raise ValueError(f"parameters: {twice[0]} belongs to two names, {twice[1]!r} and {twice[2]!r}, and has one value")
        self.simulator, self.model, self.tangents = simulator, model, Tangents(model)
        self.kappa = kappa
        default = DEFAULT_KAPPA if kappa is None else kappa
        self.gradient_kappa = default if gradient_kappa is None else gradient_kappa
        self.parameters = names_of("parameters", parameters)
        self.threads, self.unsolved = threads, unsolved

    def states(self, state: Array, controls: Array, values: Array) -> Array:
        """(…, T + 1, n) from state (…, n), n = nq + nv + na, controls (…, T, nu), parameter values (…, p); batch axes broadcast."""
        return self._run(state, controls, values, False, False)[0]

    def linearized(self, state: Array, controls: Array, values: Array, by_parameters: bool) -> tuple[Array, ...]:
        """States as above, A (…, T, m, m), B (…, T, m, nu), m = 2nv + na, and with by_parameters also (…, T, m, p)."""
        return self._run(state, controls, values, True, by_parameters)

    def accept(self, state: Array, values: Array) -> None:
        """ValueError where the simulator takes no such state (nq + nv + na,) or flat parameter values (p,); NaN is let through."""
        if np.isfinite(state).all() and np.isfinite(values).all():
            x = self.tangents.normalised(state[None])[0]
            self._start(self.simulator.with_parameters(self.named(values)) if self.parameters else self.simulator, x)

    def _run(self, state: Any, controls: Any, values: Any, linearize: bool, by_parameters: bool) -> tuple[Array, ...]:
        x, u, p = (np.asarray(a, dtype=float) for a in (state, controls, values))
        batch = np.broadcast_shapes(x.shape[:-1], u.shape[:-2], p.shape[:-1])
        count = math.prod(batch)
        x = self.tangents.normalised(np.broadcast_to(x, (*batch, x.shape[-1])).reshape(count, x.shape[-1]))
        u = np.broadcast_to(u, (*batch, *u.shape[-2:])).reshape(count, *u.shape[-2:])
        p = np.broadcast_to(p, (*batch, p.shape[-1])).reshape(count, p.shape[-1])
        tangent, steps = self.tangents.tangent_size, u.shape[1]
        shapes: list[tuple[int, ...]] = [(steps + 1, x.shape[1])]
        if linearize:
            shapes += [(steps, tangent, tangent), (steps, tangent, self.model.nu)]
        if by_parameters:
            shapes.append((steps, tangent, p.shape[1]))
        # what is not a number stays so, for its row of the batch alone, as everywhere in JAX
        outputs = tuple(np.full((count, *shape), np.nan) for shape in shapes)
        usable = np.isfinite(x).all(axis=1) & np.isfinite(u).all(axis=(1, 2)) & np.isfinite(p).all(axis=1)
        rows = np.flatnonzero(usable)
        if len(rows):
            sets, which = np.unique(p[rows], axis=0, return_inverse=True)
            refused: dict[int, ValueError] = {}
            for i, one in enumerate(sets):  # one call for each set of parameters, all rows that share it at once
                mine = rows[which.reshape(-1) == i]
                refused |= self._roll(mine, x, u, one, linearize, by_parameters, outputs)
            self._refused(refused, count, batch != ())
        return tuple(out.reshape(*batch, *out.shape[1:]) for out in outputs)

    def _roll(
        self, rows: Array, x: Array, u: Array, values: Array, linearize: bool, by_parameters: bool, outputs: tuple
    ) -> dict[int, ValueError]:
        """Rollouts of these rows, with one set of parameter values, into the outputs. Row -> why the simulator refuses it."""
        sim, starts = self.simulator, dict[int, State]()
        refused: dict[int, ValueError] = {}
        if self.parameters:
            try:
                sim = sim.with_parameters(self.named(values))
            except ValueError as error:
                return dict.fromkeys(rows.tolist(), error)
        for b in rows.tolist():
            try:
                starts[b] = self._start(sim, x[b])
            except ValueError as error:
                refused[b] = error
        rows = np.array(list(starts), int)
        if not len(rows):
            return refused
        how: dict[str, Any] = {
            "threads": self.threads,
            "kappa": self.kappa,
            "linearize": linearize,
            "gradient_kappa": self.gradient_kappa,
        }
        names = self.parameters if by_parameters else None
        trajectories = sim.rollout_batch(list(starts.values()), u[rows], parameters=names, **how)
        self._judge(trajectories)
        for b, trajectory in zip(rows, trajectories, strict=True):
            outputs[0][b] = np.hstack([trajectory.qpos, trajectory.qvel, trajectory.act])
            if linearize:
                outputs[1][b], outputs[2][b] = trajectory.A, trajectory.B
            if by_parameters:
                outputs[3][b] = np.concatenate([trajectory.parameters[name] for name in self.parameters], axis=2)
        return refused

    def _refused(self, refused: dict[int, ValueError], count: int, several: bool) -> None:
        """Raise the first error; of several elements warn, or raise or say nothing as `unsolved` says: those refused are NaN."""
        for b, error in refused.items():
            if not several or self.unsolved == "raise":
                raise error
            if self.unsolved == "warn":
                others = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
                warnings.warn(f"element {b} of {count}{others} is refused, and NaN: {error}", RuntimeWarning, stacklevel=2)
            return

    def _start(self, sim: HardSimulator, x: Array) -> State:
        """The state of a vector [qpos, qvel, act]."""
        nq, nv = self.model.nq, self.model.nv
        return sim.initial_state(x[:nq], x[nq : nq + nv], act=x[nq + nv :])

    def named(self, values: Array) -> dict[str, Array]:
        """Name of a parameter -> its part of the flat values, in the order in which they are to be set.

        Centres of mass last: contact points, which count from them, then stay where they are in the body, as in the derivatives.
        """
        parts, at = {}, 0
        for name, size in zip(self.parameters, self.parameter_sizes(), strict=True):
            parts[name] = values[at : at + size]
            at += size
        return dict(sorted(parts.items(), key=lambda part: part[0].partition(":")[0] == "com"))

    def parameter_sizes(self) -> list[int]:
        """Entries of each parameter, in the order of their names."""
        if not self.parameters:
            return []
        if not hasattr(self, "_sizes"):
            at_rest = self.simulator.linearize(self.simulator.initial_state(), parameters=list(self.parameters))
            self._sizes = [at_rest.parameters[name].shape[1] for name in self.parameters]
        return self._sizes

    def _judge(self, trajectories: list[Any]) -> None:
        """Warn or raise about unsolved steps."""
        tables = [table for t in trajectories for table in (t.status, t.gradient_status) if table is not None]
        if tables:
            judge(self.model, self.unsolved, np.concatenate(tables))


def judge(model: Any, unsolved: str, statuses: Array) -> None:
    """Warn, raise or say nothing, as `unsolved` says, about the steps among statuses (n,) that were not solved."""
    kinds, counts = np.unique(statuses[statuses != Status.SOLVED], return_counts=True)
    if unsolved == "ignore" or not len(kinds):
        return
    failed = [(Status(int(kind)), int(count)) for kind, count in zip(kinds, counts, strict=True)]
    text = f"model '{model.name}': " + "; ".join(f"{n} steps {status.name}: {status.message}" for status, n in failed)
    if unsolved == "raise":
        raise RuntimeError(text)
    warnings.warn(text, RuntimeWarning, stacklevel=2)
