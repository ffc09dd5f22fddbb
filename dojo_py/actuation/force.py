"""Scalar force of an actuator:  p = (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇,  then clamped  (MuJoCo, "Actuation model").

u: control or activation, l: length of the transmission. For one u the law is affine in (l, l̇), which is what lets the hard mode
take servos implicitly; a muscle's and a motor's is made so, by its slopes where the step starts.
"""

from dojo_py.actuation.controlled import controlled_law, count_states, is_controlled
from dojo_py.actuation.dynamics import DYN_INTEGRATOR, DYN_NONE, activation_rate, next_activation
from dojo_py.actuation.muscle import muscle_bias, muscle_gain
from dojo_py.actuation.short_way import turns_too_many, whole_turn
from dojo_py.actuation.transmission import SITE
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import BiasType, GainType

GAIN_AFFINE, BIAS_AFFINE = int(GainType.AFFINE), int(BiasType.AFFINE)
GAIN_MUSCLE, BIAS_MUSCLE = int(GainType.MUSCLE), int(BiasType.MUSCLE)


@kernel
def clamp(value, lower, upper):
    """The value moved into [lower, upper]."""
    return min(max(value, lower), upper)


@kernel
def turn_of(T, i):
    """Length of a whole turn of actuator i, the servo of a rotation."""
    return whole_turn(T.gear[i], 3 if T.transmission[i] == SITE else 0)


@kernel
def signal(T, i, control, act, h, V):
    """What the gain of actuator i multiplies: its clamped control, or its activation. Writes the activation's rate to V.act_rate.

    T: ActuatorTable; V: Drive; control (nu,), act (na,); h [s] is used by actuators with actearly, whose next activation acts
    already.
    """
    c, k = T.control[i], T.activation[i]
    u = clamp(control[c], T.control_range[c, 0], T.control_range[c, 1])
    if k < 0 or is_controlled(T.gaintype[i]):
        return u
    target = u
    if T.rotation[i] and T.dyntype[i] != DYN_INTEGRATOR:  # filters take the short way, too
        turn = turn_of(T, i)
        if not V.hold[0]:
            V.turns[i, 1] = turns_too_many(u - act[k], turn)
        target -= turn * V.turns[i, 1]
    rate = activation_rate(T.dyntype[i], T.dynprm[i], target, act[k]) if T.enabled[i] else 0.0
    V.act_rate[k] = rate
    if T.dyntype[i] == DYN_NONE:
        return u
    if T.early[i]:
        return advance(T, i, act[k], rate, h)
    return act[k]


@kernel
def advance(T, i, act, rate, h):
    """Activation of actuator i after h [s]."""
    lower, upper = T.activation_range[i, 0], T.activation_range[i, 1]
    return next_activation(T.dyntype[i], T.dynprm[i, 0], act, rate, h, T.activation_limited[i], lower, upper)


@kernel
def controlled(T, i, length, velocity, V):
    """(b₀, b₁, b₂, E) of servo or motor i near that l, l̇, and of its force the part E beyond its range; rates of its activations.

    V: Drive, with clamped controls and activations of the start of a step.
    """
    F, fl, fv, E, el, ev = controlled_law(
        T.gaintype[i], T.dynprm[i], T.gain[i], T.bias[i], T.spec[i], T.early[i], V.control, T.control[i], V.act, T.activation[i],
        length, velocity, V.span[0], V.act_rate, turn_of(T, i) if T.rotation[i] else 0.0, V.turns[i], V.hold[0] == 1,
    )  # fmt: skip
    V.velocity[i] = velocity
    b1, b2 = fl + el, fv + ev
    return F + E - b1 * length - b2 * velocity, b1, b2, E


@kernel
def rest(T, i, V):
    """The activations of a servo or motor that is switched off keep their values."""
    for k in range(count_states(T.gaintype[i], T.dynprm[i], T.gain[i])):
        V.act_rate[T.activation[i] + k] = 0.0


@kernel
def force_law(T, i, u, length, velocity, V):
    """(b₀, b₁, b₂, E) of actuator i at the signal u: force = b₀ + b₁ l + b₂ l̇ before clamping.

    Of muscles and motors near that l, l̇. E: what of it the actuator's force range does not bound.
    """
    if is_controlled(T.gaintype[i]):
        return controlled(T, i, length, velocity, V)
    b0, b1, b2 = T.gain[i, 0] * u, 0.0, 0.0
    if T.gaintype[i] == GAIN_MUSCLE:
        gain, by_length, by_velocity = muscle_gain(length, velocity, T.gain[i], T.lengthrange[i], T.acc0[i])
        b1, b2 = by_length * u, by_velocity * u
        b0 = gain * u - b1 * length - b2 * velocity
    if T.biastype[i] == BIAS_MUSCLE:
        bias, slope = muscle_bias(length, T.bias[i], T.lengthrange[i], T.acc0[i])
        b0 += bias - slope * length
        b1 += slope
    if T.gaintype[i] == GAIN_AFFINE:
        b1 += T.gain[i, 1] * u
        b2 += T.gain[i, 2] * u
    if T.biastype[i] == BIAS_AFFINE:
        b0 += T.bias[i, 0]
        b1 += T.bias[i, 1]
        b2 += T.bias[i, 2]
    return b0, b1, b2, 0.0
