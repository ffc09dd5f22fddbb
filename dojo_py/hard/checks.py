"""Arrays from the user: checked before any kernel runs, copied so that nothing of the caller's changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.enums import JointType
from dojo_py.simulate.values import real_number, shown, vector

Array = np.ndarray

UNIT = 1e-3
"""How far a quaternion's length may be from 1 before it is taken for a mistake; within, it is scaled."""


def quaternions_of(model: Any) -> list[tuple[int, slice]]:
    """(joint, its part of qpos) of all free and ball joints."""
    found = []
    for i, (kind, adr) in enumerate(zip(model.jnt_type, model.jnt_qposadr, strict=True)):
        if kind in (JointType.FREE, JointType.BALL):
            first = int(adr) + (3 if kind == JointType.FREE else 0)
            found.append((i, slice(first, first + 4)))
    return found


class WrongQuaternion(NamedTuple):
    """A quaternion whose length differs from 1 by more than UNIT."""

    row: int  # of qpos, 0 where there is one
    part: slice  # of a row
    joint: str
    norm: float

    def said(self, where: str) -> str:
        """The message, after `where` it stands in qpos."""
        return f"{where}, the quaternion of joint '{self.joint}', has norm {self.norm:g}, expected 1"


def wrong_quaternion(model: Any, qpos: Array) -> WrongQuaternion | None:
    """The first one in qpos, (nq,) or (rows, nq), or None."""
    for joint, part in quaternions_of(model):
        with np.errstate(over="ignore"):
            norms = np.atleast_1d(np.linalg.norm(qpos[..., part], axis=-1))
        wrong = np.flatnonzero(np.abs(norms - 1.0) > UNIT)
        if len(wrong):
            row = int(wrong[0])
            return WrongQuaternion(row, part, model.joint_names[joint] or f"#{joint}", float(norms[row]))
    return None


def configuration(model: Any, qpos: Any) -> Array:
    """qpos (nq,) with unit quaternions, or ValueError."""
    q = vector("qpos", qpos, (model.nq,))
    wrong = wrong_quaternion(model, q)
    if wrong is not None:
        raise ValueError(wrong.said(f"qpos[{wrong.part.start}:{wrong.part.stop}]"))
    for _, part in quaternions_of(model):
        q[part] /= np.linalg.norm(q[part])
    return q


def kappa_of(value: Any) -> float:
    """0 for the hard limit (None), or a positive number [N m s]."""
    if value is None:
        return 0.0
    try:
        return real_number("kappa", value, least=0.0)
    except ValueError:
        raise ValueError(f"kappa={shown(value)} must be positive and finite [N m s], or None for the hard limit") from None


def motion_kappa_of(value: Any, largest: Callable[[], float]) -> float:
    """`kappa_of` for a roll-out, with a UserWarning beyond the largest value that is meaningful for the model."""
    kappa = kappa_of(value)
    if kappa > 0 and kappa > (bound := largest()):
        warnings.warn(
            f"kappa={kappa:g} N m s: from {bound:.2g} on, contacts carry this model's weight from as far away as it is large, and "
            "the roll-out has no meaning; see HardSimulator.largest_kappa",
            UserWarning,
            stacklevel=3,
        )
    return kappa


def refuse_relaxed_adhesion(world: Any, kappa: float | None) -> None:
    """ValueError on the central path (kappa > 0) if the model has adhesion, which acts on touching contacts: there none touches."""
    table = world.actuators
    if kappa and np.any((table.pull >= 0) & (table.enabled == 1)):
        raise ValueError(
            "kappa: adhesion acts in the hard limit only, on contacts that touch: it has no relaxed steps and no derivatives; "
            "delete its actuators, or disable their group (actuatorgroupdisable)"
        )


def gradient_kappa_of(value: Any, name: str = "kappa") -> float:
    """A central-path parameter at which the step has derivatives [N m s]."""
    try:
        return real_number(name, value, above=0.0)
    except ValueError:
        raise ValueError(
            f"{name}={shown(value)} must be a positive, finite number [N m s]: the hard limit has no derivatives"
        ) from None
