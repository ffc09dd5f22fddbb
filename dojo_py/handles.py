"""Kernels' view of a group of arrays: numba reference structs that share memory with the NamedTuples Python reads.

A NamedTuple of a hundred arrays is passed to a kernel as seven hundred numbers: compiling takes minutes and every call copies
kilobytes (measured on the hard step: 215 s and 500 µs an iteration). A struct is one pointer.

Kernels count no references (jit.py), and fields never change once a struct is made: loads of them are marked constant, so that the
compiler keeps addresses and shapes in registers across stores of numbers.
"""

import zlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, imputils, types
from numba.core.extending import lower_getattr_generic
from numba.experimental import structref

_DATA = 3
"""Place of the payload's address among the pointers at the head of numba's MemInfo."""


class Struct(types.StructRef):  # type: ignore[name-defined]
    """Field types without literals, so that every model gives the same struct type; a short name.

    numba's own name spells out every field, and it becomes part of the symbol of every function that takes the struct.
    """

    def __init__(self, fields: Any):
        super().__init__(fields)
        self.name = f"{type(self).__name__}{zlib.crc32(repr(self._fields).encode()):08x}"

    def preprocess_fields(self, fields: Any) -> Any:
        """Fields without literal types."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)  # type: ignore[attr-defined]


def register(struct: Any) -> Any:
    """Decorator: `numba.experimental.structref.register`, reading fields as constants and without the runtime's help."""
    structref.register(struct)
    lower_getattr_generic(struct)(_read_field)
    return struct


def _read_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """Code that reads one field of a struct."""
    meminfo = cgutils.create_struct_proxy(kind)(context, builder, value=value).meminfo
    slots = builder.bitcast(meminfo, cgutils.voidptr_t.as_pointer())
    data = _constant(builder, builder.gep(slots, [ir.Constant(ir.IntType(64), _DATA)]))
    payload = context.data_model_manager[kind.get_data_type()]
    address = builder.bitcast(data, payload.get_value_type().as_pointer())
    place = cgutils.gep_inbounds(builder, address, 0, payload.get_field_position(name))
    found = _load(builder, place)
    return imputils.impl_ret_borrowed(context, builder, kind.field_dict[name], found)


def _load(builder: Any, place: Any) -> Any:
    """The value at an address, number by number, so that what nobody uses costs nothing."""
    kind = place.type.pointee
    if not isinstance(kind, ir.types.Aggregate):
        return _constant(builder, place)
    value = ir.Constant(kind, ir.Undefined)
    for i in range(len(kind)):
        value = builder.insert_value(value, _load(builder, cgutils.gep_inbounds(builder, place, 0, i)), i)
    return value


def _constant(builder: Any, place: Any) -> Any:
    """The number at an address that is never written while kernels run."""
    loaded, module = builder.load(place), builder.module
    zero, one = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), 1)
    field = module.add_metadata(["field of a struct", module.add_metadata(["dojo_py"]), zero])
    loaded.set_metadata("tbaa", module.add_metadata([field, field, zero, one]))
    loaded.set_metadata("invariant.load", module.add_metadata([]))
    return loaded


def interpreted(values: Any) -> Any:
    """The same tuple, its structured arrays as record arrays, so that plain Python reads `bodies[i].mass` as numba does."""
    if isinstance(values, np.ndarray):
        return values.view(np.recarray) if values.dtype.names else values
    if isinstance(values, tuple):
        return type(values)(*(interpreted(v) for v in values))
    return values
