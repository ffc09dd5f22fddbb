"""Which actuator a control or an activation belongs to, and which controls are those of muscles."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import DynType

Array = np.ndarray


def owners_of_controls(model: Any) -> Array:
    """(nu,) actuator of each control. Controls are stored actuator by actuator."""
    counts = getattr(model, "actuator_ctrlnum", np.ones(model.nu, int))
    return np.repeat(np.arange(len(counts)), counts)


def owners_of_activations(model: Any) -> Array:
    """(na,) actuator of each activation. Activations are stored actuator by actuator."""
    return np.repeat(np.arange(len(model.actuator_actnum)), model.actuator_actnum)


def of_muscles(model: Any) -> Array:
    """(nu,) whether a control is that of a muscle's activation, whose law moves it into [0, 1]."""
    return np.asarray(model.actuator_dyntype)[owners_of_controls(model)] == DynType.MUSCLE
