"""A step from the last one's impulses by Newton's method at the end of the central path, where no cone shortens its steps.

The interior-point method has to start far up the path: near its end the cones allow only short steps wherever a contact's load or
its direction has changed. Here every Newton step is taken in full, even out of the cones, and every complementarity pair (b, c) is
then put back onto the path near its end,

    b c = κ,   b - m c unchanged         b = (w + √(w² + 4 κ m))/2,   w = b - m c          (second-order cones: likewise)

That is Newton's method on smoothed equations of complementarity (Chen and Harker 1993; Fukushima, Luo and Tseng 2002): on the path
its equations are those of the interior-point method (Dojo, eq. 28-29), so the same Newton matrix serves. It is fast where the
contacts under load are nearly those of the last step; elsewhere it may not converge, and the interior-point method takes over.
"""

import math

from dojo_py.friction_laws import PYRAMID
from dojo_py.hard.elements.closures import forget_unmet
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.solve.contact_mass import contact_mass, share_masses
from dojo_py.hard.solve.creep import aim_of_dry_friction, aim_of_friction
from dojo_py.hard.solve.goal import end_of_path, friction_target
from dojo_py.hard.solve.interior_point import record
from dojo_py.hard.solve.measure import measure
from dojo_py.hard.solve.newton_step import REFINED, newton
from dojo_py.hard.solve.residuals import evaluate_motion
from dojo_py.hard.solve.start_pairs import imbalance_energy
from dojo_py.hard.solve.step_bounds import inside_rotation_domain, inside_servo_ranges
from dojo_py.hard.solve.unloaded import slacks_of_motion
from dojo_py.hard.statuses import NOT_FINITE, SINGULAR, SOLVED, STALLED, TOO_FAST
from dojo_py.jit import kernel
from dojo_py.solver.cones import second_order
from dojo_py.solver.cones.contact import (
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
"""Every iteration has to bring the residual below this fraction of the last one. Otherwise the active set is taken to differ from
that of the last step, and the attempt is given up."""
HEIGHT = 0.01
"""The target product is this times h times the energy of the residuals: the linearised rows have errors of second order, about
the gap h v of a velocity v over a size of 1 m. (With the end of the path as the target from the start, redundant contacts of a foot
get these errors as impulses against each other, and none of 300 steps of a humanoid converges.)"""
END = 1e-3
"""Fraction of the tolerance of residuals at which the iteration ends. Convergence is quadratic: that costs an iteration now and
then, and keeps momenta to 1e-13, where the tolerance itself would lose 1e-11 in every step. (The interior-point method gets as far
by itself: its complementarity pairs converge last.)"""
STICKS = 0.999
"""Fraction of its bound below which friction is taken to have stuck in the last step."""


@kernel
def any_pyramid(W):
    """Whether a contact of the islands in W.span has the linearised cone, which this method does not treat."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        if W.claw[W.members[CONTACTS, k]] == PYRAMID:
            return True
    return False


@kernel
def newton_at_end(L, P, Q, A, W, h, goal):
    """Newton's method from the present impulses and the evaluated motion. Returns what `interior_point.iterate` returns.

    goal: one of the hard limit; its `most` is not used.
    """
    end = end_of_path(goal)
    clear_cones(W, W.change)
    clear_cones(W, W.affine)
    forget_unmet(L, W)
    share_masses(L, W)
    _take_motion(L, W, h)
    height = max(_height(L, W, h), end)
    _onto_path(L, W, h, height, friction_target(goal, height))
    at = measure(L, P, Q, W, h, goal)
    before = math.inf
    for iteration in range(MOST + 1):
        record(W, iteration, at, 0.0, 0.0, 0.0)
        slow = iteration == MOST or at.residual > SLOW * before
        enough = goal.at_rest if iteration == 0 else 1.0 if slow else END
        if at.residual <= enough * goal.tol_residual and at.worst <= goal.tol_comp:
            return SOLVED, iteration, at.residual, at.worst
        if not (math.isfinite(at.residual) and math.isfinite(at.worst)):
            return NOT_FINITE, iteration, at.residual, at.worst
        if slow:
            return STALLED, iteration, at.residual, at.worst
        before = at.residual
        if not newton(L, W, h, height, friction_target(goal, height), 0.0, False, REFINED * max(at.residual, goal.tol_residual)):
            return SINGULAR, iteration, at.residual, at.worst
        if inside_rotation_domain(W, h, 1.0) < 1.0:
            return TOO_FAST, iteration, at.residual, at.worst
        alpha = inside_servo_ranges(L, W, A, h, 1.0)
        copy_point(W, W.now, W.saved)
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        evaluate_motion(L, A, W, h)
        record(W, iteration, at, alpha, 0.0, 0.0)
        at = measure(L, P, Q, W, h, goal)
        height = max(_height(L, W, h), end)
        if _onto_path(L, W, h, height, friction_target(goal, height)) > 0:
            at = measure(L, P, Q, W, h, goal)
    return STALLED, MOST, at.residual, at.worst


@kernel
def _onto_path(L, W, h, kn, kf):
    """Put cone pairs of the islands in W.span back onto the path if their products are not near kn (gaps, limits) or kf (friction).

    Returns how many were moved.
    """
    moved = 0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        if W.bound[d] > 0.0:
            f, m = W.fric[d], L.dof_inertia[d]
            aim = aim_of_dry_friction(W, d, kf)
            if is_near(W.bound[d] + f[0], f[1], aim) and is_near(W.bound[d] - f[0], f[2], aim):
                continue
            rate = f[1] - f[2] - f[0] / m
            x, y, big = second_order.near_end(m, W.bound[d], abs(rate), 2.0 * aim)
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
        aim = aim_of_friction(W, c, kf)
        if not friction_is_near(W.claw[c], W.cmu[c], W.con[c], aim):
            friction_onto_path(W.claw[c], W.cmu[c], W.con[c], mass, aim)
            moved += 1
    return moved


@kernel
def _take_motion(L, W, h):
    """Set the slacks to those of the evaluated motion, the slip of contacts that stuck to 0; the impulses stay."""
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
    """Target product of the gaps [N s m], from the residuals of the present point; see HEIGHT."""
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
