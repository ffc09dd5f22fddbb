"""The contacts of the latest step as a table in the form of hard/contact_table.py, for loops that read it while they run."""

from dojo_py.collision.contact_columns import FRAME, GAP, GEOMS, IMPULSE, POSITION, TORQUE, WIDTH
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import Cone
from dojo_py.soft.workspace import NCON

ELLIPTIC = int(Cone.ELLIPTIC)


@kernel
def fill_contacts(m, w, out):
    """Rows of out (n, WIDTH), modified in place; n is at least the number of contacts."""
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
            for k in range(c.dim):
                row[IMPULSE + k if k < 3 else TORQUE + k - 3] = h * force[a + k]
        else:  # edges: normal ± mu_j times direction j
            mu = m.pairs[c.pair].friction
            for k in range(1, c.dim):
                e = a + 2 * (k - 1)
                row[IMPULSE] += h * (force[e] + force[e + 1])
                row[IMPULSE + k if k < 3 else TORQUE + k - 3] = h * mu[k - 1] * (force[e] - force[e + 1])
