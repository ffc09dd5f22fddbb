"""Whether a model says what a simulator with other parameter values does: its parameters, and the tables that steps read."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.actuation.force import BIAS_MUSCLE, GAIN_MUSCLE
from dojo_py.hard.flags import acting_model
from dojo_py.hard.parameters.kind import Kind, moving_bodies
from dojo_py.hard.parameters.registry import KINDS
from dojo_py.hard.world import World, build_world

Array = np.ndarray
CLOSE = 1e-9
"""Relative difference of values that count as the same: what round-off makes of an inertia and its principal axes."""


def refuse_what_differs(sim: Any, new: Any, names: set[str]) -> None:
    """ValueError where a new model has not the values of a HardSimulator, of which those of some kinds were changed (names)."""
    acting = acting_model(new)
    world = build_world(acting, sim.friction, "skip", sim.timestep)
    for name, kind in KINDS.items():
        if name == "size" and name not in names:  # (corners, by which planes are touched, may say otherwise: see the tables)
            continue
        wanted, found = values_by_label(kind, sim.world, sim._acting), values_by_label(kind, world, acting)
        for label in [label for label in wanted if label not in found or not _same(wanted[label], found[label])]:
            has = f"would have {found[label]}" if label in found else "would have none"
            reason = "no model can hold" if name in names else f"a model with these values of {', '.join(sorted(names))} has not"
            flags = " (the model's flags switch parts of it off)" if int(new.opt.disableflags) else ""
            raise ValueError(f"{reason} {name}:{label} = {wanted[label]}; {has}{flags}")
    _compare_tables(sim.world, world, names)
    layout, table = sim.world.layout, world.actuators
    for j in np.flatnonzero(np.abs(layout.lift_arm - world.layout.lift_arm).max(axis=1, initial=0.0) > CLOSE):
        body = acting.body_names[moving_bodies(acting)[j]]
        raise ValueError(f"gravcomp of what is joined to body '{body}' would act elsewhere: give all of it the same gravcomp")
    acc0 = sim.world.actuators.acc0
    for i in np.flatnonzero(np.abs(table.acc0 - acc0) > CLOSE * np.abs(acc0)):
        for force in (table.gain[i, 2:3][table.gaintype[i] == GAIN_MUSCLE], table.bias[i, 2:3][table.biastype[i] == BIAS_MUSCLE]):
            if np.any(force < 0.0):
                name = acting.actuator_names[i] or f"#{i}"
                raise ValueError(f"the peak force of muscle '{name}' follows from the model's inertia: give it a `force`")


TABLES = (
    (
        "mass", "inertia", "com", "gravity", "lift_share", "lift_gravity", "base_pos", "base_quat", "qpos0", "eq_pos", "eq_quat",
        "eq_frames", "eq_poly", "term_coef", "path_pos", "path_axes", "path_size", "dof_anchor", "dof_axis", "dof_damping",
        "dof_armature", "dof_frictionloss", "dof_stiffness", "dof_damping_poly", "dof_stiffness_poly", "dof_springref",
        "spring_quat", "tendon_rest", "limit_bound", "limit_restitution", "medium_pos", "medium_axes", "medium_numbers", "medium",
    ),
    ("point", "radius", "shape", "normal", "tangent", "offset", "restitution"),
    (
        "restitution", "round_centre", "round_half", "round_radius", "shape_centre", "shape_axes", "shape_size", "field_size",
        "field_height",
    ),
    ("control_range", "force_range", "dof_range", "gear", "gain", "bias", "dynprm", "lengthrange"),
)  # fmt: skip
"""Columns of the world's first four tables that steps depend on, but for scales of the solver and what kinds tell of."""
TOLD = {
    "eq_poly": "reference lengths of equalities of tendons", "medium_numbers": "what a medium acts on",
    "medium_axes": "what a medium acts on", "path_size": "what tendons wrap around", "path_pos": "what tendons wrap around",
} | dict.fromkeys(("round_centre", "round_half", "round_radius", "shape_centre", "shape_axes", "shape_size"),
                  "shapes as other bodies touch them")  # fmt: skip


def _compare_tables(world: World, found: World, names: set[str]) -> None:
    """ValueError where steps of the new model's world would depend on other numbers."""
    rounds = int(world.pairs.rounds[0])
    touching = {"round": np.unique(world.pairs.geom[:rounds]), "shape": np.unique(world.pairs.geom[rounds:])}
    for table, other, columns in zip(world, found, TABLES, strict=False):
        for name in columns:
            a, b = getattr(table, name), getattr(other, name)
            if table is world.pairs and name[:5] in touching:  # (of geoms, of which those in pairs count)
                a, b = a[touching[name[:5]]], b[touching[name[:5]]]
            with np.errstate(invalid="ignore"):
                same = _alike(a, b)
            if not same and not (name.endswith("quat") and _alike(np.abs(a), np.abs(b))):
                what = TOLD.get(name, name)
                raise ValueError(f"a model with these values of {', '.join(sorted(names))} would differ in {what}, too")


def _alike(a: Array, b: Array) -> bool:
    bounded = np.isfinite(a)
    size = max(1e-3, float(np.abs(a[bounded]).max(initial=0.0)))
    return a.shape == b.shape and bool(np.all((a == b) | (np.abs(np.where(bounded, a - b, np.inf)) <= CLOSE * size)))


def values_by_label(kind: Kind, world: World, model: Any) -> dict[str, Array]:
    """Label -> value of all parameters of a kind."""
    return dict(zip(kind.labels(world, model), kind.read(world, model), strict=True))


def _same(a: Array, b: Array) -> bool:
    """Whether two values are the same; quaternions of both signs are one rotation."""
    near = CLOSE * max(1e-3, float(np.max(np.abs(a))))
    return bool(np.max(np.abs(a - b)) <= near or (np.size(a) == 4 and np.max(np.abs(a + b)) <= near))
