"""The way of a tendon around an object (mechanism/wrapping.py) for kernels of both modes."""

from numba.extending import register_jitable

from dojo_py.mechanism.wrapping import FUNCTIONS, unit3, wrap

for _function in FUNCTIONS:
    register_jitable(_function)

PULLEY, SITE, SPHERE, CYLINDER = 2, 3, 4, 5
"""Parts of a path, as in `WrapType`."""

__all__ = ["CYLINDER", "PULLEY", "SITE", "SPHERE", "unit3", "wrap"]
