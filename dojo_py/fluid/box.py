"""Drag on a body's equivalent inertia box, in its inertial axes, at its centre of mass.

Half-dimensions r_i = sqrt(3 / (2 m) (I_j + I_k - I_i)); with local velocity v and angular velocity w:
f_i = -2 rho r_j r_k |v_i| v_i - 6 beta pi r v_i,  g_i = -1/2 rho r_i (r_j^4 + r_k^4) |w_i| w_i - 8 beta pi r^3 w_i,  r the mean.
Source: fluid forces chapter, "Inertia model".
"""

import math

from dojo_py.jit import entry, kernel


@kernel
def half_dimensions(mass, inertia, r):
    """r (3,) [m]: half-sizes of the box with this mass [kg] and these principal moments, inertia (3,) [kg m²]."""
    total = inertia[0] + inertia[1] + inertia[2]
    for k in range(3):
        r[k] = math.sqrt(max(1e-15, total - 2.0 * inertia[k]) * 1.5 / mass)


@kernel
def box_coefficients(r, density, viscosity, out):
    """out (12,): quadratic 3 + 3, then linear 3 + 3 coefficients of the drag, force first. r (3,): half sizes [m]."""
    mean = (r[0] + r[1] + r[2]) / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = 2.0 * density * r[j] * r[k]
        out[3 + i] = 0.5 * density * r[i] * (r[j] ** 4 + r[k] ** 4)
        out[6 + i] = 6.0 * math.pi * viscosity * mean
        out[9 + i] = 8.0 * math.pi * viscosity * mean**3


@kernel
def box_wrench(numbers, v, f, J):
    """f (6,) = force, torque at the local velocity v (6,) = linear, angular; J (6, 6) = df/dv. numbers (12,): box_coefficients."""
    for i in range(6):
        speed = abs(v[i])
        f[i] = -(numbers[6 + i] + numbers[i] * speed) * v[i]
        for k in range(6):
            J[i, k] = 0.0
        J[i, i] = -(numbers[6 + i] + 2.0 * numbers[i] * speed)


@entry
def box_numbers(mass, inertia, density, viscosity, half, out):
    """`box_coefficients` of a body, for callers in Python. half: work (3,)."""
    half_dimensions(mass, inertia, half)
    box_coefficients(half, density, viscosity, out)
