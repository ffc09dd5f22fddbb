"""The implicit function theorem on one step: R(w; data) = 0  →  dw = -(∂R/∂w)⁻¹ (∂R/∂data) d data, on one factorisation.

Source: Dojo, section V-C; Amos and Kolter (2017).
"""

from dojo_py.arrays import copy_rows
from dojo_py.hard.assemble import assemble
from dojo_py.hard.interior_point import LOOP_REGULARISATION
from dojo_py.hard.limits import limit_distance
from dojo_py.jit import kernel, stage
from dojo_py.solver.block_ldu import factorise


@stage
def factorise_at(L, W, G, h, kappa):
    """Newton's matrix of the relaxed problem at the evaluated point. Returns whether it is regular."""
    assemble(L, W, h, kappa, kappa, False, False, LOOP_REGULARISATION)
    for c in range(W.n_active[0]):
        for side in range(2):
            copy_rows(W.cB[c, side], G.impulse_maps[c, side])
    for m in range(W.n_limits[0]):
        limit_distance(L, W, W.limit_active[m], h, G.limit_axes[m], W.scratch)
    return factorise(W.pattern, W.blocks) < 0


@kernel
def put_column(L, W, G, h, out):
    """Right-hand side out (N, 6) for G.change of the residuals; contacts, limits and dry friction condensed as in `assemble`."""
    change = G.change
    nb, nn = L.mass.shape[0], L.node_joint.shape[0]
    nc = W.n_active[0]
    motion = 6 * nb + 6 * nn
    distance = motion + 3 * nc
    rate = distance + W.n_limits[0]
    for b in range(nb):
        for i in range(6):
            out[L.place_body[b], i] = -change[6 * b + i]
    for n in range(nn):
        x, first = out[L.place_node[n]], 6 * nb + 6 * n
        for i in range(6):
            x[i] = -change[first + i]
        j = L.node_joint[n]
        if j < 0:
            continue
        k = L.ndof[j]
        for i in range(k):
            dof = L.vadr[j] + i
            bound = h * L.dof_frictionloss[dof]
            if bound > 0.0:
                beta, up, down = W.fric[dof, 0], W.fric[dof, 1], W.fric[dof, 2]
                x[6 - k + i] -= change[rate + dof] / (up / (bound + beta) + down / (bound - beta))
    for m in range(W.n_limits[0]):
        _put_limit(L, W, G, m, change[distance + m], out)
    for n in range(nn):
        j = L.node_joint[n]
        if j >= 0:
            k = L.ndof[j]
            for i in range(k):
                out[L.place_node[n], 6 - k + i] *= W.row_scale[L.vadr[j] + i]
    for c in range(nc):
        K, y = W.cK[c], change[motion + 3 * c : motion + 3 * c + 3]
        f0 = K[0, 0] * y[0]
        f1 = K[1, 0] * y[0] + K[1, 1] * y[1] + K[1, 2] * y[2]
        f2 = K[2, 0] * y[0] + K[2, 1] * y[1] + K[2, 2] * y[2]
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                B, x = G.impulse_maps[c, side], out[L.place_body[b]]
                for i in range(6):
                    x[i] -= B[0, i] * f0 + B[1, i] * f1 + B[2, i] * f2


@kernel
def _put_limit(L, W, G, m, change, out):
    """What the change of a limit's distance [m, rad] does to the rows of its joint."""
    l = W.limit_active[m]
    dof = L.limit_dof[l]
    j = L.dof_joint[dof]
    n, k = L.node[j], L.ndof[j]
    push = -W.lim[m, 0] / W.lim[m, 1] * change
    x = out[L.place_node[n]]
    if L.limit_sign[l] != 0.0:
        x[6 - k + dof - L.vadr[j]] += L.limit_sign[l] * push
        return
    for i in range(3):
        x[3 + i] -= push * G.limit_axes[m, i]
