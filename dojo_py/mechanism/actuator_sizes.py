"""How many controls, activations and forces an actuator has: one, at most one, and one, but for servos and motors.

A servo (`pid`) and a motor (`dcmotor`) have the controls of their `input`, and an activation for each of: a limited slew rate of
the first control, the integral; of a motor also temperature, friction's bristles, current. Numbers: `actuation/controlled.py`.
A servo of an orientation has three forces, and as controls a rotation vector ("expmap") or a quaternion ("quat"):
`actuation/orientation.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .enums import CtrlInput

BOUNDLESS = 1e10
"""Ends of ranges that are as large bound nothing."""

INPUTS = {"pid": ("pos", "vel"), "dcmotor": ("voltage",)}
"""Controls where a file names none."""
ORIENTATIONS = {"expmap": ("x", "y", "z"), "quat": ("w", "x", "y", "z")}
"""Inputs of a servo of an orientation; without one "expmap"."""


def inputs(actuator: Any) -> list[str]:
    """The controls of a `spec.Actuator`: "pos", "vel", "ff", "voltage", or "" for the only one of another kind.

    Those of a servo of an orientation by their axes.
    """
    if actuator.gaintype == "so3":
        return list(ORIENTATIONS.get(actuator.input, ORIENTATIONS["expmap"]))
    if actuator.gaintype not in INPUTS:
        return [""]
    return str(actuator.input).split() or list(INPUTS[actuator.gaintype])


def control_bits(actuator: Any) -> int:
    """`actuator_ctrlspec`; words that are none count nothing."""
    if actuator.gaintype == "so3":
        return 1 + list(ORIENTATIONS).index(actuator.input) if actuator.input in ORIENTATIONS else 1
    if actuator.gaintype not in INPUTS and not actuator.input:
        return 0
    words = str(actuator.input).split() or inputs(actuator)
    return int(sum({CtrlInput[word.upper()] for word in words if word.upper() in CtrlInput.__members__}))


def activations(actuator: Any) -> int:
    """How many activations a `spec.Actuator` has."""
    if actuator.gaintype == "so3":
        return 0 if actuator.dyntype == "none" else 3
    if actuator.gaintype not in INPUTS:
        return int(actuator.dyntype != "none") if actuator.actdim < 0 else int(actuator.actdim)
    gain, dynamics = (np.pad(np.ravel(np.asarray(v, float)), (0, 10))[:10] for v in (actuator.gainprm, actuator.dynprm))
    if actuator.dyntype == "none":
        return 0
    if actuator.gaintype == "pid":
        return int(dynamics[1] > 0.0) + int(gain[0] > 0.0)
    return int(gain[5] > 0.0) + sum(int(dynamics[k] > 0.0) for k in (7, 2, 5, 0))


def outputs(actuator: Any) -> int:
    """How many forces a `spec.Actuator` has, and rows in `actuator_gear`, `_acc0`, `_length0` and `_lengthrange`."""
    return 3 if actuator.gaintype == "so3" else 1


def bounded(low: Any, high: Any) -> Any:
    """Whether a range bounds a control from both sides: `inf` in a file is read as BOUNDLESS."""
    return (np.asarray(low) > -BOUNDLESS) & (np.asarray(high) < BOUNDLESS)
