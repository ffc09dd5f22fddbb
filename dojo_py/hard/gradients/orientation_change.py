"""Derivatives of servos of orientations by a coordinate: of their laws, and their torques where the step starts.

    law          -h P (∂F/∂φ₋ φ₋ + ∂F/∂φ φ) + C e              φ = Sᵀ R₂ᵀ (ψ₂ - ψ₁), and likewise one interval before
    impulses     τ₂ = S λ is fixed in body two,   τ₁ = -R₁ᵀ R₂ S λ changes by -R₁ᵀ (ψ × R₂ S λ)

ψ₁, ψ₂: rotations of the bodies, world axes; e: the velocities that move the next poses rigidly with the bodies; S: the servo's
axes, in body two. A coordinate that rotates both bodies alike changes nothing.
"""

from __future__ import annotations

from dojo_py.algebra.vectors import cross, matrix, minus, plus, times, turned, turned_back
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.elements.orientations import (
    BOUND,
    bounded_change,
    orientations,
    torque_slopes,
    turning_axes,
    whole_torque,
)
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.terms import EQ_ORIENTATION
from dojo_py.jit import kernel


@kernel
def orientation_columns(L, W, A, G, part, column, h):
    """Rows of the servos of orientations, and of the bodies they act on, in a column whose motion is in G.moved."""
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] != EQ_ORIENTATION:
            continue
        one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
        with_one, with_two = one >= 0 and G.under[one] == 1, two >= 0 and G.under[two] == 1
        if with_one != with_two:
            mover = two if with_two else one
            _column(L, W, A, G, e, first + e, 1 if with_two else 0, mover, part, column, h)


@kernel
def _column(L, W, A, G, e, n, side, mover, part, column, h):
    """The servo of closure e, whose node is n; its body `mover`, on the given side, moves."""
    sign, m = 1.0 if side == 1 else -1.0, G.moved[mover]
    here = times(sign, (m[3], m[4], m[5]))
    before = minus(here, times(sign, (m[9], m[10], m[11])))
    change = law_change(L, W, A, G, e, here, before, h)
    x = G.columns[L.place_node[n]]
    for r in range(3):
        x[r, column] += change[r]
    if part == 1:
        return
    v = scratch(6)
    as_velocity(W, G, mover, m, h, v)
    for r in range(3):
        for i in range(3, 6):
            x[r, column] -= W.Ceq[e, side, r, i] * v[i]
    one = L.eq_bodies[e, 0]
    if one >= 0:
        torque = torque_change(L, W, A, e, n, here)
        for i in range(3):
            G.columns[L.place_body[one], 3 + i, column] += torque[i]


@kernel
def law_change(L, W, A, G, e, here, before, h):
    """(3,) change of the impulse h F of closure e by rotations ψ₂ - ψ₁, world axes, where the step starts and before; q₊ held."""
    k, two = L.eq_servo[e], body_row(W.R, L.eq_bodies[e, 1])
    S = turning_axes(L, e)
    now = turned_back(S, turned_back(matrix(W.R[two]), here))
    then = turned_back(S, turned_back(matrix(G.R_before[two]), before))
    q_before, q, q_after = orientations(L, W, e, h)
    F = whole_torque(A, k, q_before, q, q_after, h, W.options.springs)
    by_before, by_here, _ = torque_slopes(A, k, q_before, q, q_after, h, W.options.springs)
    change = plus(turned(by_before, then), turned(by_here, now))
    return times(h, bounded_change(F, A.orient_law[k, BOUND], change))


@kernel
def torque_change(L, W, A, e, n, turn):
    """(3,) change of the torque on body one, in its frame, by a rotation `turn` (3,) of body two against it, world axes."""
    lam = (W.lam[n, 0], W.lam[n, 1], W.lam[n, 2])
    R1, R2 = matrix(W.R[body_row(W.R, L.eq_bodies[e, 0])]), matrix(W.R[body_row(W.R, L.eq_bodies[e, 1])])
    torque = turned(R2, turned(turning_axes(L, e), lam))
    return times(-1.0, turned_back(R1, cross(turn, torque)))
