"""The next rates by a displacement of one of the two bodies that a servo of an orientation acts between (see subtree.py).

The effect of a rotation is in gradients/orientation_change.py. Displacements of centres have none.
"""

from __future__ import annotations

from dojo_py.algebra.vectors import times
from dojo_py.arrays import scratch, zeros
from dojo_py.hard.gradients.orientation_change import law_change, torque_change
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.parameters.adjoint import pull_one
from dojo_py.hard.terms import EQ_ORIENTATION
from dojo_py.jit import kernel


@kernel
def orientation_adjoint(L, W, A, G, D, h):
    """Add to D.here and D.before the effect of each body's rotations through the servos of orientations."""
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] != EQ_ORIENTATION:
            continue
        for side in range(2):
            b = L.eq_bodies[e, side]
            for i in range(3 if b >= 0 else 0):
                _turn(L, W, A, G, D, e, first + e, side, b, i, h)


@kernel
def _turn(L, W, A, G, D, e, n, side, b, i, h):
    """Rotation of body b, on one side of closure e, whose node is n, about world axis i."""
    sign, nothing, y = 1.0 if side == 1 else -1.0, (0.0, 0.0, 0.0), D.y[L.place_node[n]]
    turn = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
    unit, v = zeros(6), scratch(6)
    unit[3 + i] = 1.0
    as_velocity(W, G, b, unit, h, v)
    by_here = law_change(L, W, A, G, e, times(sign, turn), nothing, h)
    by_before = law_change(L, W, A, G, e, nothing, times(sign, turn), h)
    for r in range(3):
        C = W.Ceq[e, side, r]
        pull_one(y[r], by_here[r] - C[3] * v[3] - C[4] * v[4] - C[5] * v[5], D.here[b, 3 + i])
        pull_one(y[r], by_before[r], D.before[b, 3 + i])
    one = L.eq_bodies[e, 0]
    if one >= 0:
        torque = torque_change(L, W, A, e, n, times(sign, turn))
        for r in range(3):
            pull_one(D.y[L.place_body[one], 3 + r], torque[r], D.here[b, 3 + i])
