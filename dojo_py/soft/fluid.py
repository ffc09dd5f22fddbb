"""Drag of a medium on each body's equivalent inertia box.

Half-dimensions r_i = sqrt(3 / (2 m) (I_j + I_k - I_i)); with local velocity v and angular velocity w at the centre of mass:
f_i = -2 rho r_j r_k |v_i| v_i - 6 beta pi r v_i,  g_i = -1/2 rho r_i (r_j^4 + r_k^4) |w_i| w_i - 8 beta pi r^3 w_i,  r the mean.
Source: fluid forces chapter, "Inertia model".
"""

import numpy as np

from dojo_py.jit import counted_kernel as kernel


@kernel
def half_dimensions(mb, r):
    """R (3,) [m]: half-sizes of the box with the body's mass and principal inertias."""
    I = mb.inertia
    total = I[0] + I[1] + I[2]
    for k in range(3):
        r[k] = np.sqrt(max(1e-15, total - 2.0 * I[k]) * 1.5 / mb.mass)


@kernel
def local_velocity(b, wind, lvel):
    """Lvel (6,) = [angular 3, linear 3] velocity of the body's centre of mass relative to the wind, in its inertial frame."""
    x, y, z = b.xipos[0] - b.com[0], b.xipos[1] - b.com[1], b.xipos[2] - b.com[2]
    w0, w1, w2 = b.cvel[0], b.cvel[1], b.cvel[2]
    v0 = b.cvel[3] + w1 * z - w2 * y - wind[0]
    v1 = b.cvel[4] + w2 * x - w0 * z - wind[1]
    v2 = b.cvel[5] + w0 * y - w1 * x - wind[2]
    R = b.ximat
    for k in range(3):
        lvel[k] = R[0, k] * w0 + R[1, k] * w1 + R[2, k] * w2
        lvel[3 + k] = R[0, k] * v0 + R[1, k] * v1 + R[2, k] * v2


@kernel
def drag_coefficients(r, density, viscosity, quadratic, linear):
    """Fill quadratic (6,) and linear (6,): wrench_k = -(linear_k + quadratic_k |lvel_k|) lvel_k, torque first."""
    mean = (r[0] + r[1] + r[2]) / 3.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        quadratic[i] = 0.5 * density * r[i] * (r[j] ** 4 + r[k] ** 4)
        quadratic[3 + i] = 2.0 * density * r[j] * r[k]
        linear[i] = 8.0 * np.pi * viscosity * mean**3
        linear[3 + i] = 6.0 * np.pi * viscosity * mean


@kernel
def fluid_forces(m_bodies, rowadr, colind, density, viscosity, wind, bodies, cdof, out):
    """Out (nv,) += drag forces [N, N m] of all bodies."""
    r = np.empty(3)
    lvel = np.empty(6)
    quadratic = np.empty(6)
    linear = np.empty(6)
    f = np.empty(6)
    for n in range(1, len(m_bodies)):
        mb = m_bodies[n]
        if mb.mass < 1e-15 or mb.lastdof < 0:
            continue
        b = bodies[n]
        half_dimensions(mb, r)
        local_velocity(b, wind, lvel)
        drag_coefficients(r, density, viscosity, quadratic, linear)
        R = b.ximat
        for k in range(6):
            lvel[k] = -(linear[k] + quadratic[k] * abs(lvel[k])) * lvel[k]
        for k in range(3):
            f[k] = R[k, 0] * lvel[0] + R[k, 1] * lvel[1] + R[k, 2] * lvel[2]
            f[3 + k] = R[k, 0] * lvel[3] + R[k, 1] * lvel[4] + R[k, 2] * lvel[5]
        x, y, z = b.xipos[0] - b.com[0], b.xipos[1] - b.com[1], b.xipos[2] - b.com[2]
        f[0] += y * f[5] - z * f[4]  # torque about the tree's centre of mass
        f[1] += z * f[3] - x * f[5]
        f[2] += x * f[4] - y * f[3]
        for a in range(rowadr[mb.lastdof], rowadr[mb.lastdof + 1]):
            i = colind[a]
            for k in range(6):
                out[i] += cdof[i, k] * f[k]
