"""Sensors: outputs that are read along the steps of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

from .element import Element, Vector


@dataclass
class Sensor(Element):
    """An output: what `type` names of an object, row by row in `sensordata`. Types and their objects: `mechanism.sensor_kinds`."""

    type: str = ""
    """MJCF's word: "jointpos", "accelerometer", "framepos", …"""
    name: str = ""
    objtype: str = ""
    """"site", "joint", "tendon", "actuator", "body" (its inertial frame), "xbody" (its own frame), "geom"; "" for none."""
    objname: str = ""
    reftype: str = ""
    refname: str = ""
    """Frame sensors: the frame in which the output is seen; `insidesite`: the site."""
    cutoff: float = 0.0
    """> 0: the largest absolute value of the output."""
    noise: float = 0.0
    """Standard deviation that a user may add; the output has none."""
    data: str = "found"
    """Contact sensors: what they tell of each contact, words of `sensor_kinds.CONTACT_FIELDS` in that order."""
    reduce: str = "none"
    """Contact sensors: "none" (the first contacts), "mindist", "maxforce", or "netforce": all as one."""
    num: int = 1
    """Contact sensors: how many contacts have room in the output."""
    nsample: int = 0
    """Samples of its past that states keep; 0: it has none, and no interval."""
    delay: float = 0.0
    """How late its outputs come [s]; needs samples."""
    interp: str = "zoh"
    """Between samples: "zoh" (held), "linear" or "cubic"."""
    interval: Vector = (0.0, 0.0)
    """Time between samples, 0: a step; and the one before the start, not positive [s]."""
    user: Vector = ()
    """Numbers for your own use."""
