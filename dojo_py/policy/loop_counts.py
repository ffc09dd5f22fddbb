"""Indices into `Loop.counts` and `Loop.sums` (loop_arrays.py). Importing this file does not need numba."""

SKIP, HORIZON, DONE, OVER, WHOLE, WORST, POLICY, BIASED, ONWARD, TRUNCATION, LIMITED, COUNTS = range(12)
"""Of `counts`: steps for which an action is held; largest number of actions; actions done; 1: the episode is over; 0: abandoned for
its small return; worst status of the present action's steps; 1: the policy acts, 0: actions are given; 1: layers have biases;
1: continue where the last run ended; actions through which a cotangent is carried back, 0: all; 1: rewards are clipped. COUNTS:
number of entries."""
CLIP, SHIFT, TOTAL, DISCOUNT, SUMS = range(5)
"""Of `sums`: bound of the reward clipping; subtracted from a reward before; partial return; factor on a cotangent per action in the
reverse pass. SUMS: number of entries."""
