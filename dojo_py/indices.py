"""Indices of arrays in kernels of both modes: none that becomes known at run time counts from the end.

numba lets a[-1] be the last number, so that every access with an index of unknown sign compares it, adds the length and chooses one
of both; loops over such accesses do not become vector instructions. Without it a soft step of a chain of 100 links takes a third of
the time, of the humanoid three quarters, and results are the same bit for bit. A written number may still count from the end. The
world, body -1, is in the last row of arrays over bodies: `arrays.body_row` is its place there.

With NUMBA_BOUNDSCHECK=1 every index of kernels is checked, in these rooms negative ones and the bounds of slices, too, and eight
numbers that are read or written at once (solver/octet.py). IndexError names the line. Kernels that are compiled in this way lie in
folders of their own (kernel_cache.py). Small arrays that nobody has written yet (`arrays.scratch`) are then not numbers.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import config
from numba.core import cgutils, lowering, types
from numba.core.registry import cpu_target
from numba.cpython import slicing
from numba.np import arrayobj

_CONFIG: Any = config
CHECKED = bool(_CONFIG.BOUNDSCHECK)
"""Whether indices are checked."""

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


def check(context: Any, builder: Any, index: Any, size: Any, axis: Any = None, most: int = 0) -> None:
    """Code that raises IndexError, with the line that is being compiled, unless 0 <= index, index + most < size."""
    last = builder.add(index, ir.Constant(index.type, most))
    outside = builder.or_(builder.icmp_signed("<", index, index.type(0)), builder.icmp_signed(">=", last, size))
    _raise_where(context, builder, outside, f"index out of bounds{'' if axis is None else f' of axis {axis}'}")


def _raise_where(context: Any, builder: Any, wrong: Any, message: str) -> None:
    with cgutils.if_unlikely(builder, wrong):
        context.call_conv.return_user_exc(builder, IndexError, (f"{message}: {_place[0]}",))


_place = ["?"]
"""File and line of what is being compiled."""


def _remembering_place(lower: Callable[..., Any]) -> Callable[..., Any]:
    """numba's `lower_inst`, which compiles one statement."""

    def lower_inst(self: Any, statement: Any) -> None:
        before = _place[0]
        _place[0] = f"{'/'.join(Path(self.loc.filename).parts[-3:])}:{self.loc.line}"
        lower(self, statement)
        _place[0] = before

    return lower_inst


def _within(fix: Callable[..., Any]) -> Callable[..., Any]:
    """numba's `fix_slice`, which cuts off what lies outside: in kernels of these rooms an error, unless a bound is left out."""

    def fix_slice(builder: Any, bounds: Any, size: Any) -> None:
        if builder.function.name.startswith(_NAMES):
            for bound in (bounds.start, bounds.stop):
                outside = builder.icmp_unsigned(">", bound, size)
                given = builder.icmp_signed("!=", bound, bound.type(sys.maxsize))
                _raise_where(cpu_target.target_context, builder, builder.and_(outside, given), "slice out of bounds")
        fix(builder, bounds, size)

    return fix_slice


def switch_on() -> None:
    """From now on, in this process."""
    place: Any = arrayobj
    place.fix_integer_index = _from_the_start(place.fix_integer_index)
    if CHECKED:
        to_machine: Any = lowering.Lower
        to_machine.lower_inst = _remembering_place(to_machine.lower_inst)
        numba_code: Any = cgutils
        numba_code.do_boundscheck = check
        bounds: Any = slicing
        bounds.fix_slice = _within(bounds.fix_slice)
