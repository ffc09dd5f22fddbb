"""Work arrays of the derivatives by parameters: one set per thread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.gradients.refinement import Refinement, allocate_refinement
from dojo_py.hard.workspace import contact_room, contact_rows
from dojo_py.solver.octet import whole


class Adjoint(NamedTuple):
    """Derivatives of the next rates (nv, rounded up to m, a multiple of 8). nb bodies, nn nodes, nc contact candidates.

    nr: largest number of rows of a contact.
    """

    y: np.ndarray  # (nb + nn, 6, m) by the right-hand sides of all rows, in elimination order
    again: Refinement  # its refinement
    each: np.ndarray  # (nv, m) 1 on the diagonal: every rate by itself
    here: np.ndarray  # (nb, 6, m) by displacement and rotation, world axes, of all that a joint carries, where the step starts
    before: np.ndarray  # (nb, 6, m) by those of the poses one interval before
    carried: np.ndarray  # (6, m) work
    impulse: np.ndarray  # (nc, nr, m) by the impulses of the active contacts, the motion held
    motion: np.ndarray  # (nc, nr, m) by their gaps and the velocities that friction opposes
    slot: np.ndarray  # (nc,) place of a candidate among the active contacts, or -1
    force: np.ndarray  # (nd,) change of the impulses along coordinates in the current column [N s, N m s]
    wrench: np.ndarray  # (nb, 6) change of those on bodies, world axes
    orient: np.ndarray  # (number of servos of orientations, 3) change of theirs
    act: np.ndarray  # (na,) change of the next activations
    next_act: np.ndarray  # (na,)


def allocate_adjoint(layout: Any, planes: Any, pairs: Any, room: int, na: int) -> Adjoint:
    """Work arrays for a world with na activations; room: for features of pairs."""
    z, nb, nn, nv = np.zeros, len(layout.mass), len(layout.node_joint), len(layout.dof_joint)
    nc, m = contact_room(planes, room), whole(nv)
    nr = contact_rows(planes, pairs)
    orientations = int(np.max(layout.eq_servo, initial=-1)) + 1
    return Adjoint(
        z((nb + nn, 6, m)), allocate_refinement(layout, nv), np.eye(nv, m), z((nb, 6, m)), z((nb, 6, m)), z((6, m)),
        z((nc, nr, m)), z((nc, nr, m)),
        z(nc, np.int64), z(len(layout.dof_node)), z((nb, 6)), z((orientations, 3)), z(na), z(na),
    )  # fmt: skip
