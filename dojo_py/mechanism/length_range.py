"""`actuator_lengthrange`: which lengths an actuator can reach, which muscles need (MuJoCo, "Length range").

An actuator keeps the range it was given, or takes that of its joint or tendon (`uselimit`); else the soft mode pulls on it both
ways, damped, without gravity, contacts, springs, dampers, dry friction and the other actuators, until it rests. This room knows the
simulator by its name only, and asks for it when a model has such an actuator.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .checks import Check
from .enums import BiasType, GainType, TrnType
from .errors import Problems
from .spec import LengthRange, Mechanism

Array = np.ndarray

SIMULATOR = "dojo_py.soft.length_range"
MODES = ("none", "muscle", "muscleuser", "all")


def with_length_ranges(model: Any, mechanism: Mechanism) -> Any:
    """The model with the ranges of lengths that are not given; raises ModelError where one does not come to rest."""
    problems = Problems()
    settings = mechanism.settings.lengthrange
    _check(Check(problems, settings), settings)
    ranges = np.array(model.actuator_lengthrange, float)
    pending = []
    rows = np.asarray(model.actuator_outadr)
    for i, row in enumerate(rows):
        if not _wanted(model, i, settings) or (settings.useexisting and ranges[row, 0] < ranges[row, 1]):
            continue
        limits = _limits(model, i) if settings.uselimit else None
        if limits is None:
            pending.append(i)
        else:
            ranges[row] = limits
    if pending and model.nv and not problems.records:
        pull = importlib.import_module(SIMULATOR).pull
        for i in pending:
            found, message = pull(model, i, settings)
            ranges[rows[i]] = found
            if message:
                message += "; give the range itself, or limit its joints"
                Check(problems, mechanism.actuators[i]).fail("lengthrange", message)
    problems.raise_if_any()
    return model if np.array_equal(ranges, model.actuator_lengthrange) else model.replace(actuator_lengthrange=ranges)


def _check(check: Check, settings: LengthRange) -> None:
    check.word("mode", MODES)
    for name in ("accel", "maxforce", "timeconst", "timestep", "inttotal", "interval", "tolrange"):
        check.scalar(name, low=0.0)
    for name in ("timestep", "inttotal"):
        if not getattr(settings, name) > 0.0:
            check.fail(name, "must be positive")
    if settings.inttotal > 1e5 * settings.timestep:
        check.fail("inttotal", "more than 100000 steps")


def _wanted(model: Any, i: int, settings: LengthRange) -> bool:
    if settings.mode == "none" or settings.mode == "all":
        return settings.mode == "all" and int(model.actuator_outnum[i]) == 1
    return int(model.actuator_gaintype[i]) == GainType.MUSCLE or int(model.actuator_biastype[i]) == BiasType.MUSCLE


def _limits(model: Any, i: int) -> Array | None:
    """Range of the actuator's joint or tendon, if that is limited."""
    kind, target = int(model.actuator_trntype[i]), int(model.actuator_trnid[i][0])
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT) and model.jnt_limited[target]:
        return np.asarray(model.jnt_range[target])
    if kind == TrnType.TENDON and model.tendon_limited[target]:
        return np.asarray(model.tendon_range[target])
    return None
