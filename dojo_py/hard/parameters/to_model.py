"""The Model whose numbers are a simulator's parameter values: to save, for the soft mode, for other programs.

Each function below writes the arrays of the model that kinds of parameters are read from. What is made of these arrays is read
again as the hard mode reads every model and must be the simulator's world (model_comparison.py): what no model can say is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.hard.elements.couplings import acting_tendons
from dojo_py.hard.parameters import contacts, joints, orientations, places, planes, poses
from dojo_py.hard.parameters.actuators import _places as gear_places
from dojo_py.hard.parameters.frames import point_in, turn_between
from dojo_py.hard.parameters.kind import Kind, moving_bodies
from dojo_py.hard.parameters.model_comparison import CLOSE, refuse_what_differs, values_by_label
from dojo_py.hard.parameters.registry import TIMESTEP, split
from dojo_py.hard.world import World, build_world
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import EqualityType, GeomType
from dojo_py.mechanism.inertia import principal_axes
from dojo_py.solver.cones.contact import ROWS

Array = np.ndarray


class Arrays(dict[str, Array]):
    """Copies of a model's arrays, made where they are asked for."""

    def __init__(self, model: Any):
        super().__init__()
        self.model = model

    def __missing__(self, name: str) -> Array:
        self[name] = np.array(getattr(self.model, name))
        return self[name]


Writer = Callable[[World, World, Arrays], None]
"""(world, the model's own world, arrays): write what differs between the two into the arrays."""


FRAMES = frozenset(
    ("com", "body_pos", "body_quat", "joint_anchor", "joint_axis", "site_pos", "site_quat", "plane_offset", "plane_normal")
)
"""Kinds that move frames of bodies, geoms and sites."""
SHAPES = FRAMES - {"com"} | {"gravity", "joint_range", "tendon_range", "gear", "contact_radius", "size"}
"""Kinds that every model can hold, of those that sensors depend on beside the motion and the forces."""
SENSED = SHAPES | {
    "com", "mass", "inertia", "stiffness", "springref", "tendon_stiffness", "tendon_springlength", "tendon_slack",
}  # fmt: skip
"""All kinds that they depend on."""


def changed_model(sim: Any, only: frozenset[str] | None = None) -> Any:
    """The model of a HardSimulator with the values that `with_parameters` gave it, see there; only: of these kinds."""
    model, world = sim.model, sim.world
    names = {split(name)[0] for values in sim._values for name in values}
    if only is not None:
        names &= only
    if not names:
        return model if only or sim.timestep == model.opt.timestep else _with_options(model, {}, timestep=sim.timestep)
    own = build_world(sim._acting, sim.friction, "skip", sim.timestep)
    arrays = Arrays(model)
    for writer, kinds in KINDS_OF.items():
        if names & set(kinds):
            writer(world, own, arrays)
    opt: dict[str, Any] = {"gravity": world.layout.lift_gravity.copy()} if "gravity" in names else {}
    if model.neq and names & {"equality_anchor", "equality_quat", "body_pos", "body_quat", "joint_anchor", "joint_axis"}:
        arrays["eq_data"][:, 11][model.eq_type == EqualityType.WELD] = 0.0  # they keep the poses that they have
    new = _with_options(model, arrays, timestep=sim.timestep, **opt)
    if only is None:
        refuse_what_differs(sim, new, names - {TIMESTEP})
    return new


def with_own_centres(sim: Any, model: Any) -> Any:
    """The model with the bodies' own centres of mass where wrenches act on them: of those with parts they move with the mass."""
    layout, bodies = sim.world.layout, sim.world.bodies
    centres = np.array(model.body_ipos, float)
    for j, b in enumerate(moving_bodies(model)):
        if np.count_nonzero(bodies.node == j) > 1:
            centres[b] = layout.com[j] + bodies.arm[b]
    return model if np.array_equal(centres, model.body_ipos) else model.replace(body_ipos=centres)


def _with_options(model: Any, arrays: dict[str, Array], **opt: Any) -> Any:
    changes: dict[str, Any] = dict(arrays)
    return model.replace(**changes, opt=dataclasses.replace(model.opt, **opt))


# bodies


def _rigid(world: World, own: World, arrays: Arrays) -> None:
    """Masses, centres of mass and inertias: parts that are joined rigidly keep theirs, the body itself takes the difference."""
    layout, before, model = world.layout, own.layout, arrays.model
    for j, b in enumerate(moving_bodies(model)):
        if all(np.array_equal(getattr(layout, n)[j], getattr(before, n)[j]) for n in ("mass", "com", "inertia")):
            continue
        parts = [m for m in np.flatnonzero(world.bodies.node == j).tolist() if m != b]
        masses, arms = np.asarray(model.body_mass, float)[parts], world.bodies.arm[parts]
        mass = layout.mass[j] - masses.sum()
        if not mass > 0.0:
            raise ValueError(f"mass:{model.body_names[b]} = {layout.mass[j]:g} is not more than what is joined to it rigidly has")
        arm = -(masses @ arms) / mass  # of the body's own centre, from that of all
        tensor = layout.inertia[j] - mass * _spread(arm)
        for m, part, away in zip(parts, masses, arms, strict=True):
            axes = quaternion.matrix(world.bodies.quat[m]) @ quaternion.matrix(np.asarray(model.body_iquat[m], float))
            tensor = tensor - axes @ np.diag(model.body_inertia[m]) @ axes.T - part * _spread(away)
        arrays["body_mass"][b], arrays["body_ipos"][b] = mass, layout.com[j] + arm
        if parts or not np.array_equal(layout.inertia[j], before.inertia[j]):
            arrays["body_inertia"][b], arrays["body_iquat"][b] = principal_axes(tensor)
            if not arrays["body_inertia"][b].min() > 0.0:
                raise ValueError(f"inertia:{model.body_names[b]} is not more than what is joined to it rigidly has")


def _spread(arm: Array) -> Array:
    """(3, 3) inertia [m²] of a unit mass at an arm (3,)."""
    return (arm @ arm) * np.eye(3) - np.outer(arm, arm)


def _compensation(world: World, own: World, arrays: Arrays) -> None:
    """Of all parts of a body by as much, so that the compensated weight is what it should be with the masses that are there now."""
    layout, before = world.layout, own.layout
    for j in np.flatnonzero((layout.lift_share != before.lift_share) | (layout.mass != before.mass)):
        parts = np.flatnonzero(world.bodies.node == j)
        masses = arrays["body_mass"][parts]
        now = masses @ arrays["body_gravcomp"][parts] / masses.sum()
        if abs(layout.lift_share[j] - now) > CLOSE:
            arrays["body_gravcomp"][parts] += layout.lift_share[j] - now


def _poses(world: World, own: World, arrays: Arrays) -> None:
    model = arrays.model
    bodies = [moving_bodies(model)[j] for j in poses._jointed(world, model)]
    for kind in poses.KINDS:
        values, old = kind.read(world, model), kind.read(own, model)
        for b, value, before in zip(bodies, values, old, strict=True):
            if not np.array_equal(value, before):
                arrays[kind.name][b] = value


# joints and tendons


def _geometry_of_joints(world: World, own: World, arrays: Arrays) -> None:
    model, layout, before = arrays.model, world.layout, own.layout
    for field, name, chosen in (("dof_anchor", "jnt_pos", joints._anchored), ("dof_axis", "jnt_axis", joints._scalar)):
        for i in chosen(model):
            dof = int(model.jnt_dofadr[i])
            if not np.array_equal(getattr(layout, field)[dof], getattr(before, field)[dof]):
                arrays[name][i] = getattr(layout, field)[dof]


def _laws(world: World, own: World, arrays: Arrays) -> None:
    """Numbers of coordinates: actuators may add to them, so that the model's change as much as these do."""
    model, nv = arrays.model, int(arrays.model.nv)
    tendons = acting_tendons(model)
    change = {name: getattr(world.layout, name) - getattr(own.layout, name) for name in LAWS}
    for name, by in change.items():
        of_dofs, of_tendons = LAWS[name]
        for i in range(model.njnt if by[:nv].any() else 0):
            first, width = int(model.jnt_dofadr[i]), joints._width(model, i)
            if of_dofs.startswith("dof_"):
                arrays[of_dofs][first : first + width] += by[first : first + width]
            else:
                arrays[of_dofs][model.jnt_qposadr[i] if of_dofs == "qpos_spring" else i] += by[first]
        if of_tendons and by[nv:].any():
            arrays[of_tendons][tendons] += by[nv:]
    for name in set(arrays) & {"dof_damping", "dof_armature", "tendon_damping", "tendon_armature"}:
        if arrays[name].min() < 0.0:
            row = int(arrays[name].argmin())
            owner = model.tendon_names[row] if name.startswith("tendon") else model.joint_names[model.dof_jntid[row]]
            word = name.removeprefix("dof_")
            raise ValueError(f"{word}:{owner} is less than what the actuators on it have of their own")
    if not np.array_equal(world.layout.tendon_rest, own.layout.tendon_rest):
        arrays["tendon_lengthspring"][tendons] = world.layout.tendon_rest


LAWS = {
    "dof_damping": ("dof_damping", "tendon_damping"), "dof_armature": ("dof_armature", "tendon_armature"),
    "dof_frictionloss": ("dof_frictionloss", "tendon_frictionloss"), "dof_stiffness": ("jnt_stiffness", "tendon_stiffness"),
    "dof_springref": ("qpos_spring", ""),
}  # fmt: skip
"""Columns of the layout -> arrays of the model, of joints and of tendons."""


def _limits(world: World, own: World, arrays: Arrays) -> None:
    model, layout = arrays.model, world.layout
    joint = {int(dof): i for i, dof in enumerate(model.jnt_dofadr)}
    change = layout.limit_bound - own.layout.limit_bound
    for row in np.flatnonzero(change):
        dof, side = int(layout.limit_dof[row]), 0 if layout.limit_sign[row] > 0 else 1
        if dof < model.nv:
            arrays["jnt_range"][joint[dof], side] += change[row]
        else:
            arrays["tendon_range"][acting_tendons(model)[dof - int(model.nv)], side] += change[row]


# actuators


def _actuators(world: World, own: World, arrays: Arrays) -> None:
    table, before, model = world.actuators, own.actuators, arrays.model
    for i, k in gear_places(world):
        if table.gear[i, k] != before.gear[i, k]:
            arrays["actuator_gear"][i, k] = table.gear[i, k]
    for field, name in NUMBERS.items():
        new, old = getattr(table, field), getattr(before, field)
        for place in zip(*np.nonzero(new != old), strict=True):
            arrays[name][place] += new[place] - old[place]
    joint = {int(dof): i for i, dof in enumerate(model.jnt_dofadr)}
    for dof, k in zip(*np.nonzero(table.dof_range != before.dof_range), strict=True):
        arrays["jnt_actfrcrange"][joint[int(dof)], k] = table.dof_range[dof, k]


NUMBERS = {
    "gain": "actuator_gainprm", "bias": "actuator_biasprm", "dynprm": "actuator_dynprm", "control_range": "actuator_ctrlrange",
    "force_range": "actuator_forcerange",
}  # fmt: skip
"""Arrays of the actuators' table -> of the model."""


# points


def _points(world: World, own: World, arrays: Arrays) -> None:
    """Sites, anchors of connects and welds, and the orientations that welds hold, about their anchors."""
    model, (positions, anchors), (turns, welds) = arrays.model, places.KINDS, orientations.KINDS
    for kind in (positions, turns):
        for label, value in _changed(kind, world, own, model).items():
            arrays[kind.name][_number(model.site_names, label)] = value
    for label, value in _changed(welds, world, own, model).items():
        arrays["eq_data"][_number(model.equality_names, label), 6:10] = value
    ends = values_by_label(anchors, world, model)
    for label in _changed(anchors, world, own, model):
        name = label.rpartition(".")[0]
        e, one, two = _number(model.equality_names, name), ends[f"{name}.0"], ends[f"{name}.1"]
        data = arrays["eq_data"][e]
        if int(model.eq_type[e]) == EqualityType.CONNECT:
            data[0:3], data[3:6] = one, two
        else:
            data[0:3], data[3:6] = two, one


def _changed(kind: Kind, world: World, own: World, model: Any) -> dict[str, Array]:
    """Label -> value of the parameters of a kind that differ from the model's own."""
    old = values_by_label(kind, own, model)
    return {label: value for label, value in values_by_label(kind, world, model).items() if not np.array_equal(value, old[label])}


def _number(names: Any, label: str) -> int:
    """Of an object: by its name, or '#3'."""
    return list(names).index(label) if label in names else int(label[1:])


# contacts


def _shapes(world: World, own: World, arrays: Arrays) -> None:
    """Spheres, capsules and boxes that touch planes, by their points; radii, sizes."""
    model = arrays.model
    radii = dict(zip(contacts._round_geoms(world), contacts._radii(world, model), strict=True))
    for g, radius in radii.items():
        if radius != contacts._radii(own, model)[contacts._round_geoms(own).index(g)]:
            arrays["geom_size"][g, 0] = radius
    rows: dict[int, list[int]] = {}
    for g, _, found in contacts._points(world):
        rows.setdefault(g, []).append(found[0])
    for g, mine in rows.items():
        if not np.array_equal(world.planes.point[mine], own.planes.point[mine]):
            points = [point_in(world, model, int(model.geom_bodyid[g]), world.planes.point[row]) for row in mine]
            _place_shape(arrays, g, np.array(points))
    sizes, old = world.pairs.shape_size, own.pairs.shape_size
    np.copyto(arrays["geom_size"], sizes, where=sizes != old)


def _place_shape(arrays: Arrays, g: int, points: Array) -> None:
    """Pose and size of geom g with these points (n, 3), in the order of the candidates, in its body's frame."""
    arrays["geom_pos"][g] = points.mean(axis=0)
    kind, axes = int(arrays.model.geom_type[g]), quaternion.matrix(arrays["geom_quat"][g])
    if kind == GeomType.CAPSULE:
        half = 0.5 * (points[1] - points[0])
        arrays["geom_size"][g, 1] = np.linalg.norm(half)
        axes = turn_between(axes[:, 2], half / np.linalg.norm(half)) @ axes
        arrays["geom_quat"][g] = quaternion.from_matrix(axes)
    elif kind == GeomType.BOX:
        cube = points.reshape(2, 2, 2, 3)
        halves = [0.5 * (np.take(cube, 1, axis).mean(axis=(0, 1)) - np.take(cube, 0, axis).mean(axis=(0, 1))) for axis in range(3)]
        size = np.linalg.norm(halves, axis=1)
        arrays["geom_size"][g], turned = size, (np.array(halves) / size[:, None]).T
        if np.max(np.abs(turned - axes)) > CLOSE:
            arrays["geom_quat"][g] = quaternion.from_matrix(turned)


def _planes(world: World, own: World, arrays: Arrays) -> None:
    """Of planes of the world body."""
    model, pairs, old = arrays.model, world.pairs, own.pairs
    for g in planes.planes_of(world):
        if model.geom_bodyid[g] != 0:
            continue
        if not np.array_equal(pairs.shape_centre[g], old.shape_centre[g]):
            arrays["geom_pos"][g] = pairs.shape_centre[g]
        if not np.array_equal(pairs.shape_axes[g], old.shape_axes[g]):
            arrays["geom_quat"][g] = quaternion.from_matrix(pairs.shape_axes[g])


def _friction(world: World, own: World, arrays: Arrays) -> None:
    """Of listed pairs directly; else of geoms, whose larger one counts: each gets the least that its pairs have, at most."""
    model, wanted = arrays.model, list[tuple[list[int], Array, Array]]()
    listed = {(int(a), int(b)): i for i, (a, b) in enumerate(np.sort(np.c_[model.pair_geom1, model.pair_geom2], axis=1))}
    for pair, found in contacts._places(world, contacts.SLIDING).items():
        table, rows = found[0]
        five, count = table.friction[rows[0]] * table.ratio[rows[0]], ROWS[table.law[rows[0]]] - 1
        if pair in listed:
            arrays["pair_friction"][listed[pair], :count] = five[:count]
        else:
            wanted.append((_deciding(model, pair), five[[0, 2, 3]], np.array([2, 3, 5]) <= count))
    most = np.full((int(model.ngeom), 3), np.inf)
    for geoms, three, used in wanted:
        for g in geoms:
            most[g] = np.where(used, np.minimum(most[g], three), most[g])
    friction = arrays["geom_friction"]
    np.minimum(friction, most, out=friction)
    for geoms, three, used in wanted:
        for k in np.flatnonzero(used & (friction[geoms].max(axis=0) < three)):
            can = [g for g in geoms if most[g, k] >= three[k]]
            friction[can[:1], k] = three[k]


def _deciding(model: Any, pair: tuple[int, int]) -> list[int]:
    """Which geoms of a pair its coefficients are taken from: those of the highest priority."""
    highest = max(int(model.geom_priority[g]) for g in pair)
    return [g for g in pair if int(model.geom_priority[g]) == highest]


KINDS_OF: dict[Writer, tuple[str, ...]] = {
    _rigid: ("mass", "inertia", "com"),
    _compensation: ("mass", "gravcomp"),
    _poses: ("body_pos", "body_quat"),
    _geometry_of_joints: ("joint_anchor", "joint_axis"),
    _laws: (
        "damping", "armature", "frictionloss", "stiffness", "springref", "tendon_damping", "tendon_armature",
        "tendon_frictionloss", "tendon_stiffness", "tendon_springlength", "tendon_slack",
    ),
    _limits: ("joint_range", "tendon_range"),
    _actuators: ("gear", "gainprm", "biasprm", "dynprm", "ctrlrange", "forcerange", "actuatorfrcrange"),
    _points: ("site_pos", "equality_anchor", "site_quat", "equality_quat"),
    _shapes: ("contact_point", "contact_radius", "size"),
    _planes: ("plane_offset", "plane_normal"),
    _friction: ("friction", "friction_directions", "friction_torsional", "friction_rolling"),
}  # fmt: skip
"""In the order in which they write. Gravity and the time step are options of the model; no function writes restitution, which a
file says by `solref`."""
