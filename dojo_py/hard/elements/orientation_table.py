"""Model → closures of the servos of orientations: the two bodies that each acts between, and the frames in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.enums import JointType, TrnType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import multiply
from dojo_py.mechanism.source import name_of, refusal

Array = np.ndarray


class Between(NamedTuple):
    """What a servo acts between: the reference frame and the frame that it rotates, on bodies of the layout (-1: world)."""

    one: int
    two: int
    frames: Array  # (2, 4) in the two bodies


def orientation_servos(model: Any) -> list[int]:
    """The actuators that are servos of orientations."""
    if not int(model.nactuator):
        return []
    return [int(i) for i in np.flatnonzero(np.asarray(model.actuator_trntype) == TrnType.SO3)]


def between(model: Any, where: Any, i: int) -> Between:
    """What servo i of an orientation acts between. where: BodyMap."""
    target, reference = (int(number) for number in model.actuator_trnid[i])
    if reference >= 0:
        bodies = [int(model.site_bodyid[s]) for s in (reference, target)]
        own = [np.asarray(model.site_quat[s], float) for s in (reference, target)]
    else:
        child = int(model.jnt_bodyid[target])
        bodies = [int(model.body_parentid[child]), child]
        own = [np.asarray(model.body_quat[child], float), np.array([1.0, 0.0, 0.0, 0.0])]
        _check_ball(model, i, child)
    frames = np.array([multiply(where.quat[b], q) for b, q in zip(bodies, own, strict=True)])
    return Between(int(where.node[bodies[0]]), int(where.node[bodies[1]]), frames)


def _check_ball(model: Any, i: int, body: int) -> None:
    """Refuse a ball joint beside hinges: the torque between the two bodies would drive these, too."""
    first = int(model.body_jntadr[body])
    for j in range(first, first + int(model.body_jntnum[body])):
        if int(model.jnt_type[j]) == JointType.HINGE:
            message = f"its ball joint stands beside hinge '{name_of(model, 'joint', j)}' in one body, "
            message += "which is not simulated in the hard mode; give the hinge a body of its own"
            raise ModelError(refusal(model, "actuator", (i,), "joint", message))
