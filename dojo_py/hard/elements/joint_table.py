"""Model → tree joints for the Layout: one of each body that moves, between it and the body above it."""

import numpy as np

from dojo_py.hard.terms import BALL, COMPOUND, FREE, HINGE, SLIDE
from dojo_py.mechanism.enums import JointType
from dojo_py.mechanism.quaternion import matrix

KINDS = {JointType.FREE: FREE, JointType.BALL: BALL, JointType.SLIDE: SLIDE, JointType.HINGE: HINGE}


def joint_tables(model, where, com, dof_vector):
    """Fields of the Layout, (nj, …), and `dof_joint` (nv,). where: BodyMap; com (nb, 3); dof_vector (nv,) as in the Layout."""
    nj = len(where.body)
    kind = np.array([_joint_kind(model, b) for b in where.body], dtype=np.int64).reshape(nj)
    parent, rotation = np.full(nj, -1), np.full(nj, -1)
    base_pos, base_quat = np.zeros((nj, 3)), np.zeros((nj, 4))
    qadr, vadr, ndof = np.zeros(nj, np.int64), np.zeros(nj, np.int64), np.zeros(nj, np.int64)
    frame_pos, frame_axes, child_axes = np.zeros((nj, 3)), np.zeros((nj, 3, 3)), np.zeros((nj, 3, 3))
    anchor, spring_quat = np.zeros((nj, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (nj, 1))
    dof_joint = np.zeros(model.nv, np.int64)
    for j, b in enumerate(where.body):
        first = int(model.body_jntadr[b])
        qadr[j], vadr[j], ndof[j] = model.jnt_qposadr[first], model.jnt_dofadr[first], model.body_dofnum[b]
        dofs = slice(vadr[j], vadr[j] + ndof[j])
        dof_joint[dofs] = j
        parent[j], base_pos[j], base_quat[j] = _base(model, where, com, b)
        base = matrix(base_quat[j])
        axis = np.asarray(model.jnt_axis[first], float)
        axes = np.array([axis, *_normals(axis)]) if kind[j] in (HINGE, SLIDE) else np.eye(3)
        child_axes[j], frame_axes[j] = axes, axes @ base.T
        anchor[j] = model.jnt_pos[first] - com[j]
        frame_pos[j] = base_pos[j] + base @ model.jnt_pos[first]
        if np.any(dof_vector[dofs] >= 0):
            rotation[j] = dof_vector[dofs].max() - vadr[j]
            spring_quat[j] = model.qpos_spring[qadr[j] + rotation[j] :][:4]
    return {
        "kind": kind,
        "parent": parent,
        "child": np.arange(nj),
        "base_pos": base_pos,
        "base_quat": base_quat,
        "qadr": qadr,
        "vadr": vadr,
        "ndof": ndof,
        "rotation": rotation,
        "frame_pos": frame_pos,
        "frame_axes": frame_axes,
        "child_axes": child_axes,
        "anchor": anchor,
        "spring_quat": spring_quat,
        "dof_joint": dof_joint,
    }


def levers(model, where, com, mass, inertia):
    """(nj,) lengths [m] at which the rotation of a body counts as much as its displacement, where several joints are in it.

    Ten times the larger of its anchors' distance and its radius of gyration: so the joints' screws are nearly pure rotations and
    displacements. With 1 m for all bodies they are mostly displacements where anchors are far away; these run along arcs and are
    parallel in some poses, where angles jumped. Drawn steps (as in tests/hard/test_chain_sizes.py) that end elsewhere in another
    unit of length: with 1 m 13 to 34 of 120, with this 3 to 5, with 1, 3 and 30 times that larger one 3 to 8.
    """
    found = np.zeros(len(where.body))
    for j, b in enumerate(where.body):
        first = int(model.body_jntadr[b])
        anchors = np.asarray(model.jnt_pos[first : first + int(model.body_jntnum[b])], float)
        reach = np.linalg.norm(anchors - com[j], axis=1).max()
        found[j] = 10.0 * max(reach, np.sqrt(np.trace(inertia[j]) / (2.0 * mass[j])))
    return found


def _base(model, where, com, body):
    """Parent of a model body, -1: world, and the pose of the body's frame at qpos0 seen from the parent's: (3,) [m], (4,)."""
    above = int(model.body_parentid[body])
    parent = where.node[above]
    centre = com[parent] if parent >= 0 else np.zeros(3)
    pos = where.pos[above] + matrix(where.quat[above]) @ model.body_pos[body] - centre
    return parent, pos, quaternion_product(where.quat[above], np.asarray(model.body_quat[body], float))


def quaternion_product(a, b):
    """a ⊗ b, (4,): first b, then a."""
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    )


def _normals(axis):
    """Two unit vectors that complete the unit vector axis (3,) to a right-handed frame."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _joint_kind(model, body):
    """BALL, COMPOUND, …: of the joints of a model body, all of which are one node."""
    if int(model.body_jntnum[body]) > 1:
        return COMPOUND
    return KINDS[JointType(int(model.jnt_type[model.body_jntadr[body]]))]
