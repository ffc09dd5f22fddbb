"""Whether the numbers of a model that was kept in a file point at what there is: kernels do not look."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile_user import OBJECTS as USER_OBJECTS
from .enums import BiasType, CtrlInput, DynType, EqualityType, GainType, GeomType, JointType, ObjType, TrnType, WrapType
from .model import Model
from .samples import MOST
from .sensor_kinds import BY_NUMBER, CONTACT_ENDS, INTERPOLATIONS, OBJECTS, SENSOR_KINDS

Array = np.ndarray

KINDS = {
    "jnt_type": JointType, "geom_type": GeomType, "site_type": GeomType, "eq_type": EqualityType, "wrap_type": WrapType,
    "actuator_trntype": TrnType, "actuator_dyntype": DynType, "actuator_gaintype": GainType, "actuator_biastype": BiasType,
}  # fmt: skip
IDS = {
    "nbody": ("body_rootid", "body_weldid", "jnt_bodyid", "dof_bodyid", "geom_bodyid", "site_bodyid"),
    "njnt": ("dof_jntid",),
    "ngeom": ("pair_geom1", "pair_geom2"),
    "nu": ("actuator_ctrladr",),
    "nout": ("actuator_outadr",),
    "nsensordata": ("sensor_adr",),
    "ntree": ("dof_treeid",),
}
"""Size -> arrays of numbers that count what it is the size of."""
IDS_OR_NONE = {
    "nmocap": ("body_mocapid",), "ntree": ("body_treeid",), "nmat": ("geom_matid",), "nmeshgraph": ("mesh_graphadr",),
    "ncornertex": ("mesh_cornertexadr",),
}  # fmt: skip
"""Likewise; -1 stands for none."""
RUNS = {
    "body_jntadr": ("body_jntnum", "njnt"), "body_dofadr": ("body_dofnum", "nv"), "body_geomadr": ("body_geomnum", "ngeom"),
    "actuator_ctrladr": ("actuator_ctrlnum", "nu"), "actuator_outadr": ("actuator_outnum", "nout"),
    "actuator_actadr": ("actuator_actnum", "na"), "mesh_vertadr": ("mesh_vertnum", "nmeshvert"),
    "mesh_faceadr": ("mesh_facenum", "nmeshface"), "tendon_adr": ("tendon_num", "nwrap"),
    "sensor_adr": ("sensor_dim", "nsensordata"), "numeric_adr": ("numeric_size", "nnumericdata"),
    "tuple_adr": ("tuple_size", "ntupledata"),
}  # fmt: skip
"""Array of first ones -> (array of how many, out of so many); -1 stands for none."""
DIMENSIONS = (1, 3, 4, 6)
"""Of contacts."""


def check_indices(model: Model) -> None:
    """ValueError with the name of an array whose numbers point beyond what there is."""
    for name, kinds in KINDS.items():
        within(name, getattr(model, name), min(kinds), max(kinds) + 1)
    for least, table in ((0, IDS), (-1, IDS_OR_NONE)):
        for size, names in table.items():
            for name in names:
                within(name, getattr(model, name), least, getattr(model, size))
    for name, (count, size) in RUNS.items():
        _run(name, getattr(model, name), count, getattr(model, count), getattr(model, size))
    for check in (_trees, _joints, _geoms, _meshes, _fields_and_pictures, _pairs, _equalities, _paths, _actuators, _sensors, _user):
        check(model)


def within(name: str, numbers: Array, low: Any, high: Any) -> None:
    """ValueError unless low <= numbers < high."""
    if np.any((numbers < low) | (numbers >= high)):
        raise ValueError(f"{name} has numbers beyond what the model holds")


def _run(name: str, first: Array, count_name: str, count: Array, size: int) -> None:
    """Runs of `count` entries from `first` on, out of `size`."""
    within(count_name, count, 0, size + 1)
    within(name, first, np.where(count > 0, 0, -1), size + 1)
    within(name, first.astype(np.int64) + count, -1, size + 1)


def _ids(name: str, ids: Array, kinds: Array, sizes: dict[int, int], least: int = 0) -> None:
    """Numbers of objects of several kinds, of each so many; a kind of no size has none: -1 or 0."""
    for kind in np.unique(kinds):
        there = kinds == kind
        if int(kind) in sizes:
            within(name, ids[there], least, sizes[int(kind)])
        else:
            within(name, ids[there], -1, 1)


def _sizes(model: Model, numbers: dict[str, int]) -> dict[int, int]:
    """Number of a kind of object -> how many of them the model has, for kinds that it keeps."""
    words = {"body": "nbody", "xbody": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "mesh": "nmesh"}
    words |= {"material": "nmat", "pair": "npair", "exclude": "nexclude", "equality": "neq", "tendon": "ntendon"}
    words |= {"actuator": "nactuator", "sensor": "nsensor", "numeric": "nnumeric", "tuple": "ntuple", "key": "nkey"}
    sizes = {numbers[word]: int(getattr(model, size)) for word, size in words.items() if word in numbers}
    return sizes | ({numbers["text"]: len(model.text_names)} if "text" in numbers else {})


def _trees(model: Model) -> None:
    bodies, dofs = np.arange(model.nbody), np.arange(model.nv)
    within("body_parentid", model.body_parentid, 0, np.maximum(bodies, 1))
    for name in ("body_rootid", "body_weldid"):
        within(name, getattr(model, name), 0, bodies + 1)
    within("dof_parentid", model.dof_parentid, -1, dofs)
    if not np.array_equal(np.sort(model.body_mocapid[model.body_mocapid >= 0]), np.arange(model.nmocap)):
        raise ValueError("body_mocapid does not number the mocap bodies")


def _joints(model: Model) -> None:
    coordinates, rates = np.array([7, 4, 1, 1])[model.jnt_type], np.array([6, 3, 1, 1])[model.jnt_type]
    _run("jnt_qposadr", model.jnt_qposadr, "jnt_type", coordinates, model.nq)
    _run("jnt_dofadr", model.jnt_dofadr, "jnt_type", rates, model.nv)


def _geoms(model: Model) -> None:
    sizes = {int(GeomType.MESH): model.nmesh, int(GeomType.HFIELD): model.nhfield}
    _ids("geom_dataid", model.geom_dataid, model.geom_type, sizes)
    for name in ("geom_condim", "pair_dim"):
        if not np.isin(getattr(model, name), DIMENSIONS).all():
            raise ValueError(f"{name} has numbers that are none of {DIMENSIONS}")


def _meshes(model: Model) -> None:
    for i in range(model.nmesh):
        first, vertices = int(model.mesh_faceadr[i]), int(model.mesh_vertnum[i])
        within("mesh_face", model.mesh_face[first : first + int(model.mesh_facenum[i])], 0, vertices)
        if model.mesh_graphadr[i] >= 0:
            _hull(model.mesh_graph[model.mesh_graphadr[i] :].astype(np.int64), vertices)
    within("mesh_cornertexadr", model.mesh_cornertexadr, -1, model.ncornertex + 1)
    last = np.where(model.mesh_cornertexadr < 0, 0, model.mesh_cornertexadr.astype(np.int64) + model.mesh_facenum)
    within("mesh_cornertexadr", last, 0, model.ncornertex + 1)


def _hull(graph: Array, vertices: int) -> None:
    """The hull of a mesh of so many vertices, at the beginning of this part of `mesh_graph` (mesh_hull.py)."""
    within("mesh_graph", graph[:2], 1, len(graph))
    n, m = (int(number) for number in graph[:2]) if len(graph) > 1 else (0, 0)
    edges = n + 3 * m
    if 2 + 2 * n + edges + 3 * m > len(graph) or not n:
        raise ValueError("mesh_graph has numbers beyond what the model holds")
    address, corners, neighbours, faces = np.split(graph[2 : 2 + 2 * n + edges + 3 * m], np.cumsum([n, n, edges]))
    within("mesh_graph", address, 0, edges)
    within("mesh_graph", corners, 0, vertices)
    within("mesh_graph", neighbours, -1, n)
    within("mesh_graph", neighbours[-1:], -1, 0)  # (the end of the last list)
    within("mesh_graph", faces, 0, vertices)


def _fields_and_pictures(model: Model) -> None:
    for name in ("hfield_nrow", "hfield_ncol"):
        within(name, getattr(model, name), 2, model.nhfielddata + 1)
    points = model.hfield_nrow.astype(np.int64) * model.hfield_ncol
    _run("hfield_adr", model.hfield_adr, "hfield_nrow", points, model.nhfielddata)
    pixels = model.mat_texsize.astype(np.int64)
    within("mat_texsize", pixels, 0, model.ntexel + 1)
    within("mat_texeladr", model.mat_texeladr, 0, model.ntexel + 1)
    within("mat_texeladr", model.mat_texeladr + pixels.prod(axis=1), 0, model.ntexel + 1)


def _pairs(model: Model) -> None:
    for name in ("pair_signature", "exclude_signature"):
        both = getattr(model, name)
        within(name, both, 0, 2**31)
        within(name, np.maximum(both >> 16, both & 0xFFFF), 0, model.nbody)


def _equalities(model: Model) -> None:
    """Of bodies or sites; or of joints, or tendons, of which the second may lack."""
    kind, of = model.eq_type, model.eq_objtype
    places = (kind == EqualityType.CONNECT) | (kind == EqualityType.WELD)
    if not np.isin(of[places], (ObjType.BODY, ObjType.SITE)).all():
        raise ValueError("eq_objtype has numbers that are no bodies and no sites")
    bodies = {int(ObjType.BODY): model.nbody, int(ObjType.SITE): model.nsite}
    coupled = {int(EqualityType.JOINT): model.njnt, int(EqualityType.TENDON): model.ntendon}
    for name, least in (("eq_obj1id", 0), ("eq_obj2id", -1)):
        ids = getattr(model, name)
        _ids(name, ids[places], of[places], bodies)
        _ids(name, ids[~places], kind[~places], coupled, least)


def _paths(model: Model) -> None:
    """Of tendons."""
    kinds = {WrapType.JOINT: model.njnt, WrapType.SITE: model.nsite, WrapType.SPHERE: model.ngeom, WrapType.CYLINDER: model.ngeom}
    _ids("wrap_objid", model.wrap_objid, model.wrap_type, {int(kind): size for kind, size in kinds.items()})
    within("wrap_prm", model.wrap_prm[model.wrap_type >= WrapType.SPHERE], -1, model.nsite)


def _actuators(model: Model) -> None:
    kind, (target, reference) = model.actuator_trntype, model.actuator_trnid.T
    of_sites = (kind == TrnType.SO3) & (reference >= 0)
    kinds = np.where(of_sites, TrnType.SITE, kind)
    sizes = {TrnType.JOINT: model.njnt, TrnType.JOINTINPARENT: model.njnt, TrnType.SO3: model.njnt, TrnType.BODY: model.nbody}
    sizes |= {TrnType.TENDON: model.ntendon, TrnType.SITE: model.nsite, TrnType.SLIDERCRANK: model.nsite}
    _ids("actuator_trnid", target, kinds, {int(kind): size for kind, size in sizes.items()})
    least = np.where(kind == TrnType.SLIDERCRANK, 0, -1)
    within("actuator_trnid", reference, least, np.where(kinds == TrnType.SITE, model.nsite, np.maximum(model.nsite, 1)))
    balls = target[(kind == TrnType.SO3) & ~of_sites]
    if not np.isin(model.jnt_type[balls], (JointType.BALL, JointType.FREE)).all():
        raise ValueError("actuator_trnid has orientations of joints that have none")
    several = np.isin(model.actuator_gaintype, (GainType.PID, GainType.DCMOTOR))
    within("actuator_ctrlspec", model.actuator_ctrlspec, 0, 2 * max(CtrlInput))
    bits = np.array([int(spec).bit_count() for spec in model.actuator_ctrlspec], int)
    if np.any(bits[several] != model.actuator_ctrlnum[several]):
        raise ValueError("actuator_ctrlspec names other controls than there are")
    _samples(model)


def _samples(model: Model) -> None:
    """Samples of the past, of actuators and sensors, lie in one history (simulate/history.py)."""
    lengths = {}
    for name, dim in (("actuator", model.actuator_ctrlnum), ("sensor", model.sensor_dim)):
        history = getattr(model, f"{name}_history").astype(np.int64)
        within(f"{name}_history", history, 0, np.array([MOST + 1, len(INTERPOLATIONS)]))
        lengths[name] = np.where(history[:, 0] > 0, 2 + history[:, 0] * (1 + dim.astype(np.int64)), 0)
    size = sum(int(length.sum()) for length in lengths.values())
    for name, length in lengths.items():
        _run(f"{name}_historyadr", getattr(model, f"{name}_historyadr"), f"{name}_history", length, size)


def _sensors(model: Model) -> None:
    if not np.isin(model.sensor_type, list(BY_NUMBER)).all():
        raise ValueError("sensor_type has numbers that are no sensors")
    for i, number in enumerate(model.sensor_type):
        word = BY_NUMBER[int(number)]
        kind, contact = SENSOR_KINDS[word], word == "contact"
        objects = tuple(CONTACT_ENDS[0].values()) if contact else kind.objects
        references = tuple(CONTACT_ENDS[1].values()) if contact else (*kind.objects, "site") if kind.reference else ()
        for side, words in (("obj", objects), ("ref", references)):
            accepted = {OBJECTS[w] for w in words} | ({0} if contact or side == "ref" or not words else set())
            if int(getattr(model, f"sensor_{side}type")[i]) not in accepted:
                raise ValueError(f"sensor_{side}type has numbers that a sensor {word} does not take")
    sizes = _sizes(model, OBJECTS)
    _ids("sensor_objid", model.sensor_objid, model.sensor_objtype, sizes)
    _ids("sensor_refid", model.sensor_refid, model.sensor_reftype, sizes)


def _user(model: Model) -> None:
    if not np.isin(model.tuple_objtype, list(USER_OBJECTS.values())).all():
        raise ValueError("tuple_objtype has numbers that are no kinds of objects")
    sizes = _sizes(model, USER_OBJECTS)
    kept = np.isin(model.tuple_objtype, list(sizes))  # (of cameras, lights and textures a model knows nothing)
    _ids("tuple_objid", model.tuple_objid[kept], model.tuple_objtype[kept], sizes)
