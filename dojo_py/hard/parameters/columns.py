"""Derivatives of a step by parameters: the implicit function theorem on the factorisation that `step_jacobian` left.

    dw/dθ = -(∂R/∂w)⁻¹ ∂R/∂θ ,   ∂R/∂θ by central differences of the residuals with the tables moved along θ
    dz/dθ = (∂z/∂w) dw/dθ + ∂z/∂θ,   z(w, θ): next coordinates and rates; the first in closed form, the last by central differences

Friction μ and dry friction F act inside the cones, whose equations are eliminated; how the impulses change with them at a given
motion is known in closed form. The cone's law knows μ only in the product ξ₁ = μγ, so  ∂ξ/∂μ = (γ/μ) ∂ξ/∂γ. For dry friction
with the bound b = hF:  ∂β/∂b = (ν₋/(b - β) - ν₊/(b + β)) / (ν₋/(b - β) + ν₊/(b + β)).
"""

from dojo_py.hard.coordinates import to_maximal
from dojo_py.hard.gradients.implicit import put_column
from dojo_py.hard.gradients.next_state import next_rows
from dojo_py.hard.gradients.residual_change import add_residuals, residuals_at
from dojo_py.hard.parameters.next_coordinates import coordinate_difference, next_coordinates
from dojo_py.hard.terms import FRICTIONLESS
from dojo_py.jit import entry, kernel
from dojo_py.solver.block_ldu import solve_many

EPSILON = 1e-4
"""Step of the central differences, in scales of the parameters, most of which act linearly: round-off outweighs curvature."""


@kernel
def _move(data, base, D, T, V, k, amount):
    """data = base + amount * direction k; the servos' gears follow the table."""
    start, index, value = D[0], D[1], D[2]
    for m in range(start[k], start[k + 1]):
        data[index[m]] = base[index[m]] + amount * value[m]
    for i in range(T.servo.shape[0]):
        if T.servo[i] >= 0:
            V.servos.servo_gear[T.servo[i]] = T.gear[i, 0]


@kernel
def _put_cone_column(L, W, G, h, dmu, dbound, out):
    """Add to out (N, 6) what changes of friction dmu (nc,) and of the bounds dbound (nv,) [N m s] do to the impulses."""
    for c in range(W.n_active[0]):
        if dmu[c] == 0.0 or W.claw[c] == FRICTIONLESS:
            continue
        K = W.cK[c]
        share = dmu[c] * W.con[c, 0] / (W.cmu[c] * K[0, 0])
        f1, f2 = share * K[1, 0], share * K[2, 0]
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                B, x = G.impulse_maps[c, side], out[L.place_body[b]]
                for i in range(6):
                    x[i] += B[1, i] * f1 + B[2, i] * f2
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j < 0:
            continue
        k = L.ndof[j]
        for i in range(k):
            dof = L.vadr[j] + i
            if L.dof_frictionloss[dof] > 0.0 and dbound[dof] != 0.0:
                bound, beta = h * L.dof_frictionloss[dof], W.fric[dof, 0]
                up, down = W.fric[dof, 1] / (bound + beta), W.fric[dof, 2] / (bound - beta)
                out[L.place_node[n], 6 - k + i] += dbound[dof] * (down - up) / (down + up) * W.row_scale[dof]


@entry
def parameter_columns(
    L, W, G, L2, P2, Q2, T2, M2, V2, G2, data, base, D, dmu, dbound, qpos, qvel, act, control, wrenches, h, scheme, reference, out
):
    """out (p, 2 nv) = derivatives of the next tangent state by p parameters, each times its scale.

    L, W, G: as `step_jacobian` left them. L2 … V2: tables and drive on data (n,), which equals base (n,) and does again at the
    end; G2: a Tangent with p columns; D: (start, index, value, timestep) of Directions. dmu (nc,), dbound (nv,): work.
    """
    nv = qvel.shape[0]
    n_planes = P2.friction.shape[0]
    for b in range(G.v.shape[0]):
        for i in range(6):
            W.v[b, i] = G.v[b, i]
    for k in range(out.shape[0]):
        G.change[:] = 0.0
        dmu[:] = 0.0
        dbound[:] = 0.0
        for side in range(2):
            amount = EPSILON if side == 0 else -EPSILON
            factor = 0.5 / amount
            _move(data, base, D, T2, V2, k, amount)
            step = h + amount * D[3][k]
            residuals_at(L2, P2, Q2, T2, M2, W, V2, qpos, qvel, act, control, wrenches, 0, step, scheme, G2.bodies)
            add_residuals(L2, W, step, factor, G.change)
            for c in range(W.n_active[0]):
                i = W.active[c]
                dmu[c] += factor * (P2.friction[i] if i < n_planes else Q2.friction[i - n_planes])
            for i in range(nv):
                dbound[i] += factor * step * L2.dof_frictionloss[i]
        _move(data, base, D, T2, V2, k, 0.0)
        put_column(L, W, G, h, G2.columns[:, :, k])
        _put_cone_column(L, W, G, h, dmu, dbound, G2.columns[:, :, k])
    solve_many(W.pattern, W.blocks, G2.columns)
    residuals_at(L2, P2, Q2, T2, M2, W, V2, qpos, qvel, act, control, wrenches, 0, h, scheme, G2.bodies)
    for k in range(out.shape[0]):
        next_rows(L, W, G2, h, k, -1, 1, out[k])
    for k in range(out.shape[0]):
        for side in range(2):
            amount = EPSILON if side == 0 else -EPSILON
            _move(data, base, D, T2, V2, k, amount)
            step = h + amount * D[3][k]
            to_maximal(L2, qpos, qvel, step, G2.bodies, V2.coordinates)
            next_coordinates(L2, W, V2, G2, G2.bodies, step, reference, G2.next_qpos[side], G2.next_qvel[side])
        _move(data, base, D, T2, V2, k, 0.0)
        coordinate_difference(L, G2.next_qpos[0], G2.next_qpos[1], G2.dq, V2.scratch)
        for i in range(nv):
            out[k, i] += 0.5 * G2.dq[i] / EPSILON
            out[k, nv + i] += 0.5 * (G2.next_qvel[0, i] - G2.next_qvel[1, i]) / EPSILON
