"""Derivatives of spatial tendons by a coordinate: of their lengths where the step starts and before, their rows, their impulses.

    law of a tendon    as a fixed one's (closure_change.py), with the length and old rate from poses and old velocities
    equality, row      δl₁₊ - poly'(l₂₊) δl₂₊
    impulses           Σ λ δ(∂l/∂(x, φ)) of each tendon, λ including its equalities'; -poly''(l₂) λ δl₂ along the second

δl, δ(∂l/∂(x, φ)) and the change of the old rate are central differences of the path: it costs a microsecond.
"""

from dojo_py.arrays import scratch
from dojo_py.hard.elements.closures import TENDON_ROW, lengths_slope
from dojo_py.hard.elements.tendon_paths import path_state
from dojo_py.hard.gradients.actuator_columns import displaced
from dojo_py.hard.gradients.closure_change import tendon_law_change
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.terms import EQ_LENGTHS, EQ_PATH, EQ_TENDON
from dojo_py.jit import kernel

STEP = 1e-5
"""Step of the central differences of a path, in units of its coordinate: errors of its square, 1e-10."""


@kernel
def path_columns(L, W, V, G, dof, part, column, h):
    """Rows of spatial tendons and their equalities, and of the bodies they hold, in a column whose motion is in G.moved."""
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_PATH:
            length, before = _differences(L, W, V, G, e, impulse_along(L, W, e, first), column, h)
            rate = (_row_change(L, W, G, e, TENDON_ROW, part, h) - length) / h
            tendon_law_change(L, W, V.servos, G, e, first + e, length, before, rate, column, h)
        elif L.eq_kind[e] == EQ_LENGTHS and part == 0:
            _equality_column(L, W, V, G, e, first, dof, column, h)


@kernel
def impulse_along(L, W, t, first):
    """The impulse along tendon t: its own, and those of its equalities."""
    total = W.lam[first + t, TENDON_ROW]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_LENGTHS:
            if L.eq_tendons[e, 0] == t:
                total += W.lam[first + e, 0]
            if L.eq_tendons[e, 1] == t:
                _, slope, _ = lengths_slope(L, W, e, 0.0)
                total -= slope * W.lam[first + e, 0]
    return total


@kernel
def _differences(L, W, V, G, e, impulse, column, h):
    """(change of the length, of the old rate) of tendon e; the change of its impulse is added to the column.

    The linear rows of a body rotate with it (ψ): in them a force F changes by δF - ψ × F.
    """
    length, before = 0.0, 0.0
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b >= 0 and G.under[b] == 1:
            _turn_row(G.columns[L.place_body[b]], column, G.moved[b], W.Geq[e, slot, TENDON_ROW], -impulse)
    for side in range(2):
        delta = STEP if side == 0 else -STEP
        displaced(G, G.bodies, delta, G.next_bodies)
        now, rate = path_state(L, e, V, G.next_bodies, h)
        length += 0.5 * now / delta
        before += 0.5 * rate / delta
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            if b >= 0:
                for i in range(6):
                    G.columns[L.place_body[b], i, column] += impulse * 0.5 / delta * V.path_G[slot, TENDON_ROW, i]
    return length, before


@kernel
def _turn_row(rows, column, moved, force, factor):
    """First three rows (6, m) of a column += factor ψ × F. moved (12,): ψ is its entries 3 … 5."""
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        rows[i, column] += factor * (moved[3 + k] * force[m] - moved[3 + m] * force[k])


@kernel
def _row_change(L, W, G, e, row, part, h):
    """h times the change of a row of closure e where the step ends, as the bodies move rigidly there as at the start (part 0)."""
    v, total = scratch(6), 0.0
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[e, slot]
        if b >= 0 and part == 0 and G.under[b] == 1:
            as_velocity(W, G, b, G.moved[b], h, v)
            for i in range(6):
                total += h * W.Ceq[e, slot, row, i] * v[i]
    return total


@kernel
def _side_length(L, V, G, t, dof, h):
    """Change of the length of tendon t where the step starts, by differences."""
    if L.eq_kind[t] == EQ_TENDON:
        total = 0.0
        for k in range(L.eq_terms[t, 0], L.eq_terms[t, 1]):
            if L.term_dof[k] == dof:
                total += L.term_coef[k]
        return total
    total = 0.0
    for side in range(2):
        delta = STEP if side == 0 else -STEP
        displaced(G, G.bodies, delta, G.next_bodies)
        now, _ = path_state(L, t, V, G.next_bodies, h)
        total += 0.5 * now / delta
    return total


@kernel
def _equality_column(L, W, V, G, e, first, dof, column, h):
    """Row of an equality of tendons, and the change of the impulse on its second tendon by the polynomial's curvature."""
    n = first + e
    G.columns[L.place_node[n], 0, column] -= _row_change(L, W, G, e, 0, 0, h) / h
    t = L.eq_tendons[e, 1]
    if t < 0:
        return
    _, _, curvature = lengths_slope(L, W, e, 0.0)
    if curvature != 0.0:
        change = -curvature * _side_length(L, V, G, t, dof, h) * W.lam[n, 0]
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[t, slot]
            if b >= 0:
                for i in range(6):
                    G.columns[L.place_body[b], i, column] += change * W.Geq[t, slot, TENDON_ROW, i]
