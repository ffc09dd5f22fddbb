"""Model files: MJCF and URDF readers, `load_model`, `load_mechanism`, `save_mjcf`."""

from .load import check, load_mechanism, load_model
from .save import save_mjcf

__all__ = ["check", "load_mechanism", "load_model", "save_mjcf"]
