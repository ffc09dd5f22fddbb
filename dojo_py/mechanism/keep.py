"""A state that is kept while a mechanism is edited: by joint, activation, mocap body and equality, not by their places."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from .actuator_sizes import activations
from .keys import bind_keyframes
from .layout import DOFS, QPOS
from .spec import Keyframe, Mechanism

if TYPE_CHECKING:
    from .model import Model


class Kept:
    """A state of a mechanism's model, for the models that the mechanism becomes: see `Mechanism.keep`."""

    def __init__(self, mechanism: Mechanism, state: Any):
        self._mechanism, self._state = mechanism, state
        given = getattr(state, "eq_active", None)
        flags = np.zeros(0, bool) if given is None else np.asarray(given, bool)
        if given is not None and flags.shape != (len(mechanism.equalities),):
            raise ValueError(_other("eq_active", flags.shape, len(mechanism.equalities)))
        self._active = list(zip(mechanism.equalities, flags.tolist(), strict=False))
        self._key = self._bound(state)

    def compile(self) -> tuple[Model, Any]:
        """The model of the mechanism as it is now, and the state in it.

        What was added is where the model has it, at rest; joints and actuators whose numbers of coordinates changed are like new.
        """
        mechanism, k = self._mechanism, len(self._mechanism.keyframes)
        fitting = [part for part in self._key.parts if self._fits(part)]
        mechanism.keyframes.append(dataclasses.replace(self._key, parts=fitting))
        try:
            values = mechanism.compile()
        finally:
            mechanism.keyframes.pop()
        model = mechanism.compile()
        active = np.array(model.eq_active0, bool) if self._active else None
        for equality, flag in self._active:
            for i, other in enumerate(mechanism.equalities):
                if active is not None and other is equality:
                    active[i] = flag
        mocap = {"mocap_pos": None, "mocap_quat": None}
        if model.nmocap:
            mocap = {"mocap_pos": values.key_mpos[k].reshape(-1, 3), "mocap_quat": values.key_mquat[k].reshape(-1, 4)}
        state = dataclasses.replace(
            self._state, qpos=np.array(values.key_qpos[k]), qvel=np.array(values.key_qvel[k]), act=np.array(values.key_act[k]),
            maximal=None, exact=None, model=model, eq_active=active, history=None, **mocap,
        )  # fmt: skip
        return model, state

    def _bound(self, state: Any) -> Keyframe:
        """The state as a keyframe whose values belong to elements."""
        mechanism = self._mechanism
        bodies = [body for body, _ in mechanism.world.walk()]
        joints, mocap = [joint for body in bodies for joint in body.joints], sum(body.mocap for body in bodies)
        sizes = {
            "qpos": sum(QPOS.get(joint.type, 1) for joint in joints),
            "qvel": sum(DOFS.get(joint.type, 1) for joint in joints),
            "act": sum(activations(actuator) for actuator in mechanism.actuators),
            "mocap_pos": 3 * mocap,
            "mocap_quat": 4 * mocap,
        }
        lists: dict[str, Any] = {}
        for name, size in sizes.items():
            given = getattr(state, name, None)
            if given is None:
                continue
            numbers = np.asarray(given, float).ravel()
            if numbers.size != size or not np.all(np.isfinite(numbers)):
                raise ValueError(_other(name, numbers.shape, size))
            lists[name.replace("mocap_", "m")] = numbers
        key = Keyframe("", float(getattr(state, "time", 0.0)), **lists)
        mechanism.keyframes.append(key)
        try:
            bind_keyframes(mechanism)
        finally:
            mechanism.keyframes.pop()
        return key

    def _fits(self, part: Any) -> bool:
        """Whether the mechanism still has the element of a part, with as many coordinates."""
        element, mechanism = part.element, self._mechanism
        if any(element is actuator for actuator in mechanism.actuators):
            return len(part.act) in (0, activations(element))
        for body, _ in mechanism.world.walk():
            if element is body:
                return bool(body.mocap)
            if any(element is joint for joint in body.joints):
                return len(part.qpos) == QPOS.get(element.type, 1)
        return False


def _other(name: str, shape: Any, size: int) -> str:
    return f"state.{name} has shape {shape}, the mechanism's model has {size} finite numbers: a state of that model is expected"
