"""Plain functions of `mechanism` for kernels of both modes: the way of a tendon around an object, and the slider-crank."""

from numba.extending import register_jitable

from dojo_py.mechanism.enums import WrapType
from dojo_py.mechanism.slider_crank import slider_crank
from dojo_py.mechanism.wrapping import FUNCTIONS, unit3, wrap

for _function in (*FUNCTIONS, slider_crank):
    register_jitable(_function)

_, PULLEY, SITE, SPHERE, CYLINDER = map(int, WrapType)
"""Parts of a path, as in `WrapType`."""

__all__ = ["CYLINDER", "PULLEY", "SITE", "SPHERE", "slider_crank", "unit3", "wrap"]
