"""What a hard step reports: the columns of its row, for kernels and for Python, and how it ended, as numbers."""

from dojo_py.simulate.ending import Ending

STATUS, COUNT, RESIDUAL, WORST, MIN_GAP, PARTS, ATTEMPTS, MOVED, ROUND_OFF, ENDED = range(10)
"""Columns: status, iterations, residual [m/s], complementarity [N m s], smallest gap with a plane or body [m], the most parts an
island was solved in, the most solves it took, how many islands moved, round-off within the residual [m/s], how the step ended. Of
several islands the worst."""
COLUMNS = 10

ENDED_WHOLE, ENDED_IN_PARTS, ENDED_BEST_POINT = int(Ending.WHOLE), int(Ending.PARTS), int(Ending.BEST_POINT)
ENDED_GAVE_WAY, ENDED_HELD_BOUNDS, ENDED_STOOD_STILL = int(Ending.GAVE_WAY), int(Ending.HELD_BOUNDS), int(Ending.STOOD_STILL)
ENDED_STOPPED, ENDED_MISSING, ENDED_NOWHERE = int(Ending.STOPPED), int(Ending.MISSING), int(Ending.NOWHERE)
"""Values in the column ENDED; of several islands with one status the largest."""
