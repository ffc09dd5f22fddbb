"""The tree laid out in order: which body has which joints, degrees of freedom, geoms and sites, under which index.

Bodies are numbered depth first, the world is 0; joints, geoms and sites follow the bodies. Dofs of a body form a chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .checks import Check, unique_names
from .errors import Problems
from .spec import Body, Geom, Joint, Mechanism, Site

MAX_BODIES = 20_000
MAX_DOFS = 3_000
"""The joint-space inertia of the compiler is dense: 3000 degrees of freedom take 72 MB."""
MAX_BODY_DOFS = 6
"""As in MuJoCo: more would move the body in the same ways twice."""

DOFS = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
QPOS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}


@dataclass
class Layout:
    """Elements in index order with their owners, and the integer arrays of `Model` that follow from the tree alone."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    joint_body: list[int] = field(default_factory=list)
    geom_body: list[int] = field(default_factory=list)
    site_body: list[int] = field(default_factory=list)
    body_ids: dict[str, int] = field(default_factory=dict)
    joint_ids: dict[str, int] = field(default_factory=dict)
    geom_ids: dict[str, int] = field(default_factory=dict)
    site_ids: dict[str, int] = field(default_factory=dict)
    nq: int = 0
    nv: int = 0
    ntree: int = 0
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


def _mocap(problems: Problems, out: Layout, parent: np.ndarray) -> np.ndarray:
    """Numbers of the mocap bodies, -1 for the others."""
    ids = np.full(len(out.bodies), -1)
    for b, body in enumerate(out.bodies):
        if body.mocap:
            if b == 0 or parent[b] != 0 or body.joints:
                Check(problems, body).fail("mocap", "a mocap body is a child of the world without joints")
            ids[b] = int(ids.max(initial=-1)) + 1
    return ids


def lay_out(mechanism: Mechanism, problems: Problems) -> Layout:
    """Number everything. Structural problems (joints that may not stand together, names used twice) are collected."""
    out = Layout()
    index: dict[int, int] = {}
    parents: list[int] = []
    for body, parent in mechanism.world.walk():
        if id(body) in index or len(out.bodies) >= MAX_BODIES:
            reason = "is in the tree twice" if id(body) in index else f"is one body too many (limit {MAX_BODIES})"
            problems.add(body.where, f"body '{body.name}' {reason}", name=body.name)
            problems.raise_if_any()
        index[id(body)] = len(out.bodies)
        parents.append(0 if parent is None else index[id(parent)])
        out.bodies.append(body)
    for number, body in enumerate(out.bodies):
        _check_joints(problems, body, number, parents[number])
        out.joints += body.joints
        out.geoms += body.geoms
        out.sites += body.sites
        out.joint_body += [number] * len(body.joints)
        out.geom_body += [number] * len(body.geoms)
        out.site_body += [number] * len(body.sites)
    # the world answers to "world" whatever its Body object is called
    named = [Body("world"), *out.bodies[1:]]
    out.body_ids = unique_names(problems, "body", named)
    out.joint_ids = unique_names(problems, "joint", out.joints)
    out.geom_ids = unique_names(problems, "geom", out.geoms)
    out.site_ids = unique_names(problems, "site", out.sites)
    problems.raise_if_any()
    _number_dofs(out, np.array(parents), problems)
    if out.nv > MAX_DOFS:
        problems.add(mechanism.where, f"{out.nv} degrees of freedom are more than the limit of {MAX_DOFS}")
        problems.raise_if_any()
    return out


def _check_joints(problems: Problems, body: Body, number: int, parent: int) -> None:
    kinds = [joint.type for joint in body.joints]
    for i, joint in enumerate(body.joints):
        if joint.type not in DOFS:
            continue  # reported with the nearest word by the joint's own check
        message = ""
        if number == 0:
            message = "the world body cannot have joints"
        elif joint.type == "free" and parent != 0:
            message = "a free joint is only accepted in a body directly in the world"
        elif joint.type == "free" and len(kinds) > 1:
            message = "a free joint must be the only joint of its body"
        elif joint.type in ("ball", "hinge") and "ball" in kinds[:i]:
            message = "no hinge or ball may come after a ball joint in its body"
        elif sum(DOFS.get(kind, 0) for kind in kinds[: i + 1]) > MAX_BODY_DOFS:
            message = f"with this joint more than {MAX_BODY_DOFS} degrees of freedom move one body; give some a body of their own"
        if message:
            Check(problems, joint).fail("type", f"{message} (body '{body.name}')")


def _number_dofs(out: Layout, parent: np.ndarray, problems: Problems) -> None:
    nbody = len(out.bodies)
    weld, root, tree = np.zeros(nbody, int), np.zeros(nbody, int), np.full(nbody, -1)
    dof_num, dof_adr, jnt_adr, last_dof = np.zeros(nbody, int), *np.full((3, nbody), -1)
    jnt_qpos, jnt_dof, dof_body, dof_jnt, dof_parent, dof_tree = [], [], [], [], [], []
    joint_number = 0
    for b, body in enumerate(out.bodies):
        p = parent[b]
        weld[b] = b if body.joints or body.mocap or b == 0 else weld[p]
        root[b] = b if p == 0 else root[p]
        tree[b], last_dof[b] = tree[p], last_dof[p]
        if not body.joints:
            continue
        jnt_adr[b], dof_adr[b] = joint_number, out.nv
        if tree[b] < 0:
            tree[b], out.ntree = out.ntree, out.ntree + 1
        for joint in body.joints:
            jnt_qpos.append(out.nq)
            jnt_dof.append(out.nv)
            for _ in range(DOFS.get(joint.type, 1)):
                dof_body.append(b)
                dof_jnt.append(joint_number)
                dof_parent.append(last_dof[b])
                dof_tree.append(tree[b])
                last_dof[b] = out.nv
                out.nv += 1
            out.nq += QPOS.get(joint.type, 1)
            joint_number += 1
        dof_num[b] = out.nv - dof_adr[b]
    geom_num = np.bincount(out.geom_body, minlength=nbody) if out.geoms else np.zeros(nbody, int)
    first_geom = np.concatenate([[0], np.cumsum(geom_num)[:-1]])
    out.arrays = {
        "body_parentid": parent,
        "body_rootid": root,
        "body_weldid": weld,
        "body_treeid": tree,
        "body_mocapid": _mocap(problems, out, parent),
        "body_jntnum": np.array([len(body.joints) for body in out.bodies]),
        "body_jntadr": jnt_adr,
        "body_dofnum": dof_num,
        "body_dofadr": dof_adr,
        "body_geomnum": geom_num,
        "body_geomadr": np.where(geom_num > 0, first_geom, -1),
        "jnt_qposadr": np.array(jnt_qpos, int),
        "jnt_dofadr": np.array(jnt_dof, int),
        "jnt_bodyid": np.array(out.joint_body, int),
        "dof_bodyid": np.array(dof_body, int),
        "dof_jntid": np.array(dof_jnt, int),
        "dof_parentid": np.array(dof_parent, int),
        "dof_treeid": np.array(dof_tree, int),
        "geom_bodyid": np.array(out.geom_body, int),
        "site_bodyid": np.array(out.site_body, int),
    }
