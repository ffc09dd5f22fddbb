"""Linear systems of a few equations."""

from dojo_py.jit import kernel


@kernel
def divide(A, B, n, m):
    """B (n, m) becomes A⁻¹ B by elimination without pivoting, which A (n, n) must allow; A is destroyed."""
    for p in range(n):
        for i in range(n):
            if i == p:
                continue
            factor = A[i, p] / A[p, p]
            for j in range(p, n):
                A[i, j] -= factor * A[p, j]
            for j in range(m):
                B[i, j] -= factor * B[p, j]
    for i in range(n):
        for j in range(m):
            B[i, j] /= A[i, i]
