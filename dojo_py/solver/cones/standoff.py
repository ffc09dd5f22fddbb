"""The end of the central path: residuals within round-off, and gaps that have arrived at their standoff."""

from dojo_py.jit import kernel

NEAREST, FARTHEST = 0.5, 2.0
"""Gaps within these factors of the standoff have arrived at the hard limit."""

FINE = 0.1
"""Accuracy of gaps near the end of the path, roughly, as a fraction of the standoff. (With 0.01 their errors move loads to and fro
between contacts; with 1 or more other constants of the solver change the frictional torques on boxes that slide flat: 1e-3 rad.)"""


@kernel
def beyond(value, floor):
    """The part of a residual that exceeds its round-off floor: stiff contacts would turn round-off into impulses."""
    return value - floor if value > floor else (value + floor if value < -floor else 0.0)


@kernel
def beyond_standoff(s, standoff):
    """How far a gap s [m] has still to shrink (< 0: to grow): 0 where it has arrived; from above it aims at the standoff.

    Impulses of contacts that share a load (four corners, two links at their joint) are not determined by the motion, only by which
    gap is a little smaller. The end of the path must not depend on that: contacts that have arrived keep their impulses.
    """
    return s - standoff if s > FARTHEST * standoff else min(s - NEAREST * standoff, 0.0)


@kernel
def stays(b, c, standoff, k):
    """Whether a gap c [m] and its impulse b are left as they are by a step that aims at the product k.

    On the central path the gap is k / b beyond the standoff. Where that is less than FINE times the standoff it means nothing any
    more: gaps are not known so accurately, and following their errors would move the load from one contact to another.
    """
    return has_arrived(c, standoff) and k <= FINE * b * standoff


@kernel
def left_of_gap(c, standoff):
    """How far a gap c [m] that does not stay (`stays`) is beyond its standoff."""
    return c - standoff if has_arrived(c, standoff) else beyond_standoff(c, standoff)


@kernel
def missing_product(b, c, standoff, k):
    """The target k less the product of b and the gap c beyond its standoff; 0 where the gap stays."""
    return 0.0 if stays(b, c, standoff, k) else k - b * left_of_gap(c, standoff)


@kernel
def has_arrived(s, standoff):
    """Whether a gap s [m] is at its standoff; False where there is no standoff."""
    return standoff > 0.0 and NEAREST * standoff <= s <= FARTHEST * standoff
