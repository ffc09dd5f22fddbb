"""Reverse mode through one step: λ = Aᵀ λ₊ and Bᵀ λ₊ by one transposed solve, without A and B.

    A = Y S⁻¹ X + E,   Aᵀ λ₊ = Xᵀ y + Eᵀ λ₊,   Sᵀ y = Yᵀ λ₊

S: Newton's matrix, X: right-hand sides of all coordinates, rates and controls, Y: what the next coordinates and rates read of the
velocities, E: what a joint's own coordinate changes in them directly.
"""

from dojo_py.hard.gradients.implicit import factorise_at
from dojo_py.hard.gradients.next_state import next_joint
from dojo_py.hard.gradients.screws import invert
from dojo_py.hard.gradients.step_jacobian import put_columns
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel
from dojo_py.rotation import log_jacobian, rotation_vector
from dojo_py.solver.transposed_rows import solve_transposed_rows


@kernel
def pull_back_step(L, P, Q, T, W, V, G, qpos, qvel, act, control, h, kappa, scheme, after, before, by_control):
    """From after (2 nv,) = λ₊ add Aᵀ λ₊ to before (2 nv,), and put Bᵀ λ₊ into by_control (nu,).

    W holds the step's solution, from qpos, qvel. Returns whether the matrix is regular.
    """
    for b in range(G.v.shape[0]):
        for i in range(6):
            G.v[b, i] = W.v[b, i]
    if not factorise_at(L, W, h, kappa):
        return False
    put_columns(L, P, Q, T, W, V, G, qpos, qvel, act, control, h, scheme)
    _read_transposed(L, W, after, h, G.adjoint, G.scratch)
    solve_transposed_rows(W.pattern, W.blocks, G.adjoint)
    nv = qvel.shape[0]
    for column in range(2 * nv + control.shape[0]):
        total = 0.0
        for place in range(G.adjoint.shape[0]):
            for r in range(6):
                total += G.adjoint[place, r, 0] * G.columns[place, r, column]
        if column >= 2 * nv:
            by_control[column - 2 * nv] = total
            continue
        before[column] += total
        if column < nv:
            before[column] += _directly(L, W, G, h, column, after)
    return True


@kernel
def _read_transposed(L, W, after, h, out, s):
    """out (N, 6, 1) = Yᵀ λ₊, after = λ₊ (2 nv,). s: work (12, 12)."""
    nv = L.dof_joint.shape[0]
    out[:, :, :] = 0.0
    vector, J, Jr, U = s[0, 0:3], s[1:4, 0:3], s[4:7, 0:3], s[7:10, 0:3]
    for j in range(L.kind.shape[0]):
        n, k, first, a, b = L.node[j], L.ndof[j], L.vadr[j], L.parent[j], L.child[j]
        if L.kind[j] == FREE:
            rotation_vector(W.p[b], vector)
            log_jacobian(vector, J)
            _free_transposed(W.Rn[b], W.hG[b], L.com[b], J, after[first : first + 6], after[nv + first : nv + first + 6], h,
                             out[L.place_body[b], :, 0])  # fmt: skip
            continue
        if L.kind[j] == BALL:
            for i in range(3):
                vector[i] = h * W.rows[n, 3 + i]
            log_jacobian(vector, J)
            invert(J, Jr, U)
        for i in range(k):
            weight = after[nv + first + i]
            if L.kind[j] == BALL:
                for r in range(3):
                    weight += h * Jr[r, i] * after[first + r]
            else:
                weight += h * after[first + i]
            for m in range(6):
                out[L.place_body[b], m, 0] += weight * W.Cb[n, 6 - k + i, m]
                if a >= 0:
                    out[L.place_body[a], m, 0] += weight * W.Ca[n, 6 - k + i, m]


@kernel
def _free_transposed(R, hG, com, J, by_pose, by_rate, h, out):
    """Of a free body: δx₊ = h δv - R₊ (w × com), δφ₊ = w, and the rates δx₊ / h, J w / h, where w = hΓ δω. out (6,) +=."""
    for i in range(3):
        out[i] += h * by_pose[i] + by_rate[i]
    for m in range(3):
        total = 0.0
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            # (Rᵀ g × com)_i with g the weights of the origin
            pulled = by_pose[3 + i]
            for r in range(3):
                g = by_pose[r] + by_rate[r] / h
                pulled += g * (R[r, j] * com[k] - R[r, k] * com[j]) + J[r, i] * by_rate[3 + r] / h
            total += hG[i, m] * pulled
        out[3 + m] += total


@kernel
def _directly(L, W, G, h, dof, after):
    """Eᵀ λ₊ for one coordinate: what its joint reads of it while no velocity changes. Overwrites that column."""
    j, nv = L.dof_joint[dof], L.dof_joint.shape[0]
    for side in range(2):
        b = L.child[j] if side == 0 else L.parent[j]
        if b >= 0:
            for r in range(6):
                G.columns[L.place_body[b], r, dof] = 0.0
    next_joint(L, W, G, j, h, dof, dof, 0, G.row)
    total = 0.0
    for i in range(L.vadr[j], L.vadr[j] + L.ndof[j]):
        total += after[i] * G.row[i] + after[nv + i] * G.row[nv + i]
    return total
