"""Adhesion in the hard limit: closed forms of boxes on walls and ceilings, momentum, the wheel's motion, what is refused."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

G, H, MASS = 9.81, 0.005, 2.0
BOX = """<mujoco><option timestep="{h}" gravity="{gravity}" cone="elliptic" impratio="100"/><worldbody>{ground}
<body name="b" pos="0 0 {height}"><freejoint/><geom name="g" type="{kind}" size=".1 .1 .1" mass="2" friction=".5"/></body>
</worldbody><actuator><adhesion name="a" body="{body}" ctrlrange="0 10" gain="10" {more}/></actuator>
<sensor><actuatorfrc actuator="a"/></sensor></mujoco>"""
PLANE = '<geom type="plane" size="2 2 .1" friction=".5"/>'
BLOCK = '<geom type="box" size="2 2 .5" pos="0 0 -.5" friction=".5"/>'


def scene(ground=PLANE, gravity="0 0 -9.81", height=0.1, body="b", more="", h=H, kind="box"):
    return BOX.format(ground=ground, gravity=gravity, height=height, body=body, more=more, h=h, kind=kind)


def rolled(text, control, steps, qvel=None):
    sim = HardSimulator(load_model(text))
    run = sim.rollout(sim.initial_state(qvel=qvel), np.full((steps, 1), control))
    assert run.unsolved == 0
    return run


@pytest.mark.parametrize("ground", [PLANE, BLOCK], ids=["plane", "block"])
@pytest.mark.parametrize("body", ["b", "world"])
def test_it_holds_a_box_under_a_ceiling_up_to_its_weight(ground, body):
    """Gravity pulls away from the ground; 2 m g is 39 N. Let go, it falls with the rest of the force, as long as it touches."""
    held = rolled(scene(ground, "0 0 9.81", body=body), 2.0, 100)
    assert np.abs(held.qpos[-1, :3] - [0, 0, 0.1]).max() < 1e-8
    assert abs(held.sensordata[-1, 0] - 20.0) < 1e-12
    gone = rolled(scene(ground, "0 0 9.81", body=body), 1.9, 3)
    assert abs(gone.qvel[1, 2] - H * (G - 19.0 / MASS)) < 1e-6 and abs(gone.qvel[2, 2] - gone.qvel[1, 2] - H * G) < 1e-6


@pytest.mark.parametrize("ground", [PLANE, BLOCK], ids=["plane", "block"])
def test_friction_carries_it_on_a_wall(ground):
    """Gravity along the ground: it slides with g - μ p/m, and stays where μ p is more than its weight. Measured: 1e-8 m/s."""
    slides = rolled(scene(ground, "9.81 0 0"), 3.0, 20)
    # the first step has the contacts at its start; friction acts at the height of the ground, so that the box turns for no p at all
    assert np.abs(slides.qvel[1:, 0] / H - np.arange(1, 21) * (G - 0.5 * 30.0 / MASS)).max() < 1e-4
    stays = rolled(scene(ground, "9.81 0 0"), 4.1, 100)
    assert np.abs(stays.qpos[-1, :3] - [0, 0, 0.1]).max() < 1e-7


def test_two_balls_in_space_keep_their_momentum():
    """They touch, and what would part them does not: both fly on together and turn about each other."""
    text = """<mujoco><option timestep=".005" gravity="0 0 0"/><worldbody>
      <body name="a" pos="0 0 0"><freejoint/><geom size=".1" mass="1"/></body>
      <body name="b" pos=".2 0 0"><freejoint/><geom size=".1" mass="2"/></body></worldbody>
      <actuator><adhesion body="a" ctrlrange="0 100" gain="1"/></actuator></mujoco>"""
    qvel = [0, 0.6, 0, 0, 0, 0, 0.0, -0.3, 0.2, 0, 0, 0]
    sim = HardSimulator(load_model(text))
    for force, together in ((100.0, True), (0.0, False)):
        run = sim.rollout(sim.initial_state(qvel=qvel), np.full((100, 1), force))
        assert run.unsolved == 0
        linear, angular = sim.momentum(run.state(0))
        after = sim.momentum(run.final_state)
        assert np.abs(after[0] - linear).max() < 1e-12 and np.abs(after[1] - angular).max() < 1e-10
        apart = np.linalg.norm(run.qpos[-1, 7:10] - run.qpos[-1, :3])
        assert (apart < 0.2 + 1e-6) == together


def test_a_force_that_depends_on_velocity():
    """v: the mean rate of closing. A ball that is lifted off: p = 1 - 2 v, v = -0.1."""
    text = scene(kind="sphere", gravity="0 0 0").replace("<adhesion", "<general")
    run = rolled(text.replace('gain="10"', 'biastype="affine" biasprm="1 0 -2"'), 0.0, 1, [0, 0, 0.1, 0, 0, 0])
    assert abs(run.sensordata[0, 0] - 1.2) < 1e-9


TRAIN = """<mujoco><option timestep="{h}" gravity="0 0 0"/><default><geom size=".1" friction="0" condim="1"/></default><worldbody>
<body name="a"><joint name="x" type="slide" axis="1 0 0"/><geom mass="1"/></body>
<body name="b" pos=".2 0 0"><joint type="slide" axis="1 0 0" damping="2"/><geom mass="2"/></body>
<body name="c" pos=".4 0 0"><joint type="slide" axis="1 .1 0" damping="3"/><geom mass="1"/></body></worldbody>
<actuator><motor joint="x"/><adhesion body="b" ctrlrange="0 100"/></actuator></mujoco>"""


@pytest.mark.parametrize(("control", "held"), [(16.0, 2), (3.0, 0)])
def test_motion_tends_to_the_wheels(control, held):
    """One drags two: the pull of the middle one is shared by its two contacts; or none follows. 0.2 s, the wheel's contacts stiff.

    Measured: 7e-5 and 3e-4 m. Contacts of the wheel that slide open, and have no adhesion then: nothing slides here.
    """
    wheel = mujoco.MjModel.from_xml_string(TRAIN.format(h=1e-4))
    wheel.geom_solref[:], wheel.geom_solimp[:, :2] = (2e-3, 1.0), (0.95, 0.99)
    data = mujoco.MjData(wheel)
    data.qpos[:], data.ctrl[:] = [1e-5, 0.0, -1e-5], [0.0, control]
    mujoco.mj_step(wheel, data, 1000)  # (pressed together)
    data.ctrl[0] = -4.0
    mujoco.mj_step(wheel, data, 2000)
    sim = HardSimulator(load_model(TRAIN.format(h=1e-3)))
    run = sim.rollout(sim.initial_state(), np.tile([-4.0, control], (200, 1)))
    assert run.unsolved == 0
    error = np.abs(run.qpos[-1] - data.qpos).max()
    print(f"{control}: {error:.1e}", run.qpos[-1], data.qpos)
    assert error < 1e-3 and np.sum(np.abs(run.qpos[-1, 1:]) > 1e-3) == held


def test_on_the_central_path_it_is_refused():
    sim = HardSimulator(load_model(scene()))
    state = sim.initial_state()
    asked = lambda: sim.step(state, kappa=1e-4), lambda: sim.linearize(state), lambda: sim.rollout(state, [[1.0]], linearize=True)
    for ask in asked:
        with pytest.raises(ValueError, match="adhesion acts in the hard limit only"):
            ask()
    off = HardSimulator(load_model(scene(more='group="3"').replace("<option ", '<option actuatorgroupdisable="3" ')))
    assert off.linearize(off.initial_state()).status == 0
