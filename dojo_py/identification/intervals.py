"""Covariances of the fitted parameters, the states of the stretches eliminated, and which parameters the data determine.

By the noise:     s² S⁻¹,  S = J̃ᵀ W J̃,  J̃ = J_θ - J_x H_xx⁻¹ H_xθ
By parts of it:   (C - 1) / C Σ d_c d_cᵀ,  d_c = (S - M_c)⁻¹ g_c

W: 1, and of robust losses the mean change of the pull (`set_change`, least_squares.py). By the weights themselves, which are more,
both deviations are too small, of Huber's by a tenth and a quarter, of arctan's by a third and more than half.

The first holds when the model is the truth and residuals are independent. The second is the spread of the estimates when one of C
parts of the data is left out, each by one Gauss-Newton step; it holds also when residuals are correlated and the model is not the
truth.

Source: Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression" (CR3, the jackknife of clusters).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dojo_py.identification.elimination import Reduced, Rows

Array = np.ndarray
PARTS = 20
"""Into about so many parts the data are cut: whole recordings where there are as many or more, else runs of equal length, which end
where a recording does."""
RANK = 1e-10
"""Directions whose information is less than this of the largest, all parameters scaled alike, are not determined; nor parameters of
which less than this is left where the states are unknown."""


def parts_of(recording: Sequence[int]) -> Array:
    """(stretches,) which part of the data each stretch belongs to.

    Whole recordings if there are at least PARTS of them, else runs of successive stretches of one recording.
    """
    given = np.asarray(recording)
    if len(np.unique(given)) >= PARTS:
        return np.unique(given, return_inverse=True)[1].reshape(-1)
    length = max(1, -(-len(given) // PARTS))
    out, part = np.zeros(len(given), int), 0
    for i in range(1, len(given)):
        begun = i - int(np.searchsorted(out[:i], part))
        part += bool(begun >= length or given[i] != given[i - 1])
        out[i] = part
    return out


NONE, HUGE = 1e-200, 1e200
"""Information that is none, and the variance that it leaves."""


def inverse(S: Array) -> Array:
    """S⁻¹ of a positive semidefinite matrix; directions without information get a huge variance, and change nothing of others."""
    out, informed = np.diag(np.full(len(S), HUGE)), np.flatnonzero(np.diag(S) > NONE)
    if not len(informed):
        return out
    S = S[np.ix_(informed, informed)]
    scale = 1.0 / np.sqrt(np.diag(S))
    values, vectors = np.linalg.eigh(S * np.outer(scale, scale))
    floor = values[-1] * len(values) * np.finfo(float).eps
    out[np.ix_(informed, informed)] = ((vectors / np.maximum(values, floor)) @ vectors.T) * np.outer(scale, scale)
    return out


def jackknife(rows: list[Rows], reduced: Reduced, parts: Array) -> Array:
    """(n, n) jackknife covariance over the parts of the data; infinite with one part."""
    n, count = len(reduced.gradient), int(parts.max()) + 1
    if count < 2:
        return np.full((n, n), np.inf)
    scores, information = np.zeros((count, n)), np.zeros((count, n, n))
    for row in rows:
        if row.kind == "prior":
            continue
        J = reduced.by_unknown(row)
        c = parts[row.stretch]
        scores[c] += J.T @ row.pull
        information[c] += J.T @ (J * row.information[:, None])
    total = np.zeros((n, n))
    for g, M in zip(scores, information, strict=True):
        d = inverse(reduced.matrix - M) @ g
        total += np.outer(d, d)
    return (count - 1) / count * total


def undetermined(S: Array, scale: Array, known: Array) -> Array:
    """(n,) True for parameters that take part in a direction without information.

    scale: (n,) size of each. known: (n,) the information if the states at the starts of the stretches were known: where free
    states explain everything, round-off is left of it.
    """
    scaled = S * np.outer(scale, scale)
    values, vectors = np.linalg.eigh(scaled)
    empty = values <= RANK * max(values[-1], 1e-300)
    return np.any(np.abs(vectors[:, empty]) > 0.1, axis=1) | (np.diag(S) <= RANK * known)
