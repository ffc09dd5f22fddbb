"""The step of an iteration: Newton's, by Mehrotra's predictor and corrector (Dojo, Algorithm 2, lines 7-11), into W.change."""

import math
from typing import NamedTuple

from dojo_py.arrays import scratch
from dojo_py.hard.elements.closures import keep_unmet
from dojo_py.hard.points import clear_cones, copy_point
from dojo_py.hard.solve.assemble import assemble
from dojo_py.hard.solve.complementarity import centring
from dojo_py.hard.solve.correction import weigh_correction
from dojo_py.hard.solve.goal import end_of_path, friction_target
from dojo_py.hard.solve.measure import mean_product
from dojo_py.hard.solve.proximal import SHARE, any_arrived
from dojo_py.hard.solve.recover import recover
from dojo_py.hard.solve.step_bounds import largest_step
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve

REFINED = 1e-2
"""Iterative refinement of a step ends where the linear system's residual is this fraction of the nonlinear one at its start."""


class Found(NamedTuple):
    """The step in W.change."""

    regular: bool  # False: Newton's matrix is singular, and there is no step
    reach: float  # the largest step length inside the cones; may be more than 1
    affine: float  # that of the affine step, at most 1
    sigma: float  # Mehrotra's σ


@kernel
def find_step(L, W, h, goal, at):
    """The step from a point with this Measure, into W.change.

    Near the end of the path it is a plain Newton step: the second-order terms of a prediction of κ = 0 would be those of a step
    that is not taken.
    """
    if at.mean > W.solver.arrived * end_of_path(goal):
        return _predict_and_correct(L, W, h, goal, at)
    return _go_to_end(L, W, h, goal, at)


@kernel
def _predict_and_correct(L, W, h, goal, at):
    """Predict, centre, correct; recentre where the cones block the corrected step."""
    if not _towards(L, W, h, goal, at, 0.0, False, math.inf):
        return Found(False, 0.0, 1.0, 1.0)
    affine, refined = min(1.0, largest_step(W)), _refined(goal, at)
    sigma = _centring_parameter(W, affine, goal, at.mean)
    copy_point(W, W.change, W.affine)
    target = max(sigma * at.mean, end_of_path(goal))
    _towards(L, W, h, goal, at, target, True, refined)
    reach = weigh_correction(W, affine, largest_step(W))
    return Found(True, _recentre(L, W, h, goal, at, target, refined, reach), affine, sigma)


@kernel
def _go_to_end(L, W, h, goal, at):
    """Newton's step to the end of the path; recentre where the cones block it."""
    target, refined = end_of_path(goal), _refined(goal, at)
    if not _towards(L, W, h, goal, at, target, False, refined):
        return Found(False, 0.0, 1.0, 1.0)
    reach = largest_step(W)
    if goal.kappa > 0.0 and reach > 1.0:
        reach = _correct_full_step(L, W, h, goal, at, target, refined, reach)
    return Found(True, _recentre(L, W, h, goal, at, target, refined, reach), 1.0, 1.0)


@kernel
def _recentre(L, W, h, goal, at, target, refined, reach):
    """Where the step length of W.change, the step to the target, is below `blocked`: a step to a higher target in its place,
    without second-order terms.

    The complementarity pairs are so small already that no step which reduces the residual stays in the cones. The target becomes
    `rise` times as high, twice at most. Returns the largest step length inside the cones.
    """
    for _ in range(2):
        if at.mean <= 0.0 or reach >= W.solver.blocked:
            break
        clear_cones(W, W.affine)
        target *= W.solver.rise
        _towards(L, W, h, goal, at, target, True, refined)
        reach = largest_step(W)
    return reach


@kernel
def _correct_full_step(L, W, h, goal, at, target, refined, reach):
    """Correct W.change, a full Newton step to the target, by its own second-order terms, if the result can be taken in full, too.

    Convergence is of third order then, for one more solve with the same factorisation. Returns the largest step length.
    """
    copy_point(W, W.change, W.affine)
    _towards(L, W, h, goal, at, target, True, refined)
    far = largest_step(W)
    if far > 1.0:
        return far
    copy_point(W, W.affine, W.change)
    return reach


@kernel
def _refined(goal, at):
    """Residual of the linear system [m/s] at which iterative refinement ends."""
    return REFINED * max(at.residual, goal.tol_residual)


@kernel
def _towards(L, W, h, goal, at, target, corrected, refined):
    """`newton` towards the product `target` [N s m] for gaps, and `friction_target` for friction.

    At the end of the path all contacts have the same target: `uneven` times it may be more than the tolerance. A step whose linear
    system is not solved, beyond the residual of the equations, is made again with the proximal term (proximal.py).
    """
    typical = at.typical if target > end_of_path(goal) else 0.0
    kn, kf = max(target, goal.kappa), friction_target(goal, target)
    regular = newton(L, W, h, kn, kf, typical, corrected, refined)
    unsolved = W.linear_residual[0] * REFINED > refined and W.proximal[0] == 0.0
    if regular and not corrected and unsolved and any_arrived(W):
        W.proximal[0] = SHARE
        if not newton(L, W, h, kn, kf, typical, corrected, refined):
            W.proximal[0] = 0.0
            return newton(L, W, h, kn, kf, typical, corrected, refined)
    return regular


@kernel
def newton(L, W, h, kn, kf, typical, corrected, refined):
    """Newton's step towards the products kn of gaps and kf of friction (Dojo, eq. 28-29), into W.change. False where singular.

    typical: see `assemble`. corrected: with the second-order terms of the step in W.affine, on the matrix that it was found with.
    refined: residual of the linear system [m/s] at which iterative refinement ends.
    """
    assemble(L, W, h, kn, kf, typical, corrected)
    if not corrected and factorise(W.pattern, W.blocks) >= 0:
        return False
    solve(W.pattern, W.blocks, W.step)
    W.linear_residual[0] = recover(L, W, h, kn, kf, corrected, refined)
    keep_unmet(L, W, h)
    return True


@kernel
def _centring_parameter(W, alpha, goal, mean):
    """Mehrotra's σ = (ν(α)/ν)³ (Dojo, eq. 53-54): small when the affine step of length α reduces the mean product ν much."""
    sums = scratch(6)
    centring(W, 0.0, 0.0, alpha, sums)
    ratio = min(max(mean_product(sums, goal) / mean, 0.0), 1.0)
    return ratio * ratio * ratio
