"""Keyframes while a mechanism is edited: values kept by the joint, actuator or mocap body they belong to, not by their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from .actuator_sizes import activations, inputs
from .layout import DOFS, QPOS
from .spec import KeyPart, Mechanism


def bind_keyframes(mechanism: Mechanism) -> None:
    """Turn the lists of all keyframes into parts, in place; lists that do not fit the mechanism stay for the compiler to report."""
    bodies = [body for body, _ in mechanism.world.walk()]
    joints, mocap = [joint for body in bodies for joint in body.joints], [body for body in bodies if body.mocap]
    for key in mechanism.keyframes:
        spans = ((joints, "qpos", QPOS), (joints, "qvel", DOFS))
        for elements, attribute, width in spans:
            _bind(key, attribute, elements, [width.get(joint.type, 1) for joint in elements])
        _bind(key, "mpos", mocap, [3] * len(mocap))
        _bind(key, "mquat", mocap, [4] * len(mocap))
        _bind(key, "act", mechanism.actuators, [activations(actuator) for actuator in mechanism.actuators])
        _bind(key, "ctrl", mechanism.actuators, [len(inputs(actuator)) for actuator in mechanism.actuators])


def _bind(key: Any, attribute: str, elements: list[Any], widths: list[int]) -> None:
    values = getattr(key, attribute)
    if values is None:
        return
    try:
        given = np.atleast_1d(np.asarray(values, float))
    except (TypeError, ValueError):
        return
    if given.ndim > 1 or given.size > sum(widths) or not np.all(np.isfinite(given)):
        return
    first = 0
    for element, width in zip(elements, widths, strict=True):
        piece = tuple(given[first : first + width].tolist())
        first += width
        if piece:
            part = next((p for p in key.parts if p.element is element), None)
            if part is None:
                part = KeyPart(element)
                key.parts.append(part)
            setattr(part, attribute, piece)
    setattr(key, attribute, None)
