"""The work of contacts and of taut tendons in a step, or a part of one: none may throw bodies apart faster than they came together.

The impulses of contacts and of tendons at their limits, P = Bᵀ λ of each body, change the momenta from p - P, what they would be
without them, to p. Their work is

    ½ p·M⁻¹p - ½ (p - P)·M⁻¹(p - P)  =  P·M⁻¹p - ½ P·M⁻¹P        M: mass and inertia of each body

-½ P·M⁻¹P where bodies end at rest along the impulses, 0 where they rebound without loss. But gaps and directions are those
at the end of the step: a body that rotates by a good part of a radian may meet another one, go through it, and be pushed out on
the far side, along directions that have rotated meanwhile, with any energy. A tendon pulls on a body in its direction at the start,
too. Such a solution fulfils all equations, but is no physical motion. It takes a long step: in half of it directions rotate by half
as much. (Limits of joints are left out: their distance is the coordinate itself, without a direction that turns.)
"""

from dojo_py.arrays import scratch
from dojo_py.hard.compiled_apart import START
from dojo_py.hard.elements.bodies import momentum_rows
from dojo_py.hard.elements.closures import TENDON_ROW
from dojo_py.hard.elements.contact_rows import candidate_gap
from dojo_py.hard.elements.limits import start_room
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS
from dojo_py.hard.solve.goal import complementarity_tolerance
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of
from dojo_py.solver.cones.standoff import FARTHEST
from dojo_py.solver.octet import WIDTH

CREATED = 0.01
"""Fraction of the energy in `_work` that may be created: normals at the end of the step add a little (docs/contact.md)."""


@kernel
def throws(L, P, Q, W, h):
    """Whether contacts and tendons at their limits create energy in the step of length h [s] of the islands in W.span.

    Beyond what undoes overlaps, and what impulses do whose products with their gaps are within the tolerance: that is little, but
    all the energy there is where bodies rest without gravity.
    """
    pushing = _add_up(L, W)
    if pushing == 0:
        return False
    work, scale = _work(L, W, h)
    if not work > CREATED * scale:
        return False
    within_tolerance = pushing * complementarity_tolerance(L, W, h, 0.0) / h
    return work - _undoing(L, P, Q, W, h) - within_tolerance > CREATED * scale


@kernel
def _add_up(L, W):
    """W.pushed (nb, 6) = P, of every body of the islands. Returns how many contacts and limits of tendons there are."""
    F, count = scratch(MOST_ROWS), W.span[CONTACTS, 1] - W.span[CONTACTS, 0]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.pushed[W.members[BODIES, k], :] = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        impulse_of(W.claw[c], W.con[c], F)
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                for r in range(ROWS[W.claw[c]]):
                    for i in range(6):
                        W.pushed[b, i] += W.cB[c, side, r, i] * F[r]
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        e = _tendon(L, l)
        if e < 0:
            continue
        count += 1
        for side in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, side]
            if b >= 0:
                for i in range(6):
                    W.pushed[b, i] += L.limit_sign[l] * W.lim[m, 0] * W.Geq[e, side, TENDON_ROW, i]
    return count


@kernel
def _tendon(L, l):
    """The closure that limit l belongs to if it is that of a tendon, else -1."""
    return -1 - L.node_joint[L.dof_node[L.limit_dof[l]]]


@kernel
def _work(L, W, h):
    """(work of the contacts, the larger of the kinetic energies of p - P and of P) [J]."""
    p, D = scratch(6), scratch((6, WIDTH))
    work, before, of_impulses = 0.0, 0.0, 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        momentum_rows(L.mass[b], L.inertia[b], W.v[b], h, p, D)
        J, P = L.mobility[b], W.pushed[b]
        for i in range(3):
            work += P[i] * (p[i] - 0.5 * P[i]) / L.mass[b]
            before += 0.5 * (p[i] - P[i]) ** 2 / L.mass[b]
            of_impulses += 0.5 * P[i] ** 2 / L.mass[b]
            for j in range(3):
                work += P[3 + i] * J[i, j] * (p[3 + j] - 0.5 * P[3 + j])
                before += 0.5 * (p[3 + i] - P[3 + i]) * J[i, j] * (p[3 + j] - P[3 + j])
                of_impulses += 0.5 * P[3 + i] * J[i, j] * P[3 + j]
    return work, max(before, of_impulses)


@kernel
def _undoing(L, P, Q, W, h):
    """Work [J] that undoes overlaps and lengths beyond limits at the start of the step, and moves what touches to its standoff."""
    total = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.con[c, 0] > 0.0:
            depth = max(FARTHEST * W.standoff[c] - candidate_gap(L, P, Q, W, W.active[c], START), 0.0)
            total += W.con[c, 0] * min(W.crecovery[c], depth / h)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        if _tendon(L, l) >= 0:
            depth = max(FARTHEST * W.limit_standoff[l] - start_room(L, W, l), 0.0)
            total += W.lim[m, 0] * min(W.lrecovery[l], depth / h)
    return total
