"""Algebra of three dimensions in kernels, for both modes: vectors, matrices and quaternions as tuples of numbers (vectors.py,
quaternions.py), and rotations in arrays (rotations.py).
"""
