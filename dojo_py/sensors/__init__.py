"""Sensors of both modes, read from recorded rows of a motion: many steps at once, and only when somebody asks."""
