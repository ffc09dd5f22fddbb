"""Servos of rotations take the short way round, in both modes, as in the wheel; their derivatives do not see the jump."""

import mujoco
import numpy as np
import pytest
from test_against_wheel import Scene

import dojo_py
from dojo_py.soft import SoftSimulator

SERVOS = {
    "ball": '<position joint="ball" kp="3" gear="1 -2 .5"/>',
    "ball in parent": '<position jointinparent="ball" kp="3" kv=".2" gear="0 .4 0"/>',
    "sites": '<position site="three" refsite="ground" kp="3" gear="0 0 0 .3 .4 0"/>',
    "sites on one robot": '<position site="three" refsite="one" kp="2" kv="1" gear="0 0 0 0 0 .5"/>',
    "integrated": '<intvelocity joint="ball" kp="3" gear=".2 0 .1" actrange="-30 30"/>',
    "filtered": '<position joint="ball" kp="3" gear=".2 0 .1" timeconst=".1"/>',
    "filtered early": '<general joint="ball" gainprm="3" biastype="affine" biasprm="0 -3 0" gear=".2 0 .1" '
    'dyntype="filter" dynprm=".1" actearly="true" actlimited="true" actrange="-2 2"/>',
    "pid": '<pid joint="ball" kp="3" kv=".2" input="pos" gear=".2 0 .1"/>',
    "pid, integrated": '<pid joint="ball" kp="3" kv=".2" ki="2" input="pos" slewmax="300" gear=".2 0 .1"/>',
    "pid of sites": '<pid site="three" refsite="ground" kp="3" input="pos" gear="0 0 0 .3 .4 0"/>',
    "with an offset": '<general joint="ball" gear="0 0 .7" gainprm="2" biastype="affine" biasprm=".3 -2 -.1"/>',
}
OTHERS = {
    "unequal gains": '<general joint="ball" gear="0 0 .7" gainprm="2" biastype="affine" biasprm="0 -3 0"/>',
    "affine gain": '<general joint="ball" gear="0 0 .7" gaintype="affine" gainprm="2 0 0" biastype="affine" biasprm="0 -2 0"/>',
    "moves and turns": '<position site="three" refsite="ground" kp="3" gear=".1 0 0 .3 .4 0"/>',
    "no reference": '<position site="three" kp="3" gear="0 0 0 .3 .4 0"/>',
    "motor": '<dcmotor joint="ball" gear="0 0 .7" motorconst=".3" resistance="2.9" input="pos" controller="3 0 .1"/>',
    "hinge": '<position joint="hinge" kp="3"/>',
    "free": '<position joint="free" kp="3" gear="0 0 0 .3 .4 0"/>',
}
CONTROLS = (-9.0, -4.0, -1.3, 0.2, 2.9, 6.0, 20.0)


def scene_at(actuator: str, control: float) -> Scene:
    """The scene with this control; activations are set to it, too."""
    return Scene(actuator, seed=3, control=control)


@pytest.mark.parametrize("name", SERVOS | OTHERS)
def test_hard_forces_are_the_wheels(name):
    """Measured: 1.5e-7, from velocities over an interval of 1e-7 s."""
    turned = 0
    for control in CONTROLS:
        scene = scene_at((SERVOS | OTHERS)[name], control)
        assert scene.drive.actuator_force == pytest.approx(scene.data.actuator_force, abs=5e-6)
        assert scene.generalised() == pytest.approx(scene.data.qfrc_actuator, abs=5e-6)
        turned += int(np.abs(scene.drive.turns).sum())
    assert (turned > 0) == (name in SERVOS)


@pytest.mark.parametrize("name", SERVOS | OTHERS)
def test_soft_forces_are_the_wheels(name):
    """On our model and on the wheel's. Measured: 1e-15."""
    for control in CONTROLS:
        scene = scene_at((SERVOS | OTHERS)[name], control)
        for model in (scene.model, scene.wheel):
            soft = SoftSimulator(model)
            soft.acceleration(soft.initial_state(scene.qpos, scene.qvel, act=scene.act), scene.control)
            assert soft.work.forces.actuators["force"] == pytest.approx(scene.data.actuator_force, rel=1e-12, abs=1e-12)
            assert soft.work.forces.actuator == pytest.approx(scene.data.qfrc_actuator, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in SERVOS if "filter" in name or "integrat" in name])
def test_activations_are_the_wheels(name):
    """Both modes; they are kept within half a turn of the length. Measured: 4e-16."""
    for control in CONTROLS:
        scene = Scene(SERVOS[name], timestep=0.01, seed=3, control=control)
        scene.control[0] = -2.0
        soft = SoftSimulator(scene.model)
        ours = soft.step(soft.initial_state(scene.qpos, scene.qvel, act=scene.act), scene.control).state.act
        scene.data.ctrl[:] = scene.control
        mujoco.mj_step(scene.wheel, scene.data)
        assert ours == pytest.approx(scene.data.act, abs=1e-12)
        again = Scene(SERVOS[name], timestep=0.01, seed=3, control=control)
        mujoco.mj_step(again.wheel, again.data)
        assert again.next_act == pytest.approx(again.data.act, abs=1e-12)


def test_the_short_way_is_taken_in_a_motion():
    """A ball turned by 3 rad, asked for -3 rad, goes through the half turn: 0.28 rad and not 6."""
    model = dojo_py.load_model("""<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="b" type="ball" damping="1"/>
        <geom size=".1"/></body></worldbody><actuator><position joint="b" kp="1" gear="1 0 0"/></actuator></mujoco>""")  # fmt: skip
    start = np.array([np.cos(1.5), np.sin(1.5), 0, 0])
    for mode in (dojo_py.HardSimulator, dojo_py.SoftSimulator):
        simulator = mode(model, timestep=0.01)
        end = simulator.rollout(simulator.initial_state(start), np.full((1000, 1), -3.0)).final_state.qpos
        angle = 2 * np.arctan2(end[1], end[0])
        assert (angle - 2 * np.pi if angle > 0 else angle) == pytest.approx(-3.0, abs=2e-3)


@pytest.mark.parametrize("name", SERVOS)
def test_derivatives_do_not_see_the_jump(name):
    """A servo 1e-7 before half a turn: the differences of 1e-5 across it would give 1e5 times the gain."""
    plain, jump = scene_at(SERVOS[name], 0.2), 0.0
    gear = plain.wheel.actuator_gear[0]
    turn = 2 * np.pi * (np.linalg.norm(gear[:3]) or np.linalg.norm(gear[3:]))
    simulator = dojo_py.HardSimulator(plain.model, timestep=0.01, unsupported="skip")
    jump = plain.data.actuator_length[0] + turn / 2
    results = []
    for control in (jump - 1e-7, jump - 1e-2):
        state = simulator.initial_state(plain.qpos, plain.qvel, act=np.full(plain.model.na, control))
        results.append(simulator.linearize(state, np.full(1, control), kappa=1e-4))
    for one, two in zip((results[0].A, results[0].B), (results[1].A, results[1].B), strict=True):
        assert np.abs(one - two).max() < 1e-2 * max(1.0, np.abs(two).max())


@pytest.mark.parametrize("early", ["false", "true"])
def test_derivatives_do_not_see_the_jump_of_a_filter(early):
    """A filter 1e-7 before half a turn from its control goes on the way that it goes: the same A and B as farther from there."""
    model = dojo_py.load_model(f"""<mujoco><worldbody><body><joint name="b" type="ball" damping="1"/><geom size=".1"/></body>
      </worldbody><actuator><general joint="b" gear="1 0 0" gainprm="2"
      biastype="affine" biasprm="0 -2 -.1" dyntype="filter" dynprm=".05"
      actearly="{early}"/></actuator></mujoco>""")
    simulator = dojo_py.HardSimulator(model, timestep=0.01)
    state = simulator.initial_state(act=[0.3])
    one, two = (simulator.linearize(state, [0.3 + np.pi - away], kappa=1e-4) for away in (1e-7, 1e-2))
    assert one.A[6, 6] == pytest.approx(0.8, rel=1e-9) and one.B[6, 0] == pytest.approx(0.2, rel=1e-9)
    assert one.A == pytest.approx(two.A, abs=1e-2 * np.abs(two.A).max()) and one.B == pytest.approx(two.B, abs=1e-8)
