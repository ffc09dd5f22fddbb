"""How heavy a point of a mechanism is whose joints hold: what a hand that drags at it in the live viewer feels.

    1 / mass = largest eigenvalue of J M⁻¹ Jᵀ,   M = Σ m J_xᵀ J_x + J_φᵀ I J_φ + armature

with the Jacobians of all bodies' centres of mass and rotations by central differences of their poses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.drawing.poses import body_poses, centres_of_mass
from dojo_py.mechanism import quaternion

Array = np.ndarray

STEP = 1e-6


def dynamics(model: Any, qpos: Array, placed: Any = None) -> tuple[Array, Array, Array]:
    """Mass matrix (nv, nv), Jacobians (nv, nbody, 3) of the centres of mass and of the rotations, world axes.

    placed: as in `body_poses`.
    """
    moves = STEP * np.concatenate([np.eye(model.nv), -np.eye(model.nv)])
    places = np.array([model.integrate(qpos, move) for move in moves] + [qpos])
    x, q = body_poses(model, places, placed)
    com = centres_of_mass(model, x, q)
    n = int(model.nv)
    linear = (com[:n] - com[n : 2 * n]) / (2.0 * STEP)
    turned = quaternion.multiply(q[:n], quaternion.conjugate(q[n : 2 * n]))
    angular = quaternion.logarithm(turned) / (2.0 * STEP)
    axes = quaternion.matrix(quaternion.multiply(q[-1], np.asarray(model.body_iquat)))
    inertia = np.einsum("bij,bj,bkj->bik", axes, np.asarray(model.body_inertia), axes)
    mass = np.einsum("b,ibk,jbk->ij", np.asarray(model.body_mass), linear, linear)
    mass += np.einsum("ibk,bkl,jbl->ij", angular, inertia, angular) + np.diag(model.dof_armature)
    return mass, linear, angular


def felt_mass(model: Any, state: Any, body: int, offset: Array) -> float:
    """What a force at a point of a body has to move at least [kg]. offset (3,): from its centre of mass to the point, world."""
    mass, linear, angular = dynamics(model, state.qpos, state)
    jacobian = linear[:, body] + np.cross(angular[:, body], offset)
    mobility = jacobian.T @ np.linalg.solve(mass, jacobian)
    return 1.0 / max(float(np.linalg.eigvalsh(mobility)[-1]), 1e-12)
