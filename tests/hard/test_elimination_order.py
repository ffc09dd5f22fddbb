"""The order of elimination by minimum degree: a permutation that keeps groups together, fills in little, and solves the system."""

import numpy as np

from dojo_py.jit import entry
from dojo_py.solver.block_ldu import Blocks, Pattern, allocate, analyse, factorise, solve, solve_many
from dojo_py.solver.elimination_order import group_tables, order_groups


@entry
def order_and_analyse(edges, fixed, count, pattern):
    pattern = Pattern(*pattern)
    order_groups(edges, fixed, count, pattern)
    return analyse(edges, count, pattern)


@entry
def solve_both(pattern, blocks, x, many):
    pattern, blocks = Pattern(*pattern), Blocks(*blocks)
    regular = factorise(pattern, blocks) < 0
    solve(pattern, blocks, x)
    solve_many(pattern, blocks, many)
    return regular


def _grid(side, rng):
    """Edges of a cube of side ** 3 nodes, numbered at random."""
    number = rng.permutation(side**3).reshape(side, side, side)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:]), (number[:, :, :-1], number[:, :, 1:])]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def _analysed(n, fixed, edges):
    """(pattern, number of blocks)"""
    pattern, blocks = allocate(n, n * n // 2, fixed)
    both = np.concatenate([fixed, edges])
    count = order_and_analyse(both, len(fixed), len(both), tuple(pattern))
    return pattern, blocks, count


def test_a_heap_numbered_at_random_fills_in_little():
    """216 nodes of a cube, measured 3223 blocks; in the order of their numbers 7990."""
    edges, nothing = _grid(6, np.random.default_rng(0)), np.zeros((0, 2), np.int64)
    pattern, _, count = _analysed(216, nothing, edges)
    by_number, _ = allocate(216, 216 * 108)
    assert sorted(pattern.rank) == list(range(216)) and list(pattern.order[pattern.rank]) == list(range(216))
    assert count < 0.5 * analyse(edges, len(edges), by_number)


def test_nodes_that_joints_connect_keep_their_order():
    """Two chains and a ball that touches both: the chains come first, their own nodes ascending."""
    fixed = np.array([[1, 2], [2, 3], [4, 5], [5, 6]])
    group, first, node = group_tables(7, fixed)
    assert list(group) == [0, 1, 1, 1, 2, 2, 2] and list(first) == [0, 1, 4, 7] and list(node) == list(range(7))
    pattern, _, _ = _analysed(7, fixed, np.array([[0, 1], [0, 2], [0, 4]]))
    assert list(pattern.order) == [1, 2, 3, 0, 4, 5, 6]  # (the ball and the second chain are equal then)


def test_the_system_is_solved_in_any_order():
    """Against numpy, one right-hand side and many. Measured 1e-14 of the largest."""
    rng = np.random.default_rng(1)
    edges, n = _grid(3, rng), 27
    pattern, blocks, _ = _analysed(n, np.zeros((0, 2), np.int64), edges)
    pattern.places[:] = pattern.order
    dense = np.zeros((n, 6, n, 6))
    for i in range(n):
        blocks.D[i, :, :6] = dense[i, :, i] = rng.normal(size=(6, 6)) + 9.0 * np.eye(6)
    for i, j in edges:
        for row, column in ((i, j), (j, i)):
            upper = pattern.rank[row] < pattern.rank[column]
            block = rng.normal(size=(6, 6))
            (blocks.U if upper else blocks.L)[pattern.block_of[row, column], :, :6] = dense[row, :, column] = block
    x, many = rng.normal(size=(n, 8)), rng.normal(size=(n, 6, 8))
    A = dense.reshape(6 * n, 6 * n)
    one, all_ = np.linalg.solve(A, x[:, :6].ravel()), np.linalg.solve(A, many.reshape(6 * n, 8))
    assert solve_both(tuple(pattern), tuple(blocks), x, many)
    assert np.abs(x[:, :6].ravel() - one).max() < 1e-12 * np.abs(one).max()
    assert np.abs(many.reshape(6 * n, 8) - all_).max() < 1e-12 * np.abs(all_).max()
