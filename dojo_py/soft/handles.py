"""The kernels' view of a model and its work arrays: numba reference structs that share memory with the NamedTuples.

The tuples of `packing` and `workspace` are what Python (and the tests) read; a struct made from one holds the same arrays.
"""

import zlib
from typing import Any

import numpy as np
from numba import config
from numba.core import types
from numba.experimental import structref

from dojo_py.soft.jit import entry
from dojo_py.soft.packing import SoftModel
from dojo_py.soft.workspace import Forces, Pose, Rows, Solver, Work

_CONFIG: Any = config


class _Struct(types.StructRef):  # type: ignore[name-defined]
    """Field types without literals, so that every model gives the same struct type; a short name.

    numba's own name spells out every field, and it becomes part of the symbol of every function that takes the struct.
    """

    def __init__(self, fields: Any):
        super().__init__(fields)
        self.name = f"{type(self).__name__}{zlib.crc32(repr(self._fields).encode()):08x}"

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)  # type: ignore[attr-defined]


@structref.register
class ModelType(_Struct):
    """Type of ModelRef."""


@structref.register
class PoseType(_Struct):
    """Type of PoseRef."""


@structref.register
class ForcesType(_Struct):
    """Type of ForcesRef."""


@structref.register
class RowsType(_Struct):
    """Type of RowsRef."""


@structref.register
class SolverType(_Struct):
    """Type of SolverRef."""


@structref.register
class WorkType(_Struct):
    """Type of WorkRef."""


class ModelRef(structref.StructRefProxy):
    """Fields of SoftModel."""


class PoseRef(structref.StructRefProxy):
    """Fields of Pose."""


class ForcesRef(structref.StructRefProxy):
    """Fields of Forces."""


class RowsRef(structref.StructRefProxy):
    """Fields of Rows."""


class SolverRef(structref.StructRefProxy):
    """Fields of Solver."""


class WorkRef(structref.StructRefProxy):
    """Fields of Work."""


structref.define_proxy(ModelRef, ModelType, list(SoftModel._fields))
structref.define_proxy(PoseRef, PoseType, list(Pose._fields))
structref.define_proxy(ForcesRef, ForcesType, list(Forces._fields))
structref.define_proxy(RowsRef, RowsType, list(Rows._fields))
structref.define_proxy(SolverRef, SolverType, list(Solver._fields))
structref.define_proxy(WorkRef, WorkType, list(Work._fields))


@entry
def _model(m):
    return ModelRef(*m)


@entry
def _work(pose, forces, rows, solver, rest):
    return WorkRef(PoseRef(*pose), ForcesRef(*forces), RowsRef(*rows), SolverRef(*solver), *rest)


def _interpreted(values: Any) -> Any:
    """The same tuple, its structured arrays as record arrays, so that plain Python reads `bodies[i].mass` as numba does."""
    if isinstance(values, np.ndarray):
        return values.view(np.recarray) if values.dtype.names else values
    if isinstance(values, tuple):
        return type(values)(*(_interpreted(v) for v in values))
    return values


def model_handle(m: SoftModel) -> Any:
    """The struct that kernels take as `m`; a tuple when compilation is switched off (NUMBA_DISABLE_JIT)."""
    if _CONFIG.DISABLE_JIT:
        return _interpreted(m)
    return _model(tuple(m))


def work_handle(w: Work) -> Any:
    """The struct that kernels take as `w`; a tuple when compilation is switched off."""
    if _CONFIG.DISABLE_JIT:
        return _interpreted(w)
    return _work(tuple(w.pose), tuple(w.forces), tuple(w.rows), tuple(w.solver), tuple(w[4:]))
