"""The mass that a contact moves, as far as starts need to know it."""

from dojo_py.hard.elements.bodies import velocity_of_impulse
from dojo_py.hard.islands import BODIES, CONTACTS
from dojo_py.hard.terms import FREE
from dojo_py.jit import kernel

OFF_CENTRE = 4.0
"""Effective inverse mass at the end of a rod, times the rod's mass: an estimate for impulses off the centre of any body."""

HEAVIEST = 1e3
"""A jointed body counts at most as so many times heavier than its masses tell: along some directions no impulse moves it."""


@kernel
def share_masses(L, W):
    """W.group_mass, W.group_near of the islands' groups of jointed bodies: mass, and number of violated contacts."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.group_mass[b], W.group_near[b] = 0.0, 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.group_mass[W.group[b]] += L.mass[b]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.cval[c, 0] < 0.0:
            for side in range(2):
                if W.cbody[c, side] >= 0:
                    W.group_near[W.group[W.cbody[c, side]]] += 1


@kernel
def contact_mass(L, W, c):
    """Approximate effective mass [kg] at contact c; jointed bodies on either side count as one body.

    Of each side the smaller of two estimates: the mass that this contact alone would move, and the group's mass over the number of
    its violated contacts. The inverse of the first is 1/m + tᵀ J⁻¹ t (t: torque of a unit impulse) of a free body, OFF_CENTRE / m
    of jointed ones. Those count as no lighter than what an impulse moves through their joints, in the mean over its directions:
    a finger of 5 g whose joints have an armature of 0.1 kg m² resists like 3 kg. (A start with a mass that is too small has
    impulses from which the step to the solution leaves the cones at once; one with a mass that is a thousand times too large takes
    an iteration more.)
    """
    inverse = 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            g = W.group[b]
            mass = W.group_mass[g]
            if L.kind[b] == FREE and mass == L.mass[b]:
                alone = velocity_of_impulse(mass, L.mobility[b], W.cB[c, side, 0])
                inverse += max(W.group_near[g] / mass, alone)
            else:
                light = max(W.group_near[g], OFF_CENTRE) / mass
                inverse += min(light, max(_through_joints(L, b, W.cB[c, side, 0]), light / HEAVIEST))
    return 1.0 / inverse


@kernel
def _through_joints(L, b, row):
    """Velocity at a contact of jointed body b by its unit impulse [1/kg], from mean inverse weights at qpos0. row: B of the gap."""
    return L.inverse_weight[b, 0] + L.inverse_weight[b, 1] * (row[3] ** 2 + row[4] ** 2 + row[5] ** 2)
