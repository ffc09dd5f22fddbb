"""MuJoCo's soft-contact dynamics in joint coordinates, on the same Model as the hard mode."""

from dojo_py.soft.options import SoftOptions
from dojo_py.soft.simulator import SoftSimulator

__all__ = ["SoftOptions", "SoftSimulator"]
