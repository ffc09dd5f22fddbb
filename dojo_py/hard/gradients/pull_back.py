"""Reverse mode through one step: λ = Aᵀ λ₊ and Bᵀ λ₊ by one transposed solve, without A and B.

    A = Y S⁻¹ X + E,   Aᵀ λ₊ = Xᵀ y + Eᵀ λ₊,   Sᵀ y = Yᵀ λ₊

S: Newton's matrix, X: right-hand sides of all coordinates, rates, activations and controls, Y: derivative of the next
coordinates and rates by the velocities, E: by a joint's own coordinate directly. The next activations do not depend on the step's
velocities: their rows, times λ₊, are added. The table of the step's contacts is treated likewise: its cotangents add to Yᵀ λ₊ and
to Eᵀ λ₊ (contact_pull.py).
"""

from dojo_py.hard.gradients.contact_pull import directly_shown, pull_contacts
from dojo_py.hard.gradients.implicit import factorise_at, solve_rows
from dojo_py.hard.gradients.next_state import next_joint
from dojo_py.hard.gradients.rates import coordinates_transposed, rates_transposed
from dojo_py.hard.gradients.step_jacobian import put_columns
from dojo_py.jit import kernel


@kernel
def pull_back_step(L, P, Q, T, W, V, G, start, h, kappa, after, before, by_control, by_contacts):
    """From after (2 nv + na,) = λ₊ add Aᵀ λ₊ to before (2 nv + na,), and put Bᵀ λ₊ into by_control (nu,).

    by_contacts (n, WIDTH): cotangents of the table of contacts after the step, or (0, WIDTH).
    W holds the solution of the step from `start` (Start). Returns whether the matrix is regular.
    """
    for b in range(G.v.shape[0]):
        for i in range(6):
            G.v[b, i] = W.v[b, i]
    if not factorise_at(L, W, h, kappa):
        return False
    put_columns(L, P, Q, T, W, V, G, start, h)
    coordinates_transposed(L, W, after, h, G.rates[:, 0])
    rates_transposed(L, W, G.rates, h, G.adjoint)
    shown = pull_contacts(L, P, Q, W, G, by_contacts, h)
    solve_rows(L, W, G.adjoint, G.adjoint_again)
    nv, na = start.qvel.shape[0], start.act.shape[0]
    n = 2 * nv + na
    for column in range(n + start.control.shape[0]):
        total = 0.0
        for place in range(G.adjoint.shape[0]):
            for r in range(6):
                total += G.adjoint[place, r, 0] * G.columns[place, r, column]
        for k in range(na):
            total += after[2 * nv + k] * G.act_rows[k, column]
        if column >= n:
            by_control[column - n] = total
            continue
        before[column] += total
        if column < nv:
            before[column] += _directly(L, W, G, h, column, after)
            if shown:
                before[column] += directly_shown(L, W, G, column, h)
    return True


@kernel
def _directly(L, W, G, h, dof, after):
    """Eᵀ λ₊ for one coordinate: by the rows of its own joint while no velocity changes. Overwrites that column."""
    j, nv = L.dof_joint[dof], L.dof_joint.shape[0]
    for side in range(2):
        b = L.child[j] if side == 0 else L.parent[j]
        if b >= 0:
            for r in range(6):
                G.columns[L.place_body[b], r, dof] = 0.0
    next_joint(L, W, G, j, h, dof, dof, G.row)
    total = 0.0
    for i in range(L.vadr[j], L.vadr[j] + L.ndof[j]):
        total += after[i] * G.row[i, 0] + after[nv + i] * G.row[nv + i, 0]
    return total
