"""The end of the central path for friction: what sticks may creep, by less than velocities are accurate to.

On the path ξ∘η = κ_f e a contact that sticks creeps at κ_f over its bound. With one κ_f for all contacts, which serves the lightest
load, the most loaded contact would have to stick to 1e-15 m/s, less than the round-off of velocities: its stiffness, bound over
creep, is then 1e21 times the inertia of a small link, and no linear system with it can be solved (two grippers that jam each
other: the residual goes from 1e-8 m/s to 3 m/s in one Newton step). So near the end of the path each contact has its own target,

    κ_c = max(κ_f, creep · tolerance of residuals [m/s] · bound)        creep: SolverSettings.creep

as gaps have with their standoff (solver/cones/standoff.py). Above κ = 0 all products have the same target.
"""

from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS, SECOND_ORDER, friction_bound


@kernel
def creep(W):
    """How fast what sticks may creep at the end of the path [m/s, rad/s]; 0 on the path."""
    return W.solver.creep * W.options.residual_tolerance * W.in_hard_limit[0]


@kernel
def least_product(W, c, z):
    """Friction's product [N s m/s] of contact c, whose state is z, where it has arrived at the end of the path.

    Rows are scaled by their ratios to the first friction coefficient, of spinning and rolling in m: what has the smallest ratio
    creeps at `creep`, all else at less.
    """
    law, mu, share = W.claw[c], W.cmu[c], 1.0
    for r in range(ROWS[law] - 1):
        share = min(share, W.cratio[c, r])
    bound = friction_bound(law, mu, z) if SECOND_ORDER[law] > 0 else mu * z[0]
    return creep(W) * share * bound


@kernel
def aim_of_friction(W, c, kf):
    """Target of friction's products of contact c [N s m/s]; kf: the target of all."""
    return max(kf, least_product(W, c, W.con[c]))


@kernel
def aim_of_dry_friction(W, dof, kf):
    """Target of the products of dry friction of a coordinate [N s m/s, N m s rad/s]; kf: the target of all."""
    return max(kf, creep(W) * W.bound[dof])
