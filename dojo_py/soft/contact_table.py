"""The contacts of the latest step as a table in the form of hard/contact_table.py: for steps, and for loops that read it while
they run.
"""

from typing import Any

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.collision.contact_columns import FRAME, GAP, GEOMS, IMPULSE, POSITION, TORQUE, WIDTH
from dojo_py.jit import entry, kernel
from dojo_py.simulate.results import Contacts
from dojo_py.soft.contact_force import contact_force
from dojo_py.soft.workspace import NCON


@kernel
def fill_contacts(m, w, out):
    """Rows of out (n, WIDTH), modified in place; n is at least the number of contacts."""
    count, h, f = w.rows.counts[NCON], m.options[0].timestep, scratch(6)
    for i in range(out.shape[0]):
        row = out[i]
        for k in range(WIDTH):
            row[k] = 0.0
        if i >= count:
            continue
        c = w.rows.contacts[i]
        row[GAP], row[GEOMS], row[GEOMS + 1] = c.dist, c.geom2 + 1.0, c.geom1 + 1.0
        for k in range(3):
            row[POSITION + k] = c.pos[k]
            for j in range(3):
                row[FRAME + 3 * k + j] = c.frame[k, j]
        contact_force(m, w, c, f)
        for k in range(3):
            row[IMPULSE + k], row[TORQUE + k] = h * f[k], h * f[3 + k]


@entry
def fill_contacts_once(m, w, out):
    """`fill_contacts` for callers in Python."""
    fill_contacts(m, w, out)


def contacts_of(model: Any, table: np.ndarray) -> Contacts:
    """A table (n, WIDTH) under the model's names; it is copied."""
    used = table[table[:, GEOMS] > 0]
    geoms = used[:, GEOMS : GEOMS + 2].astype(int) - 1
    return Contacts(
        np.asarray(model.geom_bodyid, int)[geoms].reshape(-1, 2), geoms.reshape(-1, 2), used[:, POSITION : POSITION + 3].copy(),
        used[:, FRAME : FRAME + 9].reshape(-1, 3, 3).copy(), used[:, GAP].copy(), used[:, IMPULSE : IMPULSE + 3].copy(),
        tuple(getattr(model, "body_names", ())), tuple(getattr(model, "geom_names", ())), used[:, TORQUE : TORQUE + 3].copy(),
    )  # fmt: skip
