"""The contacts of the latest step as a table in the form of hard/contact_table.py, for loops that read it while they run."""

from dojo_py.jit import counted_kernel as kernel
from dojo_py.soft.workspace import NCON

ELLIPTIC = 1
GAP, IMPULSE, POSITION, FRAME, GEOMS, WIDTH = 0, 1, 4, 7, 16, 18
"""Columns: gap, impulse 3, position 3, frame 9, the two geoms + 1; 0: the row holds no contact. The normal points to the first."""


@kernel
def fill_contacts(m, w, out):
    """Rows of out (n, WIDTH), modified in place; contacts that do not fit are left out."""
    count, h = w.rows.counts[NCON], m.options[0].timestep
    elliptic = m.options[0].cone == ELLIPTIC
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
        a, force = c.efc_address, w.solver.force
        if a < 0:
            continue
        if c.dim == 1:
            row[IMPULSE] = h * force[a]
        elif elliptic:
            for k in range(3):
                row[IMPULSE + k] = h * force[a + k]
        else:  # edges: normal ± mu_j times tangent j
            for k in range(2 * (c.dim - 1)):
                row[IMPULSE] += h * force[a + k]
            mu = m.pairs[c.pair].friction
            row[IMPULSE + 1] = h * mu[0] * (force[a] - force[a + 1])
            row[IMPULSE + 2] = h * mu[1] * (force[a + 2] - force[a + 3])
