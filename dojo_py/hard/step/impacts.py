"""Newton's restitution: an island is solved without it first, and if there are impacts again, with their rebounds.

    v⁺ ≥ -e v⁻   as   gap₊ - g ≥ 0 ⟂ γ,    g = gap₀ + θ e (gap₋ - gap₀)       gap₋: one interval before the start

Which contacts have an impact is found by the step without restitution: those that have an impulse and were closing faster than what
gravity adds in a step. Limits of joints and tendons are treated likewise, with their distance in place of the gap. Impacts may
cause others, so this is repeated. θ = 1, but where friction and several impacts would make Newton's law create energy (Kane's
paradox): there θ is as large as the energy allows,

    E ≤ E₀ + D₀        E: kinetic energy in the step, less the work of all other forces up to its middle (`_energy`)
                       E₀, D₀: E of the step without restitution, and what its contacts and limits have dissipated (`_dissipated`)

Only in the hard limit, of the whole step or of a part of it; on the central path impacts are inelastic, and so are the derivatives.
"""

from dojo_py.algebra.rotations import quat_exp, quat_mul, quat_to_matrix, rotation_vector, step_quaternion
from dojo_py.arrays import body_row, copy, copy_rows, scratch
from dojo_py.hard.compiled_apart import BEFORE, START
from dojo_py.hard.elements.bodies import kinetic_energy, strongest_gravity
from dojo_py.hard.elements.contact_rows import candidate_gap
from dojo_py.hard.elements.limits import room_of_ball
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, NODES
from dojo_py.hard.outcome import is_solved
from dojo_py.hard.solve.start_impulses import COLD
from dojo_py.hard.step.limit_fall import limit_fall
from dojo_py.hard.step.one_solve import part, whole
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of

ROUNDS = 10
"""Most solves, in which impacts that others caused are added and factors θ are tried."""
SLOWEST = 1e-6
"""Closing speed below which nothing rebounds, in addition to what gravity adds in a step [m/s]."""
CREATED = 1e-9
"""Energy created that counts as none, over the kinetic energy of the change of velocity."""
ROUND_OFF = 1e-13
"""The same, over all the energy, of which it is a difference: its round-off."""
FARTHER = 0.05
"""By which fraction of its reduction θ is reduced further than to where no energy is expected to be created."""
LEAST, MOST = 0.1, 0.9
"""Factor of θ from one solve to the next: at least the first, from half of the solves on at most the second."""


@kernel
def forget_impacts(W):
    """No contact and no limit of the islands has an impact."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        W.cimpact[W.members[CONTACTS, k]] = 0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        W.limpact[W.limit_active[W.members[LIMITS, k]]] = 0


@kernel
def rebound(L, P, Q, A, W, h, recovery, of_part, first):
    """Solve the step of the islands in W.span, or a part of it, again with its impacts, of which the first are marked
    (`mark_impacts`).

    recovery: as in `whole`; of_part: a part, which is the first of its step or not (`first`). Returns whether there is a solution
    with them.
    """
    share = 1.0
    most = _energy(L, W) + max(_dissipated(L, W, h), 0.0)
    for solution in range(ROUNDS):
        _aim(W, share)
        if of_part:
            part(L, P, Q, A, W, h, recovery, 0.0, COLD, first, False, False)
        else:
            whole(L, P, Q, A, W, h, recovery, 0.0, COLD, False)
        if not is_solved(W):
            return False
        if mark_impacts(L, P, Q, W, h) > 0:
            continue
        energy, scale = _energy(L, W), _energy_of_change(L, W)
        if energy - most > CREATED * scale + ROUND_OFF * abs(most):
            share *= _less(L, W, share, energy - most, scale, solution < ROUNDS // 2)
        else:
            return True
    return False


@kernel
def _less(L, W, share, created, scale, trusted):
    """Factor of θ (`share`) to a value at which the contacts create no energy.

    An impact with E = θ e has P = M (1 + E) v, kinetic energy of the change K = P²/2M, work W = K (E - r)/(1 + E), which vanishes
    at r = E - (1 + E) W/K. trusted: this estimate is used as it is; else θ falls by a tenth at least.
    """
    e = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.cimpact[c] == 1:
            e = max(e, W.crestitution[c])
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        if W.limpact[l] == 1:
            e = max(e, L.limit_restitution[l])
    less = (1.0 + FARTHER) * (1.0 + share * e) * created / max(share * e * scale, 1e-300)
    factor = max(1.0 - less, LEAST)
    return factor if trusted else min(factor, MOST)


@kernel
def mark_impacts(L, P, Q, W, h):
    """Mark contacts and limits of the islands that have an impulse, were closing and are not marked yet. Returns how many."""
    added = _add_limits(L, W, h)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if not W.crestitution[c] > 0.0 or W.cimpact[c] == 1:
            continue
        mass, gravity = 1e300, 0.0
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                mass, gravity = min(mass, L.mass[b]), max(gravity, strongest_gravity(L, b))
                _pose_before(W, b, h)
        _pose_before(W, -1, h)
        if W.con[c, 0] * h <= mass * W.con[c, 1]:
            continue
        here = candidate_gap(L, P, Q, W, W.active[c], START)
        closed = candidate_gap(L, P, Q, W, W.active[c], BEFORE) - here
        if closed > h * (h * gravity + SLOWEST):
            W.cimpact[c] = 1
            W.crebound[c, 0], W.crebound[c, 1] = here, W.crestitution[c] * closed
            added += 1
    return added


@kernel
def _add_limits(L, W, h):
    """`mark_impacts` of limits."""
    added = 0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        if not L.limit_restitution[l] > 0.0 or W.limpact[l] == 1:
            continue
        dof = L.limit_dof[l]
        if W.lim[m, 0] * h <= L.dof_inertia[dof] * W.lim[m, 1]:
            continue
        here = _distance(L, W, l, 0.0)
        closed = _distance(L, W, l, h) - here
        if closed > h * (h * limit_fall(L, W, l) + SLOWEST):
            W.limpact[l] = 1
            W.lrebound[l, 0], W.lrebound[l, 1] = here, L.limit_restitution[l] * closed
            added += 1
    return added


@kernel
def _distance(L, W, l, back):
    """Distance of limit l to its bound, `back` [s] before the start of the step at the rates that led there [rad, m]."""
    dof = L.limit_dof[l]
    if L.limit_sign[l] != 0.0:
        return L.limit_sign[l] * (W.angle0[dof] - back * W.rate_prev[dof] - L.limit_bound[l])
    q, turn, r = scratch(4), scratch(4), scratch(3)
    quat_exp(W.rate_prev[dof : dof + 3], -back, turn)
    quat_mul(W.turn0[L.dof_joint[dof]], turn, q)
    rotation_vector(q, r)
    return room_of_ball(r, L.limit_bound[l])


@kernel
def _pose_before(W, b, h):
    """W.x_before, W.R_before of body b, one interval before the start of the step; of the world (-1) those it always has."""
    if b < 0:
        world = body_row(W.x, b)
        copy(W.x[world], W.x_before[world])
        copy_rows(W.R[world], W.R_before[world])
        return
    p, q = scratch(4), scratch(4)
    for i in range(3):
        W.x_before[b, i] = W.x[b, i] - h * W.v_prev[b, i]
    step_quaternion(W.v_prev[b, 3:6], -h, p)
    quat_mul(W.q[b], p, q)
    quat_to_matrix(q, W.R_before[b])


@kernel
def _aim(W, share):
    """Set the least end gaps and distances of marked contacts and limits, with the fraction θ (`share`) of their restitution."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cend[c] = W.crebound[c, 0] + share * W.crebound[c, 1]
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        W.lend[l] = W.lrebound[l, 0] + share * W.lrebound[l, 1]


@kernel
def _energy(L, W):
    """Kinetic energy of bodies and rotors of the islands at the velocities of the step, less the work of gravity, wrenches, drives,
    springs and dampers in its first half [J].

    (From the middle of the last step to that of this one they do the work F · h (v₋ + v)/2.)
    """
    total = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        total += kinetic_energy(L, b, W.v[b]) - _work_of_loads(W, b, W.v[b])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        rate, rotor = W.rows[L.dof_node[i], L.dof_row[i]], L.dof_armature[i]
        total += 0.5 * rotor * rate * rate
        total -= 0.5 * (W.drive[i, 0] - W.drive[i, 1] * rate - rotor * (W.rate_prev[i] - rate)) * rate
    return total


@kernel
def _work_of_loads(W, b, v):
    """Work of gravity and wrenches on body b in half a step at the velocity v (6,) [J]."""
    total = 0.0
    for i in range(6):
        total += 0.5 * (W.momentum[b, i] - W.begin[b, i]) * v[i]
    return total


@kernel
def _dissipated(L, W, h):
    """Energy that the contacts and limits of the islands have dissipated in the step [J]."""
    if W.span[NODES, 1] == W.span[NODES, 0]:
        return _lost(L, W)
    return -_work(L, W, h)


@kernel
def _lost(L, W):
    """Of bodies without joints: their energy in the step before, and the work of their loads since, less their energy now [J]."""
    total = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        total += kinetic_energy(L, b, W.v_prev[b]) + _work_of_loads(W, b, W.v_prev[b])
        total -= kinetic_energy(L, b, W.v[b]) - _work_of_loads(W, b, W.v[b])
    return total


@kernel
def _work(L, W, h):
    """Work of contacts, Σ P · (v + v₋)/2, P: impulses on a body, and of limits, Σ γ (ḋ + ḋ₋)/2, d: distance [J].

    (To first order of the rotation in a step: what the impulses of joints do in an impact is not known apart.)
    """
    F, total = scratch(MOST_ROWS), 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        impulse_of(W.claw[c], W.con[c], F)
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                for r in range(ROWS[W.claw[c]]):
                    for i in range(6):
                        total += 0.5 * F[r] * W.cB[c, side, r, i] * (W.v[b, i] + W.v_prev[b, i])
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        if W.lim[m, 0] > 0.0:
            l = W.limit_active[m]
            total += 0.5 * W.lim[m, 0] * (W.lgap[m] - W.limit_allowance[l] - _distance(L, W, l, h)) / h
    return total


@kernel
def _energy_of_change(L, W):
    """Kinetic energy of the change of velocity of the islands' bodies [J]."""
    scale = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            inertia = L.mass[b] if i < 3 else L.inertia[b, i - 3, i - 3]
            scale += 0.5 * inertia * (W.v[b, i] - W.v_prev[b, i]) ** 2
    return scale
