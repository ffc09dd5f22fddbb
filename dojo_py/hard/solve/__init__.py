"""One solve of an island's equations: where it starts, Algorithm 2 of the paper, Newton's method on smoothed equations, and the
central path followed by its arc length.
"""
