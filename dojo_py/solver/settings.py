"""Every constant of the interior-point method; the rest is derived from the problem."""

from typing import NamedTuple


class SolverSettings(NamedTuple):
    """Constants of the interior-point method, for experiments: `HardOptions(solver=SolverSettings(...))`.

    WITHOUT has the values that switch them off; what each is worth: docs/algorithm.md, `dojo_py reproduce ablation`.
    """

    # Algorithm 2
    to_boundary: float = 0.99
    """Fraction of the way to the boundary of the cones that a step goes at least; after a good prediction nearly all of it."""
    arrived: float = 3.0
    """Closer than this factor to the target's end steps are plain Newton steps: the second-order terms of a prediction of κ = 0
    would be of a step that is not taken."""
    blocked: float = 0.1
    """A step that can be taken by less than this is replaced by one to a higher target, without second-order terms, twice at most:
    the complementarity pairs are so small already that no step which reduces the residual stays in the cones."""
    rise: float = 10.0
    """How many times as high that target is."""
    uneven: float = 4.0
    """Complementarity products of gaps are corrected only where they are off their mean by more than this factor (Gondzio 1996):
    contacts that share a load keep their shares. (With 1 a house of cards finds its rest in two moves, hundreds of steps apart.)"""
    standoff: float = 1e-10
    """Contacts and limits rest at this gap [m, rad] in the hard limit, not at the κ/γ where the path happens to end. κ/γ differs
    from contact to contact and from step to step: friction takes its changes for slip, and where it is below the errors of poses
    these move the load from one corner to the other."""
    # when a solve ends
    at_rest: float = 1e-5
    """A start whose residual is below this fraction of the tolerance is a solution without a step."""
    patience: float = 8.0
    """Iterations without half the residual or half the mean complementarity after which a solve is stuck."""
    rotation_bound: float = 4.0
    """Iterations in a row of which half or less can be taken because a body would rotate by more than a step can: parts of the
    step are tried at once."""
    steady: float = 10.0
    """Complementarity κ of a contact under γ lets it creep at κ / γ: the tolerance means 1e-11 m/s at an impulse of 1/steady N s.
    A solve that got stuck may have as much creep under its largest impulse, where gaps of κ / γ drown in round-off."""
    # starts
    lowest: float = 1e-3
    """Warm starts are not closer to the end of the central path than this fraction of the scale of the step's violations."""
    close: float = 1e-2
    """A solve that gets stuck with less residual [m/s] is taken up once more, as if its impulses were the last step's: some pairs
    had shrunk to less than the errors of their gaps, and the rest is right."""
    # the whole step
    ladder: float = 0.85
    """Fraction of `max_iterations` that solves and parts may take; the rest is for held bounds of friction."""


WITHOUT: dict[str, dict[str, float]] = {
    "to_boundary": {"to_boundary": 0.9},
    "arrived": {"arrived": 0.0},
    "blocked": {"blocked": 0.0},
    "rise": {"rise": 1.0},
    "uneven": {"uneven": 1.0},
    "standoff": {"standoff": 0.0},
    "at_rest": {"at_rest": 1.0},
    "patience": {"patience": 1e9},
    "rotation_bound": {"rotation_bound": 1e9},
    "steady": {"steady": 0.0},
    "lowest": {"lowest": 0.0},
    "close": {"close": 0.0},
    "ladder": {"ladder": 1.0},
}
"""What switches each constant off, or where that means nothing makes it another."""
