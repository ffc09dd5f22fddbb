"""Sparse Cholesky factorisation by CHOLMOD, when scikit-sparse is installed: for Hessians of many bodies that hardly touch.

Kernels reach it through Python (numba's object mode), about a millisecond an iteration. Measured on piles of spheres with elliptic
cones: as fast as the dense factor at 600 dofs, twice as fast at 960.
"""

import importlib.util
import threading
from typing import Any

import numpy as np

LARGE = 800
"""Dofs from which CHOLMOD is used when it is installed and nothing else is asked for."""

MISSING = (
    'factorization="cholmod" needs the package scikit-sparse and the library SuiteSparse: '
    'apt install libsuitesparse-dev (or conda install suitesparse), then pip install "dojo-sim[cholmod]"'
)


def installed() -> bool:
    """Whether scikit-sparse can be imported."""
    return importlib.util.find_spec("sksparse") is not None


def chosen(factorization: str | None, nv: int) -> bool:
    """Whether to use CHOLMOD: "cholmod", "dense", or None for the size to decide. ImportError when it is asked for and missing."""
    if factorization == "cholmod" and not installed():
        raise ImportError(MISSING)
    return factorization == "cholmod" or (factorization is None and nv >= LARGE and installed())


class _Factor(threading.local):
    """The factor of the last matrix, one for each thread; its symbolic analysis serves as long as the pattern stays."""

    factor: Any = None
    indptr = np.zeros(0)
    indices = np.zeros(0)


_last = _Factor()


def factorize(n: int, i: np.ndarray, j: np.ndarray, values: np.ndarray) -> bool:
    """Factor the symmetric (n, n) matrix with the summed entries values[k] at (i[k] >= j[k]); False: not positive definite."""
    from scipy.sparse import coo_array, csc_matrix
    from sksparse.cholmod import CholmodNotPositiveDefiniteError, analyze

    A = csc_matrix(coo_array((values, (i, j)), shape=(n, n)))
    same = np.array_equal(A.indptr, _last.indptr) and np.array_equal(A.indices, _last.indices)
    if not np.all(np.isfinite(A.data)):
        return False
    try:
        if not same:
            _last.indptr, _last.indices = A.indptr, A.indices
            _last.factor = analyze(A)
        _last.factor.cholesky_inplace(A)
        positive = bool(np.all(_last.factor.D() > 0.0))  # an L D L^T factor of an indefinite matrix raises nothing
    except CholmodNotPositiveDefiniteError:
        positive = False
    if not positive:
        _last.indptr = np.zeros(0)
    return positive


def solve(b: np.ndarray) -> np.ndarray:
    """The solution (n,) for the matrix factored last in this thread."""
    return np.asarray(_last.factor(b))
