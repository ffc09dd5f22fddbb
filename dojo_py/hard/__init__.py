"""The hard mode: variational integrator, joint constraints, hard contact and friction, solved by an interior-point method.

What the arguments of kernels are that are called L, P, Q, W, …: docs/notation.md, "Arguments of kernels".
"""
