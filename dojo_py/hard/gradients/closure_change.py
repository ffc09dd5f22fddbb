"""Derivatives of loop closures by a coordinate: of their rows at the next poses, and their impulses where the step starts.

A coupling acts through the coordinates of its joints, with the generalised impulses λ on l₁ and -poly'(l₂) λ on l₂, which are c λ
and -c poly'(l₂) λ on them: these are added to the impulses Λ of the joints' own rows; likewise a tendon's. There remain

    coupling, row       δl₁₊ - poly'(l₂₊) δl₂₊             δl₊ = h δl̇ + δl
              impulse   -poly''(l₂) λ δl₂                  on l₂
    tendon, law         h (∂F/∂l δl + ∂F/∂l̇₋ δl̇₋) - I δl̇₋ + (∂law/∂l̇) δl̇, limits by δl

Connect and weld hold two bodies; anything changes only if one of them moves without the other. (u, ψ): displacement of body 2
against body 1, world axes; λ, μ: impulses of the rows of position and orientation; (w, v): the weld's error quaternion.

    on body 2     F = R₁ λ,                 τ₂ = p₂ × R₂ᵀ F + τ_w,    τ_w = w μ + μ × v                   torques: body frames
    on body 1     -F,                       τ₁ = -(d + E p₂) × λ - E τ_w
    change        δF = 0,                   δτ₂ = p₂ × R₂ᵀ (F × ψ) + δτ_w
                  δτ₁ = -R₁ᵀ (u + ψ × R₂ p₂) × λ - R₁ᵀ (ψ × R₂ τ_w) - E δτ_w
                  δτ_w = δw μ + μ × δv,     (δw, δv) = ½ (-v·φ, w φ + v × φ),     φ = R₂ᵀ ψ
"""

from dojo_py.algebra.rotations import cross, rotate
from dojo_py.arrays import body_row, copy_rows, scratch
from dojo_py.hard.elements.closures import TENDON_ROW, coupled, lengths_slope, polynomial, weld_error
from dojo_py.hard.elements.dof_rows import spring_weights, tendon_spring
from dojo_py.hard.gradients.own_joint import limit_stiffness, slope_by_rate
from dojo_py.hard.gradients.screws import as_velocity
from dojo_py.hard.gradients.state_columns import field
from dojo_py.hard.terms import EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_PATH, EQ_TENDON, EQ_WELD
from dojo_py.jit import kernel


@kernel
def load_joints(L, W, G):
    """G.load = impulses of the joints' rows, those of couplings and tendons included."""
    copy_rows(W.lam, G.load)
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] < EQ_COUPLING or L.eq_kind[e] == EQ_PATH or L.eq_kind[e] == EQ_ORIENTATION:
            continue
        impulse = W.lam[first + e, TENDON_ROW if L.eq_kind[e] == EQ_TENDON else 0]
        if L.eq_kind[e] == EQ_LENGTHS:  # its fixed tendon
            _, slope, _ = lengths_slope(L, W, e, 0.0)
            for side in range(2):
                t = L.eq_tendons[e, side]
                if t >= 0 and L.eq_kind[t] == EQ_TENDON:
                    _load_side(L, G, t, 0, impulse if side == 0 else -slope * impulse)
            continue
        _load_side(L, G, e, 0, impulse)
        if L.eq_terms[e, 2] > L.eq_terms[e, 1]:
            length, _ = coupled(L, W, e, 1)
            _, slope, _ = polynomial(L.eq_poly[e], length)
            _load_side(L, G, e, 1, -slope * impulse)


@kernel
def _load_side(L, G, e, side, impulse):
    """Add the impulse along one side of coupling or tendon e to the joints' rows in G.load."""
    for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
        dof = L.term_dof[t]
        G.load[L.dof_node[dof], L.dof_row[dof]] += L.term_coef[t] * impulse


@kernel
def closure_columns(L, W, A, G, dof, part, column, h):
    """Rows of all closures and tendons, and of the bodies they hold, in the column of a coordinate (part 0) or rate (part 1).

    To be called after those of the joint's own rows (G.own).
    """
    first = L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        if L.eq_kind[e] == EQ_TENDON:
            _tendon_column(L, W, A, G, e, first + e, dof, part, column, h)
            continue
        if part == 1 or L.eq_kind[e] == EQ_PATH or L.eq_kind[e] == EQ_LENGTHS or L.eq_kind[e] == EQ_ORIENTATION:
            # (path_change.py, orientation_change.py)
            continue
        if L.eq_kind[e] == EQ_COUPLING:
            _coupling_column(L, W, G, e, first + e, dof, column, h)
            continue
        one, two = L.eq_bodies[e, 0], L.eq_bodies[e, 1]
        with_one, with_two = one >= 0 and G.under[one] == 1, two >= 0 and G.under[two] == 1
        if with_one != with_two:
            _pose_rows_column(L, W, G, e, first + e, 1 if with_two else 0, column, h)
            _pose_impulse_column(L, W, G, e, first + e, dof, 1.0 if with_two else -1.0, column)


@kernel
def _side_change(L, G, e, side, dof):
    """(δl, δl̇ before the unknowns respond) of one side of a coupling or tendon in the column of a coordinate."""
    length, rate, j = 0.0, 0.0, L.dof_joint[dof]
    for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
        if L.dof_joint[L.term_dof[t]] == j:
            rate += L.term_coef[t] * G.own[dof, L.dof_row[L.term_dof[t]]]
        if L.term_dof[t] == dof:
            length += L.term_coef[t]
    return length, rate


@kernel
def _coupling_column(L, W, G, e, n, dof, column, h):
    """Coupling e, whose node is n."""
    moved, rate = _side_change(L, G, e, 0, dof)
    change = moved + h * rate
    if L.eq_terms[e, 2] > L.eq_terms[e, 1]:
        length, its_rate = coupled(L, W, e, 1)
        moved, rate = _side_change(L, G, e, 1, dof)
        _, slope, _ = polynomial(L.eq_poly[e], length + h * its_rate)
        change -= slope * (moved + h * rate)
        if moved != 0.0:
            _, _, curvature = polynomial(L.eq_poly[e], length)
            _push_side(L, W, G, e, 1, -curvature * moved * W.lam[n, 0], column)
    G.columns[L.place_node[n], 0, column] -= change / h


@kernel
def _push_side(L, W, G, e, side, impulse, column):
    """Add the impulse along one side of coupling e to the column, in the rows of its bodies."""
    for t in range(L.eq_terms[e, side], L.eq_terms[e, side + 1]):
        n, r = L.dof_node[L.term_dof[t]], L.dof_row[L.term_dof[t]]
        child, parent = L.eq_bodies[e, 2 * (t - L.eq_terms[e, 0])], L.eq_bodies[e, 2 * (t - L.eq_terms[e, 0]) + 1]
        for i in range(6):
            G.columns[L.place_body[child], i, column] += impulse * L.term_coef[t] * W.Gb[n, r, i]
            if parent >= 0:
                G.columns[L.place_body[parent], i, column] += impulse * L.term_coef[t] * W.Ga[n, r, i]


@kernel
def _tendon_column(L, W, A, G, e, n, dof, part, column, h):
    """The law of tendon e, whose node is n."""
    length, rate = _side_change(L, G, e, 0, dof)
    if part == 1:  # the rate before the step moves, the poses do not
        length, rate, before = 0.0, 0.0, length
    else:
        before = 0.0
    tendon_law_change(L, W, A, G, e, n, length, before, rate, column, h)


@kernel
def tendon_law_change(L, W, A, G, e, n, length, before, rate, column, h):
    """The law of tendon e, whose node is n, by its length and old rate at the start, and its rate before the unknowns respond."""
    own, time = L.eq_dof[e], max(h, 0.0)  # (h < 0: rotors only, see `dof_law`)
    _, w_old = spring_weights(W.options.springs, time)
    _, _, by_length, by_old_rate = tendon_spring(L, W, own, W.rows[n, TENDON_ROW], time)
    change = time * (by_length * length + by_old_rate * before) - L.dof_armature[own] * before
    change += limit_stiffness(L, W, own, True) * length + slope_by_rate(L, W, own, h) * rate
    for a in range(A.servo_dof.shape[0]):
        if A.servo_dof[a] == own and G.servo_free[a]:
            change -= time * A.servo_gear[a] * A.servo_gear[a] * A.servo_b1[a] * (length - w_old * before)
    G.columns[L.place_node[n], TENDON_ROW, column] -= W.row_scale[own] * change


@kernel
def _pose_rows_column(L, W, G, e, n, side, column, h):
    """Rows of connect or weld e, whose node is n; its body on the given side moves."""
    b, v = L.eq_bodies[e, side], scratch(6)
    as_velocity(W, G, b, G.moved[b], h, v)
    x = G.columns[L.place_node[n]]
    for r in range(6):
        for m in range(6):
            x[r, column] -= W.Ceq[e, side, r, m] * v[m]


@kernel
def _pose_impulse_column(L, W, G, e, n, dof, sign, column):
    """Impulses of connect or weld e. sign: 1 when body 2 moves; -1 when body 1 does: as if both moved and body 2 moved back."""
    one, two, child = L.eq_bodies[e, 0], L.eq_bodies[e, 1], L.child[L.dof_joint[dof]]
    p, F, on_one, on_two = scratch(6), scratch(3), scratch(3), scratch(3)
    field(G.here[dof], W.x[body_row(W.x, two)], W.x[child], p)
    pose_impulse_change(L, W, e, W.lam[n], p, F, on_one, on_two)
    if one >= 0:
        for i in range(3):
            G.columns[L.place_body[one], 3 + i, column] += sign * on_one[i]
    if two >= 0:
        x = G.columns[L.place_body[two]]
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            x[i, column] -= sign * (p[3 + k] * F[m] - p[3 + m] * F[k])  # F keeps its direction, the body's row rotates
            x[3 + i, column] += sign * on_two[i]


@kernel
def pose_impulse_change(L, W, e, lam, p, F, on_one, on_two):
    """Impulse F (3,) on body 2, world, and changes of the torques on_one, on_two (3,) by the displacement p (6,) of body 2.

    lam (6,): the multipliers, which are held constant.
    """
    one, two = body_row(W.R, L.eq_bodies[e, 0]), body_row(W.R, L.eq_bodies[e, 1])
    R1, R2, p2, turn = W.R[one], W.R[two], L.eq_pos[e, 1], p[3:6]
    a, b, arm, shift, body_shift = scratch(3), scratch(3), scratch(3), scratch(3), scratch(3)
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
        torque, change = scratch(3), scratch(3)
        _weld_torque(L, W, e, lam[3:6], turn, torque, change)
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
def _weld_torque(L, W, e, mu, turn, torque, change):
    """Torque (3,) of weld e on body 2, its frame, and its change (3,) by a rotation `turn` (3,) of body 2, world axes."""
    error, phi, dv = scratch(4), scratch(3), scratch(3)
    one, two = body_row(W.q, L.eq_bodies[e, 0]), body_row(W.q, L.eq_bodies[e, 1])
    weld_error(L.eq_quat[e], W.q[one], W.q[two], error)
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
