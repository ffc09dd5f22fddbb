"""Column of the time step: derivative by h with the coordinates at both ends of the step held.

    δv = -v/h,  δω = -ω/h                            next poses, gaps and limits stay; old ones move by  -Σ (∂pose₋/∂q̇) q̇/h
    momentum            (-L₊ + L₋)/h - m g           L₊, L₋: momenta of the two intervals; L h depends on h v, h ω only
    contact             δv_t = -v_t/h                and the overlap that may stay shrinks by the speed at which the rest is undone
    law                 -I θ̇/h + k (w₊ θ̇ + θ - θ₀ - 2 w₋ θ̇₋),  dry friction: its bound by F, its rate by -θ̇/h
                        springs and dampers that are not linear:  F + θ̇₋ ∂F/∂θ̇₋,  f(θ̇) - θ̇ f'(θ̇)

The effect of actuators and outside wrenches is in drive_columns.py. The direct change of the next coordinates is 0, that of the
next rates -q̇₊/h.
"""

from dojo_py.arrays import copy_rows, scratch
from dojo_py.hard.elements.bodies import momentum_rows, old_momentum
from dojo_py.hard.elements.dof_rows import (
    curved_damper,
    curved_spring,
    has_vector_spring,
    spring_weights,
    tendon_spring,
    vector_springs,
)
from dojo_py.hard.elements.medium import in_medium, medium_longer
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.hard.parameters.flat import FRICTIONLOSS
from dojo_py.hard.parameters.number_columns import dof_number
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS
from dojo_py.solver.octet import WIDTH

SHARE = 1e-5
"""Step of the difference that the spring of a ball or free joint needs, in time steps."""


@kernel
def timestep_column(L, W, G, D, qvel, h, out):
    """out (nv,) += column of the time step; without actuators and outside wrenches."""
    _momenta(L, W, D, h, out)
    _old_rates(L, G, D, qvel, h, out)
    for dof in range(L.dof_node.shape[0]):
        _law(L, W, D, dof, h, out)
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j >= 0 and has_vector_spring(L, j):
            _vector_springs(L, W, D, j, n, h, out)
    _contacts_and_limits(L, W, D, h, out)


@kernel
def _momenta(L, W, D, h, out):
    """Changes of the new and old momenta with the interval; gravity and the medium act longer."""
    new, old, slopes = scratch(6), scratch(6), scratch((6, WIDTH))
    for b in range(L.mass.shape[0]):
        momentum_rows(L.mass[b], L.inertia[b], W.v[b], h, new, slopes)
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, old)
        for i in range(6):
            new[i] = (new[i] - old[i]) / h
        for i in range(3):
            new[i] += L.mass[b] * L.gravity[b, i]
        if in_medium(L, b):
            medium_longer(L, W, b, new)
        pull(D.y[L.place_body[b]], new, out)


@kernel
def _old_rates(L, G, D, qvel, h, out):
    """Change of the poses one interval before, which qvel and the interval's length determine."""
    moved = scratch(6)
    for dof in range(L.dof_joint.shape[0]):
        for i in range(6):
            moved[i] = G.before_rate[dof, i] * qvel[dof] / h
        pull(D.before[L.child[L.dof_joint[dof]]], moved, out)


@kernel
def _contacts_and_limits(L, W, D, h, out):
    """Changes of slip, which is counted over the interval, and of the overlaps that may stay."""
    for c in range(W.n_active[0]):
        for r in range(1, ROWS[W.claw[c]]):
            pull_one(D.motion[c, r], -W.cval[c, r] / h, out)
        if W.contact_allowance[c] > 0.0:
            pull_one(D.motion[c, 0], -W.crecovery[c], out)
    for m in range(W.n_limits[0]):
        l = W.limit_active[m]
        dof = L.limit_dof[l]
        if W.limit_allowance[l] > 0.0:
            push = L.limit_sign[l] * W.lim[m, 0] / W.lim[m, 1] * W.lrecovery[l] * W.row_scale[dof]
            pull_one(D.y[L.place_node[L.dof_node[dof]], L.dof_row[dof]], push, out)


@kernel
def _law(L, W, D, dof, h, out):
    """Springs of hinges, slides and tendons, armature and dry friction of coordinate dof."""
    n, r = L.dof_node[dof], L.dof_row[dof]
    if n < 0:
        return
    rate = W.rows[n, r]
    change = -L.dof_armature[dof] * rate / h
    w_new, w_old = spring_weights(W.options.springs, h)
    if dof >= L.dof_joint.shape[0]:
        force, _, _, by_old_rate = tendon_spring(L, W, dof, rate, h)
        change += force + W.rate_prev[dof] * by_old_rate
    elif L.dof_vector[dof] < 0:
        offset = W.angle0[dof] - L.dof_springref[dof] - 2.0 * w_old * W.rate_prev[dof]
        force, _, _, by_old_rate = curved_spring(L, W, dof, rate, h)
        change += L.dof_stiffness[dof] * (w_new * rate + offset) + force + W.rate_prev[dof] * by_old_rate
    force, slope = curved_damper(L, dof, rate)
    change += force - slope * rate
    bound = h * L.dof_frictionloss[dof]
    if bound > 0.0:
        f = W.fric[dof]
        change -= rate / h / (f[1] / (bound + f[0]) + f[2] / (bound - f[0]))
        dof_number(L, W, D, L, FRICTIONLOSS, dof, L.dof_frictionloss[dof] / h, h, out)
    pull_one(D.y[L.place_node[n], r], -change * W.row_scale[dof], out)


@kernel
def _vector_springs(L, W, D, j, n, h, out):
    """Spring of a ball or free joint: its impulse over steps of two lengths with the same end."""
    k, rates, kept = L.ndof[j], scratch(6), scratch((6, 4))
    copy_rows(W.pull[j], kept)
    for r in range(6 - k, 6):
        rates[r] = W.rows[n, r]
    for side in range(2):
        amount = SHARE * h if side == 0 else -SHARE * h
        for r in range(6 - k, 6):
            W.rows[n, r] = rates[r] * h / (h + amount)
        vector_springs(L, W, j, h + amount)
        for r in range(6 - k, 6):
            push = -0.5 / amount * W.pull[j, r, 3] * W.row_scale[L.vadr[j] + r - 6 + k]
            pull_one(D.y[L.place_node[n], r], push, out)
    for r in range(6 - k, 6):
        W.rows[n, r] = rates[r]
    copy_rows(kept, W.pull[j])
