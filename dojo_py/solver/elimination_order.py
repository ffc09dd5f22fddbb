"""The order of elimination of groups of nodes that contacts connect: minimum degree in the graph of the present contacts.

Nodes that joints and loop closures connect are one group, and keep the order of their numbers: leaves to root, so that every pivot
exists (hard/elements/layout.py). Groups may come in any order: first the one with the fewest neighbours, then the same among the
groups that are left, because eliminating a group makes all its neighbours neighbours of each other (Tinney and Walker 1967; George
and Liu 1989). For a heap of bodies numbered at random a fixed order would fill nearly the whole matrix.

A neighbour counts as many times as it has nodes that share blocks with other groups, since these are the nodes that get connected:
a hand of many links comes before the ball that it holds.
"""

import numpy as np

from dojo_py.jit import kernel


def group_tables(n_nodes, edges):
    """(group of each node (N,), where each group's nodes begin (G + 1,), the nodes sorted by group (N,)).

    Groups are what edges (m, 2) connect, numbered in the order of their first nodes. edges None: all nodes are one group.
    """
    if edges is None:
        return np.zeros(n_nodes, np.int64), np.array([0, n_nodes]), np.arange(n_nodes)
    root = np.arange(n_nodes)
    for i, j in edges:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        while root[j] != j:
            root[j] = root[root[j]]
            j = root[j]
        root[max(i, j)] = min(i, j)
    for i in range(n_nodes):
        root[i] = root[root[i]]  # (a root comes before its members)
    group = np.unique(root, return_inverse=True)[1].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)
    return group, first, np.argsort(group, kind="stable")


@kernel
def order_groups(edges, begin, end, pattern):
    """Set pattern.rank, each node's place in the order, for edges begin … end - 1 between groups; equal degrees by group number."""
    degree = pattern.degree
    count, done = degree.shape[0], 0
    _graph(edges, begin, end, pattern)
    for _ in range(count):
        best = -1
        for g in range(count):
            if degree[g] >= 0 and (best < 0 or degree[g] < degree[best]):
                best = g
        for k in range(pattern.group_first[best], pattern.group_first[best + 1]):
            pattern.rank[pattern.group_node[k]] = done
            done += 1
        _eliminate(pattern, best)


@kernel
def _graph(edges, begin, end, pattern):
    """The graph of the groups and their degrees."""
    group, joined, weight, degree, touched = pattern.group, pattern.joined, pattern.weight, pattern.degree, pattern.touched
    joined[:, :] = 0
    weight[:] = 0
    degree[:] = 0
    touched[:] = 0
    for e in range(begin, end):
        g, k = group[edges[e, 0]], group[edges[e, 1]]
        if g != k:
            joined[g, k] = joined[k, g] = 1
            for side in range(2):
                i = edges[e, side]
                weight[group[i]] += 1 - touched[i]
                touched[i] = 1
    for g in range(degree.shape[0]):
        if weight[g] > 0:
            for k in range(degree.shape[0]):
                if joined[g, k]:
                    degree[g] += weight[k]


@kernel
def _eliminate(pattern, g):
    """Remove group g from the graph; its neighbours become neighbours of each other."""
    joined, weight, degree, near = pattern.joined, pattern.weight, pattern.degree, pattern.near
    found = 0
    if degree[g] > 0:
        for k in range(degree.shape[0]):
            if joined[g, k] and degree[k] >= 0:
                near[found] = k
                found += 1
    for a in range(found):
        i = near[a]
        degree[i] -= weight[g]
        for b in range(a):
            k = near[b]
            if not joined[i, k]:
                joined[i, k] = joined[k, i] = 1
                degree[i] += weight[k]
                degree[k] += weight[i]
    degree[g] = -1
