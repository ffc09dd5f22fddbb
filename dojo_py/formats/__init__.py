"""Model files: MJCF and URDF readers, `load_model` and `load_mechanism`."""

from .load import check, load_mechanism, load_model

__all__ = ["check", "load_mechanism", "load_model"]
