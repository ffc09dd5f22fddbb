"""Disjoint sets of numbers, joined two by two (union-find, Tarjan 1975), for kernels.

A set is represented by its smallest member, so that a representative comes before the others. `parent` (n,) holds the set of each
number; at first parent[i] = i.
"""

from dojo_py.jit import kernel


@kernel
def root(parent, i):
    """The representative of the set of i, its path halved on the way. parent (n,): forest of all sets."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def join(parent, i, k):
    """One set of those of i and k."""
    i, k = root(parent, i), root(parent, k)
    if i < k:
        parent[k] = i
    elif k < i:
        parent[i] = k
