"""Derivatives of a step, forwards and backwards, compiled together and apart from the step itself (compiled_apart.py)."""

import numpy as np

from dojo_py.by_address import Apart
from dojo_py.hard import compiled_apart
from dojo_py.hard.compiled_apart import (
    BACKWARDS,
    BEGIN_PARTS,
    FIRST_PART,
    FORWARDS,
    GIVE,
    MATCHED_END,
    NEXT_PART,
    OPEN_END,
    WHOLE_ISLAND,
)
from dojo_py.hard.elements.drives import Start
from dojo_py.hard.gradients.divided_step import begin_chain, end_chain, follow_part, give, give_back, has_derivative, in_one_part
from dojo_py.hard.gradients.pull_back import pull_back_step
from dojo_py.hard.gradients.step_jacobian import step_jacobian


def derivatives(
    L, P, Q, T, W, V, G, qpos, qvel, act, control, A, B, cotangents, by_control, by_contacts, t, h, kappa, task
):  # fmt: skip
    """See `compiled_apart.differentiate`. 1: the matrix is regular, else 0."""
    regular, start = True, Start(qpos, qvel, act, control)
    if task == FORWARDS:
        regular = step_jacobian(L, P, Q, T, W, V, G, start, h, kappa, A[t], B[t])
    elif task == BACKWARDS:
        after, before = cotangents[t + 1], cotangents[t]
        regular = pull_back_step(L, P, Q, T, W, V, G, start, h, kappa, after, before, by_control[t], by_contacts)
    elif task == BEGIN_PARTS:
        begin_chain(W, G)
        regular = has_derivative(L, T, G)
    elif task == WHOLE_ISLAND:
        regular = in_one_part(L, P, Q, T, W, V, G, start, h, kappa)
    elif task == FIRST_PART or task == NEXT_PART:
        regular = follow_part(L, P, Q, T, W, V, G, start, h, kappa, task == FIRST_PART)
    elif task == MATCHED_END or task == OPEN_END:
        regular = end_chain(L, P, Q, W, V, G, h, kappa, task == MATCHED_END)
    elif task == GIVE:
        give(G, A[t], B[t])
    else:
        give_back(G, cotangents[t + 1], cotangents[t], by_control[t])
    return 1.0 if regular else 0.0


DERIVATIVES = Apart(compiled_apart.DERIVATIVES, derivatives, "derivatives")


def load_derivatives(L, P, Q, T, M, W, V, G, K):
    """Compile or load them. Handles of the tables and work arrays, as `roll_out` takes them."""
    row, table, tables = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0))
    DERIVATIVES.load(L, P, Q, T, W, V, G, row, row, row, row, tables, tables, table, table, table, 0, 0.0, 0.0, 0)
