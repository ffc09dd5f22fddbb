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
from dojo_py.mechanism.source import Source, place_of

CHOICES = ("error", "warn", "skip")


def _named(kind: str, names: Any, rows: Any) -> str:
    return f"{kind} " + ", ".join(f"'{names[i]}'" if names[i] else f"#{i}" for i in rows)


def unsupported_features(model: Any) -> list[str | ErrorRecord]:
    """One line for each feature of the model that the hard mode would ignore; records that are notices stop nothing.

    model: without what its flags switch off (`flags.acting_model`).
    """
    found: list[str | ErrorRecord] = []
    if int(model.opt.enableflags) & EnableBit.SLEEP:
        where, message = place_of(model, "option"), "bodies at rest do not sleep in the hard mode"
        found.append(ErrorRecord(where.path, where.line, "option", "", "flag sleep", message, unsupported=True))
    rows = np.flatnonzero(np.any(np.asarray(model.jnt_stiffnesspoly) != 0, axis=1))
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: polynomial stiffness; give one coefficient")
    rows = np.unique(np.asarray(model.dof_jntid)[np.any(np.asarray(model.dof_dampingpoly) != 0, axis=1)])
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: polynomial damping; give one coefficient")
    rows = np.flatnonzero(np.asarray(model.jnt_actgravcomp, bool) & np.asarray(model.jnt_actfrclimited, bool))
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: gravity compensation bounded by actuatorfrcrange")
    found += _actuator_features(model)
    found += _tendon_features(model)
    found += _limit_features("joint", model.joint_names, model.jnt_limited, model.jnt_solref, model.jnt_margin)
    return found + contact_records(model)


def _limit_features(kind: str, names: Any, limited: Any, solref: Any, margin: Any) -> list[str | ErrorRecord]:
    """Of the limits of joints or tendons, a row each: limited (n,), solref (n, 2), margin (n,)."""
    found: list[str | ErrorRecord] = []
    acts = np.asarray(limited, bool)
    bouncy = np.array([damping_ratio(ref) < BOUNCY for ref in np.asarray(solref)], bool).reshape(-1)
    rows = np.flatnonzero(acts & bouncy)
    if len(rows):
        found.append(f"{_named(kind, names, rows)}: restitution at limits (a solreflimit with little damping)")
    rows = np.flatnonzero(acts & (np.asarray(margin) > 0))
    if len(rows):
        message = f"{_named(kind, names, rows)}: margin: the limits act at the ends of the range"
        found.append(ErrorRecord("<model>", 0, "", "", "", message, notice=True))
    return found


def _actuator_features(model: Any) -> list[str | ErrorRecord]:
    """Dampers and rotors of actuators."""
    found: list[str | ErrorRecord] = []
    if not int(model.nactuator):
        return found
    rows = np.flatnonzero(np.any(np.asarray(model.actuator_dampingpoly) != 0, axis=1))
    if len(rows):
        found.append(f"{_named('actuator', model.actuator_names, rows)}: polynomial damping; give one coefficient")
    scalar = [
        int(kind) == TrnType.JOINT and int(model.jnt_type[int(ids[0])]) in (JointType.HINGE, JointType.SLIDE)
        for kind, ids in zip(model.actuator_trntype, model.actuator_trnid, strict=True)
    ]
    rows = np.flatnonzero(np.asarray(model.actuator_trntype) == TrnType.BODY)
    if len(rows):
        found.append(
            f"{_named('actuator', model.actuator_names, rows)}: adhesion: its force acts at the contacts that a step starts with, "
            "which the hard mode finds in the step"
        )
    passive = (np.asarray(model.actuator_damping) != 0) | (np.asarray(model.actuator_armature) != 0)
    rows = np.flatnonzero(passive & ~np.array(scalar, bool))
    if len(rows):
        found.append(f"{_named('actuator', model.actuator_names, rows)}: damping, armature: on hinges and slides only")
    return found


def _tendon_features(model: Any) -> list[str | ErrorRecord]:
    """Of tendons, as of joints."""
    found: list[str | ErrorRecord] = []
    if not int(getattr(model, "ntendon", 0)):
        return found
    for array, what in (("stiffnesspoly", "polynomial stiffness"), ("dampingpoly", "polynomial damping")):
        rows = np.flatnonzero(np.any(np.asarray(getattr(model, f"tendon_{array}")) != 0, axis=1))
        if len(rows):
            found.append(f"{_named('tendon', model.tendon_names, rows)}: {what}; give one coefficient")
    limits = model.tendon_limited, model.tendon_solref_lim, model.tendon_margin
    return found + _limit_features("tendon", model.tendon_names, *limits)


def refuse_dependent_joints(model: Any) -> None:
    """Raise ModelError for bodies whose joints make the same motion; there is nothing that could be left out."""
    records = []
    for body, joints in dependent_stacks(model):
        where = getattr(model, "source", Source()).place("joints", joints[0])
        kinds = [f"{JointType(int(model.jnt_type[j])).name.lower()} {_named('', model.joint_names, [j]).strip()}" for j in joints]
        message = f"the joints {', '.join(kinds)} are dependent at qpos0: their motions cannot be told apart by the body's pose; "
        message += "turn their axes, move their anchors apart, or give each a body of its own"
        name = model.body_names[body] or f"#{body}"
        records.append(ErrorRecord(where.path, where.line, "body", name, "", message, unsupported=True))
    if records:
        raise ModelError(records)


def handle_unsupported(lines: list[str | ErrorRecord], unsupported: str) -> None:
    """Raise ModelError with all lines, warn about each, or pass, as asked. Notices alone raise nothing."""
    if unsupported not in CHOICES:
        raise ValueError(f"unsupported={unsupported!r} is not one of {list(CHOICES)}")
    refused = [line for line in lines if not (isinstance(line, ErrorRecord) and line.notice)]
    if refused and unsupported == "error":
        text = "; ".join(str(line) for line in (*refused, *(line for line in lines if line not in refused)))
        raise ModelError(f'not simulated by the hard mode: {text}. Or pass unsupported="warn" | "skip"')
    if unsupported == "warn":
        for line in lines:
            warnings.warn(f"{line}: not simulated by the hard mode, left out", UnsupportedWarning, stacklevel=4)
