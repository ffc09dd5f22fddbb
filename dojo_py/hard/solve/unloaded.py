"""Islands in which nothing touches: their motion without contact impulses is the solution of the step.

    γ = 0,  s = gap ≥ 0,  ξ = 0,  η = v          solves γ s = 0, ξ ∘ η = 0 exactly

The interior-point method would end at γ = κ/s > 0 instead, with κ at its tolerance, and push apart bodies that touch without a
load: two that touch in free fall at sqrt(κ/(m h)), 1e-5 m/s for a few grams. So momentum and energy of bodies in flight are
conserved to round-off; bodies without joints start from that motion (`start.fly`), others take two iterations in place of four.
"""

from dojo_py.friction_laws import PYRAMID
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS
from dojo_py.hard.solve.contact_mass import contact_mass, share_masses
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import SECOND_ORDER, XI
from dojo_py.solver.cones.pyramid import PSI, S_BETA


@kernel
def nothing_touches(L, W, h):
    """Whether, at the evaluated motion, all gaps and limits of the islands stay open without the impulses of W.guess….

    An impulse F changes the gap of a contact of effective mass m by about h F/m. Dry friction always acts: then False.
    """
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        if L.dof_frictionloss[W.members[DOFS, k]] > 0.0:
            return False
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        if not W.lgap[m] - h * W.guess_lim[l] / L.dof_inertia[L.limit_dof[l]] >= 0.0:
            return False
    share_masses(L, W)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if not W.cval[c, 0] - h * W.guess_con[W.active[c], 0] / contact_mass(L, W, c) >= 0.0:
            return False
    return True


@kernel
def let_go(W):
    """Set the impulses of contacts and limits of the islands to zero."""
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        W.lim[m, :] = 0.0
        W.guess_lim[W.limit_active[m]] = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.con[c, :] = 0.0
        W.guess_con[W.active[c], :] = 0.0


@kernel
def slacks_of_motion(W):
    """Slacks of contacts and limits without impulses: the gaps, and the slips (of second-order cones with η₁ = |slip|)."""
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        W.lim[m, 1] = W.lgap[m]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        z, value, n = W.con[c], W.cval[c], SECOND_ORDER[W.claw[c]]
        z[1] = value[0]
        square = 0.0
        for i in range(n):
            z[XI + n + 1 + i] = value[1 + i]
            square += value[1 + i] ** 2
        if n > 0:
            z[XI + n] = square**0.5
        if W.claw[c] == PYRAMID:
            z[PSI] = max(abs(value[1]), abs(value[2]))
            for i in range(4):
                z[S_BETA + i] = z[PSI] + (value[1 + i // 2] if i % 2 == 0 else -value[1 + i // 2])
