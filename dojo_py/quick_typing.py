"""Answers that numba's type inference finds again and again, remembered: a third of the time that kernels take to compile.

For every `a + b` and `a[i]`, in inference and once more in lowering, numba tries all implementations of the operator one after the
other, dozens of them, most by raising an error. The answer for builtin operators follows from the types alone. Switched on by
passes.py, for versions of numba that CI tries; without it the same code comes out, later.
"""

from collections.abc import Callable
from functools import cache
from types import BuiltinFunctionType, FunctionType
from typing import Any

from numba.core import ir, targetconfig, types
from numba.core.cpu import CPUContext
from numba.core.types import functions
from numba.core.typing import context as typing_context

from dojo_py.handles import Struct

_ANSWERS: dict[Any, Any] = {}
"""Signature by function type, context and argument types; the entry keeps the function type alive, whose id is in the key."""


def _remembering(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """`get_call_type` of functions, remembered where a builtin implementation was found: one that was compiled depends on flags."""

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return resolve(self, context, args, kws)
        key = (id(self), id(context), len(self.templates), *args)
        known = _ANSWERS.get(key)
        if known is not None:
            return known[2]
        signature = resolve(self, context, args, kws)
        if signature is not None and self._impl_keys.get(signature.args) is self.typing_key:
            _ANSWERS[key] = (self, context, signature)
        return signature

    return get_call_type


def _fields_first(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """`resolve_getattr`: the fields of our structs are known without asking the attributes of all types."""

    def resolve_getattr(self: Any, kind: Any, attribute: str) -> Any:
        if isinstance(kind, Struct) and attribute in kind.field_dict:
            return kind.field_dict[attribute]
        return resolve(self, kind, attribute)

    return resolve_getattr


def _same_flags(self: Any, other: Any) -> Any:
    """Equality of compiler flags: of those that were set, before the defaults of all are listed."""
    if not isinstance(other, targetconfig.TargetConfig):
        return NotImplemented
    return (type(self) is type(other) and self._values == other._values) or self.values() == other.values()


@cache
def _hash_of_names(kind: Any) -> int:
    """numba's hash of flags: of their names, whatever their values."""
    return hash(tuple(sorted(kind.options)))


def _variables(self: Any, value: Any) -> list[Any]:
    """Variables in a statement of numba's intermediate form."""
    found: list[Any] = []
    _add_variables((value,), found)
    return found


_NO_VARIABLES = {str, int, float, bool, type(None), ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg}
"""Types of what holds no variables, as far as they were met."""


def _add_variables(values: Any, found: list[Any]) -> None:
    """Append the variables in these values and in what they hold."""
    for value in values:
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind in _NO_VARIABLES:
            continue
        elif kind is ir.Expr:
            _add_variables(value._kws.values(), found)
        elif isinstance(value, ir.Inst):
            found += value.list_vars()
        elif isinstance(value, dict):
            _add_variables(value.values(), found)
        elif isinstance(value, list | tuple):
            _add_variables(value, found)
        else:
            _NO_VARIABLES.add(kind)


def _known_first(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """`resolve_value_type`: functions such as `operator.add` are looked up before numba fails to take them for constants."""

    def resolve_value_type(self: Any, value: Any) -> Any:
        known = self._lookup_global(value) if type(value) in _FUNCTIONS else None
        return resolve(self, value) if known is None else known

    return resolve_value_type


_FUNCTIONS = (BuiltinFunctionType, FunctionType)


def _maybe_literal(value: Any) -> Any:
    """The literal type of a value, or None for one that has none, without an error in between."""
    all_types: Any = types
    return all_types.literal(value) if type(value) in all_types.Literal.ctor_map or isinstance(value, all_types.Literal) else None


_SIZES: dict[Any, int] = {}


def _size(self: Any, kind: Any) -> int:
    """Bytes of an LLVM type, remembered: LLVM reads a module for every question."""
    if kind not in _SIZES:
        _SIZES[kind] = kind.get_abi_size(self.target_data)
    return _SIZES[kind]


def switch_on() -> None:
    """Once in a process."""
    functions_type: Any = functions.BaseFunction
    functions_type.get_call_type = _remembering(functions_type.get_call_type)
    context: Any = typing_context.BaseContext
    context.resolve_getattr = _fields_first(context.resolve_getattr)
    flags: Any = targetconfig.TargetConfig
    flags.__eq__, flags.__hash__ = _same_flags, lambda self: _hash_of_names(self.__class__)
    instruction: Any = ir.Inst
    instruction._rec_list_vars = _variables
    context.resolve_value_type = _known_first(context.resolve_value_type)
    cpu: Any = CPUContext
    cpu.get_abi_sizeof = _size
    all_types: Any = types
    all_types.maybe_literal = _maybe_literal
