"""Momentum rows of a body over one step, and the pose they lead to.

m v - m v₋ - h m g - h f - impulses = 0                                                        [N s]
s(ω) Jω + (h/2) ω × Jω - (s(ω₋) Jω₋ - (h/2) ω₋ × Jω₋) - h τ - angular impulses = 0             [N m s], body frame
s(ω) = sqrt(1 - h²|ω|²/4)                                                   (Dojo, eq. 16-17, the latter times 2/h)
"""

import math

from dojo_py.algebra.rotations import quat_mul, quat_normalise, quat_to_matrix, step_quaternion, step_tangent
from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH


@kernel
def next_pose(W, b, h):
    """Pose of body b after a step h [s] at the velocities W.v (Dojo, eq. 18, 48), its quaternion, tangent hΓ and rotation."""
    for i in range(3):
        W.xn[b, i] = W.x[b, i] + h * W.v[b, i]
    step_quaternion(W.v[b, 3:6], h, W.p[b])
    quat_mul(W.q[b], W.p[b], W.qn[b])
    quat_normalise(W.qn[b])
    quat_to_matrix(W.qn[b], W.Rn[b])
    quat_to_matrix(W.p[b], W.turn[b])
    step_tangent(W.p[b], W.hG[b])
    for i in range(3):
        for j in range(3):
            W.hG[b, i, j] *= h


@kernel
def kinetic_energy(L, b, v):
    """Kinetic energy of body b at the velocity v (6,) [J]."""
    J, total = L.inertia[b], 0.0
    for i in range(3):
        total += 0.5 * L.mass[b] * v[i] * v[i]
        for j in range(3):
            total += 0.5 * v[3 + i] * J[i, j] * v[3 + j]
    return total


@kernel
def pose_by_motion(W, b, h):
    """W.moves of body b: its next pose, δx₊ = h δv and δθ₊ = R₊ hΓ δω, by its velocities."""
    R, G, out = W.Rn[b], W.hG[b], W.moves[b]
    for i in range(3):
        out[i, i] = h
        for k in range(3):
            out[3 + i, 3 + k] = R[i, 0] * G[0, k] + R[i, 1] * G[1, k] + R[i, 2] * G[2, k]


@kernel
def old_momentum(mass, J, v, h, out):
    """out (6,) = momentum of the last interval at its end: m v₋ and s Jω₋ - (h/2) ω₋ × Jω₋ (body frame).

    J (3, 3): inertia, v (6,): velocities (v, ω) of the last interval.
    """
    w0, w1, w2 = v[3], v[4], v[5]
    s = math.sqrt(max(1.0 - 0.25 * h * h * (w0 * w0 + w1 * w1 + w2 * w2), 0.0))
    l0 = J[0, 0] * w0 + J[0, 1] * w1 + J[0, 2] * w2
    l1 = J[1, 0] * w0 + J[1, 1] * w1 + J[1, 2] * w2
    l2 = J[2, 0] * w0 + J[2, 1] * w1 + J[2, 2] * w2
    k = 0.5 * h
    for i in range(3):
        out[i] = mass * v[i]
    out[3] = s * l0 - k * (w1 * l2 - w2 * l1)
    out[4] = s * l1 - k * (w2 * l0 - w0 * l2)
    out[5] = s * l2 - k * (w0 * l1 - w1 * l0)


@kernel
def momentum_rows(mass, J, v, h, r, D):
    """r (6,) = momentum of the new interval at its start (Dojo, eq. 16-17), D (6, 8) = its derivative by v (6,); J (3, 3)."""
    w0, w1, w2 = v[3], v[4], v[5]
    s = math.sqrt(max(1.0 - 0.25 * h * h * (w0 * w0 + w1 * w1 + w2 * w2), 1e-12))
    l0 = J[0, 0] * w0 + J[0, 1] * w1 + J[0, 2] * w2
    l1 = J[1, 0] * w0 + J[1, 1] * w1 + J[1, 2] * w2
    l2 = J[2, 0] * w0 + J[2, 1] * w1 + J[2, 2] * w2
    k = 0.5 * h
    for i in range(3):
        r[i] = mass * v[i]
        for j in range(WIDTH):
            D[i, j] = 0.0
            D[3 + i, j] = 0.0
        D[i, i] = mass
    r[3] = s * l0 + k * (w1 * l2 - w2 * l1)
    r[4] = s * l1 + k * (w2 * l0 - w0 * l2)
    r[5] = s * l2 + k * (w0 * l1 - w1 * l0)
    # s J + (Jω) (∂s/∂ω)ᵀ + (h/2) ([ω]x J - [Jω]x),   ∂s/∂ω = -h² ω / (4 s)
    f = -0.25 * h * h / s
    for j in range(3):
        w = f * (w0 if j == 0 else (w1 if j == 1 else w2))
        D[3, 3 + j] = s * J[0, j] + l0 * w + k * (w1 * J[2, j] - w2 * J[1, j])
        D[4, 3 + j] = s * J[1, j] + l1 * w + k * (w2 * J[0, j] - w0 * J[2, j])
        D[5, 3 + j] = s * J[2, j] + l2 * w + k * (w0 * J[1, j] - w1 * J[0, j])
    D[3, 4] += k * l2
    D[3, 5] -= k * l1
    D[4, 3] -= k * l2
    D[4, 5] += k * l0
    D[5, 3] += k * l1
    D[5, 4] -= k * l0


@kernel
def spin_of_momentum(J, momentum, h, w):
    """w (3,) = angular velocity over an interval h whose angular momentum at its end is momentum[3:6], body frame [rad/s].

    J (3, 3): inertia [kg m²]; momentum (6,) [N s, N m s].

    By Newton's method from w. The shorter the interval, the larger the momenta for which there is such a velocity.
    """
    now, slope, v = scratch(6), scratch((6, WIDTH)), scratch(6)
    for i in range(3):
        v[i], v[3 + i] = 0.0, w[i]
    for _ in range(30):
        momentum_rows(0.0, J, v, -h, now, slope)
        r0, r1, r2 = momentum[3] - now[3], momentum[4] - now[4], momentum[5] - now[5]
        a, b, c = slope[3, 3], slope[3, 4], slope[3, 5]
        d, e, f = slope[4, 3], slope[4, 4], slope[4, 5]
        g, k, m = slope[5, 3], slope[5, 4], slope[5, 5]
        inv = 1.0 / (a * (e * m - f * k) - b * (d * m - f * g) + c * (d * k - e * g))
        x0 = inv * ((e * m - f * k) * r0 + (c * k - b * m) * r1 + (b * f - c * e) * r2)
        x1 = inv * ((f * g - d * m) * r0 + (a * m - c * g) * r1 + (c * d - a * f) * r2)
        x2 = inv * ((d * k - e * g) * r0 + (b * g - a * k) * r1 + (a * e - b * d) * r2)
        v[3] += x0
        v[4] += x1
        v[5] += x2
        if abs(x0) + abs(x1) + abs(x2) <= 1e-15 * (abs(v[3]) + abs(v[4]) + abs(v[5])):
            break
    if math.isfinite(v[3] + v[4] + v[5]):
        w[0], w[1], w[2] = v[3], v[4], v[5]


@kernel
def velocity_of_impulse(mass, mobility, B):
    """Velocity along an impulse that a unit of it gives a body alone, 1/m + tᵀ J⁻¹ t [1/kg].

    B (8,): the impulse's direction and its torque t about the centre of mass, body frame; mobility (3, 3): J⁻¹.
    """
    velocity = 1.0 / mass
    for i in range(3):
        for k in range(3):
            velocity += B[3 + i] * mobility[i, k] * B[3 + k]
    return velocity


@kernel
def relative_pose(xa, Ra, xb, Rb, E, d):
    """E (3, 3) = Raᵀ Rb, d (3,) = Raᵀ (xb - xa): body b seen from body a. xa, xb (3,) [m]; Ra, Rb (3, 3)."""
    d0, d1, d2 = xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]
    for i in range(3):
        d[i] = Ra[0, i] * d0 + Ra[1, i] * d1 + Ra[2, i] * d2
        for j in range(3):
            E[i, j] = Ra[0, i] * Rb[0, j] + Ra[1, i] * Rb[1, j] + Ra[2, i] * Rb[2, j]


@kernel
def strongest_gravity(L, b):
    """Largest entry of the acceleration of body b by gravity [m/s²]; 0 for the world."""
    return max(abs(L.gravity[b, 0]), abs(L.gravity[b, 1]), abs(L.gravity[b, 2])) if b >= 0 else 0.0
