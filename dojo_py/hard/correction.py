"""How much of Mehrotra's correction a step takes: as much as lets it go farthest (Colombo and Gondzio 2008).

The correction stands for the second-order terms of a full affine step. Where the affine step is short they are of a step that is
not taken, and often larger than all the rest: friction on the boundary of its cone, whose direction turns, then moves by a tenth of
a step at a time. All steps  affine + ω (corrected - affine)  do the same for the linear rows; ω decides how far the cones let them.
"""

from dojo_py.hard.points import combine, copy_point
from dojo_py.hard.progress import largest_step
from dojo_py.jit import kernel

WEIGHTS = 6
"""How many ω are compared, evenly from 1 down to α², α: how far the affine step goes."""

FULL = 0.9
"""A corrected step that goes as far is taken as it is."""


@kernel
def weigh_correction(W, affine, reach):
    """W.change = W.affine + ω (W.change - W.affine) with the ω that goes farthest. Returns how far.

    affine, reach: how far ω = 0 and 1 go. Less than α² of the correction, that of the way that the affine step goes, is not taken:
    steps go farther then, but off the path. (With ω from 1/6 on, piles of spheres take a fifth more iterations.)
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
