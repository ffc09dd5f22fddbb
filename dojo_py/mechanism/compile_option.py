"""Simulation options: words and flags of `OptionSpec` -> the numbers of `Option`."""

from __future__ import annotations

from typing import Any

from .checks import Check
from .enums import Cone, DisableBit, EnableBit, Integrator, Jacobian, SolverType
from .errors import Problems, nearest
from .option import Option
from .spec import OptionSpec

WORDS = {
    "integrator": {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3, "discrete": 4},
    "cone": {"pyramidal": 0, "elliptic": 1},
    "jacobian": {"dense": 0, "sparse": 1, "auto": 2},
    "solver": {"PGS": 0, "CG": 1, "Newton": 2},
}
"""Words of the file -> MuJoCo's numbers, in the enums' order."""
assert [len(w) for w in WORDS.values()] == [len(e) for e in (Integrator, Cone, Jacobian, SolverType)]

SCALARS = tuple(
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance density viscosity o_margin".split()
)
VECTORS = {"gravity": 3, "wind": 3, "magnetic": 3, "o_solref": 2, "o_solimp": 5, "o_friction": 5}
COUNTS = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints")
FLAGS = tuple(bit.name.lower() for bit in (*DisableBit, *EnableBit) if bit.name)


def compile_option(spec: OptionSpec, problems: Problems) -> Option:
    """The option arrays, with every value checked."""
    check = Check(problems, spec)
    values: dict[str, Any] = {name: check.scalar(name) for name in SCALARS}
    values |= {name: check.vector(name, size) for name, size in VECTORS.items()}
    values |= {name: check.integer(name, low=0) for name in COUNTS}
    for name, words in WORDS.items():
        values[name] = list(words.values())[check.word(name, tuple(words))]
    if not values["timestep"] > 0.0:
        check.fail("timestep", f"{values['timestep']:g} is not positive")
    if not values["impratio"] > 0.0:
        check.fail("impratio", f"{values['impratio']:g} is not positive")
    disable, enable, group = 0, 0, 0
    for flag, on in spec.flags.items():
        if flag not in FLAGS:
            check.fail("flag", f"'{flag}' is not one of {list(FLAGS)}{nearest(flag, FLAGS)}")
        elif flag.upper() in DisableBit.__members__:
            disable |= 0 if on else DisableBit[flag.upper()]
        else:
            enable |= EnableBit[flag.upper()] if on else 0
    for number in spec.actuatorgroupdisable:
        if not 0 <= number <= 30:
            check.fail("actuatorgroupdisable", f"{number} is not in 0..30")
        else:
            group |= 1 << number
    return Option(**values, disableflags=int(disable), enableflags=int(enable), disableactuator=group)
