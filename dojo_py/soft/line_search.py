"""Exact line search on the primal cost: Newton's method on its derivative, kept inside a bracket.

Along qacc + alpha * search the cost is convex and piecewise smooth; its derivative is increasing, so a sign
change brackets the minimum.
"""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.soft.cost import ELLIPTIC
from dojo_py.soft.workspace import NE, NEFC, NF


@kernel
def cone_slope(m, rows, i, jar, jv, alpha):
    """First and second derivative along the search of the elliptic contact whose first row is i."""
    con = rows.contacts[rows.rows[i].id]
    friction = m.pairs[con.pair].friction
    mu = con.mu
    N = mu * (jar[i] + alpha * jv[i])
    dN = mu * jv[i]
    T2 = 0.0
    UV = 0.0
    VV = 0.0
    for j in range(1, con.dim):
        u = friction[j - 1] * (jar[i + j] + alpha * jv[i + j])
        v = friction[j - 1] * jv[i + j]
        T2 += u * u
        UV += u * v
        VV += v * v
    T = np.sqrt(T2)
    if N >= mu * T or (T <= 0.0 and N >= 0.0):
        return 0.0, 0.0
    if mu * N + T <= 0.0 or (T <= 0.0 and N < 0.0):
        d1 = 0.0
        d2 = 0.0
        for j in range(con.dim):
            D = rows.rows[i + j].D
            d1 += D * (jar[i + j] + alpha * jv[i + j]) * jv[i + j]
            d2 += D * jv[i + j] * jv[i + j]
        return d1, d2
    D = rows.rows[i].D / (mu * mu * (1.0 + mu * mu))
    s = N - mu * T
    dT = UV / T
    ddT = (VV - dT * dT) / T
    ds = dN - mu * dT
    return D * s * ds, D * (ds * ds - s * mu * ddT)


@kernel
def slope(m, rows, jar, jv, g0, g1, alpha):
    """First and second derivative of the cost at alpha; g0 + alpha g1 is the derivative of its smooth part."""
    d1 = g0 + alpha * g1
    d2 = g1
    ne = rows.counts[NE]
    nf = rows.counts[NF]
    nefc = rows.counts[NEFC]
    for i in range(nefc):
        r = rows.rows[i]
        v = jv[i]
        x = jar[i] + alpha * v
        if i < ne:
            d1 += r.D * x * v
            d2 += r.D * v * v
        elif i < ne + nf:
            bound = r.R * r.frictionloss
            if x <= -bound:
                d1 -= r.frictionloss * v
            elif x >= bound:
                d1 += r.frictionloss * v
            else:
                d1 += r.D * x * v
                d2 += r.D * v * v
        elif r.type == ELLIPTIC:
            if i == rows.contacts[r.id].efc_address:
                a, b = cone_slope(m, rows, i, jar, jv, alpha)
                d1 += a
                d2 += b
        elif x < 0.0:
            d1 += r.D * x * v
            d2 += r.D * v * v
    return d1, d2


@kernel
def line_search(m, rows, jar, jv, g0, g1, tolerance, iterations):
    """The alpha >= 0 that minimises the cost, to a slope below tolerance; 0 when the search direction does not descend."""
    d1, d2 = slope(m, rows, jar, jv, g0, g1, 0.0)
    if d1 >= 0.0:
        return 0.0
    low, d_low, e_low = 0.0, d1, d2
    high = np.inf
    d_high = 0.0
    alpha = -d1 / d2
    best, best_slope = 0.0, abs(d1)
    for _ in range(iterations):
        d1, d2 = slope(m, rows, jar, jv, g0, g1, alpha)
        if abs(d1) < best_slope:
            best, best_slope = alpha, abs(d1)
        if best_slope <= tolerance:
            return best
        if d1 < 0.0:
            low, d_low, e_low = alpha, d1, d2
        else:
            high, d_high = alpha, d1
        alpha -= d1 / d2
        if not low < alpha < high:  # Newton left the bracket: from the other end, else the secant, else the middle
            alpha = low - d_low / e_low
            if not low < alpha < high:
                alpha = low - d_low * (high - low) / (d_high - d_low) if high < np.inf else 2.0 * low + 1.0
                if not low < alpha < high:  # the bracket is down to rounding
                    return best
    return best
