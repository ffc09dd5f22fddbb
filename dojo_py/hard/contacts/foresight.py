"""Which gaps a step can close, before it is solved: foreseen at the poses that the bodies would reach at their old velocities.

It is a guess: contacts that it leaves out are found by the checks at the end of the step (choice.py, convex_choice.py), which is
then solved again.
"""

from dojo_py.algebra.rotations import quat_mul, quat_normalise, quat_to_matrix, step_quaternion
from dojo_py.arrays import scratch
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.islands import BODIES
from dojo_py.jit import kernel

SPARE = 2.0
"""How many times what velocities and gravity close a step is taken to be able to close."""


@kernel
def foresee(L, W, h):
    """Poses of all bodies after h [s] at their old velocities, in W.x_ahead, W.R_ahead."""
    for b in range(L.mass.shape[0]):
        _foresee(W, b, h)


@kernel
def foresee_islands(W, h):
    """`foresee` for the bodies of the islands in W.span only."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        _foresee(W, W.members[BODIES, k], h)


@kernel
def _foresee(W, b, h):
    """The pose of body b after h [s] at its old velocity."""
    p, q = scratch(4), scratch(4)
    for i in range(3):
        W.x_ahead[b, i] = W.x[b, i] + h * W.v_prev[b, i]
    step_quaternion(W.v_prev[b, 3:6], h, p)
    quat_mul(W.q[b], p, q)
    quat_normalise(q)
    quat_to_matrix(q, W.R_ahead[b])


@kernel
def may_close(L, i, j, gap, foreseen, h, spare, margin):
    """Whether a gap [m] between bodies i and j (-1: the world), foreseen at the end of the step, may close within it.

    That is whether it would be no larger than the margin [m] after `spare` times the closing foreseen and twice h² g of gravity.
    """
    gravity = max(strongest_gravity(L, i), strongest_gravity(L, j))
    return gap - spare * (max(gap - foreseen, 0.0) + 2.0 * h * h * gravity) <= margin
