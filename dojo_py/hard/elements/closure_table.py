"""Model → rows of the Layout for loop closures: connect, weld and couplings, then servos of orientations, then tendons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.elements.couplings import Coupling, joint_coupling, tendon_coupling, tendon_terms
from dojo_py.hard.elements.orientation_table import between, orientation_servos
from dojo_py.hard.elements.path_table import bodies_of_path, path_tables
from dojo_py.hard.terms import EQ_CONNECT, EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_PATH, EQ_TENDON, EQ_WELD
from dojo_py.mechanism.enums import EqualityType, ObjType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import conjugate, matrix, multiply
from dojo_py.mechanism.source import refusal
from dojo_py.mechanism.tendon_paths import is_spatial

Array = np.ndarray

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
FEWEST_SLOTS = 4
"""Bodies that a row of `eq_bodies` has room for, at least: a coupling of two hinges touches four."""


class _Graph(NamedTuple):
    """The bodies of the layout, which closures connect, and their tree joints."""

    where: Any  # BodyMap
    com: Array  # (nb, 3)
    dof_joint: Array  # (nv,)
    parent: Array  # (nj,)


class _Closure(NamedTuple):
    """The entries of one closure in the Layout's `eq_…`; those that its kind does not have keep their defaults."""

    kind: int
    bodies: list[int]
    """Bodies that it acts on, -1: world or unused."""
    anchors: Any = np.zeros((2, 3))
    """(2, 3) in the two bodies' frames, from their centres of mass [m]."""
    orientation: Array = IDENTITY
    """(4,) weld: of body 2 in body 1."""
    coupling: Coupling | None = None
    coefficients: Any = np.zeros(5)
    """(5,) of the polynomial that couples two sides."""
    reference: tuple[float, float] = (0.0, 0.0)
    """Reference values, subtracted from the two sides."""
    lengths: tuple[int, int, int] | None = None
    """Of two tendons whose lengths are coupled: their numbers (-1: none), and how many bodies the first one touches."""
    servo: int = -1
    """Number among the servos of orientations."""
    frames: Any = (IDENTITY, IDENTITY)
    """(2, 4) of a servo of an orientation, see orientation_table.py."""
    tendon: int = -1
    """Number of the tendon whose node this is, -1: none."""


class _End(NamedTuple):
    """A frame, fixed in a body of the model, that an equality constrains."""

    body: int
    pos: Array  # (3,)
    quat: Array  # (4,)


def closure_tables(model: Any, where: Any, com: Array, dof_joint: Array, parent: Array, tendons: list[int]) -> dict[str, Array]:
    """Fields of the Layout, `eq_…`, `term_…`, `path_…`, of the loop closures: equalities that are active at the start, servos of
    orientations, and the tendons of these numbers.

    where: BodyMap; com (nb, 3): centres of mass in the bodies' frames; dof_joint (nv,): tree joints of the degrees of freedom;
    parent (nj,): bodies above these joints.
    """
    graph = _Graph(where, com, dof_joint, parent)
    closures = [*_equalities(model, graph), *_servos(model, where), *_tendons(model, graph, tendons)]
    n, slots = len(closures), max((len(c.bodies) for c in closures), default=FEWEST_SLOTS)
    bodies = np.array([_filled(c.bodies, slots) for c in closures], np.int64).reshape(n, slots)
    coordinates = {t: model.nv + k for k, t in enumerate(tendons)}
    return {
        "eq_kind": np.array([c.kind for c in closures], np.int64),
        "eq_bodies": bodies,
        "eq_pos": np.array([c.anchors for c in closures], float).reshape(n, 2, 3),
        "eq_quat": np.array([c.orientation for c in closures], float).reshape(n, 4),
        "eq_frames": np.array([c.frames for c in closures], float).reshape(n, 2, 4),
        "eq_servo": np.array([c.servo for c in closures], np.int64),
        "eq_poly": np.array([[*c.coefficients, *c.reference] for c in closures], float).reshape(n, 7),
        "eq_dof": np.array([coordinates.get(c.tendon, -1) for c in closures], np.int64),
        "eq_tendons": _coupled_lengths(closures),
        **_term_tables(closures),
        **path_tables(model, where, com, [c.tendon if c.kind == EQ_PATH else None for c in closures], bodies),
    }


def _term_tables(closures: list[_Closure]) -> dict[str, Array]:
    """The terms of all couplings in one list, and where those of each side of each coupling begin in it."""
    starts = np.zeros((len(closures), 3), np.int64)
    terms: list[tuple[int, float]] = []
    for e, closure in enumerate(closures):
        first, second = (closure.coupling.first, closure.coupling.second) if closure.coupling else ([], [])
        starts[e] = len(terms), len(terms) + len(first), len(terms) + len(first) + len(second)
        terms += [*first, *second]
    return {
        "eq_terms": starts,
        "term_dof": np.array([dof for dof, _ in terms], np.int64),
        "term_coef": np.array([coef for _, coef in terms], float),
    }


def _coupled_lengths(closures: list[_Closure]) -> Array:
    """(ne, 3) `eq_tendons`: of coupled lengths the two tendons' own closures, and the first slot of the second one's bodies."""
    number = {c.tendon: e for e, c in enumerate(closures) if c.tendon >= 0}
    ends = np.full((len(closures), 3), -1, np.int64)
    for e, closure in enumerate(closures):
        if closure.lengths is not None:
            one, two, touched = closure.lengths
            ends[e] = number[one], number.get(two, -1), touched
    return ends


# kinds of closures


def held_ends(model: Any, node: Array) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """(equality, closure, its two bodies of the model) of the connects and welds. node (nbody,): bodies of the layout, -1 fixed."""
    closure = 0
    for e in np.flatnonzero(np.asarray(model.eq_active0)).tolist():
        if int(model.eq_type[e]) in (EqualityType.CONNECT, EqualityType.WELD):
            one, two = (end.body for end in _ends(model, e))
            if node[one] == node[two]:
                continue  # both ends are on one rigid body
            yield e, closure, (one, two)
        closure += 1


def _equalities(model: Any, graph: _Graph) -> Iterator[_Closure]:
    """The closures of the equalities that are active at the start."""
    held = {e for e, *_ in held_ends(model, graph.where.node)}
    for e in np.flatnonzero(np.asarray(model.eq_active0)).tolist():
        kind = int(model.eq_type[e])
        tendons = [t for t in _objects(model, e) if t >= 0] if kind == EqualityType.TENDON else []
        if kind in (EqualityType.CONNECT, EqualityType.WELD):
            if e in held:
                yield _held_frames(model, graph, e)
        elif any(is_spatial(model, t) for t in tendons):
            yield _two_lengths(model, graph, e)
        elif kind in (EqualityType.JOINT, EqualityType.TENDON):
            yield _coupled_coordinates(model, graph, e)
        else:
            message = "only connect, weld, joint and tendon are simulated in the hard mode"
            raise ModelError(refusal(model, "equality", (e,), "type", message))


def _objects(model: Any, e: int) -> tuple[int, int]:
    """What equality e is about: bodies, sites, joints or tendons; -1: none."""
    return int(model.eq_obj1id[e]), int(model.eq_obj2id[e])


def _held_frames(model: Any, graph: _Graph, e: int) -> _Closure:
    """The closure of a connect or weld: two points, or two frames, coincide."""
    where, ends = graph.where, _ends(model, e)
    nodes, anchors, quats = [], np.zeros((2, 3)), []
    for k, end in enumerate(ends):
        node = int(where.node[end.body])
        centre = graph.com[node] if node >= 0 else np.zeros(3)
        anchors[k] = where.pos[end.body] + matrix(where.quat[end.body]) @ end.pos - centre
        quats.append(multiply(where.quat[end.body], end.quat))
        nodes.append(node)
    # orientation of body 2 in body 1 when closed: first frame equals second frame
    orientation = multiply(quats[0], conjugate(quats[1]))
    kind = EQ_CONNECT if model.eq_type[e] == EqualityType.CONNECT else EQ_WELD
    return _Closure(kind, _filled(nodes), anchors, orientation)


def _ends(model: Any, e: int) -> list[_End]:
    """The two frames of a connect or weld, which coincide where it is closed (of a connect only their origins)."""
    data, objects = np.asarray(model.eq_data[e], float), _objects(model, e)
    one, two = objects
    if int(model.eq_objtype[e]) == ObjType.SITE:
        return [
            _End(int(model.site_bodyid[s]), np.array(model.site_pos[s], float), np.array(model.site_quat[s], float))
            for s in objects
        ]
    if model.eq_type[e] == EqualityType.CONNECT:
        return [_End(one, data[0:3], IDENTITY), _End(two, data[3:6], IDENTITY)]
    # weld: data = the point that is held, in body 2, then in body 1, orientation of body 2 in body 1, torque scale
    return [_End(one, data[3:6], data[6:10]), _End(two, data[0:3], IDENTITY)]


def _two_lengths(model: Any, graph: _Graph, e: int) -> _Closure:
    """An equality of the lengths of two tendons, one of which is spatial, or of one length with a constant."""
    one, two = tendons = _objects(model, e)
    touched = [_bodies_of_tendon(model, graph, t) if t >= 0 else [] for t in tendons]
    reference = [float(model.tendon_length0[t]) if t >= 0 else 0.0 for t in tendons]
    return _Closure(
        EQ_LENGTHS,
        _filled(touched[0] + touched[1]),
        coefficients=np.asarray(model.eq_data[e], float)[:5],
        reference=(reference[0], reference[1]),
        lengths=(one, two, len(touched[0])),
    )


def _coupled_coordinates(model: Any, graph: _Graph, e: int) -> _Closure:
    """An equality of joints, or of fixed tendons."""
    one, two = _objects(model, e)
    joints = model.eq_type[e] == EqualityType.JOINT
    coupling = joint_coupling(model, e, one, two) if joints else tendon_coupling(model, one, two)
    return _Closure(
        EQ_COUPLING,
        _touched((*coupling.first, *coupling.second), graph),
        coupling=coupling,
        coefficients=np.asarray(model.eq_data[e], float)[:5],
        reference=coupling.reference,
    )


def _servos(model: Any, where: Any) -> Iterator[_Closure]:
    """The closures of the servos of orientations."""
    for k, i in enumerate(orientation_servos(model)):
        ends = between(model, where, i)
        if ends.one != ends.two:  # else both frames are in one rigid body
            yield _Closure(EQ_ORIENTATION, _filled([ends.one, ends.two]), servo=k, frames=ends.frames)


def _tendons(model: Any, graph: _Graph, tendons: list[int]) -> Iterator[_Closure]:
    """The closures of the tendons, whose lengths are coordinates."""
    for t in tendons:
        touched = _bodies_of_tendon(model, graph, t)
        if max(touched, default=-1) < 0:
            raise ModelError(refusal(model, "tendon", (t,), "", "it touches no body that moves"))
        if is_spatial(model, t):
            yield _Closure(EQ_PATH, _filled(touched), tendon=t)
        else:
            yield _Closure(EQ_TENDON, _filled(touched), coupling=Coupling(tendon_terms(model, t), [], (0.0, 0.0)), tendon=t)


# bodies


def _bodies_of_tendon(model: Any, graph: _Graph, t: int) -> list[int]:
    """Bodies that a tendon touches, in the order of its closure's slots."""
    if is_spatial(model, t):
        return bodies_of_path(model, graph.where, t)
    return _touched(tendon_terms(model, t), graph)


def _touched(terms: Any, graph: _Graph) -> list[int]:
    """Bodies that the coordinates of the terms move against each other: child and parent of their joints."""
    out = []
    for dof, _ in terms:
        j = int(graph.dof_joint[dof])
        out += [j, int(graph.parent[j])]
    return _filled(out)


def _filled(bodies: list[int], slots: int = FEWEST_SLOTS) -> list[int]:
    """The bodies of a closure, and -1 in the slots that are left."""
    return bodies + [-1] * (slots - len(bodies))
