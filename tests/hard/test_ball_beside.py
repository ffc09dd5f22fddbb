"""A ball beside hinges and slides in one body: the wheel's motion, joints on bodies of their own, momentum, energy, limits."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, ModelError, load_model
from dojo_py.simulate.results import Status

HEAD = '<mujoco><option gravity="{}"/><default><geom contype="0" conaffinity="0"/></default><worldbody>'
ORDERS = ["slide ball", "ball slide", "hinge ball", "slide slide ball", "slide ball slide", "ball slide slide", "hinge slide ball"]
ORDERS += ["slide hinge ball", "hinge ball slide", "hinge hinge ball"]
BOX = '<geom type="box" size=".1 .2 .15" pos=".05 .02 -.1" euler="20 30 40" mass="1.3"/>'


def words(numbers):
    return " ".join(f"{x:.6g}" for x in numbers)


def joints(rng, order, laws=True):
    """MJCF of the joints of one body, in an order such as "slide ball". laws: springs, dampers, armature."""
    found = []
    for i, kind in enumerate(order.split()):
        anchor, axis = 0.2 * rng.normal(size=3), rng.normal(size=3)
        numbers = rng.uniform(1.0, 3.0), rng.uniform(0.05, 0.2), rng.uniform(0.01, 0.05)
        law = 'stiffness="{:.3g}" damping="{:.3g}" armature="{:.3g}"'.format(*numbers) if laws else ""
        place = f'axis="{words(axis)}"' if kind == "slide" else f'pos="{words(anchor)}"'
        if kind == "hinge":
            place += f' axis="{words(axis)}" ref="10"'
        found.append(f'<joint name="j{i}" type="{kind}" {place} {law}/>')
    return found


def motors(order):
    """MJCF of a motor for every joint, of a ball also one along its parent's axes and a servo."""
    text = ""
    for i, kind in enumerate(order.split()):
        gear = "1 .5 -1" if kind == "ball" else "2"
        text += f'<motor joint="j{i}" gear="{gear}"/>'
        if kind == "ball":
            text += f'<motor jointinparent="j{i}" gear=".3 -1 .5"/><position joint="j{i}" gear="0 1 1" kp="2"/>'
    return f"<actuator>{text}</actuator>"


def on_ball(own, actuators="", gravity="0 0 -9.81"):
    """A body on a ball of the world; below it the body with joints `own`, which carries a third on a hinge."""
    return f"""{HEAD.format(gravity)}<body pos="0 0 1"><joint type="ball" damping=".1"/>{BOX}
      <body pos=".3 .1 -.2" euler="10 20 -30">{own}{BOX}
        <body pos=".2 0 0"><joint axis="0 1 0" damping=".1"/>{BOX}</body></body></body></worldbody>{actuators}</mujoco>"""


def moving(model, seed, spread=0.2, speed=1.0):
    """(qpos, qvel) away from rest."""
    rng = np.random.default_rng(seed)
    return model.integrate(model.qpos0, spread * rng.normal(size=model.nv)), speed * rng.normal(size=model.nv)


@pytest.mark.parametrize("order", ORDERS)
def test_motion_converges_to_the_wheels(order):
    """Over 0.1 s, with springs, dampers, armature, motors and servos: first order in h, 6e-4 to 1.4e-3 at 1 ms. Extrapolated from
    h and h/2: measured 3e-6 to 9e-6.
    """
    seed = ORDERS.index(order)
    text = on_ball("".join(joints(np.random.default_rng(seed), order)), motors(order))
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    wheel.opt.timestep, wheel.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data, control = mujoco.MjData(wheel), np.full(model.nu, 0.4)
    data.qpos, data.qvel = moving(model, seed)
    data.ctrl[:] = control
    mujoco.mj_step(wheel, data, 1000)
    off = []
    for h in (4e-3, 2e-3, 1e-3):
        sim = HardSimulator(model, timestep=h)
        run = sim.rollout(sim.initial_state(*moving(model, seed)), np.tile(control, (round(0.1 / h), 1)))
        assert run.unsolved == 0
        off.append(model.difference(run.final_state.qpos, data.qpos))
    sizes = [np.abs(x).max() for x in off]
    rest = np.abs(2.0 * off[2] - off[1]).max()
    print(f"{order}: {sizes[0]:.1e} {sizes[1]:.1e} {sizes[2]:.1e}, extrapolated {rest:.1e}")
    assert sizes[2] < 5e-3 and rest < 5e-5
    assert 1.9 < sizes[1] / sizes[2] < 2.1


@pytest.mark.parametrize("order", ORDERS)
def test_joints_on_bodies_of_their_own_make_the_same_motion(order):
    """Bodies of mass m and inertia m 0.01 m² between the joints: the difference falls with m. Measured: 2e-6 to 2e-5 at 1e-5 kg."""
    own = joints(np.random.default_rng(3), order)
    together = load_model(on_ball("".join(own)))
    runs, start = [], moving(together, 4)
    for mass in (1e-4, 1e-5):
        light = f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{words([1e-2 * mass] * 3)}"/>'
        text = on_ball(own[0] + light + "".join(f"<body>{joint}{light}" for joint in own[1:-1]) + f"<body>{own[-1]}")
        text = text.replace("</worldbody>", "</body>" * (len(own) - 1) + "</worldbody>")
        apart = load_model(text)
        assert apart.nv == together.nv
        found = []
        for model in (together, apart):
            sim = HardSimulator(model, timestep=0.01)
            run = sim.rollout(sim.initial_state(*start), np.zeros((20, 0)))
            assert run.unsolved == 0
            found.append(run.qpos[-1])
        runs.append(np.abs(together.difference(*found)).max())
    print(f"{order}: {runs[0]:.1e} {runs[1]:.1e}")
    assert runs[1] < 1e-4 and runs[1] < 0.2 * runs[0] + 1e-9


@pytest.mark.parametrize("order", ["slide ball", "hinge ball slide"])
def test_momentum_is_kept(order):
    """Two bodies in space, springs, dampers, friction and motors between them, limits that are met. Measured: 8e-14."""
    own = "".join(joints(np.random.default_rng(1), order)).replace('type="ball"', 'type="ball" range="0 15" frictionloss=".1"')
    bodies = f'<body><freejoint/>{BOX}<body pos=".3 .1 -.2">{own}{BOX}</body></body>'
    text = f"{HEAD.format('0 0 0')}{bodies}</worldbody>{motors(order)}</mujoco>"
    sim = HardSimulator(load_model(text), timestep=0.01)
    model = sim.model
    state = sim.initial_state(*moving(model, 2, 0.1, 0.5))
    run = sim.rollout(state, np.random.default_rng(0).normal(size=(100, model.nu)))
    assert run.unsolved == 0
    ball = int(model.jnt_qposadr[list(model.joint_names).index(f"j{order.split().index('ball')}")])
    angle = 2.0 * np.arccos(np.clip(np.abs(run.qpos[:, ball]), 0.0, 1.0))
    assert np.isclose(angle.max(), np.deg2rad(15.0), atol=1e-6)  # (the limit was met)
    momenta = np.array([np.concatenate(sim.momentum(run.state(t))) for t in range(101)])
    drift = np.abs(momenta - momenta[0]).max()
    print(f"{order}: {drift:.1e}")
    assert drift < 1e-11


@pytest.mark.parametrize("order", ["slide ball", "ball slide slide", "hinge hinge ball"])
def test_energy_error_is_second_order(order):
    """Springs and gravity, no damping, 2 s; 30 J. Measured at 2 ms: 7e-4, 3e-3 and 1.2e-2 J."""
    own = "".join(joints(np.random.default_rng(5), order, laws=False)).replace("<joint", '<joint stiffness="30"')
    model = load_model(on_ball(own).replace('damping=".1"', ""))
    worst = []
    for h in (4e-3, 2e-3):
        sim = HardSimulator(model, timestep=h)
        run = sim.rollout(sim.initial_state(*moving(model, 6, 0.1, 0.5)), np.zeros((round(2.0 / h), 0)))
        assert run.unsolved == 0
        energy = np.array([sim.energy(run.state(t)) for t in range(1, len(run.time))])
        worst.append(np.abs(energy - energy[0]).max())
    print(f"{order}: {worst[0]:.1e} {worst[1]:.1e}")
    assert 3.0 < worst[0] / worst[1] < 5.5


def test_limits_hold_a_cart_and_its_pendulum():
    """A cart on a slope rolls to its end, and a ball on it tilts to the bound of its angle: both at rest there."""
    text = f"""{HEAD.format("3 0 -9.81")}<body><joint type="slide" axis="1 0 0" range="-1 .2" damping="1"/>
      <joint type="ball" range="0 10" damping="1"/><geom size=".05" pos="0 0 -.5" mass="1"/></body></worldbody></mujoco>"""
    sim = HardSimulator(load_model(text), timestep=0.005)
    run = sim.rollout(sim.initial_state(qvel=[0.0, 0.1, 0.0, 0.0]), np.zeros((1000, 0)))
    assert run.unsolved == 0
    q = run.final_state.qpos
    angle = 2.0 * np.arctan2(np.linalg.norm(run.qpos[:, 2:], axis=1), np.abs(run.qpos[:, 1]))
    assert run.qpos[:, 0].max() < 0.2 + 1e-8 and angle.max() < np.deg2rad(10.0) + 1e-8
    assert abs(q[0] - 0.2) < 1e-8 and abs(angle[-1] - np.deg2rad(10.0)) < 1e-8
    assert np.abs(run.final_state.qvel).max() < 1e-3


def test_hinges_before_a_ball_count_their_turns():
    """An arm that spins, a ball at its end: the hinge's angle goes on, and the ball's orientation stays a unit quaternion."""
    text = f"""{HEAD.format("0 0 0")}<body><joint axis="0 0 1" pos="-.5 0 0"/><joint type="ball" damping="5"/>
      <geom type="box" size=".1 .2 .05" mass="1"/></body></worldbody></mujoco>"""
    sim = HardSimulator(load_model(text), timestep=0.01)
    run = sim.rollout(sim.initial_state(qvel=[8.0, 0.0, 0.0, -3.0]), np.zeros((300, 0)))
    assert run.unsolved == 0
    assert run.qpos[-1, 0] > 3.0 * 2.0 * np.pi
    assert np.all(np.diff(run.qpos[:, 0]) > 0.0) and np.abs(np.diff(run.qpos[:, 0])).max() < 0.2
    assert np.abs(np.linalg.norm(run.qpos[:, 1:], axis=1) - 1.0).max() < 1e-14
    again = sim.initial_state(run.qpos[-1], run.qvel[-1])
    assert np.abs(again.maximal - run.final_state.maximal).max() < 1e-12
    assert sim.step(again).status is Status.SOLVED


@pytest.mark.parametrize("order", ["ball hinge", "ball ball", "ball slide hinge"])
def test_nothing_rotates_after_a_ball(order):
    """As in the wheel."""
    text = on_ball("".join(joints(np.random.default_rng(0), order)))
    with pytest.raises(ModelError, match="no hinge or ball may come after a ball joint in its body"):
        load_model(text)
    with pytest.raises(ValueError, match="ball followed by rotation"):
        mujoco.MjModel.from_xml_string(text)


def test_a_body_has_six_degrees_of_freedom_at_most():
    """As in the wheel."""
    slides = "".join(f'<joint name="j{i}" type="slide" axis="{1 + i} {i * i} {3 - i}" armature="1"/>' for i in range(7))
    text = f'<mujoco><worldbody><body name="b">{slides}<geom size=".1"/></body></worldbody></mujoco>'
    with pytest.raises(ModelError, match="joint 'j6', type: with this joint more than 6 degrees of freedom move one body"):
        load_model(text)
    with pytest.raises(ValueError, match="more than 6 dofs in body"):
        mujoco.MjModel.from_xml_string(text)
