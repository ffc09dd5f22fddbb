"""Model → Layout: the graph of bodies, joints and loop closures that the hard step works on, as flat arrays.

Bodies without a joint are merged into the body that carries them (or into the world). What is left is numbered 0 … nb-1, the
world is -1. A body's frame here is its MuJoCo body frame moved to the centre of mass; its inertia is a full 3x3.
Joints, equality constraints and tendons become nodes of six rows at most. Every node gets its place in the elimination order:
leaves to root, each loop closure just before the body that closes it (so that its pivot exists), or last when the world closes it.
"""

from typing import NamedTuple

import numpy as np

from dojo_py.hard.closure_table import closure_tables
from dojo_py.hard.coordinate_table import coordinate_tables, limit_tables
from dojo_py.hard.couplings import acting_tendons, tendon_numbers
from dojo_py.hard.lift import lift_tables
from dojo_py.hard.medium_table import medium_tables
from dojo_py.hard.terms import BALL, COMPOUND, FREE, FREE_TURN, HINGE, JOINTED_TURN, SLIDE
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import JointType, TrnType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import matrix
from dojo_py.mechanism.reference import by_joint
from dojo_py.mechanism.source import refusal

KINDS = {JointType.FREE: FREE, JointType.BALL: BALL, JointType.SLIDE: SLIDE, JointType.HINGE: HINGE}


class Layout(NamedTuple):
    """The graph and its constants. nb bodies, nj tree joints, ne loop closures, tendons among them last, nv degrees of freedom;
    world is body -1. Coordinates are the nv degrees of freedom, then the lengths of the nt tendons: nd = nv + nt.
    """

    # bodies
    mass: np.ndarray  # (nb,) [kg]
    inertia: np.ndarray  # (nb, 3, 3) [kg m²] about the centre of mass, body-frame axes
    mobility: np.ndarray  # (nb, 3, 3) its inverse
    most_turn: np.ndarray  # (nb,) largest |ω| h in a step of one part (terms.py)
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
    # tree joints (one per body that moves)
    kind: np.ndarray  # (nj,)
    parent: np.ndarray  # (nj,) body or -1
    child: np.ndarray  # (nj,) body
    base_pos: np.ndarray  # (nj, 3) child body frame at qpos0, seen from the parent's frame (world: world frame) [m]
    base_quat: np.ndarray  # (nj, 4)
    qadr: np.ndarray  # (nj,) first entry in qpos
    vadr: np.ndarray  # (nj,) first entry in qvel
    ndof: np.ndarray  # (nj,)
    rotation: np.ndarray  # (nj,) place among its coordinates of the rotation vector of a ball or free joint, -1: none
    node: np.ndarray  # (nj,) row among the joint nodes or -1 when a free joint needs none
    frame_pos: np.ndarray  # (nj, 3) simple joints: anchor in the parent's frame [m]
    frame_axes: np.ndarray  # (nj, 3, 3) rows: axis, first and second normal of it, in the parent's frame
    child_axes: np.ndarray  # (nj, 3, 3) the same three directions in the child's frame
    anchor: np.ndarray  # (nj, 3) simple joints: anchor in the child's frame, from its centre of mass [m]
    qpos0: np.ndarray  # (nq,)
    # loop closures and tendons
    eq_kind: np.ndarray  # (ne,)
    eq_bodies: np.ndarray  # (ne, s) bodies touched, -1 world / unused; of term k: 2k its joint's child, 2k + 1 its parent
    eq_pos: np.ndarray  # (ne, 2, 3) anchors in the two bodies' frames [m]
    eq_quat: np.ndarray  # (ne, 4) weld: orientation of body 2 in body 1
    eq_frames: np.ndarray  # (ne, 2, 4) servos of orientations: the frame q is seen from, the one that turns, in the two bodies
    eq_servo: np.ndarray  # (ne,) number among these servos, else -1
    eq_inertia: np.ndarray  # (ne,) scale of the inertia that they turn [kg m²]
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
    dof_slide: np.ndarray  # (nv,) 1: displacement along a slide
    dof_anchor: np.ndarray  # (nv, 3) anchor of the model's joint in the body frame [m]
    dof_axis: np.ndarray  # (nv, 3) its axis there
    dof_vector: np.ndarray  # (nv,) first of the three coordinates of a vector (rotation; origin of a free body); hinge, slide: -1
    dof_qadr: np.ndarray  # (nv,) entry in qpos, of rotations -1
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
    if int(model.body_jntnum[body]) > 1:
        return COMPOUND
    return KINDS[JointType(int(model.jnt_type[model.body_jntadr[body]]))]


def _most_turn(nb, parents, children, eq_bodies):
    """(nb,) FREE_TURN or JOINTED_TURN. parents, children: of the joints that are nodes; eq_bodies: of closures; -1 is the world."""
    most = np.full(nb, FREE_TURN)
    jointed = np.concatenate([parents, children, eq_bodies.ravel()]).astype(np.int64)
    most[jointed[jointed >= 0]] = JOINTED_TURN
    return most


def _turned_inertia(eq, mobility):
    """(ne,) 1/J = 1/J₁ + 1/J₂ of the two bodies of servos of orientations, each alone; 1 of other closures. mobility (nb, 3, 3)."""
    out = np.ones(len(eq["eq_kind"]))
    for e in np.flatnonzero(eq["eq_servo"] >= 0):
        out[e] = 1.0 / sum(np.trace(mobility[b]) / 3.0 for b in eq["eq_bodies"][e] if b >= 0)
    return out


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
    coordinates = coordinate_tables(model)
    vector, rotation = coordinates["dof_vector"], np.full(nj, -1)
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
        first = int(model.body_jntadr[b])
        qadr[j], vadr[j], ndof[j] = model.jnt_qposadr[first], model.jnt_dofadr[first], model.body_dofnum[b]
        dofs = slice(vadr[j], vadr[j] + ndof[j])
        dof_joint[dofs] = j
        base = matrix(base_quat[j])
        axis = np.asarray(model.jnt_axis[first], float)
        axes = np.array([axis, *_normals(axis)]) if kind[j] in (HINGE, SLIDE) else np.eye(3)
        child_axes[j], frame_axes[j] = axes, axes @ base.T
        anchor[j] = model.jnt_pos[first] - com[j]
        frame_pos[j] = base_pos[j] + base @ model.jnt_pos[first]
        if np.any(vector[dofs] >= 0):
            rotation[j] = vector[dofs].max() - vadr[j]
            spring_quat[j] = model.qpos_spring[qadr[j] + rotation[j] :][:4]
    arrays = Arrays(model)
    driven = {name: by_joint(arrays, f"actuator_{name}") for name in ("damping", "dampingpoly", "armature")}
    damping_poly = np.array(model.dof_dampingpoly, float).reshape(-1, 2)
    stiffness, stiffness_poly = coordinates.pop("dof_stiffness"), coordinates.pop("dof_stiffness_poly")
    has_force = (model.dof_damping != 0) | (model.dof_armature != 0) | (model.dof_frictionloss != 0) | damping_poly.any(axis=1)
    has_force |= (stiffness != 0) | stiffness_poly.any(axis=1)
    has_force |= (driven["damping"] != 0) | (driven["armature"] != 0) | driven["dampingpoly"].any(axis=1)
    node = np.full(nj, -1)
    needs = [j for j in range(nj) if kind[j] != FREE or np.any(has_force[vadr[j] : vadr[j] + 6])]
    node[needs] = np.arange(len(needs))
    tendons = acting_tendons(model)
    eq = closure_tables(model, where, com, dof_joint, parent, tendons)
    place_body, place_node = _elimination(nb, parent, child, node, eq["eq_bodies"])
    ne = len(eq["eq_kind"])
    mobility = np.linalg.inv(inertia) if len(inertia) else inertia
    eq["eq_inertia"] = _turned_inertia(eq, mobility)
    njn = len(needs)
    own = tendon_numbers(model, tendons)
    dof_inertia = np.concatenate([1.0 / np.maximum(np.array(model.dof_invweight0, float), 1e-12), own["inertia"]])
    limits = limit_tables(model, tendons, dof_inertia)
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
        mobility=mobility,
        most_turn=_most_turn(nb, parent[needs], child[needs], eq["eq_bodies"]),
        softest=np.minimum(mass, np.array([np.linalg.eigvalsh(J)[0] for J in inertia])),
        kind=kind,
        parent=parent,
        child=child,
        base_pos=base_pos,
        base_quat=base_quat,
        qadr=qadr,
        vadr=vadr,
        ndof=ndof,
        rotation=rotation,
        node=node,
        frame_pos=frame_pos,
        frame_axes=frame_axes,
        child_axes=child_axes,
        anchor=anchor,
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
        **coordinates,
        tendon_rest=own["rest"],
        spring_quat=spring_quat,
        dof_inertia=dof_inertia,
        **limits,
        pull_body=pull_bodies(model),
        geom_body=np.asarray(model.geom_bodyid, np.int64).reshape(-1),
        **lift_tables(model, where, com, mass),
        **medium_tables(model, where, com),
    ), where
