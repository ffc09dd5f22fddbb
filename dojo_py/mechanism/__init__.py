"""Bodies, joints, geoms and actuators as described (`spec`), and the frozen arrays compiled from them (`Model`)."""

from .errors import ErrorRecord, ModelError, Problems, UnsupportedWarning, Where, nearest

__all__ = ["ErrorRecord", "ModelError", "Problems", "UnsupportedWarning", "Where", "nearest"]
