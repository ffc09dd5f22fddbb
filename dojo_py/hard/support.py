"""Features of a model that the hard mode does not simulate: refused by name, or left out on request."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dojo_py.hard.contact_support import contact_records
from dojo_py.hard.joint_stacks import dependent_stacks
from dojo_py.mechanism.enums import EnableBit, JointType
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
    if int(getattr(model, "ntendon", 0)):
        found += _limit_features(model, "tendon", model.tendon_limited, model.tendon_margin)
    found += _limit_features(model, "joint", model.jnt_limited, model.jnt_margin)
    return found + contact_records(model)


def _limit_features(model: Any, element: str, limited: Any, margin: Any) -> list[ErrorRecord]:
    """Notices about the margins of limits of joints or tendons, a row each: limited (n,), margin (n,)."""
    found: list[ErrorRecord] = []
    acts = np.asarray(limited, bool)
    rows = np.flatnonzero(acts & (np.asarray(margin) > 0))
    if len(rows):
        found.append(refusal(model, element, rows, "margin", "the limits act at the ends of the range", notice=True))
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
