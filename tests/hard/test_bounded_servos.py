"""Several servos and motors on one joint or tendon whose actuatorfrcrange bounds their sum, as in files of humanoids."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

ARM = """<mujoco><compiler angle="radian"/><option gravity="0 0 -3"/><worldbody>
  <body><joint name="j" axis="0 1 0" damping=".1" {}/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
  <body pos=".4 0 0"><joint name="k" axis="0 1 0" damping=".1"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/></body>
  </body>
  </worldbody>{}<actuator>{}</actuator><sensor><jointactuatorfrc joint="j"/></sensor></mujoco>"""
BOUND = 'actuatorfrcrange="-2 1.5"'
APART = """<motor {0} gear="2"/><position {0} kp="30"/><velocity {0} kv="3" gear="-.5"/>"""
AS_ONE = """<motor {0} gear="2"/><motor {0} gear="30"/><motor {0} gear="-1.5"/>
  <general {0} gaintype="fixed" gainprm="0" biastype="affine" biasprm="0 -30 -.75"/>"""
"""The same laws: 2 a + 30 (b - q) - 0.5 · 3 (c + 0.5 q̇), of controls a, b, c."""
TENDON = '<tendon><fixed name="t" {}><joint joint="j" coef="1"/><joint joint="k" coef=".5"/></fixed></tendon>'
EQUAL_GEARS = """<motor {0} gear="2"/><position {0} kp="8" gear="2"/><velocity {0} kv="1" gear="2"/>"""
WITH_EQUAL_GEARS = """<motor {0} gear="2"/><motor {0} gear="2"/><motor {0} gear="2"/>
  <general {0} gear="2" gaintype="fixed" gainprm="0" biastype="affine" biasprm="0 -8 -1"/>"""


def on_joint(actuators):
    return ARM.format(BOUND, "", actuators.format('joint="j"'))


def controls(steps):
    """Controls that take the sum beyond both ends of the bound and back."""
    t = np.linspace(0.0, 1.0, steps)[:, None]
    return np.hstack([2.0 * np.sin(40 * t), 0.3 * np.sin(5 * t), np.cos(7 * t)])


@pytest.mark.parametrize("timestep", [1e-3, 0.02])
def test_they_act_as_one_actuator_with_their_sum(timestep):
    """Measured: 3e-14 and 6e-14 rad/s of 1.2 and 2.7."""
    runs = [HardSimulator(load_model(on_joint(text)), timestep=timestep) for text in (APART, AS_ONE)]
    u = controls(100)
    apart = runs[0].rollout(runs[0].initial_state(), u)
    as_one = runs[1].rollout(runs[1].initial_state(), np.hstack([u, np.zeros((100, 1))]))
    force = apart.sensordata[:, 0]
    assert np.isclose(force.max(), 1.5) and np.isclose(force.min(), -2.0) and np.ptp(np.clip(force, -1.9, 1.4)) > 3
    assert not apart.status.any() and np.abs(apart.qvel - as_one.qvel).max() < 1e-11
    assert np.abs(force - as_one.sensordata[:, 0]).max() < 1e-9


def test_the_motion_of_the_wheel_is_the_limit_of_short_steps():
    """Angles after 0.4 s: off by an amount that halves with the step. Measured: 1.8e-3, 9.1e-4 rad."""
    text, errors = on_joint(APART), []
    wheel = mujoco.MjModel.from_xml_string(text)
    wheel.opt.timestep = 2e-6
    data = mujoco.MjData(wheel)
    for u in np.repeat(controls(20), 10000, axis=0):
        data.ctrl[:] = u
        mujoco.mj_step(wheel, data)
    for steps in (200, 400):
        sim = HardSimulator(load_model(text), timestep=0.4 / steps)
        end = sim.rollout(sim.initial_state(), np.repeat(controls(20), steps // 20, axis=0)).qpos[-1]
        errors.append(np.abs(end - data.qpos).max())
    print(errors)
    assert errors[1] < 2e-3 and errors[1] < 0.6 * errors[0]


def test_on_a_tendon():
    """Measured: 2e-13 rad/s of 6.3."""
    texts = [ARM.format("", TENDON.format(BOUND), text.format('tendon="t"')) for text in (EQUAL_GEARS, WITH_EQUAL_GEARS)]
    first, second = (HardSimulator(load_model(text), timestep=5e-3) for text in texts)
    u = controls(200)
    apart = first.rollout(first.initial_state(), u)
    scaled = u * [1.0, 8.0, 1.0]
    as_one = second.rollout(second.initial_state(), np.hstack([scaled, np.zeros((200, 1))]))
    assert not apart.status.any() and np.abs(apart.qvel - as_one.qvel).max() < 1e-11
