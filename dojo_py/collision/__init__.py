"""Collision detection: broad phase, signed distance of convex shapes, contact features with their gaps and derivatives.

For the hard mode; the soft mode uses gap, normal and witness points of convex pairs (`convex.Shapes`, docs/contact.md).
Arguments that kernels have in common (Q, W, M, pose, shape, …): docs/notation.md, "Arguments of kernels".
"""
