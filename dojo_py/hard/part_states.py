"""Which features take part: those of the whole step, or those of the present part of it (part_features.py).

W.fwanted of a feature that takes no part for now is -2 minus its other value: 0 and 1 for the whole step, HERE for a part.
"""

from dojo_py.hard.islands import in_span
from dojo_py.jit import kernel

HERE = 2
"""W.fwanted of a feature that takes part in the present part of the step."""


@kernel
def features_of_step(W):
    """In the islands in W.span the features of the whole step take part, and no others."""
    for f in range(W.n_features[0]):
        if (W.fwanted[f] == HERE or -2 - HERE < W.fwanted[f] < -1) and of_islands(W, f):
            W.fwanted[f] = -2 - W.fwanted[f]


@kernel
def keep_features(W):
    """Remember which features take part in the whole step, before its parts choose theirs."""
    W.n_features[5] = W.n_features[0]
    for f in range(W.n_features[0]):
        W.fkept[f] = W.fwanted[f]


@kernel
def take_features_back(W):
    """In the islands in W.span the features that took part before `keep_features` do so again, and no others."""
    for f in range(W.n_features[0]):
        if of_islands(W, f):
            W.fwanted[f] = W.fkept[f] if f < W.n_features[5] else -2 - HERE


@kernel
def of_islands(W, f):
    """Whether feature f is of a body of the islands."""
    a, b = W.fbody[f, 0], W.fbody[f, 1]
    return (a >= 0 and in_span(W, a)) or (b >= 0 and in_span(W, b))
