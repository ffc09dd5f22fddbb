"""Functions that compiled code calls by their address, and structs that they find by theirs.

The loop over steps asks such a function before every step. It may be a kernel of its own (`address_of`), compiled apart from the
loop, or a Python function (`Callback`), for which ctypes takes the interpreter lock.

What many models never need is an entry of its own, too (`Apart`): it is compiled or loaded when a model first needs it, and its
callers, compiled without it, find its address in a table of the process (`ADDRESSES`, `call_apart`).
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from dojo_py.announce import ANNOUNCEMENT, undisturbed
from dojo_py.handles import Struct
from dojo_py.jit import compiling, entry, kernel

GO, STOP, FRESH = 0, 1, 2
"""Answers to the loop: take the step; end here; take it without what the last one left (the soft solver's first guess)."""

SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""answer = function(t, status, data): number of the step, `Status` of the one before, address of the function's own data."""


@intrinsic
def _call(typing_context: Any, address: Any, t: Any, status: Any, data: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(word, [word] * 3).as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), code


if compiling():

    @kernel
    def call_back(address, t, status, data):
        """The answer of the function at an address."""
        return _call(address, t, status, data)

else:

    def call_back(address: int, t: int, status: int, data: int) -> int:
        """The answer of the function at an address."""
        return int(SIGNATURE(address)(t, status, data))


class Callback:
    """A Python function (t, status) -> answer, None: GO, as something with an address. What it raises ends the loop; `check` raises
    it.
    """

    def __init__(self, function: Callable[[int, int], int | None]):
        self.error: BaseException | None = None

        def guarded(t: int, status: int, data: int) -> int:
            try:
                answer = function(t, status)
                return GO if answer is None else int(answer)
            except BaseException as error:  # (ctypes would print it and go on)
                self.error = error
                return STOP

        self._function = SIGNATURE(guarded)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def check(self) -> None:
        """Raise what the function raised since the last call."""
        error, self.error = self.error, None
        if error is not None:
            raise error


_interpreted: dict[Any, Any] = {}


def address_of(function: Any) -> int:
    """Address of an entry (t, status, data) -> answer, compiled or loaded for it. What it raises is printed: C knows no errors."""
    if not compiling():
        if function not in _interpreted:
            _interpreted[function] = SIGNATURE(function)
        return ctypes.cast(_interpreted[function], ctypes.c_void_p).value or 0
    return _compiled(function, (types.int64, types.int64, types.int64))


def _compiled(function: Any, kinds: tuple[Any, ...], name: str = "llvm_cfunc_wrapper_name") -> int:
    """Address of an entry, as C calls it or as numba does, compiled or loaded for arguments of these types."""
    function.compile(kinds)
    made = function.overloads[kinds]
    return int(made.library.get_pointer_to_function(getattr(made.fndesc, name)))


def struct_address(struct: Any) -> int:
    """Address of a struct (a Handle); of a NamedTuple while compilation is switched off. It must outlive its use."""
    if not compiling():
        _structs[id(struct)] = struct
        return id(struct)
    return int(struct.address)


_structs: dict[int, Any] = {}


def reader_of(struct_type: Any) -> Any:
    """What kernels call for the struct of a type at an address."""
    if not compiling():
        return _structs.__getitem__

    @intrinsic
    def struct_at(typing_context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
            made.meminfo = builder.inttoptr(arguments[0], made.meminfo.type)
            return impl_ret_borrowed(context, builder, signature.return_type, made._getvalue())

        return struct_type(types.int64), code

    return struct_at


ADDRESSES = np.zeros(8, np.int64)
"""Of the functions that are compiled apart, by their numbers; 0: not needed so far. Kernels read it from memory, as data."""

_apart: dict[int, Any] = {}


class Apart:
    """A function (of structs, integers, floats, C-contiguous arrays) -> float that kernels call by its number, compiled apart.

    subject: what its kernels are for, as the user is told while they are compiled. counted: they may allocate.
    """

    def __init__(self, number: int, function: Callable[..., float], subject: str, counted: bool = False):
        if _apart.setdefault(number, function).__qualname__ != function.__qualname__:
            raise ValueError(f"number {number} of {function.__qualname__} is that of {_apart[number].__qualname__}")
        self.number, self.subject, self._lock = number, subject, threading.Lock()
        self._kinds: tuple[Any, ...] = ()
        self.entry = entry(function, _nrt=counted, no_cpython_wrapper=True)
        _apart[number] = function

    def load(self, *arguments: Any) -> None:
        """Compile it for arguments of these types or load it from the cache, unless that has happened before in this process."""
        if not compiling():
            return
        kinds = tuple(typeof(a) for a in arguments)
        with self._lock:
            if ADDRESSES[self.number] == 0:
                with ANNOUNCEMENT.around(compiling=False, subject=self.subject), undisturbed():
                    ADDRESSES[self.number], self._kinds = _compiled(self.entry, kinds, "llvm_func_name"), kinds
        if kinds != self._kinds:
            raise TypeError(f"{self.entry.__name__} was compiled for {self._kinds}, not for {kinds}")


def _passed_as(kind: Any) -> Any:
    """The type in which an argument goes to a function that is compiled apart."""
    plain = types.unliteral(kind)
    if isinstance(plain, types.Integer):
        return types.int64
    if isinstance(plain, types.Float) or isinstance(plain, Struct) or (isinstance(plain, types.Array) and plain.layout == "C"):
        return plain
    raise TypingError(f"a function that is compiled apart takes no {kind}")


@intrinsic
def _call_apart(typing_context: Any, address: Any, arguments: Any) -> Any:
    given = tuple(arguments)
    passed = types.Tuple(tuple(_passed_as(kind) for kind in given))

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention = context.call_conv
        function = builder.inttoptr(values[0], convention.get_function_type(types.float64, passed).as_pointer())
        given = cgutils.unpack_tuple(builder, values[1])
        status, answer = convention.call_function(builder, function, types.float64, passed, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return answer

    return types.float64(types.int64, passed), code


if compiling():

    @kernel
    def call_apart(addresses, number, arguments):
        """What the function of this number, which must be loaded, makes of a tuple of arguments."""
        return _call_apart(addresses[number], arguments)

else:

    def call_apart(addresses: Any, number: int, arguments: Any) -> float:
        """What the function of this number makes of a tuple of arguments."""
        return float(_apart[number](*arguments))
