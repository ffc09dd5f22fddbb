"""Arithmetic with pairs of doubles (about 32 digits): for the few 6x6 blocks where a contact's stiffness swamps the inertia.

At complementarity 1e-12 a contact's stiffness γ/s reaches 1e15 N s/m; added to it in one double, an inertia of 1e-3
is lost. With pairs the elimination below is exact enough, and only its results are rounded.
Sources: Dekker, A floating-point technique for extending the available precision (1971); Knuth, TAOCP vol. 2, section 4.2.2.
"""

from dojo_py.arrays import scratch
from dojo_py.jit import kernel

_SPLIT = 134217729.0
"""2²⁷ + 1: splits a double into halves of 26 bits whose products are exact (Dekker 1971)."""


@kernel
def product(a, b):
    """(p, e) with p + e = a * b exactly."""
    p = a * b
    t = _SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = _SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@kernel
def add(a, a_low, b, b_low):
    """Sum of two pairs, renormalised."""
    s = a + b
    v = s - a
    e = (a - (s - v)) + (b - v) + a_low + b_low
    high = s + e
    return high, e - (high - s)


@kernel
def multiply(a, a_low, b, b_low):
    """Product of two pairs, renormalised."""
    p, e = product(a, b)
    e += a * b_low + a_low * b
    high = p + e
    return high, e - (high - p)


@kernel
def divide(a, a_low, b, b_low):
    """Quotient of two pairs."""
    q = a / b
    p, e = multiply(q, 0.0, b, b_low)
    r, r_low = add(a, a_low, -p, -e)
    t = r / b
    high = q + t
    return high, t - (high - q)


@kernel
def factorise_six(A, A_low, swap):
    """LU factors of a 6x6 block in pairs, in place, rows exchanged as in swap (6,). Returns the smallest |pivot|, 0 if singular."""
    smallest = 1e300
    for k in range(6):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > best:
                best, row = abs(A[i, k]), i
        swap[k] = row
        if not best > 0.0:
            return 0.0
        smallest = min(smallest, best)
        if row != k:
            for j in range(6):
                A[k, j], A[row, j] = A[row, j], A[k, j]
                A_low[k, j], A_low[row, j] = A_low[row, j], A_low[k, j]
        for i in range(k + 1, 6):
            f, f_low = divide(A[i, k], A_low[i, k], A[k, k], A_low[k, k])
            A[i, k], A_low[i, k] = f, f_low
            for j in range(k + 1, 6):
                p, p_low = multiply(f, f_low, A[k, j], A_low[k, j])
                A[i, j], A_low[i, j] = add(A[i, j], A_low[i, j], -p, -p_low)
    return smallest


@kernel
def solve_six(A, A_low, swap, B, B_low):
    """B becomes A⁻¹ B in pairs. A, A_low (6, 6), swap from `factorise_six`; B, B_low (6, 6)."""
    for k in range(6):
        row = swap[k]
        if row != k:
            for j in range(6):
                B[k, j], B[row, j] = B[row, j], B[k, j]
                B_low[k, j], B_low[row, j] = B_low[row, j], B_low[k, j]
    for i in range(6):
        for k in range(i):
            for j in range(6):
                p, p_low = multiply(A[i, k], A_low[i, k], B[k, j], B_low[k, j])
                B[i, j], B_low[i, j] = add(B[i, j], B_low[i, j], -p, -p_low)
    for i in range(5, -1, -1):
        for j in range(6):
            for k in range(i + 1, 6):
                p, p_low = multiply(A[i, k], A_low[i, k], B[k, j], B_low[k, j])
                B[i, j], B_low[i, j] = add(B[i, j], B_low[i, j], -p, -p_low)
            B[i, j], B_low[i, j] = divide(B[i, j], B_low[i, j], A[i, i], A_low[i, i])


@kernel
def subtract_product_six(A, A_low, B, B_low, out, out_low):
    """out -= A B in pairs, all (6, 6)."""
    for i in range(6):
        for j in range(6):
            s, s_low = out[i, j], out_low[i, j]
            for k in range(6):
                p, p_low = multiply(A[i, k], A_low[i, k], B[k, j], B_low[k, j])
                s, s_low = add(s, s_low, -p, -p_low)
            out[i, j], out_low[i, j] = s, s_low


@kernel
def add_triple_product(rows, B, K, C, out, out_low):
    """out += Bᵀ K C in pairs. B, C (rows, 8), K (rows, rows), out (6, 6)."""
    row, row_low = scratch(6), scratch(6)
    for r in range(rows):
        for j in range(6):
            s, s_low = product(K[r, 0], C[0, j])
            for m in range(1, rows):
                p, e = product(K[r, m], C[m, j])
                s, s_low = add(s, s_low, p, e)
            row[j], row_low[j] = s, s_low
        for i in range(6):
            for j in range(6):
                p, e = multiply(B[r, i], 0.0, row[j], row_low[j])
                out[i, j], out_low[i, j] = add(out[i, j], out_low[i, j], p, e)
