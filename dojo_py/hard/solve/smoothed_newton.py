"""A step from the last one's impulses by Newton's method on smoothed equations, in which no cone shortens a step.

A step of the interior-point method ends where a pair meets the boundary of its cone: near the end of the central path wherever a
contact's load or its direction has changed. Here a Newton step may leave the cones, and every complementarity pair (b, c) is then
put back onto the path,

    b c = κ,   b - m c unchanged         b = (w + √(w² + 4 κ m))/2,   w = b - m c          (second-order cones: likewise)

That is Newton's method for the unknowns w in place of the pairs (Chen and Harker 1993; Fukushima, Luo and Tseng 2002): on the path
its equations are those of the interior-point method (Dojo, eq. 28-29), so the same Newton matrix serves. A contact that is coupled
to nothing else is solved by one such step, whether it touches or not, if m is its mass over h.

    newton       a step to the end of the path; at κ > 0, where it stays in the cones, with its second-order terms
    line search  it is halved until the energy of the imbalance is less than before; after each trial pairs go back onto the path

Without the line search the method cycles between sets of contacts that carry load, in a tenth of the steps of a walking robot. It
can still fail where the end of the path is close to the boundary, in the hard limit in a few of 100 such steps; then the
interior-point method takes over.
"""

import math

from dojo_py.friction_laws import PYRAMID
from dojo_py.hard.elements.closures import forget_unmet
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.solve.contact_mass import contact_mass, share_masses
from dojo_py.hard.solve.creep import aim_of_dry_friction, aim_of_friction
from dojo_py.hard.solve.goal import end_of_path, friction_target
from dojo_py.hard.solve.interior_point import CONVERGES, LINE_SEARCH, record
from dojo_py.hard.solve.measure import measure
from dojo_py.hard.solve.newton_step import REFINED, newton
from dojo_py.hard.solve.residuals import evaluate_motion
from dojo_py.hard.solve.start_pairs import imbalance_energy
from dojo_py.hard.solve.step_bounds import inside_rotation_domain, inside_servo_ranges, largest_step
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

MOST = 12
"""Most iterations; one in a hundred of a humanoid's steps under random controls would take more."""
END = 1e-3
"""In the hard limit, the fraction of the tolerance of residuals at which the iteration ends, or at the tolerance where the last
step was a SLOW one. Convergence is quadratic: that costs an iteration now and then, and keeps momenta to 1e-13, where the
tolerance itself would lose 1e-11 in every step. (The interior-point method, and this one at κ > 0, get as far by themselves: their
complementarity pairs converge last.)"""
SLOW = 0.3
"""A step is slow that leaves more than this fraction of the residual: then round-off decides, or the method does not converge."""
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
def smoothed_newton(L, P, Q, A, W, h, goal):
    """Newton's method from the present impulses and the evaluated motion and rows. Returns what `interior_point.iterate` does."""
    clear_cones(W, W.change)
    clear_cones(W, W.affine)
    forget_unmet(L, W)
    share_masses(L, W)
    _take_motion(L, W, h)
    end = end_of_path(goal)
    kn, kf = max(end, goal.kappa), friction_target(goal, end)
    _onto_path(L, W, h, kn, kf)
    at, before, most = measure(L, P, Q, W, h, goal), math.inf, min(MOST, goal.most)
    energy = _imbalance(L, W, h)
    for iteration in range(most + 1):
        record(W, iteration, at, 0.0, 0.0, 0.0)
        if not (math.isfinite(at.residual) and math.isfinite(at.worst)):
            return NOT_FINITE, iteration, at.residual, at.worst
        if at.residual <= _enough(goal, iteration, most, at, before) * goal.tol_residual and at.worst <= goal.tol_comp:
            return SOLVED, iteration, at.residual, at.worst
        if iteration == most:
            break
        before = at.residual
        if not _find_step(L, W, h, goal, kn, kf, REFINED * max(at.residual, goal.tol_residual)):
            return SINGULAR, iteration, at.residual, at.worst
        if inside_rotation_domain(W, h, 1.0) < 1.0:
            return TOO_FAST, iteration, at.residual, at.worst
        at, alpha, energy = _search(L, P, Q, A, W, h, goal, kn, kf, energy)
        record(W, iteration, at, alpha, 0.0, 0.0)
        if alpha == 0.0:
            return STALLED, iteration + 1, at.residual, at.worst
    return STALLED, most, at.residual, at.worst


@kernel
def _enough(goal, iteration, most, at, before):
    """Fraction of the tolerance of residuals that ends the solve at this Measure.

    most: iterations at most; before: the residual of the iteration before [m/s].
    """
    if iteration == 0:
        return goal.at_rest
    return END if goal.kappa == 0.0 and iteration < most and at.residual <= SLOW * before else 1.0


@kernel
def _find_step(L, W, h, goal, kn, kf, refined):
    """Newton's step to the products kn of gaps and kf of friction, into W.change. False where the matrix is singular.

    At κ > 0, where it stays inside the cones, it is corrected by its own second-order terms, if it stays there with them, too.
    (In the hard limit that saves no iteration: what sticks or touches is at the boundary.)
    """
    if not newton(L, W, h, kn, kf, 0.0, False, refined):
        return False
    if goal.kappa > 0.0 and largest_step(W) > 1.0:
        copy_point(W, W.change, W.affine)
        newton(L, W, h, kn, kf, 0.0, True, refined)
        if not largest_step(W) > 1.0:
            copy_point(W, W.affine, W.change)
    return True


@kernel
def _search(L, P, Q, A, W, h, goal, kn, kf, energy):
    """Move by alpha W.change, alpha halved until the imbalance has less than this energy [J], and put pairs back onto the path.

    Close to the solution any step is taken, as in the interior-point method, and any that a servo's range shortens: beyond it the
    energy is that of another force. Returns (Measure, alpha, energy) there, alpha 0 where no step will do.
    """
    alpha, reached = inside_servo_ranges(L, W, A, h, 1.0), energy
    across = alpha < 1.0
    copy_point(W, W.now, W.saved)
    for trial in range(LINE_SEARCH):
        alpha = alpha if trial == 0 else 0.5 * alpha
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        _onto_path(L, W, h, kn, kf)
        evaluate_motion(L, A, W, h)
        at, reached = measure(L, P, Q, W, h, goal), _imbalance(L, W, h)
        if across or at.residual <= CONVERGES * goal.tol_residual or reached < energy:
            return at, alpha, reached
    return at, 0.0, reached


@kernel
def _onto_path(L, W, h, kn, kf):
    """Put cone pairs of the islands in W.span back onto the path if their products are not near kn (gaps) or kf (friction)."""
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
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        if not gap_is_near(W.lim[m], W.limit_standoff[l], kn):
            gap_onto_path(W.lim[m], L.dof_inertia[L.limit_dof[l]] / h, kn, W.limit_standoff[l])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        mass = contact_mass(L, W, c)
        if not gap_is_near(W.con[c], W.standoff[c], kn):
            gap_onto_path(W.con[c], mass / h, kn, W.standoff[c])
        aim = aim_of_friction(W, c, kf)
        if not friction_is_near(W.claw[c], W.cmu[c], W.con[c], aim):
            friction_onto_path(W.claw[c], W.cmu[c], W.con[c], mass, aim)


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
def _imbalance(L, W, h):
    """Twice the kinetic energy [J] that the residuals of rows would give bodies, joints, limits and contacts, each on its own."""
    energy = imbalance_energy(L, W)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        energy += L.dof_inertia[L.limit_dof[W.limit_active[m]]] * ((W.lgap[m] - W.lim[m, 1]) / h) ** 2
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        z, n = W.con[c], SECOND_ORDER[W.claw[c]]
        speed = ((W.cval[c, 0] - z[1]) / h) ** 2
        for i in range(n):
            speed += (W.cval[c, 1 + i] - z[XI + n + 1 + i]) ** 2
        energy += contact_mass(L, W, c) * speed
    return energy
