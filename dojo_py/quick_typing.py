"""Answers that numba's type inference finds again and again, remembered: a third of the time that kernels take to compile.

For every `a + b` and `a[i]`, in inference and once more in lowering, numba tries all implementations of the operator one after the
other, dozens of them, most by raising an error. The answer for builtin operators follows from the types alone. Switched on by
passes.py, for versions of numba that CI tries; without it the same code comes out, later.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import ir, targetconfig
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


_NO_VARIABLES = frozenset({str, int, float, bool, type(None), ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg})


def _variables(self: Any, value: Any) -> list[Any]:
    """Variables in a statement of numba's intermediate form; most of what is asked about has none, or is one."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in _NO_VARIABLES:
        return []
    if isinstance(value, ir.Inst):
        return list(value.list_vars())
    found: list[Any] = []
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return found
    for part in value:
        found += _variables(self, part)
    return found


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
