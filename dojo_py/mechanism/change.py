"""The mechanism of a model, with what `Model.replace` changed: arrays put back into the described elements.

Only kinds of elements whose arrays differ from those of the original description are written over, so that a model that was not
changed keeps the words of its file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from . import quaternion
from .actuator_sizes import inputs
from .compile import compile_model
from .compile_contacts import signature
from .compile_geoms import moved
from .compile_option import WORDS, compile_option
from .described import INERTIALS_ONLY
from .enums import BiasType, DisableBit, DynType, EnableBit, GainType, GeomType
from .errors import ModelError, Problems
from .model import Model
from .placing import out_of, place
from .spec import Body, ContactPair, Geom, Inertial, JointTerm, Keyframe, Mechanism, Pulley

Array = np.ndarray

JOINT = {
    "pos": "pos", "axis": "axis", "limited": "limited", "range": "range", "margin": "margin", "solreflimit": "solref",
    "solimplimit": "solimp", "actuatorfrclimited": "actfrclimited", "actuatorfrcrange": "actfrcrange",
    "actuatorgravcomp": "actgravcomp", "group": "group",
}  # fmt: skip
DOF = {"armature": "armature", "frictionloss": "frictionloss", "solreffriction": "solref", "solimpfriction": "solimp"}
"""Field of a joint -> array `jnt_...`, `dof_...`."""
GEOM = "contype conaffinity condim priority friction solmix solref solimp margin gap surfacevel adhesion group rgba".split()
SITE = "pos quat size group rgba".split()
ACTUATOR = "forcelimited forcerange actlimited actrange actearly dynprm gainprm biasprm armature group".split()
EQUALITY = "solref solimp".split()
SENSOR = "cutoff noise delay interval".split()
PAIR = "friction solref solimp solreffriction margin gap adhesion".split()
TENDON = {
    "limited": "limited", "range": "range", "actuatorfrclimited": "actfrclimited", "actuatorfrcrange": "actfrcrange",
    "springlength": "lengthspring", "armature": "armature", "frictionloss": "frictionloss", "margin": "margin",
    "solreflimit": "solref_lim", "solimplimit": "solimp_lim", "solreffriction": "solref_fri", "solimpfriction": "solimp_fri",
    "width": "width", "rgba": "rgba", "group": "group",
}  # fmt: skip
"""Field of a tendon -> array `tendon_...`."""
INERTIAS = {"body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "body_quat", "body_gravcomp", "qpos0"}
"""Arrays that bodies are put back for."""
SHAPES = {"geom_type", "geom_size", "geom_pos", "geom_quat"}
"""Those from which bodies may have their inertias."""
NOT_OPTIONS = ("integrator", "cone", "jacobian", "solver", "disableflags", "enableflags", "disableactuator")


def described(model: Model) -> Mechanism:
    """A mechanism that says what the model is, as far as it can be said; the caller compares."""
    kept = model.source.mechanism
    if kept is None:
        raise ModelError(
            f"the model '{model.name}' does not know what it was compiled from (it comes from a trajectory's file); "
            "load its own file, or save its Mechanism"
        )
    mechanism = kept.copy()
    before = compile_model(mechanism)
    changed = {name for name in _arrays(model) if not np.array_equal(getattr(model, name), getattr(before, name))}
    aligned = _aligned(mechanism, before)
    told = any(joint.align is not None for joint in _parts(mechanism, "joints"))  # which files say of joints with little else
    if changed & {*INERTIAS, *SHAPES} or (changed and (aligned or told)):
        for body, frame in aligned:
            place([*body.geoms, *body.sites, *body.cameras, *body.lights], *out_of(frame))
        _bodies(model, mechanism)
    for prefixes, put_back in KINDS.items():
        if any(name.startswith(prefixes) for name in changed):
            put_back(model, mechanism)
    if any(name.endswith("_user") for name in changed):
        _users(model, mechanism)
    if changed:
        _length_ranges(model, mechanism)
    _option(model, mechanism)
    mechanism.name = model.name
    return mechanism


def _aligned(mechanism: Mechanism, before: Model) -> list[tuple[Body, tuple[Array, Array]]]:
    """Free bodies that the compiler moves to their inertial frame, and this frame as it stands in the one that is described."""
    out = []
    for b, (body, _) in enumerate(mechanism.world.walk()):
        for joint in body.joints:
            aligns = mechanism.settings.alignfree if joint.align is None else joint.align
            if joint.type == "free" and aligns and not body.bodies:
                back = quaternion.conjugate(quaternion.normalise(np.asarray(body.quat, float)))
                apart = quaternion.rotate(back, before.body_pos[b] - np.asarray(body.pos, float))
                out.append((body, (apart, quaternion.multiply(back, before.body_quat[b]))))
    return out


def _arrays(model: Model) -> list[str]:
    return [item.name for item in dataclasses.fields(model) if "shape" in item.metadata]


def _row(array: Array, index: int) -> Any:
    value = array[index]
    return value.item() if np.ndim(value) == 0 else tuple(x.item() for x in value)


def _set(element: Any, model: Model, prefix: str, fields: list[str], index: int) -> None:
    for name in fields:
        setattr(element, name, _row(getattr(model, prefix + name), index))


def _bodies(model: Model, mechanism: Mechanism) -> None:
    """Poses and inertias, which then say all: nothing is inferred from geoms, bounded or aligned any more."""
    mechanism.settings = dataclasses.replace(mechanism.settings, **INERTIALS_ONLY, settotalmass=-1.0, alignfree=False)
    for b, (body, _) in enumerate(mechanism.world.walk()):
        if b > 0:
            body.pos, body.quat, body.gravcomp = _row(model.body_pos, b), _row(model.body_quat, b), float(model.body_gravcomp[b])
            body.settings = None
            for joint in body.joints:
                joint.align = None
            frame = (_row(model.body_ipos, b), _row(model.body_iquat, b), _row(model.body_inertia, b))
            body.inertial = Inertial(float(model.body_mass[b]), *frame)


def _parts(mechanism: Mechanism, name: str) -> list[Any]:
    """The joints, geoms or sites of all bodies, in order."""
    return [part for body, _ in mechanism.world.walk() for part in getattr(body, name)]


def _joints(model: Model, mechanism: Mechanism) -> None:
    for j, joint in enumerate(_parts(mechanism, "joints")):
        dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
        for field, array in JOINT.items():
            if joint.type != "free" or field not in ("pos", "axis", "limited"):
                setattr(joint, field, _row(getattr(model, f"jnt_{array}"), j))
        for field, array in DOF.items():
            setattr(joint, field, _row(getattr(model, f"dof_{array}"), dof))
        joint.springdamper = None
        joint.stiffness = (float(model.jnt_stiffness[j]), *_row(model.jnt_stiffnesspoly, j))
        joint.damping = (float(model.dof_damping[dof]), *_row(model.dof_dampingpoly, dof))
        if joint.type in ("hinge", "slide"):
            joint.ref, joint.springref = float(model.qpos0[at]), float(model.qpos_spring[at])


def _geoms(model: Model, mechanism: Mechanism) -> None:
    for i, geom in enumerate(_parts(mechanism, "geoms")):
        _geom(model, i, geom)


def _geom(model: Model, i: int, geom: Geom) -> None:
    _set(geom, model, "geom_", GEOM, i)
    kind = int(model.geom_type[i])
    if kind != GeomType.MESH:
        _set(geom, model, "geom_", ["pos", "quat"], i)
    else:
        _mesh_geom(model, i, geom)
    if kind not in (GeomType.MESH, GeomType.HFIELD):
        geom.fromto, geom.mesh, geom.type = None, "", GeomType(kind).name.lower()
        _set(geom, model, "geom_", ["size"], i)


def _mesh_geom(model: Model, i: int, geom: Geom) -> None:
    """What is told in the frame of the mesh's file, not in its own: pose and velocity of the surface."""
    k = int(model.geom_dataid[i])
    quat = quaternion.multiply(model.geom_quat[i], quaternion.conjugate(model.mesh_quat[k]))
    pos = model.geom_pos[i] - quaternion.rotate(quat, model.mesh_pos[k])
    geom.quat, geom.pos = tuple(quat.tolist()), tuple(pos.tolist())
    if model.geom_surfacevel[i].any():
        turned = moved(np.array(model.geom_surfacevel[i]), np.zeros(3), model.mesh_quat[k])
        geom.surfacevel = tuple(moved(turned, -model.mesh_pos[k], np.array([1.0, 0.0, 0.0, 0.0])))


def _sites(model: Model, mechanism: Mechanism) -> None:
    for i, site in enumerate(_parts(mechanism, "sites")):
        site.fromto = None
        _set(site, model, "site_", SITE, i)


def _actuators(model: Model, mechanism: Mechanism) -> None:
    for i, actuator in enumerate(mechanism.actuators):
        _set(actuator, model, "actuator_", ACTUATOR, i)
        actuator.gear = _row(model.actuator_gear, int(model.actuator_outadr[i]))
        actuator.inheritrange, actuator.dampratio = 0.0, None
        actuator.damping = (float(model.actuator_damping[i]), *_row(model.actuator_dampingpoly, i))
        if actuator.cranksite:
            actuator.cranklength = float(model.actuator_cranklength[i])
        for k, word in enumerate(inputs(actuator), int(model.actuator_ctrladr[i])):
            field = f"{word}range" if actuator.gaintype == "pid" and word in ("vel", "ff") else "ctrlrange"
            setattr(actuator, field, _row(model.actuator_ctrlrange, k))
            if field == "ctrlrange":
                actuator.ctrllimited = bool(model.actuator_ctrllimited[k])
        actuator.dyntype = DynType(int(model.actuator_dyntype[i])).name.lower()
        actuator.gaintype = GainType(int(model.actuator_gaintype[i])).name.lower()
        actuator.biastype = BiasType(int(model.actuator_biastype[i])).name.lower()


def _length_ranges(model: Model, mechanism: Mechanism) -> None:
    """What the model has, which compiling what was changed might find differently."""
    mechanism.settings.lengthrange = dataclasses.replace(mechanism.settings.lengthrange, mode="none")
    for actuator, row in zip(mechanism.actuators, model.actuator_outadr, strict=True):
        actuator.lengthrange = _row(model.actuator_lengthrange, int(row))


def _tendons(model: Model, mechanism: Mechanism) -> None:
    for t, tendon in enumerate(mechanism.tendons):
        for field, array in TENDON.items():
            setattr(tendon, field, _row(getattr(model, f"tendon_{array}"), t))
        tendon.stiffness = (float(model.tendon_stiffness[t]), *_row(model.tendon_stiffnesspoly, t))
        tendon.damping = (float(model.tendon_damping[t]), *_row(model.tendon_dampingpoly, t))
        for w, element in enumerate(tendon.path, int(model.tendon_adr[t])):
            if isinstance(element, JointTerm):
                element.coef = float(model.wrap_prm[w])
            elif isinstance(element, Pulley):
                element.divisor = float(model.wrap_prm[w])


def _pairs(model: Model, mechanism: Mechanism) -> None:
    """Listed pairs, which the model has in the order of their bodies."""

    def bodies(pair: ContactPair) -> int:
        return signature(*(int(model.geom_bodyid[model.geom_names.index(name)]) for name in (pair.geom1, pair.geom2)))

    for k, pair in enumerate(sorted(mechanism.pairs, key=bodies)):
        _set(pair, model, "pair_", PAIR, k)
        pair.condim = int(model.pair_dim[k])


def _keyframes(model: Model, mechanism: Mechanism) -> None:
    """All of every keyframe: also of those that a file only counts."""
    mechanism.keyframes += [Keyframe() for _ in range(model.nkey - len(mechanism.keyframes))]
    for k, key in enumerate(mechanism.keyframes):
        key.parts = []
        _set(key, model, "key_", ["time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"], k)


def _sensors(model: Model, mechanism: Mechanism) -> None:
    for i, sensor in enumerate(mechanism.sensors):
        _set(sensor, model, "sensor_", SENSOR, i)


def _users(model: Model, mechanism: Mechanism) -> None:
    bodies = [body for body, _ in mechanism.world.walk()]
    parts = {"jnt": _parts(mechanism, "joints"), "geom": _parts(mechanism, "geoms"), "site": _parts(mechanism, "sites")}
    lists = {"tendon": mechanism.tendons, "actuator": mechanism.actuators, "sensor": mechanism.sensors}
    for kind, elements in ({"body": bodies} | parts | lists).items():
        for element, numbers in zip(elements, getattr(model, f"{kind}_user"), strict=True):
            element.user = tuple(numbers.tolist())


def _equalities(model: Model, mechanism: Mechanism) -> None:
    for i, equality in enumerate(mechanism.equalities):
        _set(equality, model, "eq_", EQUALITY, i)
        equality.active = bool(model.eq_active0[i])
        data = _row(model.eq_data, i)
        if equality.type in ("joint", "tendon"):
            equality.polycoef = data[:5]
        elif equality.objtype == "body":
            equality.anchor = data[:3]
            if equality.type == "weld" and data[11] != 1.0:
                equality.relpose = data[3:10]
        if equality.type == "weld":
            equality.torquescale = data[10]


def _option(model: Model, mechanism: Mechanism) -> None:
    for item in dataclasses.fields(model.opt):
        value = getattr(model.opt, item.name)
        if item.name not in NOT_OPTIONS:
            setattr(mechanism.option, item.name, tuple(value.tolist()) if isinstance(value, np.ndarray) else value)
    for name, table in WORDS.items():
        setattr(mechanism.option, name, next(word for word, number in table.items() if number == getattr(model.opt, name)))
    before = compile_option(mechanism.option, Problems())
    if (before.disableflags, before.enableflags) != (model.opt.disableflags, model.opt.enableflags):
        disabled, enabled = DisableBit(model.opt.disableflags), EnableBit(model.opt.enableflags)
        mechanism.option.flags = {str(bit.name).lower(): False for bit in disabled} | {
            str(bit.name).lower(): True for bit in enabled
        }
    groups = int(model.opt.disableactuator)
    mechanism.option.actuatorgroupdisable = tuple(group for group in range(groups.bit_length()) if groups >> group & 1)


KINDS: dict[Any, Callable[[Model, Mechanism], None]] = {
    ("jnt_", "dof_", "qpos"): _joints,
    "geom_": _geoms,
    "site_": _sites,
    ("actuator_", "jnt_range"): _actuators,  # (ranges of controls and lengths may follow from joints)
    "eq_": _equalities,
    ("tendon_", "wrap_prm", "qpos_spring"): _tendons,  # (so may lengths at rest)
    "pair_": _pairs,
    "sensor_": _sensors,
    ("key_", "qpos0", "body_pos", "body_quat"): _keyframes,  # (what a keyframe does not give follows from the initial poses)
}
"""How the names of arrays begin -> what puts these arrays back, in this order."""
