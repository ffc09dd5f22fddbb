"""Sparse LDU factorisation of an unsymmetric matrix of 6x6 blocks with a symmetric pattern, in a given elimination order.

    for i in that order:   E_ij = D_i⁻¹ U_ij,   A_jk ← A_jk - L_ji E_ik        for the later neighbours j, k of i

`rank` is each node's place in the elimination order (elimination_order.py). Block b of the pair (i, j), i before j, is
stored twice: U[b] in row i and L[b] in row j. On a tree ordered leaves to root every node has one later neighbour and nothing
fills in: the cost is linear in N.
Blocks are stored as (6, 8), so that every row is an octet (octet.py): six columns and two of padding, which are zero, but for the
inverse pivots of a factorised D in the first of them.
Source of the scheme: Brüdigam and Manchester, Linear-Time Variational Integrators in Maximal Coordinates (2020).
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.jit import entry, kernel
from dojo_py.solver.double_double import add, factorise_six, solve_six, subtract_product_six
from dojo_py.solver.elimination_order import group_tables
from dojo_py.solver.octet import WIDTH, aligned, clear_block, factors, load, minus, store, times


class Pattern(NamedTuple):
    """Which blocks exist once fill-in is counted. Modified in place when contacts between bodies come and go."""

    start: np.ndarray  # (N,) first block of each node
    stop: np.ndarray  # (N,) one after its last
    column: np.ndarray  # (nblocks,) later neighbour of each block
    block_of: np.ndarray  # (N, N) block of nodes i and j, the same as of j and i; -1: none
    rank: np.ndarray  # (N,) place of each node in the order of elimination
    order: np.ndarray  # (N,) the nodes in that order
    # a part of the matrix that shares no block with the rest (an island) can be factorised and solved alone
    places: np.ndarray  # (N,) nodes, in the order of elimination within each such part
    part: np.ndarray  # (2,) `clear`, `factorise` and `solve` take places[part[0] : part[1]]
    # groups of nodes, from which the order of elimination is chosen (elimination_order.py)
    group: np.ndarray  # (N,) group of each node
    group_first: np.ndarray  # (G + 1,) where the nodes of each group begin in group_node
    group_node: np.ndarray  # (N,) the nodes sorted by group
    joined: np.ndarray  # (G, G) 1 where two groups share blocks, fill-in included
    weight: np.ndarray  # (G,) how many nodes of a group share blocks with other groups
    degree: np.ndarray  # (G,) sum of the weights of its neighbours that are not eliminated yet; -1: eliminated itself
    touched: np.ndarray  # (N,) 1 for nodes that share a block with another group
    near: np.ndarray  # (G,) work


class Blocks(NamedTuple):
    """The matrix and, after `factorise`, its factors."""

    D: np.ndarray  # (N, 6, 8) diagonal blocks, then their LU factors
    swap: np.ndarray  # (N, 6) row exchanges of the pivots
    source: np.ndarray  # (N, 6) the permutation by all these exchanges: where each row comes from
    U: np.ndarray  # (nblocks, 6, 8)
    L: np.ndarray  # (nblocks, 6, 8)
    E: np.ndarray  # (nblocks, 6, 8) D⁻¹ U
    tree: np.ndarray  # (nblocks,) 1 where U and L are overwritten before every factorisation, so that `clear` skips them
    # terms that are too stiff to be added to these in one double (see double_double.py)
    stiff_node: np.ndarray  # (N,) 1 where S is in use
    stiff_block: np.ndarray  # (nblocks,) 1 where U_extra, L_extra are in use
    S: np.ndarray  # (N, 2, 6, 6) high and low parts of what is still to be added to D
    U_extra: np.ndarray  # (nblocks, 2, 6, 6)
    L_extra: np.ndarray  # (nblocks, 2, 6, 6)
    E_extra: np.ndarray  # (nblocks, 2, 6, 6) work
    pivot: np.ndarray  # (2, 6, 6) work


def allocate(n_nodes, n_blocks, fixed=None):
    """Zero matrices for N nodes and room for n_blocks off-diagonal blocks; fixed: see `group_tables`."""
    group, first, node = group_tables(n_nodes, fixed)
    count, rows = len(first) - 1, max(n_blocks, 1)
    return (
        Pattern(
            np.zeros(n_nodes, np.int64),
            np.zeros(n_nodes, np.int64),
            np.zeros(rows, np.int64),
            np.full((n_nodes, n_nodes), -1, np.int32),
            np.arange(n_nodes),
            np.arange(n_nodes),
            np.arange(n_nodes),
            np.array([0, n_nodes]),
            group,
            first,
            node,
            np.zeros((count, count), np.int8),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(n_nodes, np.int64),
            np.zeros(count, np.int64),
        ),
        Blocks(
            aligned((n_nodes, 6, WIDTH)),
            np.zeros((n_nodes, 6), np.int64),
            np.zeros((n_nodes, 6), np.int64),
            aligned((rows, 6, WIDTH)),
            aligned((rows, 6, WIDTH)),
            aligned((rows, 6, WIDTH)),
            np.zeros(rows, np.int64),
            np.zeros(n_nodes, np.int64),
            np.zeros(rows, np.int64),
            np.zeros((n_nodes, 2, 6, 6)),
            np.zeros((rows, 2, 6, 6)),
            np.zeros((rows, 2, 6, 6)),
            np.zeros((rows, 2, 6, 6)),
            np.zeros((2, 6, 6)),
        ),
    )


@entry
def analyse(edges, n_edges, pattern):
    """Symbolic factorisation in the order of `rank`. edges: (m, 2) pairs of nodes, the first n_edges used; fills pattern.

    Returns the number of blocks, which may be more than there is room for.
    """
    start, stop, column, block_of = pattern.start, pattern.stop, pattern.column, pattern.block_of
    rank, order = pattern.rank, pattern.order
    n = block_of.shape[0]
    block_of[:, :] = -1
    for i in range(n):
        order[rank[i]] = i
    for e in range(n_edges):
        i, j = edges[e, 0], edges[e, 1]
        if i != j:
            block_of[i, j] = block_of[j, i] = 0
    count = 0
    for place in range(n):
        i = order[place]
        start[i] = count
        for j in range(n):
            if block_of[i, j] >= 0 and rank[j] > place:
                block_of[i, j] = block_of[j, i] = count
                if count < column.shape[0]:
                    column[count] = j
                count += 1
        stop[i] = count
        if count <= column.shape[0]:
            for a in range(start[i], count):
                for b in range(a + 1, count):
                    if block_of[column[a], column[b]] < 0:
                        block_of[column[a], column[b]] = block_of[column[b], column[a]] = 0
    return count


@kernel
def _find_sources(swap, source):
    """source (6,): which row stands at each place after rows k and swap[k] were exchanged for k = 0, 1, … 5, in this order."""
    for k in range(6):
        source[k] = k
    for k in range(6):
        source[k], source[swap[k]] = source[swap[k]], source[k]


@kernel
def _apply_pivot(A, source, B, out, j):
    """Columns j … j + 7 of out (6, m) = A⁻¹ B; out may be B. A from `factors`, source from its row exchanges."""
    b0, b1, b2 = load(B, source[0], j), load(B, source[1], j), load(B, source[2], j)
    b3, b4, b5 = load(B, source[3], j), load(B, source[4], j), load(B, source[5], j)
    b1 = minus(b1, A[1, 0], b0)
    b2 = minus(minus(b2, A[2, 0], b0), A[2, 1], b1)
    b3 = minus(minus(minus(b3, A[3, 0], b0), A[3, 1], b1), A[3, 2], b2)
    b4 = minus(minus(minus(minus(b4, A[4, 0], b0), A[4, 1], b1), A[4, 2], b2), A[4, 3], b3)
    b5 = minus(minus(minus(minus(minus(b5, A[5, 0], b0), A[5, 1], b1), A[5, 2], b2), A[5, 3], b3), A[5, 4], b4)
    b5 = times(b5, A[5, 6])
    b4 = minus(times(b4, A[4, 6]), A[4, 5], b5)
    b3 = minus(minus(times(b3, A[3, 6]), A[3, 5], b5), A[3, 4], b4)
    b2 = minus(minus(minus(times(b2, A[2, 6]), A[2, 5], b5), A[2, 4], b4), A[2, 3], b3)
    b1 = minus(minus(minus(minus(times(b1, A[1, 6]), A[1, 5], b5), A[1, 4], b4), A[1, 3], b3), A[1, 2], b2)
    b0 = minus(minus(minus(minus(minus(times(b0, A[0, 6]), A[0, 5], b5), A[0, 4], b4), A[0, 3], b3), A[0, 2], b2), A[0, 1], b1)
    store(b0, out, 0, j)
    store(b1, out, 1, j)
    store(b2, out, 2, j)
    store(b3, out, 3, j)
    store(b4, out, 4, j)
    store(b5, out, 5, j)


@kernel
def _apply_pivot_vector(A, source, x):
    """x (6,) becomes A⁻¹ x. (In sums the entry computed last comes last, so that the other products do not wait for it.)"""
    x0, x1, x2, x3, x4, x5 = x[source[0]], x[source[1]], x[source[2]], x[source[3]], x[source[4]], x[source[5]]
    x1 = x1 - A[1, 0] * x0
    x2 = x2 - A[2, 0] * x0 - A[2, 1] * x1
    x3 = x3 - A[3, 0] * x0 - A[3, 1] * x1 - A[3, 2] * x2
    x4 = x4 - A[4, 0] * x0 - A[4, 1] * x1 - A[4, 2] * x2 - A[4, 3] * x3
    x5 = x5 - A[5, 0] * x0 - A[5, 1] * x1 - A[5, 2] * x2 - A[5, 3] * x3 - A[5, 4] * x4
    x5 *= A[5, 6]
    x4 = x4 * A[4, 6] - A[4, 5] * x5
    x3 = x3 * A[3, 6] - A[3, 5] * x5 - A[3, 4] * x4
    x2 = x2 * A[2, 6] - A[2, 5] * x5 - A[2, 4] * x4 - A[2, 3] * x3
    x1 = x1 * A[1, 6] - A[1, 5] * x5 - A[1, 4] * x4 - A[1, 3] * x3 - A[1, 2] * x2
    x0 = x0 * A[0, 6] - A[0, 5] * x5 - A[0, 4] * x4 - A[0, 3] * x3 - A[0, 2] * x2 - A[0, 1] * x1
    x[0], x[1], x[2], x[3], x[4], x[5] = x0, x1, x2, x3, x4, x5


@kernel
def _subtract_product(A, B, out, j):
    """Columns j … j + 7 of out -= A B. A (6, 8), B, out (6, m)."""
    b0, b1, b2, b3, b4, b5 = load(B, 0, j), load(B, 1, j), load(B, 2, j), load(B, 3, j), load(B, 4, j), load(B, 5, j)
    for i in range(6):
        o = minus(minus(minus(load(out, i, j), A[i, 0], b0), A[i, 1], b1), A[i, 2], b2)
        store(minus(minus(minus(o, A[i, 3], b3), A[i, 4], b4), A[i, 5], b5), out, i, j)


@kernel
def clear(pattern, blocks):
    """Set all blocks to zero, except those that are overwritten anyway (`Blocks.tree`)."""
    for p in range(pattern.part[0], pattern.part[1]):
        i = pattern.places[p]
        clear_block(blocks.D[i])
        if blocks.stiff_node[i]:
            blocks.S[i, :, :, :] = 0.0
            blocks.stiff_node[i] = 0
        for b in range(pattern.start[i], pattern.stop[i]):
            if not blocks.tree[b]:
                clear_block(blocks.U[b])
                clear_block(blocks.L[b])
            if blocks.stiff_block[b]:
                blocks.U_extra[b, :, :, :] = 0.0
                blocks.L_extra[b, :, :, :] = 0.0
                blocks.stiff_block[b] = 0


@kernel
def _factorise_stiff(blocks, i, first, last):
    """Factorise D[i] and the stiff blocks of its row in pairs of doubles; D, U, L get them rounded. Returns the least |pivot|."""
    D, pivot = blocks.D[i], blocks.pivot
    for r in range(6):
        for c in range(6):
            pivot[0, r, c], pivot[1, r, c] = add(blocks.S[i, 0, r, c], blocks.S[i, 1, r, c], D[r, c], 0.0)
    smallest = factorise_six(pivot[0], pivot[1], blocks.swap[i])
    if not smallest > 0.0:
        return 0.0
    for r in range(6):
        for c in range(6):
            D[r, c] = pivot[0, r, c]
        D[r, 6] = 1.0 / D[r, r]
        for c in range(r + 1, 6):
            D[r, c] *= D[r, 6]
    for b in range(first, last):
        if blocks.stiff_block[b]:
            for r in range(6):
                for c in range(6):
                    u, u_low = add(blocks.U_extra[b, 0, r, c], blocks.U_extra[b, 1, r, c], blocks.U[b, r, c], 0.0)
                    blocks.E_extra[b, 0, r, c], blocks.E_extra[b, 1, r, c] = u, u_low
                    blocks.U[b, r, c] = u
                    low, low_low = add(blocks.L_extra[b, 0, r, c], blocks.L_extra[b, 1, r, c], blocks.L[b, r, c], 0.0)
                    blocks.L_extra[b, 0, r, c], blocks.L_extra[b, 1, r, c] = low, low_low
                    blocks.L[b, r, c] = low
            solve_six(pivot[0], pivot[1], blocks.swap[i], blocks.E_extra[b, 0], blocks.E_extra[b, 1])
    return smallest


@kernel
def factorise(pattern, blocks):
    """Factorise in place. Returns -1, or the node whose pivot is singular or not finite."""
    start, stop, column, block_of, rank = pattern.start, pattern.stop, pattern.column, pattern.block_of, pattern.rank
    D, swap, U, L, E = blocks.D, blocks.swap, blocks.U, blocks.L, blocks.E
    for p in range(pattern.part[0], pattern.part[1]):
        i = pattern.places[p]
        first, last = start[i], stop[i]
        if blocks.stiff_node[i]:
            pivot = _factorise_stiff(blocks, i, first, last)
        else:
            pivot = factors(D[i], swap[i])
        if not (pivot > 0.0 and math.isfinite(pivot)):
            return i
        _find_sources(swap[i], blocks.source[i])
        for b in range(first, last):
            if blocks.stiff_block[b]:
                for r in range(6):
                    for c in range(6):
                        E[b, r, c] = blocks.E_extra[b, 0, r, c]
                continue
            _apply_pivot(D[i], blocks.source[i], U[b], E[b], 0)
        for b in range(first, last):
            j = column[b]
            for c in range(first, last):
                k = column[c]
                if blocks.stiff_block[b] and blocks.stiff_block[c]:
                    if j == k:
                        blocks.stiff_node[j] = 1
                        target = blocks.S[j]
                    else:
                        t = block_of[j, k]
                        blocks.stiff_block[t] = 1
                        target = blocks.U_extra[t] if rank[j] < rank[k] else blocks.L_extra[t]
                    low, high = blocks.L_extra[b], blocks.E_extra[c]
                    subtract_product_six(low[0], low[1], high[0], high[1], target[0], target[1])
                elif j == k:
                    _subtract_product(L[b], E[b], D[j], 0)
                elif rank[j] < rank[k]:
                    _subtract_product(L[b], E[c], U[block_of[j, k]], 0)
                else:
                    _subtract_product(L[b], E[c], L[block_of[j, k]], 0)
    return -1


@kernel
def determinant_sign(pattern, blocks):
    """1.0 or -1.0: the sign of the determinant of the factorised matrix, from its pivots and their exchanges."""
    sign = 1.0
    for p in range(pattern.part[0], pattern.part[1]):
        i = pattern.places[p]
        for k in range(6):
            if (blocks.D[i, k, 6] < 0.0) != (blocks.swap[i, k] != k):
                sign = -sign
    return sign


@kernel
def _subtract_times(A, y, x):
    """x (6,) -= A y, A (6, 8), y (6,)."""
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    for r in range(6):
        x[r] -= A[r, 0] * y0 + A[r, 1] * y1 + A[r, 2] * y2 + A[r, 3] * y3 + A[r, 4] * y4 + A[r, 5] * y5


@kernel
def solve(pattern, blocks, x):
    """Solve A x = b with the factors; x (N, 6 or 8) holds b in six columns on entry."""
    start, stop, column, places = pattern.start, pattern.stop, pattern.column, pattern.places
    for p in range(pattern.part[0], pattern.part[1]):
        i = places[p]
        _apply_pivot_vector(blocks.D[i], blocks.source[i], x[i])
        for b in range(start[i], stop[i]):
            _subtract_times(blocks.L[b], x[i], x[column[b]])
    for p in range(pattern.part[1] - 1, pattern.part[0] - 1, -1):
        i = places[p]
        for b in range(start[i], stop[i]):
            _subtract_times(blocks.E[b], x[column[b]], x[i])


@kernel
def solve_many(pattern, blocks, x):
    """Solve A X = B with the factors; x (N, 6, m) holds B on entry, m a multiple of 8."""
    start, stop, column, order = pattern.start, pattern.stop, pattern.column, pattern.order
    n, m = x.shape[0], x.shape[2]
    for p in range(n):
        i = order[p]
        for j in range(0, m, WIDTH):
            _apply_pivot(blocks.D[i], blocks.source[i], x[i], x[i], j)
        for b in range(start[i], stop[i]):
            for j in range(0, m, WIDTH):
                _subtract_product(blocks.L[b], x[i], x[column[b]], j)
    for p in range(n - 1, -1, -1):
        i = order[p]
        for b in range(start[i], stop[i]):
            for j in range(0, m, WIDTH):
                _subtract_product(blocks.E[b], x[column[b]], x[i], j)
