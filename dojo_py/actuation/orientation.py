"""Servo of an orientation: three torques along the axes of what turns, of a ball joint or of a site beside a reference site.

    F = kp log(q⁻¹ ⊗ p) - kv w,     |F| <= bound

q: orientation in the parent or in the reference site; p: what is asked for, exp of three controls or of the integrated ones, or a
quaternion; log: the rotation vector of the shorter way round, at most π; w: angular velocity in the turning frame. Integrated
controls are kept within π, too. Found from the wheel.
"""

import math

from dojo_py.actuation.dynamics import DYN_NONE
from dojo_py.algebra.quaternions import exponential
from dojo_py.jit import kernel

QUAT = 2
"""`actuator_ctrlspec` of controls that are a quaternion."""


@kernel
def asked_for(spec, u, first):
    """The orientation (w, x, y, z) that controls u (nu,), from `first` on, ask for; a quaternion without length asks for none."""
    if spec != QUAT:
        return exponential(u[first], u[first + 1], u[first + 2])
    w, x, y, z = u[first], u[first + 1], u[first + 2], u[first + 3]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if size < 1e-15:
        return 1.0, 0.0, 0.0, 0.0
    return w / size, x / size, y / size, z / size


@kernel
def keep_within_pi(act, first):
    """The same rotation as a vector of at most π, in place."""
    size = math.sqrt(act[first] ** 2 + act[first + 1] ** 2 + act[first + 2] ** 2)
    turns = round(size / (2.0 * math.pi))
    if turns > 0:
        scale = 1.0 - 2.0 * math.pi * turns / size
        for k in range(3):
            act[first + k] *= scale


@kernel
def advance_rotation(T, i, act, rates, h):
    """The three integrated controls of actuator i after h [s], within their range and within π."""
    k, lower, upper = T.activation[i], -math.inf, math.inf
    if T.activation_limited[i]:
        lower, upper = T.activation_range[i, 0], T.activation_range[i, 1]
    x = min(max(act[k] + h * rates[k], lower), upper)
    y = min(max(act[k + 1] + h * rates[k + 1], lower), upper)
    z = min(max(act[k + 2] + h * rates[k + 2], lower), upper)
    size = math.sqrt(x * x + y * y + z * z)
    turns = round(size / (2.0 * math.pi))
    scale = 1.0 - 2.0 * math.pi * turns / size if turns > 0 else 1.0
    return scale * x, scale * y, scale * z


@kernel
def wanted(T, i, control, act, h, rates):
    """The orientation that actuator i is asked for. Writes the rates of its activations to rates (na,).

    T: ActuatorTable; control (nu,) in its range; act (na,).
    """
    k, c = T.activation[i], T.control[i]
    if T.dyntype[i] == DYN_NONE:
        return asked_for(T.spec[i], control, c)
    for m in range(3):
        rates[k + m] = control[c + m] if T.enabled[i] else 0.0
    if T.early[i]:
        x, y, z = advance_rotation(T, i, act, rates, h)
        return exponential(x, y, z)
    return exponential(act[k], act[k + 1], act[k + 2])
