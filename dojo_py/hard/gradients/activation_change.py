"""Derivatives of the next activations by the state, the activations and the controls: central differences of their update alone.

    w₊ = w + h ẇ(w, u),   or by an exponential;   ẇ of pid and dcmotor depends on length and velocity where the step starts, too

Differences, because every kind of actuator has another law (controlled.py alone has five states that act on each other). The update
is linear in (w, u) except for muscles, temperatures and the bristles of LuGre friction, so that differences are as good as closed
forms: 1e-10 off. At a kink (the end of a range of controls, a muscle whose control equals its activation) they give the mean of
both sides; at the end of a range of activations, or of a muscle's [0, 1], the side within (`room`).
"""

from dojo_py.actuation.controlled import is_controlled
from dojo_py.actuation.dynamics import DYN_MUSCLE
from dojo_py.actuation.force import advance, signal
from dojo_py.arrays import copy
from dojo_py.hard.elements.next_activations import advance_actuator
from dojo_py.jit import kernel


@kernel
def activations_follow_state(T):
    """Whether next activations depend on more than activations and controls: those of actuators in actuation/controlled.py do."""
    for i in range(T.activation.shape[0]):
        if T.activation[i] >= 0 and is_controlled(T.gaintype[i]):
            return True
    return False


@kernel
def owner_of(T, k):
    """The actuator that activation k belongs to. Activations are stored one actuator after the other."""
    owner = -1
    for i in range(T.activation.shape[0]):
        if 0 <= T.activation[i] <= k:
            owner = i
    return owner


@kernel
def activation_unit(T, i, act):
    """Scale of a difference step of an activation of actuator i: its size, at least 1, or its range if that is less."""
    unit = max(1.0, abs(act))
    if T.activation_limited[i]:
        width = T.activation_range[i, 1] - T.activation_range[i, 0]
        if 0.0 < width < unit:
            return width
    return unit


@kernel
def room(T, V, i, value, act, control, h, step):
    """(up, down): how far a control or activation of actuator i with this value is moved in a difference: by `step` to both sides.

    Only inward at an end of a muscle's [0, 1], or where the next activation is at an end of its range.
    """
    up = down = step
    if T.dyntype[i] == DYN_MUSCLE and 0.0 <= value <= 1.0:
        up = step if value + step <= 1.0 else 0.0
        down = step if value - step >= 0.0 else 0.0
    k = T.activation[i]
    if k >= 0 and T.activation_limited[i] and T.enabled[i] and T.orientation[i] < 0 and not is_controlled(T.gaintype[i]):
        signal(T, i, control, act, h, V)
        after = advance(T, i, act[k], V.act_rate[k], h)
        up = 0.0 if after >= T.activation_range[i, 1] else up
        down = 0.0 if after <= T.activation_range[i, 0] else down
    return (up, down) if up + down > 0.0 else (step, step)


@kernel
def next_activations(T, V, act, h, first, last, out):
    """out (na,) = next activations of actuators first … last - 1, whose rates are in V, without subtracting whole revolutions; of
    the others act itself.
    """
    copy(act, out)
    for i in range(first, last):
        advance_actuator(T, V, i, act, h, out)


@kernel
def add_next(T, V, G, act, h, first, last, factor):
    """G.d_act (na,) += factor * `next_activations`."""
    if act.shape[0] == 0:
        return
    next_activations(T, V, act, h, first, last, G.next_act)
    for k in range(act.shape[0]):
        G.d_act[k] += factor * G.next_act[k]
