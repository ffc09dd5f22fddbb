"""The end of the path: residuals within round-off, and gaps that have arrived at their standoff."""

from dojo_py.jit import kernel

NEAREST, FARTHEST = 0.5, 2.0
"""Gaps within these factors of the standoff have arrived at the hard limit."""

FINE = 0.1
"""Of the standoff: what gaps are known to near the end, about. (With 0.01 their errors move loads to and fro; with 1 or more, boxes
that slide flat have other frictional torques under other constants of the solver, by 1e-3 rad.)"""


@kernel
def beyond(value, floor):
    """What of a residual exceeds its round-off floor: Newton's steps must not chase noise, stiff contacts turn it into impulses."""
    return value - floor if value > floor else (value + floor if value < -floor else 0.0)


@kernel
def beyond_standoff(s, standoff):
    """What a gap s [m] has still to shrink (or to grow): nothing where it has arrived; from above it aims at the standoff.

    Impulses of contacts that share a load (four corners, two links at their joint) are not determined by the motion, only by which
    gap is a little smaller. The end of the path must not depend on that: contacts that have arrived keep their shares.
    """
    return s - standoff if s > FARTHEST * standoff else min(s - NEAREST * standoff, 0.0)


@kernel
def stays(b, c, standoff, k):
    """Whether a gap c [m] under the impulse b stays as it is on the way to the product k, and so does its impulse.

    The path's gap is k / b beyond the standoff. Where that is less than FINE of the standoff it says nothing any more: gaps are not
    known as well, and what moves them to and fro moves the load from one contact to the other.
    """
    return has_arrived(c, standoff) and k <= FINE * b * standoff


@kernel
def left_of_gap(c, standoff):
    """What a gap c [m] that does not stay is beyond its standoff."""
    return c - standoff if has_arrived(c, standoff) else beyond_standoff(c, standoff)


@kernel
def missing_product(b, c, standoff, k):
    """What the product of b and the gap c beyond its standoff lacks of k; nothing where the gap stays."""
    return 0.0 if stays(b, c, standoff, k) else k - b * left_of_gap(c, standoff)


@kernel
def has_arrived(s, standoff):
    """Whether a gap s [m] is at its standoff; none is where there is no standoff."""
    return standoff > 0.0 and NEAREST * standoff <= s <= FARTHEST * standoff
