"""The constants of the interior-point method that experiments change."""

from typing import NamedTuple


class SolverSettings(NamedTuple):
    """Constants of the interior-point method, for experiments: `HardOptions(solver=SolverSettings(...))`.

    WITHOUT has the values that switch them off; what each is worth: docs/algorithm.md, `dojo_py reproduce ablation`.
    """

    # Algorithm 2
    to_boundary: float = 0.99
    """Smallest fraction of the step to the boundary of the cones that is taken; after a good prediction nearly all of it is."""
    arrived: float = 3.0
    """Where the mean complementarity is below this factor times its final target, steps are plain Newton steps: the second-order
    terms of a predictor, which aims at κ = 0, would belong to a step that is not taken."""
    blocked: float = 0.1
    """A step whose step length is less than this is replaced by one to a higher target, without second-order terms, twice at most:
    the complementarity pairs are so small already that no step which reduces the residual stays in the cones."""
    rise: float = 10.0
    """Factor by which `blocked` raises the target of complementarity."""
    uneven: float = 4.0
    """Complementarity products of gaps are corrected only where they are off their mean by more than this factor (Gondzio 1996):
    contacts that share a load go on sharing it as they do. (With 1 a house of cards finds its rest in two moves, hundreds of steps
    apart.)"""
    standoff: float = 1e-10
    """Contacts and limits rest at this gap [m, rad] in the hard limit, not at the κ/γ where the path happens to end. κ/γ differs
    from contact to contact and from step to step: friction takes its changes for slip, and where it is smaller than the errors
    of poses, these errors move the load from one corner to another."""
    creep: float = 0.1
    """What sticks may creep in the hard limit at this fraction of the tolerance of residuals, 1e-11 m/s, not where the path
    happens to end: under the largest loads that is less than the round-off of velocities, and Newton's linear system
    cannot be solved any more (hard/solve/creep.py)."""
    # when a solve ends
    at_rest: float = 1e-5
    """A starting point whose residual is below this fraction of the tolerance is accepted without an iteration."""
    patience: float = 8.0
    """A solve is stuck after this many iterations that halved neither the residual nor the mean complementarity."""
    rotation_bound: float = 4.0
    """After this many iterations in a row whose step length is cut to half or less, because a body would rotate by more than it can
    in one time step, the step is divided into parts at once."""
    steady: float = 10.0
    """A contact with impulse γ and complementarity κ creeps at κ / γ: at an impulse of 1/steady N s the tolerance means 1e-11 m/s.
    A solve that got stuck may end with that creep at its largest impulse, where gaps of κ / γ are lost in round-off."""
    # starts
    lowest: float = 1e-3
    """Warm starts are at least as high up the central path as this fraction of the scale of the step's violations."""
    close: float = 1e-2
    """A solve that gets stuck with less residual [m/s] is taken up again from its last point, once for each kind of start
    (hard/step/attempts.py): some pairs had become smaller than the errors of their gaps, and the rest is right."""
    # the whole step
    ladder: float = 0.85
    """Fraction of `max_iterations` for the step, whole or in parts; the rest is for constraints that give way
    (hard/step/giving_way.py), and for the convex problem with friction's bounds held at estimates (hard/step/held_friction.py)."""


WITHOUT: dict[str, dict[str, float]] = {
    "to_boundary": {"to_boundary": 0.9},
    "arrived": {"arrived": 0.0},
    "blocked": {"blocked": 0.0},
    "rise": {"rise": 1.0},
    "uneven": {"uneven": 1.0},
    "standoff": {"standoff": 0.0},
    "creep": {"creep": 0.0},
    "at_rest": {"at_rest": 1.0},
    "patience": {"patience": 1e9},
    "rotation_bound": {"rotation_bound": 1e9},
    "steady": {"steady": 0.0},
    "lowest": {"lowest": 0.0},
    "close": {"close": 0.0},
    "ladder": {"ladder": 1.0},
}
"""Values that switch each constant off or, where that has no meaning, change it."""
