"""Tendons: arrays `tendon_*` and `wrap_*`. A fixed tendon's length is linear in the coordinates of hinges and slides:

    l = Σ c_i q_i,     J = ∂l/∂q,     inverse weight = J M⁻¹ Jᵀ  at qpos0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check
from .enums import JointType, WrapType
from .errors import Problems
from .layout import Layout
from .spec import Mechanism, Tendon

Array = np.ndarray
Arrays = Any
"""The model's arrays by name."""

AUTOMATIC = -1.0
"""Of both ends of `springlength`: the length at the joints' spring references."""

_WIDTHS = {"solref_lim": 2, "solimp_lim": 5, "solref_fri": 2, "solimp_fri": 5, "range": 2, "actfrcrange": 2, "lengthspring": 2}
_WIDTHS |= {"stiffnesspoly": 2, "dampingpoly": 2, "rgba": 4}
_PLAIN = "num group limited actfrclimited margin stiffness damping armature frictionloss width".split()


def tendon_arrays(mechanism: Mechanism, layout: Layout, a: dict[str, Array], problems: Problems) -> dict[str, Array]:
    """All arrays of the tendons but the inverse weight (`tendon_inverse_weights`)."""
    autolimits = mechanism.settings.autolimits
    rows = [_row(Check(problems, tendon), tendon, autolimits) for tendon in mechanism.tendons]
    out = {}
    for key in (*_PLAIN, *_WIDTHS):
        shape = (len(rows), _WIDTHS[key]) if key in _WIDTHS else (len(rows),)
        out[f"tendon_{key}"] = np.array([row[key] for row in rows], dtype=float).reshape(shape)
    number = out["tendon_num"].astype(int)
    out["tendon_adr"] = np.cumsum(number) - number
    path = [term for tendon in mechanism.tendons for term in _path(Check(problems, tendon), tendon, layout, problems)]
    out["wrap_type"] = np.full(len(path), WrapType.JOINT)
    out["wrap_objid"] = np.array([joint for joint, _ in path], dtype=int)
    out["wrap_prm"] = np.array([coef for _, coef in path], dtype=float)
    if path and min(out["wrap_objid"]) < 0:  # reported
        return out | dict.fromkeys(("tendon_length0", "tendon_invweight0"), np.zeros(len(rows)))
    out["tendon_length0"] = lengths_at(a | out, a["qpos0"])
    automatic = np.all(out["tendon_lengthspring"] == AUTOMATIC, axis=1)
    out["tendon_lengthspring"][automatic] = lengths_at(a | out, a["qpos_spring"])[automatic, None]
    return out


def lengths_at(a: Arrays, qpos: Array) -> Array:
    """(ntendon,) lengths at qpos (nq,)."""
    free = np.isin(a["jnt_type"], (JointType.HINGE, JointType.SLIDE))
    return tendon_jacobian(a, len(a["dof_parentid"]))[:, a["jnt_dofadr"][free]] @ qpos[a["jnt_qposadr"][free]]


def tendon_jacobian(a: Arrays, nv: int) -> Array:
    """(ntendon, nv) derivative of the lengths by the coordinates."""
    J = np.zeros((len(a["tendon_num"]), nv))
    for t, (first, number) in enumerate(zip(a["tendon_adr"].astype(int), a["tendon_num"].astype(int), strict=True)):
        for w in range(first, first + number):
            J[t, a["jnt_dofadr"][a["wrap_objid"][w]]] += a["wrap_prm"][w]
    return J


def tendon_inverse_weights(a: Arrays, inverse: Array) -> Array:
    """`tendon_invweight0` (ntendon)."""
    J = tendon_jacobian(a, len(inverse))
    return np.einsum("ti,ij,tj->t", J, inverse, J)


def tendon_inertia(a: Arrays, nv: int) -> Array:
    """(nv, nv) what the armature of the tendons adds to the joint-space inertia. Only what joints of one chain share counts:
    the matrix keeps the pattern of the tree, as in MuJoCo.
    """
    J = tendon_jacobian(a, nv)
    full = np.einsum("t,ti,tj->ij", a["tendon_armature"], J, J)
    kept = np.eye(nv, dtype=bool)
    for i, parent in enumerate(a["dof_parentid"]):
        if parent >= 0:
            kept[i] |= kept[parent] & (np.arange(nv) <= parent)
    return np.where(kept | kept.T, full, 0.0)


def _path(check: Check, tendon: Tendon, layout: Layout, problems: Problems) -> list[tuple[int, float]]:
    """Joint and coefficient of each term."""
    if not tendon.path:
        check.fail("", "a tendon needs a path")
    out: list[tuple[int, float]] = []
    for term in tendon.path:
        inner = Check(problems, term)
        joint = inner.reference("joint", layout.joint_ids, "joint")
        if joint >= 0 and layout.joints[joint].type not in ("hinge", "slide"):
            inner.fail("joint", f"joint '{term.joint}' is not a hinge or a slide")
        if joint >= 0 and joint in [known for known, _ in out]:
            inner.fail("joint", f"joint '{term.joint}' is in the tendon already")
        out.append((joint, inner.scalar("coef")))
    return out


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
        "width": check.scalar("width"),
        "rgba": check.vector("rgba", 4),
    }
