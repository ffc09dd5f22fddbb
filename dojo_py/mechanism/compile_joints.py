"""Joints and their degrees of freedom: arrays `jnt_*`, `dof_*`, `qpos0`, `qpos_spring`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check
from .enums import JointType
from .errors import Problems
from .layout import Layout
from .spec import JOINT_TYPES, CompilerSettings, Joint

Array = np.ndarray


def joint_arrays(layout: Layout, poses: Array, settings: CompilerSettings, problems: Problems) -> dict[str, Array]:
    """`poses` (nbody, 7): body position and quaternion in the parent's frame, the reference of free joints."""
    rows = [_joint_row(Check(problems, joint), joint, settings) for joint in layout.joints]
    arrays = {key: np.array([row[key] for row in rows]) for key in (rows[0] if rows else ())}
    if not rows:
        arrays = {key: np.zeros((0, *np.shape(value))) for key, value in _EMPTY.items()}
    qpos0, qpos_spring = np.zeros(layout.nq), np.zeros(layout.nq)
    for joint, body, address in zip(layout.joints, layout.joint_body, layout.arrays["jnt_qposadr"], strict=True):
        check = Check(problems, joint)
        if joint.type == "free":
            values = (poses[body], poses[body])
        elif joint.type == "ball":
            values = (np.array([1.0, 0, 0, 0]),) * 2
        else:
            values = (check.vector("ref", 1), check.vector("springref", 1))
        qpos0[address : address + len(values[0])], qpos_spring[address : address + len(values[0])] = values
    dof_jnt = layout.arrays["dof_jntid"]
    dofs = {f"dof_{key}": arrays.pop(f"dof_{key}")[dof_jnt] for key in _DOF_KEYS}
    return arrays | dofs | {"qpos0": qpos0, "qpos_spring": qpos_spring}


_DOF_KEYS = ("solref", "solimp", "frictionloss", "armature", "damping", "dampingpoly")


def _joint_row(check: Check, joint: Joint, settings: CompilerSettings) -> dict[str, Any]:
    kind = check.word("type", JOINT_TYPES)
    if joint.type not in JOINT_TYPES:
        kind = JointType.HINGE  # what the layout counted it as
    turning = joint.type in ("free", "ball")
    axis = np.array([0.0, 0.0, 1.0]) if turning else check.vector("axis", 3, fill=(0.0, 0.0, 1.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-14:
        check.fail("axis", "a vector of zero length has no direction")
        axis, length = np.array([0.0, 0.0, 1.0]), 1.0
    if joint.type == "free":
        bounds, limited = np.zeros(2) if joint.range is None else check.vector("range", 2), False
    else:
        bounds, limited = check.limits("range", "limited", settings.autolimits)
        if limited and joint.type == "ball" and bounds[0] != 0.0:
            check.fail("range", f"{bounds[0]:g}: the lower bound of a ball joint must be 0")
    force, force_limited = check.limits("actuatorfrcrange", "actuatorfrclimited", settings.autolimits)
    stiffness = check.vector("stiffness", 3, least=1)
    damping = check.vector("damping", 3, least=1)
    if damping[0] < 0.0:
        check.fail("damping", f"{damping[0]:g} is negative")
    return {
        "jnt_type": kind,
        "jnt_group": check.integer("group"),
        "jnt_limited": limited,
        "jnt_actfrclimited": force_limited and not turning,
        "jnt_actgravcomp": bool(joint.actuatorgravcomp),
        "jnt_solref": check.vector("solreflimit", 2),
        "jnt_solimp": check.vector("solimplimit", 5),
        "jnt_pos": np.zeros(3) if joint.type == "free" else check.vector("pos", 3),
        "jnt_axis": axis / length,
        "jnt_stiffness": stiffness[0],
        "jnt_stiffnesspoly": stiffness[1:],
        "jnt_range": bounds,
        "jnt_actfrcrange": force,
        "jnt_margin": check.scalar("margin"),
        "dof_solref": check.vector("solreffriction", 2),
        "dof_solimp": check.vector("solimpfriction", 5),
        "dof_frictionloss": check.scalar("frictionloss", low=0.0),
        "dof_armature": check.scalar("armature", low=0.0),
        "dof_damping": damping[0],
        "dof_dampingpoly": damping[1:],
    }


_EMPTY = _joint_row(Check(Problems(), Joint()), Joint(), CompilerSettings())
