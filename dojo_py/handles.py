"""Kernels' view of a group of arrays: numba reference structs that share memory with the NamedTuples Python reads.

A NamedTuple of a hundred arrays is passed to a kernel as seven hundred numbers: compiling takes minutes and every call copies
kilobytes (measured on the hard step: 215 s and 500 µs an iteration). A struct is one pointer.

`handle` writes a struct's words itself, as numba lays them out: a constructor that numba compiles for hundreds of fields takes
seconds for each kind of struct. Kernels count no references (jit.py), and fields never change once a struct is made: loads of them
are marked constant, so that the compiler keeps addresses and shapes in registers across stores of numbers.
"""

import struct
import zlib
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, typeof
from numba.core import cgutils, imputils, types
from numba.core.extending import lower_getattr_generic
from numba.core.registry import cpu_target
from numba.core.runtime import nrt, rtsys
from numba.experimental import structref

_CONFIG: Any = config
_NRT: Any = nrt
_RUNTIME: Any = rtsys
_TYPES: dict[Any, Any] = {}
"""numba's types of arrays by what they depend on."""
_STRUCTS: dict[Any, tuple["Struct", list[Any]]] = {}
"""Those of structs, likewise."""
_DATA = 3
"""Place of the payload's address among the pointers at the head of numba's MemInfo."""


class Struct(types.StructRef):  # type: ignore[name-defined]
    """Type of a Handle: field types without literals, so that every model gives the same struct type; a short name.

    numba's own name spells out every field, and it becomes part of the symbol of every function that takes the struct.
    """

    def __init__(self, group: str, fields: Any):
        super().__init__(fields)
        self.name = f"{group}{zlib.crc32(repr(self._fields).encode()):08x}"

    @cached_property
    def field_dict(self) -> dict[str, Any]:
        """Types of the fields by name: numba makes this mapping anew at every look, of hundreds of fields."""
        return dict(self._fields)

    def preprocess_fields(self, fields: Any) -> Any:
        """Fields without literal types."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)  # type: ignore[attr-defined]


class Handle(structref.StructRefProxy):  # type: ignore[misc]
    """What Python passes to kernels in place of a NamedTuple. `address`: of its MemInfo, for structs that hold this one."""

    address: int


structref.register(Struct)
structref.define_boxing(Struct, Handle)


def handle(group: Any) -> Any:
    """The struct of a NamedTuple of arrays, numbers (int, float) and further such groups or their handles.

    The tuple itself, with record arrays for structured ones, when compilation is switched off (NUMBA_DISABLE_JIT).
    """
    return interpreted(group) if _CONFIG.DISABLE_JIT else _place(group)[0]


def handles(groups: Any) -> tuple[Any, ...]:
    """The struct of each group."""
    return tuple(handle(group) for group in groups)


def _place(group: Any) -> tuple[Any, int]:
    """The struct of a group and the address of its MemInfo."""
    if isinstance(group, Handle):
        return group, group.address
    kinds, words, held = [], [], []
    for value in group:
        kind, numbers, owner = _field(value)
        kinds.append(kind)
        words += numbers
        held.append(owner)
    payload = np.array(words, np.int64)
    _RUNTIME.initialize(cpu_target.target_context)
    address = _NRT._nrt.meminfo_new(payload.ctypes.data, (payload, held))
    made = Handle._numba_box_(_struct_type(type(group), kinds), _NRT.MemInfo(address))
    made.address = address
    return made, address


def _struct_type(group: type[Any], kinds: list[Any]) -> Struct:
    """The type of a struct with fields of these types, which takes numba a millisecond to make up."""
    key = group, tuple(map(id, kinds))
    if key not in _STRUCTS:
        # kept with its fields' types, so that no other type gets one of their ids
        _STRUCTS[key] = Struct(group.__name__, list(zip(group._fields, kinds, strict=True))), kinds
    return _STRUCTS[key][0]


def _field(value: Any) -> tuple[Any, list[int], Any]:
    """Type of a field, its words as numba lays them out, and what must live as long as it."""
    if isinstance(value, np.ndarray):
        # no MemInfo and no parent: nobody counts references to it
        return _array_type(value), [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides], value
    if isinstance(value, bool | np.bool_):
        raise TypeError("a struct holds numbers and arrays; write a truth value as an integer")
    if isinstance(value, int | np.integer):
        return types.int64, [int(value)], None
    if isinstance(value, float):
        return types.float64, [struct.unpack("q", struct.pack("d", value))[0]], None
    made, address = _place(value)
    return made._numba_type_, [address], made


def _array_type(value: np.ndarray) -> Any:
    """numba's type of an array, which it takes 30 µs to make up; a world has hundreds of arrays of a few types."""
    flags = value.flags
    key = value.dtype, value.ndim, flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
    if key not in _TYPES:
        _TYPES[key] = typeof(value)
    return _TYPES[key]


@lower_getattr_generic(Struct)
def _read_field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """Code that reads one field of a struct."""
    meminfo = cgutils.create_struct_proxy(kind)(context, builder, value=value).meminfo
    slots = builder.bitcast(meminfo, cgutils.voidptr_t.as_pointer())
    data = _constant(builder, builder.gep(slots, [ir.Constant(ir.IntType(64), _DATA)]))
    payload = context.data_model_manager[kind.get_data_type()]
    address = builder.bitcast(data, payload.get_value_type().as_pointer())
    place = cgutils.gep_inbounds(builder, address, 0, payload.get_field_position(name))
    found = _constant(builder, place)
    return imputils.impl_ret_borrowed(context, builder, kind.field_dict[name], found)


def _constant(builder: Any, place: Any) -> Any:
    """The value at an address that is never written while kernels run: the compiler takes it apart, and drops what nobody uses."""
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
