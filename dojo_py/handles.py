"""Kernels' view of a group of arrays: numba reference structs that share memory with the NamedTuples Python reads.

A NamedTuple of a hundred arrays is passed to a kernel as seven hundred numbers: compiling takes minutes and every call copies
kilobytes (measured on the hard step: 215 s and 500 µs an iteration). A struct is one pointer.
"""

import zlib
from typing import Any

import numpy as np
from numba import config
from numba.core import types

_CONFIG: Any = config


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


def interpreted(values: Any) -> Any:
    """The same tuple, its structured arrays as record arrays, so that plain Python reads `bodies[i].mass` as numba does."""
    if isinstance(values, np.ndarray):
        return values.view(np.recarray) if values.dtype.names else values
    if isinstance(values, tuple):
        return type(values)(*(interpreted(v) for v in values))
    return values


def compiling() -> bool:
    """False when NUMBA_DISABLE_JIT is set: kernels then run as plain Python on the tuples themselves."""
    return not _CONFIG.DISABLE_JIT
