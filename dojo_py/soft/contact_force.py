"""Force and torque of a contact from its constraint rows, less the adhesion that its geoms have in themselves."""

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import Cone

ELLIPTIC = int(Cone.ELLIPTIC)


@kernel
def contact_force(m, w, c, f):
    """f (6,) = force [N] and torque [N m] of contact c on its second geom, in the contact's frame; zero where it has no rows."""
    force, pair, a = w.solver.force, m.pairs[c.pair], c.efc_address
    for k in range(6):
        f[k] = 0.0
    if a < 0:
        return
    if c.dim == 1:
        f[0] = force[a]
    elif m.options[0].cone == ELLIPTIC:
        for k in range(c.dim):
            f[k] = force[a + k]
    else:  # edges: normal ± mu_j times direction j
        for k in range(c.dim - 1):
            f[0] += force[a + 2 * k] + force[a + 2 * k + 1]
            f[1 + k] = pair.friction[k] * (force[a + 2 * k] - force[a + 2 * k + 1])
    f[0] -= pair.adhesion
