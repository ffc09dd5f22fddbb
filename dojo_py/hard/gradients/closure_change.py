"""What a coordinate does to loop closures: their rows at the next poses, and their impulses where the step starts.

A joint coupling acts through the coordinates of its joints, with the generalised impulses λ on θ₁ and -poly'(θ₂) λ on θ₂: these
are added to the impulses Λ of the joints' own rows. What is left is

    row       δθ₁₊ - poly'(θ₂₊) δθ₂₊                       δθ₊ = h δrate + δθ
    impulse   -poly''(θ₂) λ δθ₂                            on θ₂

Connect and weld hold two bodies; only where one of them moves does anything change. (u, ψ): displacement of body 2 against body 1,
world axes; λ, μ: impulses of the rows of position and orientation; (w, v): the weld's error quaternion.

    on body 2     F = R₁ λ,                 τ₂ = p₂ × R₂ᵀ F + τ_w,    τ_w = w μ + μ × v                   torques: body frames
    on body 1     -F,                       τ₁ = -(d + E p₂) × λ - E τ_w
    change        δF = 0,                   δτ₂ = p₂ × R₂ᵀ (F × ψ) + δτ_w
                  δτ₁ = -R₁ᵀ (u + ψ × R₂ p₂) × λ - R₁ᵀ (ψ × R₂ τ_w) - E δτ_w
                  δτ_w = δw μ + μ × δv,     (δw, δv) = ½ (-v·φ, w φ + v × φ),     φ = R₂ᵀ ψ
"""

from dojo_py.arrays import copy_rows
from dojo_py.hard.closures import coupled, polynomial, weld_error
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.gradients.state_columns import field
from dojo_py.hard.terms import EQ_JOINT, EQ_WELD
from dojo_py.jit import kernel
from dojo_py.rotation import cross, rotate


@kernel
def load_joints(L, W, G):
    """G.load = impulses of the joints' rows, joint couplings included."""
    copy_rows(W.lam, G.load)
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] != EQ_JOINT:
            continue
        impulse = W.lam[first + e, 0]
        n, row, _ = coupled(L, W, e, 0)
        G.load[n, row] += impulse
        if L.eq_joint[e, 2] >= 0:
            n, row, angle = coupled(L, W, e, 1)
            _, slope, _ = polynomial(L.eq_poly[e], angle)
            G.load[n, row] -= slope * impulse


@kernel
def closure_columns(L, W, G, dof, column, h, s):
    """Rows of all closures, and of the bodies they hold, in the column of a coordinate. After the joint's own rows. s: (24, 12)."""
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_JOINT:
            _coupling_column(L, W, G, e, first + e, dof, column, h)
            continue
        one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
        with_one, with_two = one >= 0 and G.under[one] == 1, two >= 0 and G.under[two] == 1
        if with_one != with_two:
            _pose_rows_column(L, W, G, e, first + e, 1 if with_two else 0, column, h, s)
            _pose_impulse_column(L, W, G, e, first + e, dof, 1.0 if with_two else -1.0, column, s)


@kernel
def _next_coordinate_change(L, W, G, e, side, dof, h):
    """(δθ₊, δθ) of one side of a joint coupling in the column of a coordinate."""
    j, slot = L.eq_joint[e, 2 * side], L.eq_joint[e, 2 * side + 1]
    if j != L.dof_joint[dof]:
        return 0.0, 0.0
    moved = 1.0 if L.vadr[j] + slot == dof else 0.0
    return h * G.own[dof, 6 - L.ndof[j] + slot] + moved, moved


@kernel
def _coupling_column(L, W, G, e, n, dof, column, h):
    """Joint coupling e, whose node is n."""
    change, _ = _next_coordinate_change(L, W, G, e, 0, dof, h)
    if L.eq_joint[e, 2] >= 0:
        m, row, angle = coupled(L, W, e, 1)
        after, moved = _next_coordinate_change(L, W, G, e, 1, dof, h)
        _, slope, _ = polynomial(L.eq_poly[e], angle + h * W.rows[m, row])
        change -= slope * after
        if moved != 0.0:
            _, _, curvature = polynomial(L.eq_poly[e], angle)
            push = -curvature * W.lam[n, 0]
            child, parent = L.eq_bodies[e, 2], L.eq_bodies[e, 3]
            for i in range(6):
                G.columns[L.place_body[child], i, column] += push * W.Gb[m, row, i]
                if parent >= 0:
                    G.columns[L.place_body[parent], i, column] += push * W.Ga[m, row, i]
    G.columns[L.place_node[n], 0, column] -= change / h


@kernel
def _pose_rows_column(L, W, G, e, n, side, column, h, s):
    """Rows of connect or weld e, whose node is n and whose body on one side moves."""
    b, v = L.eq_bodies[e, side], s[0, 0:6]
    as_velocity(W, G, b, G.moved[b], h, v)
    x = G.columns[L.place_node[n]]
    for r in range(6):
        for m in range(6):
            x[r, column] -= W.Ceq[e, side, r, m] * v[m]


@kernel
def _pose_impulse_column(L, W, G, e, n, dof, sign, column, s):
    """Impulses of connect or weld e. sign: 1 when body 2 moves; -1 when body 1 does: both move, and body 2 moves back."""
    one, two, child = L.eq_bodies[e, 0], L.eq_bodies[e, 1], L.child[L.dof_joint[dof]]
    p, F, on_one, on_two = s[0, 0:6], s[1, 0:3], s[2, 0:3], s[3, 0:3]
    field(G.here[dof], W.x[two], W.x[child], p)
    pose_impulse_change(L, W, e, W.lam[n], p, F, on_one, on_two, s[4:24])
    if one >= 0:
        for i in range(3):
            G.columns[L.place_body[one], 3 + i, column] += sign * on_one[i]
    if two >= 0:
        x = G.columns[L.place_body[two]]
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            x[i, column] -= sign * (p[3 + k] * F[m] - p[3 + m] * F[k])  # F stays, the row turns
            x[3 + i, column] += sign * on_two[i]


@kernel
def pose_impulse_change(L, W, e, lam, p, F, on_one, on_two, s):
    """Impulse F (3,) on body 2, world, and changes of the torques on_one, on_two (3,) by the displacement p (6,) of body 2."""
    one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
    R1, R2, p2, turn = W.R[one], W.R[two], L.eq_pos[e, 1], p[3:6]
    a, b, arm, shift, body_shift = s[0, 0:3], s[1, 0:3], s[2, 0:3], s[3, 0:3], s[4, 0:3]
    rotate(R1, lam[0:3], F)
    cross(F, turn, a)
    _times_back(R2, a, b)
    cross(p2, b, on_two)
    rotate(R2, p2, arm)
    cross(turn, arm, shift)
    for i in range(3):
        shift[i] += p[i]
    _times_back(R1, shift, body_shift)
    cross(lam[0:3], body_shift, on_one)
    if L.eq_kind[e] == EQ_WELD:
        torque, change = s[5, 0:3], s[6, 0:3]
        _weld_torque(L, W, e, lam[3:6], turn, torque, change, s[7:12])
        # δ(R₂ τ_w) = ψ × R₂ τ_w + R₂ δτ_w
        rotate(R2, torque, a)
        cross(turn, a, b)
        rotate(R2, change, a)
        for i in range(3):
            on_two[i] += change[i]
            a[i] += b[i]
        _times_back(R1, a, b)
        for i in range(3):
            on_one[i] -= b[i]


@kernel
def _weld_torque(L, W, e, mu, turn, torque, change, s):
    """Torque (3,) of weld e on body 2, its frame, and the change (3,) of it by a turn (3,) of body 2, world axes."""
    error, work, phi, dv = s[0, 0:4], s[1, 0:4], s[2, 0:3], s[3, 0:3]
    one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
    weld_error(L.eq_quat[e], W.q[one], W.q[two], error, work)
    w, v = error[0], error[1:4]
    _times_back(W.R[two], turn, phi)
    cross(v, phi, dv)
    dw = -0.5 * (v[0] * phi[0] + v[1] * phi[1] + v[2] * phi[2])
    for i in range(3):
        dv[i] = 0.5 * (w * phi[i] + dv[i])
    cross(mu, v, torque)
    cross(mu, dv, change)
    for i in range(3):
        torque[i] += w * mu[i]
        change[i] += dw * mu[i]


@kernel
def _times_back(R, a, out):
    """out = Rᵀ a."""
    for i in range(3):
        out[i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
