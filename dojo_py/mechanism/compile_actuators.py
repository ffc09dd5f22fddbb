"""Actuators: arrays `actuator_*`. Every actuator here has one control, one output and at most one activation.

With the moment r (nv) of an actuator at qpos0:  acc0 = |M⁻¹ r|, and a position servo with the damping ratio ζ has the
velocity gain  kv = 2 ζ sqrt(kp m),  m = 1 / (rᵀ M⁻¹ r), the inertia that it moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import quaternion
from .checks import MIN_VALUE, Check
from .enums import BiasType, DynType, GainType, JointType, TrnType
from .errors import Problems
from .layout import Layout
from .reference import ReferenceState
from .spec import Actuator, Mechanism
from .tendon_paths import tendon_geometry

Array = np.ndarray

DYN_TYPES, GAIN_TYPES, BIAS_TYPES = (
    tuple(member.name.lower() for member in enum) for enum in (DynType, GainType, BiasType)
)
TARGETS = ("joint", "jointinparent", "tendon", "site")
_WIDTHS = {"dynprm": 10, "gainprm": 10, "biasprm": 10, "ctrlrange": 2, "forcerange": 2, "actrange": 2, "gear": 6}
_WIDTHS |= {"trnid": 2, "lengthrange": 2, "dampingpoly": 2}
_PLAIN = tuple(
    "trntype dyntype gaintype biastype group ctrllimited forcelimited actlimited actearly cranklength armature damping"
    " actnum".split()
)


def actuator_arrays(
    mechanism: Mechanism, layout: Layout, compiled: dict[str, Array], problems: Problems
) -> dict[str, Array]:
    """Arrays of the actuators, except those that need the inertia matrix (`servo_arrays`)."""
    rows = [_row(Check(problems, actuator), actuator, layout, compiled, mechanism) for actuator in mechanism.actuators]
    count = len(rows)
    out = {}
    for key in (*_PLAIN, *_WIDTHS):
        shape = (count, _WIDTHS[key]) if key in _WIDTHS else (count,)
        out[f"actuator_{key}"] = np.array([row[key] for row in rows], dtype=float).reshape(shape)
    numbers, ones = np.arange(count), np.ones(count, dtype=int)
    active = out["actuator_actnum"].astype(int)
    address = np.where(active > 0, np.cumsum(active) - active, -1)
    return out | {
        "actuator_ctrladr": numbers,
        "actuator_ctrlnum": ones,
        "actuator_outadr": numbers,
        "actuator_outnum": ones,
        "actuator_actadr": address,
    }


def _row(
    check: Check, actuator: Actuator, layout: Layout, compiled: dict[str, Array], mechanism: Mechanism
) -> dict[str, Any]:
    autolimits = mechanism.settings.autolimits
    tendons = {tendon.name: t for t, tendon in enumerate(mechanism.tendons) if tendon.name}
    trntype, trnid = _transmission(check, actuator, layout, tendons)
    dyntype = check.word("dyntype", DYN_TYPES)
    ctrlrange, ctrllimited = check.limits("ctrlrange", "ctrllimited", autolimits)
    forcerange, forcelimited = check.limits("forcerange", "forcelimited", autolimits)
    actrange, actlimited = check.limits("actrange", "actlimited", autolimits)
    if actlimited and dyntype == DynType.NONE:
        check.fail("actlimited", "an actuator without activation (dyntype 'none') has no activation to limit")
    if actuator.actdim not in (-1, 1 if dyntype != DynType.NONE else 0):
        check.fail("actdim", f"{actuator.actdim} is not supported: one activation with dynamics, none without")
    inherit = check.scalar("inheritrange", low=0.0)
    if inherit > 0.0:
        bounds = _inherited(check, trntype, trnid[0], inherit, compiled)
        if dyntype == DynType.INTEGRATOR:
            actrange, actlimited = bounds, True
        else:
            ctrlrange, ctrllimited = bounds, True
    damping = check.vector("damping", 3, least=1)
    if damping[0] < 0.0:
        check.fail("damping", f"{damping[0]:g} is negative")
    biasprm = check.vector("biasprm", 10, least=0)
    if actuator.dampratio is not None:
        biasprm[2] = check.scalar("dampratio", low=0.0)
    gaintype, biastype = check.word("gaintype", GAIN_TYPES), check.word("biastype", BIAS_TYPES)
    gainprm = check.vector("gainprm", 10, least=0)
    if gaintype == GainType.MUSCLE:
        _check_muscle(check, "gainprm", gainprm)
    if biastype == BiasType.MUSCLE:
        _check_muscle(check, "biasprm", biasprm)
    return {
        "trntype": trntype,
        "trnid": trnid,
        "dyntype": dyntype,
        "gaintype": gaintype,
        "biastype": biastype,
        "dynprm": check.vector("dynprm", 10, least=0),
        "gainprm": gainprm,
        "biasprm": biasprm,
        "gear": check.vector("gear", 6, least=1),
        "ctrlrange": ctrlrange,
        "ctrllimited": ctrllimited,
        "forcerange": forcerange,
        "forcelimited": forcelimited,
        "actrange": actrange,
        "actlimited": actlimited,
        "actearly": bool(actuator.actearly),
        "actnum": int(dyntype != DynType.NONE),
        "group": check.integer("group"),
        "cranklength": 0.0,
        "armature": check.scalar("armature", low=0.0),
        "damping": damping[0],
        "dampingpoly": damping[1:],
        "lengthrange": np.zeros(2) if actuator.lengthrange is None else check.vector("lengthrange", 2),
    }


def _check_muscle(check: Check, attribute: str, prm: Array) -> None:
    """Numbers of a muscle: range 2, force, scale, lmin, lmax, vmax, fpmax, fvmax (MuJoCo's rules)."""
    if not prm[0] < prm[1]:
        check.fail(attribute, f"the range of a muscle must ascend, it is {prm[0]:g} to {prm[1]:g}")
    if not prm[4] < 1.0 < prm[5]:
        check.fail(attribute, f"a muscle needs lmin < 1 < lmax, they are {prm[4]:g} and {prm[5]:g}")
    if not min(prm[3], *prm[6:9]) > 0.0:
        check.fail(attribute, "scale, vmax, fpmax and fvmax of a muscle must be positive")


def _transmission(
    check: Check, actuator: Actuator, layout: Layout, tendons: dict[str, int]
) -> tuple[int, tuple[int, int]]:
    given = [target for target in TARGETS if getattr(actuator, target)]
    if len(given) != 1:
        what = " and ".join(given) or "none"
        check.fail("", f"exactly one target of {list(TARGETS)} is accepted, {what} was given")
        return TrnType.JOINT, (-1, -1)
    if actuator.refsite and given[0] != "site":
        check.fail("refsite", "is only accepted together with site")
    if given[0] == "site":
        site = check.reference("site", layout.site_ids, "site")
        return TrnType.SITE, (site, check.reference("refsite", layout.site_ids, "site") if actuator.refsite else -1)
    if given[0] == "tendon":
        return TrnType.TENDON, (check.reference("tendon", tendons, "tendon"), -1)
    joint = check.reference(given[0], layout.joint_ids, "joint")
    return TrnType.JOINTINPARENT if given[0] == "jointinparent" else TrnType.JOINT, (joint, -1)


def _inherited(check: Check, trntype: int, target: int, factor: float, compiled: dict[str, Array]) -> Array:
    """Range of a position target: that of the joint or tendon, widened by `factor` about its middle."""
    ranges = compiled["tendon_range" if trntype == TrnType.TENDON else "jnt_range"]
    if trntype == TrnType.SITE or target < 0:
        check.fail("inheritrange", "needs a joint or a tendon as target")
    elif not ranges[target, 0] < ranges[target, 1]:
        check.fail("inheritrange", "the target has no range to inherit")
    else:
        low, high = ranges[target]  # also of a joint that is not limited
        return 0.5 * (low + high) + 0.5 * factor * (high - low) * np.array([-1.0, 1.0])
    return np.array([-1.0, 1.0])


def servo_arrays(a: dict[str, Array], state: ReferenceState, inverse: Array) -> dict[str, Array]:
    """`actuator_acc0`, `actuator_length0`, and `actuator_biasprm` with damping ratios resolved."""
    count = len(a["actuator_trntype"])
    acc0, length0, biasprm = np.zeros(count), np.zeros(count), a["actuator_biasprm"].copy()
    for i in range(count):
        moment, length0[i] = transmission(a, i, state, len(inverse))
        drives = np.flatnonzero(moment)  # (a few: the whole product would cost nv² for each)
        acceleration = inverse[:, drives] @ moment[drives]
        acc0[i] = np.linalg.norm(acceleration)
        gain, stiffness, ratio = a["actuator_gainprm"][i, 0], -biasprm[i, 1], biasprm[i, 2]
        servo = a["actuator_gaintype"][i] == GainType.FIXED and a["actuator_biastype"][i] == BiasType.AFFINE
        if servo and gain == stiffness and ratio > 0.0:  # positive where a damping belongs: MuJoCo's mark of a ratio
            mobility = moment[drives] @ acceleration[drives]
            biasprm[i, 2] = -2.0 * ratio * np.sqrt(gain / mobility) if mobility > MIN_VALUE else 0.0
    return {"actuator_acc0": acc0, "actuator_length0": length0, "actuator_biasprm": biasprm}


def transmission(a: dict[str, Array], i: int, state: ReferenceState, nv: int) -> tuple[Array, float]:
    """Moment (nv) and length of actuator i at qpos0."""
    moment, gear, (target, reference) = np.zeros(nv), a["actuator_gear"][i], a["actuator_trnid"][i].astype(int)
    if a["actuator_trntype"][i] == TrnType.SITE:
        return _site_transmission(a, state, moment, gear, target, reference)
    if a["actuator_trntype"][i] == TrnType.TENDON:
        return gear[0] * tendon_geometry(a, state, a["qpos0"])[1][target], float(gear[0] * a["tendon_length0"][target])
    kind, adr = a["jnt_type"][target], a["jnt_dofadr"][target]
    if kind == JointType.FREE:
        moment[adr : adr + 6] = gear
        if a["actuator_trntype"][i] == TrnType.JOINTINPARENT:
            moment[adr + 3 : adr + 6] = quaternion.matrix(state.xquat[a["jnt_bodyid"][target]]).T @ gear[3:]
        return moment, 0.0
    if kind == JointType.BALL:
        moment[adr : adr + 3] = gear[:3]
        return moment, 0.0
    moment[adr] = gear[0]
    return moment, float(gear[0] * a["qpos0"][a["jnt_qposadr"][target]])


def _site_transmission(
    a: dict[str, Array], state: ReferenceState, moment: Array, gear: Array, site: int, reference: int
) -> tuple[Array, float]:
    """A wrench `gear` (force 3, torque 3) on the site, in the frame of the site or of the reference site."""
    positions, quats, moments = [], [], []
    for s in (site, reference) if reference >= 0 else (site,):
        body = a["site_bodyid"][s]
        positions.append(state.xpos[body] + quaternion.rotate(state.xquat[body], a["site_pos"][s]))
        quats.append(quaternion.multiply(state.xquat[body], a["site_quat"][s]))
        moments.append(np.zeros((6, len(moment))))
        dofs, velocity, spin = state.jacobian(body, positions[-1])
        moments[-1][:3, dofs], moments[-1][3:, dofs] = velocity, spin
    frame = quaternion.matrix(quats[-1])
    wrench = np.concatenate([frame @ gear[:3], frame @ gear[3:]])
    if reference < 0:
        return wrench @ moments[0], 0.0
    relative = moments[0] - moments[1]
    # both sites move rigidly with their common ancestors: those joints are not driven
    common = np.intersect1d(*(state.dofs_of_body[a["site_bodyid"][s]] for s in (site, reference)))
    relative[:, common] = 0.0
    turn = quaternion.logarithm(quaternion.multiply(quaternion.conjugate(quats[1]), quats[0]))
    length = gear[:3] @ (frame.T @ (positions[0] - positions[1])) + gear[3:] @ turn
    return wrench @ relative, float(length)
