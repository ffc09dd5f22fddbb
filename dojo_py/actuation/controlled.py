"""Actuators with a controller inside: PID servos and DC motors (`pid` and `dcmotor` of MuJoCo 4.0).

Controls, as far as the actuator has them: a position p, a velocity q, a force f that is added, a voltage U. The controller asks for

    F* = kp (p - l) + kv (q - l̇) + ki x + f,        ẋ = p - l, |x| ≤ xmax,        p follows its control by at most slew · h a step

A servo gives F*; that of a rotation takes the short way round in p - l and to its control (short_way.py). A motor's driver puts a
voltage on the winding that would give F* when it is cold, against the back-EMF, within ±Vmax (0: any), beside the control's own:

    V = [R₀/K F* + K l̇] + U    without a controller V = U
    F = K i,    i = (V - K l̇) / R    or, with the time constant te,    di/dt = ((V - K l̇)/R - i) / te, at most (di/dt)max
    R = R₀ (1 + α (T + Ta - T₀)),    C dT/dt = R i² - T/RT        T: above the surroundings

and adds to it, beyond what `forcerange` bounds, cogging and friction by bristles (LuGre):

    A sin(n l + φ) - σ₀ z - σ₁ ż,    ż = l̇ - σ₀ |l̇| z / g,    g = Fc + (Fs - Fc) exp(-(l̇/vs)²)

Numbers, as in MuJoCo's arrays. Servo: gain (ki), bias (b₀, -kp, -kv), dynamics (xmax, slew).
Motor: gain (R₀, K, α, T₀, kp, ki, kv, Vmax), bias (A, n, φ, Fc, Fs, vs), dynamics (te, (di/dt)max, RT, C, Ta, σ₀, σ₁, slew, xmax).
Activations, those that there are: p, x, T, z, i.
"""

import math

from dojo_py.actuation.short_way import turns_too_many
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import BiasType, CtrlInput, DynType, GainType

DYN_DCMOTOR, DYN_PID = int(DynType.DCMOTOR), int(DynType.PID)
GAIN_DCMOTOR, GAIN_PID = int(GainType.DCMOTOR), int(GainType.PID)
BIAS_DCMOTOR = int(BiasType.DCMOTOR)
POSITION, VELOCITY, FORCE, VOLTAGE = (int(bit) for bit in (CtrlInput.POS, CtrlInput.VEL, CtrlInput.FF, CtrlInput.VOLTAGE))
"""Bits of `actuator_ctrlspec`: the controls, in this order."""
SMALL = 1e-15
"""MuJoCo's mjMINVAL."""


@kernel
def is_controlled(gaintype):
    """Whether the actuator is a servo or a motor of this file."""
    return gaintype == GAIN_PID or gaintype == GAIN_DCMOTOR


@kernel
def places(gaintype, dynprm, gainprm):
    """(p, x, T, z, i): number of each activation among the actuator's, -1 where it has none."""
    motor = gaintype == GAIN_DCMOTOR
    n = 0
    slew = integral = temperature = bristle = current = -1
    if dynprm[7 if motor else 1] > 0.0:
        slew, n = n, n + 1
    if gainprm[5 if motor else 0] > 0.0:
        integral, n = n, n + 1
    if motor and dynprm[2] > 0.0:
        temperature, n = n, n + 1
    if motor and dynprm[5] > 0.0:
        bristle, n = n, n + 1
    if motor and dynprm[0] > 0.0:
        current, n = n, n + 1
    return slew, integral, temperature, bristle, current


@kernel
def count_states(gaintype, dynprm, gainprm):
    """How many activations the actuator has."""
    return max(max(places(gaintype, dynprm, gainprm)) + 1, 0)


@kernel
def inputs(spec, control, first):
    """(p, q, f, U) of the controls from `first` on; 0 where there is none."""
    p = q = f = U = 0.0
    if spec & POSITION:
        p, first = control[first], first + 1
    if spec & VELOCITY:
        q, first = control[first], first + 1
    if spec & FORCE:
        f, first = control[first], first + 1
    if spec & VOLTAGE:
        U = control[first]
    return p, q, f, U


@kernel
def asked(gaintype, dynprm, gainprm, biasprm, spec, control, first, act, start, length, velocity, h, rates, turn, whole, hold):
    """(F*, -kp, -kv, U): what the controller asks for and its slopes; rates of the position's and the integral's activations.

    turn: length of a whole turn of a servo of a rotation, 0 of others; whole (2,): how many of these are subtracted from p - l, and
    on the way of p to its control, which `hold` leaves as they are.
    """
    p, q, f, U = inputs(spec, control, first)
    slew, integral, _, _, _ = places(gaintype, dynprm, gainprm)
    if gaintype == GAIN_PID:
        kp, kv, ki, constant, fastest, most = -biasprm[1], -biasprm[2], gainprm[0], biasprm[0], dynprm[1], dynprm[0]
    else:
        kp, kv, ki, constant, fastest, most = gainprm[4], gainprm[6], gainprm[5], 0.0, dynprm[7], dynprm[8]
    if slew >= 0:
        before = act[start + slew]
        way = _short(p - before, turn, whole, 1, hold)
        p = before + min(max(way, -fastest * h), fastest * h)
        rates[start + slew] = (p - before) / h
    error = _short(p - length, turn, whole, 0, hold)
    x = 0.0
    if integral >= 0:
        x = act[start + integral]
        rate = error
        if most > 0.0:
            rate = min(rate, 0.0) if x >= most else max(rate, 0.0) if x <= -most else rate
        rates[start + integral] = rate
    return constant + kp * error + kv * (q - velocity) + ki * x + f, -kp, -kv, U


@kernel
def _short(error, turn, whole, k, hold):
    """The error less whole turns, as many as whole[k] says once it has been set."""
    if turn == 0.0:
        return error
    if not hold:
        whole[k] = turns_too_many(error, turn)
    return error - turn * whole[k]


@kernel
def stribeck(velocity, biasprm):
    """(g, its slope)."""
    ratio = velocity / max(SMALL, biasprm[5])
    fall = (biasprm[4] - biasprm[3]) * math.exp(-ratio * ratio)
    return biasprm[3] + fall, -2.0 * ratio / max(SMALL, biasprm[5]) * fall


@kernel
def resistance(dynprm, gainprm, act, temperature):
    """R at the winding's temperature; temperature: place of its activation or -1."""
    R = gainprm[0]
    if temperature >= 0:
        R *= 1.0 + gainprm[2] * (act[temperature] + dynprm[4] - gainprm[3])
    return max(R, SMALL)


@kernel
def wound(gainprm, spec, F, by_length, by_velocity, U, velocity):
    """(V, its slopes by length and velocity) that the driver puts on the winding."""
    R, K, most = gainprm[0], gainprm[1], gainprm[7]
    if not spec & (POSITION | VELOCITY | FORCE):
        return U, 0.0, 0.0
    V = R / K * F + K * velocity
    if most > 0.0 and abs(V) > most:
        return U + math.copysign(most, V), 0.0, 0.0
    return U + V, R / K * by_length, R / K * by_velocity + K


@kernel
def controlled_law(
    gaintype, dynprm, gainprm, biasprm, spec, early, control, first, act, start, length, velocity, h, rates, turn, whole, hold
):
    """(F, ∂F/∂l, ∂F/∂l̇, E, ∂E/∂l, ∂E/∂l̇): the force within `forcerange` and the one beyond it; rates of the activations.

    control, from `first` on, is clamped; act and rates from `start` on; turn, whole, hold: as in `asked`.
    """
    F, fl, fv, U = asked(
        gaintype, dynprm, gainprm, biasprm, spec, control, first, act, start, length, velocity, h, rates, turn, whole, hold
    )
    if gaintype == GAIN_PID:
        return F, fl, fv, 0.0, 0.0, 0.0
    _, _, temperature, bristle, current = places(gaintype, dynprm, gainprm)
    R = resistance(dynprm, gainprm, act, start + temperature if temperature >= 0 else -1)
    K = gainprm[1]
    V, vl, vv = wound(gainprm, spec, F, fl, fv, U, velocity)
    i, il, iv = (V - K * velocity) / R, vl / R, (vv - K) / R
    if current >= 0:
        te, now = dynprm[0], act[start + current]
        rate = (i - now) / te
        rates[start + current] = rate
        if dynprm[1] > 0.0 and abs(rate) > dynprm[1]:
            rate = math.copysign(dynprm[1], rate)
            rates[start + current], il, iv = rate, 0.0, 0.0
        share = (1.0 - math.exp(-h / te)) if early else 0.0
        i, il, iv = now + share * te * rate, share * il, share * iv
        heating = now
    else:
        heating = i
    if temperature >= 0:
        rates[start + temperature] = (R * heating * heating - act[start + temperature] / dynprm[2]) / dynprm[3]
    E, el, ev = mechanical(dynprm, biasprm, act, start + bristle if bristle >= 0 else -1, length, velocity, rates)
    return K * i, K * il, K * iv, E, el, ev


@kernel
def mechanical(dynprm, biasprm, act, bristle, length, velocity, rates):
    """(E, its slopes): cogging and friction of a motor; bristle: place of the bristles' activation or -1."""
    A, n, phase = biasprm[0], biasprm[1], biasprm[2]
    E, el, ev = A * math.sin(n * length + phase), A * n * math.cos(n * length + phase), 0.0
    if bristle >= 0:
        z = act[bristle]
        g, slope = stribeck(velocity, biasprm)
        g = max(g, SMALL)
        a = -dynprm[5] * abs(velocity) / g
        by_velocity = -dynprm[5] * (math.copysign(1.0, velocity) / g - abs(velocity) * slope / (g * g))
        rates[bristle] = velocity + a * z
        E -= dynprm[5] * z + dynprm[6] * rates[bristle]
        ev = -dynprm[6] * (1.0 + by_velocity * z)
    return E, el, ev


@kernel
def next_states(gaintype, dynprm, gainprm, biasprm, act, start, velocity, rates, h, out):
    """out (na,), from `start` on: activations after h [s]; currents and bristles by exponentials, the others by Euler's step."""
    slew, integral, temperature, bristle, current = places(gaintype, dynprm, gainprm)
    if slew >= 0:
        out[start + slew] = act[start + slew] + h * rates[start + slew]
    if integral >= 0:
        most = dynprm[8 if gaintype == GAIN_DCMOTOR else 0]
        x = act[start + integral] + h * rates[start + integral]
        bounded = gaintype == GAIN_DCMOTOR and most > 0.0
        out[start + integral] = min(max(x, -most), most) if bounded else x
    if temperature >= 0:
        out[start + temperature] = act[start + temperature] + h * rates[start + temperature]
    if bristle >= 0:
        g, _ = stribeck(velocity, biasprm)
        a = -dynprm[5] * abs(velocity) / max(SMALL, g)
        decay = math.exp(a * h)
        out[start + bristle] = decay * act[start + bristle] + ((decay - 1.0) / a if abs(a) > SMALL else h) * velocity
    if current >= 0:
        te = dynprm[0]
        out[start + current] = act[start + current] + rates[start + current] * te * (1.0 - math.exp(-h / te))
