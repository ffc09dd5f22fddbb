"""Numbers that `Model.replace` accepts in a model's arrays: those that the file reader accepts, by the rules of `compile_*.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from .compile_option import COUNTS
from .enums import (
    BiasType,
    Cone,
    DynType,
    EqualityType,
    GainType,
    GeomType,
    Integrator,
    Jacobian,
    JointType,
    SolverType,
    TrnType,
    WrapType,
)
from .option import Option, Statistic
from .shapes import SIZE_NUMBERS
from .source import name_of
from .views import CONTROLS, KINDS, OUTPUTS

Array = np.ndarray

NOT_NEGATIVE = (
    "body_mass", "body_inertia", "geom_size", "geom_friction", "geom_solmix", "site_size", "pair_friction",
    "dof_damping", "dof_armature", "dof_frictionloss", "tendon_armature", "tendon_frictionloss",
    "actuator_armature", "actuator_damping", "actuator_delay", "sensor_cutoff", "sensor_noise", "sensor_delay",
)  # fmt: skip
"""Stiffness may be negative, and so may the damping of a tendon: MuJoCo's rules, too."""


# numbers beside others


class Rule(NamedTuple):
    """What one array must be beside others."""

    name: str
    """Array that a message names."""
    beside: tuple[str, ...]
    """Arrays that the rule depends on as well."""
    wrong: Callable[[Any], Array]
    """Model -> for each row of the array whether it is wrong."""
    accepted: str


def _not_ascending(ranges: str, limited: str) -> Rule:
    def wrong(m: Any) -> Array:
        bounds = getattr(m, ranges)
        return getattr(m, limited) & ~(bounds[:, 0] < bounds[:, 1])

    return Rule(ranges, (limited,), wrong, f"where {limited} the lower bound must be less than the upper bound")


def _without_size(kind: str) -> Rule:
    """Of a capsule the radius alone: one that is fitted to a mesh may have no length."""

    def wrong(m: Any) -> Array:
        types, sizes = getattr(m, f"{kind}_type"), getattr(m, f"{kind}_size")
        least = {shape: (n, 1)[shape == GeomType.CAPSULE] for shape, n in SIZE_NUMBERS.items() if shape != GeomType.PLANE}
        needed = np.array([least.get(shape, 0) for shape in types.tolist()], int)
        lacking = (sizes <= 0.0) & (np.arange(3) < needed[:, None])
        return np.asarray(lacking.any(axis=1) | ((types == GeomType.PLANE) & (sizes[:, 2] <= 0.0)))

    return Rule(f"{kind}_size", (f"{kind}_type",), wrong, "the sizes of the shape must be positive, of a plane the third number")


WITHOUT_ROTOR = (TrnType.SITE, TrnType.SLIDERCRANK, TrnType.BODY, TrnType.SO3)
"""Transmissions of actuators that bring no damper and no rotor."""


def _of_what_turns(name: str) -> Rule:
    def wrong(m: Any) -> Array:
        values = getattr(m, name)
        acts = values.any(axis=1) if values.ndim > 1 else values != 0.0
        return np.asarray(np.isin(m.actuator_trntype, WITHOUT_ROTOR) & acts)

    return Rule(name, ("actuator_trntype",), wrong, "0 is accepted: it needs a joint or a tendon as target")


def _muscle(kind: str, enum: Any) -> Rule:
    def wrong(m: Any) -> Array:
        p = getattr(m, f"actuator_{kind}prm")
        sound = (p[:, 0] < p[:, 1]) & (p[:, 4] < 1.0) & (p[:, 5] > 1.0) & (p[:, 3] > 0.0) & (p[:, 6:9] > 0.0).all(axis=1)
        return (getattr(m, f"actuator_{kind}type") == enum.MUSCLE) & ~sound

    accepted = "of a muscle the range must ascend, lmin < 1 < lmax, and scale, vmax, fpmax, fvmax must be positive"
    return Rule(f"actuator_{kind}prm", (f"actuator_{kind}type",), wrong, accepted)


def _of_gain(m: Any, *gains: GainType) -> Array:
    return np.isin(m.actuator_gaintype, gains)


def _states_differ(m: Any) -> Array:
    """Activations without dynamics, or dynamics without activations; numbers of motors decide how many these have."""
    return ~_of_gain(m, GainType.DCMOTOR) & ((m.actuator_dyntype == DynType.NONE) != (m.actuator_actnum == 0))


def _not_opposite(m: Any) -> Array:
    return _of_gain(m, GainType.SO3) & (m.actuator_gainprm[:, 0] != -m.actuator_biasprm[:, 1])


def _servo_below_zero(m: Any) -> Array:
    return _of_gain(m, GainType.PID) & ((m.actuator_gainprm[:, 0] < 0.0) | (m.actuator_dynprm[:, :2] < 0.0).any(axis=1))


def _coupled(m: Any) -> Array:
    """Couplings of joints that are not hinges or slides."""
    out = np.zeros(m.neq, bool)
    for ids in (m.eq_obj1id, m.eq_obj2id):
        rows = np.flatnonzero((m.eq_type == EqualityType.JOINT) & (ids >= 0))
        out[rows] |= ~np.isin(m.jnt_type[ids[rows]], (JointType.HINGE, JointType.SLIDE))
    return out


def _wraps(m: Any) -> Array:
    """(ntendon,) whether a tendon wraps around geoms."""
    around = np.isin(m.wrap_type, (WrapType.SPHERE, WrapType.CYLINDER))
    return np.array([around[a : a + n].any() for a, n in zip(m.tendon_adr, m.tendon_num, strict=True)], bool)


RULES: tuple[Rule, ...] = (
    _not_ascending("jnt_range", "jnt_limited"),
    _not_ascending("jnt_actfrcrange", "jnt_actfrclimited"),
    _not_ascending("tendon_range", "tendon_limited"),
    _not_ascending("tendon_actfrcrange", "tendon_actfrclimited"),
    _not_ascending("actuator_ctrlrange", "actuator_ctrllimited"),
    _not_ascending("actuator_forcerange", "actuator_forcelimited"),
    _not_ascending("actuator_actrange", "actuator_actlimited"),
    Rule("jnt_range", ("jnt_limited",), lambda m: m.jnt_limited & (m.jnt_type == JointType.BALL) & (m.jnt_range[:, 0] != 0.0),
         "the lower bound of a ball joint must be 0"),
    Rule("tendon_actfrcrange", ("tendon_actfrclimited",),
         lambda m: m.tendon_actfrclimited & ((m.tendon_actfrcrange[:, 0] > 0.0) | (m.tendon_actfrcrange[:, 1] < 0.0)),
         "the range must include zero"),
    Rule("tendon_lengthspring", (), lambda m: m.tendon_lengthspring[:, 0] > m.tendon_lengthspring[:, 1],
         "the lower end must not be above the upper end"),
    Rule("tendon_width", (), lambda m: ~(m.tendon_width > 0.0), "positive numbers are accepted"),
    Rule("tendon_armature", (), lambda m: (m.tendon_armature > 0.0) & _wraps(m),
         "a tendon that wraps around geoms accepts none (MuJoCo's rule)"),
    Rule("geom_type", (), lambda m: (m.geom_type == GeomType.PLANE) & (m.body_weldid[m.geom_bodyid] != 0),
         "a plane is only accepted in a body that cannot move"),
    Rule("site_type", (), lambda m: ~np.isin(m.site_type, [shape for shape in SIZE_NUMBERS if shape != GeomType.PLANE]),
         "sphere, capsule, ellipsoid, cylinder and box are accepted"),
    _without_size("geom"),
    _without_size("site"),
    Rule("hfield_size", (), lambda m: ~(m.hfield_size > 0.0).all(axis=1), "positive numbers are accepted"),
    Rule("hfield_data", (), lambda m: (m.hfield_data < 0.0) | (m.hfield_data > 1.0), "fractions from 0 to 1 are accepted"),
    Rule("eq_data", ("eq_type",), lambda m: (m.eq_type == EqualityType.WELD) & (m.eq_data[:, 10] < 0.0),
         "the torque scale of a weld, its number 10, must not be negative"),
    Rule("eq_obj1id", ("eq_obj2id", "eq_type"), _coupled, "hinges and slides alone are coupled"),
    Rule("eq_obj1id", ("eq_obj2id",), lambda m: m.eq_obj1id == m.eq_obj2id, "nothing is constrained to itself"),
    Rule("actuator_cranklength", ("actuator_trntype",),
         lambda m: (m.actuator_trntype == TrnType.SLIDERCRANK) & ~(m.actuator_cranklength > 0.0),
         "a slider-crank needs a rod of positive length"),
    _of_what_turns("actuator_armature"),
    _of_what_turns("actuator_damping"),
    _of_what_turns("actuator_dampingpoly"),
    _muscle("gain", GainType),
    _muscle("bias", BiasType),
    Rule("actuator_dyntype", ("actuator_gaintype",), _states_differ,
         "as many activations as the actuator has are accepted, 0 with dynamics 'none'; edit the Mechanism"),
    Rule("actuator_gainprm", ("actuator_biasprm", "actuator_gaintype"), _not_opposite,
         "the first number of an orientation's gain must be the opposite of its bias's second one"),
    Rule("actuator_gainprm", ("actuator_dynprm", "actuator_gaintype"), _servo_below_zero,
         "ki, and imax and slewmax in dynprm, of a servo must not be negative"),
    Rule("actuator_gainprm", ("actuator_gaintype",),
         lambda m: _of_gain(m, GainType.DCMOTOR) & ~(m.actuator_gainprm[:, :2] > 0.0).all(axis=1),
         "resistance and motor constant of a motor must be positive"),
    Rule("actuator_dynprm", ("actuator_gaintype",),
         lambda m: _of_gain(m, GainType.DCMOTOR) & (m.actuator_dynprm[:, 2] > 0.0) & ~(m.actuator_dynprm[:, 3] > 0.0),
         "the thermal capacitance of a motor must be positive"),
    Rule("actuator_forcerange", ("actuator_gaintype",),
         lambda m: _of_gain(m, GainType.SO3) & m.actuator_forcelimited & (m.actuator_forcerange[:, 0] != 0.0),
         "bounds the length of an orientation's torque: the lower bound must be 0"),
    Rule("actuator_delay", ("actuator_history",), lambda m: (m.actuator_delay > 0.0) & (m.actuator_history[:, 0] == 0),
         "a delay needs samples"),
    Rule("sensor_delay", ("sensor_history",), lambda m: (m.sensor_delay > 0.0) & (m.sensor_history[:, 0] == 0),
         "a delay needs samples"),
    Rule("sensor_interval", (),
         lambda m: (m.sensor_interval[:, 0] < 0.0) | (m.sensor_interval[:, 1] > 0.0)
         | ((m.sensor_interval[:, 1] <= -m.sensor_interval[:, 0]) & (m.sensor_interval[:, 1] != 0.0)),
         "a time between samples, and a start in (-time, 0], are accepted"),
)  # fmt: skip


def refuse(model: Any, name: str, wrong: Array, accepted: str) -> None:
    """ValueError that names the first place that is wrong; wrong: of the array's shape, or of its rows."""
    if not wrong.any():
        return
    place = np.argwhere(wrong)[0]
    value = getattr(model, name)[tuple(place)]
    raise ValueError(f"{name}{place.tolist()} is {value.tolist()}; {accepted}{_owner(model, name, int(place[0]))}")


def _owner(model: Any, name: str, row: int) -> str:
    """Whose a row of an array is, " (joint 'knee')"; nothing for one of an element without names."""
    if name.startswith("dof_"):
        return f" (joint '{name_of(model, 'joint', int(model.dof_jntid[row]))}')"
    if name in ("qpos0", "qpos_spring"):
        return f" (joint '{name_of(model, 'joint', int(np.flatnonzero(model.jnt_qposadr <= row)[-1]))}')"
    for kind, (names, prefix, size) in KINDS.items():
        column = name.removeprefix(prefix)
        if column == name:
            continue
        for columns, first in ((CONTROLS, "actuator_ctrladr"), (OUTPUTS, "actuator_outadr")):
            if kind == "actuator" and column in columns:
                row, size = int(np.flatnonzero(getattr(model, first) <= row)[-1]), ""
        shape = type(model).__dataclass_fields__[name].metadata["shape"]
        return f" ({kind} '{getattr(model, names)[row] or f'#{row}'}')" if size in ("", shape[0]) else ""
    return ""


# records


def refuse_record(name: str, record: Option | Statistic) -> None:
    """ValueError for options or statistics that no file may have."""
    for item in dataclasses.fields(record):
        value = np.asarray(getattr(record, item.name))
        if value.dtype.kind not in "iuf" or not np.isfinite(value).all():
            raise ValueError(f"{name}.{item.name} is {value.tolist()!r}; finite numbers are accepted")
        if item.name in POSITIVE and not value > 0.0:
            raise ValueError(f"{name}.{item.name} is {value:g}; positive numbers are accepted")
        if item.name in COUNTS and not value >= 0:
            raise ValueError(f"{name}.{item.name} is {value}; numbers of at least 0 are accepted")
        if item.name in CHOICES and value not in list(CHOICES[item.name]):
            words = ", ".join(f"{int(member)} ({member.name})" for member in CHOICES[item.name])
            raise ValueError(f"{name}.{item.name} is {value}; accepted: {words}")


POSITIVE = ("timestep", "impratio", "meaninertia")
CHOICES: dict[str, type[IntEnum]] = {"integrator": Integrator, "cone": Cone, "jacobian": Jacobian, "solver": SolverType}
