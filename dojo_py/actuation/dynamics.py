"""Activation of stateful actuators: integrator  ẇ = u;  filter and filterexact  ẇ = (u - w)/τ;  muscle: see muscle.py.

Source: MuJoCo, "Actuation model".
"""

import math

from dojo_py.actuation.muscle import muscle_rate
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DynType

DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE, *_ = map(int, DynType)
SHORTEST = 1e-15
"""Smallest time constant [s]."""


@kernel
def activation_rate(dyntype, prm, control, act):
    """ẇ for the control (after clamping) and the activation w.

    prm (10,): the filter's time constant [s] first, or a muscle's numbers.
    """
    if dyntype == DYN_INTEGRATOR:
        return control
    if dyntype == DYN_NONE:
        return 0.0
    if dyntype == DYN_MUSCLE:
        return muscle_rate(control, act, prm)
    return (control - act) / max(prm[0], SHORTEST)


@kernel
def next_activation(dyntype, tau, act, rate, h, limited, lower, upper):
    """Activation after h [s]: Euler's step, or the exact exponential for filterexact; clamped when limited."""
    if dyntype == DYN_FILTEREXACT:
        tau = max(tau, SHORTEST)
        act += rate * tau * (1.0 - math.exp(-h / tau))
    else:
        act += rate * h
    if limited:
        act = min(max(act, lower), upper)
    return act
