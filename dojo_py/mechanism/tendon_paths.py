"""Paths of tendons: rows `wrap_*`, lengths and moment arms at a configuration.

    fixed      l = Σ c q                                       c, q: coefficient and coordinate of hinges and slides
    spatial    l = Σ (straight pieces + pieces on objects) / divisor,     ∂l/∂q = Σ u · (J_b - J_a) / divisor

u: direction of the straight piece from point a to point b, J: Jacobians of their velocities (3, nv). How it wraps: wrapping.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import quaternion
from .checks import Check
from .enums import GeomType, WrapType
from .errors import Problems
from .layout import Layout
from .reference import ReferenceState
from .spec import JointTerm, Pulley, SitePoint, Tendon, WrapGeom
from .wrapping import unit3, wrap

Array = np.ndarray
Row = tuple[int, int, float]
"""(type, number of the object, parameter) of one part of a path."""

WRAPPABLE = {GeomType.SPHERE: WrapType.SPHERE, GeomType.CYLINDER: WrapType.CYLINDER}


def is_spatial(model: Any, t: int) -> bool:
    """Whether tendon t follows sites."""
    return int(model.wrap_type[int(model.tendon_adr[t])]) != WrapType.JOINT


def wraps_geoms(model: Any, t: int) -> bool:
    """Whether tendon t may wrap around geoms."""
    first = int(model.tendon_adr[t])
    kinds = np.asarray(model.wrap_type)[first : first + int(model.tendon_num[t])]
    return bool(np.isin(kinds, (WrapType.SPHERE, WrapType.CYLINDER)).any())


def path_rows(check: Check, tendon: Tendon, layout: Layout, a: Any, problems: Problems) -> list[Row]:
    """The path of a tendon; what is wrong with it is reported."""
    if not tendon.path:
        check.fail("", "a tendon needs a path")
        return []
    fixed = isinstance(tendon.path[0], JointTerm)
    rows: list[Row] = []
    for part in tendon.path:
        inner = Check(problems, part)
        if isinstance(part, JointTerm) != fixed:
            inner.fail("", "joints and other parts cannot stand in one tendon")
        rows.append(_part(inner, part, layout, a))
        if isinstance(part, JointTerm) and rows[-1][1] >= 0 and rows[-1][:2] in [row[:2] for row in rows[:-1]]:
            inner.fail("joint", f"joint '{part.joint}' is in the tendon already")
    if not fixed:
        _check_order(tendon, rows, problems)
    return rows


def _part(check: Check, part: Any, layout: Layout, a: Any) -> Row:
    if isinstance(part, JointTerm):
        joint = check.reference("joint", layout.joint_ids, "joint")
        if joint >= 0 and layout.joints[joint].type not in ("hinge", "slide"):
            check.fail("joint", f"joint '{part.joint}' is not a hinge or a slide")
        return WrapType.JOINT, joint, check.scalar("coef")
    if isinstance(part, Pulley):
        divisor = check.scalar("divisor")
        if not divisor > 0.0:
            check.fail("divisor", f"{divisor:g} is not positive")
        return WrapType.PULLEY, -1, divisor
    if isinstance(part, SitePoint):
        return WrapType.SITE, check.reference("site", layout.site_ids, "site"), 0.0
    if isinstance(part, WrapGeom):
        geom = check.reference("geom", layout.geom_ids, "geom")
        kind = int(a["geom_type"][geom]) if geom >= 0 else int(GeomType.SPHERE)
        if kind not in WRAPPABLE:
            check.fail("geom", f"geom '{part.geom}' is not a sphere or a cylinder")
        side = check.reference("sidesite", layout.site_ids, "site") if part.sidesite else -1
        return WRAPPABLE.get(GeomType(kind), WrapType.SPHERE), geom, float(side)
    check.fail("", f"{part!r} is not a part of a tendon; accepted: JointTerm, SitePoint, WrapGeom, Pulley")
    return WrapType.SITE, -1, 0.0


def _check_order(tendon: Tendon, rows: list[Row], problems: Problems) -> None:
    """A geom stands between two sites, a pulley before a branch, and a branch has two sites at least."""
    kinds = [row[0] for row in rows]
    pulley, site = WrapType.PULLEY, WrapType.SITE
    if len(rows) < 2:
        Check(problems, tendon).fail("", "a spatial tendon needs two sites at least")
    for i, (part, kind) in enumerate(zip(tendon.path, kinds, strict=True)):
        before = kinds[i - 1] if i > 0 else pulley
        after = kinds[i + 1] if i + 1 < len(kinds) else pulley
        message = ""
        if kind == pulley and i + 1 == len(kinds):
            message = "a tendon cannot end with a pulley"
        elif kind == pulley and i > 0 and before == pulley:
            message = "two pulleys cannot follow each other"
        elif kind == site and before == pulley and after == pulley:
            message = "a site needs a neighbour that is not a pulley"
        elif kind == site and before == site and rows[i] == rows[i - 1]:
            message = "the same site cannot follow itself"
        elif kind > site and not (before == site and after == site):
            message = "a geom must stand between two sites"
        if message:
            Check(problems, part).fail("", message)


def tendon_geometry(a: Any, state: ReferenceState, qpos: Array) -> tuple[Array, Array]:
    """(lengths (ntendon,), their derivatives (ntendon, nv)) at qpos (nq,), of which `state` holds the world's quantities."""
    count = len(a["tendon_num"])
    lengths, J = np.zeros(count), np.zeros((count, len(a["dof_parentid"])))
    for t in range(count):
        first = int(a["tendon_adr"][t])
        last = first + int(a["tendon_num"][t])
        if last > first and a["wrap_type"][first] == WrapType.JOINT:
            for w in range(first, last):
                joint = int(a["wrap_objid"][w])
                J[t, a["jnt_dofadr"][joint]] += a["wrap_prm"][w]
                lengths[t] += a["wrap_prm"][w] * qpos[a["jnt_qposadr"][joint]]
        else:
            lengths[t] = _spatial(a, state, first, last, J[t])
    return lengths, J


def _spatial(a: Any, state: ReferenceState, first: int, last: int, row: Array) -> float:
    length = 0.0
    for piece in _pieces(a, state, first, last):
        length += piece.curve + _arms(state, piece, row)
    return length


def pulls(a: Any, state: Any, t: int) -> Iterator[tuple[int, Array, Array]]:
    """(body, point, ∂l/∂point) of all points where spatial tendon t pulls, world axes; state: has xpos (nbody, 3) and xquat."""
    first = int(a["tendon_adr"][t])
    for piece in _pieces(a, state, first, first + int(a["tendon_num"][t])):
        (body_a, one), (body_b, two) = piece.ends
        direction = np.array(unit3(tuple(two - one))) / piece.divisor
        if body_a != body_b:
            yield body_b, two, direction
            yield body_a, one, -direction


class _Piece(NamedTuple):
    """A straight piece between two points, each with its body; a length on an object counts with the first piece beside it."""

    ends: tuple[tuple[int, Array], tuple[int, Array]]
    divisor: float
    curve: float


def _pieces(a: Any, state: Any, first: int, last: int) -> Iterator[_Piece]:
    """The straight pieces of the path from part `first` up to, but not including, part `last`."""
    divisor, w = 1.0, first
    kinds = a["wrap_type"]
    while w < last - 1:
        if kinds[w] == WrapType.PULLEY:
            divisor = float(a["wrap_prm"][w])
        if WrapType.PULLEY in (kinds[w], kinds[w + 1]):
            w += 1
            continue
        wrapped = kinds[w + 1] != WrapType.SITE
        one, two = _site(a, state, int(a["wrap_objid"][w])), _site(a, state, int(a["wrap_objid"][w + 1 + wrapped]))
        points, curve = [one, two], 0.0
        if wrapped:
            found, between = _around(a, state, w + 1, one[1], two[1])
            if found >= 0.0:
                points, curve = [one, *between, two], found / divisor
        for ends in zip(points[::2], points[1::2], strict=True):
            yield _Piece(ends, divisor, curve)
            curve = 0.0
        w += 1 + wrapped


def _arms(state: ReferenceState, piece: _Piece, row: Array) -> float:
    """Length of a straight piece, its moment arms added to row (nv,)."""
    (body_a, a), (body_b, b) = piece.ends
    direction = np.array(unit3(tuple(b - a)))
    if body_a != body_b:
        for body, point, sign in ((body_b, b, 1.0), (body_a, a, -1.0)):
            dofs, velocity, _ = state.jacobian(body, point)
            row[dofs] += sign / piece.divisor * (direction @ velocity)
    return float(np.linalg.norm(b - a)) / piece.divisor


def _site(a: Any, state: ReferenceState, s: int) -> tuple[int, Array]:
    """Body and position of a site."""
    body = int(a["site_bodyid"][s])
    return body, state.xpos[body] + quaternion.rotate(state.xquat[body], np.asarray(a["site_pos"][s], float))


def _around(a: Any, state: ReferenceState, w: int, one: Array, two: Array) -> tuple[float, list[tuple[int, Array]]]:
    """(length on the object of part w, body and point where the tendon comes and leaves); a length below 0: straight."""
    geom, side = int(a["wrap_objid"][w]), int(a["wrap_prm"][w])
    body = int(a["geom_bodyid"][geom])
    centre = state.xpos[body] + quaternion.rotate(state.xquat[body], np.asarray(a["geom_pos"][geom], float))
    R = quaternion.matrix(quaternion.multiply(state.xquat[body], np.asarray(a["geom_quat"][geom], float)))
    local = [tuple(R.T @ (p - centre)) for p in (one, two, _site(a, state, max(side, 0))[1] if side >= 0 else one)]
    cylinder = a["wrap_type"][w] == WrapType.CYLINDER
    curve, p, q = wrap(local[0], local[1], float(a["geom_size"][geom][0]), cylinder, side >= 0, local[2])
    return curve, [(body, centre + R @ np.array(p)), (body, centre + R @ np.array(q))]
