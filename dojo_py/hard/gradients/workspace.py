"""Work arrays of the derivatives of one step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.experimental import structref

from dojo_py.handles import Struct, compiling
from dojo_py.jit import entry


class Tangent(NamedTuple):
    """One set per thread. nb bodies, nn nodes, nc contact candidates, nl limits, m columns (right-hand sides)."""

    bodies: np.ndarray  # (nb, 13) state the residuals are taken at
    qpos: np.ndarray  # (nq,) perturbed
    qvel: np.ndarray  # (nv,)
    control: np.ndarray  # (nu,)
    dq: np.ndarray  # (nv,)
    change: np.ndarray  # (6 nb + 6 nn + 3 nc + nl + nv,) derivative of the residuals by one datum, see residual_change.py
    impulse_maps: np.ndarray  # (nc, 2, 3, 6) of the contacts at the solution
    limit_axes: np.ndarray  # (nl, 3) of ball joints
    columns: np.ndarray  # (N, 6, m) right-hand sides, then solutions, in elimination order
    v: np.ndarray  # (nb + 1, 6) velocities of the solution
    start: np.ndarray  # (2, nb, 13)
    next_bodies: np.ndarray  # (nb, 13)
    next_qpos: np.ndarray  # (2, nq)
    next_qvel: np.ndarray  # (2, nv)


def allocate_tangent(model: Any, layout: Any, planes: Any, pairs: Any, columns: int) -> Tangent:
    """Work arrays for a number of columns."""
    z, nb, nn = np.zeros, len(layout.mass), len(layout.node_joint)
    nc, nl = len(planes.body) + len(pairs.kind), len(layout.limit_dof)
    return Tangent(
        z((nb, 13)), z(model.nq), z(model.nv), z(model.nu), z(model.nv), z(6 * nb + 6 * nn + 3 * nc + nl + model.nv),
        z((nc, 2, 3, 6)), z((nl, 3)), z((nb + nn, 6, max(columns, 1))), z((nb + 1, 6)), z((2, nb, 13)), z((nb, 13)), z((2, model.nq)), z((2, model.nv)),
    )  # fmt: skip


@structref.register
class TangentType(Struct):
    """Type of TangentRef."""


class TangentRef(structref.StructRefProxy):
    """Fields of Tangent."""


structref.define_proxy(TangentRef, TangentType, list(Tangent._fields))


@entry
def _tangent(fields):
    return TangentRef(*fields)


def tangent_handle(tangent: Tangent) -> Any:
    """Struct of a Tangent."""
    return _tangent(tuple(tangent)) if compiling() else tangent
