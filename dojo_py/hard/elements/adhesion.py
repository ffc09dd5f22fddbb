"""Adhesion: the force of an actuator on a body pulls along the normals of all contacts of the body, divided equally among them.

    on the first body of a contact  -p/N n,  on the second  p/N n;     n: from the second to the first,  N: contacts of the body

The contacts are those that touch at the start of the step, with their normals and points there. In the step's equations it is an
external force, which normal impulses balance together with all other loads: friction's bound, μ times the normal impulse, contains
it. In the hard limit only: on the central path no contact touches.

A law that depends on velocity sees v = mean of -n · (v₁ - v₂) over the contacts, as MuJoCo has it.
"""

from dojo_py.algebra.vectors import to_world
from dojo_py.arrays import scratch
from dojo_py.hard.compiled_apart import START, feature_place
from dojo_py.hard.elements.contact_rows import plane_gap
from dojo_py.hard.elements.plane_contacts import touching
from dojo_py.jit import kernel

TOUCHING = 1e-7
"""Largest gap [m] at which a contact counts as touching: solved ones have up to two standoffs, 2e-10 m, and round-off."""


@kernel
def adhere(L, P, Q, A, W, wrench):
    """Add the adhesion of A.pull_law to wrench (nb, 6), world axes, about the centres of mass; its forces into A.pull_force."""
    place = scratch(6)
    for a in range(A.pull_body.shape[0]):
        count, velocity = 0, 0.0
        for c in range(W.n_active[0]):
            if _sticks(L, P, Q, W, W.active[c], A.pull_body[a], place):
                count += 1
                for side in range(2):
                    velocity -= (1.0 if side == 0 else -1.0) * _speed(W, W.cbody[c, side], place)
        law = A.pull_law[a]
        p = min(max(law[0] + law[1] * velocity / max(count, 1), law[2]), law[3])
        A.pull_force[a] = p
        if p == 0.0:
            continue
        for c in range(W.n_active[0]):
            if _sticks(L, P, Q, W, W.active[c], A.pull_body[a], place):
                for side in range(2):
                    _pull(W, W.cbody[c, side], (-p if side == 0 else p) / count, place, wrench)


@kernel
def _sticks(L, P, Q, W, candidate, body, place):
    """Whether a candidate is a contact of a body of the model that touches at the start; place (6,): then its normal and point."""
    planes = P.body.shape[0]
    if candidate < planes:
        if L.geom_body[P.geom[candidate, 0]] != body and L.geom_body[P.geom[candidate, 1]] != body:
            return False
        if plane_gap(P, candidate, W.x, W.R) > TOUCHING:
            return False
        _plane_place(P, candidate, W, place)
        return True
    f = candidate - planes
    if L.geom_body[W.fshape[f, 0]] != body and L.geom_body[W.fshape[f, 1]] != body:
        return False
    if feature_place(L, P, Q, W, f, START) > TOUCHING:
        return False
    for k in range(3):
        place[k], place[3 + k] = W.feature.normal[k], W.feature.point[k]
    return True


@kernel
def _plane_place(P, i, W, place):
    """Normal and point of plane candidate i at the start."""
    b, n = P.body[i], P.normal[i]
    p, _ = touching(P, i, W.R[b])
    surface = to_world(W.R[b], W.x[b], p)
    for k in range(3):
        place[k], place[3 + k] = n[k], surface[k] - P.radius[i] * n[k]


@kernel
def _speed(W, b, place):
    """Velocity along the normal of a point of body b at the place [m/s]; 0 for the world."""
    if b < 0:
        return 0.0
    v, R, w = W.v_prev[b], W.R[b], scratch(3)
    for k in range(3):
        w[k] = R[k, 0] * v[3] + R[k, 1] * v[4] + R[k, 2] * v[5]
    total = 0.0
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        total += place[k] * (v[k] + w[m] * (place[3 + n] - W.x[b, n]) - w[n] * (place[3 + m] - W.x[b, m]))
    return total


@kernel
def _pull(W, b, p, place, wrench):
    """Add a force p along the normal at the place to body b; nothing for the world."""
    if b < 0:
        return
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        wrench[b, k] += p * place[k]
        wrench[b, 3 + k] += p * ((place[3 + m] - W.x[b, m]) * place[n] - (place[3 + n] - W.x[b, n]) * place[m])
