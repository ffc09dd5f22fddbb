"""Samples at irregular times, brought to equal intervals.

Between two samples the pose runs along a cubic in the tangent of the first: its ends' velocities are those of a parabola through
three neighbouring samples (Catmull and Rom's spline for unequal intervals). A control acts until the next one is given; over an
interval its mean is taken, so that no impulse is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.identification.data import Recording, check_increasing, check_samples
from dojo_py.simulate.values import having, real_array, real_number

Array = np.ndarray
GAP = 5.0
"""Longest gap between samples that is filled by default, in intervals: four samples that are missing."""


def resample(
    model: Any, name: str, time: Any, qpos: Any, interval: float, control_time: Any = None, control: Any = None, stride: int = 1,
    largest_gap: float | None = None,
) -> Recording:  # fmt: skip
    """A Recording at `interval` [s] of samples qpos (n, nq) at increasing times (n,) [s].

    control (m, nu) from the times control_time (m,) on, by default those of the samples. stride: as in Recording, the interval
    is so many of the simulator's time steps. largest_gap [s]: longer ones are refused, because a fit takes what fills them for
    measured; None: GAP intervals, np.inf: any.
    """
    having("model", model, ("difference", "integrate", "nq"), "a Model, as load_model returns it")
    t, q = _times("time", time), real_array("qpos", qpos)
    if q.shape != (len(t), model.nq) or len(t) < 2:
        raise ValueError(f"qpos has shape {q.shape}, expected ({len(t)}, {model.nq}) and two samples or more")
    check_samples("qpos", q)
    h = real_number("interval", interval, above=0.0, unit="s")
    _check_gaps(t, h, largest_gap)
    count = int(np.floor((t[-1] - t[0]) / h + 1e-9))
    if count < 1:
        raise ValueError(f"interval={h:g} s is longer than the {t[-1] - t[0]:g} s that were recorded")
    at = np.minimum(t[0] + h * np.arange(count + 1), t[-1])
    steps = np.array([model.difference(b, a) for a, b in zip(q[:-1], q[1:], strict=True)])
    rates = _rates(t, steps)
    poses = [_pose(model, t, q, steps, rates, moment) for moment in at]
    if control is None:
        return Recording(name, np.array(poses), stride=stride, interval=h)
    given, from_time = real_array("control", control), t if control_time is None else _times("control_time", control_time)
    if given.ndim != 2 or len(given) != len(from_time) or from_time[0] > t[0]:
        raise ValueError(f"control has shape {given.shape}, expected a row for each of {len(from_time)} times from {t[0]:g} s on")
    check_samples("control", given)
    return Recording(name, np.array(poses), _means(from_time, given, at), stride=stride, interval=h)


def _times(name: str, value: Any) -> Array:
    t = real_array(name, value)
    if t.ndim != 1 or not len(t):
        raise ValueError(f"{name} has shape {t.shape}, expected increasing times (n,) [s]")
    check_increasing(name, t)
    return t


def _check_gaps(t: Array, interval: float, largest: float | None) -> None:
    """ValueError names the first of the longest gaps between the times, if it is longer than allowed."""
    allowed = GAP * interval if largest is None else real_number("largest_gap", largest, above=0.0, infinite=True, unit="s")
    gaps = np.diff(t)
    k = int(np.argmax(gaps))
    if gaps[k] > allowed * (1 + 1e-9):
        default = f", {GAP:g} intervals" if largest is None else ""
        raise ValueError(
            f"time: no sample from {t[k]:g} s (time[{k}]) to {t[k + 1]:g} s, a gap of {gaps[k]:g} s; the largest that is filled is "
            f"largest_gap={allowed:g} s{default} (median of the gaps: {np.median(gaps):g} s). Make a recording of each part, "
            "or allow the gap; are the times in seconds?"
        )


def _rates(t: Array, steps: Array) -> Array:
    """(n, nv) velocities at the samples by parabolas through three of them; at the ends those of the first and last interval."""
    slope, h = steps / np.diff(t)[:, None], np.diff(t)[:, None]
    inner = (h[1:] * slope[:-1] + h[:-1] * slope[1:]) / (h[1:] + h[:-1])
    return np.concatenate([slope[:1], inner, slope[-1:]])


def _pose(model: Any, t: Array, q: Array, steps: Array, rates: Array, moment: float) -> Array:
    """(nq,) at a moment."""
    k = int(np.clip(np.searchsorted(t, moment, side="right") - 1, 0, len(t) - 2))
    h = t[k + 1] - t[k]
    s = (moment - t[k]) / h
    along = s * s * (3 - 2 * s) * steps[k] + s * (1 - s) * h * ((1 - s) * rates[k] - s * rates[k + 1])
    return model.integrate(q[k], along)


def _means(t: Array, control: Array, at: Array) -> Array:
    """(len(at) - 1, nu) means over the intervals of what is constant from each time t on."""
    ends = np.append(t[1:], np.inf)
    out = np.zeros((len(at) - 1, control.shape[1]))
    for i, (a, b) in enumerate(zip(at[:-1], at[1:], strict=True)):
        shared = np.clip(np.minimum(ends, b) - np.maximum(t, a), 0.0, None)
        out[i] = shared @ control / shared.sum()
    return out
