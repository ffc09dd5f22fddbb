"""Between a state vector's coordinates and the tangents that A and B refer to.

State vector x = [qpos, qvel, act], nq + nv + na entries; tangent [δq, δv, δact], 2 nv + na entries, δq as in `model.integrate`:
rotations are rotation vectors in the body frame. For each quaternion q (w, x, y, z), body to world:

    raise:   δq ↦ ½ q ⊗ (0, δφ)                    Jacobian of q ⊗ exp(δφ) at δφ = 0
    lower:   dq ↦ 2 vec(q* ⊗ dq) / |q|²            its pseudo-inverse, after the Jacobian of q / |q|

`lower` maps changes of length to zero, so it is the derivative of "normalise, then take the tangent": a function of x that
normalises its quaternions first has raise(y) · [A B] · lower(x) as its exact Jacobian in all coordinates.
Every other coordinate is its own tangent. Source: Jackson (2021); docs/jax.md.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dojo_py.mechanism.enums import JointType

Array = jax.Array
NULL = 1e-15
"""Length below which a quaternion is taken for the identity, whatever it is: its derivative is 0."""


class Tangents:
    """The maps of one model; all arrays may carry leading axes."""

    def __init__(self, model: Any):
        quat: list[range] = []
        rot: list[range] = []
        plain_q: list[int] = []
        plain_v: list[int] = []
        for kind, q, v in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
            kind, q, v = int(kind), int(q), int(v)
            plain = {JointType.FREE: 3, JointType.BALL: 0}.get(JointType(kind), 1)
            plain_q += range(q, q + plain)
            plain_v += range(v, v + plain)
            if kind in (JointType.FREE, JointType.BALL):
                quat.append(range(q + plain, q + plain + 4))
                rot.append(range(v + plain, v + plain + 3))
        self.size = model.nq + model.nv + model.na
        """Of a state vector."""
        self.tangent_size = 2 * model.nv + model.na
        self._quat = np.array(quat, dtype=int).reshape(-1, 4)
        self._rot = np.array(rot, dtype=int).reshape(-1, 3)
        own = np.arange(model.nv + model.na)  # velocities and activations are their own tangents
        self._plain_x = np.concatenate([np.array(plain_q, dtype=int), model.nq + own])
        self._plain_t = np.concatenate([np.array(plain_v, dtype=int), model.nv + own])
        # where each entry is in [plain entries | all rotations]
        self._place_x = np.argsort(np.concatenate([self._plain_x, self._quat.ravel()]))
        self._place_t = np.argsort(np.concatenate([self._plain_t, self._rot.ravel()]))

    def lower(self, state: Array, change: Array) -> Array:
        """(…, 2 nv + na) tangent of a change (…, nq + nv + na) of the state vector (…, nq + nv + na)."""
        q, dq = state[..., self._quat], change[..., self._quat]
        w, v, dw, dv = q[..., :1], q[..., 1:], dq[..., :1], dq[..., 1:]
        squared = jnp.sum(q * q, axis=-1, keepdims=True)
        null = squared < NULL**2
        turn = jnp.where(null, 0.0, 2.0 / jnp.where(null, 1.0, squared)) * (w * dv - dw * v - jnp.cross(v, dv))
        return _together(change[..., self._plain_x], turn)[..., self._place_t]

    def raise_(self, state: Array, tangent: Array) -> Array:
        """(…, nq + nv + na) change of the state vector (…, nq + nv + na), its quaternions unit, by a tangent (…, 2 nv + na)."""
        q, turn = state[..., self._quat], tangent[..., self._rot]
        w, v = q[..., :1], q[..., 1:]
        scalar = -0.5 * jnp.sum(v * turn, axis=-1, keepdims=True)
        change = jnp.concatenate([scalar, 0.5 * (w * turn + jnp.cross(v, turn))], axis=-1)
        return _together(tangent[..., self._plain_t], change)[..., self._place_x]

    def normalised(self, state: np.ndarray) -> np.ndarray:
        """A copy of state vectors (…, nq + nv + na) with unit quaternions; numpy. A zero quaternion becomes the identity."""
        out = np.array(state, dtype=float)
        q = out[..., self._quat]
        norm = np.linalg.norm(q, axis=-1, keepdims=True)
        identity = np.array([1.0, 0.0, 0.0, 0.0])
        out[..., self._quat] = np.where(norm < NULL, identity, q / np.where(norm < NULL, 1.0, norm))
        return out


def _together(plain: Array, turns: Array) -> Array:
    """(…, n + m k) from plain (…, n) and turns (…, m, k)."""
    turns = turns.reshape(*turns.shape[:-2], -1)
    batch = jnp.broadcast_shapes(plain.shape[:-1], turns.shape[:-1])
    return jnp.concatenate([jnp.broadcast_to(a, (*batch, a.shape[-1])) for a in (plain, turns)], axis=-1)
