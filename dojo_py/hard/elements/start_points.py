"""Where a contact of two bodies pushes: where they touch as the step starts, at the point there.

    c* = p - w (p - c₀),   w = s (1 - x² (3 - 2 x)),   x = |p - c₀|²/(NEAR · L)², w = 0 from x = 1 on
    c₀: point of contact where the step starts;  p: the point there of what touches at its end (feature_rows.py)
    s: how far the bodies are in touch at the start (start_normals.py);  L: see contact_size.py

With the normal of the start, too, an impulse acts along the derivative of the gap where the step starts: what rolls then keeps its
energy to second order in h. At p a ladder that rocks on a roller lost a third of its energy in 2 s at h 0.01 s: the point of its
rails that touches at the end is not the one that touched at the start. Where the point of contact runs far within a step, or where
the bodies meet in it, the start tells nothing of the end, and contacts push at p. So does what meets a face, or is a ball, rim or
ellipsoid, whose p is right already (rolling_arms.py), and so do edges that cross, none of which is round: they are mostly parts of
faces that slide on each other, where any point does the same, and c₀ costs iterations (see `runs_on_both`).
"""

from dojo_py.algebra.vectors import along, minus, times
from dojo_py.hard.elements.rolling_arms import by_square, rolling_arm
from dojo_py.jit import kernel

NEAR = 0.25
"""How far a point of contact may run within a step, over the contact's length L. Beyond it the lever of the impulse is not that of
the gap at the end any more, and steps need more iterations (with 1: `shapes` of the gauntlet 9.5 in place of 7.1). Smaller: what
rolls fast is braked again."""


@kernel
def start_point(p, start, s, square):
    """(c*, N as nine numbers, ∂c*/∂s, ∂c*/∂L²) from p, c₀ (3,) [m], s and L² [m²]:  δc* = N δp + (1 - N) δc₀ + …

    What `rolling_arm` is for s = 1, c₁ with its M, times s:  c* = p + s (c₁ - p),  N = 1 + s (M - 1).
    """
    most = NEAR * NEAR * square
    full, M = rolling_arm(start, p, most)
    d, r = minus(full, p), 1.0 - s
    N = (r + s * M[0], s * M[1], s * M[2], s * M[3], r + s * M[4], s * M[5], s * M[6], s * M[7], r + s * M[8])
    return along(p, s, d), N, d, times(s * NEAR * NEAR, by_square(start, p, most))
