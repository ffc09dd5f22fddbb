"""A and B of a step in parts: the product of the derivatives of its parts, and of what joins them (docs/algorithm.md).

z₀ = (q, q̇, w, u, π): coordinates, rates over the step h, activations, controls, momenta carried in addition to the rates
z = (q, q̇): coordinates and rates over a part h' = h/N, where a part starts

    first part      z = F₀ z₀       a step of length h' whose old momentum is p(ω'; h/n), ω' = c ω (fast_rotation.py), or that
                                    of q̇ over a part (fast_start.py), or π
    others          z ← A z + B (w, u)                              steps of length h', like any other
    last, matched   q̇₊: the rates of a step of length -h whose old momentum is that of the last part
    last, open      q̇₊: the difference of q and the coordinates where the step starts, over h

Forces of actuators and from outside are those where the step starts, in all parts. Only the rows of the island in W.span are
computed; those of others are left as they are. π of a body that carries no momentum is zero and stays so.

Momenta where the last part ends are π₊ = M z, M = [m δv; D(ω; -h') δω]: reverse mode gets their cotangents from the step after.
"""

from dojo_py.algebra.rotations import log_jacobian
from dojo_py.arrays import copy, copy_rows, scratch
from dojo_py.hard.elements.bodies import momentum_rows
from dojo_py.hard.elements.lift import ACTS
from dojo_py.hard.gradients.activation_change import activations_follow_state
from dojo_py.hard.gradients.actuator_columns import follows_bodies, follows_state
from dojo_py.hard.gradients.closure_change import load_joints
from dojo_py.hard.gradients.implicit import factorise_at, solve_columns
from dojo_py.hard.gradients.next_state import next_rows
from dojo_py.hard.gradients.own_joint import find_free_servos
from dojo_py.hard.gradients.state_columns import column_motion
from dojo_py.hard.gradients.step_jacobian import (
    coordinate_column,
    put_inputs,
    read_rows,
    start_columns,
    step_jacobian,
    take_loads,
)
from dojo_py.hard.islands import BODIES, in_span
from dojo_py.hard.step.fast_rotation import by_longer_interval, in_shorter_intervals, parts_of_rotation, rotation_in
from dojo_py.hard.step.fast_start import all_alike
from dojo_py.hard.terms import EQ_ORIENTATION, EQ_PATH, FAST_PARTS
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH, clear_block


@kernel
def in_one_part(L, P, Q, T, W, V, G, start, h, kappa):
    """Rows of an island that was solved in one part. Returns whether its matrix is regular and no cotangents of momenta are
    given.
    """
    D = G.division
    regular = step_jacobian(L, P, Q, T, W, V, G, start, h, kappa, D.A, D.B)
    n, nv = D.A.shape[0], start.qvel.shape[0]
    for i in range(n):
        if i >= 2 * nv or _is_here(L, W, i % nv):
            copy(D.A[i], D.chain[i, 0:n])
            copy(D.B[i], D.chain[i, n : n + D.B.shape[1]])
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        for i in range(6):
            regular = regular and D.carried[W.members[BODIES, k], i] == 0.0
    return regular


@kernel
def _is_here(L, W, dof):
    """Whether a coordinate belongs to the islands in W.span."""
    return in_span(W, L.child[L.dof_joint[dof]])


@kernel
def follow_part(L, P, Q, T, W, V, G, start, h, kappa, first):
    """Multiply D.chain by the derivative of the part whose solution is in W. Returns whether its matrix is regular.

    start (Start): of the whole step, of length h; G.division has those where the part starts.
    """
    D = G.division
    if first and not _take_fast(W, D, h):
        return False
    before, part_h = D.lengths[0], D.lengths[1]
    nv, n, nu = start.qvel.shape[0], D.A.shape[0], start.control.shape[0]
    if not factorise_at(L, W, part_h, kappa):
        return False
    D.held[:] = 0
    if first:
        start_columns(L, W, G, D.v, D.qpos, D.qvel, before)
        _old_momenta(L, W, G, before)
    else:
        start_columns(L, W, G, W.v_prev, D.qpos, D.qvel, before)
    copy_rows(W.start_bodies, G.bodies)
    take_loads(L, P, Q, W, G, part_h)
    find_free_servos(L, W, V.servos, G, part_h)
    load_joints(L, W, G)
    for dof in range(nv):
        for part in range(2):
            coordinate_column(L, W, V, G, dof, part, before, part_h)
    put_inputs(L, T, W, V, G, start, h, part_h)
    solve_columns(L, W, G.columns, G.again)
    read_rows(L, W, G, part_h, D.A, D.B)
    for k in range(n - 2 * nv):
        copy(G.act_rows[k, 0 : n + nu], D.chain[2 * nv + k, 0 : n + nu])
    _multiply(L, W, D, nv, first)
    if first:
        _carried_columns(L, W, G, part_h)
    return True


@kernel
def _take_fast(W, D, h):
    """Where bodies start as in fast_start.py, take the shorter interval before the first part, and their velocities over it.

    Returns whether all bodies of the island start so, or none.
    """
    if not all_alike(W):
        return False
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if W.fast[b] == 1:
            D.lengths[0] = h / FAST_PARTS
            for i in range(3):
                D.v[b, i], D.v[b, 3 + i] = W.fast_bodies[b, 3 + i], W.fast_bodies[b, 10 + i]
    return True


@kernel
def _old_momenta(L, W, G, h):
    """G.inertia_before of the first part: derivative of the old momenta by rates over the interval h before; carried ones are
    held.
    """
    D = G.division
    v, momentum, inertia = scratch(6), scratch(6), scratch((6, WIDTH))
    by_velocity, old = scratch((3, 3)), scratch((3, 3))
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if W.carried[b] > 0.0:
            D.held[b] = 1
            continue
        copy(D.v[b], v)
        own = parts_of_rotation(rotation_in(v, h), L.most_turn[b], D.parts[0])
        by_longer_interval(v, h, own, by_velocity)
        in_shorter_intervals(v, h, own)
        momentum_rows(L.mass[b], L.inertia[b], v, -h / own, momentum, inertia)
        for i in range(3):
            for j in range(3):
                old[i, j] = 0.0
                for m in range(3):
                    old[i, j] += inertia[3 + i, 3 + m] * by_velocity[m, j]
        for i in range(3):
            for j in range(3):
                G.inertia_before[b, i, j] = 0.0
                for m in range(3):
                    G.inertia_before[b, i, j] += old[i, m] * G.tangent_before[b, m, j]


@kernel
def _multiply(L, W, D, nv, first):
    """The island's rows of D.chain = A D.chain + B; of the first part [A B]."""
    n, nu = D.A.shape[0], D.B.shape[1]
    for i in range(2 * nv):
        if not _is_here(L, W, i % nv):
            continue
        row = D.product[i]
        row[:] = 0.0
        copy(D.B[i], row[n : n + nu])
        if first:
            copy(D.A[i], row[0:n])
            continue
        copy(D.A[i, 2 * nv : n], row[2 * nv : n])
        for m in range(2 * nv):
            if _is_here(L, W, m % nv):
                _add(D.A[i, m], D.chain[m], row)
    for i in range(2 * nv):
        if _is_here(L, W, i % nv):
            copy(D.product[i], D.chain[i])


@kernel
def _add(factor, x, out):
    """out (k,) += factor x."""
    for k in range(out.shape[0]):
        out[k] += factor * x[k]


@kernel
def _carried_columns(L, W, G, h):
    """Columns of D.chain by carried momenta after the first part, of length h: right-hand sides are unit vectors of momentum
    rows.
    """
    D = G.division
    nv, n, nu = L.dof_joint.shape[0], D.A.shape[0], D.B.shape[1]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if not D.held[b]:
            continue
        for place in range(G.columns.shape[0]):
            clear_block(G.columns[place])
        for i in range(6):
            G.columns[L.place_body[b], i, i] = 1.0
        solve_columns(L, W, G.columns, G.again)
        next_rows(L, W, G, h, 0, nv, D.product[:, 0:6])
        for i in range(2 * nv):
            if _is_here(L, W, i % nv):
                copy(D.product[i, 0:6], D.chain[i, n + nu + 6 * b : n + nu + 6 * b + 6])


@kernel
def end_chain(L, P, Q, W, V, G, h, kappa, matched):
    """Complete D.chain by the rates over h. W: the end of the last part; if its momentum is `matched`, the solution of the step of
    length -h. Returns whether the matrix of that step is regular.
    """
    D = G.division
    nv, before = D.qvel.shape[0], D.lengths[1]
    D.held[:] = 0
    start_columns(L, W, G, W.v_prev, D.qpos, D.qvel, before)
    _weigh_momenta(L, W, G, before)
    if not matched:
        _differences(L, W, G, D.rates, h)
        return True
    if not factorise_at(L, W, -h, kappa):
        return False
    G.wrench[:, :] = 0.0
    take_loads(L, P, Q, W, G, -h)
    find_free_servos(L, W, V.servos, G, -h)
    load_joints(L, W, G)
    for dof in range(nv):
        for part in range(2):
            coordinate_column(L, W, V, G, dof, part, before, -h)
    solve_columns(L, W, G.columns, G.again)
    next_rows(L, W, G, -h, 0, 0, D.A[:, 0 : 2 * nv])
    for i in range(nv):
        if not _is_here(L, W, i):
            continue
        D.product[i, :] = 0.0
        for m in range(2 * nv):
            if _is_here(L, W, m % nv):
                _add(D.A[nv + i, m], D.chain[m], D.product[i])
    _take_rates(L, W, D, nv)
    return True


@kernel
def _take_rates(L, W, D, nv):
    """Copy the island's rates from D.product to D.chain."""
    for i in range(nv):
        if _is_here(L, W, i):
            copy(D.product[i], D.chain[nv + i])


@kernel
def _differences(L, W, G, qvel, h):
    """Rates of hinges and slides are those over the last part, as they are in D.chain; those of balls and free joints differences
    over the step: h δq̇₊ = δq₊ - δq, of rotations  Jr⁻¹(r) δφ₊ - Jl⁻¹(r) δφ,  r = h q̇₊.
    """
    D, nv = G.division, qvel.shape[0]
    r, after, start = scratch(3), scratch((3, 3)), scratch((3, 3))
    for j in range(L.kind.shape[0]):
        first = L.vadr[j]
        if not _is_here(L, W, first):
            continue
        for i in range(first, first + L.ndof[j]):
            D.product[i, :] = 0.0
            if L.dof_vector[i] < 0:
                copy(D.chain[nv + i], D.product[i])
            elif L.rotation[j] < 0 or not first + L.rotation[j] <= i < first + L.rotation[j] + 3:
                _add(1.0 / h, D.chain[i], D.product[i])
                D.product[i, i] -= 1.0 / h
        if L.rotation[j] < 0:
            continue
        ball = first + L.rotation[j]
        for i in range(3):
            r[i] = h * qvel[ball + i]
        log_jacobian(r, after)
        for i in range(3):
            r[i] = -r[i]
        log_jacobian(r, start)
        for i in range(3):
            for m in range(3):
                _add(after[i, m] / h, D.chain[ball + m], D.product[ball + i])
                D.product[ball + i, ball + m] -= start[i, m] / h
    _take_rates(L, W, D, nv)


@kernel
def _weigh_momenta(L, W, G, h):
    """D.by_carried += D.chainᵀ Mᵀ π̄: cotangents π̄ of the momenta where the last part, of length h, ends."""
    D = G.division
    nv, any_of_them = D.qvel.shape[0], False
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        for i in range(6):
            any_of_them = any_of_them or D.carried[W.members[BODIES, k], i] != 0.0
    if not any_of_them:
        return
    for dof in range(nv):
        if not _is_here(L, W, dof):
            continue
        for part in range(2):
            column_motion(L, W, G, dof, part, h)
            weight = 0.0
            for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
                b = W.members[BODIES, k]
                m, N, y = G.moved[b], G.inertia_before[b], D.carried[b]
                for i in range(3 if G.under[b] == 1 else 0):
                    weight += y[i] * L.mass[b] * m[6 + i]
                    weight += y[3 + i] * (N[i, 0] * m[9] + N[i, 1] * m[10] + N[i, 2] * m[11])
            _add(weight, D.chain[part * nv + dof], D.by_carried)


@kernel
def has_derivative(L, T, G):
    """Whether the derivative of a step in parts is implemented: forces other than laws of coordinates must not depend on the state.
    (Such forces stay in all parts as they are where the step starts, while the bodies move.)
    """
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_ORIENTATION or L.eq_kind[e] == EQ_PATH:
            return False
    levers = 0.0
    for b in range(G.lever.shape[0]):
        for i in range(3):
            for k in range(3):
                levers += abs(G.lever[b, i, k])
    return levers == 0.0 and L.lift_flags[ACTS] == 0 and not (follows_state(T) or follows_bodies(T) or activations_follow_state(T))


@kernel
def give(G, A, B):
    """A (n, n), B (n, nu) of the whole step."""
    D, n = G.division, A.shape[0]
    for i in range(n):
        copy(D.chain[i, 0:n], A[i])
        copy(D.chain[i, n : n + B.shape[1]], B[i])


@kernel
def give_back(G, after, before, by_control):
    """As `pull_back_step`, of the whole step: before (n,) += Aᵀ after, by_control (nu,) = Bᵀ after; D.carried for the step
    before.
    """
    D, n, nu = G.division, after.shape[0], by_control.shape[0]
    for i in range(n):
        _add(after[i], D.chain[i], D.by_carried)
    for i in range(n):
        before[i] += D.by_carried[i]
    copy(D.by_carried[n : n + nu], by_control)
    for b in range(D.carried.shape[0]):
        copy(D.by_carried[n + nu + 6 * b : n + nu + 6 * b + 6], D.carried[b])


@kernel
def begin_chain(W, G):
    """Clear the chain; velocities before the first part are those of the start."""
    D = G.division
    D.chain[:, :] = 0.0
    D.by_carried[:] = 0.0
    for b in range(D.v.shape[0]):
        for i in range(3):
            D.v[b, i], D.v[b, 3 + i] = W.start_bodies[b, 3 + i], W.start_bodies[b, 10 + i]
