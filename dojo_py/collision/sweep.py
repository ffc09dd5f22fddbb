"""Broad phase: which pairs of geoms may be near, by sweep and prune (Baraff 1992; Cohen et al., I-COLLIDE, 1995).

Every geom of finite size has an axis-aligned bounding box. The boxes are sorted by their lower ends along one axis, and only those
that overlap along it are compared. The order of the last call is kept, so that sorting costs next to nothing while little moves.
The pairs found do not depend on it: they come in the order of the model's pairs, as if every pair had been tested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.jit import kernel

Array = np.ndarray


class PairIndex(NamedTuple):
    """Index of the pairs of a model by their geoms. g geoms, m pairs."""

    box_geom: Array  # (n,) geoms that have a box: those of the pairs of two finite geoms
    partner_start: Array  # (g + 1,) start, in the next two, of the pairs of a geom with geoms of larger number
    partner: Array  # (m',) the geom of larger number, ascending
    pair_number: Array  # (m',) the number of the pair
    boundless: Array  # (u,) numbers of the pairs with a geom of no finite size: always near


class Sweep(NamedTuple):
    """Work space, modified in place."""

    low: Array  # (n, 3) of the box of PairIndex.box_geom[i] [m]
    high: Array  # (n, 3)
    order: Array  # (n,) boxes sorted by their lower ends along `axis`
    axis: Array  # (1,) 0, 1 or 2
    near: Array  # (room,) numbers of the pairs found, ascending
    found: Array  # (2,) number of pairs found, number of those for which there was no room


ROOM_A_BOX, LEAST_ROOM = 8, 64
"""Initial room for near pairs: so many for each box, and at least so many."""


def pair_index(geoms: Array, boundless: Array) -> PairIndex:
    """The index of pairs (m, 2) of geoms; boundless (g,): which geoms are of no finite size."""
    open_ended = boundless[geoms].any(axis=1) if len(geoms) else np.zeros(0, bool)
    number = np.flatnonzero(~open_ended)
    low, high = geoms[number].min(axis=1, initial=1 << 62), geoms[number].max(axis=1, initial=-1)
    order = np.lexsort((number, high, low))
    start = np.searchsorted(low[order], np.arange(len(boundless) + 1))
    boxed = np.unique(geoms[number].reshape(-1))
    found = boxed, start, high[order], number[order], np.flatnonzero(open_ended)
    return PairIndex(*(np.ascontiguousarray(x, np.int64) for x in found))


def allocate_sweep(index: PairIndex, room: int = 0) -> Sweep:
    """Work space with room for so many near pairs: at least the initial room, at most all pairs."""
    n, pairs = len(index.box_geom), len(index.pair_number) + len(index.boundless)
    room = min(max(room, ROOM_A_BOX * n + LEAST_ROOM + len(index.boundless)), pairs)
    z = np.zeros
    return Sweep(z((n, 3)), z((n, 3)), np.arange(n), z(1, np.int64), z(max(room, 1), np.int64), z(2, np.int64))


@kernel
def set_box(S: Any, i: Any, x: Any, y: Any, z: Any, reach: Any) -> None:
    """Box i = bounding box of a ball of radius reach [m] about a point, slightly enlarged, so that round-off loses no pair."""
    around = reach + 1e-12 * (reach + abs(x) + abs(y) + abs(z))
    S.low[i, 0], S.low[i, 1], S.low[i, 2] = x - around, y - around, z - around
    S.high[i, 0], S.high[i, 1], S.high[i, 2] = x + around, y + around, z + around


@kernel
def sort_boxes(S: Any) -> None:
    """Sort the boxes by their lower ends along the axis of largest variance; it changes only for an axis of twice the variance."""
    low, order, n = S.low, S.order, S.order.shape[0]
    best, widest, own = S.axis[0], 0.0, 0.0
    for a in range(3):
        mean, square = 0.0, 0.0
        for i in range(n):
            mean += low[i, a]
        mean /= max(n, 1)
        for i in range(n):
            square += (low[i, a] - mean) * (low[i, a] - mean)
        own = square if a == S.axis[0] else own
        if square > widest:
            best, widest = a, square
    if widest > 2.0 * own:
        S.axis[0] = best
    a = S.axis[0]
    for i in range(1, n):
        box, place = order[i], i
        while place > 0 and low[order[place - 1], a] > low[box, a]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = box


@kernel
def overlap(S: Any, i: Any, k: Any, apart: Any) -> Any:
    """Whether two boxes are within `apart` [m] along the two axes that are not sorted; False for NaN."""
    a, b = (S.axis[0] + 1) % 3, (S.axis[0] + 2) % 3
    low, high = S.low, S.high
    along_a = low[i, a] <= high[k, a] + apart and low[k, a] <= high[i, a] + apart
    return along_a and low[i, b] <= high[k, b] + apart and low[k, b] <= high[i, b] + apart


@kernel
def pairs_of(index: Any, g: Any, k: Any) -> Any:
    """(first, last + 1) of the pairs of geoms g and k in the index, mostly one or none."""
    i, j = min(g, k), max(g, k)
    low, high = index.partner_start[i], index.partner_start[i + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if index.partner[middle] < j:
            low = middle + 1
        else:
            high = middle
    last = low
    while last < end and index.partner[last] == j:
        last += 1
    return low, last


@kernel
def find_near(index: Any, S: Any) -> None:
    """Fill S.near with the pairs whose boxes overlap, and those without a box, ascending."""
    sort_boxes(S)
    S.found[0] = S.found[1] = 0
    for u in range(index.boundless.shape[0]):
        _put(S, index.boundless[u])
    order, a, n = S.order, S.axis[0], S.order.shape[0]
    for p in range(n):
        i = order[p]
        end = S.high[i, a]
        for q in range(p + 1, n):
            k = order[q]
            if not S.low[k, a] <= end:
                break
            if overlap(S, i, k, 0.0):
                at, last = pairs_of(index, index.box_geom[i], index.box_geom[k])
                for pair in range(at, last):
                    _put(S, index.pair_number[pair])
    sort_numbers(S.near, S.found[0])


@kernel
def _put(S: Any, number: Any) -> None:
    if S.found[0] < S.near.shape[0]:
        S.near[S.found[0]] = number
        S.found[0] += 1
    else:
        S.found[1] += 1


@kernel
def sort_numbers(x: Any, n: Any) -> None:
    """Sort the first n numbers of x in ascending order, in place (heap sort, after a test whether they are sorted already)."""
    known = True
    for i in range(1, n):
        known = known and x[i - 1] <= x[i]
    if known:
        return
    for start in range(n // 2 - 1, -1, -1):
        _sift(x, start, n)
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        _sift(x, 0, end)


@kernel
def _sift(x: Any, root: Any, n: Any) -> None:
    """Restore the heap below root in the first n numbers."""
    value = x[root]
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and x[child] < x[child + 1]:
            child += 1
        if x[child] <= value:
            break
        x[root] = x[child]
        root = child
    x[root] = value
