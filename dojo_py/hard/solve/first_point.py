"""The first point of a solve before its complementarity pairs: velocities, coordinates, impulses of the nodes."""

from dojo_py.friction_laws import PYRAMID
from dojo_py.hard.elements.bodies import spin_of_momentum
from dojo_py.hard.elements.chain_coordinates import chain_start
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.hard.terms import COMPOUND
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import SECOND_ORDER, XI, bound_place


@kernel
def any_cone(L, W):
    """Whether contacts, limits or dry friction take part in this step."""
    if W.span[CONTACTS, 1] > W.span[CONTACTS, 0] or W.span[LIMITS, 1] > W.span[LIMITS, 0]:
        return True
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        if L.dof_frictionloss[W.members[DOFS, k]] > 0.0:
            return True
    return False


@kernel
def hold_cones(W):
    """Contacts, limits and dry friction keep their impulses: Newton's method moves bodies and joints only."""
    W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1] = 0, 0
    W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1] = 0, 0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.dof_limit[d, 0] = W.dof_limit[d, 1] = -1
        W.bound[d] = 0.0


@kernel
def release_cones(L, W, h):
    """Undo `hold_cones`: Newton's method moves contacts, limits and dry friction, too."""
    for i in range(2):
        W.span[MOVED_CONTACTS, i], W.span[MOVED_LIMITS, i] = W.span[CONTACTS, i], W.span[LIMITS, i]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.dof_limit[d, 0] = W.dof_limit[d, 1] = -1
        W.bound[d] = h * L.dof_frictionloss[d]
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        W.dof_limit[L.limit_dof[l], 1 if L.limit_sign[l] < 0.0 else 0] = m


@kernel
def start_motion(L, W):
    """The point from which a solve starts: old velocities and coordinates, and the impulses of W.guess…."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            W.v[b, i] = W.v_prev[b, i]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.lam[n, i] = W.guess_lam[n, i]
    _start_chains(L, W)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.fric[d, 0], W.fric[d, 1], W.fric[d, 2] = W.guess_fric[d], 0.0, 0.0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        W.lim[m, 0], W.lim[m, 1] = W.guess_lim[W.limit_active[m]], 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.con[c, :] = 0.0
        n, old = SECOND_ORDER[W.claw[c]], W.guess_con[W.active[c]]
        if W.cheld[c] and n > 0:
            W.con[c, bound_place(W.claw[c])] = W.cbound[c]
        if W.claw[c] != PYRAMID:  # (with pyramids under their impulses warm starts take more iterations)
            W.con[c, 0] = old[0]
            for i in range(n):
                W.con[c, XI + i] = old[1 + i]


@kernel
def stand(L, W):
    """Bodies stand still where the step starts, under the impulses of the present point."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            W.v[b, i] = 0.0
    _start_chains(L, W)


@kernel
def _start_chains(L, W):
    """Coordinates of several joints in one body are those where the step starts."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, k]]
        if j >= 0 and L.kind[j] == COMPOUND:
            chain_start(L, W, j, W.theta[L.vadr[j] : L.vadr[j] + L.ndof[j]])


@kernel
def fly(L, W, h):
    """Bodies of islands without joints and without impulses at the start move as in free flight, which needs no Newton step.

    Their velocities are those over h whose momentum is W.momentum. Drag of a medium is left out: there they are a first guess only.
    """
    if W.span[NODES, 1] > W.span[NODES, 0]:
        return
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        if W.con[W.members[CONTACTS, k], 0] > 0.0:
            return
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            W.v[b, i] = W.momentum[b, i] / L.mass[b]
        spin_of_momentum(L.inertia[b], W.momentum[b], -h, W.v[b, 3:6])
