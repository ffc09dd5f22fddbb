"""MuJoCo's soft-contact dynamics in joint coordinates, on the same Model as the hard mode."""
