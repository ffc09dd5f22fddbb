"""Contact candidates of the hard mode: which points of which shapes may touch what, their gaps and derivatives.

Gap, normal, points and derivatives of any two convex shapes (`convex.Shapes`, docs/contact.md); the soft mode uses them.
What the arguments of kernels are that are called Q, W, M, pose, shape, …: docs/notation.md, "Arguments of kernels".
"""
