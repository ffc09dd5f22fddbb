"""How the residuals of a solved step change with its data, the unknowns held.

    change = [ momentum rows 6 nb | node rows 6 nn | gap and tangential velocity 3 nc | limit distances nl | coordinate rates nv ]

By central differences of the residuals themselves: they are smooth, cheap (nothing is solved) and free of stiff terms, so that
ten digits are left. What makes contact stiff enters exactly, with the factorised matrix.
"""

import math

from dojo_py.arrays import copy
from dojo_py.hard.body_table import gather_wrenches
from dojo_py.hard.contact_rows import pair_gap
from dojo_py.hard.coordinates import to_maximal
from dojo_py.hard.drives import drive
from dojo_py.hard.limits import limit_distance
from dojo_py.hard.pair_contacts import tangents
from dojo_py.hard.residuals import evaluate
from dojo_py.hard.start import load_angles, start_step
from dojo_py.jit import kernel


@kernel
def move(L, qpos, j, i, delta):
    """Move coordinate i of joint j in qpos (nq,) by the tangent delta; rotations by rotation vectors in the body frame."""
    adr, k = L.qadr[j], L.ndof[j]
    free = k == 6
    if L.count[j] == k:  # hinges and slides, or one of them
        qpos[adr + i] += delta
        return
    if free and i < 3:
        qpos[adr + i] += delta
        return
    first = adr + 3 if free else adr
    _turn_about(qpos[first : first + 4], i - 3 if free else i, delta)


@kernel
def _turn_about(q, axis, angle):
    """q (4,) becomes q ⊗ exp(angle e_axis)."""
    half = 0.5 * angle
    c, s = math.cos(half), math.sin(half)
    w, x, y, z = q[0], q[1], q[2], q[3]
    if axis == 0:
        q[0], q[1], q[2], q[3] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    elif axis == 1:
        q[0], q[1], q[2], q[3] = c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x
    else:
        q[0], q[1], q[2], q[3] = c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w


@kernel
def residuals_at(L, P, Q, T, M, W, V, qpos, qvel, act, control, wrenches, step, h, scheme, bodies):
    """Evaluate the residuals at the unknowns in W for other data. Writes bodies (nb, 13), the state at the start."""
    to_maximal(L, qpos, qvel, h, bodies, V.coordinates)
    gather_wrenches(M, bodies, wrenches, step, V.wrench, V.scratch)
    drive(L, T, V, bodies, qpos, qvel, act, control, h)
    load_angles(L, qpos, V.angle)
    copy(V.force, W.force)
    start_step(L, W, bodies, V.angle, qvel, V.wrench, h)
    for c in range(W.n_active[1], W.n_active[0]):
        n = W.cframe[c, 0]
        pair_gap(Q, W.active[c] - P.body.shape[0], W.x, W.R, n, W.scratch)
        tangents(n, W.cframe[c, 1:3])
    evaluate(L, P, Q, V.servos, W, h, scheme)


@kernel
def add_residuals(L, W, h, factor, change):
    """change += factor * the residuals that were last evaluated."""
    k = 0
    for b in range(L.mass.shape[0]):
        for i in range(6):
            change[k] += factor * W.rb[b, i]
            k += 1
    for n in range(L.node_joint.shape[0]):
        for i in range(6):
            change[k] += factor * W.rn[n, i]
            k += 1
    for c in range(W.n_active[0]):
        for i in range(3):
            change[k] += factor * W.cval[c, i]
            k += 1
    axis = W.scratch[112, 0:3]
    for m in range(W.n_limits[0]):
        change[k] += factor * limit_distance(L, W, W.limit_active[m], h, axis, W.scratch)
        k += 1
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j >= 0:
            for i in range(L.ndof[j]):
                change[k + L.vadr[j] + i] += factor * W.rows[n, 6 - L.ndof[j] + i]
