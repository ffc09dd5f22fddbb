"""What the soft mode does not simulate is refused by name when the simulator is built, never ignored."""

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import BiasType, DynType, EqualityType, GainType, Integrator, TrnType
from dojo_py.mechanism.errors import ErrorRecord, ModelError
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
CONTROLLED = (3, 4, 5)
"""Gains of actuators with several controls and activations."""
PLUGINS = ("body", "actuator")
"""What a plugin can drive; signed distance fields (plugins of geoms) are refused where they could touch something."""
ENABLED = {"invdiscrete": 1 << 3, "sleep": 1 << 4, "diagexact": 1 << 5, "ipc": 1 << 6, "speculative": 1 << 7}
"""Enable flags that change the dynamics or their inverse."""


def unsupported(model: Any) -> list[ErrorRecord]:
    """Every feature of `model` that the soft mode does not simulate."""
    found: list[ErrorRecord] = []

    def add(element: str, index: int | None, attribute: str, message: str) -> None:
        found.append(refusal(model, element, () if index is None else (index,), attribute, message))

    def nonzero(element: str, array: str) -> None:
        values = np.asarray(getattr(model, array, np.zeros(0)))
        for i in np.flatnonzero(values.reshape(len(values), -1).any(axis=1)) if values.size else ():
            add(element, int(i), array, "is not simulated in the soft mode; set it to zero")

    opt = model.opt
    if int(opt.integrator) not in INTEGRATORS:
        add("option", None, "integrator", f"accepted: {', '.join(INTEGRATORS.values())}")
    for flag, bit in ENABLED.items():
        if int(opt.enableflags) & bit:
            add("option", None, f"flag {flag}", "is not simulated in the soft mode")
    for array in ("jnt_springyield",):
        nonzero("joint", array)
    for array in ("tendon_springyield",):
        nonzero("tendon", array)
    if int(opt.integrator) == RK4:
        nonzero("actuator", "actuator_delay")  # (its stages would read other samples)
    for element in PLUGINS:
        for k in np.flatnonzero(np.asarray(getattr(model, f"{element}_plugin", np.zeros(0))) >= 0):
            add(element, int(k), "plugin", "plugins are not simulated")
    nactuator = int(model.nactuator)
    for i in np.flatnonzero(np.asarray(model.actuator_armature)).tolist():
        target = int(model.actuator_trnid[i][0])
        if int(model.actuator_trntype[i]) == TrnType.TENDON and wraps_geoms(model, target):
            add("actuator", i, "armature", "on a spatial tendon that wraps around geoms is simulated in the hard mode only")
    if int(getattr(model, "nflex", 0)):
        add("flex", None, "", "deformable bodies are not simulated")
    for i in range(nactuator):
        for array, accepted in (
            ("actuator_trntype", TRANSMISSIONS),
            ("actuator_dyntype", DYNAMICS),
            ("actuator_gaintype", GAINS),
            ("actuator_biastype", BIASES),
            ("actuator_actnum", ACTIVATIONS),
            ("actuator_ctrlnum", INPUTS),
        ):
            several = array in ("actuator_actnum", "actuator_ctrlnum") and int(model.actuator_gaintype[i]) in CONTROLLED
            if hasattr(model, array) and int(getattr(model, array)[i]) not in accepted and not several:
                add("actuator", i, array, f"accepted: {', '.join(accepted.values())}")
    for i in range(int(getattr(model, "neq", 0))):
        if int(model.eq_type[i]) not in EQUALITIES:
            add("equality", i, "type", f"accepted: {', '.join(EQUALITIES.values())}")
    refused = set()
    for pair in candidate_pairs(model):
        kinds = (int(pair["type"]) // 10, int(pair["type"]) % 10)
        if kinds not in SUPPORTED:
            g1, g2 = (name_of(model, "geom", int(pair[g])) for g in ("geom1", "geom2"))
            if kinds not in refused:
                shapes = "–".join(SHAPE_NAMES[kind] if kind < len(SHAPE_NAMES) else f"type {kind}" for kind in kinds)
                message = f"no contact for the pair {shapes} (here: '{g1}' and '{g2}'); exclude it by contype/conaffinity"
                add("geom", int(pair["geom1"]), "type", message)
            refused.add(kinds)
    return found


def refuse_unsupported(model: Any) -> None:
    """Raise one ModelError that lists every unsupported feature."""
    found = unsupported(model)
    if found:
        raise ModelError(found)
