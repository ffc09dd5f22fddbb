"""How the soft mode's kernels are compiled.

`kernel`: an inner function, called by other kernels only: no Python wrapper. `stage`: a list of calls, pasted into its caller,
because every level of calls makes the compiler optimise all that lies below once more. `entry`: what Python calls; cached on disk
together with everything it calls, and compiled anew when any file of this package changes. Work arrays reach the kernels inside
reference structs (handles.py), so a call passes one pointer instead of every array. numba compiles a function again for every
literal argument: pass variables to large kernels.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

_njit: Any = njit  # numba's type stubs do not know the wrapper options
kernel = _njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
stage = _njit(error_model="numpy", inline="always")


def _package_stamp() -> tuple[float, int]:
    """Latest change and total size of the package's sources: numba itself looks only at the file of the entry function."""
    files = [f.stat() for f in Path(__file__).parent.rglob("*.py")]
    return max(f.st_mtime for f in files), sum(f.st_size for f in files)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a cache on disk."""
    dispatcher = _njit(error_model="numpy", no_cfunc_wrapper=True, cache=True, nogil=True)(function)
    cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = _package_stamp()
    return dispatcher
