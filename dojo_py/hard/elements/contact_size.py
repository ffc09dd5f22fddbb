"""Length L of a contact of two bodies, mostly that of the smaller shape:  1/L² = 1/A + 1/B,  A, B: sums of squares of their sizes.

Planes and height fields count as endless.
"""

from dojo_py.collision.convex_shapes import CAPSULE, PLANE, SPHERE
from dojo_py.collision.height_fields import HFIELD
from dojo_py.jit import kernel


@kernel
def square_of_length(Q, W, f):
    """L² of feature f [m²]."""
    a, b = _square(Q, W.fshape[f, 0]), _square(Q, W.fshape[f, 1])
    if a == 0.0 or b == 0.0:
        return a + b
    return a * b / (a + b)


@kernel
def length_by_size(Q, W, f, side, k):
    """Its derivative by size k of the shape on one side [m]."""
    g, square = W.fshape[f, side], square_of_length(Q, W, f)
    own = _square(Q, g)
    return 2.0 * Q.shape_size[g, k] * (square / own) ** 2 if own > 0.0 else 0.0


@kernel
def length_by_radius(Q, W, f, side):
    """Its derivative by the rounding of the shape on one side [m], which is a size of spheres and capsules only."""
    kind = Q.shape_kind[W.fshape[f, side]]
    return length_by_size(Q, W, f, side, 0) if kind == SPHERE or kind == CAPSULE else 0.0


@kernel
def _square(Q, g):
    """Sum of the squares of the sizes of shape g [m²]."""
    kind, size, total = Q.shape_kind[g], Q.shape_size[g], 0.0
    n = 0 if kind == PLANE or kind == HFIELD else 1 if kind == SPHERE else 2 if kind == CAPSULE else 3
    for k in range(n):
        total += size[k] * size[k]
    return total
