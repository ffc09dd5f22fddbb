"""Model → Layout: the graph of bodies, joints and loop closures that the hard step works on, as flat arrays.

Bodies without a joint are merged into the body that carries them (or into the world). What is left is numbered 0 … nb-1, the
world is -1. A body's frame here is its MuJoCo body frame moved to the centre of mass; its inertia is a full 3x3.
Joints, equality constraints and tendons become nodes of six rows at most. Every node gets its place in the elimination order:
leaves to root, each loop closure just before the body that closes it (so that its pivot exists), or last when the world closes it.
"""

from typing import NamedTuple

import numpy as np

from dojo_py.hard.elements.closure_table import closure_tables
from dojo_py.hard.elements.coordinate_table import coordinate_tables, law_tables, limit_tables
from dojo_py.hard.elements.couplings import acting_tendons, tendon_numbers
from dojo_py.hard.elements.joint_table import joint_tables, levers, quaternion_product
from dojo_py.hard.elements.lift import lift_tables
from dojo_py.hard.elements.medium_table import medium_tables
from dojo_py.hard.terms import FREE, FREE_TURN, JOINTED_TURN
from dojo_py.mechanism.enums import TrnType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.quaternion import matrix
from dojo_py.mechanism.source import refusal


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
    lift_share: np.ndarray  # (nb,) fraction of the weight that is compensated
    lift_arm: np.ndarray  # (nb, 3) lift_share times the point where compensation acts, from the centre of mass, body axes [m]
    lift_gravity: np.ndarray  # (3,) gravity without compensation [m/s²]
    lift_driven: np.ndarray  # (1,) 1: actuators act
    pull_body: np.ndarray  # (p,) bodies of the model that adhesion is on
    geom_body: np.ndarray  # (ngeom,) bodies of the model
    dof_lifted: np.ndarray  # (nv,) 1: compensation is a force of the actuators
    # (nb, 2) mean velocity by a unit impulse and by a unit torque impulse, joints and their armature included [1/kg, 1/(kg m²)]
    inverse_weight: np.ndarray
    softest: np.ndarray  # (nb,) the smaller of mass and least moment of inertia: must not drown in the round-off of stiff contacts
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
    lever: np.ndarray  # (nj,) several joints in a body: length at which its rotation counts as much as its displacement [m]
    qpos0: np.ndarray  # (nq,)
    # loop closures and tendons
    eq_kind: np.ndarray  # (ne,)
    eq_bodies: np.ndarray  # (ne, s) bodies touched, -1 world / unused; of term k: 2k its joint's child, 2k + 1 its parent
    eq_pos: np.ndarray  # (ne, 2, 3) anchors in the two bodies' frames [m]
    eq_quat: np.ndarray  # (ne, 4) weld: orientation of body 2 in body 1
    eq_frames: np.ndarray  # (ne, 2, 4) servos of orientations: the reference frame and the frame that is rotated, in the two bodies
    eq_servo: np.ndarray  # (ne,) number among these servos, else -1
    eq_inertia: np.ndarray  # (ne,) scale of the inertia that servos of orientations rotate [kg m²]
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
    limit_sign: np.ndarray  # (nl,) +1: coordinate - bound ≥ 0, -1: bound - coordinate ≥ 0, 0: ball (limits.py)
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
    """Which body of the layout (node) each body of the model belongs to, and its pose in the frame of that node's body."""

    node: np.ndarray  # (nbody,) body node or -1
    pos: np.ndarray  # (nbody, 3) in the frame of the node's body (before the shift to the centre of mass) [m]
    quat: np.ndarray  # (nbody, 4)
    body: np.ndarray  # (nb,) model body of each node


def map_bodies(model):
    """Merge the bodies that have no joint into those that carry them. Returns BodyMap."""
    n = model.nbody
    node = np.full(n, -1)
    pos = np.zeros((n, 3))
    quat = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    moving: list[int] = []
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
    """Mass, centre of mass and inertia of the merged bodies."""
    nb = len(where.body)
    mass, com, inertia = np.zeros(nb), np.zeros((nb, 3)), np.zeros((nb, 3, 3))
    members = [(b, int(where.node[b])) for b in range(1, model.nbody) if where.node[b] >= 0]
    centre = {b: where.pos[b] + matrix(where.quat[b]) @ model.body_ipos[b] for b, _ in members}
    for b, i in members:
        mass[i] += model.body_mass[b]
        com[i] += model.body_mass[b] * centre[b]
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
    return mass, com, inertia


def pull_bodies(model):
    """(p,) the bodies that adhesion is on, of all such actuators."""
    return np.array([int(ids[0]) for kind, ids in _transmissions(model) if kind == TrnType.BODY], np.int64)


def _transmissions(model):
    return zip(model.actuator_trntype, model.actuator_trnid, strict=True) if int(model.nactuator) else ()


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

    closes: dict[int, list[int]] = {}
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


def _needs_node(joints, laws):
    """(nj,) whether a tree joint takes part in the solve: all but free ones without any law along their coordinates."""
    acts = np.zeros(len(joints["dof_joint"]), bool)
    for law in laws.values():
        acts |= np.any(law[: len(acts)], axis=tuple(range(1, law.ndim)))
    needed = joints["kind"] != FREE
    needed[joints["dof_joint"][acts]] = True
    return needed


def _nodes(joints, eq, tendons):
    """Fields of the graph: nodes of the tree joints that need one, then of the closures; the last have the tendons' coordinates.

    joints: joint_tables, with `node`; eq: closure_tables.
    """
    node, dof_joint, nt = joints["node"], joints["dof_joint"], len(tendons)
    needs, ne = np.flatnonzero(node >= 0), len(eq["eq_kind"])
    parent, child = joints["parent"][needs], joints["child"][needs]
    place_body, place_node = _elimination(len(node), joints["parent"], joints["child"], node, eq["eq_bodies"])
    slot = np.arange(len(dof_joint)) - joints["vadr"][dof_joint]
    tendon_bodies = eq["eq_bodies"][ne - nt :].max(axis=1, initial=-1)
    return {
        "node_joint": np.concatenate([needs, -1 - np.arange(ne)]).astype(np.int64),
        "place_body": place_body,
        "place_node": place_node,
        "dof_node": np.concatenate([node[dof_joint], len(needs) + ne - nt + np.arange(nt)]).astype(np.int64),
        "dof_row": np.concatenate([6 - joints["ndof"][dof_joint] + slot, np.full(nt, 5)]).astype(np.int64),
        "dof_body": np.concatenate([joints["child"][dof_joint], tendon_bodies]).astype(np.int64),
        "most_turn": _most_turn(len(node), parent, child, eq["eq_bodies"]),
    }


def build_layout(model):
    """The Layout and BodyMap of a Model. Raises ModelError for what the hard mode does not simulate."""
    where = map_bodies(model)
    mass, com, inertia = _bodies(model, where)
    mobility = np.linalg.inv(inertia) if len(inertia) else inertia
    tendons = acting_tendons(model)
    lengths = tendon_numbers(model, tendons)
    coordinates, laws = coordinate_tables(model), law_tables(model, lengths)
    joints = joint_tables(model, where, com, coordinates["dof_vector"])
    needed = _needs_node(joints, laws)
    joints["node"] = np.where(needed, np.cumsum(needed) - 1, -1)
    eq = closure_tables(model, where, com, joints["dof_joint"], joints["parent"], tendons)
    dof_inertia = np.concatenate([1.0 / np.maximum(np.array(model.dof_invweight0, float), 1e-12), lengths["inertia"]])
    return Layout(
        mass=mass,
        inertia=inertia,
        com=com,
        mobility=mobility,
        inverse_weight=np.array(model.body_invweight0, float).reshape(-1, 2)[where.body],
        softest=np.minimum(mass, np.array([np.linalg.eigvalsh(J)[0] for J in inertia])),
        **joints,
        qpos0=np.array(model.qpos0, float),
        **eq,
        lever=levers(model, where, com, mass, inertia),
        eq_inertia=_turned_inertia(eq, mobility),
        **_nodes(joints, eq, tendons),
        **coordinates,
        **laws,
        tendon_rest=lengths["rest"],
        dof_inertia=dof_inertia,
        **limit_tables(model, tendons, dof_inertia),
        pull_body=pull_bodies(model),
        geom_body=np.asarray(model.geom_bodyid, np.int64).reshape(-1),
        **lift_tables(model, where, com, mass),
        **medium_tables(model, where, com),
    ), where
