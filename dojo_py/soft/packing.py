"""Model → flat arrays for the soft kernels.

Each kind of element becomes one numpy structured array (one record per body, joint, geom, ...), so that a kernel's signature
stays short (which keeps numba's compile time down) while a field keeps its MuJoCo name: `jnt_axis[i]` is `joints[i].axis`.
Any object with MuJoCo's array names works: `dojo_py.Model` or `mujoco.MjModel`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.short_way import of_rotations
from dojo_py.collision.convex_shapes import Hulls
from dojo_py.collision.height_fields import HeightFields, height_fields
from dojo_py.collision.sweep import PairIndex, pair_index
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import DisableBit, TrnType, WrapType
from dojo_py.mechanism.fluid import semi_axes
from dojo_py.mechanism.reference import by_joint, by_tendon
from dojo_py.mechanism.same_frame import frames_in_use
from dojo_py.mechanism.tendon_paths import is_spatial
from dojo_py.soft.narrowphase.convex import hulls_of, polygons_of
from dojo_py.soft.narrowphase.features import Polygons
from dojo_py.soft.pairs import PLANE, candidate_pairs
from dojo_py.soft.support import refuse_unsupported

F, I = np.float64, np.int32

BODY = np.dtype(
    [
        ("parentid", I), ("jntnum", I), ("jntadr", I), ("dofnum", I), ("dofadr", I), ("geomnum", I), ("geomadr", I),
        ("rootid", I),
        ("lastdof", I),  # last dof that moves this body, -1 for a static body
        ("standalone", I),  # 1: a free body without jointed descendants
        ("pos", F, 3), ("quat", F, 4), ("ipos", F, 3), ("iquat", F, 4), ("inertia", F, 3),
        ("mass", F), ("gravcomp", F), ("invweight0", F, 2),
    ],
    align=True,
)  # fmt: skip
JOINT = np.dtype(
    [
        ("type", I), ("qposadr", I), ("dofadr", I), ("bodyid", I), ("limited", I), ("actfrclimited", I), ("actgravcomp", I),
        ("pos", F, 3), ("axis", F, 3), ("range", F, 2), ("actfrcrange", F, 2), ("margin", F),
        ("stiffness", F, 3),  # [N m/rad or N/m] linear, quadratic, cubic coefficient
        ("solref", F, 2), ("solimp", F, 5),
    ],
    align=True,
)  # fmt: skip
DOF = np.dtype(
    [
        ("bodyid", I), ("parentid", I), ("armature", F),
        ("damping", F, 3),  # linear, |v| v, v^3 coefficient
        ("frictionloss", F), ("invweight0", F), ("M0", F), ("solref", F, 2), ("solimp", F, 5),
    ],
    align=True,
)  # fmt: skip
GEOM = np.dtype(
    [
        ("type", I), ("bodyid", I), ("pos", F, 3), ("quat", F, 4), ("sizes", F, 3), ("rbound", F), ("fluid", F, 12),
        ("semiaxes", F, 3),
        ("surfacevel", F, 6),  # velocity of the surface in the geom's frame: linear, angular
        ("hull", I, 2),  # first corner and number of corners of a mesh's hull
    ],
    align=True,
)  # fmt: skip
SITE = np.dtype([("bodyid", I), ("pos", F, 3), ("quat", F, 4)], align=True)
WRAP = np.dtype([("type", I), ("objid", I), ("prm", F)], align=True)
TENDON = np.dtype(
    [
        ("adr", I), ("num", I), ("spatial", I),
        ("limited", I), ("actfrclimited", I), ("range", F, 2), ("actfrcrange", F, 2), ("margin", F), ("stiffness", F, 3),
        ("damping", F, 3), ("armature", F), ("frictionloss", F), ("lengthspring", F, 2), ("length0", F), ("invweight0", F),
        ("solref_lim", F, 2), ("solimp_lim", F, 5), ("solref_fri", F, 2), ("solimp_fri", F, 5),
    ],
    align=True,
)  # fmt: skip
ACTUATOR = np.dtype(
    [
        ("trntype", I), ("trnid", I, 2), ("dyntype", I), ("gaintype", I), ("biastype", I), ("actadr", I), ("actlimited", I),
        ("outadr", I), ("outnum", I),  # first force and how many
        ("ctrladr", I), ("ctrlspec", I),  # first control; which controls a servo or motor has
        ("actearly", I), ("forcelimited", I), ("disabled", I), ("dynprm", F, 10), ("gainprm", F, 10),
        ("biasprm", F, 10), ("actrange", F, 2), ("forcerange", F, 2), ("gear", F, 6), ("cranklength", F),
        ("lengthrange", F, 2), ("acc0", F),  # of muscles
        ("turn", F),  # length of a whole turn where a servo takes the short way round, else 0
    ],
    align=True,
)  # fmt: skip
EQUALITY = np.dtype(
    [("type", I), ("active", I), ("objtype", I), ("obj1id", I), ("obj2id", I), ("coef", F, 11), ("solref", F, 2), ("solimp", F, 5)],
    align=True,
)
OPTION = np.dtype(
    [
        ("timestep", F), ("gravity", F, 3), ("wind", F, 3), ("density", F), ("viscosity", F), ("impratio", F), ("tolerance", F),
        ("ls_tolerance", F), ("noslip_tolerance", F), ("integrator", I), ("cone", I), ("solver", I), ("iterations", I),
        ("ls_iterations", I), ("noslip_iterations", I), ("disableflags", I), ("enableflags", I), ("meaninertia", F),
        ("has_damping", I), ("has_gravcomp", I), ("has_adhesion", I), ("has_surfacevel", I),
        ("sparse", I),  # 1: Newton factors its Hessian with CHOLMOD
    ],
    align=True,
)  # fmt: skip


class SoftModel(NamedTuple):
    """What the kernels read. nC: nonzeros of the inertia matrix's lower triangle."""

    options: np.ndarray
    """(1,) OPTION"""
    bodies: np.ndarray
    joints: np.ndarray
    dofs: np.ndarray
    geoms: np.ndarray
    sites: np.ndarray
    tendons: np.ndarray
    tendon_J: np.ndarray
    """(ntendon, nv) constant Jacobian of the fixed tendons; zero for the spatial ones"""
    wraps: np.ndarray
    """paths of the tendons"""
    actuators: np.ndarray
    control_range: np.ndarray
    """(nu, 2) infinite where unlimited"""
    equalities: np.ndarray
    pairs: np.ndarray
    """candidate geom pairs with mixed contact parameters (pairs.PAIR)"""
    by_geoms: PairIndex
    """the same, to be found by their geoms"""
    box_reach: np.ndarray
    """(boxes of the index,) how far a geom's box goes beyond its bounding sphere: half of the largest distance that counts [m]"""
    hulls: Hulls
    """corners of the convex hulls of all meshes"""
    fields: HeightFields
    polygons: Polygons
    """faces of these hulls"""
    M_rowadr: np.ndarray
    """(nv + 1,) start of each row in M_colind; the diagonal is the row's last entry"""
    M_colind: np.ndarray
    """(nC,) the chain of dofs from the root to this one, ascending"""
    qpos0: np.ndarray
    qpos_spring: np.ndarray
    nu: int
    """number of controls"""
    na: int
    """number of activations"""


def _fill(dtype: np.dtype, count: int, **fields: Any) -> np.ndarray:
    """A record array of `count` elements; fields given as arrays of any shape that reshapes to the field's."""
    records = np.zeros(count, dtype)
    for name, values in fields.items():
        records[name] = np.asarray(values).reshape(records[name].shape)
    return records


def _polynomial(linear: np.ndarray, higher: np.ndarray | None) -> np.ndarray:
    """(n, 3) coefficients from MuJoCo's separate linear and higher-order arrays."""
    linear = np.asarray(linear, dtype=float).reshape(-1, 1)
    if higher is None or not len(linear):
        return np.hstack([linear, np.zeros((len(linear), 2))])
    return np.hstack([linear, np.asarray(higher, dtype=float).reshape(len(linear), -1)[:, :2]])


def _last_dof(model: Any) -> np.ndarray:
    """(nbody,) the last dof on the path from the world to each body; -1 where nothing moves."""
    last = np.full(model.nbody, -1, dtype=I)
    for b in range(1, model.nbody):
        n = int(model.body_dofnum[b])
        last[b] = model.body_dofadr[b] + n - 1 if n else last[model.body_parentid[b]]
    return last


def _standalone(model: Any) -> np.ndarray:
    """(nbody,) 1 for a body whose only joint is a free one and that has no jointed descendant."""
    flag = np.zeros(model.nbody, dtype=I)
    for b in range(1, model.nbody):
        flag[b] = model.body_jntnum[b] == 1 and model.jnt_type[model.body_jntadr[b]] == 0
    last = _last_dof(model)
    for b in range(1, model.nbody):
        parent = int(model.body_parentid[b])
        if model.body_dofnum[b] and parent and last[parent] >= 0:  # every moving ancestor has a jointed descendant
            flag[model.dof_bodyid[last[parent]]] = 0
    return flag


def _inertia_pattern(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Row addresses (nv + 1,) and columns (nC,) of the inertia matrix: row i holds i's ancestors, ascending, then i."""
    rows: list[list[int]] = []
    for i in range(model.nv):
        p = int(model.dof_parentid[i])
        rows.append((rows[p] if p >= 0 else []) + [i])
    adr = np.cumsum([0] + [len(r) for r in rows]).astype(I)
    return adr, np.array([c for r in rows for c in r], dtype=I)


def _tendon_jacobian(model: Any, ntendon: int) -> np.ndarray:
    """(ntendon, nv) coefficients of the fixed tendons: length = sum of coef * scalar joint position."""
    J = np.zeros((ntendon, model.nv))
    for t in range(ntendon):
        adr = int(model.tendon_adr[t])
        for w in range(adr, adr + int(model.tendon_num[t])):
            if model.wrap_type[w] == WrapType.JOINT:
                J[t, model.jnt_dofadr[model.wrap_objid[w]]] += model.wrap_prm[w]
    return J


def _wraps(model: Any, ntendon: int) -> np.ndarray:
    """Paths of the tendons."""
    if not ntendon:
        return np.zeros(0, WRAP)
    return _fill(WRAP, len(model.wrap_type), type=model.wrap_type, objid=model.wrap_objid, prm=model.wrap_prm)


def _dampers(arrays: Arrays, by: Callable[[Any, str], np.ndarray]) -> np.ndarray:
    """(n, 3) coefficients of the actuators' dampers on joints or tendons."""
    return _polynomial(by(arrays, "actuator_damping"), by(arrays, "actuator_dampingpoly"))


def _box_reach(pairs: np.ndarray, ngeom: int) -> np.ndarray:
    """(ngeom,) half of the largest distance at which one of a geom's pairs counts."""
    reach = np.zeros(ngeom)
    for side in ("geom1", "geom2"):
        np.maximum.at(reach, pairs[side], 0.5 * (pairs["margin"] + pairs["gap"]))
    return reach


def _control_range(model: Any) -> np.ndarray:
    """(nu, 2) ranges of the controls, infinite where they are not limited or not clamped."""
    ranges = np.array(model.actuator_ctrlrange, dtype=F).reshape(int(model.nu), 2)
    clamped = np.asarray(model.actuator_ctrllimited, bool) & (not int(model.opt.disableflags) & DisableBit.CLAMPCTRL)
    ranges[~clamped] = (-np.inf, np.inf)
    return ranges


def _whole_turns(model: Any) -> np.ndarray:
    """(nu,) length of a whole turn of every actuator whose servo takes the short way round; 0 for the others."""
    gear = np.asarray(model.actuator_gear, dtype=float).reshape(-1, 2, 3)[np.asarray(model.actuator_outadr, int)]
    of_site = np.asarray(model.actuator_trntype) == TrnType.SITE
    axis = np.where(of_site[:, None], gear[:, 1], gear[:, 0])
    return np.where(of_rotations(model), 2.0 * np.pi * np.linalg.norm(axis, axis=1), 0.0)


def _options(model: Any, timestep: float | None, damped: bool, adhesive: bool) -> np.ndarray:
    """(1,) OPTION: of the model, and what of it there is to be computed."""
    options = np.zeros(1, OPTION)
    for name in OPTION.names or ():
        if hasattr(model.opt, name):
            options[0][name] = getattr(model.opt, name)
    if timestep is not None:
        options[0]["timestep"] = timestep
    options[0]["has_damping"], options[0]["has_adhesion"] = damped, adhesive
    options[0]["has_gravcomp"] = bool(np.any(np.asarray(model.body_gravcomp) > 0))  # (the wheel's switch)
    options[0]["has_surfacevel"] = bool(np.any(np.asarray(model.geom_surfacevel)))
    # not `stat.meaninertia`: of a `mujoco.MjModel` that is what the file sets, which has no effect in MuJoCo
    options[0]["meaninertia"] = max(1e-15, float(np.mean(model.dof_M0))) if model.nv else 1.0
    return options


def _bodies(model: Any, frames: Any) -> np.ndarray:
    """(nbody,) BODY."""
    return _fill(
        BODY, model.nbody,
        parentid=model.body_parentid, jntnum=model.body_jntnum, jntadr=model.body_jntadr, dofnum=model.body_dofnum,
        dofadr=model.body_dofadr, geomnum=model.body_geomnum, geomadr=model.body_geomadr, rootid=model.body_rootid,
        lastdof=_last_dof(model), standalone=_standalone(model),
        pos=model.body_pos, quat=model.body_quat, ipos=frames.body_ipos, iquat=frames.body_iquat, inertia=model.body_inertia,
        mass=model.body_mass, gravcomp=model.body_gravcomp, invweight0=model.body_invweight0,
    )  # fmt: skip


def _joints(model: Any) -> np.ndarray:
    """(njnt,) JOINT."""
    return _fill(
        JOINT, model.njnt,
        type=model.jnt_type, qposadr=model.jnt_qposadr, dofadr=model.jnt_dofadr, bodyid=model.jnt_bodyid,
        limited=model.jnt_limited, actfrclimited=model.jnt_actfrclimited, actgravcomp=model.jnt_actgravcomp,
        pos=model.jnt_pos, axis=model.jnt_axis, range=model.jnt_range, actfrcrange=model.jnt_actfrcrange,
        margin=model.jnt_margin, stiffness=_polynomial(model.jnt_stiffness, getattr(model, "jnt_stiffnesspoly", None)),
        solref=model.jnt_solref, solimp=model.jnt_solimp,
    )  # fmt: skip


def _dofs(model: Any, arrays: Any) -> np.ndarray:
    """(nv,) DOF, with what the actuators of joints add."""
    return _fill(
        DOF, model.nv,
        bodyid=model.dof_bodyid, parentid=model.dof_parentid,
        armature=np.array(model.dof_armature, dtype=float) + by_joint(arrays, "actuator_armature"),
        damping=_polynomial(model.dof_damping, model.dof_dampingpoly) + _dampers(arrays, by_joint),
        frictionloss=model.dof_frictionloss, invweight0=model.dof_invweight0, M0=model.dof_M0,
        solref=model.dof_solref, solimp=model.dof_solimp,
    )  # fmt: skip


def _geoms(model: Any, frames: Any, corners: Any) -> np.ndarray:
    """(ngeom,) GEOM. corners: of the hull of each."""
    return _fill(
        GEOM, model.ngeom,
        type=model.geom_type, bodyid=model.geom_bodyid, pos=frames.geom_pos, quat=frames.geom_quat, sizes=model.geom_size,
        rbound=model.geom_rbound, hull=corners, fluid=model.geom_fluid, surfacevel=model.geom_surfacevel,
        semiaxes=[semi_axes(int(t), s) for t, s in zip(model.geom_type, model.geom_size, strict=True)],
    )  # fmt: skip


def _tendons(model: Any, arrays: Any, ntendon: int) -> np.ndarray:
    """(ntendon,) TENDON, with what their actuators add."""
    if not ntendon:
        return np.zeros(0, TENDON)
    return _fill(
        TENDON, ntendon, adr=model.tendon_adr, num=model.tendon_num,
        spatial=[is_spatial(model, t) for t in range(ntendon)],
        limited=model.tendon_limited, actfrclimited=model.tendon_actfrclimited, range=model.tendon_range,
        actfrcrange=model.tendon_actfrcrange, margin=model.tendon_margin,
        stiffness=_polynomial(model.tendon_stiffness, getattr(model, "tendon_stiffnesspoly", None)),
        damping=_polynomial(model.tendon_damping, model.tendon_dampingpoly) + _dampers(arrays, by_tendon),
        armature=model.tendon_armature + by_tendon(arrays, "actuator_armature"),
        frictionloss=model.tendon_frictionloss, lengthspring=model.tendon_lengthspring,
        length0=model.tendon_length0, invweight0=model.tendon_invweight0, solref_lim=model.tendon_solref_lim,
        solimp_lim=model.tendon_solimp_lim, solref_fri=model.tendon_solref_fri, solimp_fri=model.tendon_solimp_fri,
    )  # fmt: skip


def _actuators(model: Any) -> np.ndarray:
    """(nactuator,) ACTUATOR."""
    n = int(model.nactuator)
    if not n:
        return np.zeros(0, ACTUATOR)
    first = np.asarray(model.actuator_outadr, int)
    group = np.asarray(getattr(model, "actuator_group", np.zeros(n)), dtype=int)
    disabled = [0 <= g <= 30 and bool(int(getattr(model.opt, "disableactuator", 0)) >> int(g) & 1) for g in group]
    return _fill(
        ACTUATOR, n,
        trntype=model.actuator_trntype, trnid=model.actuator_trnid, dyntype=model.actuator_dyntype,
        gaintype=model.actuator_gaintype, biastype=model.actuator_biastype, actadr=model.actuator_actadr,
        actlimited=model.actuator_actlimited, actearly=getattr(model, "actuator_actearly", np.zeros(n)),
        ctrladr=model.actuator_ctrladr, ctrlspec=getattr(model, "actuator_ctrlspec", np.zeros(n)),
        forcelimited=model.actuator_forcelimited, disabled=np.array(disabled),
        dynprm=np.asarray(model.actuator_dynprm),
        gainprm=np.asarray(model.actuator_gainprm),
        biasprm=np.asarray(model.actuator_biasprm), actrange=model.actuator_actrange,
        forcerange=model.actuator_forcerange, gear=np.asarray(model.actuator_gear)[first],
        lengthrange=np.asarray(model.actuator_lengthrange)[first], acc0=np.asarray(model.actuator_acc0)[first],
        outadr=first, outnum=model.actuator_outnum,
        cranklength=getattr(model, "actuator_cranklength", np.zeros(n)), turn=_whole_turns(model),
    )  # fmt: skip


def _equalities(model: Any) -> np.ndarray:
    """(neq,) EQUALITY."""
    n = int(getattr(model, "neq", 0))
    if not n:
        return np.zeros(0, EQUALITY)
    return _fill(
        EQUALITY, n,
        type=model.eq_type, active=model.eq_active0, objtype=getattr(model, "eq_objtype", np.ones(n)),
        obj1id=model.eq_obj1id, obj2id=model.eq_obj2id, coef=np.asarray(model.eq_data).reshape(n, -1)[:, :11],
        solref=model.eq_solref, solimp=model.eq_solimp,
    )  # fmt: skip


def pack(model: Any, timestep: float | None = None, integrator: int | None = None) -> SoftModel:
    """Gather `model` into contiguous record arrays; raises ModelError for what the soft mode does not simulate.

    timestep [s], integrator: instead of the model's own.
    """
    refuse_unsupported(model, int(model.opt.integrator) if integrator is None else integrator)
    ntendon, arrays, frames = int(getattr(model, "ntendon", 0)), Arrays(model), frames_in_use(model)
    hulls, corners = hulls_of(model)
    dofs, geoms, pairs = _dofs(model, arrays), _geoms(model, frames, corners), candidate_pairs(model)
    M_rowadr, M_colind = _inertia_pattern(model)
    index = pair_index(np.stack([pairs["geom1"], pairs["geom2"]], axis=1).astype(np.int64), geoms["type"] == PLANE)
    return SoftModel(
        options=_options(model, timestep, bool(np.any(dofs["damping"])), bool(np.any(pairs["adhesion"]))),
        bodies=_bodies(model, frames), joints=_joints(model), dofs=dofs, geoms=geoms,
        sites=_fill(SITE, model.nsite, bodyid=model.site_bodyid, pos=frames.site_pos, quat=frames.site_quat),
        tendons=_tendons(model, arrays, ntendon), tendon_J=_tendon_jacobian(model, ntendon), wraps=_wraps(model, ntendon),
        actuators=_actuators(model), control_range=_control_range(model), equalities=_equalities(model),
        pairs=pairs, by_geoms=index, box_reach=_box_reach(pairs, int(model.ngeom))[index.box_geom],
        hulls=hulls, fields=height_fields(model), polygons=polygons_of(model, hulls),
        M_rowadr=M_rowadr, M_colind=M_colind, qpos0=np.array(model.qpos0, dtype=F),
        qpos_spring=np.array(model.qpos_spring, dtype=F),
        nu=int(model.nu), na=int(model.na),
    )  # fmt: skip
