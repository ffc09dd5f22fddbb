"""The next activations by the state, the activations and the controls: central differences of their update alone.

    w₊ = w + h ẇ(w, u),   or by an exponential;   ẇ of pid and dcmotor depends on length and velocity where the step starts, too

Differences, as every kind of actuator has another law (controlled.py alone has five states that act on each other). The update is
linear in (w, u) but for a muscle's, a temperature's and the bristles', so that they are as good as closed forms: 1e-10 off. At a
kink (the end of a range, a muscle whose control is its activation) they give the mean of both sides.
"""

from dojo_py.actuation.controlled import is_controlled
from dojo_py.arrays import copy
from dojo_py.hard.next_activations import advance_actuator
from dojo_py.jit import kernel


@kernel
def activations_follow_state(T):
    """Whether next activations depend on more than activations and controls: those of servos and motors with a controller."""
    for i in range(T.activation.shape[0]):
        if T.activation[i] >= 0 and is_controlled(T.gaintype[i]):
            return True
    return False


@kernel
def owner_of(T, k):
    """The actuator whose activation k is. An actuator's activations stand together, those of all in the order of the actuators."""
    owner = -1
    for i in range(T.activation.shape[0]):
        if 0 <= T.activation[i] <= k:
            owner = i
    return owner


@kernel
def activation_unit(T, i, act):
    """What a difference step of an activation of actuator i is small beside: its size, at least 1, or its range if that is less."""
    unit = max(1.0, abs(act))
    if T.activation_limited[i]:
        width = T.activation_range[i, 1] - T.activation_range[i, 0]
        if 0.0 < width < unit:
            return width
    return unit


@kernel
def next_activations(T, V, act, h, first, last, out):
    """out (na,) = next activations of actuators first … last - 1, whose rates are in V, whole turns kept; of others act itself."""
    copy(act, out)
    for i in range(first, last):
        advance_actuator(T, V, i, act, h, out)


@kernel
def add_next(T, V, G, act, h, first, last, factor):
    """G.d_act (na,) += factor * these activations."""
    if act.shape[0] == 0:
        return
    next_activations(T, V, act, h, first, last, G.next_act)
    for k in range(act.shape[0]):
        G.d_act[k] += factor * G.next_act[k]
