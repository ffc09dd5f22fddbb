"""Which pairs of geoms may collide at all (MuJoCo, Computation, "Selection"): found once per model, without a loop over pairs.

Bodies welded together count as one, and do not collide; nor do two bodies that no joint moves (mocap bodies, the world), nor a
parent and its child unless the parent is the world; contype/conaffinity bits must match; excluded pairs of bodies are dropped.
Pairs that the model lists (<pair>) bypass all of these filters but the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.enums import DisableBit

Array = np.ndarray

DISABLE_FILTERPARENT = int(DisableBit.FILTERPARENT)
AT_ONCE = 1 << 20
"""Pairs that are filtered at once: bounds the memory of the intermediate arrays."""


class CollidingPairs(NamedTuple):
    """n pairs of geoms: those that pass the filters in ascending order, then the model's own pairs (<pair>) in their order."""

    geoms: Array  # (n, 2)
    condim: Array  # (n,)
    listed: Array  # (n,) number of the model's own pair, -1 for the others


def filtered_pairs(model: Any) -> Array:
    """(n, 2) geoms i < k that pass the filters and are not among the model's own pairs, in ascending order."""
    one_of = [np.asarray(model.geom_contype), np.asarray(model.geom_conaffinity)]
    some = np.flatnonzero((one_of[0] != 0) | (one_of[1] != 0))
    found, first = [np.zeros((0, 2), np.int64)], 0
    while first < len(some) - 1:
        last = min(first + max(AT_ONCE // len(some), 1), len(some) - 1)
        i, k = np.triu_indices(last - first, 1, len(some) - first)
        found.append(_passing(model, some[first + i], some[first + k]))
        first = last
    return np.concatenate(found)


def _passing(model: Any, g: Array, k: Array) -> Array:
    """(n, 2) those of the pairs (g, k) that pass."""
    body, weld, parent = (np.asarray(getattr(model, name)) for name in ("geom_bodyid", "body_weldid", "body_parentid"))
    contype, affinity = np.asarray(model.geom_contype), np.asarray(model.geom_conaffinity)
    good = ((contype[g] & affinity[k]) | (contype[k] & affinity[g])) != 0
    good &= weld[body[g]] != weld[body[k]]
    moves = np.asarray(model.body_dofnum)[weld] > 0
    good &= moves[body[g]] | moves[body[k]]
    g, k = g[good], k[good]
    one, two = body[g].astype(np.int64), body[k].astype(np.int64)
    w1, w2 = weld[one], weld[two]
    good = np.ones(len(g), bool)
    excluded = np.asarray(getattr(model, "exclude_signature", ()), np.int64).ravel()
    if len(excluded):
        good &= ~np.isin((one << 16) + two, excluded) & ~np.isin((two << 16) + one, excluded)
    if not int(model.opt.disableflags) & DISABLE_FILTERPARENT:
        up1, up2 = weld[parent[w1]], weld[parent[w2]]
        good &= (w1 == 0) | (w2 == 0) | ((w1 != up2) & (w2 != up1))
    listed = listed_pairs(model)
    if len(listed):
        listed = np.sort(listed, axis=1)
        good &= ~np.isin(g * np.int64(model.ngeom) + k, listed[:, 0] * np.int64(model.ngeom) + listed[:, 1])
    return np.stack([g[good], k[good]], axis=1).astype(np.int64)


def listed_pairs(model: Any) -> Array:
    """(n, 2) geoms of the model's own pairs."""
    if not int(getattr(model, "npair", 0)):
        return np.zeros((0, 2), np.int64)
    return np.stack([np.asarray(model.pair_geom1), np.asarray(model.pair_geom2)], axis=1).astype(np.int64)


def colliding_pairs(model: Any) -> CollidingPairs:
    """All pairs of geoms that may collide, with the condim that MuJoCo mixes: that of the higher priority, else the larger."""
    geoms, listed = filtered_pairs(model), listed_pairs(model)
    g, k = geoms.T
    p1, p2 = (np.asarray(model.geom_priority)[side] for side in (g, k))
    dim = np.asarray(model.geom_condim)
    condim = np.where(p1 > p2, dim[g], np.where(p2 > p1, dim[k], np.maximum(dim[g], dim[k])))
    number = np.arange(len(listed))
    if len(listed):
        weld = np.asarray(model.body_weldid)[np.asarray(model.geom_bodyid)]
        apart = weld[listed[:, 0]] != weld[listed[:, 1]]
        listed, number = listed[apart], number[apart]
        condim = np.concatenate([condim, np.asarray(model.pair_dim)[number]])
    return CollidingPairs(
        np.concatenate([geoms, listed]), condim.astype(np.int64), np.concatenate([np.full(len(geoms), -1), number])
    )
