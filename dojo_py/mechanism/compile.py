"""`compile_model`: Mechanism -> Model. Each part of the mechanism has its own file; here is the order of work.

Every problem found is collected; the stages stop only where the next one would need what the last could not give.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .checks import Check, unique_names
from .compile_actuators import actuator_arrays, servo_arrays
from .compile_bodies import align_free_bodies, body_arrays, check_moving_mass, subtree_sums
from .compile_contacts import exclude_arrays, pair_arrays
from .compile_equalities import equality_arrays
from .compile_geoms import geom_arrays, site_arrays
from .compile_hfields import compile_hfields, hfield_arrays
from .compile_joints import joint_arrays
from .compile_keyframes import keyframe_arrays
from .compile_materials import material_arrays
from .compile_meshes import compile_meshes, mesh_arrays
from .compile_option import compile_option
from .compile_sensors import sensor_arrays
from .compile_tendons import tendon_arrays, tendon_inertia, tendon_inverse_weights, tendon_lengths
from .compile_user import user_arrays
from .errors import ModelError, Problems
from .kinds import check_kinds
from .layout import Layout, lay_out
from .length_range import with_length_ranges
from .model import Model
from .option import Statistic
from .reference import body_inverse_weights, dof_inverse_weights, first_bad_pivot, inertia_matrix, reference_state
from .source import source_of
from .spec import Mechanism

Array = np.ndarray

SMALLEST_PIVOT = 1e-13
"""Share of a diagonal entry of M that must be left when the joints above are held; less is rounding."""


def compile_model(mechanism: Mechanism) -> Model:
    """The frozen arrays of a mechanism. Raises `ModelError` with every problem found."""
    check_kinds(mechanism)
    problems = Problems()
    option = compile_option(mechanism.option, problems)
    layout = lay_out(mechanism, problems)
    a: dict[str, Array] = dict(layout.arrays)

    meshes = compile_meshes(mechanism, problems)
    hfields = compile_hfields(mechanism, problems)
    a |= mesh_arrays(meshes) | hfield_arrays(hfields)
    geoms, parts = geom_arrays(layout, mechanism.settings, problems, meshes, hfields)
    a |= geoms | site_arrays(layout, problems) | material_arrays(mechanism, layout, problems)
    a |= body_arrays(mechanism, layout, parts, problems)
    a |= align_free_bodies(mechanism, layout, a)
    poses = np.concatenate([a["body_pos"], a["body_quat"]], axis=1)
    a |= joint_arrays(layout, poses, mechanism.settings, problems)
    check_moving_mass(mechanism, layout, a, problems)
    a |= pair_arrays(mechanism, layout, problems) | exclude_arrays(mechanism, layout, problems)
    a |= tendon_arrays(mechanism, layout, a, problems)
    a |= actuator_arrays(mechanism, layout, a, problems)
    state = reference_state(a)
    a |= equality_arrays(mechanism, layout, state, problems)
    for kind, elements in (
        ("tendon", mechanism.tendons),
        ("actuator", mechanism.actuators),
        ("equality", mechanism.equalities),
        ("pair", mechanism.pairs),
        ("exclude", mechanism.excludes),
        ("keyframe", mechanism.keyframes),
    ):
        unique_names(problems, kind, elements)
    a |= sensor_arrays(mechanism, layout, a, problems)
    a |= keyframe_arrays(mechanism, layout, a, problems)
    custom = user_arrays(mechanism, layout, problems)
    problems.raise_if_any()

    a |= tendon_lengths(a, state)
    a["body_subtreemass"] = subtree_sums(a["body_parentid"], a["body_mass"])
    matrix = inertia_matrix(a, state)
    a["dof_M0"] = np.diag(matrix).copy()
    matrix += tendon_inertia(a, state)
    inverse = _inverse(matrix, layout, bool(np.any(a["tendon_armature"] > 0.0)))
    a["dof_invweight0"] = dof_inverse_weights(a, inverse)
    a["body_invweight0"] = body_inverse_weights(a, state, inverse)
    a["tendon_invweight0"] = tendon_inverse_weights(a, state, inverse)
    a |= servo_arrays(a, state, inverse)
    a |= _spring_dampers(layout, a)
    meaninertia = float(np.mean(np.diag(matrix))) if layout.nv else 1.0
    source = source_of(mechanism, layout)
    model = _assemble(mechanism, layout, a, opt=option, stat=Statistic(meaninertia=meaninertia), source=source, **custom)
    return with_length_ranges(model, mechanism)


def _inverse(matrix: Array, layout: Layout, armed: bool) -> Array:
    """M⁻¹ (nv, nv); a matrix that cannot be inverted is reported with the joint of the first bad pivot."""
    try:
        factor = np.linalg.cholesky(matrix)
        bad = int(np.argmax(np.append(np.diag(factor) ** 2 <= SMALLEST_PIVOT * np.diag(matrix), True)))
    except np.linalg.LinAlgError:
        bad = first_bad_pivot(matrix)
    if bad < len(matrix):
        joint = layout.joints[layout.arrays["dof_jntid"][bad]]
        problems = Problems()
        message = "the joint-space inertia is singular at this joint: two joints of the same motion, or too little mass"
        message += ", or a tendon with armature that joins three branches" * armed
        Check(problems, joint).fail("", f"{message}; add armature or mass")
        problems.raise_if_any()
    inverse = np.zeros_like(matrix)
    for dofs in _trees(layout.arrays["dof_parentid"]):
        half = np.linalg.solve(factor[np.ix_(dofs, dofs)], np.eye(len(dofs)))
        inverse[np.ix_(dofs, dofs)] = half.T @ half
    return inverse


def _trees(parents: Array) -> list[Array]:
    """Dofs of each kinematic tree, ascending; the matrix is zero between trees."""
    root = np.arange(len(parents))
    for i, parent in enumerate(parents):
        root[i] = root[parent] if parent >= 0 else i
    order = np.argsort(root, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(root[order])) + 1) if len(order) else []


def _spring_dampers(layout: Layout, a: dict[str, Array]) -> dict[str, Array]:
    """Stiffness and damping of joints given by (time constant, damping ratio), from the inertia the joint sees."""
    stiffness, damping = a["jnt_stiffness"].copy(), a["dof_damping"].copy()
    for j, joint in enumerate(layout.joints):
        timeconst, ratio = (0.0, 0.0) if joint.springdamper is None else joint.springdamper
        if timeconst > 0.0 and ratio > 0.0:
            dofs = a["dof_jntid"] == j
            inertia = 1.0 / float(np.mean(a["dof_invweight0"][dofs]))
            stiffness[j] = inertia / (timeconst * ratio) ** 2
            damping[dofs] = 2.0 * inertia / timeconst
    return {"jnt_stiffness": stiffness, "dof_damping": damping}


def _assemble(mechanism: Mechanism, layout: Layout, a: dict[str, Array], **parts: Any) -> Model:
    sizes: dict[str, Any] = {
        "nq": layout.nq,
        "nv": layout.nv,
        "nu": int(a["actuator_ctrlnum"].sum()),
        "na": int(a["actuator_actnum"].sum()),
        "nbody": len(layout.bodies),
        "njnt": len(layout.joints),
        "ngeom": len(layout.geoms),
        "nsite": len(layout.sites),
        "nmesh": len(mechanism.meshes),
        "nmeshvert": len(a["mesh_vert"]),
        "nmeshface": len(a["mesh_face"]),
        "nmeshgraph": len(a["mesh_graph"]),
        "nhfield": len(mechanism.hfields),
        "nhfielddata": len(a["hfield_data"]),
        "nmat": len(mechanism.materials),
        "ntexel": len(a["texel_rgb"]),
        "ncornertex": len(a["mesh_cornertex"]),
        "neq": len(mechanism.equalities),
        "ntendon": len(mechanism.tendons),
        "nwrap": len(a["wrap_type"]),
        "npair": len(mechanism.pairs),
        "nexclude": len(mechanism.excludes),
        "nsensor": len(mechanism.sensors),
        "nsensordata": int(a["sensor_dim"].sum()),
        "nmocap": int(np.sum(layout.arrays["body_mocapid"] >= 0)),
        "nkey": len(a["key_time"]),
        "nactuator": len(mechanism.actuators),
        "nout": int(a["actuator_outnum"].sum()),
        "ntree": layout.ntree,
    }
    names: dict[str, Any] = {
        "body_names": ("world", *(body.name for body in layout.bodies[1:])),
        "joint_names": tuple(joint.name for joint in layout.joints),
        "geom_names": tuple(geom.name for geom in layout.geoms),
        "site_names": tuple(site.name for site in layout.sites),
        "mesh_names": tuple(mesh.name for mesh in mechanism.meshes),
        "hfield_names": tuple(hfield.name for hfield in mechanism.hfields),
        "material_names": tuple(material.name for material in mechanism.materials),
        "actuator_names": tuple(actuator.name for actuator in mechanism.actuators),
        "sensor_names": tuple(sensor.name for sensor in mechanism.sensors),
        "equality_names": tuple(equality.name for equality in mechanism.equalities),
        "tendon_names": tuple(tendon.name for tendon in mechanism.tendons),
        "key_names": (*(key.name for key in mechanism.keyframes), *[""] * (len(a["key_time"]) - len(mechanism.keyframes))),
    }
    for item in dataclasses.fields(Model):
        if item.name in a and item.metadata["dtype"] is np.float64 and not np.all(np.isfinite(a[item.name])):
            raise ModelError(f"{item.name} is not finite: masses or sizes of the model are too large or too small")
    values: dict[str, Any] = sizes | names | a | parts
    return Model(name=mechanism.name, **values)
