"""The end of the central path for friction: what sticks may creep, by less than velocities are accurate to.

On the path ξ∘η = κ_f e a contact that sticks, with friction ξ under a bound b, has

    η₁ = κ_f b / (b² - |ξ|²),   slip η = -η₁ ξ / b

With one κ_f for all contacts, which serves the lightest load, the most loaded contact would have to stick to 1e-15 m/s, less than
the round-off of velocities: its stiffness, b/η₁, is then 1e21 times the inertia of a small link, and no linear system with it can
be solved (two grippers that jam each other: the residual goes from 1e-8 m/s to 3 m/s in one Newton step). So near the end of the
path each contact has a target of its own, with which η₁ is at least the creep, and no more for its sake,

    κ_c = max(κ_f, creep (b² - |ξ|²)/b)        creep: SolverSettings.creep times the tolerance of residuals [m/s]

Gaps have their standoff for that (solver/cones/standoff.py). Above κ = 0 all products have the same target.
"""

from dojo_py.friction_laws import PYRAMID
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS, SECOND_ORDER, XI, friction_bound
from dojo_py.solver.cones.pyramid import S_PSI


@kernel
def creep(W):
    """How fast what sticks may creep at the end of the path [m/s, rad/s]; 0 on the path."""
    return W.solver.creep * W.options.residual_tolerance * W.in_hard_limit[0]


@kernel
def least_product(W, c, z):
    """Friction's product [N s m/s] of contact c, whose state is z, where it has arrived at the end of the path.

    The pyramid's ψ is its creep, and ψ s_ψ the product. Rows are scaled by their ratios to the first friction coefficient, those of
    spinning and rolling in m: the row of the smallest ratio creeps at `creep`, the others at less.
    """
    law, share = W.claw[c], 1.0
    for r in range(ROWS[law] - 1):
        share = min(share, W.cratio[c, r])
    if law == PYRAMID:
        return creep(W) * share * z[S_PSI]
    n = SECOND_ORDER[law]
    if n == 0:
        return 0.0
    bound, square = friction_bound(law, W.cmu[c], z), 0.0
    for i in range(n):
        square += z[XI + i] * z[XI + i]
    return creep(W) * share * max(bound - square / bound, 0.0) if bound > 0.0 else 0.0


@kernel
def aim_of_friction(W, c, kf):
    """Target of friction's products of contact c [N s m/s]; kf: the target of all."""
    return max(kf, least_product(W, c, W.con[c]))


@kernel
def least_dry_product(W, dof, beta):
    """As `least_product`, of both products of dry friction β of a coordinate: with κ in both its rate is 2 κ β/(b² - β²)."""
    bound = W.bound[dof]
    return 0.5 * creep(W) * max(bound - beta * beta / bound, 0.0)


@kernel
def aim_of_dry_friction(W, dof, kf):
    """Target of the products of dry friction of a coordinate [N s m/s, N m s rad/s]; kf: the target of all."""
    return max(kf, least_dry_product(W, dof, W.fric[dof, 0]))
