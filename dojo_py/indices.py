"""Indices of arrays in kernels of both modes: none that becomes known at run time counts from the end.

numba lets a[-1] be the last number, so that every access with an index of unknown sign compares it, adds the length and chooses one
of both; loops over such accesses do not become vector instructions. Without it a soft step of a chain of 100 links takes a third of
the time, of the humanoid three quarters, and results are the same bit for bit. A written number may still count from the end. The
world, body -1, is in the last row of arrays over bodies: `arrays.body_row` is its place there.

With NUMBA_BOUNDSCHECK=1 (and a NUMBA_CACHE_DIR of its own) every index of these kernels is checked, negative ones, too.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.np import arrayobj

ROOMS = ("actuation", "arrays", "collision", "disjoint_sets", "fluid", "hard", "mechanism", "rotation", "soft", "solver")
"""Those of which a step is made. The others keep what numba does."""
_NAMES = tuple(f"_ZN7dojo_py{len(room)}{room}" for room in ROOMS)
"""How the symbols of their functions begin."""


def _from_the_start(fix: Callable[..., Any]) -> Callable[..., Any]:
    """numba's `fix_integer_index`: in kernels of these rooms the index as it is."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if builder.function.name.startswith(_NAMES) and not isinstance(index, ir.Constant):
            return context.cast(builder, index, kind, types.intp)
        return fix(context, builder, kind, index, size)

    return fix_integer_index


def switch_on() -> None:
    """From now on, in this process."""
    place: Any = arrayobj
    place.fix_integer_index = _from_the_start(place.fix_integer_index)
