"""Identification: least squares on exact Jacobians, the noise estimated beside the parameters, intervals that doubt the model.

For each κ of a falling sequence: Levenberg-Marquardt from the last result. At the last one the noise is estimated from what is
left, coordinate by coordinate, and the fit repeated with these weights until they stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from dojo_py.hard.simulator import HardSimulator
from dojo_py.identification.data import Recording, check_intervals, check_recordings
from dojo_py.identification.doubt import shifts_of
from dojo_py.identification.elimination import Reduced, Rows, eliminate, normal_equations
from dojo_py.identification.intervals import RANK, inverse, jackknife, parts_of, undetermined
from dojo_py.identification.least_squares import CONVERGED, ImpossibleStart, Objective, Outcome, cost_of, minimise, set_change
from dojo_py.identification.losses import LOSSES
from dojo_py.identification.misses import missed_by_unit, with_prefix
from dojo_py.identification.noise import FLOOR, deviations, noise_of_samples
from dojo_py.identification.problem import Noise, Point, Problem
from dojo_py.identification.segments import Segment
from dojo_py.identification.unknowns import Part, Unknowns
from dojo_py.progress import Progress
from dojo_py.simulate.values import count, function_of, having, real_array, real_number, shown, text_of, truth_of
from dojo_py.workers import Workers

Array = np.ndarray
SHARES = (1e-3, 1e-5)
"""κ of kappa="auto" over `largest_kappa()`: at the last, what stands floats 1e-5 of its size above the ground."""
WITHOUT_CONTACT = 1e-8
"""κ of kappa="auto" where nothing is carried by contacts [N m s]."""
ROUNDS, STAYS = 4, 0.1
"""Most estimates of the noise; they have converged when none changes by more than this part."""
LOOSE = 0.1
"""Continuity of the first fit. Joined tightly, stretches of a model far from the truth share one motion that sticks where the
recorded one slides, and the cost has minima there; joined loosely each of them follows its samples, and the joins tell the rest."""
COARSE = 1e-3
"""Tolerance of the fits before the last one."""
VAST = 1e100
"""Variances beyond this are infinite."""
STOPPED = "it did not end at a minimum, which intervals do not know of"
AT_BOUND = 1e-6
"""Free numbers as close to a bound as this share of the way between both (of the larger of start and bound, or 1 where both are 0,
where there is one) lie at it."""


@dataclass(frozen=True, eq=False)
class Result:
    """What was found."""

    unknowns: Unknowns = field(repr=False)
    z: Array
    """(n,) free numbers."""
    values: dict[str, Array]
    """Parameter values by name."""
    simulator: HardSimulator = field(repr=False)
    """With these values."""
    cost: float
    """Half the (robust) sum of squares of residuals over their deviations."""
    covariance: Array = field(repr=False)
    """(n, n) of the reported values, from their spread over parts of the data and their `shifts`: it holds when the model is
    not the truth."""
    noise_covariance: Array = field(repr=False)
    """(n, n) likewise if the model were the truth and the noise white; infinite where the data say nothing."""
    freedom: int
    """Residuals minus unknowns."""
    shifts: Array = field(repr=False)
    """(2, n) by which the values move when stretches are cut in two, and their error of integration, twice what they move when
    steps are (doubt.py)."""
    parts: int
    """Parts of the data that `covariance` was taken from."""
    evaluations: int
    unsolved: int
    """Stretches with a step that was not solved, at the end."""
    message: str
    states: tuple[tuple[Array, Array], ...] = field(repr=False)
    """(qpos, qvel) at the start of each stretch, when these were unknown too."""
    noise: Noise = field(repr=False)
    """Deviations that residuals were divided by."""
    misfits: tuple[tuple[Segment, Array], ...] = field(repr=False)
    """Each stretch and what its prediction misses (length, nv), over the noise."""
    undetermined: tuple[str, ...] = ()
    """Unknowns that the data do not determine: without effect, known only together with others, or with a 95 % interval of more
    than ± 100 % of the value and of the start (`Unknowns.scale`: of bounds, too, where both signs are allowed)."""

    @property
    def estimates(self) -> Array:
        """(n,) values in the order of `labels`."""
        return self.unknowns.report(self.z)[0]

    @property
    def deviations(self) -> Array:
        """(n,) standard deviations of the estimates, the larger of the two covariances'."""
        both = np.maximum(np.diag(self.covariance), np.diag(self.noise_covariance))
        return np.sqrt(np.where(np.isfinite(both), both, np.diag(self.noise_covariance)))

    @property
    def model(self) -> Any:
        """The model with what was found, to save as a file or for the soft mode (`HardSimulator.to_model`)."""
        return self.simulator.to_model()

    @property
    def delay(self) -> float:
        """By how much later controls act than they were recorded [s], where that was an unknown; else 0."""
        return self.unknowns.delay(self.z) or 0.0

    @property
    def converged(self) -> bool:
        """Whether the fit ended at a minimum. Where it did not (`message` says why), intervals are of where it stopped."""
        return self.message.startswith(CONVERGED)

    @property
    def at_bounds(self) -> tuple[str, ...]:
        """Unknowns that ended at a bound: the best value may lie beyond it, intervals do not know of it."""
        low, high, found = self.unknowns.lower, self.unknowns.upper, np.zeros(len(self.z), bool)
        for bound, inwards in ((low, self.z - low), (high, high - self.z)):
            with np.errstate(invalid="ignore"):
                found |= np.isfinite(bound) & (inwards <= AT_BOUND * _room(self.unknowns, bound))
        return tuple(label for label, there in zip(self.unknowns.labels, found, strict=True) if there)

    @property
    def missed(self) -> tuple[tuple[str, float], ...]:
        """("m", size), ("rad", size) by which predictions miss the samples: root mean squares of the worst coordinate of each unit.

        None where no unknown has an effect.
        """
        if not self.misfits:
            return ()
        return missed_by_unit(self.simulator.model, np.concatenate([miss for _, miss in self.misfits]) * self.noise.samples)

    @property
    def correlation(self) -> Array:
        """(n, n) of the estimates' errors, by the noise; none with unknowns of which the data say nothing."""
        variance = np.diag(self.noise_covariance)
        known = np.isfinite(variance)
        size = np.sqrt(np.where(known, np.maximum(variance, 1e-300), 1.0))
        return np.where(np.outer(known, known), self.noise_covariance / np.outer(size, size), np.eye(len(size)))

    def interval(self, level: float = 0.95) -> Array:
        """(n, 2) confidence intervals of the estimates, by Student's t with one degree of freedom less than parts of the data."""
        real_number("level", level, above=0.0, most=1.0 - 1e-12)
        freedom = self.parts - 1 if self.parts > 1 else max(self.freedom, 1)
        half = student.ppf(0.5 + 0.5 * level, freedom) * self.deviations
        return np.stack([self.estimates - half, self.estimates + half], axis=1)

    def table(self, level: float = 0.95) -> list[tuple[str, str, str, str]]:
        """Rows (name, value, ± half interval, unit)."""
        half = np.diff(self.interval(level), axis=1)[:, 0] / 2
        rows = zip(self.unknowns.labels, self.estimates, half, self.unknowns.units, strict=True)
        return [(label, f"{value:.6g}", f"{width:.2g}", unit) for label, value, width, unit in rows]

    def __str__(self) -> str:
        open_, bound = self.undetermined, self.at_bounds
        lines = [
            f"{name:<28} {value:>12} ± {half:<9} {unit}{' (not determined)' * (name in open_)}{' (at its bound)' * (name in bound)}"
            for name, value, half, unit in self.table()
        ]
        tail = f"{self.message}; {len(self.misfits)} stretches, {self.unsolved} of them with unsolved steps"
        if self.missed:
            missed = ", ".join(with_prefix(size, unit) for unit, size in self.missed)
            tail += f"; samples are missed by {missed} (root mean square)"
        noise = "; intervals by the noise alone, too few stretches to doubt the model" * (self.parts < 2)
        stopped = f"; {STOPPED}" * (not self.converged)
        return "\n".join([*lines, tail + noise + stopped])


def identify(
    sim: HardSimulator,
    recordings: Sequence[Recording],
    unknowns: Unknowns | Sequence[Part],
    kappa: float | Sequence[float] | str = "auto",
    horizon: int = 10,
    free_states: bool = True,
    weights: Any = "auto",
    continuity: float = 10.0,
    loss: str = "linear",
    loss_scale: float = 1.0,
    every: int = 1,
    choose: Callable[[Recording, Segment], bool] | None = None,
    prior: float = 0.0,
    tolerance: float = 1e-6,
    max_iterations: int = 30,
    threads: int = 1,
    progress: bool | None = False,
    workers: Workers | None = None,
    rollout_kappa: float | Literal["gradient"] | None = "gradient",
) -> Result:
    """Fit the unknowns to recordings at the simulator's time step.

    kappa [N m s]: of derivatives, and of steps unless rollout_kappa says otherwise; several are used one after another, each from
    the last one's result. "auto": from a thousandth to a hundred thousandth of `sim.largest_kappa()`. horizon: samples of a
    prediction. free_states: the states that predictions start from are unknown too (multiple shooting); False takes them as
    measured, which is cheap but wrong where these are noisy or overlap the ground. weights (nv,): inverse deviation of each
    coordinate's misfit; "auto" estimates it, from the samples and from what the motion at κ differs from the hard one. continuity:
    how many times stiffer than a measurement stretches are joined, after a first fit that joins them loosely and unless the data
    show that the model cannot; 0 leaves them apart. loss, loss_scale: scipy's robust losses ("soft_l1", "huber", …), of misfits
    over their deviation. every, choose: which stretches are predicted. prior: weight that holds free numbers to their start, for
    directions that the data leave open. tolerance: part of the cost by which the last iteration may lower it. threads: stretches
    simulated at a time. progress: True shows a bar without a terminal too, None never does. workers: predict the stretches there,
    in processes or on other machines; the same numbers bit for bit. rollout_kappa [N m s]: of steps; "gradient" is that of the
    derivatives, None the hard limit.
    """
    having("sim", sim, ("parameter", "with_parameters", "linearize"), "a HardSimulator")
    check_recordings(sim, recordings, timed=False)
    horizon, every, threads = count("horizon", horizon), count("every", every), count("threads", threads)
    max_iterations = count("max_iterations", max_iterations)
    for name, value in (("continuity", continuity), ("prior", prior)):
        real_number(name, value, least=0.0, most=1e12)
    real_number("loss_scale", loss_scale, above=0.0)
    real_number("tolerance", tolerance, above=0.0, most=0.1)
    text_of("loss", loss, tuple(LOSSES))
    truth_of("free_states", free_states)
    _check_optional(progress, workers, choose)
    given = _unknowns_of(sim, unknowns)
    if not any(name.partition(":")[0] == "timestep" for name in given.names):
        check_intervals(sim, recordings)
    if free_states and horizon == 1 and continuity == 0:
        raise ValueError("horizon=1 with free states that are not joined: any start would do; give a longer horizon")
    levels = _levels(sim, kappa)
    problem = Problem(list(recordings), given, horizon, free_states, continuity > 0, every, choose, prior, threads, workers)
    guessed = isinstance(weights, str)
    problem.rollout_kappa = _rollout_kappa(rollout_kappa)
    fits, fit = _fits(problem, levels, continuity), _Fit(problem, loss, loss_scale, max_iterations)
    point, evaluations = _inside(problem.start(), given), 0
    given.simulator(point.z)  # (says which value of the start it refuses)
    with Progress(len(fits) + ROUNDS * guessed, "identifying", force=progress) as bar:
        for i, (level, join) in enumerate(fits):
            problem.kappa, problem.noise = level, _first_noise(sim, recordings, weights, join)
            if guessed and problem.has_error_of_kappa():
                problem.noise = _with_error_of_kappa(problem, point, join)
                evaluations += 2
            outcome = fit.run(point, tolerance if i + 1 == len(fits) and not guessed else COARSE, bar)
            point, evaluations = outcome.point.y, evaluations + outcome.evaluations
            bar.advance(1)
        if guessed:
            outcome, more = _with_estimated_noise(fit, outcome, continuity, tolerance, bar)
            evaluations += more
    return _result(sim, problem, outcome, loss, loss_scale, evaluations)


def _check_optional(progress: Any, workers: Any, choose: Any) -> None:
    """TypeError unless each is None or of its kind."""
    if progress is not None:
        truth_of("progress", progress)
    if workers is not None:
        having("workers", workers, ("map",), "Workers, or None")
    if choose is not None:
        function_of("choose", choose, ("recording", "segment"))


def _unknowns_of(sim: HardSimulator, unknowns: Any) -> Unknowns:
    """The unknowns given, or those of a list."""
    if not isinstance(unknowns, (Unknowns, Sequence)) or isinstance(unknowns, str):
        raise TypeError(f"unknowns={shown(unknowns)}, expected Unknowns or a list of Unknown, Tied, PseudoInertia and Delay")
    given = unknowns if isinstance(unknowns, Unknowns) else Unknowns(sim, list(unknowns))
    if given.sim is not sim:
        raise ValueError("unknowns: they are of another simulator; make them from the one that is given, or pass their list")
    return given


def _with_estimated_noise(fit: _Fit, outcome: Outcome, continuity: float, tolerance: float, bar: Progress) -> tuple[Outcome, int]:
    """The fit with the noise that its residuals show, in turn until that stays the same; and how many evaluations it took."""
    problem, evaluations = fit.problem, 0
    for i in range(ROUNDS):
        error = np.zeros(problem.nv)
        if problem.has_error_of_kappa():
            error, evaluations = problem.error_of_kappa(outcome.point.y, outcome.point.rows), evaluations + 1
        problem.noise, change = _estimated(problem, outcome.point.rows, continuity, fit.loss != "linear", error)
        last = change < STAYS or i + 1 == ROUNDS
        outcome = fit.run(outcome.point.y, tolerance if last else COARSE, bar)
        evaluations += outcome.evaluations
        bar.advance(1)
        if last:
            break
    return outcome, evaluations


def _levels(sim: HardSimulator, kappa: Any) -> list[float]:
    """The κ of successive fits [N m s]."""
    if isinstance(kappa, str):
        text_of("kappa", kappa, ("auto",))
        largest = float(sim.largest_kappa())
        return [share * largest for share in SHARES] if np.isfinite(largest) else [WITHOUT_CONTACT]
    levels = np.atleast_1d(real_array("kappa", kappa))
    if levels.ndim != 1 or not len(levels) or not np.all((levels > 0) & np.isfinite(levels)):
        raise ValueError(f"kappa={shown(kappa)} must be positive [N m s], one number or several, or 'auto'")
    return levels.tolist()


def _fits(problem: Problem, levels: list[float], continuity: float) -> list[tuple[float, float]]:
    """(κ, continuity) of successive fits: stretches of several samples that follow one another are joined loosely first."""
    stretches = problem.segments
    loose = continuity > LOOSE and stretches[0].length > 1 and any(problem.joins(i) for i in range(len(stretches)))
    return [(levels[0], LOOSE)] * loose + [(level, continuity) for level in levels]


def _rollout_kappa(value: Any) -> float | Literal["gradient"] | None:
    """The κ of the motion, checked."""
    if isinstance(value, str):
        text_of("rollout_kappa", value, ("gradient",))
        return "gradient"
    return None if value is None else real_number("rollout_kappa", value, above=0.0, unit="N m s")


def _first_noise(sim: HardSimulator, recordings: Sequence[Recording], weights: Any, continuity: float) -> Noise:
    """The deviations given, or those that third differences show."""
    nv = sim.model.nv
    if isinstance(weights, str):
        text_of("weights", weights, ("auto",))
        sigma = noise_of_samples(sim.model, recordings)
    else:
        w = real_array("weights", weights)
        if w.shape not in ((), (1,), (nv,)) or not np.all((w > 0) & (w <= 1e12)):
            raise ValueError(f"weights has shape {w.shape}, expected one positive number or ({nv},), at most 1e12, or 'auto'")
        sigma = np.broadcast_to(1.0 / w, (nv,)).copy()
    return Noise(sigma, np.tile(sigma, 2) / max(continuity, 1e-12))


def _with_error_of_kappa(problem: Problem, point: Point, continuity: float) -> Noise:
    """The problem's noise, and at least what its motion at κ is off.

    (Of a box that slides, with noise in its position alone, the tilt is 1e-7 rad by the samples, and 1e-5 to 1e-3 rad at κ. By the
    samples alone, nothing but that tilt was fitted: mass 3.0 for 2.0 kg, friction 0.20 for 0.60.)
    """
    sigma = np.maximum(problem.noise.samples, problem.error_of_kappa(point, problem.rows(point)))
    return Noise(sigma, np.tile(sigma, 2) / max(continuity, 1e-12))


def _room(unknowns: Unknowns, bound: Array) -> Array:
    """(n,) way between the bounds of the free numbers; where one of them is infinite, the size of the start or of `bound`."""
    size = np.maximum(np.abs(unknowns.start), np.where(np.isfinite(bound), np.abs(bound), 0.0))
    both = unknowns.upper - unknowns.lower
    return np.where(np.isfinite(both), both, np.where(size > 0, size, 1.0))


def _inside(point: Point, unknowns: Unknowns) -> Point:
    """Off the bounds by a little, so that the first step may go either way."""
    low, high = unknowns.lower, unknowns.upper
    margin = 1e-10 * np.minimum(1.0, _room(unknowns, np.zeros(len(unknowns))))
    return point._replace(z=np.clip(point.z, low + margin, high - margin))


def _estimated(problem: Problem, rows: list[Rows], continuity: float, robust: bool, error: Array) -> tuple[Noise, float]:
    """The noise by what is left of samples and joins, and the largest part by which it changed. error: (nv,) `error_of_kappa`.

    Joins are never held more tightly than `continuity` says, only more loosely: a model that is not the truth cannot join.
    """
    nv, noise = problem.nv, problem.noise
    measured, joins = ([row for row in rows if row.kind == kind] for kind in ("measured", "defect"))
    total = sum(len(row.residual) for row in (*measured, *joins))
    unknown = len(problem.unknowns) + 2 * nv * len(problem.segments) * problem.free_states
    freedom = max(total - unknown, 1) / total
    found = noise.samples * _sizes(measured, nv, freedom, robust)
    samples = np.maximum(np.maximum(found, error), max(FLOOR, 1e-3 * float(found.max())))  # none may count a million times more
    least = np.tile(samples, 2) / max(continuity, 1e-12)
    loose = np.maximum(least, noise.joins * _sizes(joins, 2 * nv, 1.0, robust)) if joins else least
    change = np.max(np.abs(np.log(np.concatenate([samples / noise.samples, loose / noise.joins]))))
    return Noise(samples, loose), float(change)


def _sizes(rows: list[Rows], places: int, freedom: float, robust: bool) -> Array:
    residual = np.concatenate([row.residual for row in rows])
    return deviations(residual, np.concatenate([row.places for row in rows]), places, freedom, robust)


@dataclass(frozen=True)
class _Fit:
    """Minimises one problem, again and again."""

    problem: Problem
    loss: str
    scale: float
    max_iterations: int

    def run(self, start: Point, tolerance: float, bar: Progress) -> Outcome:
        problem = self.problem
        stretches = len(problem.segments) if problem.free_states else 0

        def report(iteration: int, cost: float) -> None:
            bar.advance(0, f"kappa {problem.kappa:.1e}, iteration {iteration + 1}, cost {cost:.6g}")

        bounds, width = (problem.unknowns.lower, problem.unknowns.upper), 2 * problem.nv
        objective = Objective(problem.rows, problem.move, lambda p: p.z, bounds, stretches, width, self.loss, self.scale)
        try:
            found = minimise(objective, start, tolerance, self.max_iterations, report)
        except ImpossibleStart as error:
            place = f" ({_reason(problem)}): are the samples there and their units right?" if problem.refusal else ""
            raise ValueError(f"{error}{place}") from None
        if found.message == CONVERGED or not found.impossible:
            return found
        return found._replace(message=f"{found.message}; {_rejected(found.impossible, _reason(problem))}")


def _reason(problem: Problem) -> str:
    """Why the last point could not be simulated, without the simulator's advice, which is about a step of one's own."""
    return problem.refusal.partition("; ")[0]


def _rejected(number: int, reason: str) -> str:
    """What it means for a fit that points on its way could not be simulated."""
    trials = "1 trial point of the search" if number == 1 else f"{number} trial points of the search"
    return (
        f"{trials} could not be simulated and {'was' if number == 1 else 'were'} rejected (the last one: {reason}); "
        "the result is the best of the others: where it is poor, give the unknowns bounds or a start nearer to the truth"
    )


def _by_noise(rows: list[Rows], reduced: Reduced, freedom: int, open_: Array) -> Array:
    """(n, n) covariance of the free numbers if the model were the truth and the noise of the samples white:

        A⁻¹ (M/s² + P) A⁻¹,   A = H/s² + P

    H: information of the data at noise 1, of samples (M) and of the joins of stretches, which then have no errors (with the joins'
    share, as if they had, deviations are two to six times too large); s²: their squares over their degrees of freedom, of a robust
    loss those of the pulls over their change; P: of priors, known, and independent of how well the data are met. open_ (n,): what
    the data do not determine has A⁻¹.
    """
    known = sum((row.by_unknown.T @ row.by_unknown for row in rows if row.kind == "prior"), np.zeros_like(reduced.matrix))
    data = [row for row in rows if row.kind != "prior"]
    squares = sum(float(np.sum(row.pull**2 / np.maximum(row.information, 1e-300))) for row in data)
    each = freedom / max(squares, 1e-300)
    measured = np.zeros_like(known)
    for row in data:
        if row.kind == "measured":
            J = reduced.by_unknown(row)
            measured += J.T @ (J * row.information[:, None])
    bound = inverse((reduced.matrix - known) * each + known)
    return np.where(open_[:, None] | open_, bound, bound @ (measured * each + known) @ bound)


def _unsolved(rows: list[Rows]) -> int:
    """How many stretches have a step that was not solved."""
    return sum(row.kind == "measured" and not row.solved for row in rows)


def _result(sim: HardSimulator, problem: Problem, outcome: Outcome, loss: str, scale: float, evaluations: int) -> Result:
    """With covariances and what they say."""
    given, point, rows = problem.unknowns, outcome.point.y, outcome.point.rows
    n, stretches = len(given), len(problem.segments) if problem.free_states else 0
    cost = cost_of(rows, loss, scale)
    set_change(rows, loss, scale)
    total = sum(len(row.residual) for row in rows if row.kind != "prior")
    freedom = total - n - 2 * problem.nv * stretches
    normal = normal_equations(rows, n, stretches, 2 * problem.nv)
    reduced = eliminate(normal)
    parts = parts_of([s.recording for s in problem.segments])
    estimates, slope = given.report(point.z)
    open_ = undetermined(reduced.matrix, given.sizes(point.z), np.diag(normal.theta))
    with np.errstate(invalid="ignore", over="ignore"):
        by_noise = slope @ _by_noise(rows, reduced, max(freedom, 1), open_) @ slope.T
        by_parts = slope @ jackknife(rows, reduced, parts) @ slope.T
    informed = np.diag(reduced.matrix) > RANK * np.diag(normal.theta)
    by_noise[np.diag_indices(n)] = np.where((np.diag(by_noise) > VAST) | ~informed, np.inf, np.diag(by_noise))
    shifts = shifts_of(problem, point, rows, loss, scale) @ slope.T
    by_parts = by_parts + shifts.T @ shifts
    misses = tuple(
        (problem.segments[row.stretch], row.residual.reshape(-1, problem.nv))
        for row in rows
        if row.kind == "measured" and row.by_unknown.any()
    )
    values = given.values(point.z)
    found = Result(
        given, point.z, values, sim.with_parameters(values), float(cost), by_parts, by_noise, freedom, shifts, int(parts.max()) + 1,
        evaluations, _unsolved(rows), outcome.message, point.states, problem.noise, misses,
    )  # fmt: skip
    wide = np.diff(found.interval(), axis=1)[:, 0] > 2 * given.scale(estimates)
    return replace(found, undetermined=tuple(label for label, free in zip(given.labels, open_ | wide, strict=True) if free))
