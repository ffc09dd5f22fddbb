"""Arrays in kernels that count no references: copies (numba's slice assignment guards against overlap with an allocation), small
arrays on the stack, matrices within others, rows of arrays over bodies.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from dojo_py.indices import CHECKED, check
from dojo_py.jit import compiling, kernel

_WORD = ir.IntType(64)
_NO_NUMBER = 0xFF
"""A double of these bytes is not a number."""


@kernel
def copy(a, b):
    """b (n,) = a (n,)."""
    for i in range(a.shape[0]):
        b[i] = a[i]


@kernel
def copy_rows(a, b):
    """b (n, m) = a (n, m)."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            b[i, k] = a[i, k]


@kernel
def are_numbers(a):
    """Whether no entry of a (n,) is infinite or not a number."""
    for i in range(a.shape[0]):
        if not math.isfinite(a[i]):
            return False
    return True


@kernel
def clear(a):
    """a (n,) = 0."""
    for i in range(a.shape[0]):
        a[i] = 0.0


@kernel
def clear_rows(a):
    """a (n, m) = 0."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            a[i, k] = 0.0


@kernel
def inner(a, b):
    """a · b, of n numbers."""
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    return s


@kernel
def body_row(array, b):
    """Row of body b in an array over bodies (nb + 1, …), whose last row is the world's, body -1."""
    return b if b >= 0 else array.shape[0] - 1


def _shape_of(shape: Any) -> tuple[int, ...]:
    """The sizes in a type: one number or a tuple of numbers, written out where they are used."""
    sizes = getattr(shape, "types", (shape,))
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        raise TypingError("a small array has a size that is written out")
    return tuple(size.literal_value for size in sizes)


def _on_stack(context: Any, builder: Any, kind: Any, sizes: tuple[int, ...], clear: bool) -> Any:
    """An array of doubles in the frame of the function, for which no references are counted."""
    count = math.prod(sizes)
    data = cgutils.alloca_once(builder, ir.DoubleType(), size=ir.Constant(_WORD, count))
    if clear or CHECKED:
        cgutils.memset(builder, data, ir.Constant(_WORD, 8 * count), 0 if clear else _NO_NUMBER)
    array = context.make_array(kind)(context, builder)
    shape = [ir.Constant(_WORD, size) for size in sizes]
    strides = [ir.Constant(_WORD, 8 * math.prod(sizes[k + 1 :])) for k in range(len(sizes))]
    populate_array(array, data, shape, strides, ir.Constant(_WORD, 8), None)
    return array._getvalue()


def _plain_square(memory: np.ndarray, start: int, n: int) -> np.ndarray:
    return memory.reshape(-1)[start : start + n * n].reshape(n, n)


@intrinsic
def _square(typing: Any, memory: Any, start: Any, n: Any) -> Any:
    if not (isinstance(memory, types.Array) and memory.layout == "C" and memory.dtype == types.float64):
        raise TypingError("memory of a matrix: doubles in C order are needed")
    kind = types.Array(types.float64, 2, "C")

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = context.make_array(signature.args[0])(context, builder, args[0])
        start, n = args[1:]
        if CHECKED:
            check(context, builder, start, builder.add(given.nitems, ir.Constant(_WORD, 1)))
            check(context, builder, builder.mul(n, n), builder.sub(builder.add(given.nitems, ir.Constant(_WORD, 1)), start))
        data = builder.gep(given.data, [start])
        array, size = context.make_array(kind)(context, builder), ir.Constant(_WORD, 8)
        populate_array(array, data, [n, n], [builder.mul(n, size), size], size, None)
        return array._getvalue()

    return kind(memory, types.intp, types.intp), build


square: Any = _square if compiling() else _plain_square
"""The matrix (n, n) that stands in an array from place `start` on; no references are counted for it."""


def _small(clear: bool) -> Any:
    """`scratch` or `zeros`."""

    @intrinsic(prefer_literal=True)
    def small(typing: Any, shape: Any) -> Any:
        sizes = _shape_of(shape)
        kind = types.Array(types.float64, len(sizes), "C")

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _on_stack(context, builder, kind, sizes, clear)

        return kind(shape), build

    return small


scratch: Any = _small(False) if compiling() else np.empty
"""A small array of doubles for the function that asks for it, its shape a constant: not to be returned, and not allocated."""
zeros: Any = _small(True) if compiling() else np.zeros
"""The same, zero."""
