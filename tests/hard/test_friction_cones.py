"""Torsional, rolling and anisotropic friction against closed forms: elliptic cones, exact to the tolerances of a step."""

import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, load_model

G, H = 9.81, 0.002
FLOOR = '<geom name="floor" type="plane" size="5 5 1"/>'


def scene(body, pair="", option="", joint="<freejoint/>", floor=FLOOR, height=0.1):
    option = option or f'<option timestep="{H}" gravity="0 0 -{G}"/>'
    text = f'<body name="b" pos="0 0 {height}">{joint}<geom name="g" mass="1" priority="1" {body}/></body>'
    return load_model(f"<mujoco>{option}<worldbody>{floor}{text}</worldbody>{pair}</mujoco>")


def rolled(model, steps, **velocity):
    """(trajectory, simulator) from rest but for velocities by coordinate."""
    sim, qvel = HardSimulator(model), np.zeros(model.nv)
    for name, value in velocity.items():
        qvel[{"x": 0, "y": 1, "wx": 3, "wy": 4, "wz": 5}[name]] = value
    run = sim.rollout(sim.initial_state(qvel=qvel), np.zeros((steps, 0)))
    assert (run.status == 0).all()
    return run, sim


def momentum(rate):
    """Angular momentum over the moment of inertia of a body that turns by H rate in a step: the integrator's, sin(H rate)/H."""
    return np.sin(H * rate) / H


def test_a_sphere_spins_until_torsional_friction_has_stopped_it():
    """The angular momentum falls by μ₃ m g a second, then it stays at zero."""
    mu, inertia, spin = 0.02, 0.4 * 0.1**2, 10.0
    time = spin * inertia / (mu * G)
    steps = int(1.5 * time / H)
    run, _ = rolled(scene(f'size=".1" condim="4" friction="1 {mu} 0"'), steps, wz=spin)
    expected = np.maximum(momentum(spin) - mu * G / inertia * H * np.arange(1, steps + 1), 0.0)
    assert np.abs(momentum(run.qvel[1:, 5]) - expected).max() < 1e-6  # measured: 4e-7 until the standoff is reached, then 1e-10
    assert np.abs(run.qvel[:, :2]).max() < 1e-9


@pytest.mark.parametrize("floor", [FLOOR, FLOOR.replace("plane", "box").replace("/>", ' pos="0 0 -1"/>')])
def test_torsional_friction_of_several_points_adds_to_that_of_their_arms(floor):
    """A box on its four corners, a distance d from the middle: each brakes its sliding and its spinning as one cone does, so that
    the torque is μ m g sqrt(d² + (μ₃/μ)²), for a plane and for features of a box. Measured: 6e-10 rad/s."""
    mu, mu3, spin, d = 0.5, 0.03, 8.0, 0.1 * np.sqrt(2.0)
    model = scene(f'type="box" size=".1 .1 .1" condim="4" friction="{mu} {mu3} 0"', floor=floor)
    inertia = float(model.body_inertia[1, 2])
    rate = mu * G * np.sqrt(d**2 + (mu3 / mu) ** 2) / inertia
    steps = int(0.8 * spin / rate / H)
    run, _ = rolled(model, steps, wz=spin)
    expected = momentum(spin) - rate * H * np.arange(1, steps + 1)
    assert np.abs(momentum(run.qvel[1:, 5]) - expected).max() < 1e-4


def test_a_ball_rolls_as_far_as_rolling_friction_lets_it():
    """a = 5 μ₄ g / (7 r); the distance is v²/(2 a), less half a step's way. Sliding friction shares the cone: the ball creeps by
    (5/7) (μ₄/(μ r))² of its speed, 2e-5 here."""
    mu, mu4, radius, speed, h = 10.0, 0.05, 1.0, 1.0, 0.01
    rate = 5.0 * mu4 * G / (7.0 * radius)
    steps = int(1.1 * speed / rate / h)
    option = f'<option timestep="{h}" gravity="0 0 -{G}"/>'
    body = f'size="{radius}" condim="6" friction="{mu} 1e-5 {mu4}"'
    run, _ = rolled(scene(body, option=option, height=radius), steps, x=speed, wy=speed / radius)
    assert np.abs(run.qvel[-1]).max() < 1e-9
    assert run.qpos[-1, 0] == pytest.approx(speed**2 / (2.0 * rate) - 0.5 * speed * h, rel=1e-4)
    expected = np.maximum(speed - rate * h * np.arange(1, steps + 1), 0.0)
    assert np.abs(run.qvel[1:, 0] - expected).max() < 1e-4


SLIDES = "".join(f'<joint type="slide" axis="{a}"/>' for a in ("1 0 0", "0 1 0", "0 0 1"))


@pytest.mark.parametrize("shape", ['size=".1"', 'type="cylinder" size=".1 .1"', 'type="box" size=".1 .1 .1"'])
def test_a_disk_slides_anisotropically(shape):
    """dv_k/dt = -g μ_k² v_k / sqrt(Σ μ² v²), so that v_x/v_x0 = (v_y/v_y0)^(μ_x²/μ_y²). MuJoCo's first tangent on a floor is y.

    Each step is that law at its end velocity, up to the standoff's share in the weight: 8e-8 m/s. The power law is of first order.
    """
    mu_y, mu_x, h = 0.6, 0.3, 5e-4
    pair = f'<contact><pair geom1="floor" geom2="g" condim="3" friction="{mu_y} {mu_x}"/></contact>'
    model = scene(shape, pair, f'<option timestep="{h}" gravity="0 0 -{G}"/>', SLIDES)
    run, _ = rolled(model, 500, x=1.0, y=1.0)
    v = run.qvel[:, :2]
    slip = v[1:] * np.array([mu_x, mu_y]) ** 2
    expected = -G * h * slip / np.linalg.norm(v[1:] * [mu_x, mu_y], axis=1)[:, None]
    assert np.abs(np.diff(v, axis=0) - expected).max() < 2e-7
    assert v[-1, 1] < 0.06 < 0.3 < v[-1, 0]
    early = v[:300]
    assert np.abs(early[:, 0] / early[:, 1] ** (mu_x**2 / mu_y**2) - 1.0).max() < 5e-3


@pytest.mark.parametrize("floor", ["plane", "box"])
@pytest.mark.parametrize("turned", ["20 10 30", "80 0 10", "0 0 0"])
def test_directions_are_those_of_mujoco(floor, turned):
    """The two coefficients belong to the wheel's tangents, of planes and of pairs of bodies, up to their signs."""
    mujoco = pytest.importorskip("mujoco")
    pair = '<contact><pair geom1="floor" geom2="g" condim="3" friction=".8 .2"/></contact>'
    text = f"""<mujoco><worldbody><geom name="floor" type="{floor}" size="1 1 .5" euler="{turned}"/>
      <body name="b"><freejoint/><geom name="g" mass="1" size=".1"/></body></worldbody>{pair}</mujoco>"""
    wheel = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(wheel)
    mujoco.mj_forward(wheel, data)
    data.qpos[:3] = (0.0999 + (floor == "box") * 0.5) * data.geom_xmat[0].reshape(3, 3)[:, 2]
    mujoco.mj_forward(wheel, data)
    sim = HardSimulator(load_model(text))
    ours = sim.step(sim.initial_state(qpos=data.qpos), np.zeros(0)).contacts.frame[0]
    assert np.abs(np.abs(ours @ data.contact[0].frame.reshape(3, 3).T) - np.eye(3)).max() < 1e-9


def test_torques_are_in_the_contact_table():
    """Torques of a ball that spins and rolls: on the cone, against the motion; sensors read them as MuJoCo's."""
    run, sim = rolled(scene('size=".1" condim="6" friction=".5 .02 .01"'), 1, x=1.0, wy=10.0, wz=5.0)
    step = sim.step(sim.initial_state(qvel=[1.0, 0, 0, 0, 10.0, 5.0]), np.zeros(0))
    c = step.contacts
    scaled = np.concatenate([c.impulse[0, 1:] / 0.5, c.torque[0] / [0.02, 0.01, 0.01]])
    assert np.linalg.norm(scaled) == pytest.approx(c.impulse[0, 0], rel=1e-7)
    rates = c.frame[0] @ step.state.qvel[3:]  # (of a step of 2 ms: body axes are nearly the world's)
    assert np.all(c.torque[0] * rates <= 1e-12)


OVERRIDE = '<option timestep="0.01" o_friction="{}"><flag override="enable"/></option>'


def test_the_flag_override_replaces_friction():
    model = scene('size=".1" condim="4" friction="1 0 0"', option=OVERRIDE.format(".5 .5 .03 1e-5 1e-5"))
    other = scene('size=".1" condim="4" friction=".5 .03 1e-5"', option='<option timestep="0.01"/>')
    runs = [rolled(m, 20, x=1.0, wz=5.0)[0] for m in (model, other)]
    assert np.array_equal(runs[0].qpos, runs[1].qpos)


def test_pyramids_with_torques_are_refused_by_name():
    model = scene('size=".1" condim="6" friction="1 .1 .1"')
    with pytest.raises(ModelError, match="torsional and rolling friction.*pyramids"):
        HardSimulator(model, friction="pyramid")
    HardSimulator(model, friction="none")
