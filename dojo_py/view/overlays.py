"""What a viewer draws over the model on request: contact forces, friction cones, centres of mass, the bodies' axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.friction import coefficients
from dojo_py.drawing.poses import centres_of_mass, moved_by_joints, moving_mass
from dojo_py.mechanism.quaternion import from_matrix
from dojo_py.view.record import CUT, arrows_of, contact_forces, force_scale, pushing_contacts
from dojo_py.view.scene import FAR, Scene

Array = np.ndarray

AROUND = 24
"""Segments of a cone."""
CONE, MASS = (240, 180, 40), (20, 120, 220)


def friction_of(model: Any, geoms: Array) -> Array:
    """(n,) sliding friction of pairs of geoms (n, 2), as contacts have it; 0 where the contact has a normal alone (`condim` 1)."""
    if not len(geoms):
        return np.zeros(0)
    pairs = {frozenset(pair): k for k, pair in enumerate(np.stack([model.pair_geom1, model.pair_geom2], axis=1).tolist())}
    listed = np.array([pairs.get(frozenset(pair), -1) for pair in geoms.tolist()])
    priority, own = np.asarray(model.geom_priority)[geoms], np.asarray(model.geom_condim)[geoms]
    condim = np.where(priority[:, 0] == priority[:, 1], own.max(axis=1), own[np.arange(len(own)), priority.argmax(axis=1)])
    if model.npair:
        condim = np.where(listed >= 0, np.asarray(model.pair_dim)[listed], condim)
    return np.where(condim > 1, coefficients(model, geoms, listed)[:, 0], 0.0)


class Overlays:
    """Of one scene; each may be switched on and off by its name in `on`."""

    def __init__(self, scene: Scene):
        self.scene, api, size = scene, scene.api, scene.size
        self.on = {"contact forces": True, "friction cones": False, "centres of mass": False, "axes of bodies": False}
        angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
        rim = np.stack([np.cos(angle), np.sin(angle), np.ones(AROUND)], axis=1)
        k = np.arange(AROUND)
        sides = np.stack([np.full(AROUND, AROUND), k, (k + 1) % AROUND], axis=1)
        self.cones = api.add_batched_meshes_simple(
            f"{scene.root}/cones", np.concatenate([rim, np.zeros((1, 3))]), sides, np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)),
            batched_scales=np.full((1, 3), 1e-6, np.float32), batched_colors=CONE, opacity=0.35, side="double", lod="off",
            cast_shadow=False, visible=False,
        )  # fmt: skip
        self.masses = api.add_point_cloud(
            f"{scene.root}/centres of mass", np.zeros((1, 3)), MASS, point_size=0.03 * size, point_shape="circle",
            precision="float32", visible=False,
        )  # fmt: skip
        self._axes = False

    def show(self, contacts: Any, timestep: float, x: Array, q: Array) -> None:
        """Draw for body poses x (nbody, 3), q (nbody, 4), and the contacts of a step, or None."""
        model, size = self.scene.model, self.scene.size
        none = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, bool)
        points, forces, between = none if contacts is None else contact_forces(model, contacts, timestep)
        if not self.on["contact forces"]:
            points, forces, between = none
        largest = float(np.linalg.norm(forces, axis=1).max(initial=0.0))
        self.scene.show_arrows(arrows_of(points, forces, force_scale(model, largest, size), CUT * size), between)
        self._show_cones(contacts, timestep)
        self._show_masses(x, q)
        if self.on["axes of bodies"] != self._axes:
            self._axes = self.on["axes of bodies"]
            for frame in self.scene.frames[1:]:
                frame.axes_length, frame.axes_radius, frame.origin_radius = 0.25 * size, 0.006 * size, 0.009 * size
                frame.show_axes = self._axes

    def _show_cones(self, contacts: Any, timestep: float) -> None:
        model, height = self.scene.model, 0.15 * self.scene.size
        near, mu = np.zeros(0, int), np.zeros(0)
        if contacts is not None and self.on["friction cones"]:
            near = np.flatnonzero(pushing_contacts(model, contacts, timestep))
            mu = friction_of(model, np.asarray(contacts.geoms)[near])
            near, mu = near[mu > 0.0], mu[mu > 0.0]
        self.cones.visible = len(near) > 0
        if not len(near):
            return
        self.cones.batched_scales = (height * np.stack([mu, mu, np.ones(len(mu))], axis=1)).astype(np.float32)
        moving = moved_by_joints(model)[contacts.bodies[near, 0]]
        frames = np.asarray(contacts.frame)[near]
        self.cones.batched_wxyzs = np.array([_upright(f[0] if first else -f[0]) for f, first in zip(frames, moving, strict=True)])
        self.cones.batched_positions = np.clip(np.asarray(contacts.position)[near], -FAR, FAR).astype(np.float32)

    def _show_masses(self, x: Array, q: Array) -> None:
        self.masses.visible = self.on["centres of mass"]
        if not self.on["centres of mass"]:
            return
        mass, heavy = moving_mass(self.scene.model), np.asarray(self.scene.model.body_mass) > 0.0
        com = centres_of_mass(self.scene.model, x[None], q[None])[0]
        whole = (mass @ com / mass.sum())[None] if mass.any() else np.zeros((0, 3))
        self.masses.points = np.clip(np.concatenate([com[heavy], whole]), -FAR, FAR).astype(np.float32)


def _upright(normal: Array) -> Array:
    """(4,) the rotation of z to a normal."""
    x = np.cross([0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [1.0, 0.0, 0.0], normal)
    x /= np.linalg.norm(x)
    return from_matrix(np.stack([x, np.cross(normal, x), normal], axis=1)).astype(np.float32)
