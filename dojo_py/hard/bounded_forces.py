"""What `actuatorfrcrange` bounds in the hard mode: the sum of the forces of the actuators at the joint or tendon itself.

MuJoCo bounds all forces along a joint's coordinate, also those of actuators at tendons, sites, cranks and bodies, which maximal
coordinates do not know. A model in which such an actuator moves a bounded joint is refused, and one with two servos on a bounded
joint or tendon: how they share the bound is not defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.actuation.table import ActuatorTable
from dojo_py.hard.couplings import acting_tendons
from dojo_py.mechanism.enums import DisableBit, JointType, TrnType, WrapType
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.source import name_of, refusal


def check_bounded_forces(model: Any, table: ActuatorTable) -> None:
    """ModelError for what is refused, see above."""
    _refuse_two_servos(model, table)
    if int(model.opt.disableflags) & DisableBit.ACTUATION:
        return
    hinged = np.isin(np.asarray(model.jnt_type), (JointType.HINGE, JointType.SLIDE))
    for j in np.flatnonzero(np.asarray(model.jnt_actfrclimited, bool) & hinged).tolist():
        for i in range(len(table.dof)):
            if table.enabled[i] and _moves(model, i, j):
                message = f"moves joint '{name_of(model, 'joint', j)}', whose actuatorfrcrange bounds in the hard mode only the "
                message += "actuators of the joint itself; bound the actuator's forcerange instead"
                raise ModelError(refusal(model, "actuator", (i,), "", message))


def _refuse_two_servos(model: Any, table: ActuatorTable) -> None:
    for dof in np.unique(table.dof[table.servo >= 0]):
        mine = [int(i) for i in np.flatnonzero(table.servo >= 0) if table.dof[i] == dof]
        if len(mine) > 1 and np.all(np.isfinite(table.dof_range[dof])):
            if dof >= model.nv:
                target = f"tendon '{name_of(model, 'tendon', acting_tendons(model)[dof - model.nv])}'"
            else:
                target = f"joint '{name_of(model, 'joint', int(model.dof_jntid[dof]))}'"
            message = f"several servos on {target}, whose actuatorfrcrange bounds their sum, are not simulated in the hard mode; "
            message += "bound each actuator's forcerange instead"
            raise ModelError(refusal(model, "actuator", mine, "", message))


def _moves(model: Any, i: int, j: int) -> bool:
    """Whether actuator i, which is at no joint, moves joint j: it touches bodies on both sides of it, or a tendon over it."""
    kind, (target, other) = int(model.actuator_trntype[i]), (int(k) for k in model.actuator_trnid[i])
    sites = np.asarray(model.site_bodyid, int)
    if kind == TrnType.TENDON:
        first = int(model.tendon_adr[target])
        parts = range(first, first + int(model.tendon_num[target]))
        kinds, objects = np.asarray(model.wrap_type, int), np.asarray(model.wrap_objid, int)
        if kinds[first] == WrapType.JOINT:
            return any(objects[w] == j and float(model.wrap_prm[w]) != 0.0 for w in parts)
        geoms = np.asarray(model.geom_bodyid, int)
        at_site = kinds == WrapType.SITE
        touched = {int((sites if at_site[w] else geoms)[objects[w]]) for w in parts if kinds[w] != WrapType.PULLEY}
    elif kind == TrnType.BODY:
        touched = {target, 0}
    elif kind in (TrnType.SITE, TrnType.SLIDERCRANK) or (kind == TrnType.SO3 and other >= 0):
        touched = {int(sites[target]), int(sites[other]) if other >= 0 else 0}
    else:
        return False
    top = int(model.jnt_bodyid[j])
    return len({_is_below(model, top, body) for body in touched}) == 2


def _is_below(model: Any, top: int, body: int) -> bool:
    """Whether a body is `top` or below it."""
    while body > top:
        body = int(model.body_parentid[body])
    return body == top
