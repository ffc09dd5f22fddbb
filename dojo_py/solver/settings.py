"""Every constant of the interior-point method."""

from typing import NamedTuple


class SolverSettings(NamedTuple):
    """Constants of the solver."""

    least_weight: float = 0.05
    blocked: float = 0.3
    rise: float = 10.0
    bend: float = 10.0
    leap: float = 0.01
    held: float = 0.1
    steady: float = 10.0
    at_rest: float = 1e-5
    turning: float = 4.0
    patience: float = 8.0
    uneven: float = 4.0
    quiet: float = 5.0
    close: float = 1e-2
    solve_limit: float = 50.0
    lowest: float = 1e-3
    near_boundary: float = 1e-3
    swap: float = 0.3
    no_predict: float = 3.0
    shortened: float = 0.2
    slow_friction: float = 1.0
    guard: float = 2.0
    attempt_warm: float = 1.0
    attempt_cold: float = 1.0
    attempt_scaled: float = 1.0
    attempt_careful: float = 1.0
    attempt_path: float = 1.0
    parts: float = 1.0
    hold: float = 1.0
    ladder: float = 0.85
    overlap: float = 1.0
    want: float = 1.0
    refine: float = 1.0
    share: float = 0.99
