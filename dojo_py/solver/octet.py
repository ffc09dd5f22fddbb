"""Eight doubles as one value, held in one vector register or two: rows of blocks, or eight right-hand sides.

numba keeps neither blocks at changing addresses nor short loops in registers (its 6x6 products had not one vector instruction).
All arrays are (rows, columns) in C order; i, j: row and first column.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.extending import intrinsic, register_model

from dojo_py.indices import CHECKED, check
from dojo_py.jit import compiling, kernel

WIDTH = 8
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_LANES = ir.VectorType(ir.IntType(32), WIDTH)
_BYTES = 8
"""Alignment of the arrays' numbers."""
_LINE = 64
"""Bytes of a cache line."""


class Octet(types.Type):  # type: ignore[name-defined]
    """Type of eight doubles."""


@register_model(Octet)
class _OctetModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _VECTOR)


OCTET = Octet("octet")
_FLOAT, _INT = types.float64, types.intp


def aligned(shape: Any, kind: Any = np.float64) -> np.ndarray:
    """Zeros in C order, aligned to a cache line, so that each row of eight doubles fills exactly one line."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    memory = np.zeros(size + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size].view(kind).reshape(shape)


def whole(columns: int) -> int:
    """Number of columns, at least one, rounded up to whole octets."""
    return WIDTH * max(1, -(-columns // WIDTH))


def _or(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of an intrinsic: compiled code uses the decorated function, plain Python (NUMBA_DISABLE_JIT) uses `plain`."""
    return lambda typed: intrinsic(typed) if compiling() else plain


def _address(context: Any, builder: Any, kind: Any, array: Any, i: Any, j: Any) -> Any:
    matrix = context.make_array(kind)(context, builder, array)
    if CHECKED:
        rows, columns = cgutils.unpack_tuple(builder, matrix.shape, 2)
        check(context, builder, i, rows)
        check(context, builder, j, columns, most=WIDTH - 1)
    place = cgutils.get_item_pointer(context, builder, kind, matrix, [i, j])
    return builder.bitcast(place, _VECTOR.as_pointer())


def _matrix(A: Any) -> None:
    if not (isinstance(A, types.Array) and A.ndim == 2 and A.layout == "C" and A.dtype == _FLOAT):
        raise TypingError(f"rows of {A}: a matrix of doubles in C order is needed")


def _all(builder: Any, number: Any, kind: Any) -> Any:
    """The same number in all lanes."""
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), ir.Constant(_LANES, [0] * WIDTH))


def _place(A: np.ndarray, i: int, j: int) -> np.ndarray:
    """A[i, j : j + 8], or IndexError where compiled code would read or write outside the row."""
    if not (0 <= i < A.shape[0] and 0 <= j <= A.shape[1] - WIDTH):
        raise IndexError(f"row {i}, columns {j} to {j + WIDTH - 1} of an array {A.shape}")
    return A[i, j : j + WIDTH]


def _write(row: np.ndarray, A: np.ndarray, i: int, j: int) -> None:
    _place(A, i, j)[:] = row


@_or(lambda A, i, j: _place(A, i, j).copy())
def load(typing: Any, A: Any, i: Any, j: Any) -> Any:
    """A[i, j : j + 8]."""
    _matrix(A)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=_BYTES)

    return OCTET(A, _INT, _INT), build


@_or(_write)
def store(typing: Any, row: Any, A: Any, i: Any, j: Any) -> Any:
    """A[i, j : j + 8] = row."""
    _matrix(A)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[0], _address(context, builder, signature.args[1], *args[1:]), align=_BYTES)
        return context.get_dummy_value()

    return types.none(OCTET, A, _INT, _INT), build


@_or(lambda row, factor, other: row - factor * other)
def minus(typing: Any, row: Any, factor: Any, other: Any) -> Any:
    """row - factor * other."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fsub(args[0], builder.fmul(_all(builder, args[1], _VECTOR), args[2]))

    return OCTET(OCTET, _FLOAT, OCTET), build


@_or(lambda row, factor, other: row + factor * other)
def plus(typing: Any, row: Any, factor: Any, other: Any) -> Any:
    """row + factor * other."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(args[0], builder.fmul(_all(builder, args[1], _VECTOR), args[2]))

    return OCTET(OCTET, _FLOAT, OCTET), build


@_or(lambda row, other: np.where(np.abs(other) > row, np.abs(other), row))
def most(typing: Any, row: Any, other: Any) -> Any:
    """The larger of row and |other|, entry by entry."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        absolute = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), "llvm.fabs.v8f64")
        size = builder.call(absolute, [args[1]])
        return builder.select(builder.fcmp_ordered(">", size, args[0]), size, args[0])

    return OCTET(OCTET, OCTET), build


@_or(lambda row, factor: factor * row)
def times(typing: Any, row: Any, factor: Any) -> Any:
    """factor * row."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(_all(builder, args[1], _VECTOR), args[0])

    return OCTET(OCTET, _FLOAT), build


def _factors(A: np.ndarray, swap: np.ndarray) -> float:
    smallest = np.inf
    for k in range(6):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        swap[k] = row
        if not best > 0.0:
            return 0.0
        smallest = min(smallest, best)
        A[[k, row]] = A[[row, k]]
        inv = 1.0 / A[k, k]
        for i in range(k + 1, 6):
            f = A[i, k] * inv
            A[i, k + 1 :] -= f * A[k, k + 1 :]
            A[i, k] = f
        A[k, k + 1 :] *= inv
        A[k, 6] = inv
    return float(smallest)


@_or(_factors)
def factors(typing: Any, A: Any, swap: Any) -> Any:
    """LU factors of A (6, 8) in place, rows exchanged as noted in swap (6,). Returns the smallest |pivot|, 0 if singular.

    A = L D U with ones on the diagonals of L and U: the diagonal holds the pivots D, column 6 their inverses. All rows stay in
    registers: a loop over rows in memory would wait for what it has just written, and take twice as long.
    Contacts put stiffnesses of 1e10 and more into one direction of a block: triangular solves keep the residual small there,
    a product with the explicit inverse does not (measured: residuals stall at 1e-6 instead of 1e-14).
    """
    _matrix(A)
    number, word, lane = ir.DoubleType(), ir.IntType(64), ir.IntType(32)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def entry(row: Any, k: int) -> Any:
            return builder.extract_element(row, ir.Constant(lane, k))

        def size(row: Any, k: int) -> Any:
            absolute = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number]), "llvm.fabs.f64")
            return builder.call(absolute, [entry(row, k)])

        def up_to(k: int, row: Any, other: Any) -> Any:
            """Entries 0 … k of row, then those of other."""
            lanes = [i if i <= k else WIDTH + i for i in range(WIDTH)]
            return builder.shuffle_vector(row, other, ir.Constant(_LANES, lanes))

        matrix, exchanges = signature.args
        noted = context.make_array(exchanges)(context, builder, args[1])
        at = [_address(context, builder, matrix, args[0], ir.Constant(word, i), ir.Constant(word, 0)) for i in range(6)]
        rows = [builder.load(place, align=_BYTES) for place in at]
        smallest, regular = ir.Constant(number, float("inf")), ir.Constant(ir.IntType(1), 1)
        for k in range(6):
            best, which = size(rows[k], k), ir.Constant(word, k)
            for i in range(k + 1, 6):
                its_own = size(rows[i], k)
                larger = builder.fcmp_ordered(">", its_own, best)
                best, which = builder.select(larger, its_own, best), builder.select(larger, ir.Constant(word, i), which)
            builder.store(which, cgutils.get_item_pointer(context, builder, exchanges, noted, [ir.Constant(word, k)]))
            regular = builder.and_(regular, builder.fcmp_ordered(">", best, ir.Constant(number, 0.0)))
            smallest = builder.select(builder.fcmp_ordered("<", best, smallest), best, smallest)
            pivot, moved = rows[k], rows[k]
            for i in range(k + 1, 6):
                exchanged = builder.icmp_signed("==", which, ir.Constant(word, i))
                pivot, rows[i] = builder.select(exchanged, rows[i], pivot), builder.select(exchanged, moved, rows[i])
            inv = builder.fdiv(ir.Constant(number, 1.0), entry(pivot, k))
            for i in range(k + 1, 6):
                f = builder.fmul(entry(rows[i], k), inv)
                rest = builder.fsub(rows[i], builder.fmul(_all(builder, f, _VECTOR), pivot))
                rows[i] = builder.insert_element(up_to(k, rows[i], rest), f, ir.Constant(lane, k))
            scaled = builder.fmul(_all(builder, inv, _VECTOR), pivot)
            rows[k] = builder.insert_element(up_to(k, pivot, scaled), inv, ir.Constant(lane, 6))
        for row, place in zip(rows, at, strict=True):
            builder.store(row, place, align=_BYTES)
        return builder.select(regular, smallest, ir.Constant(number, 0.0))

    return _FLOAT(A, swap), build


@_or(lambda: np.zeros(WIDTH))
def zeros(typing: Any) -> Any:
    """Eight zeros."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_VECTOR, [0.0] * WIDTH)

    return OCTET(), build


@kernel
def clear_block(A):
    """A (n, whole octets) = 0. (Rows are short: a call of memset for each would cost more than the stores.)"""
    for i in range(A.shape[0]):
        for j in range(0, A.shape[1], WIDTH):
            store(zeros(), A, i, j)


@kernel
def combine(A, w):
    """Σ w_r A_r: the rows of A (6, 8) with weights w (6,)."""
    even = plus(plus(times(load(A, 0, 0), w[0]), w[2], load(A, 2, 0)), w[4], load(A, 4, 0))
    odd = plus(plus(times(load(A, 1, 0), w[1]), w[3], load(A, 3, 0)), w[5], load(A, 5, 0))
    return plus(even, 1.0, odd)
