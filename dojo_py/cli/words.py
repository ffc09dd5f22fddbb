"""What several commands say in the same words."""

MODEL_HELP = "a shipped model (see `dojo_py models`), an MJCF or a URDF file"
"""Of the argument that names a model."""
