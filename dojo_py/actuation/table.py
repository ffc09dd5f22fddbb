"""Model → ActuatorTable: the actuators as flat arrays for the kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.controlled import GAIN_DCMOTOR, GAIN_PID
from dojo_py.actuation.force import BIAS_AFFINE, BIAS_MUSCLE, GAIN_AFFINE, GAIN_MUSCLE
from dojo_py.actuation.short_way import of_rotations
from dojo_py.actuation.transmission import ADHESION, BALL, CRANK, FREE, ORIENTATION, SCALAR, SITE, TENDON
from dojo_py.mechanism.enums import DisableBit, JointType, TrnType

Array = np.ndarray


class ActuatorTable(NamedTuple):
    """One row per actuator, n rows. Forces in N or N m, lengths in m or rad."""

    transmission: np.ndarray  # (n,) SCALAR, BALL, FREE, SITE, TENDON, CRANK, ADHESION or ORIENTATION
    in_parent: np.ndarray  # (n,) 1: ball and free joints, torque axis in the parent
    gear: np.ndarray  # (n, 6)
    qadr: np.ndarray  # (n,) first entry of the joint in qpos
    dof: np.ndarray  # (n,) first entry of the joint in qvel; nv + t for tendon t
    body: np.ndarray  # (n, 2) bodies that take the force: of the joint; of site and reference, crank and slider (-1: none)
    has_reference: np.ndarray  # (n,) 1: site with a reference site
    rod: np.ndarray  # (n,) length of the rod of a slider-crank [m]
    site_pos: np.ndarray  # (n, 2, 3) sites in the frames of their bodies [m]
    site_quat: np.ndarray  # (n, 2, 4)
    common: np.ndarray  # (n,) last body that moves both sites (-1: world)
    servo: np.ndarray  # (n,) number among servos of hinges, slides, tendons: force depends on length or velocity; else -1
    ball_servo: np.ndarray  # (n,) the same among those of ball joints; else -1
    pull: np.ndarray  # (n,) number among those of adhesion; else -1
    orientation: np.ndarray  # (n,) number among the servos of orientations; else -1
    output: np.ndarray  # (n,) first of its forces: three of an orientation, one of any other
    rotation: np.ndarray  # (n,) 1: servo of a rotation, which takes the short way round
    enabled: np.ndarray  # (n,)
    control: np.ndarray  # (n,) first entry in the control
    spec: np.ndarray  # (n,) which controls a servo or motor has (CtrlInput)
    control_range: np.ndarray  # (nu, 2) infinite where unlimited
    activation: np.ndarray  # (n,) first entry in the activations or -1
    activation_limited: np.ndarray  # (n,)
    activation_range: np.ndarray  # (n, 2)
    dyntype: np.ndarray  # (n,)
    dynprm: np.ndarray  # (n, 10) time constants [s] first
    early: np.ndarray  # (n,) 1: acts with the next activation
    gaintype: np.ndarray  # (n,)
    gain: np.ndarray  # (n, 10)
    biastype: np.ndarray  # (n,)
    bias: np.ndarray  # (n, 10)
    lengthrange: np.ndarray  # (n, 2) of muscles [m or rad]
    acc0: np.ndarray  # (n,) acceleration by unit force at the reference pose, of muscles
    force_range: np.ndarray  # (n, 2) infinite where unlimited
    dof_range: np.ndarray  # (nv, 2) bounds of the sum of actuator forces on a hinge or slide, infinite where unlimited
    reached: np.ndarray  # (r,) of these bounded coordinates those along which other actuators than the joint's act, too (hard mode)


def _ranges(limited: Any, ranges: Any) -> np.ndarray:
    """(n, 2) with infinities where the limit is off."""
    bounds = np.array(ranges, float).reshape(-1, 2)
    bounds[~np.asarray(limited, bool)] = (-np.inf, np.inf)
    return bounds


def _transmissions(model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Kinds, joints (-1: none) and sites (n, 2) of all actuators."""
    n = model.nactuator if hasattr(model, "nactuator") else model.nu
    kinds, joints, sites = np.full(n, SCALAR), np.full(n, -1), np.full((n, 2), -1)
    of_joint = {JointType.FREE: FREE, JointType.BALL: BALL}
    for i in range(n):
        if int(model.actuator_trntype[i]) == TrnType.SITE:
            kinds[i], sites[i] = SITE, model.actuator_trnid[i]
        elif int(model.actuator_trntype[i]) == TrnType.SLIDERCRANK:
            kinds[i], sites[i] = CRANK, model.actuator_trnid[i]
        elif int(model.actuator_trntype[i]) == TrnType.TENDON:
            kinds[i] = TENDON
        elif int(model.actuator_trntype[i]) == TrnType.BODY:
            kinds[i] = ADHESION
        elif int(model.actuator_trntype[i]) == TrnType.SO3:
            kinds[i] = ORIENTATION
            if int(model.actuator_trnid[i][1]) >= 0:
                sites[i] = model.actuator_trnid[i]
            else:
                joints[i] = model.actuator_trnid[i][0]
        else:
            joints[i] = model.actuator_trnid[i][0]
            kinds[i] = of_joint.get(JointType(int(model.jnt_type[joints[i]])), SCALAR)
    return kinds, joints, sites


def _follows(model: Any) -> Array:
    """(n,) whether the force of an actuator depends on the length of its transmission, or the length's rate."""
    gaintype, biastype = np.array(model.actuator_gaintype, np.int64), np.array(model.actuator_biastype, np.int64)
    gain, bias = np.array(model.actuator_gainprm, float), np.array(model.actuator_biasprm, float)
    affine = (gaintype == GAIN_AFFINE) & np.any(gain[:, 1:3] != 0, axis=1)
    affine |= (biastype == BIAS_AFFINE) & np.any(bias[:, 1:3] != 0, axis=1)
    return affine | (gaintype == GAIN_MUSCLE) | (biastype == BIAS_MUSCLE) | (gaintype == GAIN_PID) | (gaintype == GAIN_DCMOTOR)


def _places(model: Any, kinds: Array, joints: Array, sites: Array) -> dict[str, Array]:
    """What actuators act on: the coordinates of their joints or tendons, bodies, sites. As `_transmissions` has found them."""
    n = len(kinds)
    body, site_pos, site_quat = np.full((n, 2), -1, np.int64), np.zeros((n, 2, 3)), np.tile([1.0, 0, 0, 0], (n, 2, 1))
    qadr, dof = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        if joints[i] >= 0:
            j = joints[i]
            qadr[i], dof[i], body[i, 0] = model.jnt_qposadr[j], model.jnt_dofadr[j], model.jnt_bodyid[j]
        if kinds[i] == TENDON:
            dof[i] = model.nv + int(model.actuator_trnid[i][0])
        for side, s in enumerate(sites[i]):
            if s >= 0:
                body[i, side] = model.site_bodyid[s]
                site_pos[i, side], site_quat[i, side] = model.site_pos[s], model.site_quat[s]
    return {"qadr": qadr, "dof": dof, "body": body, "site_pos": site_pos, "site_quat": site_quat}


def _joint_ranges(model: Any) -> Array:
    """(nv, 2) range of the total force of actuators along each degree of freedom, infinite where it is not limited or none act."""
    ranges = np.tile([-np.inf, np.inf], (model.nv, 1))
    if not int(model.nactuator) or int(model.opt.disableflags) & DisableBit.ACTUATION:
        return ranges
    for j in range(model.njnt):
        if model.jnt_actfrclimited[j] and int(model.jnt_type[j]) in (JointType.HINGE, JointType.SLIDE):
            ranges[model.jnt_dofadr[j]] = model.jnt_actfrcrange[j]
    return ranges


def build_table(model: Any) -> ActuatorTable:
    """The actuators of a Model; bodies and site frames are the model's."""
    kinds, joints, sites = _transmissions(model)
    n = len(kinds)
    flags, groups = int(model.opt.disableflags), np.asarray(model.actuator_group, int)
    off = np.array([0 <= g <= 30 and bool(int(model.opt.disableactuator) >> int(g) & 1) for g in groups], bool).reshape(n)
    enabled = ~off & (not flags & DisableBit.ACTUATION)
    pulls, orientations = kinds == ADHESION, kinds == ORIENTATION
    follows = _follows(model) & enabled
    is_servo, of_ball = follows & ((kinds == SCALAR) | (kinds == TENDON)), follows & (kinds == BALL)
    first = np.asarray(model.actuator_outadr, int)
    clamped = np.asarray(model.actuator_ctrllimited, bool) & (not flags & DisableBit.CLAMPCTRL)
    return ActuatorTable(
        transmission=kinds.astype(np.int64),
        in_parent=(np.asarray(model.actuator_trntype) == TrnType.JOINTINPARENT).astype(np.int64),
        gear=np.array(model.actuator_gear, float).reshape(-1, 6)[first],
        **_places(model, kinds, joints, sites),
        has_reference=((sites[:, 1] >= 0) & (kinds == SITE)).astype(np.int64),
        rod=np.array(model.actuator_cranklength, float),
        common=np.full(n, -1, np.int64),
        servo=np.where(is_servo, np.cumsum(is_servo) - 1, -1).astype(np.int64),
        ball_servo=np.where(of_ball, np.cumsum(of_ball) - 1, -1).astype(np.int64),
        pull=np.where(pulls, np.cumsum(pulls) - 1, -1).astype(np.int64),
        orientation=np.where(orientations, np.cumsum(orientations) - 1, -1).astype(np.int64),
        output=first.astype(np.int64),
        rotation=of_rotations(model),
        enabled=enabled.astype(np.int64),
        control=np.array(model.actuator_ctrladr, np.int64) if hasattr(model, "actuator_ctrladr") else np.arange(n),
        spec=np.array(getattr(model, "actuator_ctrlspec", np.zeros(n)), np.int64),
        control_range=_ranges(clamped, model.actuator_ctrlrange),
        activation=np.array(model.actuator_actadr, np.int64),
        activation_limited=np.array(model.actuator_actlimited, np.int64),
        activation_range=np.array(model.actuator_actrange, float).reshape(n, 2),
        dyntype=np.array(model.actuator_dyntype, np.int64),
        dynprm=np.array(model.actuator_dynprm, float),
        early=np.array(model.actuator_actearly, np.int64),
        gaintype=np.array(model.actuator_gaintype, np.int64),
        gain=np.array(model.actuator_gainprm, float, order="C"),
        biastype=np.array(model.actuator_biastype, np.int64),
        bias=np.array(model.actuator_biasprm, float, order="C"),
        lengthrange=np.array(model.actuator_lengthrange, float).reshape(-1, 2)[first],
        acc0=np.array(model.actuator_acc0, float)[first],
        force_range=_ranges(model.actuator_forcelimited, model.actuator_forcerange),
        dof_range=_joint_ranges(model),
        reached=np.zeros(0, np.int64),
    )
