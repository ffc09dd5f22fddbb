"""Where the quadruped should step from where it is: a trot's reference that starts at the robot's own state.

Carrying feet stay where they are; swinging feet go to where the trunk will be, half a stance ahead of its speed and further by the
capture point's share of the speed it should lose (Raibert 1986, section 2.4): p = hip + ½ T v + √(z/g) (v − v_desired). The trunk's
speed returns to the gait's with a time constant. Trunk level, yaw 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gait import ABDUCTION, FOOT_RADIUS, HIP_X, HIP_Y, LEGS, LINK, Trot, foot_position, leg_angles

Array = np.ndarray

RETURN_TIME = 0.3
"""In which the trunk's speed returns to the gait's [s]."""
REACH, WIDEST, HIGHEST = 0.95 * 2 * LINK, 0.7, 0.12
"""Longest leg [m], largest abduction [rad] and highest foot below the hip [m] asked for."""
GRAVITY = 9.81


def rotation_matrix(q: Array) -> Array:
    """(3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def feet_in_world(qpos: Array) -> Array:
    """(4, 3) the feet's centres."""
    R = rotation_matrix(qpos[3:7])
    legs = qpos[7:].reshape(4, 3)
    return np.array([qpos[:3] + R @ foot_position(a, *signs) for a, signs in zip(legs, LEGS.values(), strict=True)])


def reachable(foot: Array, sx: int, sy: int) -> Array:
    """(3,) the foot's position from the trunk brought within the leg's reach and abduction."""
    hip = np.array([sx * HIP_X, sy * HIP_Y, 0.0])
    from_hip = foot - hip
    from_hip[2] = min(from_hip[2], -HIGHEST)
    widest = abs(from_hip[2]) * np.tan(WIDEST)
    from_hip[1] = np.clip(from_hip[1], sy * ABDUCTION - widest, sy * ABDUCTION + widest)
    longest = np.hypot(REACH, ABDUCTION)
    return hip + from_hip * min(1.0, longest / np.linalg.norm(from_hip))


def reference_from(model: Any, gait: Trot, state: Any, horizon: int, timestep: float) -> tuple[Array, Array]:
    """Coordinates (horizon + 1, nq) and velocities (horizon + 1, nv) of the next steps."""
    T, h = gait.half_cycle, timestep
    wanted = np.array([gait.speed, 0.0])
    excess = np.asarray(state.qvel[:2]) - wanted

    def trunk(t: float) -> Array:  # at t seconds from now
        return state.qpos[:2] + wanted * t + excess * RETURN_TIME * (1 - np.exp(-t / RETURN_TIME))

    def speed(t: float) -> Array:
        return wanted + excess * np.exp(-t / RETURN_TIME)

    feet = feet_in_world(state.qpos)
    feet[gait.in_stance(state.time), 2] = FOOT_RADIUS
    rows = []
    for j in range(horizon + 1):
        now = state.time + j * h
        part = now / T - np.floor(now / T + 1e-9)
        left = max(T * (1.0 - part), h)
        carry = gait.in_stance(now)
        rows.append(_posture(trunk(j * h), gait, feet))
        for i, (sx, sy) in enumerate(LEGS.values()):
            if carry[i]:
                continue
            v = speed(j * h + left)
            ahead = 0.5 * T * v + np.sqrt(gait.trunk_height / GRAVITY) * (v - wanted)
            landing = trunk(j * h + left) + [sx * HIP_X, sy * gait.stance_width] + ahead
            feet[i, :2] += (landing - feet[i, :2]) * min(1.0, h / left)
            feet[i, 2] = FOOT_RADIUS + gait.lift * max(0.0, np.sin(np.pi * min(1.0, part + h / T)))
    qpos = np.array(rows)
    first = model.difference(qpos[1], qpos[0]) / h
    return qpos, np.array([first, *(model.difference(b, a) / h for a, b in zip(qpos, qpos[1:], strict=False))])


def _posture(trunk: Array, gait: Trot, feet: Array) -> Array:
    """(19,) coordinates with the trunk there and the feet as near as the legs reach."""
    place = np.array([*trunk, gait.trunk_height])
    angles = [leg_angles(reachable(f - place, *signs), *signs) for f, signs in zip(feet, LEGS.values(), strict=True)]
    return np.concatenate([place, [1.0, 0.0, 0.0, 0.0], *angles])
