"""Activation of stateful actuators: integrator  ẇ = u;  filter and filterexact  ẇ = (u - w)/τ  (MuJoCo, "Actuation model")."""

import math

from dojo_py.jit import kernel

DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT = 0, 1, 2, 3
SHORTEST = 1e-15
"""Smallest time constant [s]."""


@kernel
def activation_rate(dyntype, tau, control, act):
    """ẇ for the control (after clamping) and the activation w; tau: time constant [s] of the filters."""
    if dyntype == DYN_INTEGRATOR:
        return control
    if dyntype == DYN_NONE:
        return 0.0
    return (control - act) / max(tau, SHORTEST)


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
