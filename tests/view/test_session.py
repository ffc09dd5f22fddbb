"""Sessions: what a viewer plays, steps, pushes and goes back through, without a browser."""

import time

import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.drawing.poses import body_poses
from dojo_py.view.overlays import friction_of
from dojo_py.view.session import LONGEST, Session


def session(name="box", keyframe=None, modes=(HardSimulator, SoftSimulator), **start):
    sims = [mode(name) for mode in modes]
    return Session(sims, [sim.initial_state(keyframe=keyframe, **start) for sim in sims])


def test_it_goes_on_as_a_rollout_does():
    s = session("quadruped", "drop", (HardSimulator,))
    for _ in range(30):
        s.step()
    sim = s.lanes[0].sim
    run = sim.rollout(sim.initial_state(keyframe="drop"), np.zeros((30, sim.model.nu)))
    assert np.array_equal(s.moment().state.qpos, run.final_state.qpos) and s.k == s.last == 30
    assert [m.iterations for m in s.lanes[0].past[1:]] == list(run.iterations)
    assert np.array_equal([m.gap for m in s.lanes[0].past[1:]], run.min_gap)


def test_playing_keeps_the_speed_and_real_time_on_the_humanoid():
    s = session("humanoid", "home")
    s.step()
    s.speed = 0.5
    assert s.advance(1.0) == 0  # it stands still
    s.play()
    begin = time.process_time()
    steps = sum(s.advance(0.02) for _ in range(200))  # 4 s of wall time at half speed
    assert steps == 200 and abs(s.time - 2.01) < 1e-9
    assert time.process_time() - begin < 1.5  # measured: 0.4 s for 2 s of both modes, on a busy core


def test_the_past_is_played_again_and_forgotten_when_something_changes():
    s = session("cartpole", None, (HardSimulator,))
    for _ in range(20):
        s.step()
    last = s.moment().state.qpos
    s.seek(5)
    for _ in range(15):
        s.step()
    assert s.moment().state.qpos is last and s.last == 20
    s.seek(5)
    s.set_control(0, 1.0)
    assert s.last == 20  # nothing is lost before it goes on
    s.step()
    assert s.k == s.last == 6 and s.moment().control[0] == 1.0
    s.seek(-3)
    assert s.k == 0
    s.seek(10**9)
    assert s.k == 6


def test_a_trajectory_is_played_whatever_was_touched_before():
    """A slider that had been moved erased it at the first step."""
    s = session("pendulum", None, (HardSimulator,))
    sim = s.lanes[0].sim
    run = sim.rollout(sim.initial_state([0.5]), np.full((10, 1), 1.5))
    s.set_control(0, 0.3)
    s.push(1, [1.0, 0.0, 0.0], 5)
    s.load(run)
    for k in range(1, 11):
        s.step()
        assert s.last == 10 and np.array_equal(s.moment().state.qpos, run.qpos[k])
    s.seek(4)
    s.set_control(0, 0.2)
    s.step()
    assert s.last == 5


FIRST_ORDER = pytest.mark.xfail(strict=True, reason="bound 0.02 N s: 0.034; a push is a force over a step, momentum of first order")


@pytest.mark.parametrize("modes", [(HardSimulator,), pytest.param((SoftSimulator,), marks=FIRST_ORDER)])
def test_a_push_adds_its_impulse(modes):
    s = session("humanoid", "home", modes, qpos=None)
    lane, mass = s.lanes[0], float(s.model.body_mass.sum())
    lifted = np.array(s.moment().state.qpos)
    lifted[2] += 5.0
    s.reset(qpos=lifted)
    s.step()
    before = lane.sim.momentum(s.moment().state)[0]
    s.push(1, [3.0, -2.0, 1.0])
    s.step()
    gained = lane.sim.momentum(s.moment().state)[0] - before
    weight = mass * s.timestep * s.model.opt.gravity
    # measured: 2e-12 hard; 3.4e-2 soft, whose integrator (MuJoCo's) keeps momentum to first order in the time step
    assert np.abs(gained - weight - [3.0, -2.0, 1.0]).max() < (1e-9 if modes[0] is HardSimulator else 0.02)
    s.step()
    assert abs(lane.sim.momentum(s.moment().state)[0][0] - before[0] - 3.0) < 0.02


def test_pushes_add_up():
    """The second one took the place of the first, whatever of it was to come yet."""
    s = session("quadrotor", "hover", (HardSimulator,))
    lane = s.lanes[0]
    s.push(1, [0.4, 0.0, 0.0], steps=4)
    s.step()
    s.push(1, [0.0, 0.2, 0.0])
    for _ in range(4):
        s.step()
    gained = lane.sim.momentum(s.moment().state)[0] - lane.sim.momentum(lane.past[0].state)[0]
    assert np.abs(gained[:2] - [0.4, 0.2]).max() < 1e-9


@pytest.mark.parametrize("modes", [(HardSimulator,), (SoftSimulator,)])
@pytest.mark.parametrize("body", ["torso", "right_foot"])
def test_a_pulled_body_comes_to_the_hand(modes, body):
    s = session("humanoid", "home", modes)
    number = s.model.body_id(body)
    at = body_poses(s.model, s.moment().state.qpos[None])[0][0, number]
    to = at + [0.3, 0.2, 0.3]
    s.play()
    for _ in range(300):
        s.pull(number, at, to)
        s.step()
    now = body_poses(s.model, s.moment().state.qpos[None])[0][0, number]
    assert s.message == "" and np.linalg.norm(now - to) < 0.6 * np.linalg.norm(at - to)
    s.pull(number, None)
    s.step()
    assert s.message == ""


@pytest.mark.parametrize("name", ["panda", "ant", "quadruped", "atlas", "fourbar"])
def test_pulling_at_any_body_never_fails(name):
    s = session(name, None, (HardSimulator,))
    for body in range(1, s.model.nbody):
        s.reset()
        s.play()
        x, _ = body_poses(s.model, s.moment().state.qpos[None])
        for _ in range(30):
            s.pull(body, x[0, body] + [0.0, 0.02, 0.0], x[0, body] + [0.5, 0.5, 0.5])
            s.step()
        assert s.message == "" and np.abs(s.moment().state.qvel).max() < 100.0, s.model.body_names[body]


def test_a_failed_step_stops_it_with_a_word():
    s = session("box", "home", (HardSimulator,))
    s.play()
    s.push(1, [0.0, 0.0, -1e200])
    for _ in range(3):
        s.advance(0.02)
    assert not s.playing and s.message and s.k <= 3
    s.reset()
    s.play()
    assert s.message == "" and s.advance(0.02) > 0


def test_reset_goes_to_keyframes_and_coordinates():
    s = session("cartpole", None, (HardSimulator, SoftSimulator))
    s.step()
    s.set_coordinate(0, 0.3)
    assert s.k == s.last == 0 and all(lane.past[0].state.qpos[0] == 0.3 for lane in s.lanes)
    assert not np.any(s.moment().state.qvel)
    b = session("box", None, (HardSimulator,))
    b.reset(keyframe="slide")
    assert np.array_equal(b.moment().state.qpos, b.model.key_qpos[b.model.key_id("slide")])


def test_a_loaded_trajectory_is_what_is_played_and_its_contacts_are_found():
    sim = HardSimulator("box")
    run = sim.rollout(sim.initial_state(keyframe="home"), np.zeros((50, 3)))
    s = session("box", "home")
    s.load(run)
    assert s.k == 0 and s.last == 50 and s.lanes[1].past[0].state.exact is None
    for _ in range(50):
        s.step()
    assert s.moment().state.time == run.time[-1] and np.array_equal(s.moment().state.qpos, run.qpos[-1])
    contacts = s.lanes[0].contacts(50)
    carried = contacts.world_impulse[:, 2].sum() / s.timestep
    assert abs(carried / (9.81 * s.model.body_mass.sum()) - 1.0) < 1e-9  # measured: 5e-14
    s.step()
    assert s.last == 51
    wrench = np.zeros((2, 6))
    wrench[1, 2] = 3.0
    s.load(sim.rollout(sim.initial_state(keyframe="home"), np.zeros((5, 3)), wrenches=wrench))
    assert s.lanes[0].contacts(3) is None


def test_contacts_of_a_loaded_relaxed_motion_are_found():
    """They were looked for in the hard limit, where the step ends elsewhere."""
    sim = HardSimulator("box")
    kappa = 1e-2 * sim.largest_kappa()
    run = sim.rollout(sim.initial_state(keyframe="home"), np.zeros((5, 3)), kappa=kappa)
    s = session("box", "home", (HardSimulator,))
    s.load(run)
    assert s.lanes[0].contacts(3).world_impulse[:, 2].sum() > 0.0


def test_the_oldest_moments_are_forgotten(monkeypatch):
    monkeypatch.setattr("dojo_py.view.session.LONGEST", 10)
    s = session("pendulum", None, (SoftSimulator,))
    for _ in range(25):
        s.step()
    assert s.last == 9 and s.k == 9 and abs(s.time - 25 * s.timestep) < 1e-9 and LONGEST == 20_000


def test_the_ghost_is_the_relaxed_roll_out_on_the_same_controls_and_pushes(monkeypatch):
    monkeypatch.setattr("dojo_py.view.ghost.PATIENCE", 60.0)  # on a busy machine it would not be there yet
    s = session("box", "home", (HardSimulator, SoftSimulator))
    s.set_kappa(1e-3)
    wrenches = np.zeros((30, s.model.nbody, 6))
    for k in range(30):
        if k == 10:
            s.push(1, [0.0, 0.0, 2.0 * s.timestep])
            wrenches[k, 1, 2] = 2.0
        s.step()
    ghost, none = s.ghost_states()
    sim = s.lanes[0].sim
    run = sim.rollout(sim.initial_state(keyframe="home"), np.zeros((30, 3)), wrenches=wrenches, kappa=1e-3)
    assert np.array_equal(ghost.qpos, run.qpos[-1]) and none is None
    assert ghost.qpos[2] > s.moment().state.qpos[2] + 1e-4  # it floats
    s.seek(7)
    assert np.array_equal(s.ghost_states()[0].qpos, run.qpos[7])
    s.set_control(0, 3.0)
    s.step()
    moved = s.ghost_states()[0]
    assert moved.qpos[0] > run.qpos[8, 0] + 1e-5 and moved.time == s.time
    s.set_kappa(None)
    assert s.ghost_states() == [None, None]


def test_the_ghost_goes_with_resets_forgotten_moments_and_failures(monkeypatch):
    monkeypatch.setattr("dojo_py.view.session.LONGEST", 10)
    s = session("sphere", None, (HardSimulator,))
    s.set_kappa(1e-4)
    for _ in range(25):
        s.step()
        assert s.ghost_states()[0].time == s.time
    s.reset()
    assert s.ghost_states()[0] is s.lanes[0].past[0].state
    s.set_kappa(-1.0)
    s.step()
    assert s.ghost_states() == [None] and "kappa" in s.lanes[0].ghost.message


def test_simulators_must_share_the_time_step():
    a, b = HardSimulator("box", 0.01), SoftSimulator("box", 0.002)
    with pytest.raises(ValueError, match="timesteps differ"):
        Session([a, b], [a.initial_state(), b.initial_state()])


def test_friction_of_pairs_follows_mujocos_rule():
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.4"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="a" size="0.1" friction="0.9"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom name="b" size="0.1" friction="0.1" priority="2"/></body></worldbody>
    <contact><pair geom1="a" geom2="b" friction="0.7 0.7 0 0 0"/></contact></mujoco>"""
    model = load_model(text)
    assert np.array_equal(friction_of(model, np.array([[1, 0], [2, 0], [2, 1]])), [0.9, 0.1, 0.7])
    assert friction_of(model, np.zeros((0, 2), int)).shape == (0,)
    option = '<mujoco><option o_friction="0.3 0.3 0 0 0"><flag override="enable"/></option>'
    overridden = load_model(text.replace("<mujoco>", option))
    assert np.array_equal(friction_of(overridden, np.array([[1, 0], [2, 1]])), [0.3, 0.3])


def test_contacts_of_a_normal_alone_have_no_friction():
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.4" condim="1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="a" size="0.1" friction="0.9" condim="1"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom name="b" size="0.1" friction="0.1" condim="1" priority="2"/></body>
    <body name="c" pos="2 0 1"><freejoint/><geom name="c" size="0.1" friction="0.2"/></body></worldbody>
    <contact><pair geom1="a" geom2="c" friction="0.7 0.7 0 0 0" condim="1"/></contact></mujoco>"""
    model = load_model(text)
    found = friction_of(model, np.array([[1, 0], [2, 0], [3, 0], [2, 3], [1, 3]]))
    assert np.array_equal(found, [0.0, 0.0, 0.4, 0.0, 0.0])


@pytest.mark.parametrize("friction", ["cone", "none"])
def test_a_loaded_step_keeps_its_control_whatever_its_contacts(friction):
    """Without candidates there are no contacts, and of steps of other options none are known: the ghost goes on all the same."""
    sim = HardSimulator("cartpole" if friction == "cone" else "box", friction=friction)
    controls = np.tile(np.arange(1.0, 1.0 + sim.model.nu), (20, 1))
    s = session("cartpole" if friction == "cone" else "box", None, (HardSimulator,))
    s.load(sim.rollout(sim.initial_state(), controls))
    s.seek(20)
    for k in range(21):
        s.lanes[0].contacts(k)
    assert all(np.array_equal(moment.control, controls[0]) for moment in s.lanes[0].past[1:])
    s.set_kappa(1e-9)
    while (ghost := s.ghost_states()[0]) is None:
        assert s.lanes[0].ghost.message == ""
    if friction == "cone":
        assert np.abs(ghost.qpos - s.moment().state.qpos).max() < 1e-6
