"""Tendons: arrays `tendon_*` and `wrap_*`. With J = ∂l/∂q at qpos0 a length's inverse weight is J M⁻¹ Jᵀ."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check
from .enums import TrnType
from .errors import Problems
from .layout import Layout
from .reference import ReferenceState, state_at
from .spec import Mechanism, Tendon, WrapGeom
from .tendon_paths import path_rows, tendon_geometry

Array = np.ndarray
Arrays = Any
"""The model's arrays by name."""

AUTOMATIC = -1.0
"""Of both ends of `springlength`: the length at the joints' spring references."""

_WIDTHS = {"solref_lim": 2, "solimp_lim": 5, "solref_fri": 2, "solimp_fri": 5, "range": 2, "actfrcrange": 2, "lengthspring": 2}
_WIDTHS |= {"stiffnesspoly": 2, "dampingpoly": 2, "rgba": 4}
_PLAIN = "num group limited actfrclimited margin stiffness damping armature frictionloss width".split()


def tendon_arrays(mechanism: Mechanism, layout: Layout, a: Arrays, problems: Problems) -> dict[str, Array]:
    """All arrays of the tendons but those that follow from the geometry (`tendon_lengths`, `tendon_inverse_weights`)."""
    autolimits = mechanism.settings.autolimits
    rows = [_row(Check(problems, tendon), tendon, autolimits) for tendon in mechanism.tendons]
    out = {}
    for key in (*_PLAIN, *_WIDTHS):
        shape = (len(rows), _WIDTHS[key]) if key in _WIDTHS else (len(rows),)
        out[f"tendon_{key}"] = np.array([row[key] for row in rows], dtype=float).reshape(shape)
    number = out["tendon_num"].astype(int)
    out["tendon_adr"] = np.cumsum(number) - number
    wraps = [wrap for tendon in mechanism.tendons for wrap in path_rows(Check(problems, tendon), tendon, layout, a, problems)]
    table = np.array(wraps, dtype=float).reshape(-1, 3)
    return out | {"wrap_type": table[:, 0].astype(int), "wrap_objid": table[:, 1].astype(int), "wrap_prm": table[:, 2].copy()}


def tendon_lengths(a: Arrays, state: ReferenceState) -> dict[str, Array]:
    """Lengths at qpos0 (state), and where springs rest that rest at the joints' spring references."""
    spring = np.array(a["tendon_lengthspring"])
    automatic = np.all(spring == AUTOMATIC, axis=1)
    if np.any(automatic):
        at_spring = state_at(a, a["qpos_spring"])
        spring[automatic] = tendon_geometry(a, at_spring, a["qpos_spring"])[0][automatic, None]
    return {"tendon_length0": tendon_geometry(a, state, a["qpos0"])[0], "tendon_lengthspring": spring}


def tendon_inverse_weights(a: Arrays, state: ReferenceState, inverse: Array) -> Array:
    """`tendon_invweight0` (ntendon)."""
    J = tendon_geometry(a, state, a["qpos0"])[1]
    return np.einsum("ti,ij,tj->t", J, inverse, J)


def armatures(a: Arrays) -> Array:
    """(ntendon,) armature of the tendons, and of the actuators on them, seen through their gears [kg]."""
    out = np.array(a["tendon_armature"], float)
    for u in np.flatnonzero(np.asarray(a["actuator_trntype"]) == TrnType.TENDON):
        gear = a["actuator_gear"][int(a["actuator_outadr"][u])][0]
        out[int(a["actuator_trnid"][u][0])] += gear**2 * a["actuator_armature"][u]
    return out


def tendon_inertia(a: Arrays, state: ReferenceState) -> Array:
    """(nv, nv) what the armature of the tendons, and of the actuators on them, adds to the joint-space inertia. Only what joints of
    one chain share counts: the matrix keeps the pattern of the tree, as in MuJoCo.
    """
    J, nv = tendon_geometry(a, state, a["qpos0"])[1], len(a["dof_parentid"])
    full = np.einsum("t,ti,tj->ij", armatures(a), J, J)
    kept = np.eye(nv, dtype=bool)
    for i, parent in enumerate(a["dof_parentid"]):
        if parent >= 0:
            kept[i] |= kept[parent] & (np.arange(nv) <= parent)
    return np.where(kept | kept.T, full, 0.0)


def _row(check: Check, tendon: Tendon, autolimits: bool) -> dict[str, Any]:
    bounds, limited = check.limits("range", "limited", autolimits)
    force, force_limited = check.limits("actuatorfrcrange", "actuatorfrclimited", autolimits)
    stiffness, damping = check.vector("stiffness", 3, least=1), check.vector("damping", 3, least=1)
    spring = check.vector("springlength", 2, least=1, fill=(AUTOMATIC, AUTOMATIC))
    if np.size(tendon.springlength) == 1:
        spring[1] = spring[0]
    if spring[0] > spring[1]:
        check.fail("springlength", f"{spring[0]:g} {spring[1]:g}: the lower end must not be above the upper end")
    if force_limited and not force[0] <= 0.0 <= force[1]:
        check.fail("actuatorfrcrange", f"{force[0]:g} {force[1]:g}: the range must include zero")
    if float(check.scalar("armature", low=0.0)) > 0.0 and any(isinstance(part, WrapGeom) for part in tendon.path):
        check.fail("armature", "is not accepted for a tendon that wraps around geoms (MuJoCo's rule)")
    width = check.scalar("width")
    if width <= 0.0:
        check.fail("width", f"{width:g} is not positive")
    return {
        "num": len(tendon.path),
        "group": check.integer("group"),
        "limited": limited,
        "actfrclimited": force_limited,
        "solref_lim": check.vector("solreflimit", 2),
        "solimp_lim": check.vector("solimplimit", 5),
        "solref_fri": check.vector("solreffriction", 2),
        "solimp_fri": check.vector("solimpfriction", 5),
        "range": bounds,
        "actfrcrange": force,
        "margin": check.scalar("margin"),
        "stiffness": stiffness[0],
        "stiffnesspoly": stiffness[1:],
        "damping": damping[0],
        "dampingpoly": damping[1:],
        "armature": check.scalar("armature", low=0.0),
        "frictionloss": check.scalar("frictionloss", low=0.0),
        "lengthspring": spring,
        "width": width,
        "rgba": check.vector("rgba", 4),
    }
