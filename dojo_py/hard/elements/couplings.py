"""Model → couplings of joint coordinates for the Layout: joint and tendon equalities, and the fixed tendons themselves.

A coupling is made of terms, each a coefficient times a coordinate. An equality of joints or tendons has the terms of its first
side, then those of its second; a tendon has one side, its length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import EqualityType, TrnType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.reference import by_tendon
from dojo_py.mechanism.source import refusal
from dojo_py.mechanism.tendon_paths import is_spatial

Array = np.ndarray

MJ_SLIDE, MJ_HINGE = 2, 3


class Coupling(NamedTuple):
    """Terms (degree of freedom, coefficient) of both sides, and the reference values subtracted from them."""

    first: list[tuple[int, float]]
    second: list[tuple[int, float]]
    reference: tuple[float, float]


def tendon_terms(model: Any, t: int) -> list[tuple[int, float]]:
    """Terms of fixed tendon t."""
    path = range(int(model.tendon_adr[t]), int(model.tendon_adr[t]) + int(model.tendon_num[t]))
    return [(int(model.jnt_dofadr[model.wrap_objid[w]]), float(model.wrap_prm[w])) for w in path]


def joint_coupling(model: Any, e: int, one: int, two: int) -> Coupling:
    """The Coupling of joint equality e; two: -1 for a constant."""
    sides: list[list[tuple[int, float]]] = [[], []]
    reference = [0.0, 0.0]
    for side, joint in enumerate((one, two)):
        if joint < 0:
            continue
        if int(model.jnt_type[joint]) not in (MJ_HINGE, MJ_SLIDE):
            raise ModelError(refusal(model, "equality", (e,), "", "joint coupling needs hinges or slides"))
        sides[side].append((int(model.jnt_dofadr[joint]), 1.0))
        reference[side] = float(model.qpos0[int(model.jnt_qposadr[joint])])
    return Coupling(sides[0], sides[1], (reference[0], reference[1]))


def tendon_coupling(model: Any, one: int, two: int) -> Coupling:
    """The Coupling of a tendon equality; two: -1 for a constant."""
    sides = [tendon_terms(model, t) if t >= 0 else [] for t in (one, two)]
    length0 = [float(model.tendon_length0[t]) if t >= 0 else 0.0 for t in (one, two)]
    return Coupling(sides[0], sides[1], (length0[0], length0[1]))


def acting_tendons(model: Any) -> list[int]:
    """Tendons with a constitutive law or limits, those that actuators pull on, and those of equalities with a spatial one."""
    names = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "armature", "frictionloss", "limited")
    acts = np.zeros(int(getattr(model, "ntendon", 0)), bool)
    for name in names if len(acts) else ():
        acts |= np.asarray(getattr(model, f"tendon_{name}")).reshape(len(acts), -1).astype(bool).any(axis=1)
    for kind, (target, _) in zip(model.actuator_trntype, model.actuator_trnid, strict=True):
        if int(kind) == TrnType.TENDON:
            acts[int(target)] = True
    for kind, *ends in zip(model.eq_type, model.eq_obj1id, model.eq_obj2id, strict=True):
        mine = [int(t) for t in ends if t >= 0] if int(kind) == EqualityType.TENDON else []
        if any(is_spatial(model, t) for t in mine):
            acts[mine] = True
    return [int(t) for t in np.flatnonzero(acts)]


def tendon_numbers(model: Any, tendons: list[int]) -> dict[str, Array]:
    """Rows of tendons for the Layout's `dof_…`, by name, and `rest` (n, 2), lengths without spring force."""
    pick = np.array(tendons, int)
    if not tendons:
        return {name: np.zeros(0) for name in (*_NUMBERS, "inertia")} | {name: np.zeros((0, 2)) for name in (*_PAIRS, "rest")}
    numbers = {name: np.asarray(getattr(model, f"tendon_{name}"), float)[pick] for name in (*_NUMBERS, *_PAIRS)}
    arrays: Any = Arrays(model)
    for name in ("damping", "dampingpoly", "armature"):
        numbers[name] = numbers[name] + by_tendon(arrays, f"actuator_{name}")[pick]
    numbers["inertia"] = 1.0 / np.maximum(np.asarray(model.tendon_invweight0, float)[pick], 1e-12)
    numbers["rest"] = np.asarray(model.tendon_lengthspring, float)[pick]
    return numbers


_NUMBERS = ("damping", "armature", "frictionloss", "stiffness")
_PAIRS = ("dampingpoly", "stiffnesspoly")


def tendon_limits(model: Any, tendons: list[int], first: int) -> list[tuple[int, float, float]]:
    """Rows (coordinate, sign, bound) of the limits of tendons, whose coordinates begin at `first`."""
    rows = []
    for k, t in enumerate(tendons):
        if model.tendon_limited[t]:
            lower, upper = model.tendon_range[t]
            rows += [(first + k, 1.0, float(lower)), (first + k, -1.0, float(upper))]
    return rows
