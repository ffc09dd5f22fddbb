"""The model files shipped with dojo_py (MJCF, primitives only)."""
