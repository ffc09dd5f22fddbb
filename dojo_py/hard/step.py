"""One hard step: Mehrotra's predictor-corrector method on the complementarity problem of the step.

    solve   r(w; κ) = 0,   b ∘ c = κ e,   b, c in their cones,   κ → 0 (or to the κ asked for)              (Dojo, Algorithm 2)

The affine step aims at κ = 0 exactly; its success sets the centring σ = (ν_aff/ν)³; its second-order terms correct the step.
"""

import math

from dojo_py.hard.bodies import old_momentum
from dojo_py.hard.closures import start_closures
from dojo_py.hard.contact_rows import add_contact, pair_far, pair_gap, plane_gap
from dojo_py.hard.joint_rows import start_joints
from dojo_py.hard.newton import assemble, centring, evaluate, largest_step, limit_distance, measure, recover, refill
from dojo_py.jit import kernel, stage
from dojo_py.rotation import quat_to_matrix
from dojo_py.solver.block_ldu import analyse, factorise, solve
from dojo_py.solver.centre import central_friction, central_pair
from dojo_py.solver.cones import CONE, impulse_of, start_state

SOLVED, MAX_ITERATIONS, STALLED, SINGULAR, TOO_FAST, NOT_FINITE = 0, 1, 2, 3, 4, 5


@stage
def start_step(L, W, bodies, angle, rate, wrench, h):
    """Load the state at the start of a step. bodies (nb, 13); angle, rate (nv,); wrench (nb, 6): world force, torque [N, N m]."""
    nb = L.mass.shape[0]
    for b in range(nb):
        for i in range(3):
            W.x[b, i] = bodies[b, i]
            W.v_prev[b, i] = bodies[b, 3 + i]
            W.v_prev[b, 3 + i] = bodies[b, 10 + i]
        for i in range(4):
            W.q[b, i] = bodies[b, 6 + i]
        quat_to_matrix(W.q[b], W.R[b])
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, W.momentum[b])
        R = W.R[b]
        for i in range(3):
            W.momentum[b, i] += h * (L.mass[b] * L.gravity[b, i] + wrench[b, i])
            W.momentum[b, 3 + i] += h * (R[0, i] * wrench[b, 3] + R[1, i] * wrench[b, 4] + R[2, i] * wrench[b, 5])
    for i in range(angle.shape[0]):
        W.angle0[i] = angle[i]
        W.rate_prev[i] = rate[i]
    start_joints(L, W, W.scratch)
    start_closures(L, W, W.scratch)


@stage
def choose_contacts(L, P, Q, W, h, everything, margin, recovery):
    """Fill the active contacts: all, or those whose gap is below what a step can close, with room to spare; likewise limits.

    recovery [m, rad]: how much of an initial violation is undone in this step at most.
    """
    W.n_active[0] = 0
    g = 0.0
    for b in range(L.mass.shape[0]):
        for i in range(3):
            g = max(g, abs(L.gravity[b, i]))
    reach0 = margin + 4.0 * h * h * g
    for i in range(P.body.shape[0]):
        if not everything:
            b = P.body[i]
            v = W.v_prev[b]
            p = P.point[i]
            arm = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + P.radius[i] + abs(P.size[i])
            speed = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) + arm * math.sqrt(v[3] ** 2 + v[4] ** 2 + v[5] ** 2)
            if plane_gap(P, i, W.x, W.R) > reach0 + 2.0 * h * speed:
                continue
        add_contact(P, Q, W, i, recovery)
    W.n_active[1] = W.n_active[0]
    normal = W.scratch[101, 0:3]
    for i in range(Q.kind.shape[0]):
        if not everything:
            reach = reach0
            for side in range(2):
                b = Q.body[i, side]
                if b >= 0:
                    v = W.v_prev[b]
                    reach += 2.0 * h * math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
                    reach += 2.0 * h * Q.bound[i, side] * math.sqrt(v[3] ** 2 + v[4] ** 2 + v[5] ** 2)
            if pair_far(Q, i, W.x, reach) or pair_gap(Q, i, W.x, W.R, normal, W.scratch) > reach:
                continue
        add_contact(P, Q, W, P.body.shape[0] + i, recovery)
    W.n_limits[0] = 0
    W.dof_limit[:, :] = -1
    for l in range(L.limit_dof.shape[0]):
        W.lgrace[l] = 0.0
        if L.limit_sign[l] != 0.0:
            dof = L.limit_dof[l]
            room = L.limit_sign[l] * (W.angle0[dof] - L.limit_bound[l])
            W.lgrace[l] = max(0.0, -room - recovery)
            if not everything and room > 0.1 + 3.0 * h * abs(W.rate_prev[dof]):
                continue
        W.limit_active[W.n_limits[0]] = l
        W.dof_limit[L.limit_dof[l], 1 if L.limit_sign[l] < 0.0 else 0] = W.n_limits[0]
        W.n_limits[0] += 1
    _update_graph(L, W)


@kernel
def _update_graph(L, W):
    """Put the edges of body-body contacts into the pattern; analyse again only when they changed."""
    fixed = W.n_edges[0]
    count = fixed
    changed = False
    for c in range(W.n_active[1], W.n_active[0]):
        a, b = W.cbody[c, 0], W.cbody[c, 1]
        if a < 0 or b < 0 or a == b:
            continue
        i, k = min(L.place_body[a], L.place_body[b]), max(L.place_body[a], L.place_body[b])
        known = False
        for e in range(fixed, count):
            if W.edges[e, 0] == i and W.edges[e, 1] == k:
                known = True
                break
        if not known:
            if W.edges[count, 0] != i or W.edges[count, 1] != k:
                changed = True
                W.edges[count, 0], W.edges[count, 1] = i, k
            count += 1
    if changed or count != W.n_edges[1]:
        W.n_edges[1] = count
        analyse(W.edges, count, W.pattern)


@kernel
def left_out_contact(L, P, Q, W, h):
    """Add the contacts and limits that were left out but would be violated at the next poses. Returns how many."""
    added = 0
    planes = W.n_active[1]
    for i in range(P.body.shape[0]):
        gap = plane_gap(P, i, W.xn, W.Rn)
        if gap < 0.0:
            known = False
            for c in range(planes):
                known = known or W.active[c] == i
            if not known:
                added += 1
    normal = W.scratch[101, 0:3]
    for i in range(Q.kind.shape[0]):
        if pair_far(Q, i, W.xn, 0.0):
            continue
        known = False
        for c in range(planes, W.n_active[0]):
            known = known or W.active[c] == P.body.shape[0] + i
        if not known and pair_gap(Q, i, W.xn, W.Rn, normal, W.scratch) < 0.0:
            added += 1
    axis = W.scratch[112, 0:3]
    for l in range(L.limit_dof.shape[0]):
        known = False
        for m in range(W.n_limits[0]):
            known = known or W.limit_active[m] == l
        if not known and limit_distance(L, W, l, h, axis, W.scratch) < 0.0:
            added += 1
    return added


@kernel
def keep_impulses(L, P, W):
    """Remember the impulses of a solved step."""
    W.warm[0] = 1.0
    W.warm_lam[:, :] = W.lam
    W.warm_lim[:] = 0.0
    W.warm_con[:, :] = 0.0
    for m in range(W.n_limits[0]):
        W.warm_lim[W.limit_active[m]] = W.lim[m, 0]
    for i in range(W.fric.shape[0]):
        W.warm_fric[i] = W.fric[i, 0]
    for c in range(W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], W.warm_con[W.active[c]])


@stage
def start_point(L, P, Q, A, W, h, scheme, factor, kappa, warm):
    """First point: old velocities; every cone pair near its own central path at factor times the scale of the step's violations.

    warm: the impulses of the last step are expected to act again.
    """
    total = 0.0
    for b in range(L.mass.shape[0]):
        total += L.mass[b]
        for i in range(6):
            W.v[b, i] = W.v_prev[b, i]
    if not warm:
        W.warm_lam[:, :] = 0.0
        W.warm_lim[:] = 0.0
        W.warm_fric[:] = 0.0
        W.warm_con[:, :] = 0.0
    W.lam[:, :] = W.warm_lam
    W.fric[:, :] = 0.0
    W.lim[:, :] = 0.0
    W.con[:, :] = 0.0
    evaluate(L, P, Q, A, W, h, scheme)
    near = 0
    for c in range(W.n_active[0]):
        if W.cval[c, 0] < 0.0:
            near += 1
    mass = total / max(near, 4)
    _start_pairs(L, W, h, mass, max(factor * _violation_scale(L, W, h, mass), kappa))


@kernel
def _start_pairs(L, W, h, mass, kappa0):
    """Cone pairs on the central paths of contacts that are coupled to nothing else (solver/centre.py).

    A contact that moves with velocity u under an old impulse F would move with u - F/m without it.
    """
    for i in range(L.dof_frictionloss.shape[0]):
        bound = h * L.dof_frictionloss[i]
        j = L.dof_joint[i]
        if bound > 0.0 and L.node[j] >= 0:
            rate = W.rows[L.node[j], 6 - L.ndof[j] + i - L.vadr[j]] - W.warm_fric[i] / L.dof_inertia[i]
            x, y, big = central_friction(L.dof_inertia[i], bound, abs(rate), 2.0 * kappa0)
            sign = 1.0 if rate >= 0.0 else -1.0
            W.fric[i, 0] = -sign * x
            W.fric[i, 1], W.fric[i, 2] = 0.5 * (big + sign * y), 0.5 * (big - sign * y)
    for m in range(W.n_limits[0]):
        inertia = L.dof_inertia[L.limit_dof[W.limit_active[m]]]
        u = W.dlim[m, 1] / h - W.warm_lim[W.limit_active[m]] / inertia
        W.lim[m, 0], W.lim[m, 1] = central_pair(inertia, u, h, kappa0)
    for c in range(W.n_active[0]):
        old, z, law, mu = W.warm_con[W.active[c]], W.con[c], W.claw[c], W.cmu[c]
        gamma, slack = central_pair(mass, W.cval[c, 0] / h - old[0] / mass, h, kappa0)
        v1, v2 = W.cval[c, 1] - old[1] / mass, W.cval[c, 2] - old[2] / mass
        speed = math.sqrt(v1 * v1 + v2 * v2)
        if law == CONE:
            x, y, big = central_friction(mass, mu * gamma, speed, kappa0)
            z[0], z[1], z[4] = gamma, slack, big
            if speed > 0.0:
                z[2], z[3] = -x * v1 / speed, -x * v2 / speed
                z[5], z[6] = y * v1 / speed, y * v2 / speed
        else:
            start_state(law, mu, gamma, slack, speed + 2.0 * kappa0 / (mu * gamma) if mu > 0.0 else 1.0, z)


@kernel
def _violation_scale(L, W, h, mass):
    """Impulse times displacement [N s m] that undoing the old velocities' violations takes; gravity's share at least."""
    g = 0.0
    for b in range(L.mass.shape[0]):
        for i in range(3):
            g = max(g, abs(L.gravity[b, i]))
    scale = mass * h * max(g * h, 1e-2) ** 2
    for c in range(W.n_active[0]):
        u = min(W.cval[c, 0] / h, 0.0)
        scale = max(scale, mass * u * u * h)
    for m in range(W.n_limits[0]):
        u = min(W.dlim[m, 1] / h, 0.0)
        scale = max(scale, L.dof_inertia[L.limit_dof[W.limit_active[m]]] * u * u * h)
    return scale


@kernel
def _save(L, W):
    W.v_old[:] = W.v
    W.lam_old[:] = W.lam
    for m in range(W.n_limits[0]):
        W.lim_old[m, 0], W.lim_old[m, 1] = W.lim[m, 0], W.lim[m, 1]
    W.fric_old[:] = W.fric
    for c in range(W.n_active[0]):
        for k in range(12):
            W.con_old[c, k] = W.con[c, k]


@kernel
def _move(L, W, alpha):
    """Point = saved point + alpha * step."""
    for b in range(L.mass.shape[0]):
        for i in range(6):
            W.v[b, i] = W.v_old[b, i] + alpha * W.dv[b, i]
    for n in range(L.node_joint.shape[0]):
        for i in range(6):
            W.lam[n, i] = W.lam_old[n, i] + alpha * W.dlam[n, i]
    for m in range(W.n_limits[0]):
        for i in range(2):
            W.lim[m, i] = W.lim_old[m, i] + alpha * W.dlim[m, i]
    for d in range(L.dof_frictionloss.shape[0]):
        if L.dof_frictionloss[d] > 0.0:
            for i in range(3):
                W.fric[d, i] = W.fric_old[d, i] + alpha * W.dfric[d, i]
    for c in range(W.n_active[0]):
        for k in range(12):
            W.con[c, k] = W.con_old[c, k] + alpha * W.dcon[c, k]


@kernel
def _mean_after(L, W, h, alpha):
    """Mean complementarity after a step of length alpha: what the affine step promises."""
    total, degree = 0.0, 0
    for m in range(W.n_limits[0]):
        total += (W.lim[m, 0] + alpha * W.dlim[m, 0]) * (W.lim[m, 1] + alpha * W.dlim[m, 1])
        degree += 1
    for d in range(L.dof_frictionloss.shape[0]):
        bound = h * L.dof_frictionloss[d]
        if bound > 0.0 and L.node[L.dof_joint[d]] >= 0:
            beta = W.fric[d, 0] + alpha * W.dfric[d, 0]
            total += (bound + beta) * (W.fric[d, 1] + alpha * W.dfric[d, 1])
            total += (bound - beta) * (W.fric[d, 2] + alpha * W.dfric[d, 2])
            degree += 2
    for c in range(W.n_active[0]):
        z, d = W.con[c], W.dcon[c]
        total += (z[0] + alpha * d[0]) * (z[1] + alpha * d[1])
        degree += 1
        if W.claw[c] == CONE:
            total += W.cmu[c] * (z[0] + alpha * d[0]) * (z[4] + alpha * d[4])
            total += (z[2] + alpha * d[2]) * (z[5] + alpha * d[5]) + (z[3] + alpha * d[3]) * (z[6] + alpha * d[6])
            degree += 1
        elif W.claw[c] == 2:
            total += (z[2] + alpha * d[2]) * (z[3] + alpha * d[3])
            for i in range(4):
                total += (z[4 + i] + alpha * d[4 + i]) * (z[8 + i] + alpha * d[8 + i])
            degree += 5
    return total / max(degree, 1)


@kernel
def _inside_rotation_domain(L, W, h, alpha):
    """The largest share of alpha that keeps every |ω| h / 2 below 0.95 (φ(ω) needs it below 1)."""
    bound = (2.0 * 0.95 / h) ** 2
    for _ in range(40):
        ok = True
        for b in range(L.mass.shape[0]):
            s = 0.0
            for i in range(3, 6):
                w = W.v[b, i] + alpha * W.dv[b, i]
                s += w * w
            if not s < bound:
                ok = False
                break
        if ok:
            return alpha
        alpha *= 0.5
    return 0.0


@kernel
def _clear_correction(W):
    W.alim[:, :] = 0.0
    W.africt[:, :] = 0.0
    W.acon[:, :] = 0.0


@stage
def _direction(L, W, h, mean, floor, path, scaled, cones, work):
    """The step from the present point into W.d…. work (3,) out: largest step, affine step, σ. Returns False if singular.

    path > 0: Newton's step to that complementarity. Otherwise Mehrotra's: phase 0 predicts, phase 1 corrects; phase 2, when the
    correction points out of the cones, aims at a more central point without it. (One loop, so that the compiler sees each large
    kernel called in one place.)
    """
    target, affine, sigma = max(path, 0.0), 1.0, 1.0
    for phase in range(3):
        assemble(L, W, h, target, phase > 0, scaled, LOOP_REGULARISATION)
        if phase == 0 and factorise(W.pattern, W.blocks) >= 0:
            return False
        solve(W.pattern, W.blocks, W.step)
        recover(L, W, h, target, phase > 0, scaled)
        reach = largest_step(L, W, h)
        if path > 0.0 or not cones or phase == 2:
            break
        if phase == 0:
            affine = min(1.0, reach)
            ratio = min(max(_mean_after(L, W, h, affine) / max(mean, 1e-300), 0.0), 1.0)
            sigma = ratio * ratio * ratio
            W.alim[:, :] = W.dlim
            W.africt[:, :] = W.dfric
            for c in range(W.n_active[0]):
                for k in range(12):
                    W.acon[c, k] = W.dcon[c, k]
            target = max(sigma * mean, floor)
        elif reach >= 0.2 * affine:
            break
        else:
            _clear_correction(W)
            target = max(max(sigma, 0.3) * mean, floor)
    work[0], work[1], work[2] = reach, affine, sigma
    return True


@stage
def iterate(L, P, Q, A, W, h, scheme, kappa, tol_residual, tol_comp, max_iterations, scaled, careful):
    """From the present point to residual ≤ tol_residual [m/s] and |b∘c - κe| ≤ tol_comp. Returns (status, iterations, both).

    kappa = 0 asks for the hard limit: then tol_comp is the complementarity itself [N m s]. scaled: Nesterov-Todd directions.
    careful: follow the central path in short steps instead of predicting.
    """
    floor = kappa if kappa > 0.0 else 0.2 * tol_comp
    residual, worst, mean, path, alpha, short = math.inf, math.inf, math.inf, math.inf, 0.0, 0
    found = W.scratch[102, 0:3]
    for iteration in range(-1, max_iterations):
        if iteration >= 0:
            trace = W.trace[min(iteration, W.trace.shape[0] - 1)]
            trace[0], trace[1], trace[2] = residual, worst, mean
            if residual <= tol_residual and worst <= tol_comp:
                return SOLVED, iteration, residual, worst
            if not (math.isfinite(residual) and math.isfinite(worst)):
                return NOT_FINITE, iteration, residual, worst
            cones = mean > 0.0
            if careful and cones:
                off, _, _ = centring(L, W, h, path)
                if off < 0.5 * path and residual < max(1e-2 * path**0.5, tol_residual):
                    path = max(0.15 * path, floor)
            best, turn = -1.0, scaled
            for attempt in range(3):
                if attempt > 0:
                    refill(L, W, h)
                if not _direction(L, W, h, mean, floor, path if careful and cones else 0.0, turn, cones, found):
                    return SINGULAR, iteration, residual, worst
                # blocked: the other linearisation of the cones often is not; go back to the first when it is worse
                if careful or not cones or found[0] >= 0.3 or attempt == 2 or (attempt == 1 and found[0] > best):
                    break
                best, turn = found[0], not turn
            # the better the prediction, the closer to the boundary: convergence is superlinear at the end
            share = max(0.99, 1.0 - found[2] ** (1.0 / 3.0))
            alpha = _inside_rotation_domain(L, W, h, min(1.0, share * found[0]))
            trace[3], trace[4], trace[5] = alpha, found[1], found[2]
        _save(L, W)
        if iteration >= 0 and mean > 0.0:
            for _ in range(12):  # stay off the boundary: no pair much smaller than the mean
                _move(L, W, alpha)
                _, least, now = centring(L, W, h, 0.0)
                if least >= 1e-3 * min(now, mean):
                    break
                alpha *= 0.8
        for _ in range(8):
            if iteration >= 0:
                _move(L, W, alpha)
            evaluate(L, P, Q, A, W, h, scheme)
            new_residual, new_worst, new_mean = measure(L, W, h, kappa)
            if iteration < 0 or new_residual <= max(2.0 * residual, 1e3 * tol_residual) or new_worst <= worst:
                break
            alpha *= 0.5
        if iteration < 0:
            path = new_mean
        residual, worst, mean = new_residual, new_worst, new_mean
        short = short + 1 if iteration >= 0 and alpha < 1e-3 else 0
        if short >= 3:
            return STALLED, iteration + 1, residual, worst
    if residual <= tol_residual and worst <= tol_comp:
        return SOLVED, max_iterations, residual, worst
    return MAX_ITERATIONS, max_iterations, residual, worst


LOOP_REGULARISATION = 1e-10
"""On the diagonal of loop closures [1/kg]: lets redundant rows (planar loops) share their impulse instead of dividing by zero."""

TOLERANCE, COMPLEMENTARITY, ITERATIONS, SPRINGS, RECOVERY, MARGIN, SUBDIVISIONS = 0, 1, 2, 3, 4, 5, 6
"""Places in the settings array, see options.py."""


@stage
def attempts(L, P, Q, A, W, h, kappa, settings, report):
    """Solve the step that `start_step` loaded, by one start and direction after another until one succeeds."""
    scheme, limit = int(settings[SPRINGS]), int(settings[ITERATIONS])
    tol_comp = 1e-6 * kappa if kappa > 0.0 else settings[COMPLEMENTARITY]
    everything = kappa > 0.0
    total = 0.0
    for attempt in range(4):
        if attempt == 0 and not W.warm[0] > 0.0:
            continue
        for _ in range(4):
            choose_contacts(L, P, Q, W, h, everything, settings[MARGIN], h * settings[RECOVERY])
            start_point(L, P, Q, A, W, h, scheme, settings[7 + attempt], kappa, attempt == 0)
            status, count, residual, worst = iterate(
                L, P, Q, A, W, h, scheme, kappa, settings[TOLERANCE], tol_comp, limit if attempt < 3 else 3 * limit,
                attempt == 2, attempt >= 3,
            )  # fmt: skip
            total += count
            if status != SOLVED or everything or left_out_contact(L, P, Q, W, h) == 0:
                break
            everything = True
        report[0], report[1], report[2], report[3] = status, total, residual, worst
        if status == SOLVED:
            return


@stage
def hard_step(L, P, Q, A, W, bodies, angle, rate, force, wrench, h, kappa, settings, report):
    """One step of length h [s] from the state (bodies (nb, 13), angle (nv,), rate (nv,)) under force (nv,) and wrench (nb, 6).

    kappa: 0 for the hard limit, else the central path. report (8,): status, iterations, residual [m/s], complementarity [N m s],
    smallest gap with a plane or body [m], number of substeps. W.xn, W.qn, W.v hold the result. A step that cannot be solved (or
    turns faster than 2/h) is redone as 2, 4, … shorter ones.
    """
    W.force[:] = force
    level = 0
    for b in range(L.mass.shape[0]):
        w = math.sqrt(bodies[b, 10] ** 2 + bodies[b, 11] ** 2 + bodies[b, 12] ** 2)
        while level < settings[SUBDIVISIONS] and w * h > 1.6 * 2.0**level:
            level += 1
    total = 0.0
    report[3] = 0.0
    while True:
        W.sub_bodies[:, :] = bodies
        W.sub_angle[:] = angle
        W.sub_rate[:] = rate
        if level > 0:
            W.warm[0] = 0.0
        parts = 1 << level
        for part in range(parts):
            start_step(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, wrench, h / parts)
            attempts(L, P, Q, A, W, h / parts, kappa, settings, report)
            total += report[1]
            if report[0] != SOLVED:
                break
            keep_impulses(L, P, W)
            if part < parts - 1:
                _next_part(L, W, h / parts)
        if report[0] == SOLVED or level >= settings[SUBDIVISIONS]:
            break
        level += 1
    report[1], report[5] = total, parts
    if report[0] != SOLVED:
        W.warm[0] = 0.0
    gap = math.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    normal = W.scratch[101, 0:3]
    for i in range(Q.kind.shape[0]):
        if not pair_far(Q, i, W.xn, 0.0):
            gap = min(gap, pair_gap(Q, i, W.xn, W.Rn, normal, W.scratch))
    report[4] = gap


@kernel
def _next_part(L, W, h):
    """The state after one part of a subdivided step becomes the start of the next."""
    for b in range(L.mass.shape[0]):
        for i in range(3):
            W.sub_bodies[b, i], W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            W.sub_bodies[b, 6 + i] = W.qn[b, i]
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j < 0:
            continue
        k = L.ndof[j]
        for i in range(k):
            dof = L.vadr[j] + i
            W.sub_rate[dof] = W.rows[n, 6 - k + i]
            W.sub_angle[dof] += h * W.rows[n, 6 - k + i]
