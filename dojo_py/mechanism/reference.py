"""What follows from the configuration qpos0: world poses, Jacobians, joint-space inertia, averages of its inverse.

    M = Σ_b  m J_vᵀ J_v + J_ωᵀ R I Rᵀ J_ω  +  diag(armature)     J_v, J_ω: (3, nv) of body b, at its centre of mass

`body_invweight0` holds the mean diagonals of J M⁻¹ Jᵀ (translation, rotation), `dof_invweight0` the diagonal of M⁻¹,
averaged over the three translations and the three rotations of free and ball joints (MuJoCo, computation chapter).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from . import quaternion
from .enums import JointType, TrnType, WrapType

Array = np.ndarray


@dataclass
class ReferenceState:
    """World quantities of a model at qpos0."""

    xpos: Array
    """(nbody, 3) body origins [m]"""
    xquat: Array
    """(nbody, 4) body orientations"""
    xipos: Array
    """(nbody, 3) centres of mass [m]"""
    dof_axis: Array
    """(nv, 3) world direction of each degree of freedom"""
    dof_anchor: Array
    """(nv, 3) a world point on the axis of each turning degree of freedom [m]"""
    dof_turns: Array
    """(nv,) bool: rotation, not translation"""
    dofs_of_body: list[Array]
    """Per body: indices of the degrees of freedom that move it, root first."""

    def jacobian(self, body: int, point: Array) -> tuple[Array, Array, Array]:
        """Dofs (k) that move `body`, Jacobians (3, k) of the velocity of a point and of the angular velocity."""
        dofs = self.dofs_of_body[body]
        axis, turns = self.dof_axis[dofs], self.dof_turns[dofs][:, None]
        velocity = np.where(turns, np.cross(axis, point - self.dof_anchor[dofs]), axis)
        return dofs, velocity.T, np.where(turns, axis, 0.0).T


def reference_state(a: Mapping[str, Array]) -> ReferenceState:
    """`a`: the arrays of the model compiled so far, by name. At qpos0 bodies are where they are described."""
    nbody, nv = len(a["body_parentid"]), len(a["dof_bodyid"])
    xpos, xquat = np.zeros((nbody, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (nbody, 1))
    for b in range(1, nbody):
        p = a["body_parentid"][b]
        xpos[b] = xpos[p] + quaternion.rotate(xquat[p], a["body_pos"][b])
        xquat[b] = quaternion.normalise(quaternion.multiply(xquat[p], a["body_quat"][b]))
    xipos = xpos + quaternion.rotate(xquat, a["body_ipos"])
    axis, anchor, turns = np.zeros((nv, 3)), np.zeros((nv, 3)), np.zeros(nv, bool)
    for j, (kind, b, adr) in enumerate(zip(a["jnt_type"], a["jnt_bodyid"], a["jnt_dofadr"], strict=True)):
        point = xpos[b] + quaternion.rotate(xquat[b], a["jnt_pos"][j])
        if kind == JointType.FREE:
            axis[adr : adr + 3] = np.eye(3)
            adr += 3
        if kind in (JointType.FREE, JointType.BALL):
            axis[adr : adr + 3] = quaternion.matrix(xquat[b]).T
            anchor[adr : adr + 3], turns[adr : adr + 3] = point, True
        else:
            axis[adr] = quaternion.rotate(xquat[b], a["jnt_axis"][j])
            anchor[adr], turns[adr] = point, kind == JointType.HINGE
    return ReferenceState(xpos, xquat, xipos, axis, anchor, turns, _chains(a))


def _chains(a: Mapping[str, Array]) -> list[Array]:
    """Per body: the degrees of freedom that move it, root first."""
    chains: list[Array] = [np.zeros(0, int)]
    for b in range(1, len(a["body_parentid"])):
        own = np.arange(a["body_dofadr"][b], a["body_dofadr"][b] + a["body_dofnum"][b])
        inherited = chains[a["body_parentid"][b]]
        chains.append(np.concatenate([inherited, own]) if own.size else inherited)
    return chains


def state_at(a: Mapping[str, Array], qpos: Array) -> ReferenceState:
    """The same quantities at the configuration qpos (nq)."""
    nbody, nv = len(a["body_parentid"]), len(a["dof_bodyid"])
    xpos, xquat = np.zeros((nbody, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (nbody, 1))
    axis, anchor, turns = np.zeros((nv, 3)), np.zeros((nv, 3)), np.zeros(nv, bool)
    for b in range(1, nbody):
        p = a["body_parentid"][b]
        x = xpos[p] + quaternion.rotate(xquat[p], a["body_pos"][b])
        q = quaternion.multiply(xquat[p], a["body_quat"][b])
        for j in range(a["body_jntadr"][b], a["body_jntadr"][b] + a["body_jntnum"][b]):
            kind, adr, at = a["jnt_type"][j], a["jnt_dofadr"][j], a["jnt_qposadr"][j]
            if kind == JointType.FREE:
                x, q = np.array(qpos[at : at + 3], float), quaternion.normalise(qpos[at + 3 : at + 7])
                axis[adr : adr + 3], axis[adr + 3 : adr + 6] = np.eye(3), quaternion.matrix(q).T
                anchor[adr + 3 : adr + 6], turns[adr + 3 : adr + 6] = x, True
                continue
            point, direction = x + quaternion.rotate(q, a["jnt_pos"][j]), quaternion.rotate(q, a["jnt_axis"][j])
            if kind == JointType.SLIDE:
                x = x + direction * (qpos[at] - a["qpos0"][at])
                axis[adr], anchor[adr] = direction, point
                continue
            ball = kind == JointType.BALL
            shift = qpos[at : at + 4] if ball else quaternion.from_axis_angle(a["jnt_axis"][j], qpos[at] - a["qpos0"][at])
            q = quaternion.normalise(quaternion.multiply(q, quaternion.normalise(np.asarray(shift, float))))
            x = point - quaternion.rotate(q, a["jnt_pos"][j])
            rows = slice(adr, adr + 3 if ball else adr + 1)
            axis[rows] = quaternion.matrix(q).T if ball else direction
            anchor[rows], turns[rows] = point, True
        xpos[b], xquat[b] = x, quaternion.normalise(q)
    xipos = xpos + quaternion.rotate(xquat, a["body_ipos"])
    return ReferenceState(xpos, xquat, xipos, axis, anchor, turns, _chains(a))


def _gears(a: Mapping[str, Array]) -> Array:
    """(nactuator, 6) gears of the actuators' first forces."""
    return np.asarray(a["actuator_gear"], float)[np.asarray(a["actuator_outadr"], int)]


def by_joint(a: Mapping[str, Array], name: str) -> Array:
    """(nv, …) an array of the actuators of joints, seen through their gears, on the joints that they drive.

    On balls and free joints alike along all directions, through the first number of the gear: MuJoCo's rule.
    """
    values = np.asarray(a[name], float)
    out = np.zeros((len(a["dof_armature"]), *values.shape[1:]))
    for value, kind, ids, gear in zip(values, a["actuator_trntype"], a["actuator_trnid"], _gears(a), strict=True):
        if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
            first = int(a["jnt_dofadr"][int(ids[0])])
            count = {JointType.FREE: 6, JointType.BALL: 3}.get(JointType(int(a["jnt_type"][int(ids[0])])), 1)
            out[first : first + count] += gear[0] ** 2 * value
    return out


def by_tendon(a: Mapping[str, Array], name: str) -> Array:
    """(ntendon, …) an array of the actuators of tendons, seen through their gears, on the tendons that they pull."""
    values = np.asarray(a[name], float)
    out = np.zeros((len(a["tendon_armature"]), *values.shape[1:]))
    for value, kind, ids, gear in zip(values, a["actuator_trntype"], a["actuator_trnid"], _gears(a), strict=True):
        if kind == TrnType.TENDON:
            out[int(ids[0])] += gear[0] ** 2 * value
    return out


def inertia_matrix(a: Mapping[str, Array], state: ReferenceState) -> Array:
    """Joint-space inertia at qpos0 (nv, nv), armature included."""
    matrix = np.diag(np.asarray(a["dof_armature"], dtype=float) + by_joint(a, "actuator_armature"))
    frames = quaternion.matrix(quaternion.multiply(state.xquat, a["body_iquat"]))
    for b in range(1, len(frames)):
        dofs, velocity, spin = state.jacobian(b, state.xipos[b])
        local = frames[b].T @ spin
        term = a["body_mass"][b] * velocity.T @ velocity + local.T @ (a["body_inertia"][b][:, None] * local)
        matrix[np.ix_(dofs, dofs)] += term
    return matrix


def body_inverse_weights(a: Mapping[str, Array], state: ReferenceState, inverse: Array) -> Array:
    """`body_invweight0` (nbody, 2): translation [1/kg], rotation [1/(kg m^2)]. Zero for bodies that cannot move."""
    out = np.zeros((len(a["body_parentid"]), 2))
    for b in range(1, len(out)):
        if a["body_weldid"][b] == 0:
            continue
        dofs, velocity, spin = state.jacobian(b, state.xipos[b])
        block = inverse[np.ix_(dofs, dofs)]
        out[b] = [np.einsum("ij,jk,ik->", part, block, part) / 3.0 for part in (velocity, spin)]
    for b in simple_sliders(a):
        out[b] = [1.0 / a["body_mass"][b], 0.0]
    return out


def simple_sliders(a: Mapping[str, Array]) -> list[int]:
    """Bodies that only slide along their own axes: alone on the world, mass centred, nothing attached.

    MuJoCo takes 1 / mass as all their inverse weights, without armature and without averaging over three directions; not where
    the armature of a tendon counts.
    """
    parents, out = a["body_parentid"], []
    heavy = _armed_bodies(a)
    for b in range(1, len(parents)):
        p, first, count = parents[b], a["body_jntadr"][b], a["body_jntnum"][b]
        fixed = p == 0 or (parents[p] == 0 and a["body_dofnum"][p] == 0)
        centred = np.all(np.abs(a["body_ipos"][b]) < _ALIGNED) and np.all(np.abs(a["body_iquat"][b][1:]) < _ALIGNED)
        joints = slice(first, first + count)
        sliding = count > 0 and np.all(a["jnt_type"][joints] == JointType.SLIDE)
        sliding = sliding and not np.any(a["jnt_pos"][joints])
        if fixed and centred and sliding and not np.any(parents == b) and b not in heavy:
            if np.all(np.sum(np.abs(a["jnt_axis"][joints]) > _ALIGNED, axis=1) == 1) and a["body_mass"][b] > 0.0:
                out.append(b)
    return out


def _armed_bodies(a: Mapping[str, Array]) -> set[int]:
    """Bodies of the joints and sites of the tendons with armature."""
    owners, out = {WrapType.JOINT: "jnt_bodyid", WrapType.SITE: "site_bodyid"}, set()
    for first, number, armature in zip(a["tendon_adr"].astype(int), a["tendon_num"].astype(int), a["tendon_armature"], strict=True):
        for w in range(first, first + number):
            if armature > 0.0 and a["wrap_type"][w] in owners:
                out.add(int(a[owners[a["wrap_type"][w]]][a["wrap_objid"][w]]))
    return out


_ALIGNED = 1e-14


def dof_inverse_weights(a: Mapping[str, Array], inverse: Array) -> Array:
    """`dof_invweight0` (nv)."""
    out = np.diag(inverse).copy()
    for b in simple_sliders(a):
        out[a["dof_bodyid"] == b] = 1.0 / a["body_mass"][b]
    for kind, adr in zip(a["jnt_type"], a["jnt_dofadr"], strict=True):
        groups = {JointType.FREE: (adr, adr + 3), JointType.BALL: (adr,)}.get(kind, ())
        for first in groups:
            out[first : first + 3] = out[first : first + 3].mean()
    return out


def first_bad_pivot(matrix: Array) -> int:
    """The first row at which Cholesky's factorisation fails, by bisection: leading blocks of good ones are good."""
    good, bad = 0, len(matrix)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            np.linalg.cholesky(matrix[:middle, :middle])
            good = middle
        except np.linalg.LinAlgError:
            bad = middle
    return bad - 1
