"""Model → Layout: the graph of bodies, joints and loop closures that the hard step works on, as flat arrays.

Bodies without a joint are merged into the body that carries them (or into the world). What is left is numbered 0 … nb-1, the
world is -1. A body's frame here is its MuJoCo body frame moved to the centre of mass; its inertia is a full 3x3.
Joints, equality constraints and tendons become nodes of six rows at most. Every node gets its place in the elimination order:
leaves to root, each loop closure just before the body that closes it (so that its pivot exists), or last when the world closes it.
"""

from typing import NamedTuple

import numpy as np

from dojo_py.collision.restitution import restitution
from dojo_py.hard.couplings import (
    Coupling,
    acting_tendons,
    joint_coupling,
    tendon_coupling,
    tendon_limits,
    tendon_numbers,
    tendon_terms,
)
from dojo_py.hard.lift import lift_tables
from dojo_py.hard.medium_table import medium_tables
from dojo_py.hard.path_table import bodies_of_path, path_tables
from dojo_py.hard.terms import (
    BALL,
    COMPOUND,
    EQ_CONNECT,
    EQ_COUPLING,
    EQ_LENGTHS,
    EQ_PATH,
    EQ_TENDON,
    EQ_WELD,
    FREE,
    HINGE,
    SLIDE,
)
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import TrnType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import matrix
from dojo_py.mechanism.reference import by_joint
from dojo_py.mechanism.source import refusal
from dojo_py.mechanism.tendon_paths import is_spatial

MJ_FREE, MJ_BALL, MJ_SLIDE, MJ_HINGE = 0, 1, 2, 3
MJ_EQ_CONNECT, MJ_EQ_WELD, MJ_EQ_JOINT, MJ_EQ_TENDON = 0, 1, 2, 3


class Layout(NamedTuple):
    """The graph and its constants. nb bodies, nj tree joints, ne loop closures, tendons among them last, nv degrees of freedom;
    world is body -1. Coordinates are the nv degrees of freedom, then the lengths of the nt tendons: nd = nv + nt.
    """

    # bodies
    mass: np.ndarray  # (nb,) [kg]
    inertia: np.ndarray  # (nb, 3, 3) [kg m²] about the centre of mass, body-frame axes
    mobility: np.ndarray  # (nb, 3, 3) its inverse
    com: np.ndarray  # (nb, 3) centre of mass in the body frame [m]
    gravity: np.ndarray  # (nb, 3) acceleration after gravity compensation [m/s²]
    lift_flags: np.ndarray  # (2,) of gravity compensation, see lift.py
    lift_share: np.ndarray  # (nb,) share of the weight that is compensated
    lift_arm: np.ndarray  # (nb, 3) times it, where that acts: from the centre of mass, in the body's frame [m]
    lift_gravity: np.ndarray  # (3,) gravity without compensation [m/s²]
    lift_driven: np.ndarray  # (1,) 1: actuators act
    pull_body: np.ndarray  # (p,) bodies of the model that adhesion is on
    geom_body: np.ndarray  # (ngeom,) bodies of the model
    dof_lifted: np.ndarray  # (nv,) 1: compensation is a force of the actuators
    softest: np.ndarray  # (nb,) the smaller of mass and least moment of inertia: what stiff contacts must not bury
    # tree joints (one per body that moves); chains of hinges and slides use the jnt_* rows first … first + count
    kind: np.ndarray  # (nj,)
    parent: np.ndarray  # (nj,) body or -1
    child: np.ndarray  # (nj,) body
    base_pos: np.ndarray  # (nj, 3) child body frame at qpos0, seen from the parent's frame (world: world frame) [m]
    base_quat: np.ndarray  # (nj, 4)
    first: np.ndarray  # (nj,) first joint in model.jnt_*
    count: np.ndarray  # type: ignore[assignment]  # (nj,) joints in the chain
    qadr: np.ndarray  # (nj,) first entry in qpos
    vadr: np.ndarray  # (nj,) first entry in qvel
    ndof: np.ndarray  # (nj,)
    node: np.ndarray  # (nj,) row among the joint nodes or -1 when a free joint needs none
    frame_pos: np.ndarray  # (nj, 3) simple joints: anchor in the parent's frame [m]
    frame_axes: np.ndarray  # (nj, 3, 3) rows: axis, first and second normal of it, in the parent's frame
    child_axes: np.ndarray  # (nj, 3, 3) the same three directions in the child's frame
    anchor: np.ndarray  # (nj, 3) simple joints: anchor in the child's frame, from its centre of mass [m]
    # scalar joints of the model
    jnt_slide: np.ndarray  # (njnt,) 1 where the joint is a slide
    jnt_pos: np.ndarray  # (njnt, 3)
    jnt_axis: np.ndarray  # (njnt, 3)
    qpos0: np.ndarray  # (nq,)
    # loop closures and tendons
    eq_kind: np.ndarray  # (ne,)
    eq_bodies: np.ndarray  # (ne, s) bodies touched, -1 world / unused; of term k: 2k its joint's child, 2k + 1 its parent
    eq_pos: np.ndarray  # (ne, 2, 3) anchors in the two bodies' frames [m]
    eq_quat: np.ndarray  # (ne, 4) weld: orientation of body 2 in body 1
    eq_terms: np.ndarray  # (ne, 3) couplings, tendons: first term of side 1, of side 2, end
    term_dof: np.ndarray  # (number of terms,)
    term_coef: np.ndarray  # (number of terms,)
    eq_poly: np.ndarray  # (ne, 7) coefficients 0-4, reference values of sides 1 and 2
    eq_dof: np.ndarray  # (ne,) coordinate of a tendon, else -1
    eq_tendons: np.ndarray  # (ne, 3) of equalities with spatial tendons: the closures of both (-1: none), first slot of the second
    # paths of spatial tendons (tendon_paths.py)
    path_rows: np.ndarray  # (ne, 2) first row, end
    path_kind: np.ndarray  # (np,) pulley, site, sphere, cylinder
    path_slot: np.ndarray  # (np, 2) slot in eq_bodies of the site's or object's body, of its side site's; -1: world
    path_pos: np.ndarray  # (np, 2, 3) site or centre of the object, side site, in their bodies' frames [m]
    path_axes: np.ndarray  # (np, 3, 3) columns: axes of the object in its body's frame
    path_size: np.ndarray  # (np,) radius [m], or a pulley's divisor
    path_sided: np.ndarray  # (np,) 1: there is a side site
    # the graph
    node_parent: np.ndarray  # (nn,) parent body of a joint node
    node_child: np.ndarray  # (nn,)
    node_joint: np.ndarray  # (nn,) tree joint of a joint node, -1 - e for loop closure e
    place_body: np.ndarray  # (nb,) place in the elimination order
    place_node: np.ndarray  # (nn,) of joint nodes, then loop closures
    # coordinates
    dof_joint: np.ndarray  # (nv,) tree joint
    dof_node: np.ndarray  # (nd,) node that has the coordinate's rate and law, -1: none
    dof_row: np.ndarray  # (nd,) their row in it
    dof_body: np.ndarray  # (nd,) a body that the coordinate moves
    dof_damping: np.ndarray  # (nd,) [N m s/rad or N s/m]
    dof_armature: np.ndarray  # (nd,) [kg m² or kg]
    dof_frictionloss: np.ndarray  # (nd,) [N m or N]
    dof_stiffness: np.ndarray  # (nd,) [N m/rad or N/m]
    dof_damping_poly: np.ndarray  # (nd, 2) coefficients c₁, c₂ of the rate's higher powers, see dof_rows.py
    dof_stiffness_poly: np.ndarray  # (nd, 2) coefficients k₁, k₂ of the displacement's higher powers
    dof_springref: np.ndarray  # (nv,) hinge, slide: coordinate at rest; free: position at rest
    tendon_rest: np.ndarray  # (nt, 2) interval of lengths without spring force [m]
    spring_quat: np.ndarray  # (nj, 4) ball, free: orientation at rest
    dof_inertia: np.ndarray  # (nd,) scale of the inertia that the coordinate sees [kg m² or kg]
    # limits of hinges and slides (both bounds are rows of their own) and of balls
    limit_dof: np.ndarray  # (nl,)
    limit_sign: np.ndarray  # (nl,) +1: coordinate - bound ≥ 0, -1: bound - coordinate ≥ 0, 0: ball, bound - |rotation| ≥ 0
    limit_bound: np.ndarray  # (nl,) [rad or m]
    limit_restitution: np.ndarray  # (nl,) of the rate at which it is met
    limit_fall: np.ndarray  # (nl,) by which gravity accelerates the coordinate at most, over gravity [rad/m or 1]
    # boxes and ellipsoids in a medium, sorted by body (medium.py)
    medium_first: np.ndarray  # (nb + 1,) where those of each body begin
    medium_ellipsoid: np.ndarray  # (nf,) 1: ellipsoid, 0: box
    medium_pos: np.ndarray  # (nf, 3) centre in the body's frame, from its centre of mass [m]
    medium_axes: np.ndarray  # (nf, 3, 3) columns: axes in the body's frame
    medium_numbers: np.ndarray  # (nf, 14) of fluid/box.py or fluid/ellipsoid.py
    medium: np.ndarray  # (5,) density [kg/m³], viscosity [Pa s], wind [m/s]


class BodyMap(NamedTuple):
    """Where each body of the model went: its node, and its pose in the frame of that node's body."""

    node: np.ndarray  # (nbody,) body node or -1
    pos: np.ndarray  # (nbody, 3) in the frame of the node's body (before the shift to the centre of mass) [m]
    quat: np.ndarray  # (nbody, 4)
    body: np.ndarray  # (nb,) model body of each node


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


def map_bodies(model):
    """Merge the bodies that have no joint into those that carry them. Returns BodyMap."""
    n = model.nbody
    node = np.full(n, -1)
    pos = np.zeros((n, 3))
    quat = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    moving = []
    for b in range(1, n):
        p = int(model.body_parentid[b])
        if model.body_jntnum[b] > 0:
            node[b] = len(moving)
            moving.append(b)
        else:
            node[b] = node[p]
            pos[b] = pos[p] + matrix(quat[p]) @ model.body_pos[b]
            quat[b] = quaternion_product(quat[p], np.asarray(model.body_quat[b], float))
    return BodyMap(node, pos, quat, np.array(moving, dtype=np.int64))


def _bodies(model, where):
    """Mass, centre of mass, inertia and gravity of the merged bodies."""
    nb = len(where.body)
    mass, com, inertia, weight = np.zeros(nb), np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros(nb)
    members = [(b, int(where.node[b])) for b in range(1, model.nbody) if where.node[b] >= 0]
    centre = {b: where.pos[b] + matrix(where.quat[b]) @ model.body_ipos[b] for b, _ in members}
    for b, i in members:
        mass[i] += model.body_mass[b]
        com[i] += model.body_mass[b] * centre[b]
        weight[i] += model.body_mass[b] * (1.0 - model.body_gravcomp[b])
    for i, b in enumerate(where.body):
        if not mass[i] > 0.0:
            raise ModelError(refusal(model, "body", (b,), "mass", "is 0; a body that moves needs a positive mass"))
    com /= mass[:, None]
    for b, i in members:
        R = matrix(where.quat[b]) @ matrix(model.body_iquat[b])
        d = centre[b] - com[i]
        inertia[i] += R @ np.diag(model.body_inertia[b]) @ R.T + model.body_mass[b] * (d @ d * np.eye(3) - np.outer(d, d))
    for i, b in enumerate(where.body):
        if not np.linalg.eigvalsh(inertia[i])[0] > 0.0:
            message = "is singular; a body that moves needs a positive one"
            raise ModelError(refusal(model, "body", (b,), "inertia", message))
    gravity = np.asarray(model.opt.gravity, float)[None, :] * (weight / mass)[:, None]
    return mass, com, inertia, gravity


def pull_bodies(model):
    """(p,) the bodies that adhesion is on, of all such actuators."""
    return np.array([int(ids[0]) for kind, ids in _transmissions(model) if kind == TrnType.BODY], np.int64)


def _transmissions(model):
    return zip(model.actuator_trntype, model.actuator_trnid, strict=True) if int(model.nactuator) else ()


def _normals(axis):
    """Two unit vectors that complete the unit vector axis (3,) to a right-handed frame."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _joint_kind(model, body):
    adr, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    types = [int(t) for t in model.jnt_type[adr : adr + count]]
    if count == 1:
        return {MJ_FREE: FREE, MJ_BALL: BALL, MJ_SLIDE: SLIDE, MJ_HINGE: HINGE}[types[0]]
    if MJ_BALL in types or MJ_FREE in types:
        message = "a ball joint beside other joints in one body is not simulated in the hard mode; give it a body of its own"
        raise ModelError(refusal(model, "body", (body,), "", message))
    return COMPOUND


def _elimination(nb, parent, child, node, eq_bodies):
    """Places of bodies and nodes in the elimination order, leaves to root. parent, child: (nj,); node: (nj,)."""
    up = np.full(nb, -1)
    up[child] = parent
    node_of_child = np.full(nb, -1)
    node_of_child[child] = node

    def ancestors(b):
        out = []
        while b >= 0:
            out.append(b)
            b = up[b]
        return out

    closes = {}
    for e, touched in enumerate(eq_bodies):
        touched = [b for b in touched if b >= 0]
        common = set(ancestors(touched[0])).intersection(*(ancestors(b) for b in touched[1:]))
        alone = len(set(touched)) == 1
        closes.setdefault(max(common) if common and not alone else -1, []).append(e)
    njn = int((node >= 0).sum())
    place_body, place_node = np.zeros(nb, np.int64), np.zeros(njn + len(eq_bodies), np.int64)
    place = 0
    for b in range(nb - 1, -1, -1):
        for e in closes.get(b, []):
            place_node[njn + e] = place
            place += 1
        place_body[b] = place
        place += 1
        if node_of_child[b] >= 0:
            place_node[node_of_child[b]] = place
            place += 1
    for e in closes.get(-1, []):
        place_node[njn + e] = place
        place += 1
    return place_body, place_node


def build_layout(model):
    """The Layout and BodyMap of a Model. Raises ModelError for what the hard mode does not simulate."""
    where = map_bodies(model)
    mass, com, inertia, gravity = _bodies(model, where)
    nb = len(where.body)
    nj = nb
    kind = np.array([_joint_kind(model, b) for b in where.body], dtype=np.int64).reshape(nj)
    parent, child = np.full(nj, -1), np.arange(nj)
    base_pos, base_quat = np.zeros((nj, 3)), np.zeros((nj, 4))
    first, count = np.zeros(nj, np.int64), np.zeros(nj, np.int64)
    qadr, vadr, ndof = np.zeros(nj, np.int64), np.zeros(nj, np.int64), np.zeros(nj, np.int64)
    frame_pos, frame_axes, child_axes = np.zeros((nj, 3)), np.zeros((nj, 3, 3)), np.zeros((nj, 3, 3))
    anchor, spring_quat = np.zeros((nj, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (nj, 1))
    dof_joint = np.zeros(model.nv, np.int64)
    for j, b in enumerate(where.body):
        above = int(model.body_parentid[b])
        parent[j] = where.node[above]
        shift = com[parent[j]] if parent[j] >= 0 else np.zeros(3)
        R = matrix(where.quat[above])
        base_pos[j] = where.pos[above] + R @ model.body_pos[b] - shift
        base_quat[j] = quaternion_product(where.quat[above], np.asarray(model.body_quat[b], float))
        first[j], count[j] = model.body_jntadr[b], model.body_jntnum[b]
        qadr[j], vadr[j] = model.jnt_qposadr[first[j]], model.jnt_dofadr[first[j]]
        ndof[j] = model.body_dofnum[b]
        dof_joint[vadr[j] : vadr[j] + ndof[j]] = j
        base = matrix(base_quat[j])
        axis = np.asarray(model.jnt_axis[first[j]], float)
        axes = np.array([axis, *_normals(axis)]) if kind[j] in (HINGE, SLIDE) else np.eye(3)
        child_axes[j], frame_axes[j] = axes, axes @ base.T
        anchor[j] = model.jnt_pos[first[j]] - com[j]
        frame_pos[j] = base_pos[j] + base @ model.jnt_pos[first[j]]
        if kind[j] in (BALL, FREE):
            spring_quat[j] = model.qpos_spring[qadr[j] :][3 * (kind[j] == FREE) :][:4]
    arrays = Arrays(model)
    driven = {name: by_joint(arrays, f"actuator_{name}") for name in ("damping", "dampingpoly", "armature")}
    damping_poly, stiffness_poly = np.array(model.dof_dampingpoly, float).reshape(-1, 2), np.zeros((model.nv, 2))
    has_force = (model.dof_damping != 0) | (model.dof_armature != 0) | (model.dof_frictionloss != 0) | damping_poly.any(axis=1)
    stiffness, springref = np.zeros(model.nv), np.zeros(model.nv)
    for i in range(model.njnt):
        t, d = int(model.jnt_type[i]), int(model.jnt_dofadr[i])
        width = {MJ_FREE: 6, MJ_BALL: 3}.get(t, 1)
        stiffness[d : d + width], stiffness_poly[d : d + width] = model.jnt_stiffness[i], model.jnt_stiffnesspoly[i]
        if t != MJ_BALL:
            straight, adr = min(width, 3), int(model.jnt_qposadr[i])
            springref[d : d + straight] = model.qpos_spring[adr : adr + straight]
    has_force |= (stiffness != 0) | stiffness_poly.any(axis=1)
    has_force |= (driven["damping"] != 0) | (driven["armature"] != 0) | driven["dampingpoly"].any(axis=1)
    node = np.full(nj, -1)
    needs = [j for j in range(nj) if kind[j] != FREE or np.any(has_force[vadr[j] : vadr[j] + 6])]
    node[needs] = np.arange(len(needs))
    tendons = acting_tendons(model)
    eq = _equalities(model, where, com, dof_joint, parent, tendons)
    place_body, place_node = _elimination(nb, parent, child, node, eq["eq_bodies"])
    ne = len(eq["eq_kind"])
    njn = len(needs)
    own = tendon_numbers(model, tendons)
    dof_inertia = np.concatenate([1.0 / np.maximum(np.array(model.dof_invweight0, float), 1e-12), own["inertia"]])
    limits = _limits(model, tendons, dof_inertia)
    tendon_nodes = njn + ne - len(tendons) + np.arange(len(tendons))
    dof_slot = np.arange(model.nv) - vadr[dof_joint]
    joined = lambda name: np.concatenate(  # noqa: E731
        [np.array(getattr(model, f"dof_{name}"), float) + driven.get(name, 0.0), own[name]]
    )
    return Layout(
        mass=mass,
        inertia=inertia,
        com=com,
        gravity=gravity,
        mobility=np.linalg.inv(inertia) if len(inertia) else inertia,
        softest=np.minimum(mass, np.array([np.linalg.eigvalsh(J)[0] for J in inertia])),
        kind=kind,
        parent=parent,
        child=child,
        base_pos=base_pos,
        base_quat=base_quat,
        first=first,
        count=count,
        qadr=qadr,
        vadr=vadr,
        ndof=ndof,
        node=node,
        frame_pos=frame_pos,
        frame_axes=frame_axes,
        child_axes=child_axes,
        anchor=anchor,
        jnt_slide=(np.asarray(model.jnt_type) == MJ_SLIDE).astype(np.int64),
        jnt_pos=np.array(model.jnt_pos, float).reshape(-1, 3),
        jnt_axis=np.array(model.jnt_axis, float).reshape(-1, 3),
        qpos0=np.array(model.qpos0, float),
        **eq,
        node_parent=np.concatenate([parent[needs], np.full(ne, -1)]).astype(np.int64),
        node_child=np.concatenate([child[needs], np.full(ne, -1)]).astype(np.int64),
        node_joint=np.concatenate([needs, -1 - np.arange(ne)]).astype(np.int64),
        place_body=place_body,
        place_node=place_node,
        dof_joint=dof_joint,
        dof_node=np.concatenate([node[dof_joint], tendon_nodes]).astype(np.int64),
        dof_row=np.concatenate([6 - ndof[dof_joint] + dof_slot, np.full(len(tendons), 5)]).astype(np.int64),
        dof_body=np.concatenate([child[dof_joint], eq["eq_bodies"][ne - len(tendons) :].max(axis=1, initial=-1)]).astype(np.int64),
        dof_damping=joined("damping"),
        dof_armature=joined("armature"),
        dof_frictionloss=joined("frictionloss"),
        dof_stiffness=np.concatenate([stiffness, own["stiffness"]]),
        dof_damping_poly=np.concatenate([damping_poly + driven["dampingpoly"], own["dampingpoly"]]),
        dof_stiffness_poly=np.concatenate([stiffness_poly, own["stiffnesspoly"]]),
        dof_springref=springref,
        tendon_rest=own["rest"],
        spring_quat=spring_quat,
        dof_inertia=dof_inertia,
        **limits,
        pull_body=pull_bodies(model),
        geom_body=np.asarray(model.geom_bodyid, np.int64).reshape(-1),
        **lift_tables(model, where, com, mass),
        **medium_tables(model, where, com),
    ), where


def _limits(model, tendons, dof_inertia):
    """Rows for the bounds of limited joints and tendons. Returns a dict of arrays."""
    rows, bounces, masses = [], [], []
    for i in range(model.njnt):
        if not model.jnt_limited[i]:
            continue
        d, (lower, upper) = int(model.jnt_dofadr[i]), model.jnt_range[i]
        if int(model.jnt_type[i]) == MJ_BALL:
            rows.append((d, 0.0, upper))
        elif int(model.jnt_type[i]) in (MJ_HINGE, MJ_SLIDE):
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


def _equalities(model, where, com, dof_joint, parent, tendons):
    """Loop closures: connect, weld and couplings that are active at the start; then tendons. Returns a dict of arrays."""
    kinds, bodies, pos, quats, couplings, polys = [], [], [], [], [], []
    pairs = []  # tendons of equalities
    centre = lambda i: com[i] if i >= 0 else np.zeros(3)  # noqa: E731
    for e in range(model.neq):
        if not model.eq_active0[e]:
            continue
        t, data = int(model.eq_type[e]), np.asarray(model.eq_data[e], float)
        one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        p, q, coupling, poly = np.zeros((2, 3)), np.array([1.0, 0, 0, 0]), None, np.zeros(7)
        if t in (MJ_EQ_CONNECT, MJ_EQ_WELD):
            site = int(model.eq_objtype[e]) == 6
            if site:
                frames = [
                    (int(model.site_bodyid[s]), np.array(model.site_pos[s], float), np.array(model.site_quat[s], float))
                    for s in (one, two)
                ]
            elif t == MJ_EQ_CONNECT:
                frames = [(one, data[0:3], np.eye(4)[0]), (two, data[3:6], np.eye(4)[0])]
            else:  # weld: data = anchor in body 2, relative position and orientation of body 2 in body 1, torque scale
                R = matrix(data[6:10])
                frames = [(one, data[3:6] + R @ data[0:3], data[6:10]), (two, data[0:3], np.eye(4)[0])]
            seen = []
            for k, (b, local, turn) in enumerate(frames):
                i = int(where.node[b])
                p[k] = where.pos[b] + matrix(where.quat[b]) @ local - centre(i)
                seen.append((i, quaternion_product(where.quat[b], turn)))
            # orientation of body 2 in body 1 when closed: first frame equals second frame
            q = quaternion_product(seen[0][1], seen[1][1] * np.array([1.0, -1, -1, -1]))
            touched = [seen[0][0], seen[1][0], -1, -1]
            if touched[0] == touched[1]:
                continue  # both ends on one rigid body
            kinds.append(EQ_CONNECT if t == MJ_EQ_CONNECT else EQ_WELD)
        elif t == MJ_EQ_TENDON and any(i >= 0 and is_spatial(model, i) for i in (one, two)):
            ends = [_bodies_of_tendon(model, where, i, dof_joint, parent) if i >= 0 else [] for i in (one, two)]
            touched = ends[0] + ends[1] + [-1] * (4 - len(ends[0]) - len(ends[1]))
            poly[:5], poly[5:] = data[:5], [float(model.tendon_length0[i]) if i >= 0 else 0.0 for i in (one, two)]
            pairs.append((one, two, len(ends[0])))
            kinds.append(EQ_LENGTHS)
        elif t in (MJ_EQ_JOINT, MJ_EQ_TENDON):
            coupling = joint_coupling(model, e, one, two) if t == MJ_EQ_JOINT else tendon_coupling(model, one, two)
            touched = _touched((*coupling.first, *coupling.second), dof_joint, parent)
            poly[:5], poly[5:] = data[:5], coupling.reference
            kinds.append(EQ_COUPLING)
        else:
            message = "only connect, weld, joint and tendon are simulated in the hard mode"
            raise ModelError(refusal(model, "equality", (e,), "type", message))
        bodies.append(touched)
        pos.append(p)
        quats.append(q)
        couplings.append(coupling)
        polys.append(poly)
    for t in tendons:
        spatial = is_spatial(model, t)
        coupling = None if spatial else Coupling(tendon_terms(model, t), [], (0.0, 0.0))
        kinds.append(EQ_PATH if spatial else EQ_TENDON)
        touched = _bodies_of_tendon(model, where, t, dof_joint, parent)
        if max(touched, default=-1) < 0:
            raise ModelError(refusal(model, "tendon", (t,), "", "it touches no body that moves"))
        bodies.append(touched + [-1] * (4 - len(touched)))
        pos.append(np.zeros((2, 3)))
        quats.append(np.array([1.0, 0, 0, 0]))
        couplings.append(coupling)
        polys.append(np.zeros(7))
    n, slots = len(kinds), max((len(touched) for touched in bodies), default=4)
    starts, terms = np.zeros((n, 3), np.int64), []
    for e, coupling in enumerate(couplings):
        sides = (coupling.first, coupling.second) if coupling else ([], [])
        starts[e] = len(terms), len(terms) + len(sides[0]), len(terms) + len(sides[0]) + len(sides[1])
        terms += [*sides[0], *sides[1]]
    place = {t: n - len(tendons) + k for k, t in enumerate(tendons)}
    ends = np.full((n, 3), -1)
    for e, (one, two, first) in zip([e for e in range(n) if kinds[e] == EQ_LENGTHS], pairs, strict=True):
        ends[e] = place[one], place.get(two, -1), first
    touched = np.array([some + [-1] * (slots - len(some)) for some in bodies], np.int64).reshape(n, slots)
    spatial = [None] * (n - len(tendons)) + [t if is_spatial(model, t) else None for t in tendons]
    coordinates = np.full(n, -1)
    coordinates[n - len(tendons) :] = model.nv + np.arange(len(tendons))
    return {
        "eq_kind": np.array(kinds, np.int64).reshape(n),
        "eq_bodies": touched,
        "eq_pos": np.array(pos, float).reshape(n, 2, 3),
        "eq_quat": np.array(quats, float).reshape(n, 4),
        "eq_terms": starts,
        "term_dof": np.array([dof for dof, _ in terms], np.int64),
        "term_coef": np.array([coef for _, coef in terms], float),
        "eq_poly": np.array(polys, float).reshape(n, 7),
        "eq_dof": coordinates.astype(np.int64),
        "eq_tendons": ends.astype(np.int64),
        **path_tables(model, where, com, spatial, touched),
    }


def _bodies_of_tendon(model, where, t, dof_joint, parent):
    """Bodies that a tendon touches, as its closure has them."""
    if is_spatial(model, t):
        return bodies_of_path(model, where, t)
    return _touched(tendon_terms(model, t), dof_joint, parent)


def _touched(terms, dof_joint, parent):
    """Bodies that the coordinates of the terms move against each other: child and parent of their joints, four at least."""
    out = []
    for dof, _ in terms:
        j = int(dof_joint[dof])
        out += [j, int(parent[j])]
    return out + [-1] * (4 - len(out))
