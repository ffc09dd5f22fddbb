"""Options of the soft mode that replace those of the model file."""

from dataclasses import dataclass, fields
from typing import Any

from dojo_py.simulate.values import check_fields, text_of
from dojo_py.soft.cholmod import chosen

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
SOLVERS = ("PGS", "CG", "Newton")
CONES = ("pyramidal", "elliptic")
FACTORIZATIONS = ("dense", "cholmod")


@dataclass(frozen=True)
class SoftOptions:
    """MuJoCo's names and meanings; None keeps the model's own value."""

    integrator: str | None = None
    """Euler, RK4, implicit or implicitfast"""
    solver: str | None = None
    """PGS, CG or Newton"""
    cone: str | None = None
    """pyramidal or elliptic"""
    impratio: float | None = None
    """ratio of friction to normal impedance, elliptic cones; > 0"""
    tolerance: float | None = None
    """scaled improvement or gradient at which the solver stops; below about 1e-15 it runs to the iteration limit"""
    iterations: int | None = None
    """most solver iterations; >= 0"""
    ls_tolerance: float | None = None
    """line search slope, as a share of `tolerance`"""
    ls_iterations: int | None = None
    """most line search iterations; >= 1"""
    noslip_iterations: int | None = None
    """sweeps of the noslip post-processing; 0: none"""
    noslip_tolerance: float | None = None
    """scaled improvement at which noslip stops"""

    factorization: str | None = None
    """how Newton factors its Hessian: dense, or cholmod (sparse, needs scikit-sparse); None: cholmod where installed and large"""

    def __post_init__(self) -> None:
        choices = (("integrator", INTEGRATORS), ("solver", SOLVERS), ("cone", CONES), ("factorization", FACTORIZATIONS))
        for name, accepted in choices:
            if getattr(self, name) is not None:
                text_of(name, getattr(self, name), accepted)
        check_fields(self)
        for name, least in (("iterations", 0), ("ls_iterations", 1), ("noslip_iterations", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name}={value!r} must be at least {least}")
        for name in ("impratio", "tolerance", "ls_tolerance", "noslip_tolerance"):
            value = getattr(self, name)
            if value is not None and not (value >= 0 and (value > 0 or name != "impratio")):
                raise ValueError(f"{name}={value!r} must be positive")

    @property
    def integrator_code(self) -> int | None:
        """MuJoCo's number of the integrator; None: the model's own is kept."""
        return None if self.integrator is None else INTEGRATORS.index(self.integrator)

    def apply(self, record: Any, nv: int) -> None:
        """Write the values that are set into the OPTION record of a model with nv dofs."""
        codes = {"integrator": INTEGRATORS, "solver": SOLVERS, "cone": CONES}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and field.name in record.dtype.names:
                record[field.name] = codes[field.name].index(value) if field.name in codes else value
        record["sparse"] = record["solver"] == SOLVERS.index("Newton") and chosen(self.factorization, nv)
