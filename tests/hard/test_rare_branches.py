"""Branches that a reader of the code named, each wrong before: states of other simulators, balls beyond their limits, no parts."""

import numpy as np
import pytest

from dojo_py import HardOptions, HardSimulator, Status, load_model
from dojo_py.hard.workspace import allocate_work
from dojo_py.hard.world import build_world


def test_a_state_of_another_model_is_read_by_its_coordinates():
    """The centre of mass of one model was taken for that of another with as many bodies: qpos jumped by 0.2 m."""
    centred = '<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    one, other = (HardSimulator(load_model(xml)) for xml in (centred, centred.replace('size=".1"', 'size=".1" pos=".2 0 0"')))
    assert np.abs(other.step(one.initial_state()).state.qpos - other.initial_state().qpos).max() < 1e-12
    assert other.step(other.initial_state()).state.exact.kinematics != one.initial_state().exact.kinematics


def test_a_state_of_another_time_step_has_its_velocities():
    """The mean over 10 ms was taken for that over 1 ms: a body that rotates at 100 rad/s began at 96."""
    model = load_model(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    slow, fast = HardSimulator(model, timestep=0.01), HardSimulator(model, timestep=0.001)
    spin = np.array([0, 0, 0, 100.0, 0, 0])
    came, fresh = fast.step(slow.initial_state(qvel=spin)).state, fast.step(fast.initial_state(qvel=spin)).state
    np.testing.assert_array_equal(came.qvel, fresh.qvel)


@pytest.mark.parametrize("angle", [40.0, 90.0, 170.0])
def test_a_ball_far_beyond_its_limit_comes_back_at_the_recovery_speed(angle):
    """90 degrees at a limit of 30 left at 105 rad/s, 170 were not solved. A hinge: 5 rad/s, `HardOptions.recovery_speed`."""
    model = load_model(
        """<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody><body><joint type="ball" range="0 30"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="1"/></body></worldbody></mujoco>"""
    )
    sim, half = HardSimulator(model), np.radians(angle) / 2
    run = sim.rollout(sim.initial_state(qpos=[np.cos(half), 0.0, np.sin(half), 0.0]), np.zeros((80, 0)))
    assert run.unsolved == 0
    speed = np.linalg.norm(run.qvel, axis=1).max()
    print(f"{angle:g} degrees: {speed:.3f} rad/s at most")
    assert speed < 5.0 * (1 + 1e-3)
    assert 2 * np.arccos(min(1.0, abs(run.qpos[-1, 0]))) <= np.radians(30) + 1e-9


def test_a_carried_momentum_without_parts_ends():
    """A body that must be divided into parts, where none are allowed: the loop over its parts did not end."""
    model = load_model(
        """<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody><body><freejoint/>
        <geom type="box" size=".1 .2 .3" mass="1"/></body></worldbody></mujoco>"""
    )
    usual = HardSimulator(model)
    state = usual.initial_state(qvel=[0, 0, 0, 90.0, 60.0, 120.0])
    for _ in range(20):
        state = usual.step(state).state
    whole = HardSimulator(model, options=HardOptions(subdivisions=0))
    step = whole.step(state)
    assert step.status in (Status.SOLVED, Status.TOO_FAST, Status.INEXACT, Status.STALLED, Status.MAX_ITERATIONS)
    assert np.isfinite(step.state.qvel).all()


def test_an_overlap_that_stays_takes_no_rebound():
    """A ball wedged between two faces 1 cm too near, hit at 2 m/s by one that rebounds fully: it stayed there."""
    model = load_model(
        """<mujoco><option gravity="0 0 0" timestep="0.01"/><default><geom solref="-1000 0" condim="1"/></default><worldbody>
        <geom type="box" size=".3 .3 .1" pos="0 0 -.195"/><geom type="box" size=".3 .3 .1" pos="0 0 .195"/>
        <body><freejoint/><geom size=".1" mass="1"/></body>
        <body pos="-.2 0 0"><freejoint/><geom size=".05" mass="1"/></body></worldbody></mujoco>"""
    )
    sim = HardSimulator(model)
    run = sim.rollout(sim.initial_state(qvel=[0.0] * 6 + [2.0, 0, 0, 0, 0, 0]), np.zeros((10, 0)))
    print(run.status, run.qvel[-1, [0, 6]])
    assert run.unsolved == 0
    assert run.qvel[-1, 6] == pytest.approx(0.0, abs=1e-6) and run.qvel[-1, 0] == pytest.approx(2.0, abs=1e-6)


def test_a_capsule_on_end_over_an_edge_touches_the_same_features_at_any_length():
    """Seen along the normal its axis has no length: round-off said which edges it crosses, and the velocity jumped by 0.24 m/s."""
    prism = "-.0913 -.104 -.0926  -.0913 .104 -.0926  .0913 -.104 -.0926  .0913 .104 -.0926  0 -.104 .0926  0 .104 .0926"
    model = load_model(
        f"""<mujoco><option gravity="0 0 0" timestep="0.01"/><asset><mesh name="prism" vertex="{prism}"/></asset><worldbody>
        <body pos="0 0 -.301" quat="1 0 0 1"><freejoint/><geom type="mesh" mesh="prism" mass=".55"/></body>
        <body><freejoint/><geom type="capsule" size=".069 .139" mass=".15"/></body></worldbody></mujoco>"""
    )
    sim, ends = HardSimulator(model), []
    size = np.array(sim.parameter("size").value)
    for longer in (0.0, 1e-12, -1e-12, 1e-9, -1e-9):
        other = sim.with_parameters({"size": np.where(size == 0.139, size + longer, size)})
        step = other.step(other.initial_state(qvel=[0.1, 0.2, -0.1, 0.5, 0.3, 0.2] + [0] * 6), kappa=0.012)
        assert step.status is Status.SOLVED
        ends.append(step.state.qvel)
    off = np.abs(np.array(ends) - ends[0]).max()
    print(f"change of the velocity: {off:.1e} m/s, rad/s")
    assert off < 1e-6  # 3.8e-8; 40 /s times the length


def test_the_force_of_a_limit_is_that_of_the_whole_step_where_it_is_taken_in_parts():
    """A rod at 300 rad/s is stopped by its limit in two of four parts; only the last one's impulse was read, 6.0 of 9.4 N m s."""
    model = load_model(
        """<mujoco><compiler autolimits="true" angle="radian"/><option gravity="0 0 0" timestep="0.01"/><worldbody><body>
        <joint name="j" axis="0 0 1" range="-100 2"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="1"/></body>
        </worldbody><sensor><jointlimitfrc joint="j"/></sensor></mujoco>"""
    )
    sim = HardSimulator(model)
    step = sim.step(sim.initial_state(qvel=[300.0]))
    assert step.status is Status.SOLVED and step.substeps == 4 and abs(step.state.qvel[0]) < 1e-6
    inertia = float(model.body_inertia[1].max()) + float(model.body_mass[1]) * 0.15**2
    impulse = step.sensordata[0] * 0.01
    print(f"impulse {impulse:.2f} N m s, momentum {300 * inertia:.2f}")
    assert abs(impulse - 300 * inertia) < 0.1 * 300 * inertia  # 8.6 and 9.4: parts rotate by up to 0.75 rad, along chords


def test_impulses_of_parts_have_room_for_more_tendons_and_loops_than_bodies():
    """A body on three tendons: a step in parts wrote the impulses of two of them outside of their table, and the process ended."""
    tendons = "".join(f'<spatial stiffness="1"><site site="a{i}"/><site site="b"/></spatial>' for i in range(3))
    anchors = "".join(f'<site name="a{i}" pos="{i} 1 0"/>' for i in range(3))
    model = load_model(
        f"""<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody>{anchors}<body><freejoint/>
        <geom type="box" size=".1 .2 .3" mass="1"/><site name="b" pos=".1 .2 .3"/></body></worldbody><tendon>{tendons}</tendon>
        </mujoco>"""
    )
    world = build_world(model, "cone", "error", float(model.opt.timestep))
    work = allocate_work(world.layout, world.planes, world.pairs, HardOptions().numbers(), HardOptions().constants())
    assert len(world.layout.eq_kind) == 3 and work.summed_loops.shape == (3, 6)
    sim = HardSimulator(model)
    step = sim.step(sim.initial_state(qvel=[0.0, 0.0, 0.0, 200.0, 30.0, 0.0]))
    assert step.status is Status.SOLVED and step.substeps > 1
