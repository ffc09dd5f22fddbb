"""What a model asks for and the hard mode does not simulate: refused by name, or left out on request."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dojo_py.collision.restitution import BOUNCY, damping_ratio
from dojo_py.hard.contact_support import contact_records
from dojo_py.hard.joint_stacks import dependent_stacks
from dojo_py.mechanism.enums import EnableBit, JointType, TrnType
from dojo_py.mechanism.errors import ErrorRecord, ModelError, UnsupportedWarning
from dojo_py.mechanism.source import name_of, place_of, refusal

CHOICES = ("error", "warn", "skip")


def unsupported_features(model: Any) -> list[ErrorRecord]:
    """One record for each feature of the model that the hard mode would ignore; those that are notices stop nothing.

    model: without what its flags switch off (`flags.acting_model`).
    """
    found: list[ErrorRecord] = []
    if int(model.opt.enableflags) & EnableBit.SLEEP:
        found.append(refusal(model, "option", (), "flag sleep", "bodies at rest do not sleep in the hard mode"))
    rows = np.flatnonzero(np.asarray(model.jnt_actgravcomp, bool) & np.asarray(model.jnt_actfrclimited, bool))
    if len(rows):
        message = "gravity compensation bounded by actuatorfrcrange is not simulated in the hard mode"
        found.append(refusal(model, "joint", rows, "actuatorgravcomp", message))
    found += _actuator_features(model)
    if int(getattr(model, "ntendon", 0)):
        found += _limit_features(model, "tendon", model.tendon_limited, model.tendon_solref_lim, model.tendon_margin)
    found += _limit_features(model, "joint", model.jnt_limited, model.jnt_solref, model.jnt_margin)
    return found + contact_records(model)


def _limit_features(model: Any, element: str, limited: Any, solref: Any, margin: Any) -> list[ErrorRecord]:
    """Of the limits of joints or tendons, a row each: limited (n,), solref (n, 2), margin (n,)."""
    found: list[ErrorRecord] = []
    acts = np.asarray(limited, bool)
    bouncy = np.array([damping_ratio(ref) < BOUNCY for ref in np.asarray(solref)], bool).reshape(-1)
    rows = np.flatnonzero(acts & bouncy)
    if len(rows):
        message = "restitution at limits (little damping) is not simulated in the hard mode"
        found.append(refusal(model, element, rows, "solreflimit", message))
    rows = np.flatnonzero(acts & (np.asarray(margin) > 0))
    if len(rows):
        found.append(refusal(model, element, rows, "margin", "the limits act at the ends of the range", notice=True))
    return found


def _actuator_features(model: Any) -> list[ErrorRecord]:
    """Dampers and rotors of actuators, adhesion."""
    found: list[ErrorRecord] = []
    if not int(model.nactuator):
        return found
    scalar = [
        kind == TrnType.TENDON or (kind == TrnType.JOINT and model.jnt_type[int(ids[0])] in (JointType.HINGE, JointType.SLIDE))
        for kind, ids in zip(model.actuator_trntype, model.actuator_trnid, strict=True)
    ]
    rows = np.flatnonzero(np.asarray(model.actuator_trntype) == TrnType.BODY)
    if len(rows):
        message = "adhesion is not simulated in the hard mode: its force acts at the contacts that a step starts with, "
        message += "which the hard mode finds in the step"
        found.append(refusal(model, "actuator", rows, "body", message))
    rows = np.flatnonzero(np.asarray(model.actuator_trntype) == TrnType.SO3)
    if len(rows):
        message = "servos of orientations are simulated in the soft mode only; drive the axes one by one with position servos"
        found.append(refusal(model, "actuator", rows, "gaintype", message))
    passive = (np.asarray(model.actuator_damping) != 0) | (np.asarray(model.actuator_armature) != 0)
    passive |= np.any(np.asarray(model.actuator_dampingpoly) != 0, axis=1)
    rows = np.flatnonzero(passive & ~np.array(scalar, bool))
    if len(rows):
        message = "are simulated on hinges, slides and tendons only in the hard mode"
        found.append(refusal(model, "actuator", rows, "damping, armature", message))
    return found


def refuse_dependent_joints(model: Any) -> None:
    """Raise ModelError for bodies whose joints make the same motion; there is nothing that could be left out."""
    records = []
    for body, joints in dependent_stacks(model):
        where = place_of(model, "joint", joints[0])
        kinds = [f"{JointType(int(model.jnt_type[j])).name.lower()} '{name_of(model, 'joint', j)}'" for j in joints]
        message = f"the joints {', '.join(kinds)} are dependent at qpos0: their motions cannot be told apart by the body's pose; "
        message += "turn their axes, move their anchors apart, or give each a body of its own"
        name = name_of(model, "body", body)
        records.append(ErrorRecord(where.path, where.line, "body", name, "", message, unsupported=True))
    if records:
        raise ModelError(records)


def handle_unsupported(records: list[ErrorRecord], unsupported: str) -> None:
    """Raise one ModelError with all records, warn about each, or pass, as asked. Notices alone raise nothing."""
    if unsupported not in CHOICES:
        raise ValueError(f"unsupported={unsupported!r} is not one of {list(CHOICES)}")
    refused = [record for record in records if not record.notice]
    if refused and unsupported == "error":
        notices = [record for record in records if record.notice]
        raise ModelError([*refused, *notices], hint='Or pass unsupported="warn" | "skip" to leave it out.')
    if unsupported == "warn":
        for record in records:
            warnings.warn(f"{record} (left out)", UnsupportedWarning, stacklevel=4)
