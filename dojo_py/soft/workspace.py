"""Work arrays of one simulated world: allocated once, reused by every step, never shared between threads."""

from typing import NamedTuple

import numpy as np

from dojo_py.by_address import ADDRESSES
from dojo_py.collision.convex_shapes import Hulls
from dojo_py.collision.epa import Polytope, polytope
from dojo_py.collision.height_fields import with_room_for_a_prism
from dojo_py.collision.sweep import Sweep, allocate_sweep
from dojo_py.mechanism.enums import Cone, Integrator, SolverType
from dojo_py.soft.narrowphase import CONTACTS, MAX_CONTACTS
from dojo_py.soft.narrowphase.convex import clipping_space
from dojo_py.soft.packing import SoftModel

F, I = np.float64, np.int32

BODY_STATE = np.dtype(
    [
        ("xpos", F, 3), ("xquat", F, 4), ("xmat", F, (3, 3)), ("xipos", F, 3), ("ximat", F, (3, 3)),
        ("com", F, 3),  # centre of mass of the kinematic tree: origin of all spatial vectors of this body
        ("subtree_com", F, 3), ("subtree_mass", F), ("cinert", F, 10), ("crb", F, 10), ("cvel", F, 6), ("cacc", F, 6),
        ("cfrc", F, 6),
    ],
    align=True,
)  # fmt: skip
FRAME = np.dtype([("xpos", F, 3), ("xquat", F, 4), ("xmat", F, (3, 3))], align=True)
JOINT_STATE = np.dtype([("xanchor", F, 3), ("xaxis", F, 3)], align=True)
SCALAR_STATE = np.dtype(
    [("length", F), ("velocity", F), ("force", F), ("ctrl", F), ("beyond", F), ("slope", F), ("own_slope", F)], align=True
)
CONTACT = np.dtype(
    [
        ("dist", F), ("pos", F, 3), ("frame", F, (3, 3)), ("mu", F), ("geom1", I), ("geom2", I), ("pair", I), ("dim", I),
        ("efc_address", I), ("H", F, (6, 6)),
    ],
    align=True,
)  # fmt: skip
ROW = np.dtype(
    [
        ("type", I), ("id", I), ("state", I),
        ("nnz", I), ("block", I),  # nonzeros of the Jacobian row; row of J_colind that holds its columns
        ("pos", F), ("margin", F), ("frictionloss", F), ("diagA", F), ("stiffness", F), ("damping", F), ("impedance", F),
        ("D", F), ("R", F), ("vel", F), ("aref", F),
    ],
    align=True,
)  # fmt: skip

IMPLICIT, IMPLICITFAST = int(Integrator.IMPLICIT), int(Integrator.IMPLICITFAST)
"""Values of `options.integrator`."""
NE, NF, NEFC, NCON, NBLOCK, FULL = range(6)
"""Meaning of the entries of `Rows.counts`; FULL is set when contacts or rows did not fit."""


class Pose(NamedTuple):
    """Kinematics and inertia."""

    bodies: np.ndarray
    joints: np.ndarray
    geoms: np.ndarray
    sites: np.ndarray
    cdof: np.ndarray
    """(nv, 6) motion of each dof"""
    cdof_dot: np.ndarray
    """(nv, 6)"""
    M: np.ndarray
    """(nC,) inertia matrix, lower triangle by rows"""
    LD: np.ndarray
    """(nC,) its L^T D L factor"""


class Forces(NamedTuple):
    """Generalised forces (nv,) [N, N m] and actuation."""

    tendons: np.ndarray
    actuators: np.ndarray
    moment: np.ndarray
    """(nout, nv) moment arms"""
    tendon_J: np.ndarray
    """(ntendon, nv) derivatives of the tendons' lengths"""
    act_rate: np.ndarray
    """(na,) rates of the activations"""
    control: np.ndarray
    """(nu,) controls within their ranges"""
    passive: np.ndarray
    actuator: np.ndarray
    bias: np.ndarray
    smooth: np.ndarray
    constraint: np.ndarray
    gravcomp: np.ndarray
    qacc_smooth: np.ndarray


class Rows(NamedTuple):
    """Constraint rows. Row i's Jacobian is J[i, :nnz] in the columns J_colind[block, :nnz]."""

    counts: np.ndarray
    contacts: np.ndarray
    rows: np.ndarray
    J: np.ndarray
    J_colind: np.ndarray
    jac: np.ndarray
    """(6, nv) scratch: a contact's Jacobian"""
    points: np.ndarray
    """(MAX_CONTACTS, 10) scratch: output of the narrow phase"""
    polytope: Polytope
    """scratch of the narrow phase of convex shapes"""
    clipping: np.ndarray
    """(3, corners, 3) scratch of the contact manifold"""
    hulls: Hulls
    """those of the model, and room for a prism of a height field"""
    sweep: Sweep
    """the broad phase"""
    may_grow: np.ndarray
    """(1,) 1 while there may be more contacts or near pairs than there is room for here: the caller makes more (`larger`)"""


class Solver(NamedTuple):
    """State of the constraint solver."""

    qacc: np.ndarray
    warm: np.ndarray
    """(nv,) acceleration that the solver of this step started from"""
    Ma: np.ndarray
    grad: np.ndarray
    Mgrad: np.ndarray
    search: np.ndarray
    Mv: np.ndarray
    jar: np.ndarray
    """(nefc,) J qacc - aref"""
    jv: np.ndarray
    force: np.ndarray
    H: np.ndarray
    """(nv, nv) memory of the Hessian's blocks (dof_islands.py) and of their factors; empty when CHOLMOD keeps it"""
    active: np.ndarray
    """(nefc,) 1 for each quadratic row that is in the factor of H"""
    trial: np.ndarray
    """(nefc,) forces of a trial point"""
    vec: np.ndarray
    """(4, nv) scratch"""
    A: np.ndarray
    """(nefc, nefc) J M^-1 J^T, for PGS and noslip; empty otherwise"""
    islands: np.ndarray
    """(1,) number of islands of dofs (dof_islands.py)"""
    island: np.ndarray
    """(nv,) island of each dof"""
    place: np.ndarray
    """(nv,) its place among the dofs of its island"""
    member: np.ndarray
    """(nv,) dofs by island, ascending within one"""
    first: np.ndarray
    """(nv + 1,) where each island begins there"""
    offset: np.ndarray
    """(nv + 1,) and where its block begins in the memory of H"""
    begin: np.ndarray
    """(nv,) of each row of a factor: its first column within its block (cholesky.py)"""
    mark: np.ndarray
    """(nv,) of each island: whether its factor is to be made anew (newton.py)"""
    tree_island: np.ndarray
    """(nbody,) islands of trees for noslip: smallest root body"""
    tree_gain: np.ndarray
    """(2, nbody) of each such island: improvement of a sweep, scale"""
    apart: np.ndarray
    """(8,) addresses of what is compiled apart"""


class Work(NamedTuple):
    """Everything one world needs."""

    pose: Pose
    forces: Forces
    rows: Rows
    solver: Solver
    gravity: np.ndarray
    """(3,) gravity, or zero while it is switched off"""
    wrench: np.ndarray
    """(nbody, 6) force and torque from outside on each body, at its centre of mass, world axes"""
    joint_force: np.ndarray
    """(nv,) force from outside along each dof"""
    body_work: np.ndarray
    """(nbody, 18) scratch of the derivatives"""
    rk: np.ndarray
    """(11, max(nq, nv, nu, na)) scratch of Runge–Kutta"""
    integ: np.ndarray
    """(2, nC) scratch of the integrators"""


MAX_TOTAL, MAX_DUAL = 65536, 512
"""Most contacts of a step; with PGS or noslip, which keep a matrix of all rows by all rows."""
ROOM_A_GEOM, LEAST_ROOM = 4, 32
"""Contacts that there is room for at first: for each geom that may touch something, and at least."""


def row_width(m: SoftModel) -> int:
    """Most nonzeros of a constraint row: the dofs that move two bodies, or those of two tendons."""
    chain = int(np.diff(m.M_rowadr).max()) if len(m.dofs) else 0
    widths = np.where(m.tendons["spatial"] == 1, len(m.dofs), np.count_nonzero(m.tendon_J, axis=1))
    tendon = int(widths.max()) if len(m.tendons) else 0
    return min(len(m.dofs), max(2 * chain, 2 * tendon, 3))


def is_dual(m: SoftModel) -> bool:
    """Whether the solver needs the matrix between constraint rows: PGS and the noslip iterations do."""
    return int(m.options[0]["solver"]) == SolverType.PGS or int(m.options[0]["noslip_iterations"]) > 0


def most_contacts(m: SoftModel) -> int:
    """Contacts that all pairs together may make, within what is kept of a step."""
    kinds, count = np.unique(m.pairs["type"], return_counts=True)
    contacts = sum(int(n) * CONTACTS[int(t) // 10, int(t) % 10] for t, n in zip(kinds, count, strict=True))
    return min(contacts, MAX_DUAL if is_dual(m) else MAX_TOTAL)


def row_capacity(m: SoftModel, contacts: int) -> int:
    """Most constraint rows with so many contacts."""
    scalar = int(6 * len(m.equalities) + len(m.dofs) + 2 * len(m.joints) + 3 * len(m.tendons))
    dim = int(m.pairs["dim"].max()) if len(m.pairs) else 1
    elliptic = int(m.options[0]["cone"]) == Cone.ELLIPTIC
    return scalar + contacts * (1 if dim == 1 else dim if elliptic else 2 * (dim - 1))


def larger(m: SoftModel, w: Work) -> Work:
    """Work arrays with room for twice as many contacts and near pairs; the solver goes on from where this step began."""
    new = allocate(m, 2 * len(w.rows.contacts), 2 * len(w.rows.sweep.near))
    new.solver.qacc[:] = w.solver.warm
    return new


def allocate(m: SoftModel, contacts: int = 0, near: int = 0) -> Work:
    """Work arrays for one world of the packed model `m`, with room for so many contacts and near pairs, or some to start with."""
    most = most_contacts(m)
    ncon = min(max(contacts, LEAST_ROOM + ROOM_A_GEOM * (len(m.by_geoms.box_geom) + len(m.by_geoms.boundless))), most)
    nefc = row_capacity(m, ncon)
    sweep = allocate_sweep(m.by_geoms, near)
    may_grow = np.array([ncon < most or len(sweep.near) < len(m.pairs)], np.int64)
    nv, nout, nC = len(m.dofs), int(m.actuators["outnum"].sum()), len(m.M_colind)
    width = row_width(m)
    dual = is_dual(m)
    dense = nv
    if int(m.options[0]["sparse"]):  # CHOLMOD keeps Newton's Hessian; the implicit integrators solve in the array, too
        dense = {IMPLICIT: nv, IMPLICITFAST: min(nv, 6)}.get(int(m.options[0]["integrator"]), 0)
    blocks = len(m.equalities) + len(m.dofs) + 2 * len(m.joints) + 3 * len(m.tendons) + ncon
    bodies = np.zeros(len(m.bodies), BODY_STATE)
    bodies["xquat"][:, 0] = 1.0
    bodies["xmat"] = np.eye(3)
    bodies["ximat"] = np.eye(3)
    pose = Pose(
        bodies, np.zeros(len(m.joints), JOINT_STATE), np.zeros(len(m.geoms), FRAME), np.zeros(len(m.sites), FRAME),
        np.zeros((nv, 6)), np.zeros((nv, 6)), np.zeros(nC), np.zeros(nC),
    )  # fmt: skip
    forces = Forces(
        np.zeros(len(m.tendons), SCALAR_STATE), np.zeros(nout, SCALAR_STATE), np.zeros((nout, nv)),
        np.zeros((len(m.tendons), nv)), np.zeros(m.na), np.zeros(m.nu), *(np.zeros(nv) for _ in range(7)),
    )  # fmt: skip
    rows = Rows(
        np.zeros(FULL + 1, np.int64), np.zeros(ncon, CONTACT), np.zeros(nefc, ROW), np.zeros((nefc, width)),
        np.zeros((blocks + 1, width), I), np.zeros((6, nv)), np.zeros((MAX_CONTACTS, 10)), polytope(), clipping_space(m.polygons),
        with_room_for_a_prism(m.hulls), sweep, may_grow,
    )  # fmt: skip
    solver = Solver(
        qacc=np.zeros(nv), warm=np.zeros(nv), Ma=np.zeros(nv),
        grad=np.zeros(nv), Mgrad=np.zeros(nv), search=np.zeros(nv), Mv=np.zeros(nv),
        jar=np.zeros(nefc), jv=np.zeros(nefc), force=np.zeros(nefc), H=np.zeros((dense, dense)), active=np.zeros(nefc),
        trial=np.zeros(nefc), vec=np.zeros((4, nv)), A=np.zeros((nefc, nefc) if dual else (0, 0)),
        islands=np.zeros(1, np.int64), island=np.zeros(nv, np.int64), place=np.zeros(nv, np.int64),
        member=np.zeros(nv, np.int64), first=np.zeros(nv + 1, np.int64), offset=np.zeros(nv + 1, np.int64),
        begin=np.zeros(nv, np.int64), mark=np.zeros(nv, np.int64),
        tree_island=np.zeros(len(m.bodies), np.int64), tree_gain=np.zeros((2, len(m.bodies))), apart=ADDRESSES,
    )  # fmt: skip
    width = max(len(m.qpos0), nv, nout, m.na, 1)
    return Work(
        pose, forces, rows, solver, np.zeros(3), np.zeros((len(m.bodies), 6)), np.zeros(nv), np.zeros((len(m.bodies), 18)),
        np.zeros((11, width)), np.zeros((2, nC)),
    )  # fmt: skip
