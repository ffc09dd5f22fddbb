"""The compiled functions that the simulator calls, imported only when one is built."""

from dojo_py.soft.handles import model_handle, work_handle
from dojo_py.soft.step import run

__all__ = ["model_handle", "run", "work_handle"]
