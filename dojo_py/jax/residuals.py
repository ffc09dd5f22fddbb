"""The residuals of one hard step, written plainly in jnp from the equations: the reference of the kernels' Jacobian blocks.

Unknowns: each body's velocity (v, ω) over the step. v: world [m/s]; ω: body [rad/s]; next poses follow from them:

    x₊ = x + h v,    q₊ = q ⊗ φ(ω),    φ(ω) = (sqrt(1 - h²|ω|²/4), h ω/2)                               (Dojo, eq. 18)

Symbols: docs/notation.md. Sources: Dojo, section IV; rows of joints as documented in dojo_py/hard/joints. One body, joint or
contact a function; `jax.vmap` for more. A pose is (x (3,), q (4,)), a velocity (6,) = [v, ω]; the world's is (0, identity), 0.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

Pose = tuple[Array, Array]
"""Position (3,) [m] and unit quaternion (4,), body to world."""

# rotations


def multiply(a: Array, b: Array) -> Array:
    """a ⊗ b, both (4,)."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return jnp.concatenate([scalar[None], a[0] * b[1:] + b[0] * a[1:] + jnp.cross(a[1:], b[1:])])


def conjugate(q: Array) -> Array:
    """The inverse of a unit quaternion (4,)."""
    return jnp.concatenate([q[:1], -q[1:]])


def matrix(q: Array) -> Array:
    """(3, 3) rotation matrix of a unit quaternion (4,)."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * jnp.eye(3) + 2.0 * jnp.outer(v, v) + 2.0 * w * skew(v)


def skew(v: Array) -> Array:
    """The matrix (3, 3) of v × …, v (3,)."""
    return jnp.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def exponential(vector: Array) -> Array:
    """Unit quaternion (4,) of a rotation vector (3,) [rad]."""
    square = vector @ vector
    small = square < 1e-8
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    factor = jnp.where(small, 0.5 - square / 48.0, jnp.sin(0.5 * angle) / angle)
    cosine = jnp.where(small, 1.0 - square / 8.0 + square * square / 384.0, jnp.cos(0.5 * angle))
    return jnp.concatenate([cosine[None], factor * vector])


def logarithm(q: Array) -> Array:
    """Rotation vector (3,) [rad], of length at most π, of a unit quaternion (4,)."""
    q = jnp.where(q[0] < 0.0, -q, q)
    square = q[1:] @ q[1:]
    small = square < 1e-8
    sine = jnp.sqrt(jnp.where(small, 1.0, square))
    # 2 asin(s)/s: series where the quotient is 0/0, so that derivatives exist there too
    factor = jnp.where(small, 2.0 + square / 3.0 + 0.15 * square * square, 2.0 * jnp.arctan2(sine, q[0]) / sine)
    return factor * q[1:]


def step_quaternion(w: Array, h: float) -> Array:
    """φ(ω) (4,): the rotation of a step h [s] at ω (3,)."""
    half = 0.5 * h * w
    return jnp.concatenate([jnp.sqrt(1.0 - half @ half)[None], half])


def next_pose(pose: Pose, velocity: Array, h: float) -> Pose:
    """The pose after a step h [s]."""
    return pose[0] + h * velocity[:3], multiply(pose[1], step_quaternion(velocity[3:], h))


# bodies


def momentum(mass: Array, inertia: Array, velocity: Array, h: float) -> Array:
    """(6,) momentum of an interval at its start: m v [N s], s(ω) Jω + (h/2) ω × Jω [N m s, body]; inertia (3, 3).

    At the interval's end it is the same with -h: s(ω) Jω - (h/2) ω × Jω                                (Dojo, eq. 17)
    """
    w = velocity[3:]
    spin = inertia @ w
    angular = jnp.sqrt(1.0 - 0.25 * h * h * (w @ w)) * spin + 0.5 * h * jnp.cross(w, spin)
    return jnp.concatenate([mass * velocity[:3], angular])


def momentum_rows(
    mass: Array, inertia: Array, velocity: Array, old: Array, pose: Pose, force: Array, impulses: Array, h: float
) -> Array:
    """(6,) residual of a body: momentum after - before - h force - impulses. [N s, N m s]

    old (6,): velocity of the last interval. force (6,): force and torque, world, gravity included [N, N m]. impulses (6,): of
    joints and contacts, torques in the body frame at the start.
    """
    push = jnp.concatenate([force[:3], matrix(pose[1]).T @ force[3:]])
    return momentum(mass, inertia, velocity, h) - momentum(mass, inertia, old, -h) - h * push - impulses


# joints: five constraint rows or fewer, then the displacement of each coordinate since the start of the step; over h


def relative_pose(a: Pose, b: Pose) -> tuple[Array, Array, Array]:
    """(E (3, 3), d (3,), q (4,)): body b seen from body a."""
    R = matrix(a[1])
    return R.T @ matrix(b[1]), R.T @ (b[0] - a[0]), multiply(conjugate(a[1]), b[1])


def hinge_rows(a: Pose, b: Pose, anchors: Array, frame: Array, child: Array, start: float) -> Array:
    """(6,) anchors meet 0-2 [m], axis against its normals 3-4, turn since the start 5 [rad].

    anchors (2, 3): in parent and child. frame, child (3, 3): rows axis, two normals, in parent and child. start: angle at the
    start of the step [rad].
    """
    E, d, _ = relative_pose(a, b)
    cosine, sine = frame[1] @ E @ child[1], frame[2] @ E @ child[1]
    c, s = jnp.cos(start), jnp.sin(start)
    turn = jnp.arctan2(sine * c - cosine * s, cosine * c + sine * s)
    return jnp.concatenate([d + E @ anchors[1] - anchors[0], frame[1:] @ E @ child[0], turn[None]])


def slide_rows(a: Pose, b: Pose, anchors: Array, frame: Array, child: Array, start: float) -> Array:
    """(6,) anchor off the axis 0-1 [m], turned directions 2-4, displacement 5 [m]; arguments as in `hinge_rows`."""
    E, d, _ = relative_pose(a, b)
    offset = frame @ (d + E @ anchors[1] - anchors[0])
    turned = jnp.array([frame[1] @ E @ child[0], frame[2] @ E @ child[1], frame[0] @ E @ child[2]])
    return jnp.concatenate([offset[1:], turned, (offset[0] - start)[None]])


def ball_rows(a: Pose, b: Pose, anchors: Array, start: Array) -> Array:
    """(6,) anchors meet 0-2 [m], rotation vector since the start 3-5 [rad], child's frame. start (4,): q_a* ⊗ q_b then."""
    E, d, q = relative_pose(a, b)
    return jnp.concatenate([d + E @ anchors[1] - anchors[0], logarithm(multiply(conjugate(start), q))])


def free_rows(a: Pose, b: Pose, com: Array, origin: Array, start: Array) -> Array:
    """(6,) displacement of the body frame's origin 0-2 [m, world], rotation vector 3-5 [rad]. com, origin (3,), start (4,).

    com: centre of mass in the body; origin, start: origin and orientation at the start of the step.
    """
    E, d, q = relative_pose(a, b)
    return jnp.concatenate([d - E @ com - origin, logarithm(multiply(conjugate(start), q))])


# limits


def limit_distance(angle: Array, bound: float, sign: float) -> Array:
    """Distance of a hinge or slide to its bound: sign +1 lower, -1 upper bound [rad or m]."""
    return sign * (angle - bound)


def ball_limit_distance(quaternion: Array, bound: float) -> Array:
    """Distance of a ball joint's rotation (4,) from the greatest angle allowed [rad], without a kink at no rotation."""
    r = logarithm(quaternion)
    return 0.5 * (bound - r @ r / bound)


# contact with a plane


def touching_point(normal: Array, centre: Array, curved: Array, shape: Array) -> Array:
    """(3,) the lowest point of an ellipsoid, p_c - M n / sqrt(nᵀ M n), for the plane's normal (3,) in the body; p_c where M = 0."""
    return centre - shape @ normal / jnp.sqrt(jnp.where(curved, normal @ shape @ normal, 1.0))


def plane_contact_rows(
    pose: Pose, velocity: Array, normal: Array, tangents: Array, offset: float, point: dict[str, Array], h: float
) -> Array:
    """(3,) gap at the end of the step [m] and slip along the tangents [m/s]. normal (3,), tangents (2, 3): world.

    Slip: how far the point of the body behind the contact moves in the step, over h; what is round about it rolls, an ellipsoid
    in the middle of the step.

    point: centre (3,), radius; curved: whether it is an ellipsoid of this shape (3, 3), else zeros.
    """
    x, q = next_pose(pose, velocity, h)
    R, arm = contact_arm(q, normal, point)
    gap = normal @ (x + R @ arm) - offset
    moved = velocity[:3] + (R - matrix(pose[1])) @ point["centre"] / h
    end, pushed = rolling_arms(pose, q, normal, point)
    return jnp.concatenate([gap[None], tangents @ (moved + jnp.cross(R @ velocity[3:], 0.5 * (end + pushed)))])


def plane_contact_impulse(
    pose: Pose, velocity: Array, normal: Array, tangents: Array, point: dict[str, Array], h: float, impulse: Array
) -> Array:
    """(6,) what the impulse (γ, ξ₂, ξ₃) [N s] does to the body: F = γ n + Tᵀ ξ and its torque in the frame at the start.

    It acts where the point of the body behind the contact is at the start, on what rolls there.
    """
    _, q = next_pose(pose, velocity, h)
    force = impulse[0] * normal + impulse[1:] @ tangents
    lever = matrix(pose[1]) @ point["centre"] + rolling_arms(pose, q, normal, point)[1]
    return jnp.concatenate([force, matrix(pose[1]).T @ jnp.cross(lever, force)])


def rolling_arms(pose: Pose, q: Array, normal: Array, point: dict[str, Array]) -> tuple[Array, Array]:
    """(ρ, ρ') of what rolls about the point behind a contact, world axes [m]: hard/elements/rolling_arms.py. q: at the end.

    ρ' = ρ - w (ρ - ρ₀),  w = 1 - x² (3 - 2 x),  x = |ρ - ρ₀|²/(a² + b² + c²) up to 1;  of a ball ρ' = ρ.
    """
    (R0, arm0), (R, arm) = contact_arm(pose[1], normal, point), contact_arm(q, normal, point)
    start, end = R0 @ (arm0 - point["centre"]), R @ (arm - point["centre"])
    way = end - start
    x = jnp.minimum(way @ way / jnp.where(point["curved"], jnp.trace(point["shape"]), 1.0), 1.0)
    return end, end - jnp.where(point["curved"], 1.0 - x * x * (3.0 - 2.0 * x), 0.0) * way


def contact_arm(q: Array, normal: Array, point: dict[str, Array]) -> tuple[Array, Array]:
    """(R, arm (3,)): the point that touches, from the centre of mass, body frame [m]."""
    R = matrix(q)
    n = R.T @ normal
    lowest = touching_point(n, point["centre"], point["curved"], point["shape"])
    return R, lowest - point["radius"] * n


# cones


def cone_product(a: Array, b: Array) -> Array:
    """a ∘ b = (a·b, a₁ b₂₃ + b₁ a₂₃) of the second-order cone, (3,)."""
    return jnp.concatenate([(a @ b)[None], a[0] * b[1:] + b[0] * a[1:]])


def contact_complementarity(z: Array, motion: Array, mu: float, kappa: float) -> Array:
    """(7,) residual of one contact's z = (γ, s, ξ₂, ξ₃, η₁, η₂, η₃), motion (3,) = (gap, v_t):   (Dojo, eq. 20-24)

    s - gap,  η₂₃ - v_t,  γ s - κ,  ξ ∘ η - κ e   with ξ₁ = μ γ.
    """
    xi, eta = jnp.concatenate([(mu * z[0])[None], z[2:4]]), z[4:7]
    product = cone_product(xi, eta) - kappa * jnp.array([1.0, 0.0, 0.0])
    return jnp.concatenate([(z[1] - motion[0])[None], eta[1:] - motion[1:], (z[0] * z[1] - kappa)[None], product])


def limit_complementarity(z: Array, distance: Array, kappa: float) -> Array:
    """(2,) residual of one limit's z = (γ, s): s - distance, γ s - κ."""
    return jnp.array([z[1] - distance, z[0] * z[1] - kappa])
