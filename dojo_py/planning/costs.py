"""Costs of one knot: weighted squares of residuals (Gauss–Newton), or a user's function with its own derivatives.

The arguments of a cost are (state, control, k): `State`, control (nu,) or None at the terminal knot, index of the knot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dojo_py.planning.differences import jacobians, tangent_size
from dojo_py.planning.knots import Knots, asked, function_of_knots, guarded
from dojo_py.planning.quadratic import Quadratic, weighted_squares
from dojo_py.simulate.results import State
from dojo_py.simulate.values import real_array

Array = np.ndarray
Residual = Callable[[State, Any, int], Array]
"""(state, control, k) -> (p,)"""
Jacobian = Callable[[State, Any, int], tuple[Array, Array]]
"""(state, control, k) -> (p, 2 nv + na) by the tangent state, (p, nu) by the control; (p, 0) at the terminal knot. (p, 2 nv) if it
does not depend on the activations of stateful actuators."""


@runtime_checkable
class Cost(Protocol):
    """Interface of costs."""

    def value(self, state: State, control: Array | None, k: int) -> float:
        """The cost at a knot."""
        ...

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """Second-order model at the knot."""
        ...


def weights_of(weight: Any) -> Array:
    """Weights as an array; ValueError unless they are finite and not negative."""
    found = real_array("weight", weight)
    if not (np.all(np.isfinite(found)) and np.all(found >= 0)):
        raise ValueError("weight must be finite and not negative")
    return found


def matrices_of(given: Any, size: int, model: Any, control: Array | None) -> tuple[Array, Array]:
    """A user's Jacobians (size, n), n = 2 nv + na, and (size, m), checked; those with 2 nv columns are padded with zeros."""
    n, m = tangent_size(model), 0 if control is None else len(control)
    if not isinstance(given, Sequence) or len(given) != 2:
        raise ValueError(f"jacobian returned a {type(given).__name__}, expected a pair of arrays: by the state, by the control")
    rx, ru = (real_array("jacobian", part) for part in given)
    if n > 2 * model.nv and rx.shape == (size, 2 * model.nv):
        rx = widened(rx, n)
    if rx.shape != (size, n) or ru.shape != (size, m):
        raise ValueError(f"jacobian returned shapes {rx.shape} and {ru.shape}, expected {(size, n)} and {(size, m)}")
    return rx, ru


def expanded(cost: Cost, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
    """`cost.expand`; a model of 2 nv entries, of a cost that does not depend on activations, is padded with zeros."""
    found, n = cost.expand(model, state, control, k), tangent_size(model)
    return found.widened(n) if len(found.x) == 2 * model.nv < n else found


def widened(rx: Array, n: int) -> Array:
    """Derivatives (…, 2 nv) with columns of zeros for the activations: (…, n)."""
    out = np.zeros((*rx.shape[:-1], n))
    out[..., : rx.shape[-1]] = rx
    return out


@dataclass(frozen=True, eq=False)
class ResidualCost:
    """Σ_i weight_i residual_i². The Hessian is Gauss–Newton's, 2 Jᵀ diag(weight) J, hence never indefinite.

    There is no factor ½, as in the Dojo paper's planning problems. Without `jacobian`, it is differentiated by central differences.
    """

    residual: Residual
    weight: float | Array | Callable[[int], Array] = 1.0
    """A number, (p,), or a function of k that returns either; not negative."""
    jacobian: Jacobian | None = None

    def __post_init__(self) -> None:
        function_of_knots("residual", self.residual)
        if self.jacobian is not None:
            function_of_knots("jacobian", self.jacobian)
        if not callable(self.weight):  # checked once, not at every knot
            object.__setattr__(self, "_fixed", weights_of(self.weight))

    def _evaluate(self, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        r = np.atleast_1d(real_array("residual", asked("residual", self.residual, state, control, k)))
        weight = weights_of(self.weight(k)) if callable(self.weight) else self._fixed  # type: ignore[attr-defined]
        if r.ndim != 1 or weight.shape not in ((), (1,), r.shape):
            raise ValueError(f"residual has shape {r.shape} and its weight {weight.shape}, expected (p,) and a number or (p,)")
        return r, np.broadcast_to(weight, r.shape)

    def residual_at(self, state: State, control: Array | None, k: int) -> Array:
        """(p,) the residual, checked."""
        return self._evaluate(state, control, k)[0]

    def value(self, state: State, control: Array | None, k: int) -> float:
        """Σ weight residual² at knot k [cost]; control (nu,), None at the terminal knot."""
        r, weight = self._evaluate(state, control, k)
        return float(weight @ (r * r))

    def jacobians(self, model: Any, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        """(p, 2 nv + na) by the tangent state, (p, m) by the control."""
        return self._jacobians(model, state, control, k, len(self.residual_at(state, control, k)))

    def _jacobians(self, model: Any, state: State, control: Array | None, k: int, size: int) -> tuple[Array, Array]:
        if self.jacobian is None:
            return jacobians(model, self.residual, state, control, k, size)
        return matrices_of(self.jacobian(*guarded(state, control), k), size, model, control)

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """Gauss–Newton model by the tangent state (2nv + na,) and the control (nu,)."""
        r, weight = self._evaluate(state, control, k)
        rx, ru = self._jacobians(model, state, control, k, len(r))
        return weighted_squares(r, rx, ru, 2 * weight, float(weight @ (r * r)), 2 * weight * r)

    @property
    def together(self) -> bool:
        """Whether several knots are evaluated at once: the residual has `along` and `jacobians_along`."""
        return hasattr(self.residual, "along") and self.jacobian == getattr(self.residual, "jacobian", None)

    def total(self, knots: Knots) -> float:
        """Sum of the cost over several knots."""
        if not self.together:
            return sum(self.value(s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states))
        r, weight = self._along(knots)
        return float(np.sum(weight * (r * r)))

    def expansions(self, model: Any, knots: Knots) -> list[Quadratic]:
        """`expand` of several knots."""
        if not self.together:
            return [self.expand(model, s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states)]
        r, weight = self._along(knots)
        rx, ru = self.residual.jacobians_along(knots)  # type: ignore[attr-defined]
        weight = 2.0 * weight
        slope, wx, wu = weight * r, weight[:, :, None] * rx, weight[:, :, None] * ru
        tx, tu = rx.transpose(0, 2, 1), ru.transpose(0, 2, 1)
        x, u, values = (tx @ slope[:, :, None])[:, :, 0], (tu @ slope[:, :, None])[:, :, 0], 0.5 * np.sum(slope * r, axis=1)
        parts = zip(values.tolist(), x, u, tx @ wx, tu @ wx, tu @ wu, strict=True)
        return [Quadratic(*part) for part in parts]

    def _along(self, knots: Knots) -> tuple[Array, Array]:
        """(K, p) residuals and their weights, checked."""
        r = self.residual.along(knots)  # type: ignore[attr-defined]
        K = len(r)
        if callable(self.weight):
            given = [weights_of(self.weight(knots.first + i)) for i in range(K)]
        else:
            given = [self._fixed]  # type: ignore[attr-defined]
        for w in given:
            if w.shape not in ((), (1,), r.shape[1:]):
                raise ValueError(f"residual has shape {r.shape[1:]} and its weight {w.shape}, expected (p,) and a number or (p,)")
        return r, np.broadcast_to(np.stack([np.broadcast_to(w, r.shape[1:]) for w in given]), r.shape)


@dataclass(frozen=True, eq=False)
class FunctionCost:
    """A user's cost: `function(state, control, k) -> float`, `derivatives(state, control, k) -> Quadratic`.

    The Hessian may be indefinite; the regularisation schedule then takes care of it.
    """

    function: Callable[[State, Any, int], float]
    derivatives: Callable[[State, Any, int], Quadratic]

    def __post_init__(self) -> None:
        function_of_knots("function", self.function)
        function_of_knots("derivatives", self.derivatives)

    def value(self, state: State, control: Array | None, k: int) -> float:
        """The function at knot k [cost]; control (nu,), None at the terminal knot."""
        return float(np.squeeze(real_array("function", asked("function", self.function, state, control, k))))

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """The user's derivatives by the tangent state (2nv + na,), or (2nv,) without activations, and the control (nu,)."""
        found = self.derivatives(*guarded(state, control), k)
        if not isinstance(found, Quadratic):
            raise TypeError(f"derivatives: a cost's function returned a {type(found).__name__}, expected a Quadratic")
        m, widths = 0 if control is None else len(control), (tangent_size(model), 2 * model.nv)
        n = widths[0] if np.shape(found.x) == widths[:1] else widths[1]
        for name, shape in (("x", (n,)), ("u", (m,)), ("xx", (n, n)), ("ux", (m, n)), ("uu", (m, m))):
            given = np.shape(getattr(found, name))
            if given != shape:
                raise ValueError(f"derivatives: {name} of the Quadratic has shape {given}, expected {shape}")
        return found
