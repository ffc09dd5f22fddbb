"""The whole Newton system of the hard step: cones, limits, dry friction, springs, dampers, armature, servos and closures.

Bodies and joints are solved for, everything else is condensed onto them. At a random interior point w the step dw to the
complementarity κ must cancel the linearised violations: d/dt F(w + t dw) = -F(w) at t = 0, by central differences of F.
"""

import numpy as np
import pytest
from loaded_step import H, LoadedStep, check

from dojo_py.hard.solve.assemble import assemble
from dojo_py.hard.solve.recover import recover
from dojo_py.jit import entry
from dojo_py.solver.block_ldu import factorise, solve
from dojo_py.solver.cones.contact import SECOND_ORDER

BOX = '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3" contype="0" conaffinity="0"/>'
COORDINATES = {
    "damper": '<joint name="j" axis="1 2 3" damping=".3"/>',
    "spring": '<joint name="j" axis="1 2 3" stiffness="20" springref="30"/>',
    "armature": '<joint name="j" type="slide" axis="1 0 2" armature=".4"/>',
    "servo": '<joint name="j" axis="1 2 3"/>',
    "ball spring": '<joint name="j" type="ball" stiffness="20" damping=".2" armature=".1"/>',
    "two hinges": '<joint name="j" axis="1 0 .2" damping=".3" stiffness="4"/><joint axis="0 1 0" armature=".2"/>',
    "slide and ball": '<joint name="j" type="slide" damping=".3" stiffness="4"/><joint type="ball" stiffness="20" armature=".1"/>',
    "ball and slide": '<joint name="j" type="ball" damping=".3" stiffness="9"/><joint type="slide" stiffness="20" armature=".1"/>',
}
CONES = {
    "hinge limits": '<joint name="j" axis="1 2 3" limited="true" range="-20 20" damping=".1"/>',
    "slide limits": '<joint name="j" type="slide" axis="1 0 2" limited="true" range="-.1 .2"/>',
    "ball limit": '<joint name="j" type="ball" limited="true" range="0 30" damping=".1"/>',
    "dry friction": '<joint name="j" axis="1 2 3" frictionloss=".5" armature=".1"/>',
    "dry friction, ball": '<joint name="j" type="ball" frictionloss=".5" stiffness="3"/>',
    "hinge and ball, limits, friction": '<joint name="j" pos=".3 0 0" limited="true" range="-9 9" frictionloss=".1"/>'
    '<joint type="ball" limited="true" range="0 20" frictionloss=".2"/>',
    "limits and friction": '<joint name="j" type="slide" axis="1 0 2" limited="true" range="-.1 .2" frictionloss="2"/>',
    "limits of two hinges": '<joint name="j" axis="1 0 .2" limited="true" range="-9 9"/>'
    '<joint axis="0 1 0" limited="true" range="-9 9" frictionloss=".2"/>',
}
CLOSURES = {
    "connect": '<connect body1="a" body2="b" anchor=".1 .2 .3"/>',
    "connect world": '<connect body1="b" anchor=".1 .2 .3"/>',
    "weld": '<weld body1="a" body2="b"/>',
    "coupling": '<joint joint1="one" joint2="two" polycoef=".1 .8 .3 -.2 .1"/>',
    "locked joint": '<joint joint1="two" polycoef=".1 0 0 0 0"/>',
}
PLANE = 'type="plane" size="0 0 1" euler="10 20 0"'
CONTACTS = {
    "sphere plane": ('type="sphere" size=".2"', PLANE),
    "box plane": ('type="box" size=".1 .2 .15"', PLANE),
    "cylinder plane": ('type="cylinder" size=".1 .2"', PLANE),
    "ellipsoid plane": ('type="ellipsoid" size=".1 .2 .15"', PLANE),
    "sphere sphere": ('type="sphere" size=".2"', 'type="sphere" size=".3"'),
    "sphere box": ('type="sphere" size=".2"', 'type="box" size=".3 .2 .1" euler="30 10 0"'),
    "capsule capsule": ('type="capsule" size=".05 .4"', 'type="capsule" size=".1 .4" euler="80 10 0"'),
}
SPRINGS = ("midpoint", "implicit", "explicit")


@entry
def newton(L, W, h, kn, kf, typical):
    """Newton's step of all variables into W.d…; False when singular."""
    assemble(L, W, h, kn, kf, typical, False)
    if factorise(W.pattern, W.blocks) >= 0:
        return False
    solve(W.pattern, W.blocks, W.step)
    recover(L, W, h, kn, kf, False, 1e-15)
    return True


def hinged(joint):
    """Two bodies, the lower one on a joint, the upper one on a ball."""
    servo = '<actuator><position joint="j" kp="30" kv="2"/></actuator>' if joint == COORDINATES["servo"] else ""
    inner = f'<body pos=".1 .5 .2" euler="5 5 50">{joint}{BOX}</body>'
    return f'<mujoco><worldbody><body pos=".3 .2 1"><joint type="ball"/>{BOX}{inner}</body></worldbody>{servo}</mujoco>'


def looped(closure):
    """Two arms on hinges with a closure between them."""
    hinge = '<joint name="{}" axis="{}"/>'.format
    one = f'<body name="a" pos=".3 .2 1"><joint type="ball"/>{BOX}<body pos="0 0 .4">{hinge("one", "1 2 0")}{BOX}</body></body>'
    two = f'<body name="b" pos="-.3 .2 1"><freejoint/>{BOX}<body pos="0 .3 .4">{hinge("two", "0 2 1")}{BOX}</body></body>'
    return f"<mujoco><worldbody>{one}{two}</worldbody><equality>{closure}</equality></mujoco>"


def touching(one, two):
    """A body over a plane or another body."""
    if "plane" in two:
        return f'<mujoco><worldbody><geom {two}/><body pos="0 0 .3"><freejoint/><geom {one}/></body></worldbody></mujoco>'
    return (
        f'<mujoco><worldbody><body pos=".05 .02 .8"><freejoint/><geom {one}/></body>'
        f'<body pos="0 .1 0"><freejoint/><geom {two}/></body></worldbody></mujoco>'
    )


def inside(step, seed):
    """Move the cone variables of a step to a random point inside their cones."""
    rng, L, W = np.random.default_rng(seed), step.L, step.W
    bound = H * L.dof_frictionloss
    W.fric[:, 0] = bound * rng.uniform(-0.5, 0.5, len(bound))
    W.fric[:, 1:] = rng.uniform(0.5, 1.0, W.fric[:, 1:].shape)
    step.drive.servos.servo_b1[:], step.drive.servos.servo_b2[:] = -30.0, -2.0
    step.drive.servos.servo_force[:] = 5.0
    W.con[:] = rng.uniform(0.5, 1.0, W.con.shape)
    for c in range(W.n_active[0]):
        if W.claw[c] == 1:
            W.con[c, 3 + 2 * SECOND_ORDER[1]] = 0.0
            W.con[c, 2:4] *= 0.5 * W.cmu[c] * W.con[c, 0]
            W.con[c, 5:7] *= 0.5 * W.con[c, 4]
    step.run()


def violations(step, kn, kf, aims):
    """(linear rows, product rows): all that Newton's method drives to zero. aims: of the contacts' γ s."""
    step.run()
    L, W = step.L, step.W
    limits, count = int(W.n_limits[0]), int(W.n_active[0])
    linear = [W.rb[: step.nb, :6].ravel(), W.rn.ravel(), W.lgap[:limits] - W.lim[:limits, 1]]
    products = [W.lim[:limits, 0] * W.lim[:limits, 1] - kn]
    for dof in np.flatnonzero(L.dof_frictionloss > 0.0):
        j = L.dof_joint[dof]
        rate = W.rows[L.node[j], 6 - L.ndof[j] + dof - L.vadr[j]]
        beta, up, down = W.fric[dof]
        bound = H * L.dof_frictionloss[dof]
        linear.append([rate - up + down])
        products.append([(bound + beta) * up - kf, (bound - beta) * down - kf])
    for z, mu, law, (gap, v1, v2), aim in zip(W.con[:count], W.cmu, W.claw, W.cval, aims, strict=False):
        linear.append([gap - z[1]])
        products.append([z[0] * z[1] - aim])
        if law == 1:
            x1, xt, e1, et = mu * z[0], z[2:4], z[4], z[5:7]
            linear.append([v1 - et[0], v2 - et[1]])
            products += [[x1 * e1 + xt @ et - kf], x1 * et + e1 * xt]
        elif law == 2:
            pushed = np.array([v1, -v1, v2, -v2])
            linear += [[mu * z[0] - z[4:8].sum() - z[3]], pushed + z[2] - z[8:12]]
            products += [[z[2] * z[3] - kf], z[4:8] * z[8:12] - kf]
    return np.concatenate(linear), np.concatenate(products)


def check_newton(name, step, seed=0, typical=0.0):
    """Directional central difference of all violations along Newton's step. Measured: see the callers."""
    rng, W, nb = np.random.default_rng(seed), step.W, step.nb
    kn, kf = rng.uniform(0.05, 0.2, 2)
    products = W.con[:, 0] * W.con[:, 1]
    aims = kn * np.clip(products / typical, 0.25, 4.0) if typical else np.full(len(products), kn)
    before = violations(step, kn, kf, aims)
    assert newton(step.layout, step.arguments[4], H, kn, kf, typical)
    point = [W.v[:nb], W.lam, W.lim, W.fric, W.con]
    change = [a.copy() for a in (W.dv[:nb], W.dlam, W.dlim, W.dfric, W.dcon)]
    saved = [a.copy() for a in point]
    eps = np.finfo(float).eps ** (1 / 3) / max(1.0, max(np.abs(d).max(initial=0.0) for d in change))
    sides = []
    for sign in (1.0, -1.0):
        for a, s, d in zip(point, saved, change, strict=True):
            a[:] = s + sign * eps * d
        sides.append(violations(step, kn, kf, aims))
    for rows in range(1 if before[1].size == 0 else 2):
        check(name, (sides[0][rows] - sides[1][rows]) / (2 * eps), -before[rows], bound=1e-7)


@pytest.mark.parametrize("springs", SPRINGS)
@pytest.mark.parametrize("name", COORDINATES)
def test_coordinate_rows(name, springs):
    """Rows of springs, dampers, armature and servos by the bodies' velocities. Measured: 2e-10."""
    step = LoadedStep(hinged(COORDINATES[name]), seed=6, springs=springs)
    inside(step, 6)
    L, W = step.L, step.W
    numeric = step.differences(W.v[: step.nb], lambda: W.rn)
    for n, j in enumerate(L.node_joint):
        k, first = L.ndof[j], L.vadr[j]
        law, ball = np.diag(W.drive[first : first + k, 1]), slice(L.rotation[j], L.rotation[j] + 3)
        if L.rotation[j] >= 0:
            law[ball, ball] += W.pull[j, 6 - k :][ball, :3]
        for body, C in ((L.child[j], W.Cb[n, :, :6]), (L.parent[j], W.Ca[n, :, :6])):
            if body >= 0:
                check(name, law @ C[6 - k :], numeric[n, 6 - k :, 6 * body : 6 * body + 6])


@pytest.mark.parametrize("name", CLOSURES)
def test_closure_rows_and_impulse_maps(name):
    """Measured: rows 2e-9, impulse maps 1e-10."""
    step = LoadedStep(looped(CLOSURES[name]), seed=7)
    L, W, nb = step.L, step.W, step.nb
    rows = step.differences(W.v[:nb], lambda: W.rows)
    impulses = step.differences(W.lam, lambda: W.rb[:nb, :6])
    n = len(L.node_joint) - 1
    expected_rows, expected_impulses = np.zeros((6, nb, 6)), np.zeros((nb, 6, 6))
    for slot, b in enumerate(L.eq_bodies[0]):
        if b >= 0:
            expected_rows[:, b] += W.Ceq[0, slot, :, :6]
            expected_impulses[b] -= W.Geq[0, slot, :, :6].T
    check("closure rows", expected_rows.reshape(6, -1), rows[n])
    check("impulses", expected_impulses, impulses[:, :, 6 * n : 6 * n + 6])


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", [*COORDINATES, *CONES, *CLOSURES])
def test_newton_step_of_joints(name, seed):
    text = looped(CLOSURES[name]) if name in CLOSURES else hinged({**COORDINATES, **CONES}[name])
    step = LoadedStep(text, seed=seed)
    inside(step, seed)
    check_newton(name, step, seed=seed)


@pytest.mark.parametrize("friction", ["cone", "pyramid", "none"])
@pytest.mark.parametrize("name", CONTACTS)
def test_newton_step_of_contacts(name, friction):
    for seed in (1, 2):
        step = LoadedStep(touching(*CONTACTS[name]), seed=seed, friction=friction)
        inside(step, seed)
        assert step.W.n_active[0] > 0
        check_newton(f"{name}, {friction}", step, seed)


def test_contacts_keep_their_share_of_the_mean_product():
    """Corners of a box at 1/9 to 9 times the mean aim at 1/4 to 4 times kn, those between at as much as they have."""
    step = LoadedStep(touching(*CONTACTS["box plane"]), seed=1)
    inside(step, 1)
    W = step.W
    shares = np.geomspace(1.0 / 9.0, 9.0, int(W.n_active[0]))
    W.con[: len(shares), 1] = 0.4 * shares / W.con[: len(shares), 0]
    check_newton("shares", step, typical=0.4)
