"""Disable flags in the hard mode: a model whose flag switches a part off is the model without that part.

Each flag that concerns the motion changes the corresponding arrays (`acting_model`); the step itself knows no flags. Actuators and
their controls' limits (`actuation`, `clampctrl`) are switched in actuation/table.py, `filterparent` in collision/candidates.py.
The other flags are about MuJoCo's solver, its integrators or its collision detection and change nothing here (docs/options.md).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dojo_py.mechanism.enums import DisableBit
from dojo_py.simulate.arguments import mocap_bodies

PASSIVE = DisableBit.SPRING | DisableBit.DAMPER
"""Together they switch off gravity compensation and the forces of a medium, too (MuJoCo's rule)."""


def acting_model(model: Any) -> Any:
    """The model without the parts that its disable flags switch off; the model itself when there are none."""
    flags = DisableBit(int(model.opt.disableflags))
    if flags & DisableBit.CONSTRAINT:
        flags |= DisableBit.EQUALITY | DisableBit.FRICTIONLOSS | DisableBit.LIMIT | DisableBit.CONTACT
    changes: dict[str, Any] = {}
    for bit, zeroed in ZEROED.items():
        if flags & bit:
            changes |= {name: np.zeros_like(getattr(model, name)) for name in zeroed if hasattr(model, name)}
    if flags & DisableBit.CONTACT:
        changes |= {name: getattr(model, name)[:0] for name in _pair_arrays(model)} | {"npair": 0}
    opt: dict[str, Any] = {}
    if flags & DisableBit.GRAVITY:
        opt["gravity"] = np.zeros(3)
    if flags & PASSIVE == PASSIVE:
        changes["body_gravcomp"] = np.zeros_like(model.body_gravcomp)
        opt |= {"density": 0.0, "viscosity": 0.0}
    elif not np.any(np.asarray(model.body_gravcomp) > 0.0):  # as in MuJoCo, negative ones act only if some body's is positive
        changes["body_gravcomp"] = np.zeros_like(model.body_gravcomp)
    changes |= _mocap_as_world(model)
    if opt:
        changes["opt"] = dataclasses.replace(model.opt, **opt)
    return model.replace(**changes) if changes else model


def _mocap_as_world(model: Any) -> dict[str, Any]:
    """Mocap bodies, whose poses are in the state, become part of the world; bodies jointed to them still do not touch them."""
    weld, mocap = np.array(model.body_weldid), np.flatnonzero(np.asarray(model.body_mocapid) >= 0)
    if not len(mocap):
        return {}
    new = [s for s in np.asarray(model.exclude_signature)]
    if not int(model.opt.disableflags) & DisableBit.FILTERPARENT:
        for b in range(1, int(model.nbody)):
            top, over = int(weld[b]), int(weld[model.body_parentid[weld[b]]])
            if top == b and over in mocap:
                inside = [np.flatnonzero(weld == k) for k in (over, top)]
                new += [(min(i, k) << 16) + max(i, k) for i in inside[0].tolist() for k in inside[1].tolist()]
    weld[np.isin(weld, mocap)] = 0
    return {"body_weldid": weld, "exclude_signature": np.array(new, np.int32), "nexclude": len(new)}


def placed_model(model: Any, placed: Any) -> Any:
    """The acting model with a state's mocap poses and active equalities; a weld keeps the relative pose that it has in the file."""
    pos, quat, moved = np.array(model.body_pos), np.array(model.body_quat), mocap_bodies(model)
    pos[moved], quat[moved] = placed.mocap_pos, placed.mocap_quat
    flags = int(model.opt.disableflags) & (DisableBit.EQUALITY | DisableBit.CONSTRAINT)
    return dataclasses.replace(model, body_pos=pos, body_quat=quat, eq_active0=placed.eq_active & (not flags))


def _pair_arrays(model: Any) -> list[str]:
    return [item.name for item in dataclasses.fields(model) if item.name.startswith("pair_")]


ZEROED = {
    DisableBit.CONTACT: ("geom_contype", "geom_conaffinity"),
    DisableBit.EQUALITY: ("eq_active0",),
    DisableBit.FRICTIONLOSS: ("dof_frictionloss", "tendon_frictionloss"),
    DisableBit.LIMIT: ("jnt_limited", "tendon_limited"),
    DisableBit.SPRING: ("jnt_stiffness", "jnt_stiffnesspoly", "tendon_stiffness", "tendon_stiffnesspoly"),
    DisableBit.DAMPER: tuple(f"{kind}_damping{power}" for kind in ("dof", "tendon", "actuator") for power in ("", "poly")),
}
"""Flags -> the arrays that they set to zero, as far as the model has them."""
