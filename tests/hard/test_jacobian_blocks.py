"""Every analytic Jacobian block of the hard step against central differences of the residual it belongs to.

Bound 1e-7 relative to the block's size; the worst measured is written beside each case when the test prints it (-s).
"""

import numpy as np
import pytest
from loaded_step import LoadedStep, check

GEOM = '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3" contype="0" conaffinity="0"/>'
JOINTS = {
    "ball": '<joint type="ball" pos=".1 -.2 .3" damping=".3" stiffness="2" armature=".1"/>',
    "ball limit": '<joint type="ball" pos=".1 -.2 .3" limited="true" range="0 30"/>',
    "hinge": '<joint type="hinge" axis="1 2 3" pos=".1 .2 -.1" ref="25" damping=".3" stiffness="2" armature=".1"/>',
    "hinge limit friction": '<joint axis="1 2 3" limited="true" range="-20 20" frictionloss=".5"/>',
    "slide": '<joint type="slide" axis="1 -2 1" pos=".3 .1 0" ref=".4" damping=".3" stiffness="2" armature=".1"/>',
    "two hinges": '<joint axis="1 0 .2" pos=".1 0 .2"/><joint axis="0 1 0" pos="-.1 0 0" ref="-30" damping=".3"/>',
    "three hinges": '<joint axis="0 0 1" pos=".1 0 0"/><joint axis="0 1 0" ref="10"/><joint axis="1 .3 0" pos="0 .2 0"/>',
    "slide ball": '<joint type="slide" axis="1 -2 1" damping=".3"/><joint type="ball" pos=".1 -.2 .3" stiffness="2"/>',
    "hinge ball slide": '<joint axis="1 0 .2" pos=".3 0 .4"/><joint type="ball" pos="0 .1 0"/><joint type="slide" axis="0 1 1"/>',
    "planar": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1" ref="1.2"/><joint axis="0 1 0"/>',
}
CONTACTS = {
    "sphere plane": ('type="sphere" size=".2"', 'type="plane" size="0 0 1" euler="10 20 0" pos="0 0 -.5"'),
    "capsule plane": ('type="capsule" size=".1 .2"', 'type="plane" size="0 0 1" euler="10 20 0"'),
    "box plane": ('type="box" size=".1 .2 .15"', 'type="plane" size="0 0 1" euler="10 20 0"'),
    "cylinder plane": ('type="cylinder" size=".1 .2"', 'type="plane" size="0 0 1" euler="10 20 0"'),
    "ellipsoid plane": ('type="ellipsoid" size=".1 .2 .15"', 'type="plane" size="0 0 1" euler="10 20 0"'),
    "sphere sphere": ('type="sphere" size=".2"', 'type="sphere" size=".3"'),
    "sphere capsule": ('type="sphere" size=".2"', 'type="capsule" size=".1 .4" euler="30 10 0"'),
    "sphere box": ('type="sphere" size=".2"', 'type="box" size=".3 .2 .1" euler="30 10 0"'),
    "capsule capsule": ('type="capsule" size=".05 .4"', 'type="capsule" size=".1 .4" euler="80 10 0"'),
}


def joint_scene(first, second):
    inner = f'<body pos=".1 .5 .2" euler="5 5 50">{JOINTS[second]}{GEOM}</body>'
    return f'<mujoco><worldbody><body pos=".3 .2 1" euler="10 -20 70">{JOINTS[first]}{GEOM}{inner}</body></worldbody></mujoco>'


@pytest.mark.parametrize("second", JOINTS)
@pytest.mark.parametrize("first", ["ball", "hinge", "two hinges"])
def test_joint_rows_and_impulse_maps(first, second):
    """Measured: rows 3e-10, impulse maps 1e-10, momentum 2e-10."""
    case = LoadedStep(joint_scene(first, second), seed=1)
    L, W, nb = case.L, case.W, case.nb
    rows = case.differences(W.v[:nb], lambda: W.rows)
    for n, j in enumerate(L.node_joint):
        a, b = L.parent[j], L.child[j]
        check("child rows", W.Cb[n, :, :6], rows[n, :, 6 * b : 6 * b + 6])
        if a >= 0:
            check("parent rows", W.Ca[n, :, :6], rows[n, :, 6 * a : 6 * a + 6])
    impulses = case.differences(W.lam, lambda: W.rb[:nb, :6])
    for n, j in enumerate(L.node_joint):
        check("impulse on the child", -W.Gb[n, :, :6].T, impulses[L.child[j], :, 6 * n : 6 * n + 6])
        if L.parent[j] >= 0:
            check("impulse on the parent", -W.Ga[n, :, :6].T, impulses[L.parent[j], :, 6 * n : 6 * n + 6])
    momentum = case.differences(W.v[:nb], lambda: W.rb[:nb, :6])
    for b in range(nb):
        check("momentum", W.inertia[b, :, :6], momentum[b, :, 6 * b : 6 * b + 6])


@pytest.mark.parametrize("name", JOINTS)
def test_impulse_directions_are_the_rows_where_the_step_starts(name):
    """With velocities zero the next pose is the present one, and rows by velocity equal the impulse directions (1e-12)."""
    case = LoadedStep(joint_scene("hinge", name), seed=2)
    case.W.v[:] = 0.0
    case.run()
    assert np.abs(case.W.Ga - case.W.Ca).max() < 1e-10 and np.abs(case.W.Gb - case.W.Cb).max() < 1e-10


def contact_scene(one, two):
    if "plane" in two:
        return f'<mujoco><worldbody><geom {two}/><body pos="0 0 .3"><freejoint/><geom {one}/></body></worldbody></mujoco>'
    return (
        f'<mujoco><worldbody><body pos=".05 .02 .8"><freejoint/><geom {one}/></body>'
        f'<body pos="0 .1 0"><freejoint/><geom {two}/></body></worldbody></mujoco>'
    )


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("name", CONTACTS)
def test_contact_rows_impulse_maps_and_their_change(name, seed):
    """Measured: rows 2e-9, impulse maps 1e-10, change of the impulse 5e-9."""
    case = LoadedStep(contact_scene(*CONTACTS[name]), seed=seed)
    W, nb = case.W, case.nb
    count = int(W.n_active[0])
    assert count > 0
    values = case.differences(W.v[:nb], lambda: W.cval[:count])
    for c in range(count):
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                check("contact rows", W.cC[c, side, :, :6], values[c, :, 6 * b : 6 * b + 6])
    momentum = case.differences(W.v[:nb], lambda: W.rb[:nb, :6])
    expected = np.zeros((nb, 6, nb, 6))
    for b in range(nb):
        expected[b, :, b, :] = W.inertia[b, :, :6]
    for c in range(count):
        for side in range(2):
            for other in range(2):
                b, o = W.cbody[c, side], W.cbody[c, other]
                if b >= 0 and o >= 0:
                    expected[b, :, o, :] -= W.cH[c, side, :, 8 * other : 8 * other + 6]
    check("momentum with contact", expected.reshape(nb, 6, -1), momentum)
    for c in range(count):
        for k, column in enumerate((0, 2, 3)):
            view = W.con[c, column : column + 1]
            numeric = case.differences(view, lambda: W.rb[:nb, :6])[..., 0]
            for side in range(2):
                b = W.cbody[c, side]
                if b >= 0:
                    check("impulse map", -W.cB[c, side, k, :6], numeric[b])


@pytest.mark.parametrize("name", [n for n in CONTACTS if "plane" not in n])
def test_contact_impulses_between_bodies_conserve_both_momenta(name):
    """Equal and opposite forces with one line of action, seen from the poses at the start of the step (1e-13)."""
    case = LoadedStep(contact_scene(*CONTACTS[name]), seed=5)
    W = case.W
    for c in range(int(W.n_active[0])):
        a, b = W.cbody[c]
        for k in range(3):
            on_a, on_b = W.cB[c, 0, k, :6], W.cB[c, 1, k, :6]
            force = on_a[:3] + on_b[:3]
            torque = sum(W.R[i] @ w[3:] + np.cross(W.x[i], w[:3]) for i, w in ((a, on_a), (b, on_b)))
            assert np.abs(force).max() < 1e-13 and np.abs(torque).max() < 1e-13
