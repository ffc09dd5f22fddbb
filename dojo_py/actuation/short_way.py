"""Position servos of rotations take the short way round (MuJoCo 4.0): their error is counted in (-p/2, p/2), p one whole turn.

    error = u - l - p round((u - l) / p),   p = 2π |gear|          p in the unit of the length l

That holds where the length is a rotation: ball joints, and sites whose gear to a reference site only turns. A servo is a fixed gain
with the affine bias -gain l, or a PID controller; any other law takes u and l apart and keeps their difference as it is. Filters,
and a controller's bound on the rate, take the short way to their control, too; after a step the activation of a servo, but not of a
controller, is moved by whole turns to within half a turn of the length.
"""

import math
from typing import Any

import numpy as np

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import BiasType, GainType, JointType, TrnType


def of_rotations(model: Any) -> np.ndarray:
    """(nactuator,) 1 for the servos of `model` (dojo_py.Model or mujoco.MjModel) that take the short way round."""
    n = int(model.nactuator)
    flags = np.zeros(n, np.int64)
    for i in range(n):
        gain, bias = np.asarray(model.actuator_gainprm)[i], np.asarray(model.actuator_biasprm)[i]
        fixed = int(model.actuator_gaintype[i]) == GainType.FIXED and int(model.actuator_biastype[i]) == BiasType.AFFINE
        servo = int(model.actuator_gaintype[i]) == GainType.PID or (fixed and gain[0] == -bias[1])
        flags[i] = servo and _is_rotation(model, i)
    return flags


def _is_rotation(model: Any, i: int) -> bool:
    """Whether the length of actuator i is the rotation vector of a ball joint or of two sites along an axis."""
    kind, (target, reference) = int(model.actuator_trntype[i]), model.actuator_trnid[i]
    gear = np.asarray(model.actuator_gear).reshape(-1, 6)[int(model.actuator_outadr[i])]
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
        return int(model.jnt_type[target]) == JointType.BALL and bool(gear[:3].any())
    return kind == TrnType.SITE and int(reference) >= 0 and not gear[:3].any() and bool(gear[3:].any())


@kernel
def whole_turn(gear, first):
    """2π |gear| of the three numbers of gear (6,) from `first` on: the length of a whole turn."""
    x, y, z = gear[first], gear[first + 1], gear[first + 2]
    return 2.0 * math.pi * math.sqrt(x * x + y * y + z * z)


@kernel
def turns_too_many(error, turn):
    """Whole turns in the error, rounded to the nearest; half a turn counts as one."""
    n = math.floor(abs(error) / turn + 0.5)
    return n if error > 0.0 else -n
