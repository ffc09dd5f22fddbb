"""Actuator elements: shortcuts (motor, position, ...) -> the gain, bias and dynamics of the general actuator.

    force = gain * input + bias
    position: gain kp, bias -kp length - kv velocity;   velocity: gain kv, bias -kv velocity

A defaults class keeps one set of these numbers, whatever shortcut filled it, and which shortcut did so last. A shortcut
element starts from the nearest class filled by the same shortcut or by `general` (behaviour of MuJoCo 4.0).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ...mechanism.errors import Problems
from ..xml_tree import Node
from .values import Values, overlay

GAINS = {"damper": "affine", "muscle": "muscle", "pid": "pid", "dcmotor": "dcmotor", "orientation": "so3"}
"""Gain types of shortcuts, where it is not fixed."""
MUSCLE = {"range": (0.75, 1.05), "force": -1.0, "scale": 200.0, "lmin": 0.5, "lmax": 1.6, "vmax": 1.5, "fpmax": 1.3, "fvmax": 1.2}
"""Defaults of a muscle, in the order of its numbers."""


@dataclass(frozen=True)
class Force:
    """Dynamics, gain and bias of an actuator, as in `spec.Actuator`."""

    dyntype: str = "none"
    dynprm: tuple[float, ...] = (1.0,)
    gaintype: str = "fixed"
    gainprm: tuple[float, ...] = (1.0, 0.0, 0.0)
    biastype: str = "none"
    biasprm: tuple[float, ...] = (0.0, 0.0, 0.0)
    inheritrange: float = 0.0
    actearly: bool = False
    actdim: int = -1
    actlimited: bool | None = None
    actrange: tuple[float, ...] | None = None
    ctrllimited: bool | None = None
    input: str = ""
    velrange: tuple[float, ...] | None = None
    ffrange: tuple[float, ...] | None = None
    forcerange: tuple[float, ...] | None = None
    """Of a motor's saturation; else that of the element or class counts."""


OWN_RULES = ("ctrllimited", "forcerange")
"""What a shortcut sets of the attributes of every actuator."""


@dataclass
class Settings:
    """The actuator record of one defaults class: its numbers, the shortcut that filled it here, the outer class's."""

    force: Force = field(default_factory=Force)
    filled_by: str | None = None
    outer: Settings | None = None

    def start(self, tag: str) -> Force:
        """Numbers a `tag` element starts from. Those of `general` count only if their gain is of the element's type."""
        settings: Settings | None = self
        while settings is not None:
            fits = settings.force.gaintype == GAINS.get(tag, "fixed")
            if settings.filled_by == tag or (settings.filled_by == "general" and fits):
                return settings.force
            settings = settings.outer
        return Force()


def apply_shortcut(node: Node, values: Values, settings: Settings, problems: Problems) -> Settings:
    """The record after an actuator element with these attributes."""
    force = _general(values, settings.force) if node.tag == "general" else _shortcut(node, values, settings, problems)
    return Settings(force, node.tag, settings.outer)


def _general(values: Values, base: Force) -> Force:
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if key in Force.__dataclass_fields__ and key not in OWN_RULES:
            changes[key] = overlay(value, getattr(base, key))
    if changes.get("gaintype", base.gaintype) != base.gaintype:  # another kind: the class's controls are not its own
        changes.setdefault("input", "")
    return replace(base, **changes)


def _shortcut(node: Node, values: Values, settings: Settings, problems: Problems) -> Force:
    """The numbers of an element that is no `general`: its own, else those of the class."""
    base = settings.start(node.tag)
    activation = {key: values.get(key, getattr(settings.force, key)) for key in ("actlimited", "actrange")}
    return replace(SHORTCUTS[node.tag](node, values, base, problems), **activation)


def _motor(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A motor: its control is the force."""
    return Force()


def _servo(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A servo of a position, or of one that a control sets the velocity of (`intvelocity`)."""
    kp = values.get("kp", base.gainprm[0])
    _check_sign(node, values, ("kp", "kv", "dampratio", "timeconst", "inheritrange"), problems)
    if "kv" in values and "dampratio" in values:
        problems.add(node.where, "give kv or dampratio, not both", name=_name(node), attribute="dampratio")
    damping = -values["kv"] if "kv" in values else values.get("dampratio", base.biasprm[2])
    inherit = values.get("inheritrange", base.inheritrange)
    filtered, dynprm = base.dyntype == "filterexact", base.dynprm[:1] if base.dyntype == "filterexact" else (1.0,)
    if "timeconst" in values:
        filtered, dynprm = values["timeconst"] > 0.0, (values["timeconst"],)
    dyntype = "integrator" if node.tag == "intvelocity" else "filterexact" if filtered else "none"
    force = Force(dyntype, dynprm, "fixed", (kp, 0.0, 0.0), "affine", (0.0, -kp, damping), inherit)
    return replace(force, input="pos" if node.tag == "position" else "vel")


def _velocity(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A servo of a velocity."""
    kv = values.get("kv", base.gainprm[0])
    return replace(Force(), gainprm=(kv, 0.0, 0.0), biastype="affine", biasprm=(0.0, 0.0, -kv), input="vel")


def _damper(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A damper, whose control scales it."""
    kv = values.get("kv", -base.gainprm[2])
    if kv < 0.0:
        problems.add(node.where, f"{kv:g} is negative", name=_name(node), attribute="kv")
    return replace(Force(), gaintype="affine", gainprm=(0.0, 0.0, -kv), ctrllimited=True)


def _adhesion(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """What pulls at all that a body touches."""
    gain = values.get("gain", base.gainprm[0])
    if gain < 0.0:
        problems.add(node.where, f"{gain:g} is negative", name=_name(node), attribute="gain")
    return replace(Force(), gainprm=(gain, 0.0, 0.0), ctrllimited=True)


def _cylinder(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A cylinder of a gas: its control is the pressure, filtered."""
    _check_sign(node, values, ("timeconst", "area", "diameter"), problems)
    area = values.get("area", base.gainprm[0])
    if "diameter" in values:
        area = 0.25 * math.pi * values["diameter"] ** 2
    return replace(
        Force(),
        dyntype="filter",
        dynprm=(values.get("timeconst", base.dynprm[0]),),
        gainprm=(area, 0.0, 0.0),
        biastype="affine",
        biasprm=values.get("bias", base.biasprm[:3]),
        input="pressure",
    )


def _muscle(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A muscle's numbers: those of the element (negative ones count as not given), else of the class, else the defaults."""
    _check_sign(node, values, ("tausmooth",), problems)
    filled = base.gaintype == "muscle"
    defaults = (*MUSCLE["range"], *list(MUSCLE.values())[1:])  # type: ignore[misc]
    numbers = list((*base.gainprm, *(0.0,) * 9)[:9]) if filled else list(defaults)
    given = [*values.get("range", ()), -1.0, -1.0][:2] + [values.get(key, -1.0) for key in list(MUSCLE)[1:]]
    numbers = [new if new >= 0.0 else old for new, old in zip(given, numbers, strict=True)]
    times = (*base.dynprm, 0.0, 0.0, 0.0)[:3] if filled else (0.01, 0.04, 0.0)
    new_times = [*values.get("timeconst", ()), -1.0, -1.0][:2]
    dynprm = tuple(new if new >= 0.0 else old for new, old in zip(new_times, times, strict=False))
    prm = tuple(numbers)
    return Force("muscle", (*dynprm, values.get("tausmooth", times[2])), "muscle", prm, "muscle", prm)


def _check_sign(node: Node, values: Values, keys: tuple[str, ...], problems: Problems) -> None:
    for key in keys:
        if values.get(key, 0.0) < 0.0:
            problems.add(node.where, f"{values[key]:g} is negative", name=_name(node), attribute=key)


def _name(node: Node) -> str:
    return node.attributes.get("name", "")


def orientation_force(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A servo of an orientation (`actuation/orientation.py`): its numbers, else those of the class."""
    _check_sign(node, values, ("kp", "kv", "dampratio"), problems)
    if "kv" in values and "dampratio" in values:
        problems.add(node.where, "give kv or dampratio, not both", name=_name(node), attribute="dampratio")
    known = base.gaintype == "so3"
    kp = values.get("kp", base.gainprm[0] if known else 1.0)
    damping = -values["kv"] if "kv" in values else values.get("dampratio", (*base.biasprm, 0.0, 0.0, 0.0)[2] if known else 0.0)
    words = values.get("input", base.input if known else "")
    return Force(gaintype="so3", gainprm=(kp, 0.0, 0.0), biastype="so3", biasprm=(0.0, -kp, damping), input=words)


def pid_force(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A servo's numbers (`actuation/controlled.py`): those of the element, else of the class."""
    _check_sign(node, values, ("kv", "dampratio", "ki", "imax", "slewmax", "inheritrange"), problems)
    if "kv" in values and "dampratio" in values:
        problems.add(node.where, "give kv or dampratio, not both", name=_name(node), attribute="dampratio")
    bias, inherited = (*base.biasprm, 0.0, 0.0, 0.0)[:3], base.dyntype == "pid"
    gain, dynamics = (*base.gainprm, 0.0)[:1], (*base.dynprm, 0.0, 0.0)[:2]
    kp = values.get("kp", -bias[1] if base.gaintype == "pid" else 1.0)
    damping = -values["kv"] if "kv" in values else values.get("dampratio", bias[2] if base.gaintype == "pid" else 0.0)
    ki = values.get("ki", gain[0] if inherited else 0.0)
    imax, slew = (values.get(key, dynamics[k] if inherited else 0.0) for k, key in enumerate(("imax", "slewmax")))
    stateful = ki > 0.0 or slew > 0.0
    return Force(
        "pid" if stateful else "none", (imax, slew) if stateful else (0.0,), "pid", (ki, 0.0, 0.0), "affine", (0.0, -kp, damping),
        values.get("inheritrange", base.inheritrange), input=values.get("input", base.input),
        velrange=values.get("velrange", base.velrange), ffrange=values.get("ffrange", base.ffrange),
    )  # fmt: skip


def motor_force(node: Node, values: Values, base: Force, problems: Problems) -> Force:
    """A motor's numbers (`actuation/controlled.py`) from what data sheets give.

    K: the mean of the torque and the back-EMF constant, the latter also nominal voltage / idle speed;  R: also K V / stall torque.
    Time constant of the current L/R, of heat R_T C.
    """
    known = base.gaintype == "dcmotor"
    g, d, b = (((*prm, *(0.0,) * 10)[:10] if known else (0.0,) * 10) for prm in (base.gainprm, base.dynprm, base.biasprm))
    given = _Numbers(node, values, problems)
    K, R = _constant_and_resistance(given, g)
    most, current, rate = given.filled("saturation", (0.0, 0.0, d[1]))
    most = most if most > 0.0 else K * current
    L, te = given.filled("inductance", (0.0, d[0]))
    if min(L, te) < 0.0:
        given.wrong("inductance", "inductance and time constant must not be negative")
    RT, C, alpha, T0, Ta = _heat(given, g, d)
    kp, ki, kd, slew, imax, Vmax = given.filled("controller", (g[4], g[5], g[6], d[7], d[8], g[7]))
    A, poles, phase = given.filled("cogging", (b[0], b[1], b[2]))
    s0, s1, Fc, Fs, vs = given.filled("lugre", (d[5], d[6], b[3], b[4], b[5]))
    s0, s1, Fc, Fs, vs = (s0, s1, Fc, Fs, vs) if s0 > 0.0 else (0.0,) * 5
    return Force(
        "dcmotor", (L / R if L > 0.0 and R > 0.0 else te, max(rate, 0.0), RT, C, Ta, s0, s1, slew, imax, 0.0),
        "dcmotor", (R, K, alpha, T0, kp, ki, kd, max(Vmax, 0.0), 0.0, 0.0), "dcmotor", (A, poles, phase, Fc, Fs, vs),
        actearly=True, input=values.get("input", base.input), forcerange=(-most, most) if most > 0.0 else base.forcerange,
    )  # fmt: skip


@dataclass(frozen=True)
class _Numbers:
    """The numbers that an element gives."""

    node: Node
    values: Values
    problems: Problems

    def filled(self, attribute: str, old: tuple[float, ...]) -> list[float]:
        """Those of an attribute; what it leaves out is as before."""
        given = self.values.get(attribute, ())
        return [*given, *old[len(given) :]]

    def wrong(self, attribute: str, message: str) -> None:
        """Note a problem."""
        self.problems.add(self.node.where, message, name=_name(self.node), attribute=attribute)


def _constant_and_resistance(given: _Numbers, g: tuple[float, ...]) -> tuple[float, float]:
    """A motor's constant K and resistance R, also from its nominal numbers; g: gainprm of its class."""
    torque, emf = given.filled("motorconst", (g[1], 0.0))
    voltage, stall, idle = given.filled("nominal", (0.0, 0.0, 0.0))
    if min(torque, emf) < 0.0:
        given.wrong("motorconst", "motor constants must not be negative")
    if voltage > 0.0 and idle > 0.0 and not (torque > 0.0 and emf > 0.0):
        emf = voltage / idle
        if stall > 0.0:  # (at the idle speed of a data sheet the motor's torque balances its own damping)
            emf *= 1.0 - given.filled("damping", (0.0,))[0] * idle / stall
    K = math.sqrt(torque * emf) if torque > 0.0 and emf > 0.0 else max(torque, emf)
    R = given.values.get("resistance", g[0])
    if "resistance" not in given.values and not R > 0.0 and stall > 0.0:
        R = K * voltage / stall
    if not K > 0.0:
        given.wrong("motorconst", f"the motor constant must be positive, it is {K:g}")
    if not R > 0.0:
        given.wrong("resistance", f"the resistance must be positive, it is {R:g}")
    return K, R


def _heat(given: _Numbers, g: tuple[float, ...], d: tuple[float, ...]) -> tuple[float, ...]:
    """A motor's thermal resistance and capacity, coefficient of its resistance, reference and ambient temperature; 0: no heating.

    g, d: gainprm and dynprm of its class.
    """
    RT, C, heating, alpha, T0, Ta = given.filled("thermal", (d[2], d[3], 0.0, g[2], g[3], d[4]))
    if heating > 0.0:
        RT, C = (RT, heating / RT) if RT > 0.0 else (heating / C if C > 0.0 else 0.0, C)
    if RT > 0.0 and not C > 0.0 or C > 0.0 and not RT > 0.0:
        given.wrong("thermal", "thermal resistance and capacitance must be positive, or a time constant with one of them")
    return (RT, C, alpha, T0, Ta) if RT > 0.0 else (0.0,) * 5


SHORTCUTS: dict[str, Callable[[Node, Values, Force, Problems], Force]] = {
    "motor": _motor,
    "muscle": _muscle,
    "pid": pid_force,
    "dcmotor": motor_force,
    "orientation": orientation_force,
    "position": _servo,
    "intvelocity": _servo,
    "velocity": _velocity,
    "damper": _damper,
    "adhesion": _adhesion,
    "cylinder": _cylinder,
}
"""Word -> the numbers of such an element."""
