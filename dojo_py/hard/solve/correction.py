"""The weight of Mehrotra's correction in a step: the one with the largest step length (Colombo and Gondzio 2008).

The correction stands for the second-order terms of a full affine step. Where the affine step is short they are those of a step that
is not taken, and often dominate: where friction on the boundary of its cone changes its direction, step lengths are then a tenth.
All steps  affine + ω (corrected - affine)  do the same for the linear rows; ω decides how far the cones allow them.
"""

from dojo_py.hard.points import combine, copy_point
from dojo_py.hard.solve.step_bounds import largest_step
from dojo_py.jit import kernel

WEIGHTS = 6
"""How many ω are compared, evenly from 1 down to α², with α the length of the affine step."""

FULL = 0.9
"""A corrected step of this length or more is taken as it is."""


@kernel
def weigh_correction(W, affine, reach):
    """W.change = W.affine + ω (W.change - W.affine) with the ω of the largest step length, which is returned.

    affine, reach: step lengths with ω = 0 and 1. ω is at least α², the second-order terms of an affine step of length α: with less,
    steps are longer but leave the path. (With ω from 1/6 on, piles of spheres take a fifth more iterations.)
    """
    if reach >= FULL:
        return reach
    copy_point(W, W.change, W.saved)
    farthest, best = reach, 1.0
    for k in range(1, WEIGHTS):
        omega = 1.0 - (1.0 - affine * affine) * k / (WEIGHTS - 1)
        combine(W, 1.0 - omega, W.affine, omega, W.saved, W.change)
        far = largest_step(W)
        if far > farthest:
            farthest, best = far, omega
    combine(W, 1.0 - best, W.affine, best, W.saved, W.change)
    return farthest
