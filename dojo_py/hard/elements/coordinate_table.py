"""Model → rows of the Layout for coordinates: their place in their joints, their constitutive laws, and limits."""

from typing import Any

import numpy as np

from dojo_py.collision.restitution import restitution
from dojo_py.hard.elements.couplings import tendon_limits
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import JointType
from dojo_py.mechanism.reference import by_joint


def coordinate_tables(model):
    """Fields of the Layout, (nv, …): for each degree of freedom its joint's geometry and its place in it."""
    nv = model.nv
    slide, vector, qadr = np.zeros(nv, np.int64), np.full(nv, -1), np.full(nv, -1)
    anchor, axis, springref = np.zeros((nv, 3)), np.zeros((nv, 3)), np.zeros(nv)
    for i in range(model.njnt):
        kind, mine, adr = JointType(int(model.jnt_type[i])), _dofs_of(model, i), int(model.jnt_qposadr[i])
        d, width = mine.start, mine.stop - mine.start
        anchor[mine], axis[mine] = model.jnt_pos[i], model.jnt_axis[i]
        slide[d] = kind == JointType.SLIDE
        if kind in (JointType.FREE, JointType.BALL):
            vector[mine] = d + np.arange(width) // 3 * 3
        if kind != JointType.BALL:
            straight = min(width, 3)
            qadr[d : d + straight] = adr + np.arange(straight)
            springref[d : d + straight] = model.qpos_spring[adr : adr + straight]
    return {
        "dof_slide": slide,
        "dof_anchor": anchor,
        "dof_axis": axis,
        "dof_vector": vector,
        "dof_qadr": qadr,
        "dof_springref": springref,
    }


def _dofs_of(model, i):
    """The degrees of freedom of joint i, a slice."""
    d = int(model.jnt_dofadr[i])
    return slice(d, d + {JointType.FREE: 6, JointType.BALL: 3}.get(JointType(int(model.jnt_type[i])), 1))


def law_tables(model, lengths):
    """Fields of the Layout, (nd, …): springs, dampers, rotors and dry friction of joints, their actuators' included, then tendons'.

    lengths: tendon_numbers.
    """
    stiffness, stiffness_poly = np.zeros(model.nv), np.zeros((model.nv, 2))
    for i in range(model.njnt):
        mine = _dofs_of(model, i)
        stiffness[mine], stiffness_poly[mine] = model.jnt_stiffness[i], model.jnt_stiffnesspoly[i]
    own = {name: np.array(getattr(model, f"dof_{name}"), float) for name in ("damping", "armature", "frictionloss")}
    own["dampingpoly"] = np.array(model.dof_dampingpoly, float).reshape(-1, 2)
    actuators: Any = Arrays(model)
    for name in ("damping", "armature", "dampingpoly"):
        own[name] = own[name] + by_joint(actuators, f"actuator_{name}")
    return {
        "dof_damping": np.concatenate([own["damping"], lengths["damping"]]),
        "dof_armature": np.concatenate([own["armature"], lengths["armature"]]),
        "dof_frictionloss": np.concatenate([own["frictionloss"], lengths["frictionloss"]]),
        "dof_stiffness": np.concatenate([stiffness, lengths["stiffness"]]),
        "dof_damping_poly": np.concatenate([own["dampingpoly"], lengths["dampingpoly"]]),
        "dof_stiffness_poly": np.concatenate([stiffness_poly, lengths["stiffnesspoly"]]),
    }


def limit_tables(model, tendons, dof_inertia):
    """Rows for the bounds of limited joints and tendons. Returns a dict of arrays."""
    rows: list[tuple[int, float, float]] = []
    bounces: list[float] = []
    masses: list[float] = []
    for i in range(model.njnt):
        if not model.jnt_limited[i]:
            continue
        d, (lower, upper) = int(model.jnt_dofadr[i]), model.jnt_range[i]
        if int(model.jnt_type[i]) == JointType.BALL:
            rows.append((d, 0.0, upper))
        elif int(model.jnt_type[i]) in (JointType.HINGE, JointType.SLIDE):
            rows += [(d, 1.0, lower), (d, -1.0, upper)]
        bounces += [restitution(model.jnt_solref[i])] * (len(rows) - len(bounces))
        masses += [float(model.body_subtreemass[int(model.jnt_bodyid[i])])] * (len(rows) - len(masses))
    for k, t in enumerate(tendons):
        rows += tendon_limits(model, [t], model.nv + k)
        bounces += [restitution(model.tendon_solref_lim[t])] * (len(rows) - len(bounces))
        masses += [float(model.body_subtreemass[0])] * (len(rows) - len(masses))
    table = np.array(rows, float).reshape(-1, 3)
    dofs = table[:, 0].astype(np.int64)
    return {
        "limit_dof": dofs,
        "limit_sign": table[:, 1].copy(),
        "limit_bound": table[:, 2].copy(),
        "limit_restitution": np.array(bounces, float),
        # m g r / I, with m r² ≤ I
        "limit_fall": np.sqrt(np.array(masses, float) / dof_inertia[dofs]),
    }
