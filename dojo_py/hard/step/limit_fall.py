"""By how much gravity accelerates a coordinate towards its limit: an impact that is slower than what it adds in a step is none."""

import math

from dojo_py.algebra.vectors import cross, dot, matrix, minus, plus, row, times, turned
from dojo_py.arrays import scratch, zeros
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.elements.joints.compound import solve_small
from dojo_py.jit import kernel


@kernel
def limit_fall(L, W, l):
    """Acceleration by gravity [rad/s², m/s²] of the coordinate of limit l where the step starts: of what its joint carries, as one
    rigid body about the joint,

        hinge |a·τ|/(a·J a + rotor),   ball |J⁻¹ τ|,   slide |a·f|/(m + rotor)       τ = Σ r × m g, f = Σ m g, J = Σ of inertias

    Of tendons, and of joints that are several in one body, a bound: m g r/I ≤ g √(m/I).
    """
    dof = L.limit_dof[l]
    if dof >= L.dof_joint.shape[0]:
        return L.limit_fall[l] * strongest_gravity(L, L.dof_body[dof])
    j = L.dof_joint[dof]
    top, ball = L.child[j], L.limit_sign[l] == 0.0
    if L.ndof[j] != (3 if ball else 1):
        return L.limit_fall[l] * strongest_gravity(L, top)
    anchor = plus(row(W.x, top), turned(matrix(W.R[top]), row(L.anchor, j)))
    axis = turned(matrix(W.R[top]), row(L.child_axes[j], 0))
    J, f, torque, mass = zeros((3, 3)), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for b in range(top, L.mass.shape[0]):
        if _carries(L, top, b):
            weight, r = times(L.mass[b], row(L.gravity, b)), minus(row(W.x, b), anchor)
            f, torque, mass = plus(f, weight), plus(torque, cross(r, weight)), mass + L.mass[b]
            _add_inertia(L, W, b, r, J)
    rotor = L.dof_armature[dof]
    if L.dof_slide[dof] == 1:
        return abs(dot(axis, f)) / (mass + rotor)
    if not ball:
        about = turned(matrix(J), axis)
        return abs(dot(axis, torque)) / (dot(axis, about) + rotor)
    a = scratch((3, 1))
    for i in range(3):
        J[i, i] += rotor
        a[i, 0] = torque[i]
    solve_small(J, a, 3, 1)
    return math.sqrt(a[0, 0] ** 2 + a[1, 0] ** 2 + a[2, 0] ** 2)


@kernel
def _carries(L, top, b):
    """Whether body b is `top` or one that it carries. (Bodies come after their parents; joint b is that of body b.)"""
    while b > top:
        b = L.parent[b]
    return b == top


@kernel
def _add_inertia(L, W, b, r, J):
    """J (3, 3) += inertia of body b about a point, world axes; r (3,): its centre of mass seen from there."""
    R, square = W.R[b], dot(r, r)
    for i in range(3):
        for k in range(3):
            total = (L.mass[b] * square if i == k else 0.0) - L.mass[b] * r[i] * r[k]
            for m in range(3):
                for n in range(3):
                    total += R[i, m] * L.inertia[b, m, n] * R[k, n]
            J[i, k] += total
