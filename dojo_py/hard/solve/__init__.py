"""One solve of an island's equations: where it starts, Algorithm 2 of the paper, Newton's method at the end of the path, and the
central path followed by its arc length.
"""
