"""What a step leaves for the next one's first guess, as one flat row: kept with the state, so that a step is a function of its
state alone, wherever that was kept. Order: a flag for each body (0: nothing), λ of nodes, limits, dry friction, contacts.
"""

from __future__ import annotations

import math
from typing import Any

from dojo_py.jit import kernel


def warm_size(layout: Any, planes: Any, pairs: Any) -> int:
    """Length of the row."""
    contacts = len(planes.body) + len(pairs.kind)
    return len(layout.mass) + 6 * len(layout.node_joint) + len(layout.limit_dof) + len(layout.dof_joint) + 3 * contacts


@kernel
def load_warm(W, row):
    """The impulses of a row (warm_size,) into W."""
    k = 0
    for b in range(W.warm.shape[0]):
        W.warm[b] = row[k]
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
    for c in range(W.warm_con.shape[0]):
        for i in range(3):
            W.warm_con[c, i] = row[k]
            k += 1


@kernel
def _number(x):
    """x, or 0 where it is not finite."""
    return x if math.isfinite(x) else 0.0


@kernel
def save_warm(W, row):
    """The impulses of W into a row (warm_size,); what is not a number is none."""
    k = 0
    for b in range(W.warm.shape[0]):
        row[k] = W.warm[b]
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
    for c in range(W.warm_con.shape[0]):
        for i in range(3):
            row[k] = _number(W.warm_con[c, i])
            k += 1
