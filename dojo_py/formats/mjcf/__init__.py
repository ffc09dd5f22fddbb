"""MJCF reader: `read_mjcf` turns the tree of a `mujoco` file into a `Mechanism`."""

from .reader import read_mjcf

__all__ = ["read_mjcf"]
