"""The kernels' view of a model and its work arrays: numba reference structs that share memory with the NamedTuples.

The tuples of `packing` and `workspace` are what Python (and the tests) read; a struct made from one holds the same arrays.
"""

from typing import Any

from numba.experimental import structref

from dojo_py.handles import Struct, interpreted, register
from dojo_py.jit import compiling, entry
from dojo_py.soft.packing import SoftModel
from dojo_py.soft.workspace import Forces, Pose, Rows, Solver, Work


@register
class ModelType(Struct):
    """Type of ModelRef."""


@register
class PoseType(Struct):
    """Type of PoseRef."""


@register
class ForcesType(Struct):
    """Type of ForcesRef."""


@register
class RowsType(Struct):
    """Type of RowsRef."""


@register
class SolverType(Struct):
    """Type of SolverRef."""


@register
class WorkType(Struct):
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


def model_handle(m: SoftModel) -> Any:
    """The struct that kernels take as `m`; a tuple when compilation is switched off (NUMBA_DISABLE_JIT)."""
    if not compiling():
        return interpreted(m)
    return _model(tuple(m))


def work_handle(w: Work) -> Any:
    """The struct that kernels take as `w`; a tuple when compilation is switched off."""
    if not compiling():
        return interpreted(w)
    return _work(tuple(w.pose), tuple(w.forces), tuple(w.rows), tuple(w.solver), tuple(w[4:]))
