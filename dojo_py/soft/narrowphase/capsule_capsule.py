"""Two capsules: the nearest points of the segments; parallel axes make two contacts, at the ends of the overlap."""

from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import spheres


@kernel
def at(a, s, size_a, b, t, size_b, reach, out, n):
    """Contact n of the spheres at parameter s [m] of segment a and t of segment b; returns the new count."""
    A, B = a.xmat, b.xmat
    return spheres(
        a.xpos[0] + s * A[0, 2], a.xpos[1] + s * A[1, 2], a.xpos[2] + s * A[2, 2], size_a[0],
        b.xpos[0] + t * B[0, 2], b.xpos[1] + t * B[1, 2], b.xpos[2] + t * B[2, 2], size_b[0], A, B, reach, out, n,
    )  # fmt: skip


@kernel
def capsule_capsule(a, size_a, b, size_b, reach, out):
    """size: (radius, half-length, -). Returns the number of contacts, 0 to 2."""
    A, B = a.xmat, b.xmat
    dx, dy, dz = a.xpos[0] - b.xpos[0], a.xpos[1] - b.xpos[1], a.xpos[2] - b.xpos[2]
    c = A[0, 2] * B[0, 2] + A[1, 2] * B[1, 2] + A[2, 2] * B[2, 2]
    u = -(A[0, 2] * dx + A[1, 2] * dy + A[2, 2] * dz)
    v = B[0, 2] * dx + B[1, 2] * dy + B[2, 2] * dz
    la, lb = size_a[1], size_b[1]
    det = 1.0 - c * c
    if abs(det) >= 1e-12:
        s = (u + c * v) / det
        t = (v + c * u) / det
        # outside the rectangle the minimum lies on its border: clamp one, project the other, clamp again
        if s > la:
            s = la
            t = v + c * la
        elif s < -la:
            s = -la
            t = v - c * la
        if t > lb:
            t = lb
            s = min(max(u + c * lb, -la), la)
        elif t < -lb:
            t = -lb
            s = min(max(u - c * lb, -la), la)
        return at(a, s, size_a, b, t, size_b, reach, out, 0)
    n = 0
    for side in range(2):  # parallel: the ends of the overlap along a's axis; both at the same place when there is none
        s = min(max(u - lb if side == 0 else u + lb, -la), la)
        t = min(max(v + c * s, -lb), lb)
        n = at(a, s, size_a, b, t, size_b, reach, out, n)
    return n
