"""Derivatives of a step, forwards and backwards, compiled together and apart from the step itself (apart.py)."""

import numpy as np

from dojo_py.by_address import Apart
from dojo_py.hard import apart
from dojo_py.hard.gradients.pull_back import pull_back_step
from dojo_py.hard.gradients.step_jacobian import step_jacobian


def derivatives(
    L, P, Q, T, W, V, G, qpos, qvel, act, control, A, B, cotangents, by_control, by_contacts, t, h, kappa, backwards
):  # fmt: skip
    """See `apart.differentiate`. 1: the matrix is regular, else 0."""
    scheme = W.options.springs
    if backwards:
        after, before = cotangents[t + 1], cotangents[t]
        regular = pull_back_step(
            L, P, Q, T, W, V, G, qpos, qvel, act, control, h, kappa, scheme, after, before, by_control[t], by_contacts
        )
    else:
        regular = step_jacobian(L, P, Q, T, W, V, G, qpos, qvel, act, control, h, kappa, scheme, A[t], B[t])
    return 1.0 if regular else 0.0


DERIVATIVES = Apart(apart.DERIVATIVES, derivatives, "derivatives")


def load_derivatives(L, P, Q, T, M, W, V, G):
    """Compile or load them. Handles of the tables and work arrays, as `roll_out` takes them."""
    row, table, tables = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0))
    DERIVATIVES.load(L, P, Q, T, W, V, G, row, row, row, row, tables, tables, table, table, table, 0, 0.0, 0.0, 0)
