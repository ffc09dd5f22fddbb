"""Common residuals with analytic Jacobians: difference from a goal state, or from one goal per knot; control effort.

The difference of two orientations is the rotation vector of q_goal⁻¹ ⊗ q; its derivative: `mechanism.quaternion.log_jacobian`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.checks import wrong_quaternion
from dojo_py.mechanism.configuration import configuration_difference, difference_jacobian
from dojo_py.mechanism.model import Model
from dojo_py.planning.costs import ResidualCost, weights_of
from dojo_py.planning.differences import tangent_size
from dojo_py.planning.knots import Knots
from dojo_py.simulate.results import State
from dojo_py.simulate.values import having, real_array, shown

Array = np.ndarray


def _rows(rows: Any, size: int) -> Array:
    """Indices of entries of the tangent state, checked."""
    found = np.atleast_1d(real_array("rows", rows))
    if found.ndim != 1 or np.any(found != np.floor(found)) or np.any(found < -size) or np.any(found >= size):
        raise ValueError(f"rows must be indices of the {size} entries of the tangent state")
    places, numbers = np.unique(found % size, return_counts=True)
    if np.any(numbers > 1):
        twice = int(places[numbers > 1][0])
        raise ValueError(f"rows={shown(rows)} has entry {twice} of the tangent state several times: they are indices, no mask")
    return found.astype(int)


def _check_sizes(name: str, mine: Any, given: Any, sizes: tuple[str, ...]) -> None:
    """ValueError where a residual is given to a simulator of another model, by their sizes."""
    made, expected = ([int(getattr(model, size, 0)) for size in sizes] for model in (mine, given))
    if made != expected:
        raise ValueError(f"{name} was made for a model with {', '.join(sizes)} = {made}, the simulator's has {expected}")


def _check_quaternions(model: Any, qpos: Array) -> None:
    """ValueError for a quaternion of a goal (nq,) or of goals (K, nq) whose length is not 1, as of an initial state."""
    wrong = wrong_quaternion(model, qpos) if hasattr(model, "jnt_type") else None
    if wrong is not None:
        where = "" if qpos.ndim == 1 else f" at knot {wrong.row}"
        raise ValueError("goal: " + wrong.said(f"qpos[{wrong.part.start}:{wrong.part.stop}]{where}"))


class StateDistance:
    """Residual [q ⊖ q_goal, v − v_goal] (2 nv,), or its entries `rows`; goals (nq,) and (nv,), or one row each per knot."""

    def __init__(self, model: Any, qpos: Array, qvel: Array | None = None, rows: Array | None = None):
        self.model = having("model", model, ("nv", "difference"), "a Model, as load_model returns it")
        self.qpos = np.atleast_1d(real_array("goal: qpos", qpos))
        self.qvel = np.zeros((*self.qpos.shape[:-1], model.nv)) if qvel is None else np.atleast_1d(real_array("goal: qvel", qvel))
        if not (np.all(np.isfinite(self.qpos)) and np.all(np.isfinite(self.qvel))):
            raise ValueError("goal: qpos or qvel has entries that are not finite")
        if self.qpos.shape[-1] != model.nq or self.qvel.shape != (*self.qpos.shape[:-1], model.nv):
            raise ValueError(
                f"goal: qpos {self.qpos.shape} and qvel {self.qvel.shape}, expected ({model.nq},) and ({model.nv},), "
                "or the same with one row per knot"
            )
        _check_quaternions(model, self.qpos)
        self.rows = np.arange(2 * model.nv) if rows is None else _rows(rows, 2 * int(model.nv))

    def check_model(self, name: str, model: Any) -> None:
        """ValueError unless it was made for a model of these sizes."""
        _check_sizes(name, self.model, model, ("nq", "nv", "na"))

    def _goal(self, k: int) -> tuple[Array, Array]:
        if self.qpos.ndim == 1:
            return self.qpos, self.qvel
        if k >= len(self.qpos):
            raise ValueError(f"goal: qpos has {len(self.qpos)} rows, knot {k} has none")
        return self.qpos[k], self.qvel[k]

    def __call__(self, state: State, control: Array | None, k: int) -> Array:
        """The residual."""
        qpos, qvel = self._goal(k)
        return np.concatenate([self.model.difference(state.qpos, qpos), state.qvel - qvel])[self.rows]

    def jacobian(self, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        """By the tangent state (p, 2nv + na) and by the control (p, nu)."""
        nv = self.model.nv
        out = np.eye(2 * nv, tangent_size(self.model))
        out[:nv, :nv] = slopes(self.model, self.model.difference(state.qpos, self._goal(k)[0]))
        return out[self.rows], np.zeros((len(self.rows), 0 if control is None else len(control)))

    def along(self, knots: Knots) -> Array:
        """(K, p) residuals at several knots."""
        qpos, qvel = self._goals(knots)
        away = np.hstack([differences(self.model, knots.qpos, qpos), knots.qvel - qvel])
        return away if len(self.rows) == away.shape[1] else away[:, self.rows]

    def jacobians_along(self, knots: Knots) -> tuple[Array, Array]:
        """(K, p, 2nv + na), (K, p, nu)."""
        nv, K = self.model.nv, len(knots.qpos)
        out = np.tile(np.eye(2 * nv, tangent_size(self.model)), (K, 1, 1))
        if self.model.nq != nv:
            out[:, :nv, :nv] = slopes(self.model, differences(self.model, knots.qpos, self._goals(knots)[0]))
        return out[:, self.rows], np.zeros((K, len(self.rows), 0 if knots.controls is None else knots.controls.shape[1]))

    def _goals(self, knots: Knots) -> tuple[Array, Array]:
        """Goals at several knots, (K, nq) and (K, nv), or one for all, (nq,) and (nv,)."""
        if self.qpos.ndim == 1:
            return self.qpos, self.qvel
        last = knots.first + len(knots.qpos)
        self._goal(last - 1)
        return self.qpos[knots.first : last], self.qvel[knots.first : last]


def differences(model: Any, b: Array, a: Array) -> Array:
    """b ⊖ a (K, nv) for coordinates b (K, nq) and a, (nq,) or (K, nq)."""
    if isinstance(model, Model):
        return configuration_difference(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, b, a)
    return np.array([model.difference(x, y) for x, y in zip(b, np.broadcast_to(a, b.shape), strict=True)])


def slopes(model: Any, dq: Array) -> Array:
    """(..., nv, nv) derivatives of differences dq (..., nv) of coordinates by the tangent at their end."""
    if not hasattr(model, "jnt_type"):  # plain numbers
        return np.broadcast_to(np.eye(model.nv), (*dq.shape, model.nv))
    return difference_jacobian(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, dq)


class ControlEffort:
    """Residual control − reference (nu,), without entries at the terminal knot. reference: a number, (nu,) or (T, nu)."""

    def __init__(self, model: Any, reference: float | Array = 0.0):
        self.model = having("model", model, ("nv", "nu"), "a Model, as load_model returns it")
        self.size = tangent_size(model)
        self.reference = real_array("reference", reference)
        if not np.all(np.isfinite(self.reference)) or self.reference.ndim > 2:
            raise ValueError(f"reference has shape {self.reference.shape}, expected one finite number, (nu,) or (T, nu)")

    def check_model(self, name: str, model: Any) -> None:
        """ValueError unless it was made for a model of these sizes."""
        _check_sizes(name, self.model, model, ("nv", "nu", "na"))

    def __call__(self, state: State, control: Array | None, k: int) -> Array:
        """The residual."""
        if control is None:
            return np.zeros(0)
        shape, nu = self.reference.shape, len(control)
        if (shape and shape[-1] != nu) or (len(shape) == 2 and k >= shape[0]):
            raise ValueError(f"reference has shape {shape}, expected one number, ({nu},) or (T, {nu})")
        return control - (self.reference[k] if self.reference.ndim == 2 else self.reference)

    def jacobian(self, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        """By the tangent state (p, 2nv + na) and by the control (p, nu)."""
        m = 0 if control is None else len(control)
        return np.zeros((m, self.size)), np.eye(m)

    def along(self, knots: Knots) -> Array:
        """(K, p) residuals at several knots."""
        if knots.controls is None or self.reference.ndim == 2:
            return np.array([self(s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states)])
        self(knots.states[0], knots.controls[0], knots.first)
        return knots.controls - self.reference

    def jacobians_along(self, knots: Knots) -> tuple[Array, Array]:
        """(K, p, 2nv + na), (K, p, nu)."""
        K, m = len(knots.qpos), 0 if knots.controls is None else knots.controls.shape[1]
        return np.zeros((K, m, self.size)), np.tile(np.eye(m), (K, 1, 1))


def _check_weight(weight: Any, size: int, meaning: str) -> None:
    """ValueError unless there is one weight or one for each of `size` residuals; a function's are checked at each knot."""
    if not callable(weight) and (shape := weights_of(weight).shape) not in ((), (1,), (size,)):
        raise ValueError(f"weight has shape {shape}, expected one number, ({size},) as there are {meaning}, or a function of k")


def state_cost(model: Any, qpos: Array, qvel: Array | None = None, weight: Any = 1.0) -> ResidualCost:
    """Σ weight (state ⊖ goal)²; weight: one number, (2 nv,), or a function of k."""
    distance = StateDistance(model, qpos, qvel)
    _check_weight(weight, 2 * int(model.nv), "2 nv")
    return ResidualCost(distance, weight, distance.jacobian)


def control_cost(model: Any, weight: Any = 1.0, reference: float | Array = 0.0) -> ResidualCost:
    """Σ weight (control − reference)²; weight: one number or (nu,)."""
    effort = ControlEffort(model, reference)
    _check_weight(weight, int(model.nu), "nu")
    return ResidualCost(effort, weight, effort.jacobian)
