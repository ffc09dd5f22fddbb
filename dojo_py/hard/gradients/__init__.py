"""Implicit differentiation of the hard step at a central-path parameter κ."""
