"""Options of the hard mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SPRINGS = ("midpoint", "implicit", "explicit")


@dataclass(frozen=True)
class HardOptions:
    """How accurately and how patiently a step is solved. The defaults suit robots and steps of 1 ms to 0.1 s."""

    residual_tolerance: float = 1e-10
    """Largest residual accepted, as a velocity [m/s, rad/s]: momentum rows over mass, constraint rows over the timestep, what
    round-off of poses, angles and impulses makes of them left out. Of gaps it is not: 1e-12 and more at steps of 1 ms."""
    complementarity_tolerance: float = 1e-12
    """Largest |impulse * gap| accepted in the hard limit [N m s]: sets how slowly a sticking contact may creep."""
    max_iterations: int = 400
    """Most Newton iterations, one factorisation each, of a step of one island of bodies, all attempts and shorter steps together:
    what is not solved then is INEXACT. A robot's step in contact takes 5 to 15; below about 50 difficult steps end early."""
    springs: str = "midpoint"
    """Where springs and the position terms of servos act: "midpoint" (no artificial damping), "implicit" (damps), "explicit"."""
    recovery_speed: float = 5.0
    """How fast an initial violation (overlap, joint beyond its bound) is pushed out at most [m/s, rad/s]."""
    contact_margin: float = 0.002
    """Contacts with a larger gap than this, plus what the motion can close in a step, are left out of the step [m]."""
    subdivisions: int = 10
    """A step in the hard limit that fails is redone as 2, 4, … 2^subdivisions shorter ones; 0 never subdivides."""

    def __post_init__(self) -> None:
        for name in ("residual_tolerance", "complementarity_tolerance", "recovery_speed"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"{name}={value!r} must be positive and finite")
        if not (np.isfinite(self.contact_margin) and self.contact_margin >= 0):
            raise ValueError(f"contact_margin={self.contact_margin!r} must be at least 0 [m]")
        if int(self.max_iterations) != self.max_iterations or self.max_iterations < 1:
            raise ValueError(f"max_iterations={self.max_iterations!r} must be an integer, at least 1")
        if int(self.subdivisions) != self.subdivisions or not 0 <= self.subdivisions <= 20:
            raise ValueError(f"subdivisions={self.subdivisions!r} must be an integer from 0 to 20")
        if self.springs not in SPRINGS:
            raise ValueError(f"springs={self.springs!r} is not one of {list(SPRINGS)}")

    def as_array(self) -> np.ndarray:
        """The settings as the kernels read them, in the order of the fields; springs as its place in SPRINGS."""
        return np.array(
            [
                self.residual_tolerance,
                self.complementarity_tolerance,
                self.max_iterations,
                SPRINGS.index(self.springs),
                self.recovery_speed,
                self.contact_margin,
                self.subdivisions,
            ],
            dtype=float,
        )
