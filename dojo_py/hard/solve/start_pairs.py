"""The first values of the complementarity pairs: on the central path of a contact that is coupled to nothing else."""

import math

from dojo_py.friction_laws import FRICTIONLESS, PYRAMID
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.elements.closures import TENDON_ROW
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, NODES
from dojo_py.hard.solve.contact_mass import OFF_CENTRE, contact_mass, share_masses
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_TENDON
from dojo_py.jit import kernel
from dojo_py.solver.cones import orthant, pyramid, second_order
from dojo_py.solver.cones.contact import ROWS, SECOND_ORDER, XI, friction_bound


@kernel
def start_pairs(L, W, h, factor, kappa, weight, warm, slips):
    """Put every cone pair near its own central path, at factor times the scale of the violations of the evaluated motion.

    slips: at that of stopping all slip, if it is larger (`_slip_scale`).
    weight: of friction's products against those of gaps, as in `Goal`: both start on the same path.
    warm: factor applies to what remains under the last impulses: violations, and the energy of the residual (`imbalance_energy`).
    """
    share_masses(L, W)
    scale = max(_violation_scale(L, W, h), _slip_scale(L, W, h) if slips else 0.0)
    start = factor * scale
    if warm:
        start = min(scale, max(W.solver.lowest * scale, factor * max(_violations(L, W, h), h * imbalance_energy(L, W))))
    _start_pairs(L, W, h, max(start, kappa), max(start / weight, kappa))


@kernel
def start_at(L, W, h, theta, weight):
    """Put every cone pair near its own central path at theta [N m s], for the evaluated motion. weight: as in `start_pairs`."""
    share_masses(L, W)
    _start_pairs(L, W, h, theta, theta / weight)


@kernel
def imbalance_energy(L, W):
    """Twice the kinetic energy [J] that the residual of the rows would give the bodies and joints, each on its own."""
    energy = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        top = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        for i in range(6):
            energy += W.rb[b, i] ** 2 / (L.mass[b] if i < 3 else top)
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        j = L.node_joint[n]
        if j >= 0:
            for i in range(L.ndof[j]):
                energy += W.rn[n, 6 - L.ndof[j] + i] ** 2 / L.dof_inertia[L.vadr[j] + i]
        elif L.eq_kind[-1 - j] >= EQ_TENDON:
            energy += W.rn[n, TENDON_ROW] ** 2 / L.dof_inertia[L.eq_dof[-1 - j]]
        elif L.eq_kind[-1 - j] == EQ_ORIENTATION:
            for r in range(3):
                energy += W.rn[n, r] ** 2 / L.eq_inertia[-1 - j]
    return energy


@kernel
def _start_pairs(L, W, h, kappa0, friction0):
    """Cone pairs on the central paths of contacts that are coupled to nothing else (`start` of the cones).

    A contact that moves with velocity u under an old impulse F would move with u - F/m without it.
    """
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        bound = h * L.dof_frictionloss[i]
        if bound > 0.0:
            rate = W.rows[L.dof_node[i], L.dof_row[i]] - W.guess_fric[i] / L.dof_inertia[i]
            x, y, big = second_order.start(L.dof_inertia[i], bound, abs(rate), 2.0 * friction0)
            sign = 1.0 if rate >= 0.0 else -1.0
            W.fric[i, 0] = -sign * x
            W.fric[i, 1], W.fric[i, 2] = 0.5 * (big + sign * y), 0.5 * (big - sign * y)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        inertia = L.dof_inertia[L.limit_dof[W.limit_active[m]]]
        u = W.lgap[m] / h - W.guess_lim[W.limit_active[m]] / inertia
        W.lim[m, 0], W.lim[m, 1] = orthant.start(inertia, u, h, kappa0)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        old, z, law, mu, mass = W.guess_con[W.active[c]], W.con[c], W.claw[c], W.cmu[c], contact_mass(L, W, c)
        gamma, slack = orthant.start(mass, W.cval[c, 0] / h - old[0] / mass, h, kappa0)
        n, speed = SECOND_ORDER[law], 0.0
        for i in range(ROWS[law] - 1):
            speed += (W.cval[c, 1 + i] - old[1 + i] / mass) ** 2
        speed = math.sqrt(speed)
        z[0], z[1] = gamma, slack
        if n > 0:
            x, y, z[2 + n] = second_order.start(mass, friction_bound(law, mu, z), speed, friction0)
            if speed > 0.0:
                for i in range(n):
                    v = (W.cval[c, 1 + i] - old[1 + i] / mass) / speed
                    z[XI + i], z[3 + n + i] = -x * v, y * v
        elif law == PYRAMID:
            pyramid.start(mu, gamma, speed + 2.0 * friction0 / (mu * gamma) if mu > 0.0 else 1.0, z)


@kernel
def _violation_scale(L, W, h):
    """Impulse times displacement [N s m] that undoing the evaluated motion's violations takes; at least gravity's in a step."""
    g = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        g = max(g, strongest_gravity(L, W.members[BODIES, k]))
    mass = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if W.group[b] == b:
            mass = max(mass, W.group_mass[b] / max(W.group_near[b], OFF_CENTRE))
    return max(mass * h * max(g * h, 1e-2) ** 2, _violations(L, W, h))


@kernel
def slips_more(L, W, h):
    """Whether stopping all slip of the evaluated motion takes more than undoing its violations; after `share_masses`."""
    return _slip_scale(L, W, h) > _violation_scale(L, W, h)


@kernel
def _slip_scale(L, W, h):
    """Largest impulse times displacement [N s m] that stopping the slip of a contact with friction takes, in the evaluated motion.

    Where friction on a sliding body increases its normal impulse, and with it friction, without bound (Painlevé), the solution is a
    shock: the edge in front sticks, under an impulse of the order of the momentum, far above those that gravity and gaps require.
    A start above it on the path finds it like any other solution; one below follows the sliding motion, which has no solution.
    """
    scale = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.claw[c] != FRICTIONLESS:
            u, v = W.cval[c, 1], W.cval[c, 2]
            scale = max(scale, contact_mass(L, W, c) * (u * u + v * v) * h)
    return scale


@kernel
def _violations(L, W, h):
    """Largest impulse times displacement [N s m] that undoing a violation of the evaluated motion takes.

    Contacts that separate but were warm-started with an impulse count too, with at most the velocity which that impulse gives: they
    need a start farther up the central path, for instance where feet roll off their corners in a landing.
    """
    scale = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        mass = contact_mass(L, W, c)
        u = min(W.cval[c, 0] / h, W.guess_con[W.active[c], 0] / mass)
        scale = max(scale, mass * u * u * h)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        u = min(W.lgap[m] / h, 0.0)
        scale = max(scale, L.dof_inertia[L.limit_dof[W.limit_active[m]]] * u * u * h)
    return scale
