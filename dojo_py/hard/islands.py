"""Islands: groups of bodies that joints, loop closures or active contacts connect. Each is solved apart from the others.

Labels come from disjoint sets of bodies. Members of all islands stand in lists sorted by island, so that an
island is a range of each list; kernels of the solve loop over the ranges in `W.span`, which are one island's or all of them.
"""

from dojo_py.disjoint_sets import join, root
from dojo_py.jit import kernel

BODIES, NODES, DOFS, LIMITS, CONTACTS = range(5)
"""Rows of `W.members`, `W.span` and `W.island_first`: bodies, nodes, coordinates that have a node, active limits, contacts.
The places of the elimination order are in `W.pattern`: as many as bodies and nodes together."""
MOVED_LIMITS, MOVED_CONTACTS = 5, 6
"""Rows of `W.span`: the limits and contacts whose impulses Newton's method moves, all of the islands' or none."""


@kernel
def find_islands(L, W):
    """Label the bodies (W.island) by joints, closures and active contacts, sort all lists. Returns the number of islands."""
    nb = L.mass.shape[0]
    parent = W.island_root
    for b in range(nb):
        parent[b] = b
    for j in range(L.kind.shape[0]):
        if L.parent[j] >= 0:
            join(parent, L.child[j], L.parent[j])
    for e in range(L.eq_kind.shape[0]):
        first = -1
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            if b >= 0:
                if first >= 0:
                    join(parent, first, b)
                first = b
    for b in range(nb):
        W.group[b] = root(parent, b)
    for c in range(W.n_active[1], W.n_active[0]):
        if W.cbody[c, 0] >= 0 and W.cbody[c, 1] >= 0:
            join(parent, W.cbody[c, 0], W.cbody[c, 1])
    count = 0
    for b in range(nb):
        first = root(parent, b)
        if first == b:
            W.island[b] = count
            count += 1
        else:
            W.island[b] = W.island[first]
    _sort_members(L, W, count)
    return count


@kernel
def body_of_node(L, n):
    """A body that node n acts on."""
    j = L.node_joint[n]
    if j >= 0:
        return L.child[j]
    for slot in range(L.eq_bodies.shape[1]):
        if L.eq_bodies[-1 - j, slot] >= 0:
            return L.eq_bodies[-1 - j, slot]
    return 0


@kernel
def _body_of(L, W, what, i):
    """A body of member i of a list, -1 where the member takes no part."""
    if what == BODIES:
        return i
    if what == NODES:
        return body_of_node(L, i)
    if what == DOFS:
        return L.dof_body[i] if L.dof_node[i] >= 0 else -1
    if what == LIMITS:
        return L.dof_body[L.limit_dof[W.limit_active[i]]]
    return W.cbody[i, 0] if W.cbody[i, 0] >= 0 else W.cbody[i, 1]


@kernel
def _sort_members(L, W, islands):
    """All lists by island, ascending within one (counting sort)."""
    for what in range(5):
        size = (
            L.mass.shape[0] if what == BODIES
            else L.node_joint.shape[0] if what == NODES
            else L.dof_node.shape[0] if what == DOFS
            else W.n_limits[0] if what == LIMITS
            else W.n_active[0]
        )  # fmt: skip
        first, members = W.island_first[what], W.members[what]
        for k in range(islands + 1):
            first[k] = 0
        for i in range(size):
            b = _body_of(L, W, what, i)
            if b >= 0:
                first[W.island[b] + 1] += 1
        for k in range(islands):
            first[k + 1] += first[k]
        for i in range(size):
            b = _body_of(L, W, what, i)
            if b >= 0:
                members[first[W.island[b]]] = i
                first[W.island[b]] += 1
        for k in range(islands, 0, -1):
            first[k] = first[k - 1]
        first[0] = 0
    # places, in the order of elimination within an island
    places, first = W.pattern.places, W.island_place
    for k in range(islands + 1):
        first[k] = W.island_first[BODIES, k] + W.island_first[NODES, k]
    for b in range(L.mass.shape[0]):
        W.place_island[L.place_body[b]] = W.island[b]
    for n in range(L.node_joint.shape[0]):
        W.place_island[L.place_node[n]] = W.island[body_of_node(L, n)]
    for i in range(W.place_island.shape[0]):
        place = W.pattern.order[i]
        k = W.place_island[place]
        places[first[k]] = place
        first[k] += 1
    for k in range(islands, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0


@kernel
def take_islands(W, first, last):
    """The solve works on islands first … last - 1 from now on."""
    for what in range(5):
        W.span[what, 0], W.span[what, 1] = W.island_first[what, first], W.island_first[what, last]
    W.taken[0], W.taken[1] = first, last
    W.pattern.part[0], W.pattern.part[1] = W.island_place[first], W.island_place[last]


@kernel
def in_span(W, b):
    """Whether body b is in an island that the solve works on."""
    return W.taken[0] <= W.island[b] < W.taken[1]


@kernel
def take_world(L, W):
    """One island of everything, for callers that evaluate or differentiate the whole world."""
    for b in range(L.mass.shape[0]):
        W.island[b] = 0
    _sort_members(L, W, 1)
    take_islands(W, 0, 1)
