"""Actuators: arrays `actuator_*`. How many controls, activations and forces each has: `actuator_sizes.py`.

With the moment r (nv) of an actuator at qpos0:  acc0 = |M⁻¹ r|, and a position servo with the damping ratio ζ has the
velocity gain  kv = 2 ζ sqrt(kp m),  m = 1 / (rᵀ M⁻¹ r), the inertia that it moves (of three forces: by the mean of rᵀ M⁻¹ r).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import quaternion
from .actuator_sizes import ORIENTATIONS, activations, control_bits, inputs, outputs
from .checks import MIN_VALUE, Check
from .enums import BiasType, DynType, GainType, JointType, TrnType
from .errors import Problems, nearest
from .layout import Layout
from .reference import ReferenceState
from .samples import past_of, places_in_history
from .slider_crank import slider_crank
from .spec import Actuator, Mechanism
from .tendon_paths import tendon_geometry

Array = np.ndarray

DYN_TYPES, GAIN_TYPES, BIAS_TYPES = (tuple(member.name.lower() for member in enum) for enum in (DynType, GainType, BiasType))
CONTROLLED = (GainType.PID, GainType.DCMOTOR)
"""Gains of servos and motors, with several controls and activations."""
TARGETS = ("joint", "jointinparent", "tendon", "site", "cranksite", "body")
_WIDTHS = {"dynprm": 10, "gainprm": 10, "biasprm": 10, "forcerange": 2, "actrange": 2, "gear": 6}
_WIDTHS |= {"trnid": 2, "lengthrange": 2, "dampingpoly": 2}
_PLAIN = tuple(
    "trntype dyntype gaintype biastype group ctrlspec forcelimited actlimited actearly cranklength armature damping actnum".split()
)


def actuator_arrays(mechanism: Mechanism, layout: Layout, compiled: dict[str, Array], problems: Problems) -> dict[str, Array]:
    """Arrays of the actuators, except those that need the inertia matrix (`servo_arrays`)."""
    rows = [_row(Check(problems, actuator), actuator, layout, compiled, mechanism) for actuator in mechanism.actuators]
    count = len(rows)
    out = {}
    for key in (*_PLAIN, *_WIDTHS):
        shape = (count, _WIDTHS[key]) if key in _WIDTHS else (count,)
        out[f"actuator_{key}"] = np.array([row[key] for row in rows], dtype=float).reshape(shape)
    controls = [control for row in rows for control in row["controls"]]
    out["actuator_ctrlrange"] = np.array([bounds for bounds, _ in controls], dtype=float).reshape(len(controls), 2)
    out["actuator_ctrllimited"] = np.array([limited for _, limited in controls], dtype=float)
    several = np.array([len(row["controls"]) for row in rows], dtype=int)
    forces = np.array([outputs(actuator) for actuator in mechanism.actuators], dtype=int)
    for key in ("actuator_gear", "actuator_lengthrange"):
        out[key] = np.repeat(out[key], forces, axis=0)
    active = out["actuator_actnum"].astype(int)
    address = np.where(active > 0, np.cumsum(active) - active, -1)
    history = np.array([row["past"][:2] for row in rows], dtype=float).reshape(count, 2)
    return out | {
        "actuator_history": history,
        "actuator_historyadr": places_in_history(history, several),
        "actuator_delay": np.array([row["past"][2] for row in rows], dtype=float),
        "actuator_ctrladr": np.cumsum(several) - several,
        "actuator_ctrlnum": several,
        "actuator_outadr": np.cumsum(forces) - forces,
        "actuator_outnum": forces,
        "actuator_actadr": address,
    }


def _row(check: Check, actuator: Actuator, layout: Layout, compiled: dict[str, Array], mechanism: Mechanism) -> dict[str, Any]:
    """The numbers of one actuator by the names of their arrays."""
    tendons = {tendon.name: t for t, tendon in enumerate(mechanism.tendons) if tendon.name}
    transmission = _transmission(check, actuator, layout, tendons)
    dyntype = check.word("dyntype", DYN_TYPES)
    limits = _Limits(*(check.limits(f"{name}range", f"{name}limited", mechanism.settings.autolimits) for name in _LIMITED))
    if limits.act[1] and dyntype == DynType.NONE:
        check.fail("actlimited", "an actuator without activation (dyntype 'none') has no activation to limit")
    gaintype, biastype = check.word("gaintype", GAIN_TYPES), check.word("biastype", BIAS_TYPES)
    gainprm = check.vector("gainprm", 10, least=0)
    states, trntype = _states(check, actuator, layout, transmission, (dyntype, gaintype, biastype))
    inherit = check.scalar("inheritrange", low=0.0)
    if inherit > 0.0:
        bounds = _inherited(check, trntype, transmission[1][0], inherit, compiled), True
        integrates = dyntype == DynType.INTEGRATOR and gaintype not in CONTROLLED
        limits = limits._replace(act=bounds) if integrates else limits._replace(ctrl=bounds)
    damping, armature = _damper_and_rotor(check, trntype)
    biasprm = check.vector("biasprm", 10, least=0)
    if actuator.dampratio is not None:
        biasprm[2] = check.scalar("dampratio", low=0.0)
    if gaintype == GainType.MUSCLE:
        _check_muscle(check, "gainprm", gainprm)
    if biastype == BiasType.MUSCLE:
        _check_muscle(check, "biasprm", biasprm)
    return {
        "trntype": trntype,
        "trnid": transmission[1],
        "dyntype": dyntype,
        "gaintype": gaintype,
        "biastype": biastype,
        "dynprm": check.vector("dynprm", 10, least=0),
        "gainprm": gainprm,
        "biasprm": biasprm,
        "gear": check.vector("gear", 6, least=1),
        "controls": _controls(check, actuator, *limits.ctrl),
        "past": past_of(check, actuator),
        "ctrlspec": control_bits(actuator),
        "forcerange": limits.force[0],
        "forcelimited": limits.force[1],
        "actrange": limits.act[0],
        "actlimited": limits.act[1],
        "actearly": bool(actuator.actearly),
        "actnum": states,
        "group": check.integer("group"),
        "cranklength": check.scalar("cranklength"),
        "armature": armature,
        "damping": damping[0],
        "dampingpoly": damping[1:],
        "lengthrange": np.zeros(2) if actuator.lengthrange is None else check.vector("lengthrange", 2),
    }


_LIMITED = ("ctrl", "force", "act")


class _Limits(NamedTuple):
    """(range (2,), whether it counts) of controls, force and activation."""

    ctrl: tuple[Array, bool]
    force: tuple[Array, bool]
    act: tuple[Array, bool]


def _states(
    check: Check, actuator: Actuator, layout: Layout, transmission: tuple[int, tuple[int, int]], kinds: tuple[int, int, int]
) -> tuple[int, int]:
    """(How many activations an actuator has, its transmission: another one for orientations). kinds: dynamics, gain, bias."""
    dyntype, gaintype, biastype = kinds
    controlled, trntype = gaintype in CONTROLLED, transmission[0]
    states = _controller_states(check, actuator, dyntype, biastype) if controlled else int(dyntype != DynType.NONE)
    if not controlled and (dyntype in (DynType.PID, DynType.DCMOTOR) or biastype == BiasType.DCMOTOR):
        check.fail("gaintype", f"dyntype and biastype of a servo or motor need its gaintype, it is '{actuator.gaintype}'")
    if GainType.SO3 == gaintype or biastype == BiasType.SO3:
        states, trntype = _check_orientation(check, actuator, layout, transmission), int(TrnType.SO3)
    if actuator.actdim not in (-1, states):
        check.fail("actdim", f"{actuator.actdim} is not supported: {states} here, one activation with dynamics, none without")
    return states, trntype


def _damper_and_rotor(check: Check, trntype: int) -> tuple[Array, float]:
    """Damping (3,) and armature of the joint or tendon that an actuator brings with it."""
    damping = check.vector("damping", 3, least=1)
    if damping[0] < 0.0:
        check.fail("damping", f"{damping[0]:g} is negative")
    armature = check.scalar("armature", low=0.0)
    if trntype in (TrnType.SITE, TrnType.SLIDERCRANK, TrnType.BODY):
        for name, value in (("damping", damping), ("armature", armature)):
            if np.any(value != 0.0):
                check.fail(name, "needs a joint or a tendon as target")
    return damping, armature


def _controls(check: Check, actuator: Actuator, ctrlrange: Array, ctrllimited: bool) -> list[tuple[Array, bool]]:
    """(range, limited) of every control; those of a servo have ranges of their own."""
    out = []
    for word in inputs(actuator):
        if actuator.gaintype == "pid" and word in ("vel", "ff"):
            given = getattr(actuator, f"{word}range")
            bounds = np.zeros(2) if given is None else check.vector(f"{word}range", 2)
            if bounds[0] > bounds[1]:
                message = f"the lower bound must be less than the upper one, they are {bounds[0]:g} and {bounds[1]:g}"
                check.fail(f"{word}range", message)
            out.append((bounds, bool(bounds[0] < bounds[1])))
        else:
            out.append((ctrlrange, ctrllimited))
    return out


def _controller_states(check: Check, actuator: Actuator, dyntype: int, biastype: int) -> int:
    """How many activations a servo or motor has; the wheel's rules for its parts."""
    kind, words = actuator.gaintype, inputs(actuator)
    accepted = ["pos", "vel", "ff", "voltage"][: 3 if kind == "pid" else 4]
    if words != [word for word in accepted if word in words]:
        check.fail("input", f"'{actuator.input}' is not some of {accepted}, each once and in this order")
        return 0
    gain, dynamics, bias = (check.vector(key, 10, least=0) for key in ("gainprm", "dynprm", "biasprm"))
    if kind == "pid":
        _check_servo(check, actuator, gain, dynamics, dyntype, biastype)
        return activations(actuator)
    _check_motor(check, actuator, gain, dynamics, dyntype, biastype)
    return activations(actuator) if np.all(np.isfinite(bias)) else 0


def _check_servo(check: Check, actuator: Actuator, gain: Array, dynamics: Array, dyntype: int, biastype: int) -> None:
    """The wheel's rules for a servo."""
    stateful = gain[0] > 0.0 or (dyntype == DynType.PID and dynamics[1] > 0.0)
    if biastype != BiasType.AFFINE:
        check.fail("biastype", f"a servo needs 'affine', it is '{actuator.biastype}'")
    if min(gain[0], dynamics[0], dynamics[1]) < 0.0:
        check.fail("", "ki, imax and slewmax of a servo must not be negative")
    if dyntype != (DynType.PID if stateful else DynType.NONE):
        check.fail("dyntype", f"'{actuator.dyntype}': 'pid' with an integral or a limited slew rate, 'none' without")
    if stateful and "pos" not in inputs(actuator):
        check.fail("input", "an integral and a limited slew rate need the control 'pos'")


def _check_motor(check: Check, actuator: Actuator, gain: Array, dynamics: Array, dyntype: int, biastype: int) -> None:
    """The wheel's rules for a motor."""
    if dyntype != DynType.DCMOTOR or biastype != BiasType.DCMOTOR or not actuator.actearly:
        check.fail("", "a motor needs dyntype, gaintype and biastype 'dcmotor', and actearly")
    if not (gain[0] > 0.0 and gain[1] > 0.0):
        check.fail("", f"resistance and motor constant of a motor must be positive, they are {gain[0]:g} and {gain[1]:g}")
    if dynamics[2] > 0.0 and not dynamics[3] > 0.0:
        check.fail("thermal", "the thermal capacitance must be positive")
    if (np.any(gain[4:7] != 0.0) or dynamics[7] > 0.0) and inputs(actuator) == ["voltage"]:
        check.fail("input", "a controller needs one of the controls 'pos', 'vel', 'ff'")
    if (gain[5] > 0.0 or dynamics[7] > 0.0) and "pos" not in inputs(actuator):  # (the wheel takes the first control for a position)
        check.fail("input", "an integral and a limited slew rate need the control 'pos'")


def _check_orientation(check: Check, actuator: Actuator, layout: Layout, transmission: tuple[int, tuple[int, int]]) -> int:
    """MuJoCo's rules for a servo of an orientation; how many activations it has."""
    kind, target = transmission
    if (actuator.gaintype, actuator.biastype) != ("so3", "so3"):
        found = f"'{actuator.gaintype}' and '{actuator.biastype}'"
        check.fail("gaintype", f"gaintype and biastype must both be 'so3', they are {found}")
    if kind == TrnType.JOINT:
        if target[0] >= 0 and layout.joints[target[0]].type != "ball":
            check.fail("joint", f"'{actuator.joint}' is not a ball joint: no other has an orientation to follow")
    elif kind != TrnType.SITE:
        check.fail("", "an orientation is that of a ball joint, or of a site beside a reference site")
    elif not actuator.refsite:
        check.fail("refsite", "is missing: the orientation of the site is seen from it")
    if actuator.input not in ("", *ORIENTATIONS):
        check.fail("input", f"'{actuator.input}' is not one of {list(ORIENTATIONS)}{nearest(actuator.input, ORIENTATIONS)}")
    if actuator.dyntype not in ("none", "integrator"):
        check.fail("dyntype", f"'{actuator.dyntype}': an orientation has 'none' or 'integrator'")
    elif actuator.dyntype == "integrator" and actuator.input == "quat":
        check.fail("dyntype", "rates of a quaternion are not integrated: the input must be 'expmap'")
    gain, bias = check.vector("gainprm", 10, least=0), check.vector("biasprm", 10, least=0)
    if gain[0] != -bias[1]:
        check.fail("biasprm", f"its second number must be -{gain[0]:g}, the gain's opposite, it is {bias[1]:g}")
    if actuator.forcerange is not None and np.size(actuator.forcerange) == 2 and np.ravel(actuator.forcerange)[0] != 0.0:
        check.fail("forcerange", "bounds the length of the torque: the lower bound must be 0")
    for name in ("armature", "inheritrange"):
        if check.scalar(name) != 0.0:
            check.fail(name, "is not accepted of an orientation")
    if np.any(check.vector("damping", 3, least=1) != 0.0):
        check.fail("damping", "is not accepted of an orientation")
    return activations(actuator)


def _check_muscle(check: Check, attribute: str, prm: Array) -> None:
    """Numbers of a muscle: range 2, force, scale, lmin, lmax, vmax, fpmax, fvmax (MuJoCo's rules)."""
    if not prm[0] < prm[1]:
        check.fail(attribute, f"the range of a muscle must ascend, it is {prm[0]:g} to {prm[1]:g}")
    if not prm[4] < 1.0 < prm[5]:
        check.fail(attribute, f"a muscle needs lmin < 1 < lmax, they are {prm[4]:g} and {prm[5]:g}")
    if not min(prm[3], *prm[6:9]) > 0.0:
        check.fail(attribute, "scale, vmax, fpmax and fvmax of a muscle must be positive")


def _transmission(check: Check, actuator: Actuator, layout: Layout, tendons: dict[str, int]) -> tuple[int, tuple[int, int]]:
    given = [target for target in TARGETS if getattr(actuator, target)]
    if len(given) != 1:
        what = " and ".join(given) or "none"
        check.fail("", f"exactly one target of {list(TARGETS)} is accepted, {what} was given")
        return TrnType.JOINT, (-1, -1)
    if actuator.refsite and given[0] != "site":
        check.fail("refsite", "is only accepted together with site")
    if actuator.slidersite and given[0] != "cranksite":
        check.fail("slidersite", "is only accepted together with cranksite")
    if given[0] == "cranksite":
        if not actuator.cranklength > 0.0:
            check.fail("cranklength", f"a slider-crank needs a rod of positive length, it is {actuator.cranklength:g}")
        crank = check.reference("cranksite", layout.site_ids, "site")
        return TrnType.SLIDERCRANK, (crank, check.reference("slidersite", layout.site_ids, "site"))
    if given[0] == "body":
        return TrnType.BODY, (check.reference("body", layout.body_ids, "body"), -1)
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
    if trntype in (TrnType.SITE, TrnType.SLIDERCRANK, TrnType.BODY) or target < 0:
        check.fail("inheritrange", "needs a joint or a tendon as target")
    elif not ranges[target, 0] < ranges[target, 1]:
        check.fail("inheritrange", "the target has no range to inherit")
    else:
        low, high = ranges[target]  # also of a joint that is not limited
        return 0.5 * (low + high) + 0.5 * factor * (high - low) * np.array([-1.0, 1.0])
    return np.array([-1.0, 1.0])


def servo_arrays(a: dict[str, Array], state: ReferenceState, inverse: Array) -> dict[str, Array]:
    """`actuator_acc0`, `actuator_length0`, and `actuator_biasprm` with damping ratios resolved."""
    rows, biasprm = len(a["actuator_gear"]), a["actuator_biasprm"].copy()
    acc0, length0 = np.zeros(rows), np.zeros(rows)
    for i, first in enumerate(a["actuator_outadr"].astype(int)):
        last = first + int(a["actuator_outnum"][i])
        moments, length0[first:last] = transmission(a, i, state, len(inverse))
        mobilities = []
        for row, moment in zip(range(first, last), moments, strict=True):
            drives = np.flatnonzero(moment)  # (a few: the whole product would cost nv² for each)
            acceleration = inverse[:, drives] @ moment[drives]
            acc0[row] = np.linalg.norm(acceleration)
            mobilities.append(moment[drives] @ acceleration[drives])
        gain, stiffness, ratio = a["actuator_gainprm"][i, 0], -biasprm[i, 1], biasprm[i, 2]
        kind = a["actuator_gaintype"][i]
        if kind == GainType.PID:
            gain = stiffness
        servo = kind in (GainType.FIXED, GainType.PID) and a["actuator_biastype"][i] == BiasType.AFFINE
        if (servo or kind == GainType.SO3) and gain == stiffness and ratio > 0.0:
            # positive where a damping belongs: MuJoCo's mark of a ratio
            mobility = sum(mobilities) / len(mobilities)
            biasprm[i, 2] = -2.0 * ratio * np.sqrt(gain / mobility) if mobility > MIN_VALUE else 0.0
    return {"actuator_acc0": acc0, "actuator_length0": length0, "actuator_biasprm": biasprm}


def transmission(a: dict[str, Array], i: int, state: ReferenceState, nv: int) -> tuple[Array, Array]:
    """Moments (outnum, nv) and lengths (outnum,) of actuator i at qpos0."""
    if a["actuator_trntype"][i] == TrnType.SO3:
        target, reference = (int(number) for number in a["actuator_trnid"][i])
        return _orientation(a, state, target, reference, nv)
    moment, length = _single(a, i, state, nv)
    return moment[None], np.array([length])


def _orientation(a: dict[str, Array], state: ReferenceState, target: int, reference: int, nv: int) -> tuple[Array, Array]:
    """Axes of a ball joint, or of a site that turns beside a reference site; the rotation vector."""
    if reference < 0:
        moments, adr = np.zeros((3, nv)), int(a["jnt_dofadr"][target])
        moments[:, adr : adr + 3] = np.eye(3)
        first = int(a["jnt_qposadr"][target])
        return moments, quaternion.logarithm(a["qpos0"][first : first + 4])
    rows = [_site_transmission(a, state, np.zeros(nv), gear, target, reference)[0] for gear in np.eye(6)[3:]]
    quats = [quaternion.multiply(state.xquat[a["site_bodyid"][s]], a["site_quat"][s]) for s in (target, reference)]
    turn = quaternion.multiply(quaternion.conjugate(quats[1]), quats[0])
    return quaternion.matrix(turn).T @ np.array(rows), quaternion.logarithm(turn)  # rows: along the reference site's axes


def _single(a: dict[str, Array], i: int, state: ReferenceState, nv: int) -> tuple[Array, float]:
    """Moment (nv) and length of the only force of actuator i at qpos0."""
    moment, gear = np.zeros(nv), a["actuator_gear"][int(a["actuator_outadr"][i])]
    target, reference = (int(number) for number in a["actuator_trnid"][i])
    if a["actuator_trntype"][i] == TrnType.SITE:
        return _site_transmission(a, state, moment, gear, target, reference)
    if a["actuator_trntype"][i] == TrnType.BODY:
        return moment, 0.0  # it acts at contacts
    if a["actuator_trntype"][i] == TrnType.SLIDERCRANK:
        return _slider_crank(a, state, gear[0], target, reference, float(a["actuator_cranklength"][i]), nv)
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


def _slider_crank(
    a: dict[str, Array], state: ReferenceState, gear: float, crank: int, slider: int, rod: float, nv: int
) -> tuple[Array, float]:
    """A rod from the pin of a crank to a slider (`slider_crank`): its force acts on both bodies."""
    pose = {}
    for site in (crank, slider):
        body = a["site_bodyid"][site]
        pose[site] = state.xpos[body] + quaternion.rotate(state.xquat[body], a["site_pos"][site])
    turned = quaternion.multiply(state.xquat[a["site_bodyid"][slider]], a["site_quat"][slider])
    axis = quaternion.rotate(turned, np.array([0.0, 0.0, 1.0]))
    apart = pose[crank] - pose[slider]
    length, force, torque = slider_crank(apart[0], apart[1], apart[2], axis[0], axis[1], axis[2], rod)
    moment = np.zeros(nv)
    dofs, velocity, _ = state.jacobian(a["site_bodyid"][crank], pose[crank])
    moment[dofs] += np.array(force) @ velocity
    dofs, velocity, spin = state.jacobian(a["site_bodyid"][slider], pose[slider])
    moment[dofs] += np.array(torque) @ spin - np.array(force) @ velocity
    return gear * moment, gear * length
