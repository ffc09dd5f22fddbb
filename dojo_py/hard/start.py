"""The start of a step: the state, and the first point of the solver."""

import math

from dojo_py.arrays import copy, copy_rows
from dojo_py.hard.apart import START
from dojo_py.hard.bodies import old_momentum, strongest_gravity, turn_of_momentum, velocity_of_impulse
from dojo_py.hard.chain_coordinates import chain_start
from dojo_py.hard.closures import TENDON_ROW, start_closures
from dojo_py.hard.contact_rows import OVERLAP, ROUND_OFF_GAP, allowance, candidate_gap, start_contact
from dojo_py.hard.immovable import deepest, immovable, jams, jointed
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.hard.joint_rows import start_joints
from dojo_py.hard.limits import start_room, undone
from dojo_py.hard.terms import COMPOUND, EQ_ORIENTATION, EQ_TENDON, FREE
from dojo_py.jit import kernel
from dojo_py.rotation import quat_to_matrix
from dojo_py.solver.cones import orthant, second_order
from dojo_py.solver.cones.contact import (
    CONE,
    FRICTIONLESS,
    PYRAMID,
    ROWS,
    SECOND_ORDER,
    XI,
    bound_place,
    friction_bound,
    impulse_of,
    start_state,
)
from dojo_py.solver.cones.standoff import FARTHEST, NEAREST

OUT_OF_REACH = 1e6
"""Added to the gap of a contact that takes no part [m]."""


@kernel
def load_bodies(L, W, bodies):
    """Poses and old velocities of all bodies, for the choice of contacts. bodies (nb, 13)."""
    for b in range(L.mass.shape[0]):
        _load_body(W, b, bodies[b])


@kernel
def _load_body(W, b, body):
    """Pose and old velocity of body b from its row (13,) [x, v, q, ω]."""
    copy(body, W.from_bodies[b])
    for i in range(3):
        W.x[b, i] = body[i]
        W.v_prev[b, i] = body[3 + i]
        W.v_prev[b, 3 + i] = body[10 + i]
    for i in range(4):
        W.q[b, i] = body[6 + i]
    quat_to_matrix(W.q[b], W.R[b])


@kernel
def load_state(L, W, bodies, angle, rate, h):
    """Load the state at the start of a step; velocities are over the interval h [s] before. bodies (nb, 13); angle, rate (nd,)."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        _load_body(W, b, bodies[b])
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, W.begin[b])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        W.angle0[i] = angle[i]
        W.rate_prev[i] = rate[i]


@kernel
def start_step(L, P, Q, W, h, speed):
    """What a step of length h [s] needs of its start: momentum, impulse directions, frames of contacts, allowed penetrations.

    speed [m/s, rad/s]: how fast an initial violation is undone at most.
    """
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        R = W.R[b]
        for i in range(3):
            W.momentum[b, i] = W.begin[b, i] + h * (L.mass[b] * L.gravity[b, i] + W.wrench[b, i])
            torque = R[0, i] * W.wrench[b, 3] + R[1, i] * W.wrench[b, 4] + R[2, i] * W.wrench[b, 5]
            W.momentum[b, 3 + i] = W.begin[b, 3 + i] + h * torque
    start_joints(L, W)
    start_closures(L, W)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.crecovery[c] = speed
        gap = start_contact(L, P, Q, W, c, h * speed)
        if W.cheld[c]:
            _hold_bound(W, c)
        if _takes_no_part(L, P, Q, W, c, speed, gap):
            W.claw[c] = FRICTIONLESS
            W.contact_allowance[c] = OUT_OF_REACH
        elif gap < -OVERLAP and W.kappa[0] == 0.0 and jams(L, P, Q, W, c, -gap):
            W.claw[c] = FRICTIONLESS
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        W.limit_allowance[l] = 0.0
        standoff, hard = W.solver.standoff + ROUND_OFF_GAP * _angles(L, W, l), W.in_hard_limit[0]
        W.limit_standoff[l] = hard * standoff
        W.lrecovery[l] = speed
        if L.limit_sign[l] != 0.0 or W.kappa[0] == 0.0:  # (derivatives of balls do not know of an allowance)
            W.limit_allowance[l] = allowance(start_room(L, W, l), undone(L, W, l, h * speed), NEAREST * standoff, hard)
        if W.limpact[l] == 1:
            W.limit_allowance[l] = min(W.limit_allowance[l], FARTHEST * standoff - W.lend[l])


@kernel
def _takes_no_part(L, P, Q, W, c, speed, gap):
    """Whether contact c, of this gap [m] at the start, is left out of the step.

    So is a contact whose normal no joint lets move (immovable.py; on the central path only where it touches); an overlap that
    cannot grow and is between jointed bodies, where a closed loop keeps it from opening, or may stay (speed 0); a ghost
    (ghosts.py); a feature that does not belong to the present part of the step (part_features.py).
    """
    a, b = W.cbody[c, 0], W.cbody[c, 1]
    if c >= W.n_active[1] and W.fwanted[W.active[c] - P.body.shape[0]] < 0:
        return True
    may_stay = jointed(L, W, a, b) or (speed == 0.0 and W.kappa[0] == 0.0)
    if gap < -OVERLAP and may_stay and deepest(L, P, Q, W, c):
        return True
    if W.kappa[0] > 0.0 and candidate_gap(L, P, Q, W, W.active[c], START) > OVERLAP:
        return False
    return immovable(L, P, Q, W, c, -gap if gap < -OVERLAP else 0.0)


@kernel
def _hold_bound(W, c):
    """Friction law of contact c while the bound of friction is held (held_friction.py): a second-order cone, or frictionless."""
    if not W.cbound[c] > 0.0:
        W.claw[c] = FRICTIONLESS
    elif W.claw[c] == PYRAMID:
        W.claw[c] = CONE


@kernel
def _angles(L, W, l):
    """The magnitude [rad, m] to which the round-off of limit l's distance is relative."""
    return abs(W.angle0[L.limit_dof[l]]) + abs(L.limit_bound[l])


OFF_CENTRE = 4.0
"""Effective inverse mass at the end of a rod, times the rod's mass: an estimate for impulses off the centre of any body."""

HEAVIEST = 1e3
"""A jointed body counts at most as so many times heavier than its masses tell: along some directions no impulse moves it."""

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
    """Keep the impulses of a step for warm starts; W.warm of the bodies tells whether they are usable: if solved in one part."""
    copy_rows(W.lam, W.warm_lam)
    W.warm_lim[:] = 0.0
    planes = W.warm_con.shape[0] - W.fpair.shape[0]
    W.warm_con[: planes + W.n_features[0], :] = 0.0
    for m in range(W.n_limits[0]):
        W.warm_lim[W.limit_active[m]] = W.lim[m, 0]
    for i in range(W.fric.shape[0]):
        W.warm_fric[i] = W.fric[i, 0]
    for c in range(W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], W.warm_con[W.active[c]])


@kernel
def all_warm(W):
    """Whether the last step left impulses for all bodies of the islands."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if not W.warm[W.members[BODIES, k]] > 0.0:
            return False
    return True


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
        turn_of_momentum(L.inertia[b], W.momentum[b], -h, W.v[b, 3:6])


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
def share_masses(L, W):
    """W.group_mass, W.group_near of the islands' groups of jointed bodies: mass, and number of violated contacts."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.group_mass[b], W.group_near[b] = 0.0, 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.group_mass[W.group[b]] += L.mass[b]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.cval[c, 0] < 0.0:
            for side in range(2):
                if W.cbody[c, side] >= 0:
                    W.group_near[W.group[W.cbody[c, side]]] += 1


@kernel
def contact_mass(L, W, c):
    """Approximate effective mass [kg] at contact c; jointed bodies on either side count as one body.

    Of each side the smaller of two estimates: the mass that this contact alone would move, and the group's mass over the number of
    its violated contacts. The inverse of the first is 1/m + tᵀ J⁻¹ t (t: torque of a unit impulse) of a free body, OFF_CENTRE / m
    of jointed ones. Those count as no lighter than what an impulse moves through their joints, in the mean over its directions:
    a finger of 5 g whose joints have an armature of 0.1 kg m² resists like 3 kg. (A start with a mass that is too small has
    impulses from which the step to the solution leaves the cones at once; one with a mass that is a thousand times too large takes
    an iteration more.)
    """
    inverse = 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            g = W.group[b]
            mass = W.group_mass[g]
            if L.kind[b] == FREE and mass == L.mass[b]:
                alone = velocity_of_impulse(mass, L.mobility[b], W.cB[c, side, 0])
                inverse += max(W.group_near[g] / mass, alone)
            else:
                light = max(W.group_near[g], OFF_CENTRE) / mass
                inverse += min(light, max(_through_joints(L, b, W.cB[c, side, 0]), light / HEAVIEST))
    return 1.0 / inverse


@kernel
def _through_joints(L, b, row):
    """Velocity at a contact of jointed body b by its unit impulse [1/kg], from mean inverse weights at qpos0. row: B of the gap."""
    return L.inverse_weight[b, 0] + L.inverse_weight[b, 1] * (row[3] ** 2 + row[4] ** 2 + row[5] ** 2)


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
        if n > 0:
            z[0], z[1] = gamma, slack
            x, y, z[2 + n] = second_order.start(mass, friction_bound(law, mu, z), speed, friction0)
            if speed > 0.0:
                for i in range(n):
                    v = (W.cval[c, 1 + i] - old[1 + i] / mass) / speed
                    z[XI + i], z[3 + n + i] = -x * v, y * v
        else:
            start_state(law, mu, gamma, slack, speed + 2.0 * friction0 / (mu * gamma) if mu > 0.0 else 1.0, z)


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
