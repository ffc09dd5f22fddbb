"""Features of convex pairs: chosen where the step starts, checked where it ends, chosen again where something else is nearer."""

import math

from dojo_py.collision.manifold import convex_far, find_features, pair_distance
from dojo_py.hard.far_pairs import full_distance
from dojo_py.jit import kernel

TOUCHING = 5e-10
"""A pair that is deeper at the end of a step [m] was met by what took no part: half of what is promised never to occur."""


@kernel
def choose_features(L, P, Q, W, h, kappa, margin):
    """The table of features of this step: those of convex pairs within reach, where it starts, with the impulses they had last."""
    W.n_features[0] = W.n_features[1] = 0
    for k in range(Q.convex.shape[0]):
        reach = 2.0 * full_distance(Q, k, kappa) if kappa > 0.0 else _reach(L, Q, W, k, h, margin)
        if not convex_far(Q, k, W.x, W.R, reach):
            find_features(Q, W, k, W.x, W.R, reach)
    _remember(P, Q, W, 0)


@kernel
def _body(Q, k, side):
    return Q.shape_node[Q.convex[k, side]]


@kernel
def _reach(L, Q, W, k, h, margin):
    """How near two geoms must be to take part in a step of length h [m]: what they can close in it, with room to spare."""
    reach = margin
    for side in range(2):
        g = Q.convex[k, side]
        b = Q.shape_node[g]
        if b >= 0:
            v, c = W.v_prev[b], Q.shape_centre[g]
            gravity = max(abs(L.gravity[b, 0]), abs(L.gravity[b, 1]), abs(L.gravity[b, 2]))
            arm = Q.shape_reach[g] + math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
            reach += 4.0 * h * h * gravity + 2.0 * h * math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            reach += 2.0 * h * arm * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
    return reach


@kernel
def _remember(P, Q, W, first):
    """The last step's impulses of the chosen features from number `first` on; both lists are in the order of pairs, nearly."""
    own, planes, old, known, at = Q.kind.shape[0], P.body.shape[0], W.warm_feature, 0, 0
    while known < old.shape[0] and old[known, 0] > 0.0:
        known += 1
    for s in range(first, W.n_features[0]):
        f = own + s
        impulse = W.warm_con[planes + f]
        for r in range(impulse.shape[0]):
            impulse[r] = 0.0
        for turn in range(known):
            i = (at + turn) % known
            if old[i, 0] == W.fpair[f] + 1.0 and old[i, 1] == float(W.fkey[f]):
                for r in range(impulse.shape[0]):
                    impulse[r] = old[i, 2 + r]
                at = i + 1
                break


@kernel
def left_out_features(P, Q, W):
    """Add features of the convex pairs that overlap at the next poses. Returns how many; W.pair_gap: the smallest gap there."""
    before = W.n_features[0]
    W.pair_gap[0] = math.inf
    for k in range(Q.convex.shape[0]):
        if convex_far(Q, k, W.xn, W.Rn, max(min(W.pair_gap[0], 1e300), 0.0)):
            continue
        gap = pair_distance(Q, W, k, W.xn, W.Rn)
        W.pair_gap[0] = min(W.pair_gap[0], gap)
        if gap < -TOUCHING:
            find_features(Q, W, k, W.xn, W.Rn, 0.0)
    _remember(P, Q, W, before)
    return W.n_features[0] - before


@kernel
def smallest_distance(Q, W, least):
    """The smallest gap of the convex pairs at the next poses [m]; least: or any that is not smaller than this."""
    if W.pair_gap[0] < math.inf:  # the check at the end of the step knows
        return W.pair_gap[0]
    for k in range(Q.convex.shape[0]):
        if not convex_far(Q, k, W.xn, W.Rn, max(min(least, 1e300), 0.0)):
            least = min(least, pair_distance(Q, W, k, W.xn, W.Rn))
    return least


@kernel
def want_features(L, P, Q, W, h):
    """Add the features of convex pairs of the islands in W.span that their bounding spheres let touch. Returns how many."""
    before = W.n_features[0]
    for k in range(Q.convex.shape[0]):
        a, b = _body(Q, k, 0), _body(Q, k, 1)
        if a < 0 or b < 0 or W.island[a] == W.island[b]:
            inside = W.taken[0] <= W.island[max(a, b)] < W.taken[1]
            reach = 4.0 * _reach(L, Q, W, k, h, 0.0)
            if inside and not convex_far(Q, k, W.x, W.R, reach):
                find_features(Q, W, k, W.x, W.R, reach)
    _remember(P, Q, W, before)
    return W.n_features[0] - before
