"""How much of Mehrotra's correction a step takes: as much as lets it go farthest (Colombo and Gondzio 2008).

The correction stands for the second-order terms of a full affine step. Where the affine step is short they are of a step that is
not taken, and often larger than all the rest: friction on the boundary of its cone, whose direction turns, then moves by a tenth of
a step at a time. All steps  affine + ω (corrected - affine)  do the same for the linear rows; ω decides how far the cones let them.
"""

from dojo_py.hard.points import combine, copy_point
from dojo_py.hard.progress import largest_step
from dojo_py.jit import kernel

WEIGHTS = 6
"""How many ω are compared: 1, 5/6, … 1/6."""

FULL = 0.9
"""A corrected step that goes as far is taken as it is."""


@kernel
def weigh_correction(W, reach):
    """W.change = W.affine + ω (W.change - W.affine) with the ω that goes farthest; reach: how far ω = 1 does. Returns how far."""
    if reach >= FULL:
        return reach
    copy_point(W, W.change, W.saved)
    farthest, best = reach, 1.0
    for k in range(1, WEIGHTS):
        omega = 1.0 - k / WEIGHTS
        combine(W, 1.0 - omega, W.affine, omega, W.saved, W.change)
        far = largest_step(W)
        if far > farthest:
            farthest, best = far, omega
    combine(W, 1.0 - best, W.affine, best, W.saved, W.change)
    return farthest
