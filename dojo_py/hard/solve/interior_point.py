"""Dojo, Algorithm 2: a primal-dual interior-point method with Mehrotra's predictor and corrector, for one step.

    find w, b, c with   r(w) = 0,   b ∘ c = κ e,   b, c in their cones,   κ → 0 (or to the κ asked for)         (Dojo, eq. 26-27)

w: velocities of the bodies, impulses of joints. (b, c): impulse and gap of contacts and limits, bound and slip of friction.

    measure     residual |r|, complementarity |b∘c - κe|, mean product ν                                (measure.py)
    terminate   within the tolerances, or where it is stuck                                                  (measure.py)
    predict     Newton's step to κ = 0 (affine); α_aff: how far it stays in the cones                     (newton_step.py)
    centre      σ = (ν(α_aff)/ν)³,  target σ ν                                                         (newton_step.py)
    correct     Newton's step to the target, with the second-order terms of the affine step                (newton_step.py)
    recentre    where the cones block that step: one to a higher target, without the second-order terms    (newton_step.py)
    line search α: inside the cones, then halved until residual or complementarity fall
    move        w, b, c += α times the step

Products of normal contacts and limits are impulse times position (γ s, in N s m), those of friction impulse times velocity (ξ∘η, in
N s m/s). While gaps shrink with κ, bodies move by s, at velocities s/h = κ/(h γ). Friction at the same κ would take these for slip,
and stick in one direction, then in the other. So friction's products stay 1/h times larger on the whole path to the hard limit:
`Goal.weight` h. (With weight 1 a pile takes five times the iterations: docs/algorithm.md.)
"""

from dojo_py.hard.elements.closures import forget_unmet
from dojo_py.hard.outcome import keep_best
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.solve.measure import begin_course, go_on, measure, verdict
from dojo_py.hard.solve.newton_step import find_step
from dojo_py.hard.solve.proximal import adapt_proximal_term
from dojo_py.hard.solve.residuals import evaluate_motion
from dojo_py.hard.solve.step_bounds import inside_rotation_domain, inside_servo_ranges
from dojo_py.hard.statuses import GOES_ON, MAX_ITERATIONS, SINGULAR
from dojo_py.jit import kernel

LINE_SEARCH = 8
"""Most lengths that are tried of a step, each half of the last; the last one is taken in any case."""
CONVERGES = 1e3
"""Up to this many tolerances of the residual the line search accepts any step: Newton's method converges there by itself, although
the residual may be larger after one step."""


@kernel
def iterate(L, P, Q, A, W, h, goal):
    """Dojo, Algorithm 2, from the present point to the Goal. Its motion has been evaluated (`evaluate_motion`).

    Returns (status, iterations, residual [m/s], largest |b∘c - κe| [N s m, N s m/s]).
    """
    W.proximal[0] = 0.0
    found = _iterate(L, P, Q, A, W, h, goal)
    W.proximal[0] = 0.0
    return found


@kernel
def _iterate(L, P, Q, A, W, h, goal):
    """`iterate`; W.proximal is 0 before and after it, so that no other assembly has a proximal term."""
    clear_cones(W, W.change)
    clear_cones(W, W.affine)
    forget_unmet(L, W)
    at = measure(L, P, Q, W, h, goal)
    course = begin_course(at)
    for iteration in range(goal.most + 1):
        keep_best(W, goal, at)
        record(W, iteration, at, 0.0, 0.0, 0.0)
        status, residual = verdict(L, W, h, goal, at, course, iteration)
        if status != GOES_ON:
            return status, iteration, residual, at.worst
        step = find_step(L, W, h, goal, at)
        if not step.regular:
            return SINGULAR, iteration, at.residual, at.worst
        within = _inside_cones(W, step)
        turned = inside_rotation_domain(W, h, within)
        reached, alpha = _search(L, P, Q, A, W, h, goal, at, inside_servo_ranges(L, W, A, h, turned))
        record(W, iteration, at, alpha, step.affine, step.sigma)
        adapt_proximal_term(W, alpha)
        course, at = go_on(course, reached, alpha, turned < within), reached
    return MAX_ITERATIONS, goal.most, at.residual, at.worst


@kernel
def _inside_cones(W, step):
    """Step length α that the cones allow: min(1, τ reach), τ = max(to_boundary, min(1 - σ^⅓, reach)).

    The smaller σ and the longer the step, the closer to the boundary of the cones: convergence is superlinear at the end.
    """
    return min(1.0, max(W.solver.to_boundary, min(1.0 - step.sigma ** (1.0 / 3.0), step.reach)) * step.reach)


@kernel
def _search(L, P, Q, A, W, h, goal, at, alpha):
    """Move by alpha W.change, with alpha halved until residual or complementarity fall. Returns (Measure there, alpha)."""
    copy_point(W, W.now, W.saved)
    reached = at
    for trial in range(LINE_SEARCH):
        alpha = alpha if trial == 0 else 0.5 * alpha
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        evaluate_motion(L, A, W, h)
        reached = measure(L, P, Q, W, h, goal)
        if reached.residual <= max(at.residual, CONVERGES * goal.tol_residual) or reached.worst <= at.worst:
            break
    return reached, alpha


@kernel
def record(W, iteration, at, alpha, affine, sigma):
    """Row of W.trace of an iteration that starts at this Measure; alpha, affine, sigma: 0 where no step follows.

    The rows that follow are those of other solves: W.traced counts the rows of this one.
    """
    last = min(iteration, W.trace.shape[0] - 1)
    W.traced[0], row = last + 1, W.trace[last]
    row[0], row[1], row[2], row[3], row[4], row[5] = at.residual, at.worst, at.mean, alpha, affine, sigma
