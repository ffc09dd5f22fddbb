"""Options of the hard mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dojo_py.simulate.values import count, having, real_number, text_of
from dojo_py.solver.settings import SolverSettings

SCHEMES = ("midpoint", "implicit", "explicit")


class StepOptions(NamedTuple):
    """`HardOptions` as kernels read them."""

    residual_tolerance: float
    complementarity_tolerance: float
    max_iterations: float
    springs: int
    recovery_speed: float
    contact_margin: float
    subdivisions: float


@dataclass(frozen=True)
class HardOptions:
    """How accurately and how patiently a step is solved. The defaults suit robots and steps of 1 ms to 0.1 s."""

    residual_tolerance: float = 1e-10
    """Largest residual accepted, as a velocity [m/s, rad/s]: momentum rows over mass, constraint rows over the timestep, without
    the round-off of poses, gaps, angles and impulses in them (of gaps 2e-12 m/s and more at steps of 1 ms)."""
    complementarity_tolerance: float = 1e-12
    """Largest |impulse * gap| accepted in the hard limit [N m s], of gaps beyond twice the standoff (1e-10 m, `SolverSettings`),
    and |impulse * slip| of friction [N m]: sets how slowly a sticking contact may creep. It is meant for bodies of 1 to 100 kg and
    2 cm or more: less is accepted of lighter ones, and of the gaps of smaller ones, more of heavier ones."""
    max_iterations: int = 600
    """Most Newton iterations, one factorisation each, of one island of bodies, all attempts and shorter steps together, each time
    that it is solved in a step: where contacts are found that were missing, it is solved again with them (falling piles take 3 to 5
    of these rounds), but not after 3 times as many iterations. Parts that were tried first in vain, and what gives way or has its
    friction held at the end, may take as many again. Up to three bodies that rotate too fast for a step may take 4 more for each
    part of it. What is not solved then is INEXACT. `Step.iterations` counts all. A robot's step in contact takes 5 to 15; below
    about 50 difficult steps end early. Of 560 steps of falling piles of 100 bodies 17 are unsolved with 600, 10 with 1500."""
    springs: str = "midpoint"
    """Where springs and the position terms of servos act: "midpoint" (no artificial damping, except kp h/2 of servos of balls),
    "implicit" (damps), "explicit"."""
    recovery_speed: float = 5.0
    """How fast an initial violation (overlap, joint beyond its bound) is pushed out at most [m/s, rad/s]."""
    contact_margin: float = 0.002
    """Contacts with a larger gap than this, plus what the motion can close in a step, are left out of the step [m]."""
    subdivisions: int = 10
    """A step in the hard limit that fails is redone as 2, 4, … 2^subdivisions shorter ones; 0 never subdivides."""
    solver: SolverSettings = SolverSettings()
    """Constants of the interior-point method, for experiments with it."""

    def __post_init__(self) -> None:
        for name in ("residual_tolerance", "complementarity_tolerance", "recovery_speed"):
            real_number(name, getattr(self, name), above=0.0)
        real_number("contact_margin", self.contact_margin, least=0.0, unit="m")
        count("max_iterations", self.max_iterations, most=10**6)
        count("subdivisions", self.subdivisions, least=0, most=20)
        text_of("springs", self.springs, SCHEMES)
        having("solver", self.solver, SolverSettings._fields, "a SolverSettings")
        for name in SolverSettings._fields:
            real_number(f"solver.{name}", getattr(self.solver, name), least=0.0)

    def numbers(self) -> StepOptions:
        """The options as the kernels read them, of the same types whatever numbers were given; springs as its place in SCHEMES."""
        return StepOptions(
            float(self.residual_tolerance), float(self.complementarity_tolerance), float(self.max_iterations),
            SCHEMES.index(self.springs), float(self.recovery_speed), float(self.contact_margin), float(self.subdivisions),
        )  # fmt: skip

    def constants(self) -> SolverSettings:
        """The solver's constants as the kernels read them."""
        return SolverSettings(*map(float, self.solver))
