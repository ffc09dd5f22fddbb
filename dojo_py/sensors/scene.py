"""Scene: the bodies and what is fixed to them along T steps, as far as sensors ask for it."""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.same_frame import Frames, frames_in_use
from dojo_py.mechanism.sensor_kinds import OBJECTS
from dojo_py.mechanism.tendon_paths import pulls
from dojo_py.sensors.motion import Motion, body_motion, gravity_of
from dojo_py.sensors.rows import Rows

Array = np.ndarray
BODY, XBODY, GEOM, SITE = (OBJECTS[word] for word in ("body", "xbody", "geom", "site"))


class Scene:
    """Rows of a motion and what follows from them. Quantities are in world axes; T rows."""

    def __init__(self, model: Any, rows: Rows):
        self.model, self.rows = model, rows

    @cached_property
    def motion(self) -> Motion:
        """Of the body frames."""
        r = self.rows
        return body_motion(self.model, r.body_pos, r.body_quat, r.qpos, r.qvel, r.qacc)

    def mount(self, objtype: int, index: int) -> tuple[int, Array, Array]:
        """(body, position, quaternion in the body's frame) of a body, geom or site."""
        m, frames = self.model, self._frames
        if objtype == BODY:
            return index, frames.body_ipos[index], frames.body_iquat[index]
        if objtype == XBODY:
            return index, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        if objtype == GEOM:
            return int(m.geom_bodyid[index]), frames.geom_pos[index], frames.geom_quat[index]
        return int(m.site_bodyid[index]), frames.site_pos[index], frames.site_quat[index]

    @cached_property
    def _frames(self) -> Frames:
        return frames_in_use(self.model)

    def _arm(self, objtype: int, index: int) -> tuple[int, Array]:
        body, pos, _ = self.mount(objtype, index)
        return body, quaternion.rotate(self.motion.q[:, body], np.asarray(pos, float))

    def position(self, objtype: int, index: int) -> Array:
        """(T, 3)"""
        body, r = self._arm(objtype, index)
        return self.motion.x[:, body] + r

    def orientation(self, objtype: int, index: int) -> Array:
        """(T, 4)"""
        body, _, quat = self.mount(objtype, index)
        q = self.motion.q[:, body]
        return quaternion.multiply(q, np.broadcast_to(np.asarray(quat, float), q.shape))

    def axes(self, objtype: int, index: int) -> Array:
        """(T, 3, 3) columns: the frame's axes."""
        return quaternion.matrix(self.orientation(objtype, index))

    def velocity(self, objtype: int, index: int) -> Array:
        """(T, 3)"""
        body, r = self._arm(objtype, index)
        return self.motion.v[:, body] + np.cross(self.motion.w[:, body], r)

    def rotation(self, objtype: int, index: int) -> Array:
        """(T, 3) angular velocity."""
        return self.motion.w[:, self.mount(objtype, index)[0]]

    def acceleration(self, objtype: int, index: int) -> Array:
        """(T, 3) less gravity."""
        body, r = self._arm(objtype, index)
        change = self.rows.change
        if change is not None:
            from_centre = self.mount(objtype, index)[1] - self._frames.body_ipos[body]
            return change.linear[:, body] + change.spread[:, body] @ from_centre - gravity_of(self.model)
        m, w = self.motion, self.motion.w[:, body]
        return m.a[:, body] + np.cross(m.alpha[:, body], r) + np.cross(w, np.cross(w, r))

    def angular_acceleration(self, objtype: int, index: int) -> Array:
        """(T, 3)"""
        alpha = self.motion.alpha if self.rows.change is None else self.rows.change.angular
        return alpha[:, self.mount(objtype, index)[0]]

    # all bodies at their centres of mass

    @cached_property
    def arms(self) -> Array:
        """(T, nbody, 3) from the body frames to the centres of mass."""
        return quaternion.rotate(self.motion.q, self._frames.body_ipos)

    @cached_property
    def centres(self) -> Array:
        """(T, nbody, 3)"""
        return self.motion.x + self.arms

    @cached_property
    def linear(self) -> Array:
        """(T, nbody, 3) velocities of the centres of mass."""
        return self.motion.v + np.cross(self.motion.w, self.arms)

    def turned_inertia(self, vectors: Array) -> Array:
        """(T, nbody, 3): inertia tensors times vectors."""
        q = quaternion.multiply(self.motion.q, np.broadcast_to(self._frames.body_iquat, self.motion.q.shape))
        local = quaternion.rotate(quaternion.conjugate(q), vectors)
        return quaternion.rotate(q, np.asarray(self.model.body_inertia, float) * local)

    @cached_property
    def contact_loads(self) -> Array:
        """(T, nbody, 6) world force and torque about the centres of mass, of contacts."""
        out = np.zeros((*self.centres.shape[:2], 6))
        c = self.rows.contacts
        if len(c.step):
            force, torque = (np.einsum("nij,ni->nj", c.frame, part) for part in (c.force[:, :3], c.force[:, 3:]))
            bodies = np.asarray(self.model.geom_bodyid, int)[c.geoms]
            for side, sign in ((0, -1.0), (1, 1.0)):
                b = bodies[:, side]
                about = torque + np.cross(c.applied - self.centres[c.step, b], force)
                np.add.at(out, (c.step, b), sign * np.concatenate([force, about], axis=1))
        return out

    @cached_property
    def internal(self) -> Array:
        """(T, nbody, 6) force and torque about the world's origin that a body's parent applies to it (Newton and Euler).

        The world's row is what it applies to all trees. (The wheel adds up their torques about different points.)
        """
        m = self.model
        loads = self.rows.wrenches + self.contact_loads + self._tie_loads() + self._tendon_loads()
        out = self._felt() - loads
        out[:, :, 3:] += np.cross(self.centres, out[:, :, :3])
        out[:, 0] = 0.0
        for b in range(int(m.nbody) - 1, 0, -1):
            out[:, int(m.body_parentid[b])] += out[:, b]
        return out

    def _felt(self) -> Array:
        """(T, nbody, 6) force and torque about the centres of mass that make the bodies move as they do, gravity left out.

        By their change over the step where it is known, else m a and J α + ω × J ω.
        """
        mass, change = np.asarray(self.model.body_mass, float)[:, None], self.rows.change
        if change is not None:
            return np.concatenate([mass * (change.linear - gravity_of(self.model)), change.torque], axis=2)
        motion, w = self.motion, self.motion.w
        acceleration = motion.a + np.cross(motion.alpha, self.arms) + np.cross(w, np.cross(w, self.arms))
        torque = self.turned_inertia(motion.alpha) + np.cross(w, self.turned_inertia(w))
        return np.concatenate([mass * acceleration, torque], axis=2)

    def _tie_loads(self) -> Array:
        out = np.zeros((*self.centres.shape[:2], 6))
        for tie in self.rows.ties:
            for body, point, sign in zip(tie.bodies, tie.points, (1.0, -1.0), strict=True):
                arm = quaternion.rotate(self.motion.q[:, body], point) - self.arms[:, body]
                out[:, body, :3] += sign * tie.wrench[:, :3]
                out[:, body, 3:] += sign * (tie.wrench[:, 3:] + np.cross(arm, tie.wrench[:, :3]))
        return out

    def _tendon_loads(self) -> Array:
        """Of spatial tendons: each pulls at the points of its path; fixed ones act along joints."""
        out, tension, arrays = np.zeros((*self.centres.shape[:2], 6)), self.rows.tension, Arrays(self.model)
        for k, t in zip(*np.nonzero(tension), strict=True):
            state = SimpleNamespace(xpos=self.motion.x[k], xquat=self.motion.q[k])
            for body, point, direction in pulls(arrays, state, int(t)):
                force = tension[k, t] * direction
                out[k, body, :3] += force
                out[k, body, 3:] += np.cross(point - self.centres[k, body], force)
        return out

    def subtree(self, body: int) -> Array:
        """Indices of a body and all below it."""
        parents, inside = np.asarray(self.model.body_parentid, int), np.zeros(int(self.model.nbody), bool)
        inside[body] = True
        for b in range(body + 1, len(inside)):
            inside[b] |= inside[parents[b]]
        return np.flatnonzero(inside)
