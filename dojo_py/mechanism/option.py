"""The records inside a model: simulation options (`model.opt`) and statistics (`model.stat`), under MuJoCo's names."""

from __future__ import annotations

from dataclasses import dataclass

from .frozen_arrays import Array, freeze, real


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """Simulation options under MuJoCo's names (`mjModel.opt`)."""

    timestep: float
    """[s]"""
    impratio: float
    tolerance: float
    ls_tolerance: float
    noslip_tolerance: float
    ccd_tolerance: float
    sleep_tolerance: float
    gravity: Array = real("3")
    """[m/s^2]"""
    wind: Array = real("3")
    """[m/s]"""
    magnetic: Array = real("3")
    density: float
    """Of the medium [kg/m^3]."""
    viscosity: float
    """Of the medium [N s/m^2]."""
    o_margin: float
    o_solref: Array = real("2")
    o_solimp: Array = real("5")
    o_friction: Array = real("5")
    integrator: int
    cone: int
    jacobian: int
    solver: int
    iterations: int
    ls_iterations: int
    noslip_iterations: int
    ccd_iterations: int
    sdf_iterations: int
    sdf_initpoints: int
    disableflags: int
    enableflags: int
    disableactuator: int

    def __post_init__(self) -> None:
        freeze(self, {})


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistic:
    """Model statistics (`mjModel.stat`), as far as the dynamics uses them."""

    meaninertia: float
    """Mean diagonal of the joint-space inertia at qpos0 [kg, kg m^2]."""
