"""What a hard step reports: the columns of its row, for kernels and for Python, and how it ended, as numbers."""

from dojo_py.simulate.ending import Ending

STATUS, COUNT, RESIDUAL, WORST, MIN_GAP, PARTS, ATTEMPTS, MOVED, ROUND_OFF, ENDED = range(10)
"""Columns: status, iterations, residual [m/s], complementarity [N m s], smallest gap with a plane or body [m], the most parts an
island was solved in, the most solves it took, how many islands moved, round-off within the residual [m/s], how the step ended. Of
several islands the worst."""
COLUMNS = 10

WHOLE, IN_PARTS, BEST_POINT, GAVE_WAY, HELD_BOUNDS, STOOD_STILL, STOPPED, MISSING, NOWHERE = map(int, Ending)
"""How a step ended (`simulate.ending.Ending`)."""
