"""The friction laws of a contact, as collision decides them and the solver's cones have them."""

FRICTIONLESS, CONE, PYRAMID, SPINNING_CONE, ROLLING_CONE = range(5)
"""None; a cone of two tangents (condim 3); its pyramid; with torsional (4); with torsional and rolling friction (6)."""
