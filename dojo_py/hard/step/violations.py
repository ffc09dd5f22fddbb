"""Whether contacts and limits are violated where a step starts, and by how much."""

from dojo_py.hard.elements.contact_rows import OVERLAP, start_gap
from dojo_py.hard.elements.limits import start_room
from dojo_py.hard.islands import CONTACTS, LIMITS
from dojo_py.jit import kernel


@kernel
def overlap(L, P, Q, W):
    """Whether a contact or limit of the islands in W.span is violated at the start of the step by more than round-off."""
    return violation(L, P, Q, W) > OVERLAP


@kernel
def violation(L, P, Q, W):
    """The largest violation of contacts and limits of the islands in W.span at the start of the step [m, rad], 0 without one."""
    worst = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        worst = max(worst, -start_gap(L, P, Q, W, W.active[W.members[CONTACTS, k]]))
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        worst = max(worst, -start_room(L, W, W.limit_active[W.members[LIMITS, k]]))
    return worst
