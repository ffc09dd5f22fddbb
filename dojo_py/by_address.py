"""Functions that a compiled loop calls by their address, and structs that they find by theirs.

The loop over steps asks such a function before every step. It may be a kernel of its own (`address_of`), compiled apart from the
loop, or a Python function (`Callback`), for which ctypes takes the interpreter lock.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from dojo_py.jit import compiling, kernel

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
    """A Python function (t, status) -> answer as something with an address. What it raises ends the loop; `check` raises it."""

    def __init__(self, function: Callable[[int, int], int]):
        self.error: BaseException | None = None

        def guarded(t: int, status: int, data: int) -> int:
            try:
                return int(function(t, status))
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
    """Address of an entry (t, status, data) -> answer, compiled or loaded for it."""
    if not compiling():
        if function not in _interpreted:
            _interpreted[function] = SIGNATURE(function)
        return ctypes.cast(_interpreted[function], ctypes.c_void_p).value or 0
    whole = (types.int64, types.int64, types.int64)
    function.compile(whole)
    made = function.overloads[whole]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name))


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
