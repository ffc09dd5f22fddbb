"""Box-constrained quadratic programme by projected Newton steps, compiled: minimise ½ xᵀ H x + g·x subject to low ≤ x ≤ high.

Arguments: H (m, m), symmetric; g, low, high, x (m,).

Sources: Tassa, Mansard, Todorov (2014), algorithm 1; Bertsekas (1982).
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.jit import entry, kernel

ARMIJO, SHRINK, SHORTEST = 0.1, 0.6, 1e-20
"""Of the line search: fraction of the predicted decrease required; factor on the step length; shortest step length."""
TOLERANCE, MAX_ITERATIONS = 1e-10, 100
"""Largest entry of the projected gradient over that of g; limit of projected Newton steps."""


class Box(NamedTuple):
    """Iterate and work arrays for m unknowns. The rows of the factor are the free unknowns, in ascending order."""

    x: np.ndarray  # (m,) the iterate, at last the minimiser
    free: np.ndarray  # (m,) 0 where a bound is active
    place: np.ndarray  # (m,) the unknown of each row of the factor
    factor: np.ndarray  # (m, m) lower Cholesky factor L of H over the free unknowns
    gradient: np.ndarray  # (m,) H x + g
    step: np.ndarray  # (m,)
    candidate: np.ndarray  # (m,)


def box_of(m: int) -> Box:
    """Work arrays for m unknowns."""
    z = np.zeros
    return Box(z(m), np.ones(m, np.int64), z(m, np.int64), z((m, m)), z(m), z(m), z(m))


@kernel
def factorise(H, B):
    """L Lᵀ = H over the free unknowns. Returns how many these are, -1 where H is not positive definite over them."""
    L, count = B.factor, 0
    for i in range(H.shape[0]):
        if B.free[i] == 1:
            B.place[count] = i
            count += 1
    for i in range(count):
        for j in range(i + 1):
            left = H[B.place[i], B.place[j]]
            for k in range(j):
                left -= L[i, k] * L[j, k]
            if i > j:
                L[i, j] = left / L[j, j]
            elif left > 0.0 and math.isfinite(left):
                L[i, i] = math.sqrt(left)
            else:
                return -1
    return count


@kernel
def newton_step(B, count):
    """step = -H⁻¹ gradient over the free unknowns, 0 for the others."""
    L, place, step = B.factor, B.place, B.step
    for i in range(step.shape[0]):
        step[i] = 0.0
    for i in range(count):
        left = -B.gradient[place[i]]
        for k in range(i):
            left -= L[i, k] * step[place[k]]
        step[place[i]] = left / L[i, i]
    for i in range(count - 1, -1, -1):
        left = step[place[i]]
        for k in range(i + 1, count):
            left -= L[k, i] * step[place[k]]
        step[place[i]] = left / L[i, i]


@kernel
def answer(B, count, right, out):
    """out (m, n) = -H⁻¹ right in the free rows, 0 in the others: derivative of the minimiser when g changes by `right` (m, n)."""
    L, place, n = B.factor, B.place, right.shape[1]
    for i in range(out.shape[0]):
        for c in range(n):
            out[i, c] = 0.0
    for i in range(count):
        row = place[i]
        for c in range(n):
            out[row, c] = -right[row, c]
        for k in range(i):
            for c in range(n):
                out[row, c] -= L[i, k] * out[place[k], c]
        for c in range(n):
            out[row, c] /= L[i, i]
    for i in range(count - 1, -1, -1):
        row = place[i]
        for k in range(i + 1, count):
            for c in range(n):
                out[row, c] -= L[k, i] * out[place[k], c]
        for c in range(n):
            out[row, c] /= L[i, i]


@kernel
def value(H, g, x):
    """½ xᵀ H x + g·x"""
    total = 0.0
    for i in range(x.shape[0]):
        row = g[i]
        for k in range(x.shape[0]):
            row += 0.5 * H[i, k] * x[k]
        total += row * x[i]
    return total


@kernel
def project(H, g, low, high, B):
    """Armijo line search along the projection of x + α step onto the box. Returns whether a step was found."""
    before, slope, alpha, m = value(H, g, B.x), 0.0, 1.0, g.shape[0]
    for i in range(m):
        slope += B.gradient[i] * B.step[i]
    while alpha > SHORTEST:
        for i in range(m):
            B.candidate[i] = min(max(B.x[i] + alpha * B.step[i], low[i]), high[i])
        if value(H, g, B.candidate) - before <= ARMIJO * alpha * slope:
            for i in range(m):
                B.x[i] = B.candidate[i]
            return True
        alpha *= SHRINK
    return False


@kernel
def gradient_at(H, g, B):
    """gradient = H x + g"""
    for i in range(g.shape[0]):
        B.gradient[i] = g[i]
        for k in range(g.shape[0]):
            B.gradient[i] += H[i, k] * B.x[k]


@kernel
def release(low, high, B):
    """Update the active set: unknowns at a bound whose descent direction leaves the box. Returns whether it changed."""
    changed = False
    for i in range(low.shape[0]):
        held = (B.x[i] <= low[i] and B.gradient[i] > 0.0) or (B.x[i] >= high[i] and B.gradient[i] < 0.0)
        changed = changed or held == (B.free[i] == 1)
        B.free[i] = 0 if held else 1
    return changed


@kernel
def unbounded(H, g, low, high, B):
    """The minimiser if no bound is active, the usual case, by one factorisation. Returns as `factorise`; -2 if one is active."""
    m = g.shape[0]
    for i in range(m):
        if not (low[i] < 0.0 < high[i]):
            return -2
        B.free[i], B.gradient[i] = 1, g[i]
    count = factorise(H, B)
    if count < 0:
        return -1
    newton_step(B, count)
    for i in range(m):
        if not (low[i] < B.step[i] < high[i]):
            return -2
    for i in range(m):
        B.x[i] = B.step[i]
    return count


@kernel
def minimise(H, g, low, high, B, report):
    """The minimiser, into B.x. report (1,): iterations. Returns as `factorise`."""
    report[0], m = 1, g.shape[0]
    count = unbounded(H, g, low, high, B)
    if count > -2:
        return count
    scale = 0.0
    for i in range(m):
        scale = max(scale, TOLERANCE * abs(g[i]))
        B.x[i], B.free[i] = min(max(0.0, low[i]), high[i]), 1
    for iteration in range(MAX_ITERATIONS):
        report[0] = iteration
        gradient_at(H, g, B)
        if release(low, high, B) or count < 0:
            count = factorise(H, B)
            if count < 0:
                return -1
        largest = 0.0
        for i in range(count):
            largest = max(largest, abs(B.gradient[B.place[i]]))
        if largest <= scale:
            return count
        newton_step(B, count)
        if not project(H, g, low, high, B):  # within round-off no step lowers the value
            return count
    report[0] = MAX_ITERATIONS
    return count


@entry
def solve(H, g, low, high, B, report):
    """`minimise` as an entry, called from Python."""
    return minimise(H, g, low, high, B, report)
