"""How the soft mode's kernels are compiled: `kernel` and `entry` of dojo_py.jit, and `stage`.

`stage`: a list of calls, pasted into its caller, because every level of calls makes the compiler optimise all that lies below once
more. Work arrays reach the kernels inside reference structs (handles.py), so a call passes one pointer instead of every array.
numba compiles a function again for every literal argument and integer width: pass variables of one type to large kernels.
"""

from typing import Any

from numba import njit

from dojo_py.jit import OPTIONS, entry, kernel

__all__ = ["entry", "kernel", "stage"]

stage: Any = njit(inline="always", **OPTIONS)
