"""Into how many parts a step is divided at least, because bodies rotate too fast for a whole one."""

import math

from dojo_py.arrays import copy, scratch
from dojo_py.hard.elements.bodies import old_momentum
from dojo_py.hard.islands import BODIES
from dojo_py.hard.terms import FAST_PARTS, FREE_TURN, PART_TURN
from dojo_py.jit import kernel

FAST_HALVINGS = FAST_PARTS.bit_length() - 1


@kernel
def least_halvings(L, W, h, kappa):
    """How often the step is halved at least: until no body rotates by more than it may in one part; 0 where it is solved whole, or
    may not be divided at all.

    In the hard limit at the velocities where the step starts: what fails because bodies are made to rotate faster is divided then.
    On the central path, where it is not, also at those that the torques on free bodies alone would give them by its end.
    """
    halvings = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        v = W.start_bodies[b]
        turn = h * math.sqrt(v[10] ** 2 + v[11] ** 2 + v[12] ** 2)
        if W.carried[b] > 0.0:  # (no velocity over the whole step has its momentum)
            halvings = max(halvings, 1)
            turn = h * _spin(L.mobility[b], W.carry[b])
        loaded = h * _spin_under_load(L, W, b, h) if kappa > 0.0 and L.most_turn[b] <= FREE_TURN else 0.0
        if loaded <= L.most_turn[b] * 2.0**W.options.subdivisions:  # (beyond, no parts help)
            turn = max(turn, loaded)
        if W.fast[b] == 1:
            halvings = max(halvings, min(FAST_HALVINGS, int(W.options.subdivisions)))
        if halvings == 0 and turn <= L.most_turn[b]:
            continue
        most = PART_TURN if L.most_turn[b] > FREE_TURN else L.most_turn[b]
        while halvings < W.options.subdivisions and turn > most * 2.0**halvings:
            halvings += 1
    return min(halvings, int(W.options.subdivisions))


@kernel
def _spin(mobility, momentum):
    """How fast a body rotates in short intervals [rad/s]: |J⁻¹ p|, p: last three of its momentum (6,), J⁻¹: mobility (3, 3)."""
    x, y, z = momentum[3], momentum[4], momentum[5]
    total = 0.0
    for i in range(3):
        total += (mobility[i, 0] * x + mobility[i, 1] * y + mobility[i, 2] * z) ** 2
    return math.sqrt(total)


@kernel
def _spin_under_load(L, W, b, h):
    """How fast body b would rotate after h [s] with its momentum and the torque on it, and nothing else [rad/s]."""
    R, momentum = W.R[b], scratch(6)
    if W.carried[b] > 0.0:
        copy(W.carry[b], momentum)
    else:
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, momentum)
    for i in range(3):
        momentum[3 + i] += h * (R[0, i] * W.wrench[b, 3] + R[1, i] * W.wrench[b, 4] + R[2, i] * W.wrench[b, 5])
    return _spin(L.mobility[b], momentum)
