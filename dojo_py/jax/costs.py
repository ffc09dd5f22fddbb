"""Costs and constraints of plans written in jnp: `residual_cost`, `residual_constraint`, with Jacobians by JAX.

    r(x, u, k), x = [qpos, qvel, act]        ∂r/∂t = (∂r/∂x) raise(x)        t = [δq, δv, δact], raise: tangents.py

All knots of a motion are one compiled call.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from dojo_py.jax.functions import _need_float64
from dojo_py.jax.tangents import Tangents
from dojo_py.planning.constraints import Constraint
from dojo_py.planning.costs import ResidualCost
from dojo_py.planning.knots import Knots, function_of_knots
from dojo_py.simulate.results import State
from dojo_py.simulate.values import having

Array = np.ndarray


class JaxResidual:
    """What `ResidualCost` and `Constraint` ask of a residual, from a function in jnp."""

    def __init__(self, model: Any, function: Callable[[Any, Any, Any], Any]):
        _need_float64()
        having("model", model, ("jnt_type", "nq", "nv", "na"), "a Model, as load_model returns it")
        self.model, self.function, self.tangents = model, function_of_knots("function", function), Tangents(model)
        self._values, self._slopes = self._mapped(self._value), self._mapped(self._value_slopes)
        self._looked: set[tuple[bool, int]] = set()

    def _mapped(self, function: Callable[..., Any]) -> dict[bool, Callable[..., Any]]:
        """The function over several knots, with and without a control."""
        return {
            with_control: jax.jit(jax.vmap(function, in_axes=(0, 0 if with_control else None, 0))) for with_control in (True, False)
        }

    def _value(self, x: Any, u: Any, k: Any) -> Any:
        """(p,)"""
        try:
            value = self.function(x, u, k)
        except AttributeError as error:
            error.add_note("function: the state is an array in jnp here, [qpos, qvel, act], not a State")
            raise
        if value is None:
            raise ValueError(
                f"function returned None{' where the control is None, at the end' * (u is None)}; expected numbers (p,)"
            )
        found = jnp.atleast_1d(value)
        if found.ndim != 1:
            raise ValueError(f"the residual has shape {found.shape}, expected (p,)")
        return found

    def _value_slopes(self, x: Any, u: Any, k: Any) -> tuple[Any, Any]:
        """(p, 2 nv + na) by the tangent state, (p, nu) by the control."""

        def along(direction: Any) -> Any:
            return jax.jvp(lambda y: self._value(y, u, k), (x,), (direction,))[1]

        directions = self.tangents.raise_(x[None], jnp.eye(self.tangents.tangent_size))
        by_state = jax.vmap(along)(directions).T
        by_control = jnp.zeros((len(by_state), 0)) if u is None else jax.jacfwd(lambda v: self._value(x, v, k))(u)
        return by_state, by_control

    def along(self, knots: Knots) -> Array:
        """(K, p) the residual at each of several knots."""
        arguments = self._arguments(knots)
        self._look_at_indices(*arguments)
        return np.asarray(self._values[knots.controls is not None](*arguments))

    def _look_at_indices(self, x: Array, u: Array | None, k: Array) -> None:
        """RuntimeWarning where the function reads beyond the end of an array, where JAX takes the nearest entry."""
        kind = u is not None, len(x)
        if kind in self._looked:
            return
        self._looked.add(kind)
        checked = checkify.checkify(self._value, errors=checkify.index_checks)
        for i in {0, len(x) - 1}:
            error, _ = checked(jnp.asarray(x[i]), None if u is None else jnp.asarray(u[i]), jnp.asarray(k[i]))
            if found := error.get():
                told = f"function of a residual: at knot {k[i]} {found.splitlines()[0].strip()}"
                warnings.warn(f"{told} JAX takes the nearest entry instead", RuntimeWarning, stacklevel=2)

    def jacobians_along(self, knots: Knots) -> tuple[Array, Array]:
        """(K, p, 2 nv + na), (K, p, nu)."""
        by_state, by_control = self._slopes[knots.controls is not None](*self._arguments(knots))
        return np.asarray(by_state), np.asarray(by_control)

    def __call__(self, state: State, control: Array | None, k: int) -> Array:
        """(p,) at one knot."""
        return self.along(_one(state, control, k))[0]

    def jacobian(self, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        """(p, 2 nv + na), (p, nu) at one knot."""
        by_state, by_control = self.jacobians_along(_one(state, control, k))
        return by_state[0], by_control[0]

    def _arguments(self, knots: Knots) -> tuple[Array, Array | None, Array]:
        m, given = self.model, (knots.qpos.shape[1], knots.qvel.shape[1])
        if given != (m.nq, m.nv):
            raise ValueError(f"model: the residual is of model '{m.name}' with nq, nv = {m.nq}, {m.nv}, the states have {given}")
        parts = [knots.qpos, knots.qvel]
        if self.model.na:
            parts.append(np.array([s.act for s in knots.states]))
        return np.concatenate(parts, axis=1), knots.controls, knots.first + np.arange(len(knots.qpos))


def _one(state: State, control: Array | None, k: int) -> Knots:
    return Knots([state], state.qpos[None], state.qvel[None], None if control is None else np.asarray(control, float)[None], k)


def residual_cost(model: Any, function: Callable[[Any, Any, Any], Any], weight: Any = 1.0) -> ResidualCost:
    """Σ weight function(state_vector, control, k)², a cost of `dojo_py.planning` written in jnp.

    function: state_vector (nq + nv + na,), control (nu,) or None at the end, k -> (p,); it is traced, so that k may choose entries
    of arrays (`goals[k]`), not branches. weight: a number, (p,), or a function of k. Needs float64.
    """
    residual = JaxResidual(model, function)
    return ResidualCost(residual, weight, residual.jacobian)


def residual_constraint(
    model: Any, function: Callable[[Any, Any, Any], Any], kind: Any = "equality", knots: Any | Sequence[int] = "terminal",
    name: str = "constraint",
) -> Constraint:  # fmt: skip
    """A `dojo_py.planning.Constraint` written in jnp; function as in `residual_cost`, kind and knots as in `Constraint`."""
    residual = JaxResidual(model, function)
    return Constraint(residual, kind, knots, residual.jacobian, name)
