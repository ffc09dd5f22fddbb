"""Five hundred steps of every integrator against the wheel, without contact and in contact, where the motion is not chaotic."""

import mujoco
import numpy as np
import oracle
import pytest

import dojo_py
from dojo_py.soft import SoftOptions, SoftSimulator

STEPS = 500
BOUND = 1e-6
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
NO_CONTACT_NO_LIMIT = (1 << 4) | (1 << 3)

CHAIN = """<mujoco><option timestep="0.005" density="1.2" viscosity="0.01"/><worldbody>
  <body pos="0 0 1"><joint type="ball" damping="0.1"/><geom type="capsule" size="0.05 0.2" pos="0.1 0 -0.3"/>
    <body pos="0.2 0 -0.5"><joint name="hinge" axis="0 1 0" damping="0.2 0.1 0.05"/>
      <joint type="slide" axis="1 0 0" stiffness="30"/>
      <geom type="capsule" size="0.05 0.2" contype="0" conaffinity="0"/></body></body>
  <body pos="1 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/></body></worldbody>
  <actuator><velocity joint="hinge" kv="0.3"/><general joint="hinge" dyntype="filterexact" dynprm="0.1"/></actuator></mujoco>"""

FREE_MODELS = ("humanoid", "atlas", "quadruped", "double_pendulum", "npendulum", "fourbar", "dzhanibekov", "half_cheetah", "ant")
CONTACT_MODELS = ("humanoid", "atlas", "quadrotor", "sphere", "walker")
UNSTABLE_IN_THE_WHEEL_TOO = {("atlas", "RK4"), ("ant", "RK4")}
"""The wheel reports a diverged simulation: explicit stages, stiff joint dampers."""


def wheel_trajectory(model, qpos, qvel, controls):
    """(T + 1, nq) states of mj_step; fails if the wheel resets itself."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    states = [data.qpos.copy()]
    for control in controls:
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        states.append(data.qpos.copy())
    assert not any(warning.number for warning in data.warning), "the wheel diverged"
    return np.array(states)


def largest_difference(wheel, model, integrator, qpos, qvel, controls, options=None):
    wheel = oracle.with_options(
        wheel, integrator=("Euler", "RK4", "implicit", "implicitfast").index(integrator), tolerance=1e-12, iterations=200
    )
    options = SoftOptions(integrator=integrator, tolerance=1e-12, iterations=200)
    simulator = SoftSimulator(model, options=options)
    ours = simulator.rollout(simulator.initial_state(qpos, qvel), controls)
    assert not ours.status.any()
    return np.abs(ours.qpos - wheel_trajectory(wheel, qpos, qvel, controls)).max()


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", FREE_MODELS)
def test_without_contact(name, integrator):
    """Measured: 1e-13 at worst."""
    if (name, integrator) in UNSTABLE_IN_THE_WHEEL_TOO:
        pytest.skip("diverges in the wheel as well")
    path = oracle.REPOSITORY / "models" / f"{name}.xml"
    wheel = mujoco.MjModel.from_xml_path(str(path))
    wheel.opt.disableflags |= NO_CONTACT_NO_LIMIT
    rng = np.random.default_rng(0)
    qvel, controls = 0.5 * rng.normal(size=wheel.nv), 0.1 * rng.normal(size=(STEPS, wheel.nu))
    assert largest_difference(wheel, wheel, integrator, wheel.qpos0, qvel, controls) < BOUND


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", CONTACT_MODELS)
def test_in_contact(name, integrator):
    """Falls to the ground and rests there, or slides. Measured: 4e-12 at worst."""
    if (name, integrator) in UNSTABLE_IN_THE_WHEEL_TOO:
        pytest.skip("diverges in the wheel as well")
    path = oracle.REPOSITORY / "models" / f"{name}.xml"
    wheel = mujoco.MjModel.from_xml_path(str(path))
    qpos = np.array(wheel.qpos0)
    data = oracle.forward(wheel, qpos, np.zeros(wheel.nv))
    if wheel.jnt_type[0] == 0:  # lower the model until it touches the ground within the run
        clearance = min((c.dist for c in data.contact), default=0.3)
        qpos[2] += 0.02 - max(0.0, clearance) if data.ncon else 0.0
    rng = np.random.default_rng(1)
    qvel, controls = 0.1 * rng.normal(size=wheel.nv), np.zeros((STEPS, wheel.nu))
    assert largest_difference(wheel, dojo_py.load_model(path), integrator, qpos, qvel, controls) < BOUND


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_ball_joint_drag_velocity_servo_and_free_body(integrator):
    """Everything the implicit integrators differentiate, in one model. Measured: 3e-14."""
    wheel = mujoco.MjModel.from_xml_string(CHAIN)
    rng = np.random.default_rng(2)
    qvel, controls = rng.normal(size=wheel.nv), rng.normal(size=(STEPS, wheel.nu))
    assert largest_difference(wheel, wheel, integrator, wheel.qpos0, qvel, controls) < BOUND


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_public_humanoid_rests_like_the_wheels(shared, integrator):
    """Squat keyframe, falls over. Tendon limits, twelve contacts. Measured: 3e-12."""
    wheel = oracle.shared_model("mujoco_humanoid", "humanoid.xml")
    controls = np.zeros((STEPS, wheel.nu))
    assert largest_difference(wheel, wheel, integrator, wheel.key_qpos[0], wheel.key_qvel[0], controls) < BOUND
