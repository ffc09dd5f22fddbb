"""All unknowns of a step, and changes of them, as vectors: the operations for which the solver need not know what they mean."""

from typing import NamedTuple

import numpy as np

from dojo_py.arrays import copy
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.jit import kernel


class Point(NamedTuple):
    """The unknowns of a step or a change of them; nb bodies, nn nodes, nv coordinates, nl limits, nc contacts."""

    v: np.ndarray  # (nb + 1, 6) velocities, linear in the world, angular in the body frame
    lam: np.ndarray  # (nn, 6) constraint impulses, then generalised impulses [N s, N m s]
    theta: np.ndarray  # (nv,) compound joints' coordinates from their zero (Newton's starting guess)
    fric: np.ndarray  # (nv, 3) β, ν₊, ν₋ of dry joint friction
    lim: np.ndarray  # (nl, 2) γ, s
    con: np.ndarray  # (nc, z) contact states, see solver/cones/contact.py


def allocate_point(nb: int, nn: int, nv: int, nl: int, nc: int, state: int) -> Point:
    """A Point of zeros; state: numbers of a contact."""
    z = np.zeros
    return Point(z((nb + 1, 6)), z((nn, 6)), z(nv), z((nv, 3)), z((nl, 2)), z((nc, state)))


@kernel
def copy_point(W, source, to):
    """to = source, of the islands in W.span."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(source.v[b], to.v[b])
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        copy(source.lam[n], to.lam[n])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        to.theta[d] = source.theta[d]
        copy(source.fric[d], to.fric[d])
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        copy(source.lim[m], to.lim[m])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        copy(source.con[c], to.con[c])


@kernel
def clear_cones(W, point):
    """point = 0 in limits, dry friction and contacts of the islands in W.span."""
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        point.fric[W.members[DOFS, k], :] = 0.0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        point.lim[W.members[LIMITS, k], :] = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        point.con[W.members[CONTACTS, k], :] = 0.0


@kernel
def combine(W, a, x, b, y, out):
    """out = a x + b y (Dojo, eq. 47), of the islands in W.span; cones only where Newton's method moves them."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        i = W.members[BODIES, k]
        for m in range(6):
            out.v[i, m] = a * x.v[i, m] + b * y.v[i, m]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for m in range(6):
            out.lam[n, m] = a * x.lam[n, m] + b * y.lam[n, m]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        out.theta[d] = a * x.theta[d] + b * y.theta[d]
        if W.bound[d] > 0.0:
            for m in range(3):
                out.fric[d, m] = a * x.fric[d, m] + b * y.fric[d, m]
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        l = W.members[LIMITS, k]
        for m in range(2):
            out.lim[l, m] = a * x.lim[l, m] + b * y.lim[l, m]
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        for m in range(out.con.shape[1]):
            out.con[c, m] = a * x.con[c, m] + b * y.con[c, m]
