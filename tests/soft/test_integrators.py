"""Five hundred steps of every integrator against the wheel, without contact and in contact, where the motion is not chaotic."""

import mujoco
import numpy as np
import oracle
import pytest
from default_run import in_turn
from public import GYMNASIUM_MJCF, SHARED_MJCF, TIE

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

ROBOTS = ("/humanoid.xml", "/panda.xml", "/x2.xml", "/a1.xml")
PUBLIC = [name for name in GYMNASIUM_MJCF if name != TIE] + [name for name in SHARED_MJCF if name.endswith(ROBOTS)]
UNSTABLE = {("franka_emika_panda/panda.xml", "Euler")}
"""Explicit servo damping on light links: the wheel parts from itself within the 500 steps."""
STIFF, SHORT = {("ant", "RK4"), ("atlas", "RK4")}, 5e-5
"""Explicit stages and strong joint dampers: the wheel's second step diverges at the file's time step; compared at this one [s]."""
NUDGE, PARTED = 1e-13, 1e-8
"""Difference of two starts of the wheel, and of their motions when they count as parted [m, rad]."""


def wheel_motion(model, qpos, qvel, controls):
    """(T + 1, nq) states of mj_step, fewer if the wheel resets itself."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    states = [data.qpos.copy()]
    for control in controls:
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        if any(warning.number for warning in data.warning):
            break
        states.append(data.qpos.copy())
    return np.array(states)


def wheel_trajectory(model, qpos, qvel, controls):
    """(T + 1, nq) states of mj_step; fails if the wheel resets itself."""
    states = wheel_motion(model, qpos, qvel, controls)
    assert len(states) == len(controls) + 1, "the wheel diverged"
    return states


def wheels_horizon(model, integrator, qpos, qvel, controls):
    """Number of steps that two wheels started `NUDGE` apart stay together."""
    model = oracle.with_options(model, integrator=INTEGRATORS.index(integrator), tolerance=1e-12, iterations=200)
    one, two = (wheel_motion(model, qpos, qvel + nudge, controls) for nudge in (0.0, NUDGE))
    n = min(len(one), len(two))
    parted = np.flatnonzero(np.abs(one[:n] - two[:n]).max(axis=1) > PARTED)
    return int(parted[0]) - 1 if len(parted) else n - 1


def largest_difference(wheel, model, integrator, qpos, qvel, controls, options=None):
    wheel = oracle.with_options(wheel, integrator=INTEGRATORS.index(integrator), tolerance=1e-12, iterations=200)
    options = SoftOptions(integrator=integrator, tolerance=1e-12, iterations=200)
    simulator = SoftSimulator(model, timestep=wheel.opt.timestep, options=options)
    ours = simulator.rollout(simulator.initial_state(qpos, qvel), controls)
    assert not ours.status.any()
    largest = np.abs(ours.qpos - wheel_trajectory(wheel, qpos, qvel, controls)).max()
    print(f"{integrator}, {len(controls)} steps: {largest:.1e} (bound {BOUND:g})")
    return largest


def check_from_initial_pose(wheel, model, integrator, unstable=False):
    """A random velocity from the initial pose, random controls; an unstable motion as long as the wheel agrees with itself."""
    rng = np.random.default_rng(0)
    qvel, controls = 0.3 * rng.normal(size=wheel.nv), 0.1 * rng.normal(size=(STEPS, wheel.nu))
    if unstable:
        horizon = wheels_horizon(wheel, integrator, wheel.qpos0, qvel, controls)
        print(f"two wheels {NUDGE:g} apart stay together for {horizon} of {STEPS} steps")
        assert 1 <= horizon < STEPS
        controls = controls[:horizon]
    assert largest_difference(wheel, model, integrator, wheel.qpos0, qvel, controls) < BOUND


@pytest.mark.parametrize(
    ("path", "integrator"), in_turn(oracle.MODELS, INTEGRATORS), ids=lambda value: getattr(value, "stem", value)
)
@pytest.mark.parametrize("contact", [False, True], ids=["free", "in contact"])
def test_shipped_models(path, integrator, contact):
    """Measured: 1e-10 at worst."""
    wheel = mujoco.MjModel.from_xml_path(str(path))
    if not contact:
        wheel.opt.disableflags |= NO_CONTACT_NO_LIMIT
    model = dojo_py.load_model(path) if contact else wheel
    if (path.stem, integrator) in STIFF:
        steps = np.zeros((2, wheel.nu))
        assert wheels_horizon(wheel, integrator, wheel.qpos0, np.full(wheel.nv, 0.1), steps) < 2, "no longer stiff"
        wheel.opt.timestep = SHORT
    check_from_initial_pose(wheel, model, integrator, (path.stem, integrator) in UNSTABLE)


@pytest.mark.parametrize(("name", "integrator"), in_turn(PUBLIC, INTEGRATORS))
@pytest.mark.parametrize("contact", [False, True], ids=["free", "in contact"])
def test_public_robots(name, integrator, contact):
    """Measured: 5e-9 at worst (humanoid with thirteen contacts)."""
    wheel = oracle.public_model(name)
    if not contact:
        wheel.opt.disableflags |= NO_CONTACT_NO_LIMIT
    check_from_initial_pose(wheel, wheel, integrator, (name, integrator) in UNSTABLE)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_ball_joint_drag_velocity_servo_and_free_body(integrator):
    """Everything the implicit integrators differentiate, in one model. Measured: 3e-14."""
    wheel = mujoco.MjModel.from_xml_string(CHAIN)
    rng = np.random.default_rng(2)
    qvel, controls = rng.normal(size=wheel.nv), rng.normal(size=(STEPS, wheel.nu))
    assert largest_difference(wheel, wheel, integrator, wheel.qpos0, qvel, controls) < BOUND


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", [name for name in PUBLIC if name.endswith("/humanoid.xml")])
def test_public_humanoid_rests_like_the_wheels(name, integrator):
    """Squat keyframe where the file has it, falls over. Tendons, twelve contacts. Measured: 3e-12."""
    wheel = oracle.public_model(name)
    start = (wheel.key_qpos[0], wheel.key_qvel[0]) if wheel.nkey else (wheel.qpos0, np.zeros(wheel.nv))
    assert largest_difference(wheel, wheel, integrator, *start, np.zeros((STEPS, wheel.nu))) < BOUND


ARM = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" {}/><geom type="capsule" size="0.05 0.1" pos="0 0 -0.2"/>
  <body pos="0 0 -0.4"><joint name="k" axis="0 1 0"/><geom type="capsule" size="0.05 0.1" pos="0 0 -0.2"/></body></body></worldbody>
  <tendon><fixed name="t" {}><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed></tendon>
  <actuator>{}</actuator></mujoco>"""
RANGE = 'actuatorfrcrange="-0.1 0.1"'
ON_JOINT = '<velocity joint="j" kv="0.5"/><velocity jointinparent="j" kv="0.1"/>'
ON_TENDON = '<velocity tendon="t" kv="0.5"/><velocity tendon="t" kv="0.27"/><velocity tendon="t" kv="0.09"/>'
CLAMPED = {
    "joint": (RANGE, "", ON_JOINT),
    "tendon": ("", RANGE, ON_TENDON),
    "joint, driven by a tendon": (RANGE, "", ON_TENDON),
    "tendon, one force at its own limit": ("", RANGE, ON_TENDON.replace('kv="0.5"', 'kv="0.5" forcerange="-0.02 0.02"')),
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("case", CLAMPED)
def test_forces_clamped_at_a_joint_or_tendon(case, integrator):
    """While the clamp holds, more velocity makes no more force: the implicit integrators leave it out. Measured: 1e-15."""
    wheel = mujoco.MjModel.from_xml_string(ARM.format(*CLAMPED[case]))
    controls = np.random.default_rng(4).uniform(-1, 1, (STEPS, wheel.nu))
    assert largest_difference(wheel, wheel, integrator, wheel.qpos0, np.array([0.5, 0.7]), controls) < BOUND
