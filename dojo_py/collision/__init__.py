"""Contact candidates of the hard mode: which points of which shapes may touch what, their gaps and derivatives.

Not used by the simulators yet: gap, normal, points and derivatives of any two convex shapes (`convex.Shapes`, docs/contact.md).
"""
