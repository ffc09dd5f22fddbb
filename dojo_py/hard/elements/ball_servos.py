"""Servos about an axis of a ball joint in a hard step, taken implicitly: each is one force along three coordinates.

    impulse h a F along the joint's rates,      F = b₀ + b₁ l̄ + b₂ a·Δ/h, in its range
    l̄ = (1 - γ) l + γ l₊,   l = g·log q         ∂l₊/∂(Δ/h) = h gᵀ Jr⁻¹(log q₊) Jr(Δ)

g: gear; a: its axis in the child where the step starts, g itself or, where it is given in the parent's axes, Rᵀ g. q, q₊: the
joint's orientation where the step starts and where it ends; Δ = log(q* ⊗ q₊). Lengths do not jump at half a turn within a step:
log q is at most π long, log q₊ continues it.

γ: ½ where springs are "midpoint", 1 "implicit", 0 "explicit". (Not the mean of three lengths that hinges take: forces along the
components of a rotation vector have no potential. Where servos hold a ball at r they follow its rotation φ by -kp (φ + ½ r × φ),
and the mean of three lets stiff ones oscillate, measured 2 to 5 % more in every step for kp h²/J > 10 at |r| = 1. The mean of two
damps by kp h/2.)
"""

from dojo_py.actuation.force import clamp
from dojo_py.algebra.quaternions import inverse_jacobian, logarithm, product, quaternion
from dojo_py.algebra.rotations import exp_jacobian, quat_exp, quat_to_matrix
from dojo_py.algebra.vectors import along, dot, matrix, times, turned_back
from dojo_py.arrays import scratch
from dojo_py.hard.elements.dof_rows import IMPLICIT, MIDPOINT, has_vector_spring, not_across, vector_springs
from dojo_py.hard.islands import NODES, in_span
from dojo_py.jit import kernel


@kernel
def has_vector_law(L, A, j):
    """Whether joint j has a ball, or is a free joint, with a spring, or a ball with a servo."""
    if has_vector_spring(L, j):
        return True
    for k in range(A.ball_joint.shape[0]):
        if A.ball_joint[k] == j:
            return True
    return False


@kernel
def evaluate_vector_laws(L, W, A, h):
    """`vector_laws` of all joints of the islands in W.span."""
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, m]]
        if j >= 0 and L.rotation[j] >= 0:
            vector_laws(L, W, A, j, h)


@kernel
def vector_laws(L, W, A, j, h):
    """W.pull[j] of `vector_springs` with the joint's servos in it. h < 0: they do nothing (`dof_law`)."""
    vector_springs(L, W, j, h)
    for k in range(A.ball_joint.shape[0] if h > 0.0 else 0):
        if A.ball_joint[k] != j:
            continue
        force, slope, axis = _bounded_force(L, W, A, k, h, h)
        row = L.dof_row[A.ball_dof[k]]
        for i in range(3):
            W.pull[j, row + i, 3] -= h * axis[i] * force
            for m in range(3):
                W.pull[j, row + i, m] -= h * axis[i] * slope[m]


@kernel
def ball_force(L, W, A, k, h, step):
    """(force of servo k in its range, its axis) over h [s], an interval that ends where the solved step of length `step` does."""
    force, _, axis = _bounded_force(L, W, A, k, h, step)
    return force, axis


@kernel
def inside_ball_ranges(L, W, A, h, alpha):
    """`inside_servo_ranges` (step_bounds.py) of servos of balls."""
    for k in range(A.ball_joint.shape[0]):
        dof, lower, upper = A.ball_dof[k], A.ball_range[k, 0], A.ball_range[k, 1]
        if in_span(W, L.dof_body[dof]):
            here, slope, _ = _force(L, W, A, k, h, h)
            change = dot(slope, (W.drate[dof], W.drate[dof + 1], W.drate[dof + 2]))
            alpha = not_across(alpha, here, change, lower, upper)
    return alpha


@kernel
def _bounded_force(L, W, A, k, h, step):
    """`_force`, moved into its range."""
    force, slope, axis = _force(L, W, A, k, h, step)
    lower, upper = A.ball_range[k, 0], A.ball_range[k, 1]
    if lower <= force <= upper:
        return force, slope, axis
    return clamp(force, lower, upper), (0.0, 0.0, 0.0), axis


@kernel
def _force(L, W, A, k, h, step):
    """(F of servo k before it is bounded, ∂F/∂(Δ/h), a). h, step: see `ball_force`."""
    j, dof = A.ball_joint[k], A.ball_dof[k]
    n, row = L.node[j], L.dof_row[dof]
    rate = times(step / h, (W.rows[n, row], W.rows[n, row + 1], W.rows[n, row + 2]))
    gear = (A.ball_gear[k, 0], A.ball_gear[k, 1], A.ball_gear[k, 2])
    q = _from_reference(W.turn0[j])
    axis = gear
    if A.ball_in_parent[k]:
        R = scratch((3, 3))
        quat_to_matrix(W.turn0[j], R)
        axis = turned_back(matrix(R), gear)
    after = logarithm(_turned(q, times(h, rate)))
    share = _share_of_end(W.options.springs)
    length = (1.0 - share) * dot(gear, logarithm(q)) + share * dot(gear, after)
    b0, b1, b2 = A.ball_law[k, 0], A.ball_law[k, 1], A.ball_law[k, 2]
    force = b0 + b1 * length + b2 * dot(axis, rate)
    return force, along(times(b2, axis), b1 * share * h, _by_turn(gear, after, times(h, rate))), axis


@kernel
def _share_of_end(scheme):
    """γ of the option `springs`."""
    return 0.5 if scheme == MIDPOINT else 1.0 if scheme == IMPLICIT else 0.0


@kernel
def _from_reference(q):
    """The quaternion q (4,) or -q as four numbers: the one that the shorter rotation leads to."""
    sign = 1.0 if q[0] >= 0.0 else -1.0
    return sign * q[0], sign * q[1], sign * q[2], sign * q[3]


@kernel
def _turned(q, vector):
    """q ⊗ exp(vector)."""
    v, e = scratch(3), scratch(4)
    v[0], v[1], v[2] = vector
    quat_exp(v, 1.0, e)
    return product(q, quaternion(e))


@kernel
def _by_turn(gear, after, turn):
    """gᵀ Jr⁻¹(log q₊) Jr(Δ). after: log q₊; turn: Δ."""
    v, J = scratch(3), scratch((3, 3))
    v[0], v[1], v[2] = turn
    exp_jacobian(v, J)
    return turned_back(matrix(J), turned_back(inverse_jacobian(after, 1.0), gear))
