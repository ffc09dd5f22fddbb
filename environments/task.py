"""Task: a model, a simulator of either mode, and what an agent sees, earns and may do. Knows no Gymnasium.

A task is a frozen dataclass of plain settings, so it can be compared, hashed, pickled and sent to another process; the simulator
is built on first use and shared by equal tasks of a process whose model file is the same as then. A task keeps its own: a
file that is edited later counts for new tasks. (Files that it includes, and meshes, are not looked at.)
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dojo_py.environments.advance import Moved, advance, differentiate
from dojo_py.simulate.own_steps import by_simulator
from dojo_py.simulate.results import Contacts, State
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.values import check_fields

Array = np.ndarray


class LoopKernels(NamedTuple):
    """What a closed loop needs of a task beside its sizes."""

    module: Any
    """Holds `act`, what is asked between the steps, and `back`, on the way back."""
    parts: tuple[str, ...]
    """Names of the figures a reward is made of."""
    numbers: Array
    """Settings that the kernels read."""


FORMULAS = (
    "observe", "reward", "terminated", "healthy", "forces", "wrenches", "control", "control_jacobian", "action_scale",
    "action_middle", "action_bounds",
)  # fmt: skip
"""What the kernels of a task stand for. A `move` of its own no closed loop runs (simulate/own_steps.py)."""


def _stamp(source: str) -> tuple[int, int] | None:
    """(time of the last change [ns], size) of a model file; None for the name of a shipped model and for XML text."""
    try:
        found = os.stat(source)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)
def _joints(name: str, stamp: tuple[int, int] | None) -> list[int]:
    """Kinds of the joints of a task's own model."""
    from dojo_py import load_model

    return list(load_model(name).jnt_type.tolist())


def _kinds(types: list[int]) -> str:
    return ", ".join(("free", "ball", "slide", "hinge")[t] for t in types) or "none"


@lru_cache(maxsize=64)
def _built(task: Task, stamp: tuple[int, int] | None) -> Simulator:
    from dojo_py import HardSimulator, SoftSimulator, load_model

    model = load_model(task.model or task.model_name)
    if task.model is not None and type(task).__module__.startswith("dojo_py.environments.tasks."):  # one of your own may differ
        own = _joints(task.model_name, _stamp(task.model_name))
        given = model.jnt_type[: len(own)].tolist()
        if given != own:
            told = f"{type(task).__name__}: the joints of model={task.model!r} begin with {_kinds(given)}"
            raise ValueError(f"{told}; expected those of {task.model_name!r}, {_kinds(own)}")
    model = task.prepare(model)
    simulator = HardSimulator if task.mode == "hard" else SoftSimulator
    return simulator(model, timestep=task.timestep)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Base of all tasks. Subclasses set the class variables and write `observe`, `reward`, `terminated`."""

    model_name: ClassVar[str]
    interval: ClassVar[float] = 0.05
    """Default time between two actions [s]."""
    soft_skip: ClassVar[int] = 5
    """Steps of the soft mode that the interval is cut into by default; the hard mode takes it in one."""
    horizon: ClassVar[int] = 1000
    """Actions after which an episode is truncated."""
    keyframe: ClassVar[str] = "home"
    wants_contacts: ClassVar[bool] = False
    """Observation or reward read the contacts' impulses."""
    check_derivatives: ClassVar[bool] = True
    """The first `observation_jacobian`, `reward_gradient`, `control_jacobian` are compared with differences, unless False."""
    kernels: ClassVar[str] = ""
    """Module of the same formulas as kernels, for closed loops; a subclass that changes a formula has none."""
    view: ClassVar[tuple[float, float, float]] = (90.0, -10.0, 4.0)
    """Camera: azimuth, elevation [degrees] and distance [m] to what it looks at."""
    follow: ClassVar[tuple[int, int]] = (-1, -1)
    """Entries of qpos that the camera follows along x and y; -1: none."""
    look_height: ClassVar[float] = 0.6
    """Height the camera looks at [m]."""

    mode: str = "hard"
    """Contact model: "hard" or "soft"."""
    timestep: float | None = None
    """Of the simulation [s]; None: the interval over frame_skip."""
    frame_skip: int | None = None
    """Simulation steps an action is held; None: as many as fill the default interval."""
    model: str | None = None
    """Path of another model file with the same joints; None: the shipped one."""
    reset_noise_scale: float = 0.0
    """Spread of the initial state about the keyframe."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.mode not in ("hard", "soft"):
            raise ValueError(f"mode={self.mode!r} is not one of ['hard', 'soft']")
        if self.timestep is not None and not 0 < self.timestep <= 1.0:
            raise ValueError(f"timestep={self.timestep!r} must be positive, at most 1 [s]")
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name.endswith("_range") and isinstance(value, tuple) and len(value) == 2 and not value[0] <= value[1]:
                raise ValueError(f"{item.name}={value!r}, expected the lower end, then the upper one")
        if not 0 <= self.reset_noise_scale <= 1.0:
            raise ValueError(f"reset_noise_scale={self.reset_noise_scale!r} must lie in [0, 1]")
        skip, step = self.frame_skip, self.timestep
        if skip is None:
            skip = (1 if self.mode == "hard" else self.soft_skip) if step is None else max(1, round(self.interval / step))
        if not 1 <= skip <= 10**6:
            raise ValueError(f"frame_skip={skip!r} must be an integer, from 1 to 1e6")
        object.__setattr__(self, "frame_skip", int(skip))
        object.__setattr__(self, "timestep", float(self.interval / skip if step is None else step))

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    # the simulation

    @cached_property
    def sim(self) -> Simulator:
        """The Simulator of this mode; equal tasks of one process share it (it may be used by several threads)."""
        return _built(self, _stamp(self.model or self.model_name))

    @property
    def dt(self) -> float:
        """Time between two actions [s]."""
        assert self.timestep is not None and self.frame_skip is not None
        return self.timestep * self.frame_skip

    def prepare(self, model: Any) -> Any:
        """The model as the task wants it; subclasses may change a copy."""
        return model

    # actions

    @cached_property
    def action_bounds(self) -> tuple[Array, Array]:
        """(na,) lowest and highest action: -1 and 1, unless the subclass says otherwise."""
        n = self.sim.model.nu
        return -np.ones(n), np.ones(n)

    @cached_property
    def action_scale(self) -> Array:
        """(nu,) control at action 1 less `action_middle`: half its range [N, N m]. ValueError for a motor without a range."""
        model = self.sim.model
        free = np.flatnonzero(~np.asarray(model.actuator_ctrllimited, bool))
        if len(free):
            names = [model.actuator_names[i] or f"#{i}" for i in free]
            raise ValueError(
                f"{type(self).__name__}: the actuators {names} have no range: give them a ctrlrange (and autolimits or "
                "ctrllimited), or the task an `action_scale` and `action_bounds` of its own"
            )
        return 0.5 * np.ptp(model.actuator_ctrlrange, axis=1)

    @cached_property
    def action_middle(self) -> Array:
        """(nu,) control at action 0: the middle of its range [N, N m]; 0 where the task has a scale or bounds of its own."""
        kind = type(self)
        if kind.action_scale is not Task.action_scale or kind.action_bounds is not Task.action_bounds:
            return np.zeros(self.sim.model.nu)
        return self.sim.model.actuator_ctrlrange.mean(axis=1)

    def control(self, action: Array) -> Array:
        """(nu,) what the actuators receive for an action, clipped to its bounds."""
        return self.action_middle + self.action_scale * np.clip(action, *self.action_bounds)

    @by_simulator
    def control_jacobian(self, action: Array) -> Array:
        """(nu, na) derivative of `control`; 0 where the action is beyond its bounds. Of a subclass's `control` by differences."""
        if type(self).control is not Task.control:
            from dojo_py.policy.derivatives import differenced_control

            return differenced_control(self, action)
        low, high = self.action_bounds
        return np.diag(self.action_scale * ((action >= low) & (action <= high)))

    # episodes

    @by_simulator
    def move(self, states: Sequence[State], actions: Array, threads: int | None = 1, kappa: float | None = None) -> list[Moved]:
        """Each state (B) after its action (B, na)."""
        return advance(self, states, actions, threads, kappa)

    @by_simulator
    def differentiate(self, state: State, action: Array, kappa: float | None) -> tuple[Array, Array, State]:
        """A (n, n), B (n, size of an action) of one action at kappa, and the state after it; [dq, dv, dact], n = 2nv + na."""
        return differentiate(self, state, action, kappa)

    def initial_state(self, rng: np.random.Generator) -> State:
        """A fresh start: the keyframe, with uniform noise on qpos (in its tangent) and normal noise on qvel."""
        model = self.sim.model
        k, s = model.key_id(self.keyframe), self.reset_noise_scale
        dq, dv = rng.uniform(-s, s, model.nv), s * rng.standard_normal(model.nv)
        return self.sim.initial_state(model.integrate(model.key_qpos[k], dq), model.key_qvel[k] + dv, keyframe=self.keyframe)

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(n,) what the agent sees. contacts: of the last step, None at the start or when the task does not want them."""
        raise NotImplementedError

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """Reward of one action and the figures it is made of."""
        raise NotImplementedError

    def observation_jacobian(self, state: State) -> Array | None:
        """(no, 2nv) of `observe` in the tangent [dq, dv], what contacts show held constant; None: not known in closed form.

        (no, 2nv + na) where it depends on activations.
        """
        return None

    def reward_gradient(self, before: State, action: Array, after: State) -> tuple[Array, Array, Array] | None:
        """(2nv,), (na,), (2nv,): of `reward`, what contacts add held constant; None: not known in closed form."""
        return None

    def terminated(self, state: State) -> bool:
        """The task is over in this state."""
        return False

    def loop_kernels(self) -> LoopKernels | None:
        """The task's formulas for a compiled closed loop (policy/closed_loop.py); None: it has none, Python's are asked."""
        kind = type(self)
        if not kind.kernels:
            return None
        home = next(c for c in kind.__mro__ if "kernels" in vars(c))
        below = kind.__mro__[: kind.__mro__.index(home)]
        if any(name in vars(c) for c in below for name in FORMULAS):
            return None
        return self._kernels

    @cached_property
    def _kernels(self) -> LoopKernels:
        module = import_module(f"dojo_py.environments.tasks.{self.kernels}")
        values = [np.ravel(np.asarray(getattr(self, name), float)) for name in module.NUMBERS]
        return LoopKernels(module, module.PARTS, np.concatenate(values))

    @cached_property
    def observation_size(self) -> int:
        """Length of what `observe` returns."""
        return len(self.observe(self.initial_state(np.random.default_rng(0)), None))

    @property
    def action_size(self) -> int:
        """Length of an action."""
        return len(self.action_bounds[0])


def planar_noise(task: Task, rng: np.random.Generator) -> State:
    """Start of the planar v5 tasks: uniform noise on qpos and on qvel."""
    model, s = task.sim.model, task.reset_noise_scale
    k = model.key_id(task.keyframe)
    qpos = model.key_qpos[k] + rng.uniform(-s, s, model.nq)
    return task.sim.initial_state(qpos, model.key_qvel[k] + rng.uniform(-s, s, model.nv), keyframe=task.keyframe)
