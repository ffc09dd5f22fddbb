"""The hand-written Jacobian blocks of the hard step against jax.jacfwd of the plain residuals: bound 1e-10 relative.

Measured (worst over all cases): values 3.5e-14, momentum 1e-15, joint rows and impulse directions 1e-15, contacts 1e-15,
condensed cones 5e-16, limits 1e-15.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from default_run import some
from loaded_step import H, LoadedStep
from test_jacobian_blocks import CONTACTS, contact_scene, joint_scene

from dojo_py.friction_laws import CONE
from dojo_py.hard.elements.limits import ball_limit_rows
from dojo_py.hard.terms import BALL, FREE, HINGE, SLIDE
from dojo_py.hard.world import build_world
from dojo_py.jax import residuals as plain
from dojo_py.jit import entry
from dojo_py.solver.cones.contact import condense

BOUND = 1e-10
FREE_DAMPED = (
    '<mujoco><worldbody><body pos=".3 .2 1"><joint type="free" damping=".2"/>'
    '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3"/></body></worldbody></mujoco>'
)
SIMPLE = ("ball", "hinge", "slide")


@entry
def condense_cone(mu, z, kappa, dy, K, f):
    condense(CONE, mu, 0.0, 0.0, z, kappa, kappa, False, np.zeros(12), dy, K, f)


@entry
def ball_limit(L, W, l, n, h, axis, T):
    ball_limit_rows(L, W, l, n, h, axis, T)


def check(name, kernel, reference, floor=1e-300):
    """floor: size of what cancels where the block itself vanishes."""
    worst = np.abs(kernel - reference).max() / max(np.abs(reference).max(), floor)
    print(f"{name}: {worst:.1e} (bound {BOUND:g})")
    assert worst <= BOUND, f"{name}: {worst:.1e}"


def pose_of(W, b):
    """Pose of a body at the start of the step; row -1 is the world."""
    return jnp.array(W.x[b]), jnp.array(W.q[b])


def rows_of(case, n):
    """(velocity of parent (6,), of child (6,)) -> rows of joint node n over h, from the plain equations."""
    L, W = case.L, case.W
    j = L.node_joint[n]
    a, b, dof, kind = L.parent[j], L.child[j], L.vadr[j], L.kind[j]
    anchors = jnp.array([L.frame_pos[j], L.anchor[j]])
    frames = jnp.array(L.frame_axes[j]), jnp.array(L.child_axes[j])
    start = float(W.angle0[dof] - L.qpos0[L.qadr[j]])

    @jax.jit
    def rows(va, vb):
        pa, pb = plain.next_pose(pose_of(W, a), va, H), plain.next_pose(pose_of(W, b), vb, H)
        if kind == HINGE:
            found = plain.hinge_rows(pa, pb, anchors, *frames, start)
        elif kind == SLIDE:
            found = plain.slide_rows(pa, pb, anchors, *frames, start)
        elif kind == BALL:
            found = plain.ball_rows(pa, pb, anchors, plain.multiply(jnp.array(L.base_quat[j]), jnp.array(W.turn0[j])))
        else:
            assert kind == FREE
            found = plain.free_rows(pa, pb, jnp.array(L.com[b]), jnp.array(W.origin0[j]), jnp.array(W.turn0[j]))
        return found / H

    return rows


def velocity(W, b):
    return jnp.array(W.v[b]) if b >= 0 else jnp.zeros(6)


ON_ONE_ANOTHER = {f"{b} on {a}": joint_scene(a, b) for a in SIMPLE for b in SIMPLE} | {"free": FREE_DAMPED}


@pytest.mark.parametrize("name", some(ON_ONE_ANOTHER, ["hinge on ball", "ball on slide", "free"]))
def test_joint_rows_impulse_directions_and_momentum(name):
    case = LoadedStep(ON_ONE_ANOTHER[name], seed=1)
    L, W, nb = case.L, case.W, case.nb
    impulses = [jnp.zeros(6)] * nb
    for n, j in enumerate(L.node_joint):
        a, b = L.parent[j], L.child[j]
        rows = rows_of(case, n)
        va, vb = velocity(W, a), velocity(W, b)
        check("rows", W.rows[n], rows(va, vb))
        by_a, by_b = jax.jacfwd(rows, (0, 1))(va, vb)
        check("child rows", W.Cb[n, :, :6], by_b)
        # the impulse directions: the rows' Jacobian at the pose where the step starts
        at_a, at_b = jax.jacfwd(rows, (0, 1))(jnp.zeros(6), jnp.zeros(6))
        check("impulse on the child", W.Gb[n, :, :6], at_b)
        impulses[b] += W.lam[n] @ at_b
        if a >= 0:
            check("parent rows", W.Ca[n, :, :6], by_a)
            check("impulse on the parent", W.Ga[n, :, :6], at_a)
            impulses[a] += W.lam[n] @ at_a
    for b in range(nb):
        force = jnp.concatenate([L.mass[b] * jnp.array(L.gravity[b]), jnp.zeros(3)])

        def rows(v, b=b, force=force):
            old = jnp.array(W.v_prev[b])
            return plain.momentum_rows(L.mass[b], L.inertia[b], v, old, pose_of(W, b), force, impulses[b], H)

        check("momentum", W.rb[b, :6], rows(velocity(W, b)))
        check("momentum by velocity", W.inertia[b, :, :6], jax.jacfwd(rows)(velocity(W, b)))


def contact_rows(v, pose, normal, tangents, offset, point):
    return plain.plane_contact_rows(pose, v, normal, tangents, offset, point, H)


def impulse_on_body(v, impulse, pose, normal, tangents, point):
    return plain.plane_contact_impulse(pose, v, normal, tangents, point, H, impulse)


by_velocity = jax.jit(jax.jacfwd(contact_rows))
by_velocity_and_impulse = jax.jit(jax.jacfwd(impulse_on_body, (0, 1)))
"""Compiled once for all contacts."""


@pytest.mark.parametrize("name", [n for n in CONTACTS if "plane" in n and "cylinder" not in n])
def test_plane_contact_rows_and_impulses(name):
    case = LoadedStep(contact_scene(*CONTACTS[name]), seed=3)
    W, P = case.W, build_world(case.model, "cone", "error", float(case.model.opt.timestep)).planes
    v = velocity(W, 0)
    assert W.n_active[0] > 0
    for c in range(int(W.n_active[0])):
        i = W.active[c]
        point = {"centre": jnp.array(P.point[i]), "radius": P.radius[i], "curved": P.curved[i], "shape": jnp.array(P.shape[i])}
        normal, tangents = jnp.array(P.normal[i]), jnp.array(P.tangent[i])
        pose = pose_of(W, 0)

        contact = v, pose, normal, tangents, float(P.offset[i]), point
        check("gap and tangential velocity", W.cval[c] - [W.contact_allowance[c], 0, 0], contact_rows(*contact))
        check("contact rows", W.cC[c, 0, :, :6], by_velocity(*contact))
        impulse = jnp.array(W.con[c][[0, 2, 3]])
        by_v, by_impulse = by_velocity_and_impulse(v, impulse, pose, normal, tangents, point)
        check("impulse map", W.cB[c, 0, :, :6].T, by_impulse)
        check("change of the impulse", W.cH[c, 0, :, :6], by_v, floor=H * float(jnp.abs(impulse).max()))


@pytest.mark.parametrize("seed", range(5))
def test_condensed_cone_is_the_schur_complement_of_its_residual(seed):
    """δF = f - K δy: eliminate (γ, s, ξ, η) from the linearised rows."""
    rng = np.random.default_rng(seed)
    mu, kappa = 0.6, 1e-2
    z, motion = np.zeros(12), 0.3 * rng.normal(size=3)
    z[:2] = rng.uniform(0.5, 1.0, 2)
    z[2:4], z[4] = 0.3 * mu * z[0] * rng.uniform(-1, 1, 2), rng.uniform(0.5, 1.0)
    z[5:7] = 0.3 * z[4] * rng.uniform(-1, 1, 2)
    K, f = np.zeros((3, 3)), np.zeros(3)
    dy = np.array([motion[0] - z[1], motion[1] - z[5], motion[2] - z[6]])
    condense_cone(mu, z, kappa, dy, K, f)
    r = plain.contact_complementarity(jnp.array(z[:7]), jnp.array(motion), mu, kappa)
    by_z, by_motion = jax.jacfwd(plain.contact_complementarity, (0, 1))(jnp.array(z[:7]), jnp.array(motion), mu, kappa)
    impulse = [0, 2, 3]
    check("constant part", f, -np.linalg.solve(by_z, r)[impulse])
    check("by the motion", -K, -np.linalg.solve(by_z, by_motion)[impulse])


@pytest.mark.parametrize("name", ["hinge limit friction", "ball limit"])
def test_limit_distances(name):
    case = LoadedStep(joint_scene("hinge", name), seed=2)
    L, W = case.L, case.W
    n = len(L.node_joint) - 1
    j = L.node_joint[n]
    dof, rate = L.vadr[j], W.rows[n]
    assert W.n_limits[0] > 0
    for m in range(int(W.n_limits[0])):
        l = W.limit_active[m]
        if L.kind[j] == HINGE:
            distance = plain.limit_distance(W.angle0[dof] + H * rate[5], L.limit_bound[l], L.limit_sign[l]) + W.limit_allowance[l]
            check("distance", W.lgap[m], np.asarray(distance))
            continue

        def distance(rate, l=l):
            turned = plain.multiply(jnp.array(W.turn0[j]), plain.exponential(H * rate))
            return plain.ball_limit_distance(turned, L.limit_bound[l])

        check("distance", W.lgap[m] - W.limit_allowance[l], distance(jnp.array(rate[3:6])))
        q = jnp.array(W.turn0[j])
        vector = np.asarray(plain.logarithm(plain.multiply(q, plain.exponential(H * jnp.array(rate[3:6])))))
        axis, T = vector / L.limit_bound[l], np.zeros((3, 3))
        ball_limit(case.layout, case.arguments[4], l, n, H, axis, T)
        check("distance by rate", -axis @ T, jax.jacfwd(distance)(jnp.array(rate[3:6])))


def test_limit_pair_is_newtons():
    z, kappa = jnp.array([0.4, 0.03]), 1e-3
    by_z = jax.jacfwd(plain.limit_complementarity)(z, 0.05, kappa)
    step = -np.linalg.solve(by_z, plain.limit_complementarity(z, 0.05, kappa))
    assert step[0] == pytest.approx((kappa - 0.4 * 0.03 - 0.4 * (0.05 - 0.03)) / 0.03, rel=1e-12)


def test_quaternion_functions_at_and_away_from_zero():
    for vector in (np.zeros(3), np.array([1e-7, 0, 0]), np.array([1e-3, 2e-3, 0]), np.array([0.3, -1.0, 2.0])):
        assert np.abs(plain.logarithm(plain.exponential(jnp.array(vector))) - vector).max() < 1e-15
        J = jax.jacfwd(lambda v: plain.logarithm(plain.exponential(v)))(jnp.array(vector))
        assert np.abs(J - np.eye(3)).max() < 1e-8 if np.any(vector) else np.array_equal(J, np.eye(3))
