"""Reverse mode through the table of a step's contacts (contact_table.py): impulses, positions, frames, gaps.

With the cotangents g of a row of the table, the change of its impulses F and of its position p

    δF = -K (C δv + y (u, ψ)),      δp = ∂p/∂x₊ δx₊ + ∂p/∂θ₊ δθ₊,      δx₊ = u + ψ × d + h δv,   δθ₊ = ψ + R₊ h Γ δω,   d = x₊ - x

is linear in what the step solves for and in the rigid displacement (u, ψ) of its bodies by a coordinate (contact_change.py, which
also says why δv is counted beyond ψ × v). So g contributes to the right-hand side of the transposed system of the reverse mode
(pull_back.py), and gives a linear form in (u, ψ) for each body, or for each pair, that is applied to the motion of each coordinate.

A pair's tangents: when both bodies move rigidly its frame rotates with them and its impulses stay; when the second moves by itself
the frame of the start is held. So derivatives are those of the force in world axes; its components along the tangents are exact for
g that depend on them through that force.
"""

from dojo_py.algebra.vectors import along, cross, dot, dot_six, matrix, minus, plus, row, three, times, turned, turned_back
from dojo_py.arrays import copy, scratch
from dojo_py.collision.contact_columns import FRAME, GAP, IMPULSE, POSITION, TORQUE
from dojo_py.hard.compiled_apart import END, START, feature_place
from dojo_py.hard.elements.contact_rows import physical_impulse
from dojo_py.hard.elements.feature_rows import tangents_at_end
from dojo_py.hard.elements.plane_contacts import touching
from dojo_py.hard.elements.start_normals import BY_GAP, SHARE, start_normal
from dojo_py.hard.gradients.state_columns import field, subtree_motion
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def pull_contacts(L, P, Q, W, G, by_contacts, h):
    """From by_contacts (n, WIDTH), cotangents of the table after the step: add those of the velocities to G.adjoint, and put those
    of the bodies' displacements into G.shown (nb, 6), G.shown_pair (nc, 12). Returns whether any cotangent is not zero.
    """
    planes, shown = P.body.shape[0], False
    for i in range(by_contacts.shape[0]):
        shown = shown or _any(by_contacts[i])
    if not shown:
        return False
    G.shown[:, :] = 0.0
    for i in range(planes):
        if _any(by_contacts[i]):
            _plane_place(L, P, W, G, i, by_contacts[i], h)
    for c in range(W.n_active[0]):
        row = by_contacts[W.active[c]]
        pair = W.active[c] >= planes
        if pair:
            G.shown_pair[c, :] = 0.0
        if not _any(row):
            continue
        if pair:
            _pair_place(L, P, Q, W, G, c, W.active[c] - planes, row, h)
        _impulses(L, W, G, c, row, pair)
    return True


@kernel
def directly_shown(L, W, G, dof, h):
    """Cotangents of the table times its change by coordinate dof while no velocity changes. After `pull_contacts`."""
    child, here, total = L.child[L.dof_joint[dof]], G.here[dof], 0.0
    subtree_motion(L, W, G, child, here, here, True, h)
    for b in range(L.mass.shape[0]):
        if G.under[b] == 1:
            total += dot_six(G.shown[b], G.moved[b])
    m = scratch(6)
    for c in range(W.n_active[1], W.n_active[0]):
        a, b = W.cbody[c, 0], W.cbody[c, 1]
        on_a, on_b = a >= 0 and G.under[a] == 1, b >= 0 and G.under[b] == 1
        if on_a and b >= 0:  # both move as the first does,
            field(here, W.x[a], W.x[child], m)
            total += dot_six(G.shown_pair[c, 6:12], m)
        if on_a != on_b:  # and the second by itself, or moves back (sign -1)
            mover = b if b >= 0 else a
            field(here, W.x[mover], W.x[child], m)
            total += (1.0 if on_b or b < 0 else -1.0) * dot_six(G.shown_pair[c, 0:6], m)
    return total


@kernel
def _any(row):
    """Whether an entry is not zero."""
    for k in range(row.shape[0]):
        if row[k] != 0.0:
            return True
    return False


@kernel
def _by_pose(L, W, G, b, force, torque, h):
    """G.adjoint += coefficients of the velocities in force · δx₊ + torque · δθ₊ of body b."""
    out, R, hG = G.adjoint[L.place_body[b]], W.Rn[b], W.hG[b]
    t = turned_back(matrix(R), torque)
    for i in range(3):
        out[i, 0] += h * force[i]
        out[3 + i, 0] += t[0] * hG[0, i] + t[1] * hG[1, i] + t[2] * hG[2, i]


@kernel
def _add_form(W, b, force, torque, out):
    """out (6,) += coefficients of (u, ψ) in force · δx₊ + torque · δθ₊ of body b."""
    d0, d1, d2 = W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2]
    out[0] += force[0]
    out[1] += force[1]
    out[2] += force[2]
    out[3] += torque[0] + d1 * force[2] - d2 * force[1]
    out[4] += torque[1] + d2 * force[0] - d0 * force[2]
    out[5] += torque[2] + d0 * force[1] - d1 * force[0]


@kernel
def _plane_place(L, P, W, G, i, g, h):
    """Position and gap of plane candidate i, whose position is x₊ + R₊ p - r n - gap n / 2."""
    b, n = P.body[i], row(P.normal, i)
    R = W.Rn[b]
    p, D = touching(P, i, R)
    position = (g[POSITION], g[POSITION + 1], g[POSITION + 2])
    e = along(position, g[GAP] - 0.5 * dot(position, n), n)
    # e · δ(x₊ + R₊ p) = e · δx₊ + δθ · (R₊ p × e + R₊ Dᵀ R₊ᵀ e × n),   δn_b = R₊ᵀ (n × δθ)
    z = turned_back(D, turned_back(matrix(R), e))
    torque = plus(cross(turned(matrix(R), p), e), cross(turned(matrix(R), z), n))
    _by_pose(L, W, G, b, e, torque, h)
    _add_form(W, b, e, torque, G.shown[b])


@kernel
def _pair_place(L, P, Q, W, G, c, f, g, h):
    """Position, frame and gap of pair c, feature f."""
    place = W.feature
    p, dgap, dn, dp = place.point, place.dgap, place.dn, place.dc
    by, a, b, start = scratch(12), W.fbody[f, 0], W.fbody[f, 1], W.cframe[c]
    mover = 6 if b >= 0 else 0
    feature_place(L, P, Q, W, f, START)
    starts, gaps = scratch((3, 6)), scratch(6)
    for k in range(3):
        copy(dn[k, mover : mover + 6], starts[k])
    copy(dgap[mover : mover + 6], gaps)
    feature_place(L, P, Q, W, f, END)
    e, by_end, by_start, by_touch = start_normal(three(start[0]), three(place.normal), W.ctouch[c, SHARE])
    T1, T2, fold, p1, p2 = tangents_at_end(start[0], start[1:3], e)
    common, N, by_e = G.shown_pair[c, 6:12], plus(e, three(start[0])), three(g[FRAME : FRAME + 3])
    for i in range(3):
        axis, cot = e if i == 0 else T1 if i == 1 else T2, three(g[FRAME + 3 * i : FRAME + 3 * i + 3])
        if i > 0:  # δt = -N (p · δe) - f δe at fixed t₀ and n₀
            by_e = minus(by_e, along(times(dot(cot, N), p1 if i == 1 else p2), fold[i - 1], cot))
        turning = cross(axis, cot)
        for k in range(3):
            common[3 + k] += turning[k]
    by_n, by_n0 = turned_back(by_end, by_e), turned_back(by_start, by_e)
    by_gap = W.ctouch[c, BY_GAP] * dot(by_e, by_touch)
    for m in range(6):
        G.shown_pair[c, m] += dot(by_n0, (starts[0, m], starts[1, m], starts[2, m])) + by_gap * gaps[m]
    for m in range(12):
        by[m] = g[GAP] * dgap[m]
        for k in range(3):
            by[m] += by_n[k] * dn[k, m] + g[POSITION + k] * dp[k, m]
    if a >= 0:
        for k in range(3):
            j, l = (k + 1) % 3, (k + 2) % 3
            common[k] += g[POSITION + k]
            common[3 + k] += (p[j] - W.x[a, j]) * g[POSITION + l] - (p[l] - W.x[a, l]) * g[POSITION + j]
        _by_pose(L, W, G, a, by[0:3], by[3:6], h)
    if b >= 0:
        _by_pose(L, W, G, b, by[6:9], by[9:12], h)
        _add_form(W, b, by[6:9], by[9:12], G.shown_pair[c, 0:6])
    else:
        _add_form(W, a, by[0:3], by[3:6], G.shown_pair[c, 0:6])


@kernel
def _impulses(L, W, G, c, g, pair):
    """Impulses and torques of active contact c: δF = -K (C δv + y (u, ψ)), times the fading factor w of a far pair."""
    rows, K = ROWS[W.claw[c]], W.cK[c]
    by, F, f = scratch(MOST_ROWS), scratch(MOST_ROWS), scratch(MOST_ROWS)
    for r in range(rows):
        by[r] = W.cweight[c] * (g[IMPULSE + r] if r < 3 else g[TORQUE + r - 3])
        if r > 0:
            by[r] *= W.cratio[c, r - 1]
    out = G.shown_pair[c, 0:6] if pair else G.shown[W.cbody[c, 0]]
    for r in range(rows):
        w = 0.0
        for q in range(rows):
            w += by[q] * K[q, r]
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                C, adjoint = W.cC[c, side, r], G.adjoint[L.place_body[b]]
                for m in range(6):
                    adjoint[m, 0] -= w * C[m]
        for m in range(6):
            out[m] -= w * G.motion[c, r, m]
    if pair and W.cslope[c] != 0.0:  # w is a function of the gap where the step starts
        impulse_of(W.claw[c], W.con[c], F)
        physical_impulse(W, c, F, f)
        total = 0.0
        for r in range(rows):
            total += W.cweight[c] * W.cslope[c] * f[r] * (g[IMPULSE + r] if r < 3 else g[TORQUE + r - 3])
        for m in range(6):
            out[m] += total * G.fade[c, m]
