"""Derivatives that a user gives beside differences: what lies between both one-sided ones is right, as it is a subgradient."""

import numpy as np

Array = np.ndarray


def first_outside(given: Array, ahead: Array, behind: Array, slack: Array) -> tuple[int, int] | None:
    """(row, column) of the first entry of given (p, n) that is not between the differences ahead and behind (p, n); None: of none.

    slack: (p, n) or what broadcasts to it, by how much an entry may be beyond. Differences that are not finite say nothing.
    """
    low, high = np.minimum(ahead, behind) - slack, np.maximum(ahead, behind) + slack
    wrong = np.argwhere(~((given >= low) & (given <= high)) & np.isfinite(low) & np.isfinite(high))
    return (int(wrong[0][0]), int(wrong[0][1])) if len(wrong) else None
