"""Where a solve is to end: its tolerances, and the κ of gaps and of friction on the way there.

Impulses κ / gap move bodies, those of friction let contacts creep. So the two have different targets (docs/algorithm.md,
"Tolerances of gaps and slips"); both follow from κ, or in the hard limit from the tolerance, by `lead` and `weight`.
"""

import math
from typing import NamedTuple

from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.solve.residual_norm import SMALL, UNCLEAR
from dojo_py.jit import kernel

CENTRED = 1e-5
"""Largest |b∘c - κe| over κ of a step on the central path whose derivatives count as SOLVED. Steps that round-off keeps farther off
are SOLVED, their derivatives INEXACT (rollout.py)."""

PRODUCTS = 1e-14
"""To what products ξ∘η on the central path can be known at best [N s m/s]: that of a fast slide is a difference of terms near 1."""
ROUNDED = 1e-8
"""Smallest tolerance of products over κ."""


class Goal(NamedTuple):
    """Where a solve is to end, and after how many iterations at the latest."""

    kappa: float  # κ of gaps [N s m]; 0 asks for the hard limit: then tol_comp bounds the complementarity itself
    lead: float  # at the end: κ of friction's products [N s m/s] over κ of gaps
    weight: float  # on the path there: κ of gaps over κ of friction's products [s] (`friction_target`)
    tol_residual: float  # [m/s]
    tol_comp: float  # of |b∘c - κe| [N s m]
    tol_stuck: float  # of |b∘c - κe| where the solve is stuck, in the hard limit times `steady` [N s m]
    tol_gap: float  # of |γ s - κ| alone [N s m]: less where friction's products end above those of gaps (`lead`)
    at_rest: float  # no first step is taken where the residual is below this fraction of its tolerance
    most: int  # iterations
    keeps_best: bool  # whether the best point is kept in W.best, see `outcome.keep_best`


@kernel
def motion_alone(tol_residual, at_rest, most):
    """The Goal of a solve for the motion at fixed impulses of contacts, limits and dry friction."""
    return Goal(0.0, 1.0, 1.0, tol_residual, 1.0, 1.0, 1.0, at_rest, most, False)


@kernel
def goal_of(L, W, h, kappa, tightest, again, most, keeps_best):
    """The Goal of a solve of `most` iterations for a step of the islands in W.span, for the hard limit (kappa 0) or κ.

    tightest: `complementarity_tolerance`. again: it goes on from where another got stuck, and may leave more (`steady`).

    Friction within its tolerance has gaps at `weight` times that, on one path with it; where it ends before them (lead > 1), they
    are asked for this, or light bodies would separate several times as fast.
    """
    hard = kappa == 0.0
    lead, weight = 1.0 / _size_factor(L, W, h) if hard else 1.0, min(h, 1.0)
    tol_comp = tightest * steady(W) if again and hard else tightest
    tol_gap = tol_comp * (weight if lead > 1.0 else 1.0)
    return Goal(kappa, lead, weight, W.options.residual_tolerance, tol_comp, tightest, tol_gap, W.solver.at_rest, most, keeps_best)


@kernel
def end_of_path(goal):
    """The target of the products of gaps [N s m] at the end of the path, before κ itself bounds them from below (`_towards`)."""
    return goal.weight * (goal.lead * goal.kappa if goal.kappa > 0.0 else 0.5 * goal.tol_comp)


@kernel
def friction_target(goal, target):
    """The target of friction's products [N s m/s] beside `target` of gaps [N s m]: 1/weight times that, not below their end.

    In the hard limit this end is `lead` times that of gaps. (With a weight that is smaller by `lead` on the whole path, friction
    would be relaxed thousands of times as much as gaps: of 256 steps of a tower of millimetres 126 were unsolved, of metres none.)
    """
    if not target > 0.0:  # (a prediction of the affine step)
        return 0.0
    return max(target / goal.weight, goal.lead * (goal.kappa if goal.kappa > 0.0 else 0.5 * goal.tol_comp))


@kernel
def steady(W):
    """Factor by which the complementarity of a solve that got stuck may exceed the tolerance: it grows with the largest impulse.

    See `SolverSettings.steady`.
    """
    most = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        most = max(most, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        most = max(most, W.lim[W.members[LIMITS, k], 0])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        most = max(most, W.bound[W.members[DOFS, k]])
    return max(1.0, W.solver.steady * most)


@kernel
def complementarity_tolerance(L, W, h, kappa):
    """Largest |b∘c - κe| accepted of the islands in W.span [N s m]; of friction's products [N s m/s] `Goal.lead` times as much.

    In the hard limit: `HardOptions.complementarity_tolerance`, which is meant for bodies of 1 to 100 kg and 2 cm or more, times
    factors by mass and size. On the central path: PRODUCTS, within CENTRED and ROUNDED of κ; where there is no further progress
    `verdict` accepts the round-off of the terms.
    """
    if kappa > 0.0:
        return max(ROUNDED * kappa, min(CENTRED * kappa, PRODUCTS))
    return W.options.complementarity_tolerance * _mass_scale(L, W) * _size_factor(L, W, h)


@kernel
def _mass_scale(L, W):
    """Factor of the tolerance of complementarity by the masses of the islands in W.span: it is meant for bodies of 1 to 100 kg."""
    least = math.inf
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        least = min(least, L.mass[W.members[BODIES, k]])
    return min(least, 1.0) * max(0.01 * least, 1.0)


@kernel
def _size_factor(L, W, h):
    """Factor, 1 at most, of the tolerance of gaps' complementarity (not friction's) by body sizes in the islands in W.span.

    Impulses κ / gap move light bodies more, and two that only touch separate at √(κ / m h): for small ones that is far. (Those of
    the size SMALL at 7e-6 m/s in a step of 0.01 s, a third of a thousandth of this radius a second.) The factor is the square of
    the size over SMALL, but no smaller than round-off allows: for small fast bodies γ s is known to about momentum times the
    round-off of positions. Friction's products let a contact creep at κ / bound, independent of size: their tolerance depends on
    masses only (`Goal.lead`), otherwise slips would have to be accurate to 1e-16 m/s.
    """
    small, momentum, way = 1.0, 0.0, 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        v, x = W.v_prev[b], W.x[b]
        small = min(small, max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2]) / (L.mass[b] * SMALL**2))
        speed = max(abs(v[0]), abs(v[1]), abs(v[2])) + h * strongest_gravity(L, b)
        momentum = max(momentum, L.mass[b] * speed)
        way = max(way, h * speed + max(abs(x[0]), abs(x[1]), abs(x[2])))
    round_off = UNCLEAR * momentum * way / (W.options.complementarity_tolerance * _mass_scale(L, W))
    return min(max(small, round_off), 1.0)
