"""Copies between arrays in kernels (numba's slice assignment guards against overlap with an allocation)."""

from dojo_py.jit import kernel


@kernel
def copy(a, b):
    """b (n,) = a (n,)."""
    for i in range(a.shape[0]):
        b[i] = a[i]


@kernel
def copy_rows(a, b):
    """b (n, m) = a (n, m)."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            b[i, k] = a[i, k]
