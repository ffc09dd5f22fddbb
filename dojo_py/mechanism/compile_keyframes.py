"""Keyframes: arrays `key_*`. What a keyframe does not give is qpos0, zero velocity, zero activation, zero control.

Lists may be short: the rest is as if not given; a quaternion of zeros is the identity (as in MuJoCo).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import quaternion
from .checks import Check
from .errors import Problems
from .layout import Layout
from .spec import Keyframe, Mechanism

Array = np.ndarray

MAX_KEYFRAMES = 10_000
"""Of a file's `size nkey`; more than anybody stores."""


def keyframe_arrays(mechanism: Mechanism, layout: Layout, a: dict[str, Array], problems: Problems) -> dict[str, Array]:
    """Arrays of the keyframes; their quaternions are normalised."""
    nu, na = int(a["actuator_ctrlnum"].sum()), int(a["actuator_actnum"].sum())
    defaults = {"qpos": a["qpos0"], "qvel": np.zeros(layout.nv), "act": np.zeros(na), "ctrl": np.zeros(nu)}
    mocap = layout.arrays["body_mocapid"] >= 0
    defaults |= {"mpos": a["body_pos"][mocap].ravel(), "mquat": a["body_quat"][mocap].ravel()}
    known = [defaults | _parts(key, mechanism, layout, a, defaults) for key in mechanism.keyframes]
    rows = [_keyframe(Check(problems, key), key, values) for key, values in zip(mechanism.keyframes, known, strict=True)]
    if mechanism.keyframe_count > MAX_KEYFRAMES:
        message = f"{mechanism.keyframe_count} keyframes (size nkey) are more than the limit of {MAX_KEYFRAMES}"
        Check(problems, mechanism).fail("keyframe_count", message)
    rows += [defaults | {"time": 0.0}] * (min(mechanism.keyframe_count, MAX_KEYFRAMES) - len(rows))
    out: dict[str, Array] = {}
    for name, value in defaults.items():
        out[f"key_{name}"] = np.array([row[name] for row in rows]).reshape((len(rows), value.size))
    out["key_time"] = np.array([row["time"] for row in rows], dtype=float).reshape(-1)
    for joint, address in zip(layout.joints, layout.arrays["jnt_qposadr"], strict=True):
        if joint.type in ("free", "ball"):
            first = address + (3 if joint.type == "free" else 0)
            quats = out["key_qpos"][:, first : first + 4]
            quats[:] = quaternion.normalise(quats)
    mquat = out["key_mquat"].reshape(len(rows), int(mocap.sum()), 4)
    mquat[:] = quaternion.normalise(mquat)
    return out


def _parts(
    key: Keyframe, mechanism: Mechanism, layout: Layout, a: dict[str, Array], defaults: dict[str, Array]
) -> dict[str, Array]:
    """The defaults with what the keyframe says by joint, actuator and mocap body; of elements that are gone it says nothing."""
    if not key.parts:
        return {}
    out = {name: np.array(value, dtype=float) for name, value in defaults.items()}
    place: dict[int, dict[str, int]] = {
        id(joint): {"qpos": int(q), "qvel": int(v)}
        for joint, q, v in zip(layout.joints, a["jnt_qposadr"], a["jnt_dofadr"], strict=True)
    }
    for index, actuator in enumerate(mechanism.actuators):
        place[id(actuator)] = {"ctrl": int(a["actuator_ctrladr"][index]), "act": int(a["actuator_actadr"][index])}
    for body, mocap in zip(layout.bodies, layout.arrays["body_mocapid"], strict=True):
        if mocap >= 0:
            place[id(body)] = {"mpos": 3 * int(mocap), "mquat": 4 * int(mocap)}
    for part in key.parts:
        for name, first in place.get(id(part.element), {}).items():
            values = getattr(part, name)
            out[name][first : first + len(values)] = values
    return out


def _keyframe(check: Check, key: Keyframe, defaults: dict[str, Array]) -> dict[str, Any]:
    row: dict[str, Any] = {"time": check.scalar("time")}
    for attribute, value in defaults.items():
        given = getattr(key, attribute)
        row[attribute] = value if given is None else check.vector(attribute, value.size, least=min(1, value.size), fill=value)
    return row
