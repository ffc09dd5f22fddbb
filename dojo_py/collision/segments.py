"""Two segments crossing: the closest points of the two axes, where both lie inside their segments.

    e = w + s u_A - t u_B,   e · u_A = e · u_B = 0,   w = o_A - o_B,   s, t ∈ [-1, 1]

u: half vectors. Where an end is closest (or the axes are parallel) the ends' own rows hold the contact; s and t stay clamped.
"""

from dojo_py.jit import kernel

PARALLEL = 1e-8
"""Square of the sine of the angle between two axes below which they count as parallel."""


@kernel
def closest_parameters(w, ua, ub):
    """(s, t, free_s, free_t): parameters of the closest points, clamped, and which of them follow a motion. All (3,) [m]."""
    aa = ua[0] * ua[0] + ua[1] * ua[1] + ua[2] * ua[2]
    bb = ub[0] * ub[0] + ub[1] * ub[1] + ub[2] * ub[2]
    ab = ua[0] * ub[0] + ua[1] * ub[1] + ua[2] * ub[2]
    aw = ua[0] * w[0] + ua[1] * w[1] + ua[2] * w[2]
    bw = ub[0] * w[0] + ub[1] * w[1] + ub[2] * w[2]
    det = aa * bb - ab * ab
    if det < PARALLEL * aa * bb:
        t = min(max(bw / bb, -1.0), 1.0)
        return 0.0, t, False, -1.0 < t < 1.0
    s = (ab * bw - bb * aw) / det
    t = (aa * bw - ab * aw) / det
    if -1.0 < s < 1.0 and -1.0 < t < 1.0:
        return s, t, True, True
    s = min(max(s, -1.0), 1.0)
    t = min(max((bw + s * ab) / bb, -1.0), 1.0)
    s = min(max((t * ab - aw) / aa, -1.0), 1.0)
    return s, t, -1.0 < s < 1.0, -1.0 < t < 1.0
