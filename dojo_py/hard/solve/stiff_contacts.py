"""Contacts that are too stiff for derivatives: they get a very small compliance.

On the central path at small κ a contact is as stiff as γ/s, its friction as ξ/η. Where that is 1e12 times the mass of its bodies,
eliminating one body from the other's rows leaves four digits of the mass: derivatives were off by 5e-3 to 0.5 at κ 1e-12 of the
model's units. The matrix of a contact with the world has one body, and `assemble` keeps it apart in pairs of doubles; but its
right-hand sides by coordinates are as large as its stiffness, and what is perpendicular to the contact's rows in them is round-off
of that: columns by coordinates were off by 5e-15/κ, 5e-3 at κ 1e-12. With the compliance they are off by 1e-5 at most.
"""

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS
from dojo_py.solver.small_systems import divide

SOFT = 1e-3
"""Stiffness, times the compliance of stiff contacts, below which a contact is left as it is: K would change by SOFT⁴."""


@kernel
def give_way_where_stiff(rows, K, yields, inverse_mass, h):
    """K (rows, rows) of a contact becomes (K⁻¹ + C)⁻¹ = (1 + K C)⁻¹ K, C = c diag(h, 1, …, 1), by elimination.

    c [1/kg]: `yields` times the inverse mass of the bodies where K is as stiff as 1/c or stiffer; below it falls with K cubed.
    h [s]: the first row of K is of the gap, h times a velocity.
    """
    stiff = h * abs(K[0, 0])
    for i in range(1, rows):
        stiff = max(stiff, abs(K[i, i]))
    share = stiff * inverse_mass * yields
    if share < SOFT:
        return
    compliance = yields * inverse_mass * min(share**3, 1.0)
    A = scratch((MOST_ROWS, MOST_ROWS))
    for i in range(rows):
        for j in range(rows):
            A[i, j] = K[i, j] * (compliance * h if j == 0 else compliance) + (1.0 if i == j else 0.0)
    divide(A, K, rows, rows)  # (no pivots: the normal impulse depends on the gap alone, and friction resists every slip)


@kernel
def inverse_mass_of_motion(L, W, c, inverse):
    """Inverse mass [1/kg] along the normal of contact c with the world, by what its body does: at most `inverse`, that of the body
    alone.

    It is the velocity along the normal, without impulses and with them, over the impulse. A body that a joint wedges against the
    ground gets an impulse far beyond its own momentum; a compliance by its own mass would be a part of the little that the joint
    lets it move, and A off by 3e-2 at κ 1e-4.
    """
    b = W.cbody[c, 0] if W.cbody[c, 0] >= 0 else W.cbody[c, 1]
    row, free, now = W.cB[c, 0 if W.cbody[c, 0] >= 0 else 1, 0], 0.0, 0.0
    for i in range(3):
        turned = 0.0
        for j in range(3):
            turned += L.mobility[b, i, j] * W.momentum[b, 3 + j]
        free += row[i] * W.momentum[b, i] / L.mass[b] + row[3 + i] * turned
        now += row[i] * W.v[b, i] + row[3 + i] * W.v[b, 3 + i]
    gamma = W.con[c, 0]
    return min(inverse, (abs(free) + abs(now)) / gamma) if gamma > 0.0 else inverse
