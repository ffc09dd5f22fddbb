"""The central-path parameter above which a roll-out says nothing about a model.

At κ > 0 every candidate contact pushes, at whatever distance:  γ s = κ,  impulse γ [N s] of a step, gap s [m]. A body of mass m
that n contacts carry floats where n κ / s = m g h, at the height

    s = n κ / (m g h)                                                                        h: time step [s]

which must be small against the body's size L. At κ = m g h L / n it floats as high as it is large: floors at that distance push it
with a force as large as its weight, which is no motion of the model. Heights are in proportion to κ: at a hundredth of that κ it
floats at a hundredth of L.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.convex_shapes import CAPSULE
from dojo_py.hard.contacts.round_pairs import ENDS
from dojo_py.hard.world import World
from dojo_py.mechanism.quaternion import matrix, multiply

Array = np.ndarray


def largest_kappa(model: Any, world: World, timestep: float) -> float:
    """Least m g h L / n of the trees of bodies that contacts may carry [N m s]; infinite without weight or contact."""
    layout = world.layout
    root = _roots(layout)
    if not len(root):
        return float("inf")
    trees = int(root.max()) + 1
    pushes = np.bincount(root[world.planes.body], minlength=trees).astype(float)
    pairs, rounds = world.pairs, int(world.pairs.rounds[0])
    first, second = pairs.shape_node[pairs.geom[:rounds]].T
    features = np.where(pairs.shape_kind[pairs.geom[:rounds, 0]] == CAPSULE, 1 + ENDS, 1)
    own, other = np.where(first >= 0, root[first], -1), np.where(second >= 0, root[second], -1)
    for side, opposite in ((own, other), (other, own)):
        counts = (side >= 0) & (side != opposite)
        pushes += np.bincount(side[counts], features[counts], minlength=trees)
    weights = np.zeros((trees, 3))
    np.add.at(weights, root, layout.mass[:, None] * layout.gravity)
    scale = np.linalg.norm(weights, axis=1) * timestep * _sizes(model, world, root, trees)
    carried = (pushes > 0) & (scale > 0)
    return float((scale[carried] / pushes[carried]).min()) if carried.any() else float("inf")


def _roots(layout: Any) -> Array:
    """(nb,) number of each body's tree."""
    parent = np.full(len(layout.mass), -1)
    parent[layout.child] = layout.parent
    root = np.arange(len(parent))
    for _ in parent:  # at most as many links as bodies
        root = np.where(parent[root] >= 0, parent[root], root)
    return np.unique(root, return_inverse=True)[1].reshape(-1)


def _sizes(model: Any, world: World, root: Array, trees: int) -> Array:
    """(trees,) longest side of the box about a tree's geoms in the model's initial pose [m]."""
    pos, quat = np.zeros((model.nbody, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (model.nbody, 1))
    for b in range(1, model.nbody):
        p = int(model.body_parentid[b])
        pos[b], quat[b] = pos[p] + matrix(quat[p]) @ model.body_pos[b], multiply(quat[p], model.body_quat[b])
    low, high = np.full((trees, 3), np.inf), np.full((trees, 3), -np.inf)
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        node = int(world.bodies.node[b])
        if node < 0 or not np.isfinite(model.geom_rbound[g]):
            continue
        centre, t = pos[b] + matrix(quat[b]) @ model.geom_pos[g], root[node]
        low[t], high[t] = np.minimum(low[t], centre - model.geom_rbound[g]), np.maximum(high[t], centre + model.geom_rbound[g])
    return np.max(np.where(high > low, high - low, 0.0), axis=1)
