"""By how much a fit misses the samples, in their units, for people: wrong units and wrong time steps show there."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import JointType

Array = np.ndarray


def missed_by_unit(model: Any, misses: Array) -> tuple[tuple[str, float], ...]:
    """("m", size), ("rad", size) of misses (samples, nv): root mean squares of the worst coordinate of each unit."""
    sizes, units = np.sqrt(np.mean(misses**2, axis=0)), _units(model)
    return tuple((unit, float(sizes[units == unit].max())) for unit in ("m", "rad") if np.any(units == unit))


def _units(model: Any) -> Array:
    """(nv,) "m" or "rad" of each tangent coordinate."""
    each = {JointType.FREE: ["m"] * 3 + ["rad"] * 3, JointType.BALL: ["rad"] * 3, JointType.SLIDE: ["m"], JointType.HINGE: ["rad"]}
    return np.array([unit for kind in model.jnt_type for unit in each[JointType(kind)]])


def with_prefix(size: float, unit: str) -> str:
    """3.4e-4 m as "0.34 mm"."""
    factor, prefix = next(((f, p) for f, p in ((1.0, ""), (1e-3, "m"), (1e-6, "µ")) if size >= 0.1 * f), (1e-9, "n"))
    return f"{size / factor:.2g} {prefix}{unit}"
