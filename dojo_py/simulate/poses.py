"""Where bodies, geoms and sites of a state are and how they move, and Jacobians of points: for both modes, without kernels.

From qpos and qvel alone, as MuJoCo's kinematics: a point p of a body moves with  Σ_i (axis_i × (p - anchor_i)) qvel_i  over the
turning degrees of freedom above it, plus  axis_i qvel_i  over the sliding ones. In the hard mode qvel belongs to the interval that
led to the pose; `State.maximal` has the bodies' own velocities over it.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.reference import ReferenceState, state_at
from dojo_py.mechanism.views import index_of, numbered
from dojo_py.simulate.arguments import mocap_bodies, placed_of, usual_placement
from dojo_py.simulate.results import State
from dojo_py.simulate.values import count, vector

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Frames:
    """Several frames, or one of them (then without the first axis)."""

    position: Array
    """(n, 3) of the origins, world [m]."""
    quat: Array
    """(n, 4) frame to world."""
    velocity: Array
    """(n, 3) of the origins, world axes [m/s]."""
    angular: Array
    """(n, 3) angular velocity in the frame's own axes [rad/s]."""

    def row(self, index: int) -> Frames:
        """One of them."""
        return Frames(self.position[index], self.quat[index], self.velocity[index], self.angular[index])

    @property
    def rotation(self) -> Array:
        """(n, 3, 3) frame to world."""
        return quaternion.matrix(self.quat)

    @property
    def world_angular(self) -> Array:
        """(n, 3) angular velocity in world axes [rad/s]."""
        return quaternion.rotate(self.quat, self.angular)


@dataclass(frozen=True, eq=False)
class Poses:
    """All frames of a model in one state; `poses.body("torso").position` is one of them."""

    bodies: Frames
    """Body frames, row 0 the world."""
    inertial: Frames
    """Centres of mass, in principal axes."""
    geoms: Frames
    sites: Frames
    _model: Any = field(repr=False)

    def body(self, name: str) -> Frames:
        """The frame of this body."""
        return self.bodies.row(index_of("body", self._model.body_names, name))

    def geom(self, name: str) -> Frames:
        """The frame of this geom."""
        return self.geoms.row(index_of("geom", self._model.geom_names, name))

    def site(self, name: str) -> Frames:
        """The frame of this site."""
        return self.sites.row(index_of("site", self._model.site_names, name))


@dataclass(frozen=True, eq=False)
class PointJacobian:
    """How a point that is fixed to a body moves with qvel."""

    position: Array
    """(3,) the point, world [m]."""
    linear: Array
    """(3, nv) its velocity by qvel, world axes."""
    angular: Array
    """(3, nv) the body's angular velocity by qvel, world axes."""


class HasPoses:
    """What simulators of both modes know of a state's poses."""

    model: Any

    def _checked(self, state: State) -> State:
        raise NotImplementedError

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"a {type(self).__name__} holds compiled kernels and work arrays, and cannot be pickled or copied deeply: threads "
            "share one; dojo_py.sweeps.Recipe.of(sim) can be pickled, and its simulator() is one like sim"
        )

    def __copy__(self) -> Any:
        """Another one with the same kernels and work arrays."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def _model_of_poses(self) -> Any:
        """The model whose frames the simulator moves."""
        return self.model

    def poses(self, state: State) -> Poses:
        """Frames of bodies, geoms and sites: positions, orientations, velocities (`simulate/poses.py`)."""
        return poses_of(self._model_of_poses(), self._checked(state))

    def jacobian(
        self,
        state: State,
        *,
        body: str | int | None = None,
        geom: str | int | None = None,
        site: str | int | None = None,
        point: Any = (0.0, 0.0, 0.0),
    ) -> PointJacobian:
        """How the point (3,) [m] in the frame of a body, geom or site moves with qvel: linear and angular (3, nv), world axes."""
        return point_jacobian(self._model_of_poses(), self._checked(state), body, geom, site, point)


def poses_of(model: Any, state: State) -> Poses:
    """Poses and velocities of everything; `state` is checked."""
    at = state_at(_arrays_at(model, state), state.qpos)
    moving = [_twist(at, body, state.qvel) for body in range(len(at.xpos))]
    spin, shift = np.array([m[0] for m in moving]), np.array([m[1] for m in moving])
    everywhere = np.arange(len(at.xpos))

    def frames(body: Array, pos: Array, quat: Array) -> Frames:
        body = np.asarray(body, int)
        position = at.xpos[body] + quaternion.rotate(at.xquat[body], np.asarray(pos))
        turned = quaternion.multiply(at.xquat[body], np.asarray(quat))
        velocity = shift[body] + np.cross(spin[body], position)
        return Frames(position, turned, velocity, quaternion.rotate(quaternion.conjugate(turned), spin[body]))

    still, upright = np.zeros((len(everywhere), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(everywhere), 1))
    return Poses(
        frames(everywhere, still, upright),
        frames(everywhere, model.body_ipos, model.body_iquat),
        frames(model.geom_bodyid, model.geom_pos, model.geom_quat),
        frames(model.site_bodyid, model.site_pos, model.site_quat),
        _named(model),
    )


def point_jacobian(
    model: Any, state: State, body: str | int | None, geom: str | int | None, site: str | int | None, point: Any
) -> PointJacobian:
    """Of the point (3,) [m] in the frame of exactly one of body, geom, site."""
    chosen = [(kind, key) for kind, key in (("body", body), ("geom", geom), ("site", site)) if key is not None]
    if len(chosen) != 1:
        raise ValueError(f"exactly one of body, geom, site is accepted; given: {[kind for kind, _ in chosen]}")
    (kind, key), named = chosen[0], _named(model)
    names = getattr(named, f"{kind}_names")
    index = index_of(kind, names, key) if isinstance(key, str) else count(kind, key, least=0)
    if not 0 <= index < len(names):
        raise ValueError(f"{kind}={key!r}: the model has {numbered(len(names))}")
    local = vector("point", point, (3,))
    if kind != "body":
        local = getattr(model, f"{kind}_pos")[index] + quaternion.rotate(getattr(model, f"{kind}_quat")[index], local)
        index = int(getattr(model, f"{kind}_bodyid")[index])
    at = state_at(_arrays_at(model, state), state.qpos)
    place = at.xpos[index] + quaternion.rotate(at.xquat[index], local)
    out = np.zeros((2, 3, len(state.qvel)))
    dofs, linear, angular = at.jacobian(index, place)
    out[0][:, dofs], out[1][:, dofs] = linear, angular
    return PointJacobian(place, out[0], out[1])


def _arrays_at(model: Any, state: State) -> Any:
    """The model's arrays with its mocap bodies where the state has them."""
    if state.mocap_pos is None or not len(state.mocap_pos):
        return Arrays(model)
    placed, moved = placed_of(usual_placement(model), state), mocap_bodies(model)
    pos, quat = np.array(model.body_pos, float), np.array(model.body_quat, float)
    pos[moved], quat[moved] = placed.mocap_pos, placed.mocap_quat
    arrays: Any = Arrays(model)
    return ChainMap({"body_pos": pos, "body_quat": quat}, arrays)


def _twist(at: ReferenceState, body: int, qvel: Array) -> tuple[Array, Array]:
    """Angular velocity (3) and velocity of the body's point at the world's origin (3), world axes."""
    dofs, linear, angular = at.jacobian(body, np.zeros(3))
    return angular @ qvel[dofs], linear @ qvel[dofs]


def _named(model: Any) -> Any:
    """What has the names of bodies, geoms, sites: our model, or a mujoco.MjModel's read from it."""
    if hasattr(model, "body_names"):
        return model
    return _Names(*(tuple(getattr(model, kind)(i).name for i in range(n)) for kind, n in _counts(model)))


def _counts(model: Any) -> list[tuple[str, int]]:
    return [("body", model.nbody), ("geom", model.ngeom), ("site", model.nsite)]


@dataclass(frozen=True)
class _Names:
    body_names: tuple[str, ...]
    geom_names: tuple[str, ...]
    site_names: tuple[str, ...]
