"""Policy search."""
