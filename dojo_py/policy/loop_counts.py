"""What the numbers of a closed loop mean: places in `Loop.counts` and `Loop.sums` (loop_arrays.py). Needs no compiler."""

SKIP, HORIZON, DONE, OVER, WHOLE, WORST, POLICY, BIASED, ONWARD, TRUNCATION, LIMITED, COUNTS = range(12)
"""Of `counts`: steps an action is held; most actions; actions done; the task is over; 0: stopped early; worst status of the
action's steps; 1: the policy acts, 0: actions are given; its layers have biases; 1: start where the last run ended; actions
through which a cotangent is carried back, 0: all; 1: rewards are clipped. Their number."""
CLIP, SHIFT, TOTAL, DISCOUNT, SUMS = range(5)
"""Of `sums`: the clip of a reward, what is taken off it first, what was earned so far, the factor of a cotangent for every action
back. Their number."""
