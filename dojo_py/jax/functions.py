"""step_function and rollout_function: the hard simulator under `jit`, `grad`, `jacrev`, `jacfwd` and `vmap`.

    y = f(x, u, p)            dy = raise(y) · (A lower(x) dx + B du + P dp)        A, B, P: implicit differentiation at κ

The rule is linear in (dx, du, dp), so JAX transposes it for reverse mode. A, B and P of all steps and of all elements of a `vmap`
come from one call of `sim.rollout_batch`. Source: Dojo, section V-C; quaternions: tangents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from dojo_py.hard.simulator import DEFAULT_KAPPA, HardSimulator
from dojo_py.jax.engine import Engine
from dojo_py.simulate.values import real_array, shown

Array = jax.Array


def rollout_function(
    model: Any,
    timestep: float | None = None,
    kappa: float | None = DEFAULT_KAPPA,
    parameters: Sequence[str] = (),
    *,
    gradient_kappa: float | None = None,
    threads: int | None = None,
    unsolved: str = "warn",
    **simulator: Any,
) -> Callable[..., Array]:
    """f(state_vector (n,), controls (T, nu), parameters) -> states (T + 1, n), the first one included.

    n = nq + nv + na: qpos, qvel and the activations of stateful actuators.

    timestep [s], by default the model's. kappa [N m s]: the relaxed problem that is simulated, None for the hard limit; derivatives
    are those at gradient_kappa, by default kappa (and DEFAULT_KAPPA in the hard limit): only then are they those of f itself.
    parameters: names; f then takes a dict name -> values, and can be differentiated by them too.
    threads: at most so many for a `vmap`, all cores by default. unsolved: "warn", "raise" or "ignore" steps that did not converge.
    What is left goes to HardSimulator (friction, options, unsupported).
    Values that the simulator refuses (a negative damping, a body that turns too fast) raise ValueError; inside `jit` and `grad`,
    where they are known to callbacks only, jax.errors.JaxRuntimeError with the same text. In a `vmap` they give NaN for their
    element alone, with a RuntimeWarning; unsolved="raise" raises there, too, and "ignore" says nothing.

    Quaternions are normalised first, so f is defined and differentiable for every length of theirs but zero; one shorter than
    1e-15 is taken for the identity, with the derivative 0. A state vector that holds NaN gives NaN. float64 is needed:
    jax.config.update("jax_enable_x64", True).
    """
    engine = Engine(HardSimulator(model, timestep, **simulator), kappa, gradient_kappa, parameters, threads, unsolved)
    core = _differentiable(engine)

    def rollout(state_vector: Any, controls: Any, parameters: Mapping[str, Any] | None = None) -> Array:
        m, size = engine.model, engine.tangents.size
        _need_float64()
        x, u = _real("state_vector", state_vector), _real("controls", controls)
        if x.shape != (size,):
            raise ValueError(f"state_vector has shape {x.shape}, expected (nq + nv{' + na' if m.na else ''},) = ({size},)")
        if u.ndim != 2 or u.shape[1] != m.nu:
            raise ValueError(f"controls has shape {u.shape}, expected (T, nu) = (T, {m.nu})")
        values = _flat(engine, parameters)
        if not any(isinstance(part, jax.core.Tracer) for part in (x, u, values)):
            engine.accept(np.asarray(x), np.asarray(values))  # or JAX would wrap the error in one of its own
        return core(x, u, values)

    rollout.simulator = engine.simulator  # type: ignore[attr-defined]
    return rollout


def step_function(
    model: Any,
    timestep: float | None = None,
    kappa: float | None = DEFAULT_KAPPA,
    parameters: Sequence[str] = (),
    **options: Any,
) -> Callable[..., Array]:
    """f(state_vector (n,), control (nu,), parameters) -> state_vector after one step; the rest as in `rollout_function`."""
    roll = rollout_function(model, timestep, kappa, parameters, **options)
    sim = roll.simulator  # type: ignore[attr-defined]

    def step(state_vector: Any, control: Any, parameters: Mapping[str, Any] | None = None) -> Array:
        _need_float64()
        u = _real("control", control)
        if u.shape != (sim.model.nu,):
            raise ValueError(f"control has shape {u.shape}, expected (nu,) = ({sim.model.nu},)")
        return roll(state_vector, u[None], parameters)[1]

    step.simulator = sim  # type: ignore[attr-defined]
    return step


def _differentiable(engine: Engine) -> Callable[[Array, Array, Array], Array]:
    """(x, u, p) -> states with its rule of differentiation; p flat."""
    tangents, nu = engine.tangents, engine.model.nu
    m = tangents.tangent_size

    def call(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]], *arguments: Array) -> Any:
        results = [jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes]
        # "expand_dims": what a vmap does not batch arrives with an axis of length 1 and is broadcast by the engine
        return jax.pure_callback(function, results, *arguments, vmap_method="expand_dims")

    def states(x: Array, u: Array, p: Array) -> Array:
        return call(lambda x, u, p: [engine.states(x, u, p)], [(u.shape[0] + 1, tangents.size)], x, u, p)[0]

    def linearized(x: Array, u: Array, p: Array, by_parameters: bool) -> list[Array]:
        T = u.shape[0]
        shapes: list[tuple[int, ...]] = [(T + 1, tangents.size), (T, m, m), (T, m, nu)]
        shapes += [(T, m, p.shape[0])] if by_parameters else []

        @jax.custom_jvp
        def once(x: Array, u: Array, p: Array) -> list[Array]:
            return call(lambda x, u, p: list(engine.linearized(x, u, p, by_parameters)), shapes, x, u, p)

        once.defjvp(_no_second_derivative)
        return once(x, u, p)

    core = jax.custom_jvp(states)

    def rule(primals: tuple[Array, ...], changes: tuple[Any, ...]) -> tuple[Array, Array]:
        x, u, p = primals
        by_parameters = p.size > 0 and not isinstance(changes[2], SymbolicZero)
        dx, du, dp = (jnp.zeros(c.shape) if isinstance(c, SymbolicZero) else c for c in changes)
        y, A, B, *P = linearized(x, u, p, by_parameters)
        driven = jnp.einsum("tij,tj->ti", B, du)
        if by_parameters:
            driven = driven + P[0] @ dp
        first = tangents.lower(x, dx)

        def advance(tangent: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
            after = now[0] @ tangent + now[1]
            return after, after

        _, later = jax.lax.scan(advance, first, (A, driven))
        return y, tangents.raise_(y, jnp.concatenate([first[None], later]))

    core.defjvp(rule, symbolic_zeros=True)
    return core


def _no_second_derivative(*_: Any) -> Any:
    raise NotImplementedError("the simulator's derivatives are not differentiable again: second derivatives are not available")


def _need_float64() -> None:
    if jnp.zeros(0).dtype != np.float64:
        raise RuntimeError(
            'dojo_py.jax needs float64, which is off: call jax.config.update("jax_enable_x64", True) at the start of the program'
        )


def _real(name: str, value: Any) -> Array:
    if isinstance(value, np.ndarray):  # JAX takes no foreign byte order
        value = real_array(name, value)
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise ValueError(f"{name} is {array.dtype}, expected real numbers")
    return array.astype(jnp.float64)


def _flat(engine: Engine, parameters: Mapping[str, Any] | None) -> Array:
    """The values in the order of their names, one after the other."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters={shown(parameters)}, expected a dict: name -> values")
    given = {} if parameters is None else dict(parameters)
    if set(given) != set(engine.parameters):
        wanted = sorted(engine.parameters)
        raise ValueError(f"parameters has {shown(list(given))}, expected {wanted}: as named to the function's maker")
    parts = [_real(f"parameters[{name!r}]", given[name]).reshape(-1) for name in engine.parameters]
    for part, name, size in zip(parts, engine.parameters, engine.parameter_sizes(), strict=True):
        if part.size != size:
            raise ValueError(f"parameters[{name!r}] has {part.size} entries, expected {size}")
    return jnp.concatenate(parts) if parts else jnp.zeros(0)
