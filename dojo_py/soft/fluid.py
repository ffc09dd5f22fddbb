"""Forces of a medium along joint coordinates, and their derivative by the rates: a body is its inertia box, or its ellipsoids.

A body with a geom of fluidshape "ellipsoid" is made of such geoms only; any other body is its inertia box (dojo_py/fluid).
"""

from dojo_py.arrays import scratch
from dojo_py.fluid.box import box_coefficients, box_wrench, half_dimensions
from dojo_py.fluid.ellipsoid import ellipsoid_wrench
from dojo_py.jit import kernel


@kernel
def local_velocity(b, x, R, wind, v):
    """v (6,) = linear, angular velocity of the point x (3,) of body b relative to the wind, in the axes of R (3, 3)."""
    d0, d1, d2 = x[0] - b.com[0], x[1] - b.com[1], x[2] - b.com[2]
    w0, w1, w2 = b.cvel[0], b.cvel[1], b.cvel[2]
    v0 = b.cvel[3] + w1 * d2 - w2 * d1 - wind[0]
    v1 = b.cvel[4] + w2 * d0 - w0 * d2 - wind[1]
    v2 = b.cvel[5] + w0 * d1 - w1 * d0 - wind[2]
    for k in range(3):
        v[k] = R[0, k] * v0 + R[1, k] * v1 + R[2, k] * v2
        v[3 + k] = R[0, k] * w0 + R[1, k] * w1 + R[2, k] * w2


@kernel
def velocity_row(cdof, com, x, R, k, column, row):
    """row[column] = local velocity k of the point x (3,) in the axes R (3, 3) by one dof: cdof (6,) about com (3,)."""
    d0, d1, d2 = x[0] - com[0], x[1] - com[1], x[2] - com[2]
    c = k % 3
    if k >= 3:
        row[column] = R[0, c] * cdof[0] + R[1, c] * cdof[1] + R[2, c] * cdof[2]
        return
    row[column] = (
        R[0, c] * (cdof[3] + cdof[1] * d2 - cdof[2] * d1)
        + R[1, c] * (cdof[4] + cdof[2] * d0 - cdof[0] * d2)
        + R[2, c] * (cdof[5] + cdof[0] * d1 - cdof[1] * d0)
    )


@kernel
def _add_force(m, pose, mb, com, x, R, f, out):
    """out (nv,) += the local wrench f (6,) at x on the body mb."""
    row = scratch(1)
    for a in range(m.M_rowadr[mb.lastdof], m.M_rowadr[mb.lastdof + 1]):
        i = m.M_colind[a]
        for k in range(6):
            velocity_row(pose.cdof[i], com, x, R, k, 0, row)
            out[i] += row[0] * f[k]


@kernel
def has_ellipsoids(m, mb):
    """Whether a geom of the body is an ellipsoid to the medium."""
    for g in range(mb.geomadr, mb.geomadr + mb.geomnum):
        if m.geoms[g].fluid[0] > 0.0:
            return True
    return False


@kernel
def ellipsoid_numbers(g, out):
    """out (14,): numbers of fluid/ellipsoid.py for a geom's record, all forces scaled by its interaction coefficient."""
    for k in range(3):
        out[k] = g.semiaxes[k]
    for k in range(11):
        out[3 + k] = g.fluid[1 + k]


@kernel
def _box_wrench(m, mb, b, v, f, J):
    """Local velocity v (6,), wrench f (6,) and its slope J (6, 6) of the box that stands for body b, of the record mb."""
    opt, r, numbers = m.options[0], scratch(3), scratch(12)
    half_dimensions(mb.mass, mb.inertia, r)
    box_coefficients(r, opt.density, opt.viscosity, numbers)
    local_velocity(b, b.xipos, b.ximat, opt.wind, v)
    box_wrench(numbers, v, f, J)


@kernel
def fluid_forces(m, pose, out):
    """out (nv,) += forces of the medium [N, N m] on all bodies."""
    opt = m.options[0]
    v, f, J, numbers = scratch(6), scratch(6), scratch((6, 6)), scratch(14)
    for n in range(1, len(m.bodies)):
        mb = m.bodies[n]
        if mb.mass < 1e-15 or mb.lastdof < 0:
            continue
        b = pose.bodies[n]
        if not has_ellipsoids(m, mb):
            _box_wrench(m, mb, b, v, f, J)
            _add_force(m, pose, mb, b.com, b.xipos, b.ximat, f, out)
            continue
        for g in range(mb.geomadr, mb.geomadr + mb.geomnum):
            if m.geoms[g].fluid[0] == 0.0:
                continue
            ellipsoid_numbers(m.geoms[g], numbers)
            x, R = pose.geoms[g].xpos, pose.geoms[g].xmat
            local_velocity(b, x, R, opt.wind, v)
            ellipsoid_wrench(numbers, opt.density, opt.viscosity, v, f, J)
            for k in range(6):
                f[k] *= m.geoms[g].fluid[0]
            _add_force(m, pose, mb, b.com, x, R, f, out)


@kernel
def _add_product(m, pose, mb, com, x, R, J, rows, D):
    """D (nC,) += symmetric part of rowsᵀ J rows in the pattern of M; rows (6, nv): local velocities by the rates."""
    first, last = m.M_rowadr[mb.lastdof], m.M_rowadr[mb.lastdof + 1]
    for a in range(first, last):
        i = m.M_colind[a]
        for k in range(6):
            velocity_row(pose.cdof[i], com, x, R, k, i, rows[k])
    for a in range(first, last):
        i = m.M_colind[a]
        for e in range(m.M_rowadr[i], m.M_rowadr[i + 1]):
            j = m.M_colind[e]
            for k in range(6):
                for l in range(6):
                    slope = 0.5 * (J[k, l] + J[l, k])
                    if slope != 0.0:
                        D[e] += slope * rows[k, i] * rows[l, j]


@kernel
def add_fluid(m, pose, rows, D):
    """D (nC,) += symmetric derivative of the medium's forces by the rates. rows: work (6, nv)."""
    v, f, J, numbers = scratch(6), scratch(6), scratch((6, 6)), scratch(14)
    for n in range(1, len(m.bodies)):
        mb = m.bodies[n]
        if mb.mass < 1e-15 or mb.lastdof < 0:
            continue
        b = pose.bodies[n]
        if not has_ellipsoids(m, mb):
            _box_wrench(m, mb, b, v, f, J)
            _add_product(m, pose, mb, b.com, b.xipos, b.ximat, J, rows, D)
            continue
        for g in range(mb.geomadr, mb.geomadr + mb.geomnum):
            if m.geoms[g].fluid[0] != 0.0:
                _ellipsoid_slope(m, pose, b, g, numbers, v, f, J)
                _add_product(m, pose, mb, b.com, pose.geoms[g].xpos, pose.geoms[g].xmat, J, rows, D)


@kernel
def _ellipsoid_slope(m, pose, b, g, numbers, v, f, J):
    """J (6, 6) of geom g on body b, scaled by its interaction coefficient."""
    opt = m.options[0]
    ellipsoid_numbers(m.geoms[g], numbers)
    local_velocity(b, pose.geoms[g].xpos, pose.geoms[g].xmat, opt.wind, v)
    ellipsoid_wrench(numbers, opt.density, opt.viscosity, v, f, J)
    for k in range(6):
        for l in range(6):
            J[k, l] *= m.geoms[g].fluid[0]


@kernel
def add_asymmetric(m, pose, scale, rows, dof, count, A):
    """A (count, count) += scale times the other part of that derivative, which lift and added mass have, of the bodies whose
    last dof is one of `count` dofs from `dof` on, which contain all that move them. rows: work (6, nv).
    """
    v, f, J, numbers = scratch(6), scratch(6), scratch((6, 6)), scratch(14)
    for n in range(1, len(m.bodies)):
        mb = m.bodies[n]
        if mb.mass < 1e-15 or not dof <= mb.lastdof < dof + count or not has_ellipsoids(m, mb):
            continue
        b = pose.bodies[n]
        first, last = m.M_rowadr[mb.lastdof], m.M_rowadr[mb.lastdof + 1]
        for g in range(mb.geomadr, mb.geomadr + mb.geomnum):
            if m.geoms[g].fluid[0] == 0.0:
                continue
            _ellipsoid_slope(m, pose, b, g, numbers, v, f, J)
            for a in range(first, last):
                i = m.M_colind[a]
                for k in range(6):
                    velocity_row(pose.cdof[i], b.com, pose.geoms[g].xpos, pose.geoms[g].xmat, k, i, rows[k])
            for a in range(first, last):
                i = m.M_colind[a]
                for e in range(first, last):
                    j = m.M_colind[e]
                    for k in range(6):
                        for l in range(6):
                            A[i - dof, j - dof] += 0.5 * scale * (J[k, l] - J[l, k]) * rows[k, i] * rows[l, j]
