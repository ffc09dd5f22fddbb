"""What the soft mode does not simulate is refused by name when the simulator is built, never ignored."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from dojo_py.mechanism.enums import BiasType, DynType, EqualityType, GainType, Integrator, TrnType
from dojo_py.mechanism.errors import ErrorRecord, ModelError
from dojo_py.mechanism.sensor_kinds import BY_NUMBER, CAMERA
from dojo_py.mechanism.source import name_of, refusal
from dojo_py.mechanism.tendon_paths import wraps_geoms
from dojo_py.soft.narrowphase import SHAPE_NAMES, SUPPORTED
from dojo_py.soft.pairs import candidate_pairs

RK4 = int(Integrator.RK4)
INTEGRATORS = {0: "Euler", 1: "RK4", 2: "implicit", 3: "implicitfast"}
TRANSMISSIONS, DYNAMICS, GAINS, BIASES, EQUALITIES = (
    {int(kind): kind.name.lower() for kind in kinds} for kinds in (TrnType, DynType, GainType, BiasType, EqualityType)
)
ACTIVATIONS, INPUTS = {0: "0", 1: "1"}, {1: "1"}
ACTUATOR_KINDS = {
    "actuator_trntype": TRANSMISSIONS,
    "actuator_dyntype": DYNAMICS,
    "actuator_gaintype": GAINS,
    "actuator_biastype": BIASES,
    "actuator_actnum": ACTIVATIONS,
    "actuator_ctrlnum": INPUTS,
}
"""What each of an actuator's arrays may say."""
CONTROLLED = (3, 4, 5)
"""Gains of actuators with several controls and activations."""
PLUGINS = ("body", "actuator")
"""What a plugin can drive; signed distance fields (plugins of geoms) are refused where they could touch something."""
ENABLED = {"invdiscrete": 1 << 3, "sleep": 1 << 4, "diagexact": 1 << 5, "ipc": 1 << 6, "speculative": 1 << 7}
"""Enable flags that change the dynamics or their inverse."""
NOT_SIMULATED = "is not simulated in the soft mode; set it to zero"
LATE_IN_STAGES = (
    "is not simulated by the soft mode's integrator RK4, whose stages would read other samples; choose another integrator "
    "(Euler, implicit, implicitfast), or set it to zero"
)


def unsupported(model: Any, integrator: int) -> list[ErrorRecord]:
    """Every feature of `model` that the soft mode does not simulate with this integrator."""
    found = [
        *_of_options(model, integrator),
        *_nonzero(model, "joint", "jnt_springyield"),
        *_nonzero(model, "tendon", "tendon_springyield"),
    ]
    if integrator == RK4:
        found += _nonzero(model, "actuator", "actuator_delay", LATE_IN_STAGES)
    return [*found, *_of_plugins(model), *_of_actuators(model), *_of_equalities(model), *_of_pairs(model), *_of_sensors(model)]


def _nonzero(model: Any, element: str, array: str, message: str = NOT_SIMULATED) -> list[ErrorRecord]:
    """Of elements whose numbers in an array must be zero."""
    values = np.asarray(getattr(model, array, np.zeros(0)))
    if not values.size:
        return []
    found = np.flatnonzero(values.reshape(len(values), -1).any(axis=1)).tolist()
    return [refusal(model, element, (i,), array, message) for i in found]


def _of_options(model: Any, integrator: int) -> Iterator[ErrorRecord]:
    """Integrators and flags."""
    if integrator not in INTEGRATORS:
        yield refusal(model, "option", (), "integrator", f"accepted: {', '.join(INTEGRATORS.values())}")
    for flag, bit in ENABLED.items():
        if int(model.opt.enableflags) & bit:
            yield refusal(model, "option", (), f"flag {flag}", "is not simulated in the soft mode")


def _of_plugins(model: Any) -> Iterator[ErrorRecord]:
    """Elements that plugins drive, and deformable bodies."""
    for element in PLUGINS:
        for k in np.flatnonzero(np.asarray(getattr(model, f"{element}_plugin", np.zeros(0))) >= 0).tolist():
            yield refusal(model, element, (k,), "plugin", "plugins are not simulated")
    if int(getattr(model, "nflex", 0)):
        yield refusal(model, "flex", (), "", "deformable bodies are not simulated")


def _of_actuators(model: Any) -> Iterator[ErrorRecord]:
    """Rotors on tendons that wrap, and kinds of actuators."""
    for i in np.flatnonzero(np.asarray(model.actuator_armature)).tolist():
        target = int(model.actuator_trnid[i][0])
        if int(model.actuator_trntype[i]) == TrnType.TENDON and wraps_geoms(model, target):
            message = "on a spatial tendon that wraps around geoms is simulated in the hard mode only"
            yield refusal(model, "actuator", (i,), "armature", message)
    for i in range(int(model.nactuator)):
        for array, accepted in ACTUATOR_KINDS.items():
            several = array in ("actuator_actnum", "actuator_ctrlnum") and int(model.actuator_gaintype[i]) in CONTROLLED
            if hasattr(model, array) and int(getattr(model, array)[i]) not in accepted and not several:
                yield refusal(model, "actuator", (i,), array, f"accepted: {', '.join(accepted.values())}")


def _of_equalities(model: Any) -> Iterator[ErrorRecord]:
    """Kinds of equalities."""
    for i in range(int(getattr(model, "neq", 0))):
        if int(model.eq_type[i]) not in EQUALITIES:
            yield refusal(model, "equality", (i,), "type", f"accepted: {', '.join(EQUALITIES.values())}")


def _of_pairs(model: Any) -> Iterator[ErrorRecord]:
    """Shapes that may touch and have no contact, each two kinds once."""
    refused = set()
    for pair in candidate_pairs(model):
        kinds = (int(pair["type"]) // 10, int(pair["type"]) % 10)
        if kinds in SUPPORTED or kinds in refused:
            continue
        refused.add(kinds)
        g1, g2 = (name_of(model, "geom", int(pair[g])) for g in ("geom1", "geom2"))
        shapes = "–".join(SHAPE_NAMES[kind] if kind < len(SHAPE_NAMES) else f"type {kind}" for kind in kinds)
        message = f"no contact for the pair {shapes} (here: '{g1}' and '{g2}'); exclude it by contype/conaffinity"
        yield refusal(model, "geom", (int(pair["geom1"]),), "type", message)


def _of_sensors(model: Any) -> Iterator[ErrorRecord]:
    """Sensors of cameras and of types that are not read (our reader leaves these out, a mujoco.MjModel may have them)."""
    for i in range(int(getattr(model, "nsensor", 0))):
        if CAMERA in (int(model.sensor_objtype[i]), int(model.sensor_reftype[i])):
            yield refusal(model, "sensor", (i,), "objtype", "cameras are not simulated")
        elif int(model.sensor_type[i]) not in BY_NUMBER:
            yield refusal(model, "sensor", (i,), "type", "sensors of this type are not simulated")


def refuse_unsupported(model: Any, integrator: int) -> None:
    """Raise one ModelError that lists every feature that is unsupported with this integrator."""
    found = unsupported(model, integrator)
    if found:
        raise ModelError(found)
