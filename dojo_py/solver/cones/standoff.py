"""The end of the path: residuals within round-off, and gaps that have arrived at their standoff."""

from dojo_py.jit import kernel

NEAREST, FARTHEST = 0.5, 2.0
"""Gaps within these factors of the standoff have arrived at the hard limit."""


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
def has_arrived(s, standoff):
    """Whether a gap s [m] is at its standoff; none is where there is no standoff."""
    return standoff > 0.0 and NEAREST * standoff <= s <= FARTHEST * standoff
