"""Coordinates of several joints in one body from the pose they lead to.

    min over θ of |e(θ)|²,   e(θ) = ( d - p_f(θ),  2 vec(q_f(θ)* ⊗ q) )        Levenberg-Marquardt from a reference

The pose is one that the chain can reach, so the minimum is 0 and the convergence quadratic; the damping carries it through gimbal
lock. When the reference is too far away, other starts are tried (`NEARER`). A ball starts with the rotation that is missing from
the pose after the hinges before it.
"""

import math

from dojo_py.algebra.rotations import quat_conj_mul
from dojo_py.arrays import copy, scratch
from dojo_py.hard.elements.chain_coordinates import ball_orientation
from dojo_py.hard.elements.joints.compound import chain_pose, solve_small
from dojo_py.jit import kernel

NEARER = 0.5
"""Another start is preferred if |e|² ends below this fraction of the best so far. Three hinges reach every orientation in two ways,
π apart; for a pose that the chain misses by the joints' residuals, round-off would choose between the two."""


@kernel
def _is_hinge(L, dof):
    """Whether a coordinate is the angle of a hinge."""
    return L.dof_vector[dof] < 0 and not L.dof_slide[dof]


@kernel
def _error(L, j, theta, turn, q_rel, d, e, S):
    """e (6,) and S (6, k) = -∂e/∂θ at theta (k,). Returns |e|²."""
    p, q, err = scratch(3), scratch(4), scratch(4)
    chain_pose(L, j, theta, turn, p, q, S)
    quat_conj_mul(q, q_rel, err)
    if err[0] < 0.0:
        for r in range(4):
            err[r] = -err[r]
    cost = 0.0
    for r in range(3):
        e[r], e[3 + r] = d[r] - p[r], 2.0 * err[1 + r]
    for r in range(6):
        cost += e[r] * e[r]
    for i in range(theta.shape[0]):
        s0, s1, s2 = S[3, i], S[4, i], S[5, i]
        S[3, i] = err[0] * s0 - (err[2] * s2 - err[3] * s1)
        S[4, i] = err[0] * s1 - (err[3] * s0 - err[1] * s2)
        S[5, i] = err[0] * s2 - (err[1] * s1 - err[2] * s0)
    return cost


@kernel
def _descend(L, j, theta, turn, q_rel, d):
    """Improve theta (k,) and turn (4,) in place. Returns |e|² there."""
    k = theta.shape[0]
    if L.rotation[j] >= 0:
        ball_orientation(L, j, theta, q_rel, turn)
    e, S, trial = scratch(6), scratch((6, 6))[:, 0:k], scratch(6)[0:k]
    A, b = scratch((6, 6)), scratch((6, 1))
    cost = _error(L, j, theta, turn, q_rel, d, e, S)
    damping = 1e-3 * min(cost, 1.0)
    for _ in range(60):
        for i in range(k):
            b[i, 0] = 0.0
            for r in range(6):
                b[i, 0] += S[r, i] * e[r]
            for m in range(k):
                A[i, m] = damping * (i == m)
                for r in range(6):
                    A[i, m] += S[r, i] * S[r, m]
        solve_small(A, b, k, 1)
        size = 0.0
        for i in range(k):
            trial[i] = theta[i] + b[i, 0]
            size = max(size, abs(b[i, 0]))
        if not math.isfinite(size):
            break
        new = _error(L, j, trial, turn, q_rel, d, e, S)
        if new < cost:
            for i in range(k):
                theta[i] = trial[i]
            cost = new
            damping = 0.1 * min(damping, new)
        elif size < 1e-12 or damping > 1e12:
            break
        else:
            cost = _error(L, j, theta, turn, q_rel, d, e, S)
            damping = max(10.0 * damping, 1e-8)
        if size < 1e-16 or cost == 0.0:
            break
    return cost


@kernel
def chain_angles(L, j, q_rel, d, theta, turn, elsewhere):
    """theta (k,), turn (4,) of a ball: in, a reference; out, the coordinates of the chain whose pose is q_rel (4,), d (3,).

    elsewhere: try other starts when the pose is not reached from the reference.
    """
    k, first, hinges = theta.shape[0], L.vadr[j], 0
    reference, best, best_turn = scratch(6), scratch(6)[0:k], scratch(4)
    for i in range(k):
        reference[i] = theta[i]
        hinges += _is_hinge(L, first + i)
    cost = _descend(L, j, theta, turn, q_rel, d)
    if elsewhere and cost > 1e-12:
        lowest = cost
        copy(theta, best)
        copy(turn, best_turn)
        for start in range(1, 3**hinges):
            number = start
            for i in range(k):
                theta[i] = reference[i]
                if _is_hinge(L, first + i):
                    theta[i] += (number % 3) * 2.0 * math.pi / 3.0
                    number //= 3
            cost = _descend(L, j, theta, turn, q_rel, d)
            if cost < NEARER * lowest:
                lowest = cost
                copy(theta, best)
                copy(turn, best_turn)
            if cost <= 1e-12:
                break
        copy(best, theta)
        copy(best_turn, turn)
    for i in range(k):
        if _is_hinge(L, first + i):
            theta[i] += 2.0 * math.pi * math.floor((reference[i] - theta[i]) / (2.0 * math.pi) + 0.5)
