"""Poses of bodies in their parents' frames, for bodies that joints carry; poses of free bodies are coordinates.

body_pos, body_quat: as in MuJoCo, the frame of a body at the joints' reference coordinates, in the frame of its parent. Bodies
below it move with it, coordinates held; anchors of closures and sites are fixed in their bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.elements.joint_table import quaternion_product
from dojo_py.hard.parameters.flat import JOINT
from dojo_py.hard.parameters.frames import frame_of, place_of, point_in
from dojo_py.hard.parameters.kind import Kind, body_labels, body_size, moving_bodies, not_zero
from dojo_py.hard.terms import FREE
from dojo_py.hard.world import World
from dojo_py.mechanism.quaternion import conjugate, matrix

Array = np.ndarray


def _jointed(world: World, model: Any) -> list[int]:
    """Numbers of the bodies of the layout, and so of the tree's joints, whose joint is not free."""
    return np.flatnonzero(world.layout.kind != FREE).tolist()


def _labels(world: World, model: Any) -> list[str]:
    names = body_labels(world, model)
    return [names[j] for j in _jointed(world, model)]


def _above(model: Any, j: int) -> int:
    """Parent in the model of the body that joint j carries."""
    return int(model.body_parentid[moving_bodies(model)[j]])


def _positions(world: World, model: Any) -> Array:
    places = world.layout.base_pos
    values = [point_in(world, model, _above(model, j), places[j]) for j in _jointed(world, model)]
    return np.array(values).reshape(-1, 3)


def _set_positions(world: World, model: Any, values: Array) -> None:
    layout = world.layout
    for j, value in zip(_jointed(world, model), values, strict=True):
        shift = place_of(world, model, _above(model, j), value) - layout.base_pos[j]
        layout.base_pos[j] += shift
        layout.frame_pos[j] += shift


def _orientations(world: World, model: Any) -> Array:
    values = []
    for j in _jointed(world, model):
        _, quat = frame_of(world, model, _above(model, j))
        values.append(quaternion_product(conjugate(quat), world.layout.base_quat[j]))
    return np.array(values).reshape(-1, 4)


def _set_orientations(world: World, model: Any, values: Array) -> None:
    """Quaternions of any length but 0; the joint's frame in the parent rotates with the body, about the origin of the body's
    frame.
    """
    layout = world.layout
    for j, value in zip(_jointed(world, model), values, strict=True):
        _, quat = frame_of(world, model, _above(model, j))
        old = matrix(layout.base_quat[j])
        layout.base_quat[j] = quaternion_product(quat, value / np.linalg.norm(value))
        new = matrix(layout.base_quat[j])
        layout.frame_pos[j] = layout.base_pos[j] + new @ old.T @ (layout.frame_pos[j] - layout.base_pos[j])
        layout.frame_axes[j] = layout.child_axes[j] @ new.T


def _sizes(world: World, model: Any) -> Array:
    return body_size(world, model)[_jointed(world, model)]


KINDS = (
    Kind("body_pos", "m", 3, _labels, _positions, _set_positions, scale=_sizes, step=1e-3, longest=1e-3, route=JOINT,
         targets=_jointed),
    Kind("body_quat", "1", 4, _labels, _orientations, _set_orientations, not_zero, step=3e-4, curved=True, route=JOINT,
         targets=_jointed),
)  # fmt: skip
