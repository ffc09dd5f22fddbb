"""Activations after a step, from the rates that `drives.drive` found where it starts."""

from dojo_py.actuation.controlled import is_controlled, next_states
from dojo_py.actuation.force import advance, turn_of
from dojo_py.actuation.orientation import advance_rotation
from dojo_py.actuation.short_way import turns_too_many
from dojo_py.jit import kernel


@kernel
def advance_activations(T, V, act, h, out):
    """out (na,) = activations after h [s]."""
    for k in range(act.shape[0]):
        out[k] = act[k]
    for i in range(T.dof.shape[0]):
        advance_actuator(T, V, i, act, h, out)
        k = T.activation[i]
        if (
            k >= 0 and T.enabled[i] and T.rotation[i] and not is_controlled(T.gaintype[i])
        ):  # an activation stays within half a turn of the length
            turn = turn_of(T, i)
            out[k] -= turn * turns_too_many(out[k] - V.length[i], turn)


@kernel
def advance_actuator(T, V, i, act, h, out):
    """The entries of actuator i in out (na,) after h [s], whole revolutions not subtracted; none if it is switched off."""
    k = T.activation[i]
    if k >= 0 and T.enabled[i] and is_controlled(T.gaintype[i]):
        velocity = V.velocity[i]
        next_states(T.gaintype[i], T.dynprm[i], T.gain[i], T.bias[i], act, k, velocity, V.act_rate, h, out)
    elif k >= 0 and T.orientation[i] >= 0:
        out[k], out[k + 1], out[k + 2] = advance_rotation(T, i, act, V.act_rate, h)
    elif k >= 0 and T.enabled[i]:
        out[k] = advance(T, i, act[k], V.act_rate[k], h)
