"""Anchors, axes, dampers, springs, rotor inertia and dry friction of joints. A value of a ball joint applies to all three of its
rates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.parameters.flat import JOINT
from dojo_py.hard.parameters.frames import turn_between
from dojo_py.hard.parameters.kind import Kind, body_size, not_negative, not_zero
from dojo_py.hard.parameters.laws import Coordinates, keeps_friction, law_kind
from dojo_py.hard.terms import COMPOUND, HINGE, SLIDE
from dojo_py.hard.world import World
from dojo_py.mechanism.enums import JointType
from dojo_py.mechanism.quaternion import matrix

Array = np.ndarray
SCALARS = (int(JointType.HINGE), int(JointType.SLIDE))
FREE_WIDTH = 6


def _of_type(model: Any, types: tuple[int, ...]) -> list[int]:
    return [i for i in range(model.njnt) if int(model.jnt_type[i]) in types]


def _anchored(model: Any) -> list[int]:
    return _of_type(model, (*SCALARS, int(JointType.BALL)))


def _scalar(model: Any) -> list[int]:
    return _of_type(model, SCALARS)


def _names(model: Any, joints: list[int]) -> list[str]:
    return [model.joint_names[i] or f"#{i}" for i in joints]


def _first_dofs(model: Any, joints: list[int]) -> Array:
    return np.asarray(model.jnt_dofadr, int)[joints]


def _width(model: Any, i: int) -> int:
    """How many degrees of freedom joint i has."""
    return {JointType.FREE: FREE_WIDTH, JointType.BALL: 3}.get(JointType(int(model.jnt_type[i])), 1)


def _tree_joint(world: World, model: Any, i: int) -> int:
    return int(world.layout.dof_joint[model.jnt_dofadr[i]])


def _moved_by_anchor(world: World, model: Any, i: int) -> int:
    """The joint of the tree that the anchor of joint i changes; -1: none, because its body only slides."""
    mine = [k for k in range(model.njnt) if model.jnt_bodyid[k] == model.jnt_bodyid[i]]
    slides = all(int(model.jnt_type[k]) == JointType.SLIDE for k in mine)
    return -1 if slides else _tree_joint(world, model, i)


def _anchors(world: World, model: Any) -> Array:
    return world.layout.dof_anchor[_first_dofs(model, _anchored(model))]


def _set_anchors(world: World, model: Any, values: Array) -> None:
    """The anchor moves in child and parent alike, so that the pose at qpos0 stays."""
    layout = world.layout
    for i, value in zip(_anchored(model), values, strict=True):
        j = _tree_joint(world, model, i)
        dof = int(model.jnt_dofadr[i])
        shift = value - layout.dof_anchor[dof]
        layout.dof_anchor[dof : dof + _width(model, i)] = value
        if layout.kind[j] != COMPOUND:
            layout.anchor[j] += shift
            layout.frame_pos[j] += matrix(layout.base_quat[j]) @ shift


def _axes(world: World, model: Any) -> Array:
    return world.layout.dof_axis[_first_dofs(model, _scalar(model))]


def _set_axes(world: World, model: Any, values: Array) -> None:
    """Unit vectors in the child's frame; the two normals follow the axis by the smallest rotation."""
    layout = world.layout
    for i, value in zip(_scalar(model), values, strict=True):
        j = _tree_joint(world, model, i)
        dof = int(model.jnt_dofadr[i])
        old, new = layout.dof_axis[dof].copy(), value / np.linalg.norm(value)
        layout.dof_axis[dof] = new
        if layout.kind[j] in (HINGE, SLIDE):
            turn = turn_between(old / np.linalg.norm(old), new)
            layout.child_axes[j] = layout.child_axes[j] @ turn.T
            layout.frame_axes[j] = layout.child_axes[j] @ matrix(layout.base_quat[j]).T


def _lengths(world: World, model: Any) -> Array:
    """(n,) sizes of the bodies that the anchored joints carry [m]."""
    size = body_size(world, model)
    return np.array([size[world.layout.child[_tree_joint(world, model, i)]] for i in _anchored(model)])


def _coordinates(model: Any, joints: list[int]) -> list[Coordinates]:
    firsts = [int(model.jnt_dofadr[i]) for i in joints]
    return [Coordinates(name, d, d + _width(model, i)) for name, d, i in zip(_names(model, joints), firsts, joints, strict=True)]


def _forced(world: World, model: Any) -> list[Coordinates]:
    """Joints whose rates have rows in the step: all but free joints without forces of their own."""
    return [c for c in _coordinates(model, list(range(model.njnt))) if world.layout.dof_node[c.first] >= 0]


def _sprung(world: World, model: Any) -> list[Coordinates]:
    """Joints that may have a spring; free joints only if they have one."""
    layout = world.layout
    springs = np.column_stack([layout.dof_stiffness, layout.dof_stiffness_poly])
    return [c for c in _forced(world, model) if c.last - c.first < FREE_WIDTH or np.any(springs[c.first])]


def _rubbing(world: World, model: Any) -> list[Coordinates]:
    """Joints with dry friction. The step has no rows for those without, and no derivative at 0."""
    return [c for c in _forced(world, model) if model.dof_frictionloss[c.first] > 0]


KINDS = (
    Kind("joint_anchor", "m", 3, lambda w, m: _names(m, _anchored(m)), _anchors, _set_anchors, scale=_lengths, step=1e-3,
         longest=1e-3, route=JOINT, targets=lambda w, m: [_moved_by_anchor(w, m, i) for i in _anchored(m)]),
    Kind("joint_axis", "1", 3, lambda w, m: _names(m, _scalar(m)), _axes, _set_axes, not_zero, step=1e-3, curved=True, route=JOINT,
         targets=lambda w, m: [_tree_joint(w, m, i) for i in _scalar(m)]),
    law_kind("damping", "dof_damping", "N m s/rad or N s/m", _forced, not_negative, 1e-2),
    law_kind("stiffness", "dof_stiffness", "N m/rad or N/m", _sprung, not_negative, 1.0),
    law_kind("springref", "dof_springref", "rad or m", lambda w, m: _coordinates(m, _scalar(m)), lambda v: None, 1.0),
    law_kind("armature", "dof_armature", "kg m^2 or kg", _forced, not_negative, 1e-2),
    law_kind("frictionloss", "dof_frictionloss", "N m or N", _rubbing, keeps_friction, 1e-2),
)  # fmt: skip
"""joint_anchor: in the child's body frame, not of free joints; joint_axis: unit vector in that frame, hinges and slides."""
