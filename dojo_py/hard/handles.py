"""The hard mode's tables and work arrays as the kernels take them (see dojo_py/handles.py)."""

from typing import Any

from numba.experimental import structref

from dojo_py.actuation.table import ActuatorTable
from dojo_py.collision.candidates import PairCandidates, PlaneCandidates
from dojo_py.collision.epa import Polytope
from dojo_py.collision.gjk import Simplex
from dojo_py.collision.shown_polygons import Manifold
from dojo_py.handles import Struct, register
from dojo_py.hard.body_table import BodyTable
from dojo_py.hard.drives import Drive, Servos
from dojo_py.hard.layout import Layout
from dojo_py.hard.options import StepOptions
from dojo_py.hard.points import Point
from dojo_py.hard.workspace import Work
from dojo_py.jit import compiling, entry
from dojo_py.solver.block_ldu import Blocks, Pattern
from dojo_py.solver.settings import SolverSettings


@register
class LayoutType(Struct):
    """Type of LayoutRef."""


@register
class PlanesType(Struct):
    """Type of PlanesRef."""


@register
class PairsType(Struct):
    """Type of PairsRef."""


@register
class ActuatorsType(Struct):
    """Type of ActuatorsRef."""


@register
class BodiesType(Struct):
    """Type of BodiesRef."""


@register
class SimplexType(Struct):
    """Type of SimplexRef."""


@register
class PolytopeType(Struct):
    """Type of PolytopeRef."""


@register
class ManifoldType(Struct):
    """Type of ManifoldRef."""


@register
class PatternType(Struct):
    """Type of PatternRef."""


@register
class BlocksType(Struct):
    """Type of BlocksRef."""


@register
class PointType(Struct):
    """Type of PointRef."""


@register
class OptionsType(Struct):
    """Type of OptionsRef."""


@register
class SolverType(Struct):
    """Type of SolverRef."""


@register
class HardWorkType(Struct):
    """Type of HardWorkRef."""


@register
class ServosType(Struct):
    """Type of ServosRef."""


@register
class DriveType(Struct):
    """Type of DriveRef."""


class LayoutRef(structref.StructRefProxy):
    """Fields of Layout."""


class PlanesRef(structref.StructRefProxy):
    """Fields of PlaneCandidates."""


class PairsRef(structref.StructRefProxy):
    """Fields of PairCandidates."""


class ActuatorsRef(structref.StructRefProxy):
    """Fields of ActuatorTable."""


class BodiesRef(structref.StructRefProxy):
    """Fields of BodyTable."""


class SimplexRef(structref.StructRefProxy):
    """Fields of Simplex."""


class PolytopeRef(structref.StructRefProxy):
    """Fields of Polytope."""


class ManifoldRef(structref.StructRefProxy):
    """Fields of Manifold."""


class PatternRef(structref.StructRefProxy):
    """Fields of Pattern."""


class BlocksRef(structref.StructRefProxy):
    """Fields of Blocks."""


class PointRef(structref.StructRefProxy):
    """Fields of Point."""


class OptionsRef(structref.StructRefProxy):
    """Fields of StepOptions."""


class SolverRef(structref.StructRefProxy):
    """Fields of SolverSettings."""


class HardWorkRef(structref.StructRefProxy):
    """Fields of Work."""


class ServosRef(structref.StructRefProxy):
    """Fields of Servos."""


class DriveRef(structref.StructRefProxy):
    """Fields of Drive."""


structref.define_proxy(LayoutRef, LayoutType, list(Layout._fields))
structref.define_proxy(PlanesRef, PlanesType, list(PlaneCandidates._fields))
structref.define_proxy(PairsRef, PairsType, list(PairCandidates._fields))
structref.define_proxy(ActuatorsRef, ActuatorsType, list(ActuatorTable._fields))
structref.define_proxy(BodiesRef, BodiesType, list(BodyTable._fields))
structref.define_proxy(SimplexRef, SimplexType, list(Simplex._fields))
structref.define_proxy(PolytopeRef, PolytopeType, list(Polytope._fields))
structref.define_proxy(ManifoldRef, ManifoldType, list(Manifold._fields))
structref.define_proxy(PatternRef, PatternType, list(Pattern._fields))
structref.define_proxy(BlocksRef, BlocksType, list(Blocks._fields))
structref.define_proxy(PointRef, PointType, list(Point._fields))
structref.define_proxy(OptionsRef, OptionsType, list(StepOptions._fields))
structref.define_proxy(SolverRef, SolverType, list(SolverSettings._fields))
structref.define_proxy(HardWorkRef, HardWorkType, list(Work._fields))
structref.define_proxy(ServosRef, ServosType, list(Servos._fields))
structref.define_proxy(DriveRef, DriveType, list(Drive._fields))


@entry
def _world(layout, planes, pairs, actuators, bodies):
    return LayoutRef(*layout), PlanesRef(*planes), PairsRef(*pairs), ActuatorsRef(*actuators), BodiesRef(*bodies)


@entry
def _work(work, now, change, affine, saved, best, base, tangent, newton, manifold, hull, pattern, blocks, options, solver):
    return HardWorkRef(
        *work, PointRef(*now), PointRef(*change), PointRef(*affine), PointRef(*saved), PointRef(*best), PointRef(*base),
        PointRef(*tangent), PointRef(*newton), ManifoldRef(*manifold), PolytopeRef(SimplexRef(*hull[0]), *hull[1]),
        PatternRef(*pattern), BlocksRef(*blocks), OptionsRef(*options), SolverRef(*solver),
    )  # fmt: skip


@entry
def _drive(servos, rest):
    return DriveRef(ServosRef(*servos), *rest)


def world_handles(world: Any) -> Any:
    """Structs of a World's five tables; the tuples themselves when compilation is switched off (NUMBA_DISABLE_JIT)."""
    return _world(*(tuple(table) for table in world)) if compiling() else tuple(world)


def work_handle(work: Work) -> Any:
    """Struct of a Work."""
    if not compiling():
        return work
    groups: list[Any] = [tuple(group) for group in work if isinstance(group, tuple)]
    hull = work._fields[-len(groups) :].index("polytope")
    groups[hull] = (tuple(work.polytope.simplex), groups[hull][1:])  # which holds a group of its own
    return _work(tuple(work[: -len(groups)]), *groups)


def drive_handle(drive: Drive) -> Any:
    """Struct of a Drive."""
    return _drive(tuple(drive.servos), tuple(drive[1:])) if compiling() else drive
