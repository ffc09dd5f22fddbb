"""Forces of a medium on an ellipsoid, in its own axes, at its centre: drag, Magnus and Kutta lift, added mass.

    c = (b²c², c²a², a²b²) of the semi-axes, n = c v, N = n·v, P = n·n, A = π sqrt(P/N): area seen along the velocity v

    drag       -(3π β D + ρ |v| (C_b A + C_s (A_max - A))) v                       D: 2/3 of the sum of the semi-axes
    Kutta      C_K ρ N A / (|v| P) (N v - |v|² n)
    Magnus     C_M ρ V w × v
    torque     -(π β D³ + ρ |m|) w,  m_i = w_i (C_a I_i + C_s (I_max - I_i)),  I_i = 8/15 π a_i max(a_j, a_k)⁴
    added      force p × w, torque p × v + L × w,  p = ρ m_virtual v,  L = ρ I_virtual w        (no part by accelerations)

Source: fluid forces chapter, "Ellipsoid model"; where it is silent, the mujoco wheel.
"""

import math

from dojo_py.jit import kernel

BLUNT, SLENDER, ANGULAR, KUTTA, MAGNUS = range(3, 8)
"""Places in an ellipsoid's numbers (14,): semi-axes 3, these coefficients, virtual masses 3 and moments 3 per density."""
SLOWEST = 1e-40
"""Square of a speed below which nothing is seen of the shape [m²/s²]."""


@kernel
def ellipsoid_wrench(numbers, density, viscosity, v, f, J):
    """f (6,) = force, torque at the local velocity v (6,) = linear, angular; J (6, 6) = df/dv."""
    for i in range(6):
        f[i] = 0.0
        for k in range(6):
            J[i, k] = 0.0
    _added_mass(numbers, density, v, f, J)
    _magnus(numbers, density, v, f, J)
    _drag_and_kutta(numbers, density, viscosity, v, f, J)
    _torque(numbers, density, viscosity, v, f, J)


@kernel
def _add_cross(scale, a, b, da, db, f, J, row, by_a, by_b):
    """f[row:] += scale diag(da) a × diag(db) b with its derivative by a (columns by_a …) and by b (by_b …)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        f[row + i] += scale * (da[j] * a[j] * db[k] * b[k] - da[k] * a[k] * db[j] * b[j])
        J[row + i, by_a + j] += scale * da[j] * db[k] * b[k]
        J[row + i, by_a + k] -= scale * da[k] * db[j] * b[j]
        J[row + i, by_b + k] += scale * da[j] * a[j] * db[k]
        J[row + i, by_b + j] -= scale * da[k] * a[k] * db[j]


@kernel
def _added_mass(numbers, density, v, f, J):
    one = (1.0, 1.0, 1.0)
    mass, inertia = numbers[8:11], numbers[11:14]
    _add_cross(density, v[0:3], v[3:6], mass, one, f, J, 0, 0, 3)
    _add_cross(density, v[0:3], v[0:3], mass, one, f, J, 3, 0, 0)
    _add_cross(density, v[3:6], v[3:6], inertia, one, f, J, 3, 3, 3)


@kernel
def _magnus(numbers, density, v, f, J):
    one = (1.0, 1.0, 1.0)
    volume = 4.0 / 3.0 * math.pi * numbers[0] * numbers[1] * numbers[2]
    _add_cross(numbers[MAGNUS] * density * volume, v[3:6], v[0:3], one, one, f, J, 0, 3, 0)


@kernel
def _drag_and_kutta(numbers, density, viscosity, v, f, J):
    a, b, c = numbers[0], numbers[1], numbers[2]
    c0, c1, c2 = (b * c) ** 2, (c * a) ** 2, (a * b) ** 2
    n0, n1, n2 = c0 * v[0], c1 * v[1], c2 * v[2]
    speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    speed = math.sqrt(speed2)
    along, size = n0 * v[0] + n1 * v[1] + n2 * v[2], n0 * n0 + n1 * n1 + n2 * n2  # N, P
    largest, least = max(a, b, c), min(a, b, c)
    moves = speed2 > SLOWEST
    area = math.pi * math.sqrt(size / along) if moves else 0.0
    widest = math.pi * largest * (a + b + c - largest - least)
    diameter = 2.0 / 3.0 * (a + b + c)
    bulk = area * numbers[BLUNT] + numbers[SLENDER] * (widest - area)
    drag = 3.0 * math.pi * viscosity * diameter + density * speed * bulk
    lift = numbers[KUTTA] * density * along / (speed * size) * area if moves else 0.0
    for i in range(3):
        n = (n0, n1, n2)[i]
        f[i] += lift * (along * v[i] - speed2 * n) - drag * v[i]
        J[i, i] += lift * (along - speed2 * (c0, c1, c2)[i]) - drag
    if not moves:
        return
    for k in range(3):
        ck, nk = (c0, c1, c2)[k], (n0, n1, n2)[k]
        d_along, d_size = 2.0 * nk, 2.0 * ck * nk
        d_area = 0.5 * area * (d_size / size - d_along / along)
        d_drag = density * (v[k] / speed * bulk + speed * d_area * (numbers[BLUNT] - numbers[SLENDER]))
        d_lift = lift * (d_along / along + d_area / area - v[k] / speed2 - d_size / size)
        for i in range(3):
            n = (n0, n1, n2)[i]
            J[i, k] += d_lift * (along * v[i] - speed2 * n) + lift * (v[i] * d_along - 2.0 * n * v[k]) - d_drag * v[i]


@kernel
def _torque(numbers, density, viscosity, v, f, J):
    a, b, c = numbers[0], numbers[1], numbers[2]
    largest, least = max(a, b, c), min(a, b, c)
    unit = 8.0 / 15.0 * math.pi
    most = unit * (a + b + c - largest - least) * largest**4
    k0 = _moment(numbers, most, unit * a * max(b, c) ** 4)
    k1 = _moment(numbers, most, unit * b * max(c, a) ** 4)
    k2 = _moment(numbers, most, unit * c * max(a, b) ** 4)
    m0, m1, m2 = k0 * v[3], k1 * v[4], k2 * v[5]
    norm = math.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    drag = math.pi * viscosity * (2.0 / 3.0 * (a + b + c)) ** 3 + density * norm
    for i in range(3):
        f[3 + i] -= drag * v[3 + i]
        J[3 + i, 3 + i] -= drag
        if norm > 0.0:
            for k in range(3):
                J[3 + i, 3 + k] -= density * v[3 + i] * (k0 * m0, k1 * m1, k2 * m2)[k] / norm


@kernel
def _moment(numbers, most, own):
    return numbers[ANGULAR] * own + numbers[SLENDER] * (most - own)
