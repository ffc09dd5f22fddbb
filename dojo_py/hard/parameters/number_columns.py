"""Columns of numbers that act each by itself, on one body, coordinate or limit: minus the change of its rows, in closed form.

mass              v - v₋ - h g
inertia  J_ij     s l + (h/2) ω × l - (s₋ l₋ - (h/2) ω₋ × l₋),    l = e_i ω_j,  s = sqrt(1 - h²|ω|²/4)
gravity           -h m                          wrench         -h f along the world's axes, -h R₀ᵀ τ
damping           h θ̇                           armature       θ̇ - θ̇₋
stiffness         h (w₊ θ̇ + θ - θ₀ - w₋ θ̇₋)     spring's rest  -h ∂F/∂θ          of balls, free joints: their law, linear in k
dry friction F    -h ∂β/∂b,    ∂β/∂b = (ν₋/(b - β) - ν₊/(b + β)) / (ν₋/(b - β) + ν₊/(b + β)),   b = h F

A tendon's spring is stretched by how far its length l is outside the interval of rest, x = max(l - upper, 0) + min(l - lower, 0):

stiffness         h (a x(l₋) + b x(l) + c x(l₊))         a, b, c: `spring_shares`
end of the rest   -h Σ a F'(l₋), b F'(l), c F'(l₊)       of the lengths beyond that end

bound of a limit  -γ/s                                   γ s = κ,  s = ±(θ₊ - bound);  0 where an overlap may stay
bound θ of a ball -(γ/s) ∂s/∂θ a - γ a/θ                 a = r/θ,  ∂s/∂θ = (1 + |a|²)/2 (limits.py)
"""

import math

from dojo_py.arrays import copy_rows, scratch
from dojo_py.hard.elements.dof_rows import (
    curved_spring,
    spring_shares,
    spring_weights,
    tendon_force,
    tendon_stretch,
    vector_springs,
)
from dojo_py.hard.elements.limits import limit_distance
from dojo_py.hard.parameters.adjoint import pull_one, pull_three
from dojo_py.hard.parameters.flat import ARMATURE, DAMPING, FRICTIONLOSS, GRAVITY, INERTIA, MASS, SPRINGREF, STIFFNESS, WRENCH
from dojo_py.jit import kernel


@kernel
def body_number(L, W, D, column, b, part, value, h, out):
    """out (nv,) += column of a number of body b times value."""
    y, x = D.y[L.place_body[b]], scratch(3)
    v, old = W.v[b], W.v_prev[b]
    if column == MASS:
        for i in range(3):
            x[i] = -value * (v[i] - old[i] - h * L.gravity[b, i])
        pull_three(y[0:3], x, out)
    elif column == GRAVITY:
        pull_one(y[part], value * h * L.mass[b], out)
    elif column == WRENCH and part < 3:
        pull_one(y[part], value * h, out)
    elif column == WRENCH:
        for i in range(3):
            x[i] = value * h * W.R[b, part - 3, i]
        pull_three(y[3:6], x, out)
    elif column == INERTIA:
        x[0] = x[1] = x[2] = 0.0
        _angular(v, part // 3, part % 3, 0.5 * h, -value, x)
        _angular(old, part // 3, part % 3, -0.5 * h, value, x)
        pull_three(y[3:6], x, out)


@kernel
def _angular(v, i, j, half, scale, x):
    """x (3,) += scale * (s l + half ω × l),  l = e_i ω_j."""
    a, b = (i + 1) % 3, (i + 2) % 3
    w = scale * v[3 + j]
    x[i] += w * math.sqrt(max(1.0 - half * half * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]), 0.0))
    x[a] += w * half * v[3 + b]
    x[b] -= w * half * v[3 + a]


@kernel
def dof_number(L, W, D, L2, column, dof, value, h, out):
    """out (nv,) += column of a number of coordinate dof times value. L2: a copy of the Layout that may be changed."""
    n, r = L.dof_node[dof], L.dof_row[dof]
    if n < 0:
        return
    tendon = dof >= L.dof_joint.shape[0]
    j = 0 if tendon else L.dof_joint[dof]
    rate, old = W.rows[n, r], W.rate_prev[dof]
    if column == STIFFNESS and not tendon and L.dof_vector[dof] >= 0:
        if dof == L.vadr[j] + L.rotation[j]:  # (one number for all its coordinates)
            _vector_stiffness(L, W, D, L2, j, n, value, h, out)
        return
    change = 0.0
    if column == DAMPING:
        change = h * rate
    elif column == ARMATURE:
        change = rate - old
    elif column == STIFFNESS and tendon:
        change = h * _mean_stretch(L, W, dof, rate, h)
    elif column == STIFFNESS:
        w_new, w_old = spring_weights(W.options.springs, h)
        change = h * (w_new * rate + W.angle0[dof] - L.dof_springref[dof] - w_old * old)
    elif column == SPRINGREF:
        _, _, slope, _ = curved_spring(L, W, dof, rate, h)
        change = -h * (L.dof_stiffness[dof] + slope)
    elif column == FRICTIONLOSS:
        bound, beta = h * L.dof_frictionloss[dof], W.fric[dof, 0]
        if bound > 0.0:
            up, down = W.fric[dof, 1] / (bound + beta), W.fric[dof, 2] / (bound - beta)
            change = -h * (down - up) / (down + up)
    pull_one(D.y[L.place_node[n], r], -value * change * W.row_scale[dof], out)


@kernel
def _mean_stretch(L, W, dof, rate, h):
    """a x(l₋) + b x(l) + c x(l₊) of tendon coordinate dof."""
    a, b, c = spring_shares(W.options.springs)
    length = W.angle0[dof]
    before, after = length - h * W.rate_prev[dof], length + h * rate
    return a * tendon_stretch(L, dof, before) + b * tendon_stretch(L, dof, length) + c * tendon_stretch(L, dof, after)


@kernel
def rest_number(L, W, D, t, end, value, h, out):
    """out (nv,) += column of the lower (end 0) or upper (end 1) end of the interval of rest of tendon t, times value."""
    dof = L.dof_joint.shape[0] + t
    n, r = L.dof_node[dof], L.dof_row[dof]
    a, b, c = spring_shares(W.options.springs)
    length = W.angle0[dof]
    before, after = length - h * W.rate_prev[dof], length + h * W.rows[n, r]
    change = a * _stiffness_beyond(L, dof, end, before)
    change += b * _stiffness_beyond(L, dof, end, length) + c * _stiffness_beyond(L, dof, end, after)
    pull_one(D.y[L.place_node[n], r], value * h * change * W.row_scale[dof], out)


@kernel
def _stiffness_beyond(L, dof, end, length):
    """F'(length) of the spring of tendon coordinate dof if `length` is beyond that end of the interval of rest, else 0."""
    x = tendon_stretch(L, dof, length)
    if (end == 0 and x >= 0.0) or (end == 1 and x <= 0.0):
        return 0.0
    _, slope = tendon_force(L, dof, length)
    return slope


@kernel
def bound_number(L, W, D, l, value, h, out):
    """out (nv,) += column of the bound of limit l times value."""
    dof, sign = L.limit_dof[l], L.limit_sign[l]
    n, r = L.dof_node[dof], L.dof_row[dof]
    for side in range(2):
        m = W.dof_limit[dof, side]
        if m < 0 or W.limit_active[m] != l or (sign != 0.0 and W.limit_allowance[l] != 0.0):
            continue
        push = value * W.lim[m, 0] / W.lim[m, 1]
        if sign != 0.0:
            pull_one(D.y[L.place_node[n], r], push * W.row_scale[dof], out)
            continue
        axis = scratch(3)
        limit_distance(L, W, l, h, axis)
        slope = 0.5 * (1.0 + axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
        push = push * slope + value * W.lim[m, 0] / L.limit_bound[l]
        for i in range(3):
            pull_one(D.y[L.place_node[n], r + i], push * axis[i] * W.row_scale[dof + i], out)


@kernel
def _vector_stiffness(L, W, D, L2, j, n, value, h, out):
    """Stiffness of a ball or free joint: the column is its linear spring with stiffness 1."""
    first, spin, k, kept = L.vadr[j], L.vadr[j] + L.rotation[j], L.ndof[j], scratch((6, 4))
    copy_rows(W.pull[j], kept)
    L2.dof_stiffness[spin], L2.dof_stiffness_poly[spin, 0], L2.dof_stiffness_poly[spin, 1] = 1.0, 0.0, 0.0
    vector_springs(L2, W, j, h)
    for i in range(k):
        r = 6 - k + i
        pull_one(D.y[L.place_node[n], r], -value * W.pull[j, r, 3] * W.row_scale[first + i], out)
    L2.dof_stiffness[spin] = L.dof_stiffness[spin]
    for i in range(2):
        L2.dof_stiffness_poly[spin, i] = L.dof_stiffness_poly[spin, i]
    copy_rows(kept, W.pull[j])
