"""Gears of the actuators, and the numbers of their laws.

gear: one number on a hinge, slide, tendon or slider-crank, six (force, torque) of the others: 'motor.0', … The gears of servos of
orientations have no effect and are no parameters.

gainprm, biasprm, dynprm: as in MuJoCo's arrays, those numbers k that the actuator's law reads, 'motor.k': gains, bias, time
constants and all else that acts on the force or on the next activations (for pid and dcmotor: actuation/controlled.py). The
stiffness of a `position` servo is two of them, gainprm 0 and -biasprm 1. Numbers that switch a part of the law off by being 0 (an
integral, a limit of a rate, a winding that warms) are no parameters, and those that switch one on must stay positive: the model's
activations are those of the parts that are on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.actuation.controlled import DYN_DCMOTOR, DYN_PID, FORCE, GAIN_DCMOTOR, GAIN_PID, POSITION, VELOCITY
from dojo_py.actuation.dynamics import DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE
from dojo_py.actuation.force import BIAS_AFFINE, BIAS_MUSCLE, GAIN_AFFINE, GAIN_MUSCLE
from dojo_py.actuation.transmission import CRANK, ORIENTATION, SCALAR, TENDON
from dojo_py.hard.parameters.flat import ACTUATOR
from dojo_py.hard.parameters.kind import Kind
from dojo_py.hard.world import World

Array = np.ndarray


def _places(world: World) -> list[tuple[int, int]]:
    return [(i, k) for i, kind in enumerate(world.actuators.transmission) for k in range(_width(int(kind)))]


def _width(kind: int) -> int:
    return 0 if kind == ORIENTATION else 1 if kind in (SCALAR, TENDON, CRANK) else 6


def _labels(world: World, model: Any) -> list[str]:
    table = world.actuators
    names = [model.actuator_names[i] or f"#{i}" for i in range(len(table.dof))]
    return [names[i] if _width(int(table.transmission[i])) == 1 else f"{names[i]}.{k}" for i, k in _places(world)]


def _gears(world: World, model: Any) -> Array:
    return np.array([world.actuators.gear[place] for place in _places(world)])


def _set_gears(world: World, model: Any, values: Array) -> None:
    for place, value in zip(_places(world), values, strict=True):
        world.actuators.gear[place] = value


# numbers of the laws

Numbers = Callable[[Any, int], tuple[list[int], list[int]]]
"""(table, actuator) -> the numbers that act at any value; those that act only while they are positive."""


def _sloped(table: Any, i: int) -> bool:
    """Whether the affine law's coefficients of length and velocity act: on a joint or tendon only if the actuator is a servo."""
    return bool(table.servo[i] >= 0 or table.transmission[i] not in (SCALAR, TENDON))


def _of_muscle(prm: Array) -> list[int]:
    """Number 2 is the peak force or, where it is negative, number 3 scales the one that is derived from the model's inertia."""
    return [0, 1, 3 if prm[2] < 0.0 else 2, 4, 5, 6, 7, 8]


def _gain_numbers(table: Any, i: int) -> tuple[list[int], list[int]]:
    kind = table.gaintype[i]
    if kind == GAIN_DCMOTOR:
        controller = bool(table.spec[i] & (POSITION | VELOCITY | FORCE))
        warms = [2, 3] if table.dynprm[i, 2] > 0.0 else []
        return [0, 1, *warms, *([4, 6] if controller else [])], [5, 7] if controller else []
    if kind == GAIN_PID:
        return [], [0]
    if kind == GAIN_MUSCLE:
        return _of_muscle(table.gain[i]), []
    return [0, 1, 2] if kind == GAIN_AFFINE and _sloped(table, i) else [0], []


def _bias_numbers(table: Any, i: int) -> tuple[list[int], list[int]]:
    if table.orientation[i] >= 0:
        return [2], []
    if table.gaintype[i] == GAIN_DCMOTOR:
        return [0, 1, 2, *([3, 4, 5] if table.dynprm[i, 5] > 0.0 else [])], []
    if table.biastype[i] == BIAS_MUSCLE:
        return _of_muscle(table.bias[i]), []
    if table.biastype[i] == BIAS_AFFINE or table.gaintype[i] == GAIN_PID:
        return [0, 1, 2] if _sloped(table, i) else [0], []
    return [], []


def _dynamics_numbers(table: Any, i: int) -> tuple[list[int], list[int]]:
    kind, prm = table.dyntype[i], table.dynprm[i]
    if kind == DYN_DCMOTOR:
        free = [3, 4] if prm[2] > 0.0 else []
        return [*free, *([6] if prm[5] > 0.0 else [])], [0, *([1] if prm[0] > 0.0 else []), 2, 5, 7, 8]
    if kind == DYN_PID:
        return [], [*([0] if table.gain[i, 0] > 0.0 else []), 1]
    if kind in (DYN_FILTER, DYN_FILTEREXACT):
        return [], [0]
    return [], [0, 1, 2] if kind == DYN_MUSCLE else []


def _acting(world: World, field: str, numbers: Numbers) -> list[tuple[int, int, bool]]:
    """(actuator, number, whether it must stay positive) of all."""
    table, out = world.actuators, []
    for i in np.flatnonzero(table.enabled):
        free, positive = numbers(table, int(i))
        on = [k for k in positive if getattr(table, field)[i, k] > 0.0]
        out += [(int(i), k, k in on) for k in sorted([*free, *on])]
    return out


def _force_scale(table: Any, i: int) -> float:
    """Scale of a number of actuator i that is 0: its force's range, beyond which no difference must step, or 1 if less."""
    ranges = [table.force_range[i]]
    if 0 <= table.dof[i] < len(table.dof_range):
        ranges.append(table.dof_range[table.dof[i]])
    return float(min([1.0, *(high - low for low, high in ranges if 0.0 < high - low < np.inf)]))


def _kind(name: str, field: str, numbers: Numbers) -> Kind:
    """The kind of parameters in one of the table's arrays."""

    def labels(world: World, model: Any) -> list[str]:
        return [f"{model.actuator_names[i] or f'#{i}'}.{k}" for i, k, _ in _acting(world, field, numbers)]

    def read(world: World, model: Any) -> Array:
        return np.array([getattr(world.actuators, field)[i, k] for i, k, _ in _acting(world, field, numbers)])

    def write(world: World, model: Any, values: Array) -> None:
        for (i, k, positive), value in zip(_acting(world, field, numbers), values, strict=True):
            if positive and not value > 0.0:
                what = f"{name}={value:g} of '{model.actuator_names[i] or f'#{i}'}.{k}'"
                raise ValueError(f"{what} must be positive: at 0 the actuator has no such part, and the model would be another one")
            getattr(world.actuators, field)[i, k] = value

    def scale(world: World, model: Any) -> Array:
        size = np.abs(read(world, model))
        zero = np.array([_force_scale(world.actuators, i) for i, _, _ in _acting(world, field, numbers)])
        return np.where(size > 0.0, size, zero)

    return Kind(name, "1", 0, labels, read, write, scale=scale, step=1e-5, route=ACTUATOR)


KINDS = (
    Kind("gear", "1", 0, _labels, _gears, _set_gears, scale=lambda w, m: np.maximum(np.abs(_gears(w, m)), 1.0), route=ACTUATOR),
    _kind("gainprm", "gain", _gain_numbers),
    _kind("biasprm", "bias", _bias_numbers),
    _kind("dynprm", "dynprm", _dynamics_numbers),
)
