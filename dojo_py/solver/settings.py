"""Constants of the interior-point method and its fallbacks."""

from typing import NamedTuple


class SolverSettings(NamedTuple):
    """For experiments: `HardOptions(solver=SolverSettings(held=0.0))`. WITHOUT has what switches each off.

    What each is worth: docs/ablation.md, `dojo_py reproduce ablation`.
    """

    # targets
    least_weight: float = 0.05
    """Of the products of gaps beside those of friction at the end. A gap of 1e-15 m drowns in the round-off of the bodies'
    positions, and the impulses of a flat foot's corners with it (measured: at 0.02 and 7 N s)."""
    slow_friction: float = 1.0
    """1: friction's products are 1/h times those of gaps on the way; 0: the same."""
    uneven: float = 4.0
    """Products of gaps are not made more even than within this factor of their mean (Gondzio 1996)."""
    bend: float = 10.0
    """Where a step turns bodies, gaps change by more than is linear: products do not aim below this many times that,"""
    leap: float = 0.01
    """or below this fraction of the mean if that is lower. Else gaps get smaller than their errors, and stay so."""
    no_predict: float = 3.0
    """Closer than this factor to the end of the path steps are plain Newton steps, without a prediction."""
    # blocked steps
    blocked: float = 0.3
    """A plain Newton step along the path that can be taken by less than this aims higher,"""
    rise: float = 10.0
    """by this factor."""
    held: float = 0.1
    """A step that neither prediction nor correction can take by more aims `rise` times higher, too: the pairs have shrunk before
    the motion fits them. At κ > 0 not at first."""
    shortened: float = 0.2
    """A correction that can be taken by less than this fraction of the prediction is done without second-order terms."""
    swap: float = 0.3
    """A step that can be taken by less than this is tried with the other linearisation of the cones (Nesterov-Todd, or back)."""
    # step lengths
    share: float = 0.99
    """Fraction of the way to the boundary of the cones that a step goes at least."""
    near_boundary: float = 1e-3
    """No pair gets smaller than this fraction of the mean product."""
    guard: float = 2.0
    """A step is halved while it makes the residual larger than this times what it was and the complementarity no smaller."""
    # when a solve ends
    at_rest: float = 1e-5
    """A start whose residual is below this fraction of the tolerance is a solution; else a step is taken."""
    steady: float = 10.0
    """Complementarity κ of a contact under γ lets it creep at κ / γ: the tolerance means 1e-11 m/s at an impulse of 1/steady N s. A
    solve that gets stuck may have as much creep under its largest impulse, where gaps of κ / γ drown in round-off."""
    turning: float = 4.0
    """Iterations in a row of which half or less can be taken because a body would turn further than a step can."""
    patience: float = 8.0
    """Iterations without half the residual or half the mean complementarity after which another start is tried."""
    solve_limit: float = 50.0
    """Most iterations of one solve."""
    # starts
    quiet: float = 5.0
    """Bodies that the impulses of the start accelerate by less [m/s²] are not moved before the cone pairs are chosen."""
    lowest: float = 1e-3
    """Warm starts are not closer to the end of the path than this fraction of the scale of the step's violations."""
    close: float = 1e-2
    """An attempt that gets stuck with less residual [m/s] is taken up once more, as if its impulses were the last step's: some
    pairs had shrunk to less than the errors of their gaps, and the rest is right."""
    # attempts and fallbacks: 0 leaves them out
    attempt_warm: float = 1.0
    """From the last step's impulses."""
    attempt_cold: float = 1.0
    """From none."""
    attempt_scaled: float = 1.0
    """With the other linearisation of the cones."""
    attempt_careful: float = 1.0
    """Joined bodies in short steps along the path."""
    attempt_path: float = 1.0
    """Islands without joints along the path around its folds."""
    refine: float = 1.0
    """Iterative refinement of Newton's steps."""
    want: float = 1.0
    """What was left out of a step that fails takes part."""
    overlap: float = 1.0
    """Initial violations may stay in a step that fails."""
    parts: float = 1.0
    """The step in parts."""
    hold: float = 1.0
    """Friction's bounds held at estimates."""
    ladder: float = 0.85
    """Fraction of the iterations of a step that attempts and parts may take; the rest is for held bounds."""


WITHOUT: dict[str, dict[str, float]] = {
    **{name: {name: 0.0} for name in SolverSettings._fields},
    "uneven": {"uneven": 1.0}, "leap": {"leap": 1.0}, "rise": {"rise": 1.0}, "share": {"share": 0.9}, "guard": {"guard": 1e300},
    "at_rest": {"at_rest": 1.0}, "turning": {"turning": 1e9}, "patience": {"patience": 1e9}, "solve_limit": {"solve_limit": 200.0},
    "ladder": {"ladder": 1.0},
}  # fmt: skip
"""What switches each constant off, or where that means nothing makes it another."""
