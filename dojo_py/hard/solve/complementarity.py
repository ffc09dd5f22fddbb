"""How far the complementarity products of a point are from their targets."""

from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.solve.creep import least_dry_product, least_product
from dojo_py.hard.solve.residual_norm import worse
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import friction_complementarity
from dojo_py.solver.cones.standoff import FARTHEST, beyond_standoff


@kernel
def centring(W, kn, kf, alpha, out):
    """Complementarity after alpha times the step in W.d… (0: here). out (6,), normal pairs and limits, then friction
    (Dojo, eq. 50-53):

    0, 3: largest |b∘c - k e|; 1, 4: Σ b·c; 2, 5: degree.       [N s m], [N s m/s]

    Gaps count beyond their standoff, friction's products beyond those of what sticks at the end of the path (creep.py).
    """
    out[:] = 0.0
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        gamma, s = W.lim[m, 0] + alpha * W.dlim[m, 0], W.lim[m, 1] + alpha * W.dlim[m, 1]
        _add_pair(out, gamma, s, W.limit_standoff[W.limit_active[m]], kn)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        bound = W.bound[dof]
        if bound > 0.0:
            f, d = W.fric[dof], W.dfric[dof]
            beta = f[0] + alpha * d[0]
            least = least_dry_product(W, dof, beta)
            for product in ((bound + beta) * (f[1] + alpha * d[1]), (bound - beta) * (f[2] + alpha * d[2])):
                out[3] = worse(out[3], abs(product - max(kf, least)) - least)
                out[4] += max(product - least, 0.0)
                out[5] += 1.0
    z = W.state
    for m in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, m]
        for k in range(z.shape[0]):
            z[k] = W.con[c, k] + alpha * W.dcon[c, k] if alpha > 0.0 else W.con[c, k]
        _add_pair(out, z[0], z[1], W.standoff[c], kn)
        least = least_product(W, c, z)
        worst, total, degree = friction_complementarity(W.claw[c], W.cmu[c], z, max(kf, least))
        out[3] = worse(out[3], worst - least)
        out[4] += max(total - degree * least, 0.0)
        out[5] += degree


@kernel
def _add_pair(out, b, c, standoff, k):
    """Add one product of an impulse b and a gap c to the first three of out: the distance of b (c - t) from its target k for the t
    between 0 and FARTHEST - 1 standoffs that makes it least, so that gaps in this band have arrived; the product beyond the
    standoff; 1.
    """
    excess = b * (c - standoff) - k
    out[0] = worse(out[0], excess - (FARTHEST - 1.0) * b * standoff if excess > 0.0 else k - b * c)
    out[1] += max(b * beyond_standoff(c, standoff), 0.0)
    out[2] += 1.0
