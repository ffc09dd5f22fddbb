"""Columns of the points of closures and tendons, with all poses held: by differences of the closures' own kernels.

connect, weld       rows c/h at the next pose; impulses Gᵀ λ where the step starts
spatial tendon      its law by δl, δl̇₋ where the step starts and δl̇ = (δl₊ - δl)/h; impulse λ ∂l/∂(x, φ), λ with equalities'
equality of two     δl₁₊ - poly'(l₂₊) δl₂₊;  -poly''(l₂) λ δl₂ along the second
"""

from dojo_py.arrays import scratch
from dojo_py.hard.elements.closures import TENDON_ROW, lengths_slope, pose_rows
from dojo_py.hard.elements.tendon_paths import path_length, path_state
from dojo_py.hard.gradients.closure_change import tendon_law_change
from dojo_py.hard.gradients.path_change import impulse_along
from dojo_py.hard.parameters.moves import move, move_back
from dojo_py.hard.terms import EQ_COUPLING, EQ_LENGTHS, EQ_PATH
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH


@kernel
def closure_rows_column(L, W, G, moved, k, h):
    """Put the right-hand sides of datum k into the first column of G."""
    G.columns[:, :, 0] = 0.0
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_PATH:
            _path(L, W, G, moved, k, e, first, h)
        elif L.eq_kind[e] == EQ_LENGTHS:
            _lengths(L, W, G, moved, k, e, first, h)
        elif L.eq_kind[e] < EQ_COUPLING:
            _held(L, W, G, moved, k, e, first + e, h)


@kernel
def _held(L, W, G, moved, k, e, n, h):
    """Connect or weld e, whose node is n."""
    c, J, unused = scratch((2, 6)), scratch((2, 2, 6, WIDTH)), scratch((2, 6, WIDTH))
    count, factor = 0, 0.0
    for side in (1, 0):
        factor = move(moved, k, side)
        count = pose_rows(moved.L, e, W.x, W.R, W.q, c[side], J[side])
        pose_rows(moved.L, e, W.xn, W.Rn, W.qn, c[side], unused)
    move_back(moved, k)
    # (differences come before products, whose round-off redundant closures amplify: what does not change is exactly 0)
    for r in range(count):
        G.columns[L.place_node[n], r, 0] -= factor * (c[0, r] - c[1, r]) / h
        for end in range(2):
            b = L.eq_bodies[e, end]
            for i in range(6 if b >= 0 else 0):
                G.columns[L.place_body[b], i, 0] += factor * W.lam[n, r] * (J[0, end, r, i] - J[1, end, r, i])


@kernel
def _path(L, W, G, moved, k, e, first, h):
    """The law of spatial tendon e and its impulse."""
    V, impulse, length, before, after = moved.V, impulse_along(L, W, e, first), 0.0, 0.0, 0.0
    for side in range(2):
        factor = move(moved, k, side)
        now, rate = path_state(moved.L, e, V, G.bodies, h)
        length += factor * now
        before += factor * rate
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            for i in range(6 if b >= 0 else 0):
                G.columns[L.place_body[b], i, 0] += factor * impulse * V.path_G[slot, TENDON_ROW, i]
        after += factor * path_length(moved.L, e, W.xn, W.Rn, V.path_G)
    move_back(moved, k)
    tendon_law_change(L, W, V.servos, G, e, first + e, length, before, (after - length) / h, 0, h)


@kernel
def _lengths(L, W, G, moved, k, e, first, h):
    """Equality e of two lengths."""
    n = first + e
    _, slope, _ = lengths_slope(L, W, e, h)
    for end in range(2):
        t = L.eq_tendons[e, end]
        if t < 0 or L.eq_kind[t] != EQ_PATH:
            continue
        change = _length_change(moved, k, t, W.xn, W.Rn)
        G.columns[L.place_node[n], 0, 0] -= (change if end == 0 else -slope * change) / h
    _, _, curvature = lengths_slope(L, W, e, 0.0)
    t = L.eq_tendons[e, 1]
    if t < 0 or L.eq_kind[t] != EQ_PATH or curvature == 0.0:
        return
    change = -curvature * W.lam[n, 0] * _length_change(moved, k, t, W.x, W.R)
    for slot in range(L.eq_bodies.shape[1]):
        b = L.eq_bodies[t, slot]
        for i in range(6 if b >= 0 else 0):
            G.columns[L.place_body[b], i, 0] += change * W.Geq[t, slot, TENDON_ROW, i]


@kernel
def _length_change(moved, k, t, x, R):
    """Derivative by datum k of the length of spatial tendon t at poses x (nb + 1, 3), R (nb + 1, 3, 3)."""
    total = 0.0
    for side in range(2):
        factor = move(moved, k, side)
        total += factor * path_length(moved.L, t, x, R, moved.V.path_G)
    move_back(moved, k)
    return total
