"""Which features take part: those of the whole step, or those of the present part of it (part_features.py).

Features of the whole step are suspended in parts where their pair has moved, features of a part in the whole step
(collision/participation.py).
"""

from dojo_py.collision.participation import BEFORE_PARTS, MISSED, NOW, OF_PART, OF_STEP, is_suspended, suspend, suspend_as
from dojo_py.hard.islands import in_span
from dojo_py.jit import kernel


@kernel
def features_of_step(W):
    """In the islands in W.span the features of the whole step take part, and no others."""
    for f in range(W.n_features[NOW]):
        waits = is_suspended(W, f, OF_STEP) or is_suspended(W, f, MISSED)
        if (waits or W.fwanted[f] == OF_PART) and of_islands(W, f):
            suspend(W, f)


@kernel
def keep_features(W):
    """Remember which features take part in the whole step, before its parts choose theirs."""
    W.n_features[BEFORE_PARTS] = W.n_features[NOW]
    for f in range(W.n_features[NOW]):
        W.fkept[f] = W.fwanted[f]


@kernel
def take_features_back(W):
    """In the islands in W.span the features that took part before `keep_features` do so again, and no others."""
    for f in range(W.n_features[NOW]):
        if of_islands(W, f):
            if f < W.n_features[BEFORE_PARTS]:
                W.fwanted[f] = W.fkept[f]
            else:
                suspend_as(W, f, OF_PART)


@kernel
def of_islands(W, f):
    """Whether feature f is of a body of the islands."""
    a, b = W.fbody[f, 0], W.fbody[f, 1]
    return (a >= 0 and in_span(W, a)) or (b >= 0 and in_span(W, b))
