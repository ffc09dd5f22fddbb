"""Model files: MJCF and URDF readers and `load_model`."""

from .load import check, load_model

__all__ = ["check", "load_model"]
