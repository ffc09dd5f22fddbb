"""Impulses over the parts of a step: their sums, also up to where parts end early, and their guess for a part twice as long."""

from dojo_py.arrays import copy, scratch
from dojo_py.hard.elements.closures import add_loop
from dojo_py.hard.elements.contact_rows import pushed
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS, NODES
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def add_impulses(L, W, anew):
    """Add the impulses of the islands' contacts, limits and loops in this part to W.summed…; anew: set them to zero."""
    _add_loops(L, W, anew)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        W.summed_limit[m] = 0.0 if anew else W.summed_limit[m] + W.lim[m, 0]
    F = scratch(MOST_ROWS)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if anew:
            W.summed[c, :] = 0.0
            continue
        impulse_of(W.claw[c], W.con[c], F)
        side = 0 if W.cbody[c, 0] >= 0 else 1
        for i in range(3):
            total = 0.0
            for r in range(ROWS[W.claw[c]]):
                total += W.cB[c, side, r, i] * F[r]
            spun = 0.0  # (rows of torsional and rolling friction are in the body's frame where the part starts)
            for r in range(3, ROWS[W.claw[c]]):
                B, R = W.cB[c, side, r], W.R[W.cbody[c, side]]
                spun += (R[i, 0] * B[3] + R[i, 1] * B[4] + R[i, 2] * B[5]) * F[r]
            W.summed[c, i] += total if side == 0 else -total
            W.summed[c, 3 + i] += spun if side == 0 else -spun
        _, moment = pushed(W, c, side, F)
        for i in range(3):
            W.summed[c, 6 + i] += moment[i] if side == 0 else -moment[i]


@kernel
def _add_loops(L, W, anew):
    """The part of `add_impulses` for connects, welds and spatial tendons."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        if not anew:
            add_loop(L, W, n, 1.0, W.summed_loops)
        elif L.node_joint[n] < 0:
            W.summed_loops[-1 - L.node_joint[n], :] = 0.0


@kernel
def keep_sums(L, W):
    """Keep the sums of the islands' impulses, which belong to the state that `standstill.keep_progress` keeps."""
    _copy_sums(L, W, W.summed_limit, W.summed_loops, W.summed, W.halt_summed_limit, W.halt_summed_loops, W.halt_summed)


@kernel
def take_sums_back(L, W):
    """The sums that `keep_sums` kept, in place of those of parts that got less far."""
    _copy_sums(L, W, W.halt_summed_limit, W.halt_summed_loops, W.halt_summed, W.summed_limit, W.summed_loops, W.summed)


@kernel
def _copy_sums(L, W, limits, loops, contacts, to_limits, to_loops, to_contacts):
    """Copy the sums of the islands in W.span."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        e = -1 - L.node_joint[W.members[NODES, k]]
        if e >= 0:
            copy(loops[e], to_loops[e])
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        to_limits[W.members[LIMITS, k]] = limits[W.members[LIMITS, k]]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        copy(contacts[W.members[CONTACTS, k]], to_contacts[W.members[CONTACTS, k]])


@kernel
def double_impulses(W):
    """Double the impulses of the present point: the same forces act for twice the time."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.lam[n, i] *= 2.0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        W.fric[W.members[DOFS, k], 0] *= 2.0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        W.lim[W.members[LIMITS, k], 0] *= 2.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        for i in range(W.con.shape[1]):
            W.con[W.members[CONTACTS, k], i] *= 2.0
