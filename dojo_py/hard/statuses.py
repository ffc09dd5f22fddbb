"""The statuses of a step as kernels know them: the numbers of `simulate.status.Status`."""

from dojo_py.simulate.status import Status

SOLVED, MAX_ITERATIONS, STALLED, SINGULAR, TOO_FAST, NOT_FINITE, _, INEXACT = map(int, Status)

GOES_ON = -1
"""Of a solve that has not ended."""
