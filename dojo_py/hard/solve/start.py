"""What a step needs of where it starts: poses, velocities, momenta, frames of contacts, allowed penetrations."""

from dojo_py.algebra.rotations import quat_to_matrix
from dojo_py.arrays import copy
from dojo_py.collision.participation import takes_part
from dojo_py.friction_laws import CONE, FRICTIONLESS, PYRAMID
from dojo_py.hard.compiled_apart import START
from dojo_py.hard.contacts.immovable import deepest, immovable, jams, jointed
from dojo_py.hard.elements.bodies import old_momentum
from dojo_py.hard.elements.closures import start_closures
from dojo_py.hard.elements.contact_rows import OVERLAP, ROUND_OFF_GAP, allowance, candidate_gap, start_contact
from dojo_py.hard.elements.joint_rows import start_joints
from dojo_py.hard.elements.limits import start_room, undone
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS
from dojo_py.jit import kernel
from dojo_py.solver.cones.standoff import FARTHEST, NEAREST

OUT_OF_REACH = 1e6
"""Added to the gap of a contact that takes no part [m]."""


@kernel
def load_bodies(L, W, bodies):
    """Poses and old velocities of all bodies, for the choice of contacts. bodies (nb, 13)."""
    for b in range(L.mass.shape[0]):
        _load_body(W, b, bodies[b])


@kernel
def _load_body(W, b, body):
    """Pose and old velocity of body b from its row (13,) [x, v, q, ω]."""
    copy(body, W.from_bodies[b])
    for i in range(3):
        W.x[b, i] = body[i]
        W.v_prev[b, i] = body[3 + i]
        W.v_prev[b, 3 + i] = body[10 + i]
    for i in range(4):
        W.q[b, i] = body[6 + i]
    quat_to_matrix(W.q[b], W.R[b])


@kernel
def load_state(L, W, bodies, angle, rate, h):
    """Load the state at the start of a step; velocities are over the interval h [s] before. bodies (nb, 13); angle, rate (nd,)."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        _load_body(W, b, bodies[b])
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, W.begin[b])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        W.angle0[i] = angle[i]
        W.rate_prev[i] = rate[i]


@kernel
def start_step(L, P, Q, W, h, speed):
    """What a step of length h [s] needs of its start: momentum, impulse directions, frames of contacts, allowed penetrations.

    speed [m/s, rad/s]: how fast an initial violation is undone at most.
    """
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        R = W.R[b]
        for i in range(3):
            W.momentum[b, i] = W.begin[b, i] + h * (L.mass[b] * L.gravity[b, i] + W.wrench[b, i])
            torque = R[0, i] * W.wrench[b, 3] + R[1, i] * W.wrench[b, 4] + R[2, i] * W.wrench[b, 5]
            W.momentum[b, 3 + i] = W.begin[b, 3 + i] + h * torque
    start_joints(L, W)
    start_closures(L, W)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.crecovery[c] = speed
        gap = start_contact(L, P, Q, W, c, h * speed)
        if W.cheld[c]:
            _hold_bound(W, c)
        if _takes_no_part(L, P, Q, W, c, speed, gap):
            W.claw[c] = FRICTIONLESS
            W.contact_allowance[c] = OUT_OF_REACH
        elif gap < -OVERLAP and W.kappa[0] == 0.0 and jams(L, P, Q, W, c, -gap):
            W.claw[c] = FRICTIONLESS
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        W.limit_allowance[l] = 0.0
        standoff, hard = W.solver.standoff + ROUND_OFF_GAP * _angles(L, W, l), W.in_hard_limit[0]
        W.limit_standoff[l] = hard * standoff
        W.lrecovery[l] = speed
        if L.limit_sign[l] != 0.0 or W.kappa[0] == 0.0:  # (derivatives of balls do not know of an allowance)
            W.limit_allowance[l] = allowance(start_room(L, W, l), undone(L, W, l, h * speed), NEAREST * standoff, hard)
        if W.limpact[l] == 1:
            W.limit_allowance[l] = min(W.limit_allowance[l], FARTHEST * standoff - W.lend[l])


@kernel
def _takes_no_part(L, P, Q, W, c, speed, gap):
    """Whether contact c, of this gap [m] at the start, is left out of the step.

    So is a contact whose normal no joint lets move (immovable.py; on the central path only where it touches); an overlap that
    cannot grow and is between jointed bodies, where a closed loop keeps it from opening, or may stay (speed 0); a ghost
    (ghosts.py); a feature that does not belong to the present part of the step (part_features.py).
    """
    a, b = W.cbody[c, 0], W.cbody[c, 1]
    if c >= W.n_active[1] and not takes_part(W, W.active[c] - P.body.shape[0]):
        return True
    may_stay = jointed(L, W, a, b) or (speed == 0.0 and W.kappa[0] == 0.0)
    if gap < -OVERLAP and may_stay and deepest(L, P, Q, W, c):
        return True
    if W.kappa[0] > 0.0 and candidate_gap(L, P, Q, W, W.active[c], START) > OVERLAP:
        return False
    return immovable(L, P, Q, W, c, -gap if gap < -OVERLAP else 0.0)


@kernel
def _hold_bound(W, c):
    """Friction law of contact c while the bound of friction is held (held_friction.py): a second-order cone, or frictionless."""
    if not W.cbound[c] > 0.0:
        W.claw[c] = FRICTIONLESS
    elif W.claw[c] == PYRAMID:
        W.claw[c] = CONE


@kernel
def _angles(L, W, l):
    """The magnitude [rad, m] to which the round-off of limit l's distance is relative."""
    return abs(W.angle0[L.limit_dof[l]]) + abs(L.limit_bound[l])
