"""Sparse LDU factorisation of an unsymmetric matrix of 6x6 blocks with a symmetric pattern, in a fixed elimination order.

    for i = 0 … N-1:   E_ij = D_i⁻¹ U_ij,   A_jk ← A_jk - L_ji E_ik        for the later neighbours j, k of i

Nodes are numbered by their place in the order. Block b = (i, j), i < j, is stored twice: U[b] in row i and L[b] in row j.
On a tree ordered leaves to root every node has one later neighbour and nothing fills in: the cost is linear in N.
Blocks are (6, 8) with two columns of zeros, so that the compiler sees rows of one vector register.
Source of the scheme: Brüdigam and Manchester, Linear-Time Variational Integrators in Maximal Coordinates (2020).
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.jit import entry, kernel
from dojo_py.solver.double_double import add, factorise_six, solve_six, subtract_product_six

WIDTH = 8


class Pattern(NamedTuple):
    """Which blocks exist once fill-in is counted. Modified in place when contacts between bodies come and go."""

    start: np.ndarray  # (N + 1,) first block of each node
    column: np.ndarray  # (nblocks,) later neighbour of each block, ascending within a node
    block_of: np.ndarray  # (N, N) block of the pair (i, j), i < j, or -1


class Blocks(NamedTuple):
    """The matrix and, after `factorise`, its factors."""

    D: np.ndarray  # (N, 6, 8) diagonal blocks, then their LU factors
    swap: np.ndarray  # (N, 6) row exchanges of the pivots
    U: np.ndarray  # (nblocks, 6, 8)
    L: np.ndarray  # (nblocks, 6, 8)
    E: np.ndarray  # (nblocks, 6, 8) D⁻¹ U
    tree: np.ndarray  # (nblocks,) 1 where U and L are written anew for every factorisation, so that `clear` leaves them
    # what is too stiff to be added to these in one double (see double_double.py)
    stiff_node: np.ndarray  # (N,) 1 where S is in use
    stiff_block: np.ndarray  # (nblocks,) 1 where U_extra, L_extra are in use
    S: np.ndarray  # (N, 2, 6, 6) high and low part of what belongs to D besides
    U_extra: np.ndarray  # (nblocks, 2, 6, 6)
    L_extra: np.ndarray  # (nblocks, 2, 6, 6)
    E_extra: np.ndarray  # (nblocks, 2, 6, 6) work
    pivot: np.ndarray  # (2, 6, 6) work


def allocate(n_nodes, n_blocks):
    """Zero matrices for N nodes and room for n_blocks off-diagonal blocks."""
    return (
        Pattern(
            np.zeros(n_nodes + 1, np.int64), np.zeros(max(n_blocks, 1), np.int64), np.full((n_nodes, n_nodes), -1, np.int32)
        ),
        Blocks(
            np.zeros((n_nodes, 6, WIDTH)),
            np.zeros((n_nodes, 6), np.int64),
            np.zeros((max(n_blocks, 1), 6, WIDTH)),
            np.zeros((max(n_blocks, 1), 6, WIDTH)),
            np.zeros((max(n_blocks, 1), 6, WIDTH)),
            np.zeros(max(n_blocks, 1), np.int64),
            np.zeros(n_nodes, np.int64),
            np.zeros(max(n_blocks, 1), np.int64),
            np.zeros((n_nodes, 2, 6, 6)),
            np.zeros((max(n_blocks, 1), 2, 6, 6)),
            np.zeros((max(n_blocks, 1), 2, 6, 6)),
            np.zeros((max(n_blocks, 1), 2, 6, 6)),
            np.zeros((2, 6, 6)),
        ),
    )


@entry
def analyse(edges, n_edges, pattern):
    """Symbolic factorisation. edges: (m, 2) pairs of nodes, the first n_edges used; fills pattern, returns the block count."""
    start, column, block_of = pattern.start, pattern.column, pattern.block_of
    n = block_of.shape[0]
    block_of[:, :] = -1
    for e in range(n_edges):
        i, j = edges[e, 0], edges[e, 1]
        if i != j:
            block_of[min(i, j), max(i, j)] = 0
    count = 0
    for i in range(n):
        start[i] = count
        for j in range(i + 1, n):
            if block_of[i, j] >= 0:
                block_of[i, j] = count
                if count < column.shape[0]:
                    column[count] = j
                count += 1
        if count <= column.shape[0]:
            for a in range(start[i], count):
                for b in range(a + 1, count):
                    block_of[column[a], column[b]] = 0
    start[n] = count
    return count


@kernel
def _factorise_pivot(A, swap):
    """LU factors of A (6, 8) in place, rows exchanged as noted in swap (6,). Returns the smallest |pivot|, 0 if singular.

    Contacts put stiffnesses of 1e10 and more into one direction of a block: triangular solves keep the residual small there,
    a product with the explicit inverse does not (measured: residuals stall at 1e-6 instead of 1e-14).
    """
    smallest = np.inf
    for k in range(6):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        swap[k] = row
        if not best > 0.0:
            return 0.0
        smallest = min(smallest, best)
        if row != k:
            for j in range(WIDTH):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        inv = 1.0 / A[k, k]
        A[k, 6] = inv
        for i in range(k + 1, 6):
            f = A[i, k] * inv
            for j in range(k + 1, 6):
                A[i, j] -= f * A[k, j]
            A[i, k] = f
    return smallest


@kernel
def _apply_pivot(A, swap, B):
    """B (6, 8) becomes A⁻¹ B, A and swap from `_factorise_pivot`; column 6 of A holds the inverse pivots."""
    for k in range(6):
        row = swap[k]
        if row != k:
            for j in range(WIDTH):
                B[k, j], B[row, j] = B[row, j], B[k, j]
    # row by row, each read and written once
    a = A[1, 0]
    for j in range(WIDTH):
        B[1, j] -= a * B[0, j]
    a, b = A[2, 0], A[2, 1]
    for j in range(WIDTH):
        B[2, j] -= a * B[0, j] + b * B[1, j]
    a, b, c = A[3, 0], A[3, 1], A[3, 2]
    for j in range(WIDTH):
        B[3, j] -= a * B[0, j] + b * B[1, j] + c * B[2, j]
    a, b, c, d = A[4, 0], A[4, 1], A[4, 2], A[4, 3]
    for j in range(WIDTH):
        B[4, j] -= a * B[0, j] + b * B[1, j] + c * B[2, j] + d * B[3, j]
    a, b, c, d, e, f = A[5, 0], A[5, 1], A[5, 2], A[5, 3], A[5, 4], A[5, 6]
    for j in range(WIDTH):
        B[5, j] = f * (B[5, j] - (a * B[0, j] + b * B[1, j] + c * B[2, j] + d * B[3, j] + e * B[4, j]))
    a, f = A[4, 5], A[4, 6]
    for j in range(WIDTH):
        B[4, j] = f * (B[4, j] - a * B[5, j])
    a, b, f = A[3, 4], A[3, 5], A[3, 6]
    for j in range(WIDTH):
        B[3, j] = f * (B[3, j] - (a * B[4, j] + b * B[5, j]))
    a, b, c, f = A[2, 3], A[2, 4], A[2, 5], A[2, 6]
    for j in range(WIDTH):
        B[2, j] = f * (B[2, j] - (a * B[3, j] + b * B[4, j] + c * B[5, j]))
    a, b, c, d, f = A[1, 2], A[1, 3], A[1, 4], A[1, 5], A[1, 6]
    for j in range(WIDTH):
        B[1, j] = f * (B[1, j] - (a * B[2, j] + b * B[3, j] + c * B[4, j] + d * B[5, j]))
    a, b, c, d, e, f = A[0, 1], A[0, 2], A[0, 3], A[0, 4], A[0, 5], A[0, 6]
    for j in range(WIDTH):
        B[0, j] = f * (B[0, j] - (a * B[1, j] + b * B[2, j] + c * B[3, j] + d * B[4, j] + e * B[5, j]))


@kernel
def _apply_pivot_vector(A, swap, x):
    """x (6,) becomes A⁻¹ x."""
    for k in range(6):
        row = swap[k]
        if row != k:
            x[k], x[row] = x[row], x[k]
    x0 = x[0]
    x1 = x[1] - A[1, 0] * x0
    x2 = x[2] - A[2, 0] * x0 - A[2, 1] * x1
    x3 = x[3] - A[3, 0] * x0 - A[3, 1] * x1 - A[3, 2] * x2
    x4 = x[4] - A[4, 0] * x0 - A[4, 1] * x1 - A[4, 2] * x2 - A[4, 3] * x3
    x5 = x[5] - A[5, 0] * x0 - A[5, 1] * x1 - A[5, 2] * x2 - A[5, 3] * x3 - A[5, 4] * x4
    x5 *= A[5, 6]
    x4 = (x4 - A[4, 5] * x5) * A[4, 6]
    x3 = (x3 - A[3, 4] * x4 - A[3, 5] * x5) * A[3, 6]
    x2 = (x2 - A[2, 3] * x3 - A[2, 4] * x4 - A[2, 5] * x5) * A[2, 6]
    x1 = (x1 - A[1, 2] * x2 - A[1, 3] * x3 - A[1, 4] * x4 - A[1, 5] * x5) * A[1, 6]
    x0 = (x0 - A[0, 1] * x1 - A[0, 2] * x2 - A[0, 3] * x3 - A[0, 4] * x4 - A[0, 5] * x5) * A[0, 6]
    x[0], x[1], x[2], x[3], x[4], x[5] = x0, x1, x2, x3, x4, x5


@kernel
def _subtract_product(A, B, out):
    """out -= A B for (6, 8) blocks. (Row by row in registers: a third less time than in memory.)"""
    for i in range(6):
        a0, a1, a2, a3, a4, a5 = A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5]
        o0 = out[i, 0] - (a0 * B[0, 0] + a1 * B[1, 0] + a2 * B[2, 0] + a3 * B[3, 0] + a4 * B[4, 0] + a5 * B[5, 0])
        o1 = out[i, 1] - (a0 * B[0, 1] + a1 * B[1, 1] + a2 * B[2, 1] + a3 * B[3, 1] + a4 * B[4, 1] + a5 * B[5, 1])
        o2 = out[i, 2] - (a0 * B[0, 2] + a1 * B[1, 2] + a2 * B[2, 2] + a3 * B[3, 2] + a4 * B[4, 2] + a5 * B[5, 2])
        o3 = out[i, 3] - (a0 * B[0, 3] + a1 * B[1, 3] + a2 * B[2, 3] + a3 * B[3, 3] + a4 * B[4, 3] + a5 * B[5, 3])
        o4 = out[i, 4] - (a0 * B[0, 4] + a1 * B[1, 4] + a2 * B[2, 4] + a3 * B[3, 4] + a4 * B[4, 4] + a5 * B[5, 4])
        o5 = out[i, 5] - (a0 * B[0, 5] + a1 * B[1, 5] + a2 * B[2, 5] + a3 * B[3, 5] + a4 * B[4, 5] + a5 * B[5, 5])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = o0, o1, o2, o3, o4, o5


@kernel
def clear(pattern, blocks):
    """All blocks to zero, but for those that are written anew."""
    blocks.D[:, :, :] = 0.0
    for i in range(blocks.D.shape[0]):
        if blocks.stiff_node[i]:
            blocks.S[i, :, :, :] = 0.0
            blocks.stiff_node[i] = 0
    for b in range(pattern.start[blocks.D.shape[0]]):
        if not blocks.tree[b]:
            for i in range(6):
                for k in range(WIDTH):
                    blocks.U[b, i, k] = 0.0
                    blocks.L[b, i, k] = 0.0
        if blocks.stiff_block[b]:
            blocks.U_extra[b, :, :, :] = 0.0
            blocks.L_extra[b, :, :, :] = 0.0
            blocks.stiff_block[b] = 0


@kernel
def _factorise_stiff(blocks, i, first, last):
    """Pivot i and the stiff blocks of its row in pairs of doubles; rounded factors are left in D, U, L. Returns the pivot size."""
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
    start, column, block_of = pattern.start, pattern.column, pattern.block_of
    D, swap, U, L, E = blocks.D, blocks.swap, blocks.U, blocks.L, blocks.E
    for i in range(D.shape[0]):
        first, last = start[i], start[i + 1]
        if blocks.stiff_node[i]:
            pivot = _factorise_stiff(blocks, i, first, last)
        else:
            pivot = _factorise_pivot(D[i], swap[i])
        if not (pivot > 0.0 and math.isfinite(pivot)):
            return i
        for b in range(first, last):
            if blocks.stiff_block[b]:
                for r in range(6):
                    for c in range(6):
                        E[b, r, c] = blocks.E_extra[b, 0, r, c]
                continue
            for r in range(6):
                for c in range(WIDTH):
                    E[b, r, c] = U[b, r, c]
            _apply_pivot(D[i], swap[i], E[b])
        for b in range(first, last):
            j = column[b]
            for c in range(first, last):
                k = column[c]
                if blocks.stiff_block[b] and blocks.stiff_block[c]:
                    if j == k:
                        blocks.stiff_node[j] = 1
                        target = blocks.S[j]
                    else:
                        t = block_of[min(j, k), max(j, k)]
                        blocks.stiff_block[t] = 1
                        target = blocks.U_extra[t] if j < k else blocks.L_extra[t]
                    low, high = blocks.L_extra[b], blocks.E_extra[c]
                    subtract_product_six(low[0], low[1], high[0], high[1], target[0], target[1])
                elif j == k:
                    _subtract_product(L[b], E[b], D[j])
                elif j < k:
                    _subtract_product(L[b], E[c], U[block_of[j, k]])
                else:
                    _subtract_product(L[b], E[c], L[block_of[k, j]])
    return -1


@kernel
def _subtract_times(A, y, x):
    """x (6,) -= A y, A (6, 8), y (6,)."""
    y0, y1, y2, y3, y4, y5 = y[0], y[1], y[2], y[3], y[4], y[5]
    for r in range(6):
        x[r] -= A[r, 0] * y0 + A[r, 1] * y1 + A[r, 2] * y2 + A[r, 3] * y3 + A[r, 4] * y4 + A[r, 5] * y5


@kernel
def solve(pattern, blocks, x):
    """Solve A x = b with the factors; x (N, 6) holds b on entry."""
    start, column = pattern.start, pattern.column
    n = x.shape[0]
    for i in range(n):
        _apply_pivot_vector(blocks.D[i], blocks.swap[i], x[i])
        for b in range(start[i], start[i + 1]):
            _subtract_times(blocks.L[b], x[i], x[column[b]])
    for i in range(n - 1, -1, -1):
        for b in range(start[i], start[i + 1]):
            _subtract_times(blocks.E[b], x[column[b]], x[i])


@kernel
def _subtract_rows(A, x, out):
    """out -= A x. A (6, 8), x, out (6, m)."""
    for r in range(6):
        a0, a1, a2, a3, a4, a5 = A[r, 0], A[r, 1], A[r, 2], A[r, 3], A[r, 4], A[r, 5]
        for c in range(x.shape[1]):
            out[r, c] -= a0 * x[0, c] + a1 * x[1, c] + a2 * x[2, c] + a3 * x[3, c] + a4 * x[4, c] + a5 * x[5, c]


@kernel
def _apply_pivot_rows(A, swap, x):
    """x (6, m) becomes A⁻¹ x."""
    m = x.shape[1]
    for k in range(6):
        row = swap[k]
        if row != k:
            for c in range(m):
                x[k, c], x[row, c] = x[row, c], x[k, c]
    for i in range(1, 6):
        for k in range(i):
            f = A[i, k]
            for c in range(m):
                x[i, c] -= f * x[k, c]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            f = A[i, k]
            for c in range(m):
                x[i, c] -= f * x[k, c]
        f = A[i, 6]
        for c in range(m):
            x[i, c] *= f


@kernel
def solve_many(pattern, blocks, x):
    """Solve A X = B with the factors; x (N, 6, m) holds B on entry."""
    start, column = pattern.start, pattern.column
    n = x.shape[0]
    for i in range(n):
        _apply_pivot_rows(blocks.D[i], blocks.swap[i], x[i])
        for b in range(start[i], start[i + 1]):
            _subtract_rows(blocks.L[b], x[i], x[column[b]])
    for i in range(n - 1, -1, -1):
        for b in range(start[i], start[i + 1]):
            _subtract_rows(blocks.E[b], x[column[b]], x[i])
