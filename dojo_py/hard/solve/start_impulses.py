"""The impulses that a solve starts from, and what a step keeps of them for the next one."""

from dojo_py.arrays import copy_rows
from dojo_py.collision.participation import NOW
from dojo_py.hard.island_memory import DIVIDED, HOW
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, NODES
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import (
    impulse_of,
)

COLD, WARM, HERE = 0, 1, 2
"""Impulses that a solve starts from: none, the last step's, or those of the present point."""


@kernel
def guess_impulses(W, source):
    """W.guess… of the islands' nodes, limits, dry friction and contacts from `source`: COLD, WARM or HERE."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.guess_lam[n, i] = 0.0 if source == COLD else W.warm_lam[n, i] if source == WARM else W.lam[n, i]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.guess_fric[d] = 0.0 if source == COLD else W.warm_fric[d] if source == WARM else W.fric[d, 0]
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        W.guess_lim[l] = 0.0 if source == COLD else W.warm_lim[l] if source == WARM else W.lim[m, 0]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        guess = W.guess_con[W.active[c]]
        if source == HERE:
            impulse_of(W.claw[c], W.con[c], guess)
        else:
            for i in range(guess.shape[0]):
                guess[i] = W.warm_con[W.active[c], i] if source == WARM else 0.0


@kernel
def keep_impulses(W):
    """Keep the impulses of a step for warm starts; W.warm tells of which bodies they are usable: of those solved whole."""
    for b in range(W.warm.shape[0]):
        W.warm[b] = 1 if W.next_memory[b, HOW] > DIVIDED else 0
    copy_rows(W.lam, W.warm_lam)
    W.warm_lim[:] = 0.0
    planes = W.warm_con.shape[0] - W.fpair.shape[0]
    W.warm_con[: planes + W.n_features[NOW], :] = 0.0
    for m in range(W.n_limits[0]):
        W.warm_lim[W.limit_active[m]] = W.lim[m, 0]
    for i in range(W.fric.shape[0]):
        W.warm_fric[i] = W.fric[i, 0]
    for c in range(W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], W.warm_con[W.active[c]])


@kernel
def all_warm(W):
    """Whether the last step, or the last round of this one, left impulses for all bodies of the islands."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.warm[W.members[BODIES, k]] == 0:
            return False
    return True
