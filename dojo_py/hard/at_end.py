"""A step from the last one's impulses by Newton's method at the end of the central path, where no cone shortens its steps.

The interior-point method has to come down the path from afar: near its end the cones let it take short steps only, wherever a
contact's load or its direction has changed. Here every step is taken in full, which leaves the cones, and every pair (b, c) goes
back onto the path at its end,

    b c = κ,   b - m c as it is          b = (w + √(w² + 4 κ m))/2,   w = b - m c          (second-order cones: likewise)

That is Newton's method on smoothed equations of complementarity (Chen and Harker 1993; Fukushima, Luo and Tseng 2002): on the path
its equations are those of the interior-point method (Dojo, eq. 28-29), so nothing else is new. It is fast where nearly the same
contacts carry as in the last step, and needs not end elsewhere: then the interior-point method takes over.
"""

import math

from dojo_py.hard.closures import forget_unmet
from dojo_py.hard.interior_point import record
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS
from dojo_py.hard.measure import end_of_path, measure
from dojo_py.hard.newton_step import REFINED, newton
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.progress import inside_rotation_domain, inside_servo_ranges
from dojo_py.hard.residuals import evaluate_motion
from dojo_py.hard.start import contact_mass, imbalance_energy, share_masses
from dojo_py.hard.statuses import NOT_FINITE, SINGULAR, SOLVED, STALLED, TOO_FAST
from dojo_py.hard.unloaded import slacks_of_motion
from dojo_py.jit import kernel
from dojo_py.solver.cones import second_order
from dojo_py.solver.cones.contact import (
    PYRAMID,
    SECOND_ORDER,
    XI,
    friction_bound,
    friction_is_near,
    friction_onto_path,
    gap_is_near,
    gap_onto_path,
)
from dojo_py.solver.cones.orthant import is_near

MOST = 8
"""Most iterations."""
SLOW = 0.3
"""Every iteration brings the residual below this share of what it was, or other contacts carry than in the last step."""
HEIGHT = 0.01
"""Height on the path over the energy of what the rows lack, times h: Newton's method makes errors of the second order, about
the gap h v of a velocity v over a size of 1 m. (At the end of the path from the start, contacts of a foot that are not all
needed get each other's errors as impulses, and none of 300 steps of a humanoid ends.)"""
END = 1e-3
"""Fraction of the tolerance of residuals at which it ends. Convergence is quadratic: that costs an iteration now and then, and
keeps momenta to 1e-13 where the tolerance would let 1e-11 go in every step. (The interior-point method gets as far by itself: its
pairs arrive last.)"""
STICKS = 0.999
"""Share of its bound below which friction held in the last step."""


@kernel
def any_pyramid(W):
    """Whether a contact of the islands in W.span has the linearised cone, which has no such path."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        if W.claw[W.members[CONTACTS, k]] == PYRAMID:
            return True
    return False


@kernel
def newton_at_end(L, P, Q, A, W, h, goal):
    """From the impulses and the evaluated motion that are there. The answer is that of `interior_point.iterate`.

    goal: in the hard limit; of its `most` nothing is asked.
    """
    end = end_of_path(goal)
    clear_cones(W, W.change)
    clear_cones(W, W.affine)
    forget_unmet(L, W)
    share_masses(L, W)
    _take_motion(L, W, h)
    height = max(_height(L, W, h), end)
    _onto_path(L, W, h, height, height / goal.weight)
    at = measure(L, P, Q, W, h, goal)
    before = math.inf
    for iteration in range(MOST + 1):
        record(W, iteration, at, 0.0, 0.0, 0.0)
        slow = iteration == MOST or at.residual > SLOW * before
        enough = W.solver.at_rest if iteration == 0 else 1.0 if slow else END
        if at.residual <= enough * goal.tol_residual and at.worst <= goal.tol_comp:
            return SOLVED, iteration, at.residual, at.worst
        if not (math.isfinite(at.residual) and math.isfinite(at.worst)):
            return NOT_FINITE, iteration, at.residual, at.worst
        if slow:
            return STALLED, iteration, at.residual, at.worst
        before = at.residual
        if not newton(L, W, h, height, height / goal.weight, 0.0, False, REFINED * max(at.residual, goal.tol_residual)):
            return SINGULAR, iteration, at.residual, at.worst
        if inside_rotation_domain(W, h, 1.0) < 1.0:
            return TOO_FAST, iteration, at.residual, at.worst
        alpha = inside_servo_ranges(L, W, A, h, 1.0)
        copy_point(W, W.now, W.saved)
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        evaluate_motion(L, A, W, h, W.options.springs)
        record(W, iteration, at, alpha, 0.0, 0.0)
        at = measure(L, P, Q, W, h, goal)
        height = max(_height(L, W, h), end)
        if _onto_path(L, W, h, height, height / goal.weight) > 0:
            at = measure(L, P, Q, W, h, goal)
    return STALLED, MOST, at.residual, at.worst


@kernel
def _onto_path(L, W, h, kn, kf):
    """Cone pairs of the islands in W.span that are not near the products kn of gaps and limits, kf of friction, go there.

    Returns how many do.
    """
    moved = 0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        if W.bound[d] > 0.0:
            f, m = W.fric[d], L.dof_inertia[d]
            if is_near(W.bound[d] + f[0], f[1], kf) and is_near(W.bound[d] - f[0], f[2], kf):
                continue
            rate = f[1] - f[2] - f[0] / m
            x, y, big = second_order.near_end(m, W.bound[d], abs(rate), 2.0 * kf)
            sign = 1.0 if rate >= 0.0 else -1.0
            f[0], f[1], f[2] = -sign * x, 0.5 * (big + sign * y), 0.5 * (big - sign * y)
            moved += 1
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        if not gap_is_near(W.lim[m], W.limit_standoff[l], kn):
            gap_onto_path(W.lim[m], L.dof_inertia[L.limit_dof[l]] / h, kn, W.limit_standoff[l])
            moved += 1
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        mass = contact_mass(L, W, c)
        if not gap_is_near(W.con[c], W.standoff[c], kn):
            gap_onto_path(W.con[c], mass / h, kn, W.standoff[c])
            moved += 1
        if not friction_is_near(W.claw[c], W.cmu[c], W.con[c], kf):
            friction_onto_path(W.claw[c], W.cmu[c], W.con[c], mass, kf)
            moved += 1
    return moved


@kernel
def _take_motion(L, W, h):
    """Slacks of the evaluated motion, beside the impulses."""
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        if W.bound[d] > 0.0:
            W.fric[d, 1], W.fric[d, 2] = W.rows[L.dof_node[d], L.dof_row[d]], 0.0
    slacks_of_motion(W)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        z, n = W.con[c], SECOND_ORDER[W.claw[c]]
        load = 0.0
        for i in range(n):
            load += z[XI + i] ** 2
        if z[0] > contact_mass(L, W, c) * z[1] / h and math.sqrt(load) < STICKS * friction_bound(W.claw[c], W.cmu[c], z):
            for i in range(n):
                z[XI + n + 1 + i] = 0.0


@kernel
def _height(L, W, h):
    """Products of the gaps [N s m] at which the errors of the linearised rows are no larger than those of the present point."""
    energy = imbalance_energy(L, W)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        energy = max(energy, L.dof_inertia[L.limit_dof[W.limit_active[m]]] * ((W.lgap[m] - W.lim[m, 1]) / h) ** 2)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        z, n = W.con[c], SECOND_ORDER[W.claw[c]]
        speed = ((W.cval[c, 0] - z[1]) / h) ** 2
        for i in range(n):
            speed += (W.cval[c, 1 + i] - z[XI + n + 1 + i]) ** 2
        energy = max(energy, contact_mass(L, W, c) * speed)
    return HEIGHT * h * energy
