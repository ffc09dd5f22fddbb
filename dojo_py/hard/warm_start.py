"""What a step leaves for the next one, as one flat row: kept with the state, so that a step is a function of its state alone,
wherever that was kept. Order: how the step ended for each body (HOW of island_memory.py), momenta that bodies carry beside their
velocities (a flag for each body, the step's length over that of its last part, 0: none; then six numbers for each), the rest of the
memory of each body, λ of nodes, limits, dry friction, contacts, features chosen (pair + 1, key, impulse), then zeros.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.participation import NOW
from dojo_py.hard.island_memory import DIVIDED, HOW, MEMORIES
from dojo_py.hard.workspace import contact_rows
from dojo_py.jit import kernel


class RowShape(NamedTuple):
    """Lengths of the rows of a model."""

    own: int  # length without features of pairs
    wide: int  # numbers of a feature

    def size(self, room: int) -> int:
        """Length with room for so many features."""
        return self.own + self.wide * room

    def room(self, row: Any) -> int:
        """For how many features of pairs a row has room; -1: it is no row of this model."""
        over = row.shape[-1] - self.own
        return over // self.wide if over >= 0 and over % self.wide == 0 else -1

    def used_part(self, rows: Any) -> Any:
        """Rows (…, n), cut behind the last place for a feature that one of them uses."""
        if rows.shape[-1] == self.own:
            return rows
        taken = rows[..., self.own :: self.wide]
        used = np.count_nonzero(taken.any(axis=0) if rows.ndim > 1 else taken)
        return rows[..., : self.size(int(used))].copy()


def row_shape(layout: Any, planes: Any, pairs: Any) -> RowShape:
    """The RowShape of a model."""
    rows = contact_rows(planes, pairs)
    own = (7 + MEMORIES) * len(layout.mass) + 6 * len(layout.node_joint) + len(layout.limit_dof) + len(layout.dof_node)
    return RowShape(own + rows * len(planes.body), 2 + rows)


def carried_flags(rows: Any, bodies: int) -> Any:
    """(…, nb) of rows (…, n): not zero where a body carries a momentum that is not that of its velocity."""
    return rows[..., bodies : 2 * bodies]


def carried_momentum(row: Any, bodies: int) -> Any:
    """(flags (…, nb), carried momenta (…, nb, 6)) of rows (…, n), see `carried_flags`; angular in the body frame [N s, N m s]."""
    return carried_flags(row, bodies), row[..., 2 * bodies : 8 * bodies].reshape(*row.shape[:-1], bodies, 6)


@kernel
def load_warm(W, row):
    """The impulses of a row (n,) into W."""
    nb = W.memory.shape[0]
    load_carried(W, row)
    k = 8 * nb
    for b in range(nb):
        W.memory[b, HOW] = row[b]
        W.warm[b] = 1 if row[b] > DIVIDED else 0
        for i in range(HOW + 1, MEMORIES):
            W.memory[b, i] = row[k]
            k += 1
    for n in range(W.warm_lam.shape[0]):
        for i in range(6):
            W.warm_lam[n, i] = row[k]
            k += 1
    for i in range(W.warm_lim.shape[0]):
        W.warm_lim[i] = row[k]
        k += 1
    for i in range(W.warm_fric.shape[0]):
        W.warm_fric[i] = row[k]
        k += 1
    for c in range(W.warm_con.shape[0] - W.fpair.shape[0]):
        for i in range(W.warm_con.shape[1]):
            W.warm_con[c, i] = row[k]
            k += 1
    wide = W.warm_feature.shape[1]
    for c in range(W.warm_feature.shape[0]):
        known = k < row.shape[0] and row[k] > 0.0  # (the rest is zero)
        for i in range(wide):
            W.warm_feature[c, i] = row[k + i] if known else 0.0
        if not known:
            break
        k += wide


@kernel
def load_carried(W, row):
    """The carried momenta of a row (n,) into W."""
    nb = W.carried.shape[0]
    for b in range(nb):
        W.carried[b] = row[nb + b]
        for i in range(6):
            W.carry[b, i] = row[2 * nb + 6 * b + i]


@kernel
def any_carried(W):
    """Whether a body carries such a momentum (`carried_flags`) where the step starts."""
    total = 0.0
    for b in range(W.carried.shape[0]):
        total += W.carried[b]
    return total > 0.0


@kernel
def _number(x):
    """x, or 0 where it is not finite."""
    return x if math.isfinite(x) else 0.0


@kernel
def save_warm(W, row):
    """The impulses of W into a row (n,); numbers that are not finite, and momenta that no body carries, become 0."""
    nb = W.memory.shape[0]
    k = 8 * nb
    for b in range(nb):
        row[b], row[nb + b] = W.memory[b, HOW], W.carried[b]
        for i in range(6):
            row[2 * nb + 6 * b + i] = _number(W.carry[b, i]) if W.carried[b] > 0.0 else 0.0
        for i in range(HOW + 1, MEMORIES):
            row[k] = _number(W.memory[b, i])
            k += 1
    for n in range(W.warm_lam.shape[0]):
        for i in range(6):
            row[k] = _number(W.warm_lam[n, i])
            k += 1
    for i in range(W.warm_lim.shape[0]):
        row[k] = _number(W.warm_lim[i])
        k += 1
    for i in range(W.warm_fric.shape[0]):
        row[k] = _number(W.warm_fric[i])
        k += 1
    first = W.warm_con.shape[0] - W.fpair.shape[0]
    for c in range(first):
        for i in range(W.warm_con.shape[1]):
            row[k] = _number(W.warm_con[c, i])
            k += 1
    for c in range(W.n_features[NOW]):
        row[k], row[k + 1] = W.fpair[c] + 1.0, float(W.fkey[c])
        for i in range(W.warm_con.shape[1]):
            row[k + 2 + i] = _number(W.warm_con[first + c, i])
        k += W.warm_feature.shape[1]
    while k < row.shape[0] and row[k] > 0.0:  # clear features of an earlier step
        row[k : k + W.warm_feature.shape[1]] = 0.0
        k += W.warm_feature.shape[1]
