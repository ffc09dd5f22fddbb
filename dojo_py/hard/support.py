"""What a model asks for and the hard mode does not simulate: refused by name, or left out on request."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dojo_py.mechanism.enums import DisableBit
from dojo_py.mechanism.errors import ModelError, UnsupportedWarning

CHOICES = ("error", "warn", "skip")


def _named(kind: str, names: Any, rows: Any) -> str:
    return f"{kind} " + ", ".join(f"'{names[i]}'" if names[i] else f"#{i}" for i in rows)


def unsupported_features(model: Any) -> list[str]:
    """One line for each feature of the model that the hard mode would ignore."""
    found = []
    rows = np.flatnonzero(np.any(np.asarray(model.jnt_stiffnesspoly) != 0, axis=1))
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: polynomial stiffness; give one coefficient")
    rows = np.unique(np.asarray(model.dof_jntid)[np.any(np.asarray(model.dof_dampingpoly) != 0, axis=1)])
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: polynomial damping; give one coefficient")
    rows = np.flatnonzero(np.asarray(model.jnt_actgravcomp, bool) & np.asarray(model.jnt_actfrclimited, bool))
    if len(rows):
        found.append(f"{_named('joint', model.joint_names, rows)}: gravity compensation bounded by actuatorfrcrange")
    opt = model.opt
    if opt.density != 0 or opt.viscosity != 0:
        found.append(f"option: fluid forces (density {opt.density:g}, viscosity {opt.viscosity:g})")
    flags = DisableBit.CONSTRAINT | DisableBit.EQUALITY | DisableBit.FRICTIONLOSS | DisableBit.LIMIT | DisableBit.CONTACT
    flags |= DisableBit.SPRING | DisableBit.DAMPER | DisableBit.GRAVITY
    off = [bit.name.lower() for bit in flags if int(opt.disableflags) & bit and bit.name]
    if off:
        found.append(f"option: flags that disable {', '.join(off)}; remove these parts from the model instead")
    return found


def handle_unsupported(lines: list[str], unsupported: str) -> None:
    """Raise ModelError with all lines, warn about each, or pass, as asked."""
    if unsupported not in CHOICES:
        raise ValueError(f"unsupported={unsupported!r} is not one of {list(CHOICES)}")
    if lines and unsupported == "error":
        raise ModelError("not simulated by the hard mode: " + "; ".join(lines) + '. Or pass unsupported="warn" | "skip"')
    if unsupported == "warn":
        for line in lines:
            warnings.warn(f"{line}: not simulated by the hard mode, left out", UnsupportedWarning, stacklevel=4)
