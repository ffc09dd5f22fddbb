"""Targets of servos of orientations at the start of a step; their law in the step is in orientations.py."""

from __future__ import annotations

import numpy as np

from dojo_py.actuation.orientation import wanted
from dojo_py.actuation.table import ActuatorTable
from dojo_py.algebra.quaternions import quaternion, this_way
from dojo_py.hard.elements.layout import Layout
from dojo_py.hard.elements.orientations import BOUND, KP, KV, bounded, relative
from dojo_py.jit import kernel


def orientation_arrays(table: ActuatorTable, layout: Layout) -> dict[str, np.ndarray]:
    """Arrays of the servos of orientations."""
    z, k = np.zeros, int(np.sum(table.orientation >= 0))
    closure = np.full(k, -1)
    own = np.flatnonzero(layout.eq_servo >= 0)
    closure[layout.eq_servo[own]] = own
    return {
        "orient_law": z((k, 3)),
        "orient_target": np.tile([1.0, 0.0, 0.0, 0.0], (k, 1)),
        "orient_sign": np.ones(k),
        "orient_closure": closure.astype(np.int64),
        "orient_force": z((k, 3)),
        "orient_whole": z((k, 3)),
        "orient_by": z((k, 2, 3, 3)),
    }


@kernel
def ask_orientation(T, i, V, bodies, act, h):
    """Set the target of servo i of an orientation, its sign chosen for the shorter rotation from the present one, and its gains and
    bound. Returns 0.

    V.actuator_force: its torque if nothing moved; where both its frames are in one body it has no other.
    """
    S, k, o = V.servos, T.orientation[i], T.output[i]
    target = wanted(T, i, V.control, act, h, V.act_rate)
    on = 1.0 if T.enabled[i] else 0.0
    S.orient_law[k, KP], S.orient_law[k, KV], S.orient_law[k, BOUND] = on * T.gain[i, 0], -on * T.bias[i, 2], T.force_range[i, 1]
    now = relative(_turned(T.body[i, 0], bodies), _turned(T.body[i, 1], bodies), T.site_quat[i])
    if not V.hold[0]:
        cosine = now[0] * target[0] + now[1] * target[1] + now[2] * target[2] + now[3] * target[3]
        S.orient_sign[k] = 1.0 if cosine >= 0.0 else -1.0
    for m in range(4):
        S.orient_target[k, m] = S.orient_sign[k] * target[m]
    e = this_way(now, quaternion(S.orient_target[k]))
    kp = S.orient_law[k, KP]
    V.actuator_force[o], V.actuator_force[o + 1], V.actuator_force[o + 2] = bounded(
        (kp * e[0], kp * e[1], kp * e[2]), S.orient_law[k, BOUND]
    )
    return 0.0


@kernel
def _turned(b, bodies):
    """Orientation of body b, -1: the world."""
    if b < 0:
        return 1.0, 0.0, 0.0, 0.0
    return quaternion(bodies[b, 6:10])
