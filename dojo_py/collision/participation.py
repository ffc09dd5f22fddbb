"""Which features of pairs of bodies a step has, and which of them take part in it: the words of W.n_features and W.fwanted."""

from dojo_py.jit import kernel

NOW, NO_ROOM, BEFORE_LOOK, AT_START, WITH_CONTACTS, BEFORE_PARTS = range(6)
"""Entries of W.n_features (6,), counts of features. NOW: chosen in this step so far. NO_ROOM: found, but without a row for them.
BEFORE_LOOK: there were when the present search began. AT_START: chosen where the step starts. WITH_CONTACTS: those that have their
contacts. BEFORE_PARTS: there were before the parts of the step."""

OF_STEP, MISSED, OF_PART, LET_GO = 0, 1, 2, -1
"""Values of W.fwanted. OF_STEP: chosen where the step starts. MISSED: found missing at the end of a solve; on the central path such
a feature acts in full. OF_PART: of the present part of a step. LET_GO: takes no part, as a ghost (hard/contacts/ghosts.py) or
because a point that follows its rim has replaced it (hard/contacts/followed_rims.py). Values below are those of features that are
suspended."""


@kernel
def takes_part(W, f):
    """Whether feature f takes part in the present solve."""
    return W.fwanted[f] >= 0


@kernel
def suspend(W, f):
    """Feature f takes no part for now, until this is called for it again."""
    W.fwanted[f] = _suspended(W.fwanted[f])


@kernel
def suspend_as(W, f, what):
    """Feature f takes no part for now; it is OF_STEP, MISSED or OF_PART when it does again."""
    W.fwanted[f] = _suspended(what)


@kernel
def is_suspended(W, f, what):
    """Whether feature f, which is OF_STEP, MISSED or OF_PART otherwise, takes no part for now."""
    return W.fwanted[f] == _suspended(what)


@kernel
def _suspended(what):
    """W.fwanted of a suspended feature, from its other value, and the reverse: -2, -3, -4 of 0, 1, 2."""
    return -2 - what
