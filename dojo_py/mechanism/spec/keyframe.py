"""Keyframes: states that are kept with the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .element import Element, Vector


@dataclass
class KeyPart:
    """What a keyframe says about one joint, actuator or mocap body."""

    element: Any
    qpos: tuple[float, ...] = ()
    qvel: tuple[float, ...] = ()
    act: tuple[float, ...] = ()
    ctrl: tuple[float, ...] = ()
    mpos: tuple[float, ...] = ()
    mquat: tuple[float, ...] = ()


@dataclass
class Keyframe(Element):
    """A stored state. None: the reference configuration, zero velocity, zero activation, zero control."""

    name: str = ""
    time: float = 0.0
    qpos: Vector | None = None
    """A list may be short: the rest is as if not given. Quaternions of zeros are the identity. Likewise below."""
    qvel: Vector | None = None
    act: Vector | None = None
    ctrl: Vector | None = None
    mpos: Vector | None = None
    mquat: Vector | None = None
    parts: list[KeyPart] = field(default_factory=list)
    """Values by joint, actuator and mocap body (`Mechanism.bind_keyframes`); the lists above come first where they are given."""
